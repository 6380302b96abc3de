"""Tables from distances: classical scaling, and the place of a new row in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from ._progress import warn

Array = NDArray[np.float64]


@dataclass
class Scaled:
    """What turns distances to the training rows into measurements."""

    axes: Array  # [n, d], unit columns
    lengths: Array  # [d], square roots of the eigenvalues
    mean_squares: Array  # [n], mean of each row of squared distances

    def place(self, distances: Array) -> Array:
        """Rows whose distances to the training rows are known, among these. Exact if the distances are Euclidean."""
        refuse_negative(distances)
        centred = -0.5 * (distances**2 - self.mean_squares)
        placed = (centred - centred.mean(axis=1, keepdims=True)) @ (self.axes / self.lengths)
        # a row at distance 0 from a training row is that row, to the last bit
        same, fitted = np.nonzero(distances == 0)
        placed[same] = (self.axes * self.lengths)[fitted]
        return placed


def refuse_graph(X: object) -> None:
    """A sparse graph of distances has no measurements in it."""
    if sparse.issparse(X):
        raise ValueError(
            "metric='precomputed' takes a full n × n table of distances; a sparse graph alone holds no measurements to "
            "explain: fit the table itself and give the graph as graph="
        )


def refuse_negative(distances: Array) -> None:
    """There are no negative distances."""
    if (distances < 0).any():
        raise ValueError(
            "Negative values in data, but metric is 'precomputed'; give distances, which are never negative"
        )


def scaled(distances: Array) -> tuple[Scaled, Array]:
    """Measurements with these distances, and what places new rows among them."""
    n = len(distances)
    if distances.shape != (n, n):
        raise ValueError(f"X is {distances.shape}, but metric is 'precomputed'; give a square table of distances")
    refuse_negative(distances)
    largest = float(distances.max(initial=0.0))
    if not np.allclose(distances, distances.T, rtol=1e-6, atol=1e-9 * largest):
        raise ValueError("X is not symmetric, but metric is 'precomputed'; average it with its transpose")
    if (np.diagonal(distances) > 1e-6 * largest).any():
        raise ValueError(
            "X is not zero on its diagonal, but metric is 'precomputed'; turn similarities into distances first"
        )
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
        warn(
            f"the distances are not those of points in a flat space: {lost / values[kept].sum():.0%} of them is lost, "
            "and the bound is about what is left"
        )
    # a sign for each axis, so that equal distances give equal tables
    vectors = vectors[:, kept]
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])])
    vectors, lengths = vectors * signs, np.sqrt(values[kept])
    return Scaled(vectors, lengths, mean_squares), np.ascontiguousarray(vectors * lengths)
