"""umap-learn and scikit-learn's t-SNE on the stations and the digits, by the measures of `tangency compare`.

    python experiments/umap/run.py FOLDER      # with ushcn_precip_400.csv and usps_0to4_80each.csv in it

It needs numpy, scikit-learn and umap-learn, and prints Markdown tables.
"""

import csv
import math
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.manifold import TSNE, trustworthiness
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from umap import UMAP

warnings.filterwarnings("ignore")
SEEDS = range(5)


def table(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


def procrustes(x: np.ndarray, t: np.ndarray) -> float:
    x, t = x - x.mean(0), t - t.mean(0)
    nuclear = np.linalg.svd(x.T @ t, compute_uv=False).sum()
    return 1 - nuclear**2 / ((x**2).sum() * (t**2).sum())


def error(x: np.ndarray, labels: np.ndarray) -> float:
    folds = [StratifiedKFold(10, shuffle=True, random_state=seed) for seed in range(10)]
    return 1 - np.mean([cross_val_score(KNeighborsClassifier(1), x, labels, cv=fold).mean() for fold in folds])


def methods(n_neighbors: int):
    for seed in SEEDS:
        yield f"umap, k={n_neighbors}", seed, UMAP(n_neighbors=n_neighbors, random_state=seed)
        yield "t-sne", seed, TSNE(random_state=seed)


def main(folder: Path) -> None:
    stations = table(folder / "ushcn_precip_400.csv")
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    X = np.array([[float(row[month]) for month in months] for row in stations])
    squeeze = math.cos(math.radians(38))
    T = np.array([[float(row["longitude"]) * squeeze, float(row["latitude"])] for row in stations])
    print("| stations | seed | seconds | Procrustes | trust (map) |\n|---|---|---|---|---|")
    for name, seed, method in methods(12):
        began = time.perf_counter()
        x = method.fit_transform(X)
        seconds = time.perf_counter() - began
        trust = trustworthiness(T, x, n_neighbors=12)
        print(f"| {name} | {seed} | {seconds:.1f} | {procrustes(x, T):.3f} | {trust:.3f} |", flush=True)

    digits = table(folder / "usps_0to4_80each.csv")
    labels = np.array([row["digit"] for row in digits])
    X = np.array([[float(value) for name, value in row.items() if name != "digit"] for row in digits])
    print("\n| digits | seed | seconds | 1-NN error |\n|---|---|---|---|")
    for name, seed, method in methods(5):
        began = time.perf_counter()
        x = method.fit_transform(X)
        print(f"| {name} | {seed} | {time.perf_counter() - began:.1f} | {error(x, labels):.3f} |", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
