"""The well-known methods, on our graphs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _graph_input, _settings, _table_input, _tangency
from ._lllvm import LLLVM
from ._progress import Bar, warn

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Embedding:
    """What :func:`embed` found. What a method does not have is None."""

    coordinates: Array
    """One row a point, of shape (n_samples, n_components)."""
    rows: NDArray[np.int64]
    """Rows of the table that the points are; all of them unless `largest`."""
    method: str
    """The method."""
    objective: float | None = None
    """Of the GP-LVMs: log-posterior of the coordinates, or the bound on the evidence, of the scaled table, in nats."""
    n_iter: int | None = None
    """Iterations."""
    converged: bool | None = None
    """Whether it came to rest."""
    relevance: Array | None = None
    """Inverse square of the length-scale of each coordinate: near 0 for one that is not needed."""
    signal: float | None = None
    """Variance of the functions, in scaled units."""
    noise: float | None = None
    """Variance of the noise, in scaled units."""
    variances: Array | None = None
    """Of the Bayesian GP-LVM: variances of the coordinates, of shape (n_samples, n_components)."""

    def __repr__(self) -> str:
        n, d = self.coordinates.shape
        rest = "" if self.objective is None else f", objective {self.objective:.2f} after {self.n_iter} iterations"
        return f"Embedding of {n} points in {d} dimension{'' if d == 1 else 's'} by {self.method}{rest}"


def embed(
    X: Any,
    method: str = "isomap",
    *,
    n_components: int = 2,
    n_neighbors: int = 9,
    symmetry: str = "or",
    radius: float | None = None,
    graph: Any = None,
    connect: bool = False,
    largest: bool = False,
    scaling: str = "auto",
    regularization: float = 1e-3,
    n_inducing: int = 30,
    max_iter: int = 1000,
    random_state: Any = 0,
    n_jobs: int | None = -1,
    verbose: Any = False,
) -> Embedding:
    """Embeds a table by one of the well-known methods, with the graphs and scalings of :class:`LLLVM`.

    The classical methods give what scikit-learn gives for the same points and neighbours, up to rotation and sign.

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features)
        The table.
    method : {'pca', 'mds', 'isomap', 'lle', 'ltsa', 'laplacian-eigenmaps', 'gplvm', 'bayesian-gplvm'}, \
default='isomap'
        Principal components, classical scaling, Isomap, locally linear embedding, local tangent space alignment,
        Laplacian eigenmaps, the Gaussian process latent variable model, the same with a posterior of the coordinates.
    n_components : int, default=2
        Number of coordinates.
    n_neighbors : int, default=9
        Neighbours of each point, of methods that have a graph.
    symmetry : {'or', 'mutual'}, default='or'
        Whether one of two points must list the other as a neighbour, or both.
    radius : float, default=None
        Join all points within this distance instead.
    graph : sparse matrix, ndarray or transformer, default=None
        Another graph, as :class:`LLLVM` takes it.
    connect : bool, default=False
        Join a graph that is in pieces by the shortest bridges. If neither this nor `largest`, pieces are an error.
    largest : bool, default=False
        Embed only the largest piece.
    scaling : {'auto', 'max-abs', 'none', 'per-feature'}, default='auto'
        As of :class:`LLLVM`.
    regularization : float, default=1e-3
        Share of the trace of a local Gram matrix that locally linear embedding adds to its diagonal.
    n_inducing : int, default=30
        Inducing points of the Bayesian GP-LVM.
    max_iter : int, default=1000
        Most iterations of the GP-LVMs.
    random_state : int, numpy generator or None, default=0
        Seed. Equal seeds give equal results on any number of threads.
    n_jobs : int, default=-1
        Number of threads; -1 is all.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    Embedding

    Examples
    --------
    >>> import tangency
    >>> X, truth = tangency.datasets.make_s_curve(200)
    >>> found = tangency.embed(X, "isomap")
    >>> found
    Embedding of 200 points in 2 dimensions by isomap
    >>> bool(tangency.quality.procrustes(found.coordinates, truth) < 0.05)
    True
    """
    _settings.choice("method", method)
    table = _table_input.checked(X, ensure_min_samples=3)
    given = {"n_components": n_components, "n_neighbors": n_neighbors, "symmetry": symmetry, "radius": radius}
    given |= {"connect": connect, "largest": largest, "scaling": scaling, "random_state": random_state}
    config = _settings.config(LLLVM().get_params() | given)
    seed = json.loads(config)["random_state"]
    options = _settings.peer_options(regularization, n_inducing, max_iter, seed)
    edges = None if graph is None else _graph_input.edges_of(graph, table)
    with Bar(method, verbose) as bar:
        coordinates, rows, text, variances = _tangency.embed(
            table, method, config, options, edges, _settings.threads(n_jobs), bar.callback
        )
    found: dict[str, Any] = {} if text is None else json.loads(text)
    if found.pop("interrupted", False):
        warn(f"{method} was interrupted after {found['n_iter']} iterations; the coordinates are those so far")
    elif found and not found["converged"]:
        warn(f"{method} did not converge in {found['n_iter']} iterations; raise max_iter", ConvergenceWarning)
    if found:
        found["relevance"] = np.asarray(found["relevance"])
    return Embedding(coordinates, np.asarray(rows, dtype=np.int64), method, variances=variances, **found)
