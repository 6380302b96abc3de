#!/usr/bin/env python3
"""What it is worth to tell a fit of anchors, groups and labels, beside methods that people would take instead.

    run.py COMMAND FOLDER [--only known,groups,labels,prefers] [--repeats 5] [--rows 600]

FOLDER has the real tables of ../real_tables (not ours to ship); what is not there is left out. Everything runs on one thread.
Needs numpy, pandas, scikit-learn, umap-learn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np
import pandas as pd

warnings.filterwarnings("ignore")

#: file, columns of the truth, label
TABLES = {
    "wifi": ("real/wifi.csv", ["x", "y"], None),
    "stations": ("ushcn_precip_400.csv", ["latitude", "longitude"], None),
    "oil": ("real/oil.csv", ["fraction1", "fraction2"], "regime"),
    "digits": ("real/digits.csv", [], "digit"),
    "usps": ("usps_0to4_80each.csv", [], "digit"),
    "guo": ("real/guo.csv", [], "log2_cells"),
}
BESIDE = ["station", "elevation", "log2_cells", "digit", "regime"]


def table(folder: str, name: str, rows: int):
    file, truth, label = TABLES[name]
    path = os.path.join(folder, file)
    if not os.path.exists(path):
        return None
    data = pd.read_csv(path)
    if len(data) > rows:
        data = data.iloc[np.sort(np.random.default_rng(0).permutation(len(data))[:rows])]
    values = data.drop(columns=[c for c in truth + BESIDE if c in data]).select_dtypes("number").to_numpy(float)
    # what was not heard is below all that was
    values = np.where(np.isnan(values), np.nanmin(values, axis=0) - 1, values)
    values = values[:, values.std(axis=0) > 0]
    return values, data[truth].to_numpy(float), None if label is None else data[label].astype(str).to_numpy()


def fit(command: str, values, flags, anchors=None, labels=None, covariate=None, new=None):
    """The rows of a fit as the command writes them, those of new rows, and what it prints as JSON."""
    with tempfile.TemporaryDirectory() as there:
        at = lambda name: os.path.join(there, name)
        frame = pd.DataFrame(values, columns=[f"f{i}" for i in range(values.shape[1])])
        more = []
        if labels is not None:
            frame["known"] = labels
            more += ["--labels", "known"]
        if covariate is not None:
            frame["value"] = covariate
            more += ["--covariates", "value"]
        frame.to_csv(at("t.csv"), index=False)
        if anchors is not None:
            anchors.to_csv(at("a.csv"))
            more += ["--anchors", at("a.csv")]
        plain = [command, "fit", at("t.csv"), "--out", at("m.safetensors"), "--embedding", at("e.csv")]
        done = subprocess.run(
            [*plain, *more, *flags, "--json", "--threads", "1", "--quiet"], capture_output=True, text=True
        )
        if done.returncode:
            raise SystemExit(done.stderr)
        placed = None
        if new is not None:
            pd.DataFrame(new, columns=[f"f{i}" for i in range(new.shape[1])]).to_csv(at("n.csv"), index=False)
            run = [
                command,
                "transform",
                at("m.safetensors"),
                at("n.csv"),
                "--out",
                at("p.csv"),
                "--threads",
                "1",
                "--quiet",
            ]
            subprocess.run(run, check=True, capture_output=True)
            placed = pd.read_csv(at("p.csv"))
        return pd.read_csv(at("e.csv")), placed, json.loads(done.stdout)


def known(command: str, folder: str, rows: int, repeats: int) -> None:
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
    from sklearn.neighbors import KNeighborsRegressor

    print("\n## Known coordinates\n")
    print(
        "| table | anchors | rows | ours | k-NN | GP regression | 90 % of ours hold | of GP |\n|---|---|---|---|---|---|---|---|"
    )
    for name, count in [("wifi", 5), ("wifi", 20), ("stations", 10)]:
        read = table(folder, name, rows)
        if read is None:
            continue
        values, truth, _ = read
        found: dict[str, list] = {"rest": [], "new": []}
        for seed in range(repeats):
            order = np.random.default_rng(seed).permutation(len(values))
            kept, new = np.sort(order[: int(0.8 * len(order))]), np.sort(order[int(0.8 * len(order)) :])
            chosen = np.random.default_rng(seed + 100).choice(len(kept), count, replace=False)
            frame = pd.DataFrame(truth[kept][chosen], columns=["z1", "z2"], index=pd.Index(chosen, name="row"))
            rows_, placed, _ = fit(command, values[kept], ["-k", "12"], anchors=frame, new=values[new])
            scaled = (values - values[kept].mean(axis=0)) / values[kept].std()
            X, Z = scaled[kept][chosen], truth[kept][chosen]
            center, spread = Z.mean(axis=0), Z.std(axis=0)
            knn = KNeighborsRegressor(min(3, count), weights="distance").fit(X, Z)
            kernel = ConstantKernel() * RBF(np.sqrt(scaled.shape[1])) + WhiteKernel()
            gps = [
                GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=0).fit(
                    X, (Z[:, f] - center[f]) / spread[f]
                )
                for f in range(2)
            ]
            rest = np.setdiff1d(np.arange(len(kept)), chosen)
            for which, ours, of in [("rest", rows_.iloc[rest], kept[rest]), ("new", placed, new)]:
                true = truth[of]
                by_gp = [gp.predict(scaled[of], return_std=True) for gp in gps]
                mean = center + spread * np.column_stack([m for m, _ in by_gp])
                std = spread * np.column_stack([s for _, s in by_gp])
                at, sd = ours[["z1", "z2"]].to_numpy(), ours[["sd_z1", "sd_z2"]].to_numpy()
                off = lambda guess: np.linalg.norm(guess - true, axis=1).mean()
                found[which].append(
                    [
                        off(at),
                        off(knn.predict(scaled[of])),
                        off(mean),
                        (abs(at - true) < 1.645 * sd).mean(),
                        (abs(mean - true) < 1.645 * std).mean(),
                    ]
                )
        for which, numbers in found.items():
            a, b, c, d, e = np.mean(numbers, axis=0)
            s = np.std(numbers, axis=0)
            what = "the other rows of the fit" if which == "rest" else "held-out rows"
            print(
                f"| {name} | {count} | {what} | {a:.2f} ± {s[0]:.2f} | {b:.2f} ± {s[1]:.2f} | {c:.2f} ± {s[2]:.2f} | {d:.2f} | {e:.2f} |",
                flush=True,
            )


def blobs(seed: int, clusters: int, n: int = 400):
    """Gaussian groups on a rolled sheet in three dimensions, and noise."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform([0, 0], [20, 12], size=(clusters, 2))
    y = np.arange(n) % clusters
    flat = centers[y] + 0.8 * rng.normal(size=(n, 2))
    bent = np.column_stack([8 * np.sin(flat[:, 0] / 8), flat[:, 1], 8 * np.cos(flat[:, 0] / 8)])
    return bent + 0.1 * rng.normal(size=(n, 3)), y.astype(str)


