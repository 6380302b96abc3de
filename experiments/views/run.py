"""Two views of one sheet: what they are worth together, and what becomes of rows that lack one of them.

python run.py TANGENCY mild|loud [layouts|prediction|priors] prints the tables of the README; TANGENCY is the command,
target/release/tangency. What is seen of the sheet is √10 times smaller beside the same noise in the loud tables.
"""

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor

N = 300
FEATURES = 10
NOISE = {"clear": 0.05, "noisy": 0.3}
SEEDS = range(4)
COLUMNS = {name: [f"{name}{f}" for f in range(FEATURES)] for name in NOISE}
NAMES = sum(COLUMNS.values(), [])


def ran(*arguments):
    subprocess.run([TANGENCY, *map(str, arguments), "--quiet"], check=True)


def sheet(seed):
    """Both views of an S-curve, each turned into ten features, and its true coordinates."""
    with tempfile.NamedTemporaryFile(suffix=".csv") as file:
        ran("generate", "s-curve", "--n", N, "--seed", seed, "--out", file.name, "--force")
        table = np.genfromtxt(file.name, delimiter=",", names=True)
    names = table.dtype.names
    points = np.stack([table[name] for name in names if "true" not in name], axis=1)
    truth = np.stack([table[name] for name in names if "true" in name], axis=1)
    rng = np.random.default_rng(seed)

    def seen(noise):
        turned = points @ rng.normal(size=(3, FEATURES)) / SMALLER
        return turned + noise * rng.normal(size=(N, FEATURES))

    return np.hstack([seen(noise) for noise in NOISE.values()]), truth


def places(name):
    return [NAMES.index(column) for column in COLUMNS[name]]


def lacking(X, name, share, seed):
    """The table without a view in a share of its rows, and which."""
    rows = np.random.default_rng(100 + seed).random(len(X)) < share
    holes = X.copy()
    holes[np.ix_(rows, places(name))] = np.nan
    return holes, rows


def fitted(X, named):
    """The layout, and what is expected of entries that are missing: row, feature, value, deviation."""
    with tempfile.TemporaryDirectory() as folder:
        table, model, layout, found = (os.path.join(folder, file) for file in ("t.csv", "m.st", "e.csv", "f.csv"))
        lines = [",".join("" if np.isnan(value) else repr(float(value)) for value in row) for row in X]
        with open(table, "w") as file:
            file.write("\n".join([",".join(NAMES), *lines]) + "\n")
        views = [f"--view={name}={columns[0]}:{columns[-1]}" for name, columns in COLUMNS.items()] if named else []
        ran("fit", table, "--connect", *views, "--out", model, "--embedding", layout, "--threads", 1)
        points = np.genfromtxt(layout, delimiter=",", names=True)
        expected = None
        if np.isnan(X).any():
            ran("reconstruct", model, "--missing", "--out", found)
            expected = np.genfromtxt(found, delimiter=",", names=True, dtype=None, encoding="utf8")
        return np.stack([points["x1"], points["x2"]], axis=1), expected


def affine_r2(layout, truth, rows):
    """R² of the truth by one affine map of all rows, and among some rows."""
    axes = np.c_[np.ones(len(layout)), layout]
    left = truth - axes @ np.linalg.lstsq(axes, truth, rcond=None)[0]
    spread = (truth - truth.mean(0)) ** 2
    return 1 - (left**2).mean() / spread.mean(), 1 - (left[rows] ** 2).mean() / spread.mean()


def layouts():
    """R² of the truth; in brackets that of the rows that lack a view."""
    print("| table | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " |\n|---|" + "---|" * len(SEEDS))
    for name in (None, "noisy", "clear"):
        for named in (False, True):
            cells = []
            for seed in SEEDS:
                X, truth = sheet(seed)
                table, rows = (X, np.arange(N) < 0) if name is None else lacking(X, name, 1 / 3, seed)
                layout, _ = fitted(table, named)
                whole, some = affine_r2(layout, truth, rows) if rows.any() else (affine_r2(layout, truth, ~rows)[0], 0)
                cells.append(f"{whole:.4f}" + (f" ({some:.3f})" if rows.any() else ""))
            what = "all rows have both" if name is None else f"a third lacks the {name} one"
            print(f"| {what}, {'views' if named else 'no views'} | " + " | ".join(cells) + " |", flush=True)


def prediction():
    """One view missing for half of the rows, and predicted: RMSE in deviations of a feature."""
    print("| | " + " | ".join(f"seed {seed}" for seed in SEEDS) + " |\n|---|" + "---|" * len(SEEDS))
    for name in NOISE:
        source = next(view for view in NOISE if view != name)
        cells = []
        for seed in SEEDS:
            X, _ = sheet(seed)
            table, rows = lacking(X, name, 0.5, seed)
            before, after = X[:, places(source)], X[:, places(name)]
            hidden, spread = after[rows], after[~rows].std(axis=0)
            found = fitted(table, True)[1]
            # row by row, and feature by feature
            at = np.repeat(np.flatnonzero(rows), FEATURES), np.tile(np.arange(FEATURES), rows.sum())
            assert [COLUMNS[name][f] for f in at[1]] == list(found["feature"])
            predicted, deviations = after.copy(), np.ones_like(after)
            predicted[at], deviations[at] = found["value"], found["sd"]
            inside = np.mean((np.abs(predicted - after) < 1.645 * deviations)[rows])
            peers = [KNeighborsRegressor(10), RidgeCV(np.logspace(-3, 3, 13))]
            others = [peer.fit(before[~rows], after[~rows]).predict(before[rows]) for peer in peers]
            errors = [np.sqrt((((found - hidden) / spread) ** 2).mean()) for found in [predicted[rows], *others]]
            cells.append(f"{errors[0]:.3f} ({inside:.2f}), {errors[1]:.3f}, {errors[2]:.3f}")
        print(f"| {source} → {name} | " + " | ".join(cells) + " |", flush=True)


def priors():
    """R² of the noisy view alone with λ and ν as they are learned, and held at multiples of that."""
    factors = [1 / 36, 1 / 6, 6, 36]
    for seed in SEEDS:
        X, truth = sheet(seed)
        with tempfile.TemporaryDirectory() as folder:
            table, model, layout = (os.path.join(folder, file) for file in ("t.csv", "m.st", "e.csv"))
            header = ",".join(COLUMNS["noisy"])
            np.savetxt(table, X[:, places("noisy")], delimiter=",", header=header, comments="")

            def r2(*more, table=table, model=model, layout=layout, truth=truth):
                made = ["--out", model, "--embedding", layout, "--force", "--threads", "1"]
                ran("fit", table, "--connect", *made, *more)
                points = np.genfromtxt(layout, delimiter=",", names=True)
                return affine_r2(np.stack([points["x1"], points["x2"]], axis=1), truth, slice(None))[0]

            cells = [r2()]
            told = subprocess.run([TANGENCY, "info", model, "--json"], check=True, capture_output=True, text=True)
            learned = json.loads(told.stdout)["hyperparameters"]
            for factor in factors:
                held = {f"--{name}": f"{factor * learned[name]:.6g}" for name in ("lambda", "nu")}
                cells.append(r2(*sum(held.items(), ())))
            print(f"| seed {seed} | " + " | ".join(f"{cell:.4f}" for cell in cells) + " |", flush=True)


if __name__ == "__main__":
    TANGENCY = sys.argv[1]
    SMALLER = {"mild": 1, "loud": np.sqrt(FEATURES)}[sys.argv[2]]
    for part in sys.argv[3:] or ["layouts", "prediction"]:
        globals()[part]()
