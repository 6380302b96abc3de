"""Tables from distances: classical scaling, and the place of a new row in it."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

Array = NDArray[np.float64]


@dataclass
class Scaled:
    """What turns distances to the training rows into measurements."""

    axes: Array  # [n, d], unit columns
    lengths: Array  # [d], square roots of the eigenvalues
    mean_squares: Array  # [n], mean of each row of squared distances

    def place(self, distances: Array) -> Array:
        """Rows whose distances to the training rows are known, among these. Exact if the distances are Euclidean."""
        centred = -0.5 * (distances**2 - self.mean_squares)
        return (centred - centred.mean(axis=1, keepdims=True)) @ (self.axes / self.lengths)


def refuse_graph(X: object) -> None:
    """A sparse graph of distances has no measurements in it."""
    if sparse.issparse(X):
        raise ValueError(
            "metric='precomputed' takes a full n × n table of distances; a sparse graph alone holds no measurements to "
            "explain: fit the table itself and give the graph as graph="
        )


def scaled(distances: Array) -> tuple[Scaled, Array]:
    """Measurements with these distances, and what places new rows among them."""
    n = len(distances)
    if distances.shape != (n, n):
        raise ValueError(f"X is {distances.shape} but must be square, since metric is 'precomputed'")
    if not np.allclose(distances, distances.T, rtol=1e-6, atol=1e-9 * float(np.abs(distances).max(initial=0.0))):
        raise ValueError("X must be symmetric, since metric is 'precomputed'; average it with its transpose if that is meant")
    if (distances < 0).any():
        raise ValueError("X must not be negative, since metric is 'precomputed' and its entries are distances")
    squares = distances**2
    mean_squares = squares.mean(axis=0)
    gram = -0.5 * (squares - mean_squares - mean_squares[:, None] + mean_squares.mean())
    values, vectors = linalg.eigh(gram)
    order = np.argsort(values)[::-1]
    values, vectors = values[order], vectors[:, order]
    lost = -values[values < 0].sum()
    kept = values > 1e-9 * max(float(values[0]), 0.0)
    if not kept.any():
        raise ValueError("all distances are zero; there is no manifold to learn from this table")
    if lost > 0.05 * values[kept].sum():
        warnings.warn(
            f"the distances are not those of points in a flat space: {lost / values[kept].sum():.0%} of them is lost, and the "
            "bound is about what is left",
            UserWarning,
            stacklevel=4,
        )
    # a sign for each axis, so that equal distances give equal tables
    vectors = vectors[:, kept]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    vectors, lengths = vectors * signs, np.sqrt(values[kept])
    return Scaled(vectors, lengths, mean_squares), np.ascontiguousarray(vectors * lengths)
