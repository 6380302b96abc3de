"""Log-density of rows held out: tangency beside scikit-learn's KernelDensity and GaussianMixture, and the mean of tangency's novelty.

    python experiments/held_out/density.py COMMAND TABLE.npy [TABLE.npy …]

Three parts of the rows, each held out in turn, in nats per row and in the units of the table. The peers see features divided by their
deviations; their widths, numbers of components and kinds of covariance are those with the likeliest fifth of the rows that are kept.
"""

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import KernelDensity

PARTS = 3
WIDTHS = np.geomspace(0.02, 3, 30)
COMPONENTS = (1, 2, 3, 5, 8, 12, 20, 30)


def ours(command, kept, held):
    """Log-density and novelty of the rows held out, by the default fit in two dimensions with nine neighbours."""
    with tempfile.TemporaryDirectory() as folder:
        kept_file, held_file, model, placed = (Path(folder) / name for name in ("k.npy", "h.npy", "m.safetensors", "p.csv"))
        np.save(kept_file, kept)
        np.save(held_file, held)
        subprocess.run([command, "fit", kept_file, "-k", "9", "-d", "2", "--connect", "--out", model, "--quiet"], check=True)
        subprocess.run([command, "transform", model, held_file, "--out", placed, "--quiet"], check=True)
        rows = pd.read_csv(placed)
    return rows["log_density"].to_numpy(), rows["novelty"].to_numpy()


def mixture(components, covariance):
    return GaussianMixture(components, covariance_type=covariance, random_state=0, reg_covar=1e-4)


def likeliest(candidates, kept):
    """The candidate that expects the last fifth of the rows best, fitted to all of them."""
    cut = len(kept) - len(kept) // 5

    def score(candidate):
        return candidate.fit(kept[:cut]).score(kept[cut:]) / (len(kept) - cut if isinstance(candidate, KernelDensity) else 1)

    return max(candidates, key=score).fit(kept)


def densities(command, table):
    table = table[:, table.std(0) > 0]
    order = np.random.default_rng(0).permutation(len(table))
    found = {"ours": [], "kernel": [], "mixture": [], "novelty": []}
    for part in range(PARTS):
        held = table[order[part::PARTS]]
        kept = table[np.concatenate([order[other::PARTS] for other in range(PARTS) if other != part])]
        log_density, novelty = ours(command, kept, held)
        unit = np.where(kept.std(0) > 0, kept.std(0), 1)
        jacobian = np.log(unit).sum()
        kernel = likeliest([KernelDensity(bandwidth=width) for width in WIDTHS], kept / unit)
        gaussians = [mixture(n, kind) for kind in ("full", "diag") for n in COMPONENTS if n < len(kept) // 2]
        gaussian = likeliest(gaussians, kept / unit)
        found["ours"].append(log_density)
        found["novelty"].append(novelty)
        found["kernel"].append(kernel.score_samples(held / unit) - jacobian)
        found["mixture"].append(gaussian.score_samples(held / unit) - jacobian)
    return {name: np.concatenate(parts) for name, parts in found.items()}


def main():
    warnings.filterwarnings("ignore")
    command, *tables = sys.argv[1:]
    print("| table | tangency | kernel density | mixture | tangency − kernel (standard error) | novelty |\n|---|---|---|---|---|---|")
    for table in tables:
        found = densities(command, np.load(table))
        ahead = found["ours"] - found["kernel"]
        error = ahead.std() / np.sqrt(len(ahead))
        means = " | ".join(f"{found[name].mean():.2f}" for name in ("ours", "kernel", "mixture"))
        print(f"| {Path(table).stem} | {means} | {ahead.mean():+.2f} ({error:.2f}) | {found['novelty'].mean():.3f} |", flush=True)


if __name__ == "__main__":
    main()
