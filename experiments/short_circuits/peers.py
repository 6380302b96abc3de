"""Isomap, LLE and LTSA of scikit-learn on the rolls that `--example short_circuits` writes: affine R² of each.

usage: python peers.py FOLDER   (roll-SEED.csv: three observed columns, then arc length and height)
"""

import pathlib
import re
import sys
import warnings

import numpy as np
from sklearn.manifold import Isomap, LocallyLinearEmbedding

warnings.filterwarnings("ignore")


def affine_r2(found, truth):
    design = np.column_stack([found, np.ones(len(found))])
    rest = truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    return 1 - (rest**2).sum() / ((truth - truth.mean(0)) ** 2).sum()


METHODS = {
    "Isomap": lambda: Isomap(n_neighbors=9, n_components=2),
    "LLE": lambda: LocallyLinearEmbedding(n_neighbors=9, n_components=2, random_state=0),
    "LTSA": lambda: LocallyLinearEmbedding(n_neighbors=9, n_components=2, method="ltsa", random_state=0),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    files = sorted(pathlib.Path(sys.argv[1]).glob("roll-*.csv"), key=lambda path: int(re.findall(r"\d+", path.name)[-1]))
    if not files:
        sys.exit(f"no roll-SEED.csv in {sys.argv[1]}; write them with the example first (see README.md)")
    print("| seed | " + " | ".join(METHODS) + " |")
    print("|---|" + "---|" * len(METHODS))
    for path in files:
        table = np.loadtxt(path, delimiter=",")
        scores = [affine_r2(make().fit_transform(table[:, :3]), table[:, 3:]) for make in METHODS.values()]
        print(f"| {re.findall(r'[0-9]+', path.name)[-1]} | " + " | ".join(f"{score:.3f}" for score in scores) + " |")


if __name__ == "__main__":
    main()
