"""Scikit-learn's digits (1797 × 64) in two dimensions: error of the nearest neighbour and seconds, ours and the peers'.

    python experiments/scaling/digits.py

It needs numpy, scikit-learn, umap-learn and this package, and prints a Markdown table. Errors are of the one nearest neighbour in
the plane, cross-validated in ten stratified parts, mean of five shuffles.
"""

import time
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.manifold import Isomap, LocallyLinearEmbedding
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from umap import UMAP

from tangency import LLLVM

warnings.filterwarnings("ignore")


def error(x: np.ndarray, labels: np.ndarray) -> float:
    folds = [StratifiedKFold(10, shuffle=True, random_state=seed) for seed in range(5)]
    return 1 - np.mean([cross_val_score(KNeighborsClassifier(1), x, labels, cv=fold).mean() for fold in folds])


def main() -> None:
    images, labels = load_digits(return_X_y=True)
    subset = np.random.default_rng(0).choice(len(images), 500, replace=False)
    ours = {"n_neighbors": 10, "connect": True}
    methods = [
        ("ll-lvm, exact, 500 of them", LLLVM(engine="exact", **ours), subset),
        ("ll-lvm, factorised, the same 500", LLLVM(engine="factorised", **ours), subset),
        ("ll-lvm, factorised", LLLVM(engine="factorised", **ours), None),
        ("ll-lvm, factorised, paper's prior", LLLVM(engine="factorised", lam=1.0, nu=0.0, **ours), None),
        ("ll-lvm, factorised, pca=0.9", LLLVM(engine="factorised", pca=0.9, **ours), None),
        ("ll-lvm, factorised, coarse start", LLLVM(engine="factorised", init="coarse", **ours), None),
        ("isomap", Isomap(n_neighbors=10), None),
        ("ltsa", LocallyLinearEmbedding(n_neighbors=10, method="ltsa", eigen_solver="dense"), None),
        ("umap", UMAP(n_neighbors=10, random_state=0), None),
    ]
    UMAP(n_neighbors=10).fit_transform(images[:300])  # it compiles once
    print("| method | seconds | 1-NN error |\n|---|---|---|")
    for name, method, rows in methods:
        table, known = (images, labels) if rows is None else (images[rows], labels[rows])
        began = time.perf_counter()
        try:
            x = method.fit_transform(table)
        except Exception as failure:
            print(f"| {name} | – | {type(failure).__name__} |", flush=True)
            continue
        seconds = time.perf_counter() - began
        print(f"| {name} | {seconds:.1f} | {error(x, known):.3f} |", flush=True)


if __name__ == "__main__":
    main()
