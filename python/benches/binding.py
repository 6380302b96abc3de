"""What Python costs: a fit of 400 points against the library's own time in the same call, and imports against numpy's.

    python python/benches/binding.py [points] [rounds]

Ratios count, not seconds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

IMPORTS = {
    "numpy": "import numpy",
    "tangency": "import numpy, tangency",
    "scikit-learn's manifold": "import sklearn.manifold",
    "tangency.LLLVM": "from tangency import LLLVM",
}


def overhead(points: int, rounds: int) -> None:
    from tangency import LLLVM, datasets

    table, _ = datasets.make_swiss_roll(points)
    LLLVM(max_iter=2).fit(table)
    for n_jobs in (1, -1):
        shares, inside = [], []
        for _ in range(rounds):
            begin = time.perf_counter()
            model = LLLVM(n_neighbors=7, n_jobs=n_jobs).fit(table)
            whole = time.perf_counter() - begin
            inside.append(model._native.seconds)
            shares.append(whole / inside[-1] - 1.0)
        print(
            f"n = {points}, n_jobs = {n_jobs}: library {statistics.median(inside):.3f} s, around it "
            f"{100 * statistics.median(shares):.2f} % (largest of {rounds}: {100 * max(shares):.2f} %)"
        )


def imports(rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in IMPORTS}
    for _ in range(rounds + 1):
        for name, code in IMPORTS.items():
            begin = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            times[name].append(time.perf_counter() - begin)
    # the first round warms the disk
    medians = {name: statistics.median(found[1:]) for name, found in times.items()}
    for name, found in medians.items():
        print(f"import {name}: {found:.3f} s, {found - medians['numpy']:+.3f} s beside numpy")


if __name__ == "__main__":
    points, rounds = (int(word) for word in (sys.argv[1:] + ["400", "9"][len(sys.argv) - 1 :]))
    overhead(points, rounds)
    imports(rounds)
