"""The log-log figure of docs/scaling.md from `ours.csv` and `peers.csv` beside this file. It needs matplotlib."""

import csv
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
COLOURS = {"tangency": "#1b6ca8", "umap-learn": "#d1495b", "scikit-learn LTSA": "#7a8b3b"}
matplotlib.rcParams.update({"svg.hashsalt": "tangency", "font.size": 11})


def rows(name: str) -> list[dict[str, str]]:
    with (HERE / name).open() as file:
        return list(csv.DictReader(file))


def main() -> None:
    ours = [r for r in rows("ours.csv") if r["shape"] == "swiss-roll" and float(r["noise"]) == 0 and not r["stopped_at"]]
    peers = [r for r in rows("peers.csv") if r["seconds"]]
    series = {"tangency": ours}
    series["umap-learn"] = [r for r in peers if r["method"] == "umap"]
    series["scikit-learn LTSA"] = [r for r in peers if r["method"] == "ltsa"]
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for axis, key, title in [(axes[0], "seconds", "seconds, table to coordinates"), (axes[1], "peak_gib", "peak memory, GiB")]:
        for name, found in series.items():
            points = sorted((int(r["n"]), float(r[key])) for r in found)
            axis.plot(*zip(*points), "o-", color=COLOURS[name], label=name)
        axis.set(xscale="log", yscale="log", xlabel="points", title=title)
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    figure.savefig(HERE.parent.parent / "docs/scaling.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
