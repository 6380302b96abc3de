"""Entries hidden from whole tables: how well they are found, and whether the intervals are honest.

python run.py DATA [TABLE …] reads the tables of DATA, the folder that holds `real/`, and prints a row of the README's table for each. Without
names all tables are tried; `sheet` and `holes` are the other two tables of the README.
"""

import os
import sys
import warnings

import numpy as np
import pandas as pd
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, KNNImputer
from sklearn.neighbors import NearestNeighbors

from tangency import LLLVM, datasets

TABLES = {
    "oil": ("real/oil.csv", ["fraction1", "fraction2"], ["regime"]),
    "wifi": ("real/wifi.csv", ["x", "y"], []),
    "tecator": ("real/tecator.csv", ["fat"], []),
    "stations": ("ushcn_precip_400.csv", ["latitude", "longitude"], ["station", "elevation"]),
    "guo": ("real/guo.csv", ["log2_cells"], []),
    "shalek": ("real/shalek.csv", ["hour"], []),
    "usps": ("usps_0to4_80each.csv", [], ["digit"]),
    "silhouettes": ("real/silhouettes.csv", ["pose1", "pose2", "pose3"], []),
    "digits": ("real/digits.csv", [], ["digit"]),
}
ROWS = 600


def read(folder, name):
    """The features, of at most 600 rows, and the truth."""
    file, truth, other = TABLES[name]
    table = pd.read_csv(os.path.join(folder, file))
    if len(table) > ROWS:
        table = table.iloc[np.sort(np.random.default_rng(0).permutation(len(table))[:ROWS])]
    X = table.drop(columns=[c for c in truth + other if c in table]).select_dtypes("number")
    return X.to_numpy(float), table[truth].to_numpy(float) if truth else None


def hidden(X, share, blocks, seed=1):
    """Which entries are hidden: by chance, or runs of a quarter of the features. No row and no feature is hidden as a whole."""
    rng = np.random.default_rng(seed)
    n, d = X.shape
    if blocks:
        length = max(1, d // 4)
        mask = np.zeros((n, d), bool)
        for i in np.flatnonzero(rng.random(n) < share * d / length):
            mask[i, (rng.integers(d) + np.arange(length)) % d] = True
    else:
        mask = rng.random((n, d)) < share
    mask &= ~np.isnan(X)
    mask[mask.all(axis=1), rng.integers(d)] = False
    return mask


def truth_r2(layout, truth):
    """R² of the truth from the 10 nearest on the layout, each left out."""
    near = NearestNeighbors(n_neighbors=11).fit(layout).kneighbors(layout)[1][:, 1:]
    missed = ((truth[near].mean(axis=1) - truth) ** 2).sum(axis=0)
    return float(np.mean(1 - missed / ((truth - truth.mean(axis=0)) ** 2).sum(axis=0)))


def tried(X, truth, share, blocks):
    mask = hidden(X, share, blocks)
    holes = np.where(mask, np.nan, X)
    scale = np.nanstd(X, axis=0)
    scale[scale == 0] = 1
    model = LLLVM(connect=True).fit(holes)
    found = model.imputed_
    error = (found["value"] - X[found["row"], found["feature"]]) / scale[found["feature"]]
    inside = np.mean(np.abs(error) < 1.645 * found["std"] / scale[found["feature"]])

    def rmse(filled):
        return np.sqrt(np.mean((((filled - X) / scale)[mask]) ** 2))

    few = min(20, X.shape[1] - 1)
    others = [
        KNNImputer(n_neighbors=9).fit_transform(holes),
        IterativeImputer(max_iter=5, n_nearest_features=few, random_state=0).fit_transform(holes),
        np.where(mask, np.nanmean(holes, axis=0), X),
    ]
    ours = np.sqrt(np.mean(error**2))
    of_truth = "" if truth is None else f"{truth_r2(model.embedding_, truth[model.rows_]):.3f}"
    return " | ".join([f"{ours:.3f}", *(f"{rmse(o):.3f}" for o in others), f"{inside:.2f}", of_truth])


def sheet():
    """Whether points of a sheet are where the deviations say relative to those around them, whole rows and rows with gaps.

    By a plane through the 24 nearest in truth each point is expected somewhere on the map. How far it is from there has a
    covariance by the model.
    """
    for share in (0.2, 0.5):
        inside, squares = {False: [], True: []}, {False: [], True: []}
        for seed in range(2):
            X, truth = datasets.make_s_curve(400, random_state=seed)
            rng = np.random.default_rng(seed)
            X = X @ np.linalg.qr(rng.normal(size=(12, 3)))[0].T + 0.05 * rng.normal(size=(400, 12))
            mask = (rng.random(X.shape) < share) & (rng.random(400) < 0.5)[:, None]
            mask[mask.all(axis=1), 0] = False
            model = LLLVM(connect=True, full_covariance=True).fit(np.where(mask, np.nan, X))
            layout, gaps = model.embedding_, mask.any(axis=1)
            together = model.embedding_covariance_.reshape(400, 2, 400, 2)
            near = NearestNeighbors(n_neighbors=25).fit(truth).kneighbors(truth)[1]
            for i, around in enumerate(near):
                others = around[around != i][:24]
                weights = np.linalg.pinv(np.c_[np.ones(24), truth[others] - truth[i]])[0]
                rows, signs = np.r_[i, others], np.r_[1, -weights]
                away = signs @ layout[rows]
                covariance = np.einsum("i,j,iajb->ab", signs, signs, together[rows][:, :, rows])
                square = away @ np.linalg.solve(covariance, away)
                inside[gaps[i]].append(square < 4.605)
                squares[gaps[i]].append(square / 2)
        print(
            f"| {share:.0%} | {np.mean(inside[False]):.2f} | {np.mean(inside[True]):.2f} "
            f"| {np.mean(squares[False]):.2f} | {np.mean(squares[True]):.2f} |",
            flush=True,
        )


def holes(folder):
    """The wifi table as it is, and with the weakest signal in place of what was not heard."""
    X, truth = read(folder, "wifi")
    for name, table in (("holes", X), ("weakest signal", np.where(np.isnan(X), np.nanmin(X), X))):
        model = LLLVM(connect=True).fit(table)
        print(f"| {name} | {truth_r2(model.embedding_, truth[model.rows_]):.3f} |", flush=True)


def main(folder, names):
    warnings.filterwarnings("ignore")
    for name in names or [*TABLES, "sheet", "holes"]:
        if name == "sheet":
            sheet()
        elif name == "holes":
            holes(folder)
        else:
            X, truth = read(folder, name)
            if name == "wifi":
                X = np.where(np.isnan(X), np.nanmin(X), X)
            X = X[:, np.nanstd(X, axis=0) > 0]
            for share, blocks in ((0.05, False), (0.2, False), (0.5, False), (0.2, True)):
                words = f"{share:.0%}" + (", blocks" if blocks else "")
                print(f"| {name} | {words} | {tried(X, truth, share, blocks)} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
