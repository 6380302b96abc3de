"""What `-k auto` takes: R² (or error) of its map beside those of every number of the ladder and of nine, with CPU seconds.

    python experiments/held_out/neighbors.py COMMAND [--sheets SIZES] [TABLE.npy TRUTH.npy …]

Sheets are rolls and S-curves with noise 0, 0.05 and 0.15; their R² is affine. A truth of numbers is expected from the map by the ten
nearest neighbours, out of fold; a truth of labels (.txt, one per line) gives the error of the nearest neighbour.
"""

import argparse
import json
import resource
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.neighbors import KNeighborsRegressor, NearestNeighbors

LADDER = [5, 7, 9, 10, 15, 20, 30]


def seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fitted(command, table, k, engine):
    """The map with this many neighbours, the number itself, and the CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        file, model, places = (Path(folder) / name for name in ("t.npy", "m.safetensors", "e.csv"))
        np.save(file, table)
        before = seconds()
        line = [command, "fit", file, "-k", str(k), "-d", "2", "--connect", "--engine", engine, "--draws", "0"]
        line += ["--out", model, "--embedding", places, "--threads", "1", "--json"]
        said = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)
        return pd.read_csv(places)[["x1", "x2"]].to_numpy(), said["config"]["n_neighbors"], seconds() - before


def share(truth, found):
    return float((1 - ((found - truth) ** 2).sum(0) / ((truth - truth.mean(0)) ** 2).sum(0)).mean())


def affine(places, truth):
    found = LinearRegression().fit(places, truth).predict(places)
    return float(1 - ((found - truth) ** 2).sum() / ((truth - truth.mean(0)) ** 2).sum())


def nearest(places, truth):
    if truth.dtype.kind in "US":
        other = NearestNeighbors(n_neighbors=1).fit(places).kneighbors(return_distance=False)[:, 0]
        return -float((truth[other] != truth).mean())
    folds = KFold(5, shuffle=True, random_state=0)
    return share(truth, cross_val_predict(KNeighborsRegressor(10), places, truth, cv=folds).reshape(truth.shape))


def row(command, name, table, truth, measure, engine):
    places, taken, took = fitted(command, table, "auto", engine)
    got = measure(places, truth)
    each = {}
    for k in LADDER:
        places, _, cost = fitted(command, table, k, engine)
        each[k] = (measure(places, truth), cost)
    best = max(each, key=lambda k: each[k][0])
    print(
        f"| {name} | {taken} | {abs(got):.3f} | {best}: {abs(each[best][0]):.3f} | {abs(each[9][0]):.3f} "
        f"| {took:.1f} | {each[9][1]:.1f} | {each[taken][1] if taken in each else float('nan'):.1f} |",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command")
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--sheets", default="")
    given = parser.parse_args()
    print("| table | k taken | R² or error there | best of the ladder and 9 | at k = 9 | CPU s, auto | CPU s, k = 9 | CPU s, the k taken |")
    print("|---|---|---|---|---|---|---|---|")
    for n in filter(None, given.sheets.split(",")):
        for shape in ("swiss-roll", "s-curve"):
            for noise in ("0", "0.05", "0.15"):
                with tempfile.TemporaryDirectory() as folder:
                    file = Path(folder) / "s.csv"
                    made = [given.command, "generate", shape, "--n", n, "--noise", noise, "--seed", "1", "--out", file, "--quiet"]
                    subprocess.run(made, check=True)
                    sheet = pd.read_csv(file)
                features = sheet[["y1", "y2", "y3"]].to_numpy()
                truth = sheet[[c for c in sheet if c.startswith("true")]].to_numpy()
                row(given.command, f"{shape} {n}, noise {noise}", features, truth, affine, "factorised")
    for table, truth in zip(given.tables[::2], given.tables[1::2], strict=True):
        known = np.loadtxt(truth, dtype=str) if truth.endswith(".txt") else np.load(truth)
        row(given.command, Path(table).stem, np.load(table), known, nearest, "auto")


if __name__ == "__main__":
    main()
