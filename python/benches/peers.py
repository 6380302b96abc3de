"""The classical methods beside scikit-learn's: seconds of both on a roll in three dimensions, in turn and in one run.

    python python/benches/peers.py [points ...]

Both have two threads; scikit-learn has its default solvers. Ratios count, not seconds.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import manifold
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits

import tangency

NEIGHBORS = 10
#: Above so many points, scikit-learn's classical scaling is not asked: it takes all pairs and all eigenvectors.
MOST_SCALED = 2000
#: Rounds at most, and seconds after which there are no more of them.
ROUNDS, ENOUGH = 5, 20.0

THEIRS: dict[str, Callable[[], Any]] = {
    "pca": lambda: PCA(2),
    "mds": lambda: manifold.ClassicalMDS(2),
    "isomap": lambda: manifold.Isomap(n_neighbors=NEIGHBORS, n_jobs=2),
    "lle": lambda: manifold.LocallyLinearEmbedding(n_neighbors=NEIGHBORS, n_jobs=2),
    "ltsa": lambda: manifold.LocallyLinearEmbedding(n_neighbors=NEIGHBORS, method="ltsa", n_jobs=2),
    # there a point is among its own neighbours
    "laplacian-eigenmaps": lambda: manifold.SpectralEmbedding(
        affinity="nearest_neighbors", n_neighbors=NEIGHBORS + 1, n_jobs=2
    ),
}


def seconds(work: Callable[[], Any]) -> tuple[float, Any]:
    begin = time.perf_counter()
    made = work()
    return time.perf_counter() - begin, made


def best(ours: Callable[[], Any], theirs: Callable[[], Any] | None) -> tuple[float, float, float]:
    """The least seconds of both, in turn, and how far their results are apart."""
    times: tuple[list[float], list[float]] = ([], [])
    apart = float("nan")
    begin = time.perf_counter()
    for _ in range(ROUNDS):
        spent, found = seconds(ours)
        times[0].append(spent)
        if theirs is not None:
            try:
                spent, wanted = seconds(theirs)
            except Exception as error:  # their solver gives up on some matrices
                print(f"scikit-learn: {error}", file=sys.stderr)
                theirs = None
            else:
                times[1].append(spent)
                apart = tangency.quality.procrustes(found, wanted)
        if time.perf_counter() - begin > ENOUGH:
            break
    return min(times[0]), min(times[1], default=float("nan")), apart


def main(sizes: list[int]) -> None:
    warnings.filterwarnings("ignore")
    tangency.embed(np.random.default_rng(0).normal(size=(50, 3)), "pca")
    print("| n | method | tangency, s | scikit-learn, s | ratio | apart |\n|---:|---|---:|---:|---:|---:|")
    for n in sizes:
        X, _ = tangency.datasets.make_swiss_roll(n, random_state=1)
        for method, make in THEIRS.items():
            asked = method != "mds" or (n <= MOST_SCALED and hasattr(manifold, "ClassicalMDS"))
            ours, theirs, apart = best(
                lambda method=method, X=X: tangency.embed(
                    X, method, n_neighbors=NEIGHBORS, scaling="none", n_jobs=2
                ).coordinates,
                (lambda make=make, X=X: make().fit_transform(X)) if asked else None,
            )
            print(f"| {n} | {method} | {ours:.4f} | {theirs:.4f} | {theirs / ours:.1f} | {apart:.0e} |", flush=True)


if __name__ == "__main__":
    with threadpool_limits(2):
        main([int(word) for word in sys.argv[1:]] or [400, 2000, 10000])
