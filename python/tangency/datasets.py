"""Points on manifolds that are known, to try things on.

Each function returns the points and the coordinates that made them. Equal arguments give equal points, the same as
``tangency generate`` writes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _tangency
from ._settings import count, real, seed, shown, whole

__all__ = [
    "make_helix",
    "make_punctured_sphere",
    "make_s_curve",
    "make_swiss_roll",
    "make_twin_peaks",
    "true_edges",
]

Points = tuple[NDArray[np.float64], NDArray[np.float64]]


def _make(shape: str, n_samples: int, noise: float, random_state: object) -> Points:
    deviation = real("noise", noise)
    if deviation < 0:
        raise ValueError(f"noise is {shown(noise)}; use zero or a positive number")
    # three measurements and at most two true coordinates a point
    return _tangency.generate(shape, count("n_samples", n_samples, 5), deviation, seed(random_state))


def make_swiss_roll(n_samples: int = 400, *, noise: float = 0.0, random_state: object = 0) -> Points:
    """A rolled sheet in three dimensions.

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of the Gaussian noise on each measurement.
    random_state : int, numpy generator or None
        Seed.

    Returns
    -------
    X : ndarray of shape (n_samples, 3)
        The points.
    truth : ndarray of shape (n_samples, 2)
        Arc length and height.

    Examples
    --------
    >>> from tangency import datasets
    >>> X, truth = datasets.make_swiss_roll(200)
    >>> X.shape, truth.shape
    ((200, 3), (200, 2))
    """
    return _make("swiss-roll", n_samples, noise, random_state)


def make_s_curve(n_samples: int = 400, *, noise: float = 0.0, random_state: object = 0) -> Points:
    """A sheet bent to an S. The truth is arc length and width; see :func:`make_swiss_roll` for the arguments."""
    return _make("s-curve", n_samples, noise, random_state)


def make_punctured_sphere(n_samples: int = 400, *, noise: float = 0.0, random_state: object = 0) -> Points:
    """A sphere without a cap. The truth is stereographic; see :func:`make_swiss_roll` for the arguments."""
    return _make("punctured-sphere", n_samples, noise, random_state)


def make_twin_peaks(n_samples: int = 400, *, noise: float = 0.0, random_state: object = 0) -> Points:
    """A square with two hills and valleys. The truth is the square; see :func:`make_swiss_roll` for the arguments."""
    return _make("twin-peaks", n_samples, noise, random_state)


def make_helix(n_samples: int = 400, *, noise: float = 0.0, random_state: object = 0) -> Points:
    """Three turns of an open helix. The truth is arc length; see :func:`make_swiss_roll` for the arguments."""
    return _make("helix", n_samples, noise, random_state)


def true_edges(X: ArrayLike, truth: ArrayLike, n_neighbors: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The pairs of nearest neighbours that lie on the sheet, and those that jump from one layer to another.

    Parameters
    ----------
    X, truth : array_like
        Points and their true coordinates, as the functions of this module give them.
    n_neighbors : int
        Neighbours of each point.

    Returns
    -------
    good, short_circuits : ndarray of shape (m, 2)
        Pairs of row numbers. The ends of a short-circuit are more than three times as far apart on the sheet as in
        space.
    """
    points, coordinates = (np.ascontiguousarray(table, dtype=np.float64) for table in (X, truth))
    if points.ndim != 2 or coordinates.ndim != 2 or len(points) != len(coordinates):
        raise ValueError(f"X is {points.shape} and truth is {coordinates.shape}; give tables of as many rows")
    if not (points.size and np.isfinite(points).all() and np.isfinite(coordinates).all()):
        raise ValueError("X or truth is empty or not finite; give finite numbers, at least one per row")
    neighbors = whole("n_neighbors", n_neighbors)
    if neighbors >= len(points):
        raise ValueError(
            f"n_neighbors is {neighbors}, but there are only {len(points)} points; use a smaller n_neighbors"
        )
    return _tangency.neighbor_edges(points, coordinates, neighbors)
