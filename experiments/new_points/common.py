"""What the scripts of this folder share: the command, tables in and out, and measures."""

import argparse
import contextlib
import csv
import os
import pathlib
import subprocess
import tempfile

import numpy as np

NORMAL_90 = 1.6448536269514722  # half the width of a 90 % interval, in standard deviations


class Tangency:
    """The command `tangency`, run in a folder of its own."""

    def __init__(self, binary, threads, folder):
        self.binary, self.threads, self.folder = binary, threads, pathlib.Path(folder)

    def run(self, *arguments):
        """Runs the command and returns what it printed; ends the script if it fails."""
        line = [self.binary, *map(str, arguments)]
        if self.threads:
            line += ["--threads", str(self.threads)]
        done = subprocess.run(line, cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(line)}\nended with {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def roll(self, n, seed, noise=0.0):
        """A Swiss roll: its points [n, 3] and their true coordinates [n, 2]."""
        out = self.folder / "roll.csv"
        options = ["--n", n, "--noise", noise, "--seed", seed, "--out", out]
        self.run("generate", "swiss-roll", *options, "--force", "--quiet")
        table = read_csv(out)
        return columns(table, "y"), columns(table, "true")

    def fit(self, table, *options, name="model"):
        """Fits a table: the model's path and the training points' coordinates."""
        model, embedding = self.folder / f"{name}.safetensors", self.folder / f"{name}-x.csv"
        self.run("fit", table, *options, "--out", model, "--embedding", embedding, "--force", "--quiet")
        return model, columns(read_csv(embedding), "x")

    def transform(self, model, table):
        """Places the rows of a table: the path of the result and its columns."""
        out = self.folder / "new-x.csv"
        self.run("transform", model, table, "--out", out, "--force", "--quiet")
        return out, read_csv(out)

    def reconstruct(self, model, placed, features):
        """Features and their predictive standard deviations at the given coordinates, each [rows, features]."""
        out = self.folder / "new-y.csv"
        self.run("reconstruct", model, placed, "--out", out, "--force", "--quiet")
        table = read_csv(out)
        pick = lambda names: np.column_stack([table[name] for name in names])
        return pick(features), pick([f"sd_{name}" for name in features])


def arguments(description, seeds, peers_only=True):
    """A parser with the options that all scripts have."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tangency", default="tangency", help="the command")
    parser.add_argument("--threads", type=int, help="threads of the command [all cores]")
    if seeds is not None:
        parser.add_argument("--seeds", type=int, nargs="+", default=seeds, help="seeds %(default)s")
    if peers_only:
        parser.add_argument("--peers-only", action="store_true", help="leave tangency out")
    return parser


@contextlib.contextmanager
def command(args):
    """The command in a temporary folder, which is removed at the end."""
    binary = args.tangency
    if os.sep in binary:
        binary = str(pathlib.Path(binary).resolve())
    with tempfile.TemporaryDirectory() as folder:
        yield Tangency(binary, args.threads, folder)


def read_csv(path):
    """A CSV with a header: an array for each column, of numbers where all cells are numbers."""
    with open(path, newline="") as file:
        names, *rows = csv.reader(file)
    table = {}
    for name, cells in zip(names, zip(*rows)):
        try:
            table[name] = np.array(cells, dtype=float)
        except ValueError:
            table[name] = np.array(cells)
    return table


def write_csv(path, names, values):
    """Numbers under a header; nothing is lost in writing."""
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows([repr(float(value)) for value in row] for row in values)
    return path


def columns(table, stem):
    """The columns stem1, stem2, … side by side."""
    names = []
    while f"{stem}{len(names) + 1}" in table:
        names.append(f"{stem}{len(names) + 1}")
    if not names:
        raise SystemExit(f"no column {stem}1 among {', '.join(table)}")
    return np.column_stack([table[name] for name in names])


def affine(found, truth):
    """The affine map from `found` to `truth` with the least squared error, as a function."""
    with_one = lambda x: np.column_stack([x, np.ones(len(x))])
    map_ = np.linalg.lstsq(with_one(found), truth, rcond=None)[0]
    return lambda x: with_one(x) @ map_


def r2(guess, truth):
    """The share of the truth's variance, all columns together, that a guess explains."""
    return 1 - ((truth - guess) ** 2).sum() / ((truth - truth.mean(0)) ** 2).sum()


def affine_r2(train, train_truth, held, held_truth):
    """R² of the training points, and of held-out points under the map of the training points."""
    to_truth = affine(train, train_truth)
    return r2(to_truth(train), train_truth), r2(to_truth(held), held_truth)


def covered(truth, mean, sd):
    """The share of entries inside their 90 % interval."""
    return float(np.mean(np.abs(truth - mean) < NORMAL_90 * sd))


def rms(difference):
    return float(np.sqrt(np.mean(difference**2)))


def show(title, header, rows):
    """Prints a Markdown table; a missing cell is a dash, a number has three decimals."""
    cell = lambda value: "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
    print(f"\n{title}\n\n| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(map(cell, row)) + " |", flush=True)
