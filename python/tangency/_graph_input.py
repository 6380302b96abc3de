"""Graphs that a user brings: an adjacency, a list of pairs, or something that makes one from the table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

Pairs = NDArray[np.uint32]


def edges_of(graph: Any, X: NDArray[np.float64]) -> Pairs:
    """The pairs of rows of `X` that a graph joins.

    `graph` is an n × n matrix, sparse or dense, in which every entry other than zero is an edge (in either direction);
    an array of two columns of row numbers; or a neighbours transformer, of which a copy is fitted to `X`.
    """
    n = len(X)
    made = hasattr(graph, "fit_transform")
    if made:
        graph = clone(graph).fit_transform(X)
        if not sparse.issparse(graph):
            raise ValueError(
                f"graph makes {type(graph).__name__}; give a transformer that makes a sparse n × n matrix of neighbours"
            )
    if sparse.issparse(graph):
        if graph.shape != (n, n):
            found = " × ".join(map(str, graph.shape))
            raise ValueError(f"graph is {found}, but X has {n} rows; give a graph of {n} × {n}")
        coordinates = graph.tocoo()
        # a transformer stores neighbours only, and those at the same place have distance 0
        joined = np.ones(coordinates.nnz, dtype=bool) if made else is_edge(coordinates.data)
        return as_pairs(np.column_stack([coordinates.row[joined], coordinates.col[joined]]), n)
    array = np.asarray(graph)
    if array.ndim == 2 and array.shape == (n, n):
        return as_pairs(np.argwhere(is_edge(array)), n)
    return as_pairs(array, n)


def is_edge(entries: NDArray[Any]) -> NDArray[np.bool_]:
    """Which entries of an adjacency are edges."""
    if entries.dtype.kind not in "biuf" or not np.isfinite(entries).all():
        raise ValueError(
            "graph holds what is not a number or not finite; use finite numbers, 0 where two points are not joined"
        )
    return np.asarray(entries != 0)


def as_pairs(array: Any, n: int) -> Pairs:
    """An array of two columns, checked."""
    pairs = np.asarray(array)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or (pairs.size and pairs.dtype.kind not in "iu"):
        raise ValueError(
            "graph must be an n × n adjacency, an array of two columns of row numbers, or a neighbours transformer; "
            f"this is an array of shape {pairs.shape} and type {pairs.dtype}"
        )
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
        row = int(np.argmax((pairs < 0).any(axis=1) | (pairs >= n).any(axis=1)))
        raise ValueError(f"graph, row {row} names a point outside 0 to {n - 1}; points are numbered from 0")
    return np.require(pairs, np.uint32, ["C", "A"])


def adjacency(edges: Pairs, n: int) -> sparse.csr_array:
    """The symmetric matrix with 1 for each edge."""
    i, j = edges[:, 0].astype(np.int64), edges[:, 1].astype(np.int64)
    rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
    made = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    made.sort_indices()
    return made