def groups(command: str, folder: str, rows: int) -> None:
    import umap
    from sklearn.cluster import HDBSCAN
    from sklearn.decomposition import PCA
    from sklearn.metrics import adjusted_rand_score
    from sklearn.mixture import GaussianMixture

    print("\n## Groups\n")
    print(
        "| table | true | ours: number, Rand | mixture on 2 principal components: number, Rand | on 10 | HDBSCAN on UMAP: number, Rand |\n|---|---|---|---|---|---|"
    )
    tables = {f"blobs {c}, seed {s}": (*blobs(s, c)[:1], None, blobs(s, c)[1]) for c, s in [(3, 1), (5, 2), (7, 3)]}
    tables |= {name: table(folder, name, rows) for name in ("oil", "guo", "digits", "usps")}
    for name, read in tables.items():
        if read is None:
            continue
        values, _, y = read
        flags = ["--groups", "1:15", "-k", "15"]
        ours, _, said = fit(command, values, flags)
        cells = [f"{said['structure']['groups']['count']}, {adjusted_rand_score(y, ours['group']):.2f}"]
        for d in (2, 10):
            scores = PCA(min(d, values.shape[1]), random_state=0).fit_transform(values)
            fits = [GaussianMixture(k, random_state=0, n_init=2).fit(scores) for k in range(1, 16)]
            best = min(fits, key=lambda one: one.bic(scores))
            cells.append(f"{best.n_components}, {adjusted_rand_score(y, best.predict(scores)):.2f}")
        places = umap.UMAP(random_state=0, n_jobs=1).fit_transform(values)
        marks = HDBSCAN(min_cluster_size=15).fit_predict(places)
        cells.append(f"{marks.max() + 1}, {adjusted_rand_score(y, marks):.2f}")
        print(f"| {name} | {len(set(y))} | {' | '.join(cells)} |", flush=True)


