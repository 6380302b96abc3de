"""umap-learn and scikit-learn's LTSA on the same rolls as `experiments scaling`, one row of CSV for each fit.

    python experiments/scaling/peers.py peers.csv umap:1000,10000,100000 ltsa:1000,10000

It needs numpy, scikit-learn, umap-learn and this package (for the same points). Every fit runs in a process of its own, so
that its peak memory is its own; umap-learn compiles in first fits of 2000 and 5000 points, which are not counted.
"""

import csv
import multiprocessing
import resource
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")


def affine_r2(x: np.ndarray, t: np.ndarray) -> float:
    design = np.c_[x, np.ones(len(x))]
    left = t - design @ np.linalg.lstsq(design, t, rcond=None)[0]
    return 1 - (left**2).sum() / ((t - t.mean(0)) ** 2).sum()


def run(name: str, n: int, noise: float, out: multiprocessing.Queue) -> None:
    from tangency.datasets import make_swiss_roll

    points, truth = make_swiss_roll(n, noise=noise, random_state=1)
    if name == "umap":
        from umap import UMAP

        # it compiles in these, a second way above 4096 points
        UMAP(n_neighbors=10).fit_transform(make_swiss_roll(2000)[0])
        UMAP(n_neighbors=10).fit_transform(make_swiss_roll(5000)[0])
        method = UMAP(n_neighbors=10)
    else:
        from sklearn.manifold import LocallyLinearEmbedding

        method = LocallyLinearEmbedding(n_neighbors=10, n_components=2, method="ltsa")
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    try:
        x = method.fit_transform(points)
    except Exception as error:  # what a method cannot do is a result too
        out.put([name, n, noise, "", "", "", f"{type(error).__name__}: {error}"[:80]])
        return
    seconds = time.perf_counter() - began
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) / 2**20
    out.put([name, n, noise, f"{seconds:.2f}", f"{peak:.3f}", f"{affine_r2(x, truth):.4f}", ""])


def main() -> None:
    path, *wanted = sys.argv[1:]
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["method", "n", "noise", "seconds", "peak_gib", "r2", "error"])
        for name, sizes in (item.split(":") for item in wanted):
            for n in map(int, sizes.split(",")):
                queue = multiprocessing.get_context("spawn").Queue()
                process = multiprocessing.get_context("spawn").Process(target=run, args=(name, n, 0.0, queue))
                process.start()
                row = queue.get()
                process.join()
                table.writerow(row)
                file.flush()
                print(*row, flush=True)


if __name__ == "__main__":
    main()
