"""Rows placed per second: `tangency transform`, Isomap.transform of scikit-learn, and UMAP.transform of umap-learn.

1000 training points of a Swiss roll (noise 0.05, k = 9, two coordinates), 20 000 new ones (2000 for UMAP), in 3
dimensions and, by a fixed random orthonormal map with noise 0.01, in 256. The methods take turns, and the best of
three times counts. The fit ends after 50 iterations: the time of placing does not depend on it.

- tangency, command: the whole command, with start, reading the model and the .npy, and writing the result.
- tangency, inside: what the command itself reports as `rows_per_second` under --json, if it does.
- Isomap and UMAP: the call alone, with arrays in memory. UMAP is called once before, so compilation is not counted.

All have the same number of threads (`--threads`, all cores by default).

usage: python speed.py --tangency PATH [--threads 2] [--rows 20000] [--umap-rows 2000] [--out-format csv] [--peers-only]
"""

import json
import os
import time
import warnings

import numpy as np
from common import arguments, command, show
from sklearn.manifold import Isomap
from threadpoolctl import threadpool_limits

TRAIN, K = 1000, 9


def spaces(points):
    """The points as they are, and in 256 dimensions."""
    draw = np.random.default_rng(0)
    to_256 = np.linalg.qr(draw.standard_normal((256, 3)))[0]
    yield 3, points
    yield 256, points @ to_256.T + 0.01 * draw.standard_normal((len(points), 256))


def seconds(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def main():
    parser = arguments(__doc__, seeds=None)
    parser.add_argument("--rows", type=int, default=20000, help="new rows [%(default)s]")
    parser.add_argument("--umap-rows", type=int, default=2000, help="new rows for UMAP; 0 leaves it out [%(default)s]")
    parser.add_argument("--repeats", type=int, default=3, help="times of which the best counts [%(default)s]")
    parser.add_argument("--out-format", default="csv", choices=["csv", "parquet"], help="of the result [%(default)s]")
    args = parser.parse_args()
    args.threads = args.threads or os.cpu_count()
    warnings.filterwarnings("ignore")

    rows = []
    with command(args) as tangency, threadpool_limits(args.threads):
        points, _ = tangency.roll(TRAIN + args.rows, seed=0, noise=0.05)
        for dimension, values in spaces(points):
            train, new = values[:TRAIN], values[TRAIN:]
            calls, inside = {}, []
            if not args.peers_only:
                np.save(tangency.folder / "train.npy", train)
                np.save(tangency.folder / "new.npy", new)
                model, _ = tangency.fit(tangency.folder / "train.npy", "-k", K, "-d", 2, "--max-iter", 50)
                line = ["transform", model, "new.npy", "--out", f"placed.{args.out_format}", "--force", "--json"]
                calls["tangency, command"] = len(new), lambda: tangency.run(*line)
            isomap = Isomap(n_neighbors=K, n_components=2, n_jobs=args.threads).fit(train)
            calls["Isomap"] = len(new), lambda: isomap.transform(new)
            if args.umap_rows:
                import umap

                reducer = umap.UMAP(n_neighbors=K, n_components=2, n_jobs=args.threads).fit(train)
                reducer.transform(new[:200])
                calls["UMAP"] = args.umap_rows, lambda: reducer.transform(new[: args.umap_rows])

            best = {}
            for _ in range(args.repeats):
                for name, (count, call) in calls.items():
                    time_, result = seconds(call)
                    best[name] = max(best.get(name, 0), count / time_)
                    if name == "tangency, command":
                        inside += rows_per_second(result)
            if inside:
                best["tangency, inside"] = max(inside)
            ours = best.get("tangency, command")
            for name, rate in best.items():
                count = calls.get(name, (args.rows,))[0]
                rows.append((dimension, name, count, f"{rate:,.0f}".replace(",", " "), ours / rate if ours else None))

    title = f"New rows per second, {TRAIN} training points, {args.threads} threads, best of {args.repeats}"
    show(title, ["dimension", "method", "new rows", "rows per second", "tangency, command, over this"], rows)


def rows_per_second(printed):
    """The command's own figure, if what it printed has one."""
    try:
        rate = json.loads(printed).get("rows_per_second")
    except (ValueError, AttributeError):
        rate = None
    return [] if rate is None else [float(rate)]


if __name__ == "__main__":
    main()