def labels(command: str, folder: str, rows: int, repeats: int) -> None:
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.semi_supervised import LabelSpreading

    print("\n## Labels of 5 % of the rows: share of the others that is wrong\n")
    print("| table | ours | with up to three groups a class | label spreading | k-NN |\n|---|---|---|---|---|")
    for name in ("oil", "guo", "digits", "usps"):
        read = table(folder, name, rows)
        if read is None:
            continue
        values, _, y = read
        classes = np.unique(y)
        found = []
        for seed in range(repeats):
            rng = np.random.default_rng(seed)
            few = rng.choice(len(y), max(len(classes), len(y) // 20), replace=False)
            # one of each class at least
            few = np.unique([*few, *(rng.choice(np.flatnonzero(y == c)) for c in classes)])
            cells = np.where(np.isin(np.arange(len(y)), few), y, "")
            rest = np.setdiff1d(np.arange(len(y)), few)
            wrong = []
            for flags in ([], ["--groups", f"{len(classes)}:{3 * len(classes)}"]):
                ours, _, _ = fit(
                    command, values, ["-k", "15", *flags], labels=np.where(cells == "", "", "c" + pd.Series(cells))
                )
                wrong.append((ours["class"].to_numpy()[rest] != "c" + pd.Series(y[rest])).mean())
            numbers = np.where(cells == "", -1, np.searchsorted(classes, y))
            spread = LabelSpreading("knn", n_neighbors=7).fit(values, numbers)
            wrong.append((spread.transduction_[rest] != np.searchsorted(classes, y[rest])).mean())
            nearest = KNeighborsClassifier(1).fit(values[few], y[few])
            wrong.append((nearest.predict(values[rest]) != y[rest]).mean())
            found.append(wrong)
        means, stds = np.mean(found, axis=0), np.std(found, axis=0)
        print(f"| {name} | {' | '.join(f'{m:.3f} ± {s:.3f}' for m, s in zip(means, stds))} |", flush=True)


def prefers(command: str, tables: int = 20, n: int = 150) -> None:
    print(f"\n## Whether the bound prefers what is there ({tables} tables of {n} rows each)\n")
    print("| | tables that prefer it | gain of the bound in nats, least, median, most |\n|---|---|---|")
    flags = ["--feature-weight", "1"]
    cases = {
        "a covariate that goes with the sheet": ("sheet", "covariate", True),
        "a covariate that is noise": ("sheet", "covariate", False),
        "groups, 4 that are there": ("groups", "groups", True),
        "groups, one sheet": ("sheet", "groups", False),
    }
    for name, (kind, what, real) in cases.items():
        gains = []
        for seed in range(tables):
            rng = np.random.default_rng(seed)
            if kind == "groups":
                values, _ = blobs(seed, 4, n)
            else:
                flat = rng.normal(size=(n, 2)) * [8, 4]
                values = np.column_stack([8 * np.sin(flat[:, 0] / 12), flat[:, 1], 8 * np.cos(flat[:, 0] / 12)])
                values = values + 0.1 * rng.normal(size=(n, 3))
            plain = fit(command, values, flags)[2]["bound_scaled"]
            if what == "covariate":
                value = flat[:, 0] + 4 * rng.normal(size=n) if real else rng.normal(size=n)
                told = fit(command, values, flags, covariate=value)[2]["bound_scaled"]
            else:
                told = fit(command, values, [*flags, "--groups", "1:8"])[2]["bound_scaled"]
            gains.append(told - plain)
        better = sum(gain > 3 for gain in gains)
        print(
            f"| {name} | {better} of {tables} by more than 3 nats | {min(gains):.1f}, {np.median(gains):.1f}, {max(gains):.1f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("folder")
    parser.add_argument("--only", default="known,groups,labels,prefers")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=600)
    asked = parser.parse_args()
    parts = asked.only.split(",")
    if "known" in parts:
        known(asked.command, asked.folder, asked.rows, asked.repeats)
    if "groups" in parts:
        groups(asked.command, asked.folder, asked.rows)
    if "labels" in parts:
        labels(asked.command, asked.folder, asked.rows, asked.repeats)
    if "prefers" in parts:
        prefers(asked.command)


if __name__ == "__main__":
    main()
