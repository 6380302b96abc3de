"""How good an embedding is: against coordinates that are known, against the table, for separating classes.

The same measures stand in the records of :func:`tangency.compare`. Tables are n rows of numbers; coordinates of one
dimension may also be a plain list of n numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _graph_input, _tangency
from ._settings import seed, threads, whole
from ._table_input import classes, coordinates

__all__ = [
    "KnnError",
    "affine_r2",
    "align",
    "continuity",
    "geodesic_correlation",
    "knn_error",
    "procrustes",
    "trustworthiness",
]

Array = NDArray[np.float64]


def _pair(first: Any, first_name: str, second: Any, second_name: str) -> tuple[Array, Array]:
    one, other = coordinates(first, first_name), coordinates(second, second_name)
    if len(one) != len(other):
        raise ValueError(f"{first_name} has {len(one)} rows and {second_name} has {len(other)}; give as many of both")
    return one, other


def procrustes(embedding: ArrayLike, truth: ArrayLike) -> float:
    """Squared distance to known coordinates after the best shift, rotation, reflection and scale; 0 is best, 1 worst.

    Parameters
    ----------
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    truth : array_like of shape (n, d)
        Coordinates that are known.

    Returns
    -------
    float
        1 − (sum of singular values of XᵀT)² / (‖X‖²‖T‖²) of the centred tables, as :func:`scipy.spatial.procrustes`.

    Examples
    --------
    >>> from tangency import datasets, quality
    >>> _, truth = datasets.make_s_curve(50)
    >>> abs(round(quality.procrustes(3 * truth[:, ::-1] + 1, truth), 9))
    0.0
    """
    one, other = _pair(embedding, "embedding", truth, "truth")
    return _tangency.procrustes(one, other, threads(-1))


def affine_r2(embedding: ArrayLike, truth: ArrayLike) -> float:
    """Share of the variance of known coordinates that an affine map of the embedding explains; 1 is best.

    Unlike :func:`procrustes` it forgives axes of other lengths, as locally linear embedding and its kin give them.

    Parameters
    ----------
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    truth : array_like of shape (n, d)
        Coordinates that are known.

    Returns
    -------
    float

    Examples
    --------
    >>> from tangency import datasets, quality
    >>> _, truth = datasets.make_s_curve(50)
    >>> round(quality.affine_r2(truth * [1, 9], truth), 9)
    1.0
    """
    one, other = _pair(embedding, "embedding", truth, "truth")
    return _tangency.affine_r2(one, other, threads(-1))


def align(embedding: ArrayLike, onto: ArrayLike) -> Array:
    """Shifts, rotates, reflects and scales an embedding as a whole, to be as near to another table as it can.

    Parameters
    ----------
    embedding : array_like of shape (n, n_components)
        What is moved.
    onto : array_like of shape (n, d)
        What it is moved to.

    Returns
    -------
    ndarray of shape (n, d)
        The embedding in the place of `onto`; coordinates that it has beyond d are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from tangency import datasets, quality
    >>> _, truth = datasets.make_s_curve(50)
    >>> bool(np.allclose(quality.align(5 - 2 * truth[:, ::-1], truth), truth))
    True
    """
    one, other = _pair(embedding, "embedding", onto, "onto")
    return _tangency.align(one, other, threads(-1))


def trustworthiness(X: ArrayLike, embedding: ArrayLike, *, n_neighbors: int = 12) -> float:
    """Whether neighbours in the embedding are neighbours in the table; 1 is best.

    Parameters
    ----------
    X : array_like of shape (n, n_features)
        The table, or coordinates that are known.
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    n_neighbors : int, default=12
        Neighbours that are looked at, less than half of the points.

    Returns
    -------
    float
        What :func:`sklearn.manifold.trustworthiness` gives.

    Examples
    --------
    >>> import tangency
    >>> X, _ = tangency.datasets.make_s_curve(100)
    >>> bool(tangency.quality.trustworthiness(X, tangency.embed(X, "isomap").coordinates) > 0.95)
    True
    """
    one, other = _pair(X, "X", embedding, "embedding")
    return _tangency.trustworthiness(one, other, whole("n_neighbors", n_neighbors), threads(-1))


def continuity(X: ArrayLike, embedding: ArrayLike, *, n_neighbors: int = 12) -> float:
    """Whether neighbours in the table are neighbours in the embedding; 1 is best.

    Parameters
    ----------
    X : array_like of shape (n, n_features)
        The table, or coordinates that are known.
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    n_neighbors : int, default=12
        Neighbours that are looked at, less than half of the points.

    Returns
    -------
    float
        :func:`trustworthiness` with the tables exchanged.

    Examples
    --------
    >>> import tangency
    >>> X, _ = tangency.datasets.make_s_curve(100)
    >>> bool(tangency.quality.continuity(X, tangency.embed(X, "isomap").coordinates) > 0.95)
    True
    """
    one, other = _pair(X, "X", embedding, "embedding")
    return _tangency.continuity(one, other, whole("n_neighbors", n_neighbors), threads(-1))


class KnnError(NamedTuple):
    """An error of classification, as shares of points."""

    mean: float
    """Share of points given the wrong class; the mean over shuffles."""
    std: float
    """Its standard deviation over shuffles."""
    fold_std: float
    """Standard deviation of the error of a single fold."""


def knn_error(
    embedding: ArrayLike,
    labels: ArrayLike,
    *,
    n_neighbors: int = 1,
    folds: int = 10,
    shuffles: int = 10,
    random_state: Any = 0,
) -> KnnError:
    """Cross-validated error of classification by nearest neighbours in the embedding; 0 is best.

    Parameters
    ----------
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    labels : array_like of shape (n,)
        The class of each point.
    n_neighbors : int, default=1
        Neighbours that vote.
    folds : int, default=10
        Parts, each with its share of every class; a point is classified by those outside its own.
    shuffles : int, default=10
        How often the parts are drawn.
    random_state : int, numpy generator or None, default=0
        Seed of the parts.

    Returns
    -------
    KnnError

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import tangency
    >>> X, y = load_iris(return_X_y=True)
    >>> bool(tangency.quality.knn_error(tangency.embed(X, "pca").coordinates, y).mean < 0.1)
    True
    """
    table = coordinates(embedding, "embedding")
    words = classes(labels, len(table))
    votes, parts, times = whole("n_neighbors", n_neighbors), whole("folds", folds, 2), whole("shuffles", shuffles)
    return KnnError(*_tangency.knn_error(table, words, votes, parts, times, seed(random_state), threads(-1)))


def geodesic_correlation(X: ArrayLike, embedding: ArrayLike, *, n_neighbors: int = 9, graph: Any = None) -> float:
    """Correlation of distances in the embedding with those along the neighbour graph; 1 is best.

    Parameters
    ----------
    X : array_like of shape (n, n_features)
        The table. Edges are as long as their ends are apart in it.
    embedding : array_like of shape (n, n_components)
        Coordinates that were found.
    n_neighbors : int, default=9
        Neighbours of each point in the graph.
    graph : sparse matrix, ndarray or transformer, default=None
        Another graph, as :class:`tangency.LLLVM` takes it. It must be in one piece.

    Returns
    -------
    float
        Over all pairs of points; of more than 2000 points, over those with one end in a sample of 2000.

    Examples
    --------
    >>> import tangency
    >>> X, truth = tangency.datasets.make_s_curve(300)
    >>> bool(tangency.quality.geodesic_correlation(X, truth) > 0.98)
    True
    """
    one, other = _pair(X, "X", embedding, "embedding")
    count = whole("n_neighbors", n_neighbors)
    if graph is None and count >= len(one):
        raise ValueError(f"n_neighbors is {count}, but there are only {len(one)} points; use a smaller n_neighbors")
    edges = None if graph is None else _graph_input.edges_of(graph, one)
    return _tangency.geodesic_correlation(one, other, edges, count, threads(-1))
