"""Graphs that a user brings: an adjacency, pairs, lists of neighbours, or something that makes one from the table."""

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
    an array of two columns of row numbers; lists of neighbours, as an array of row numbers with n rows and three or
    more columns, or as a tuple of such an array and one of distances, in either order; or a neighbours transformer, of
    which a copy is fitted to `X`.
    """
    n = len(X)
    if isinstance(graph, tuple):
        return of_lists(*lists_of(graph), n)
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
    if array.ndim == 2 and len(array) == n and array.shape[1] > 2 and array.dtype.kind in "iu":
        return of_lists(array, None, n)
    return as_pairs(array, n)


def lists_of(given: tuple[Any, ...]) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """Row numbers and distances of a tuple of arrays; what else is in it, as an index, is not looked at."""
    arrays = [np.asarray(part) for part in given if hasattr(part, "__len__")]
    numbers = [array for array in arrays if array.ndim == 2 and array.dtype.kind in "iu"]
    distances = [array for array in arrays if array.ndim == 2 and array.dtype.kind == "f"]
    if len(numbers) != 1 or len(distances) > 1 or any(array.shape != numbers[0].shape for array in distances):
        shapes = ", ".join(f"{array.shape} of {array.dtype}" for array in arrays)
        raise ValueError(
            "graph is a tuple, but not of one array of row numbers and one of distances of the same shape; "
            f"these are arrays of shape {shapes or 'none'}"
        )
    return numbers[0], distances[0] if distances else None


def of_lists(numbers: NDArray[Any], distances: NDArray[Any] | None, n: int) -> Pairs:
    """The pairs of lists of neighbours. A point may be in its own list; -1 and infinite distances are no neighbours."""
    if len(numbers) != n:
        count = len(numbers)
        raise ValueError(f"graph has lists of neighbours of {count} points, but X has {n} rows; give one for each")
    listed = numbers != -1
    if distances is not None:
        if np.isnan(distances).any() or (distances < 0).any():
            raise ValueError("graph has distances that are negative or not numbers; give distances of at least 0")
        listed &= np.isfinite(distances)
    outside = listed & ((numbers < 0) | (numbers >= n))
    if outside.any():
        row = int(np.argmax(outside.any(axis=1)))
        raise ValueError(f"graph, row {row} names a point outside 0 to {n - 1}; points are numbered from 0")
    owners = np.broadcast_to(np.arange(n)[:, None], numbers.shape)
    apart = listed & (numbers != owners)
    return np.require(np.column_stack([owners[apart], numbers[apart]]), np.uint32, ["C", "A"])


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
            "graph must be an n × n adjacency, an array of two columns of row numbers, lists of neighbours of all rows "
            "or a neighbours transformer; "
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
