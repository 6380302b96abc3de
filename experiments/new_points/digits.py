"""Reconstruction of held-out digits from two coordinates.

The table has a column `digit` and 256 pixels (USPS, 16 × 16). 70 % are fitted, stratified by digit; the others are
placed and reconstructed. Prints the RMS error a pixel of

- tangency: transform → reconstruct, and how often its 90 % intervals hold a pixel;
- the mean of the k training digits nearest in tangency's plane;
- the mean of the k training digits nearest in the space of pixels, which is not a summary by two numbers;
- PCA with two components;
- KernelPCA(2, rbf, fit_inverse_transform) of scikit-learn, the best of a grid of gamma and alpha on the held-out
  digits themselves, so that its figure is a little too good.

`--figure-data F.csv` writes one random held-out example of each digit (first seed, first k) for the report's `tiles`:
columns row, caption and the pixels.

usage: python digits.py TABLE.csv --tangency PATH [--seeds 0 1 2] [--neighbors 5 9] [--figure-data F.csv] [--peers-only]
"""

import csv
import itertools

import numpy as np
from common import arguments, columns, command, covered, read_csv, rms, show, write_csv
from sklearn.decomposition import PCA, KernelPCA
from sklearn.model_selection import train_test_split
from sklearn.neighbors import NearestNeighbors

GAMMAS, ALPHAS = [0.001, 0.003, 0.01, 0.02, 0.05], [1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10]


def neighbour_mean(k, train_places, places, train):
    """For each place the mean of the k training rows whose places are nearest."""
    nearest = NearestNeighbors(n_neighbors=k).fit(train_places).kneighbors(places, return_distance=False)
    return train[nearest].mean(1)


def best_kernel_pca(train, new):
    """The smallest error over the grid, and where it is."""
    found = []
    for gamma, alpha in itertools.product(GAMMAS, ALPHAS):
        model = KernelPCA(2, kernel="rbf", gamma=gamma, alpha=alpha, fit_inverse_transform=True, random_state=0)
        guess = model.fit(train).inverse_transform(model.transform(new))
        found.append((rms(guess - new), f"gamma {gamma:g}, alpha {alpha:g}"))
    return min(found)


def write_figure_data(path, digits, pixels, images, seed):
    """One random example of each digit, a row of the figure for each kind of image."""
    draw = np.random.default_rng(seed)
    chosen = [draw.choice(np.flatnonzero(digits == digit)) for digit in np.unique(digits)]
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "caption", *pixels])
        for index, (kind, values) in enumerate(images.items()):
            for at in chosen:
                caption = f"{digits[at]:g}" if index == len(images) - 1 else ""
                writer.writerow([kind, caption, *(f"{value:.4f}" for value in values[at])])


def main():
    parser = arguments(__doc__, seeds=[0, 1, 2])
    parser.add_argument("table", help="CSV with the column `digit` and the pixels")
    parser.add_argument("--neighbors", type=int, nargs="+", default=[5, 9], help="k %(default)s")
    parser.add_argument("--fit-options", default="", help="more options of the fit, in one text")
    parser.add_argument("--figure-data", metavar="F.csv", help="write the numbers of a picture")
    args = parser.parse_args()
    table = read_csv(args.table)
    digits = table.pop("digit")
    pixels, values = list(table), np.column_stack(list(table.values()))

    rows, kernels = [], []
    with command(args) as tangency:
        for seed in args.seeds:
            train_rows, new_rows = train_test_split(
                np.arange(len(digits)), test_size=0.3, stratify=digits, random_state=seed
            )
            train, new = values[train_rows], values[new_rows]
            pca = PCA(2).fit(train)
            by_pca = pca.inverse_transform(pca.transform(new))
            by_kernel, where = best_kernel_pca(train, new)
            kernels.append((seed, by_kernel, where))
            for k in args.neighbors:
                by_pixels = neighbour_mean(k, train, new, train)
                images = {"true": new, "mean of neighbours (pixels)": by_pixels, "PCA": by_pca}
                ours = [None, None, None]
                if not args.peers_only:
                    train_csv = write_csv(tangency.folder / "train.csv", pixels, train)
                    new_csv = write_csv(tangency.folder / "new.csv", pixels, new)
                    model, x = tangency.fit(train_csv, "-k", k, "-d", 2, "--connect", *args.fit_options.split())
                    path, placed = tangency.transform(model, new_csv)
                    mean, sd = tangency.reconstruct(model, path, pixels)
                    by_plane = neighbour_mean(k, x, columns(placed, "x"), train)
                    ours = [rms(mean - new), covered(new, mean, sd), rms(by_plane - new)]
                    images = {"true": new, "reconstructed": mean, "mean of neighbours": by_plane, "PCA": by_pca}
                rows.append((seed, k, *ours, rms(by_pixels - new), rms(by_pca - new), by_kernel))
                if args.figure_data and len(rows) == 1:
                    write_figure_data(args.figure_data, digits[new_rows], pixels, images, seed)

    ours = ["tangency", "its 90 % intervals hold", "mean of k in the plane"]
    theirs = ["mean of k in pixels", "PCA-2", "KernelPCA-2, best on held-out"]
    show("RMS error a pixel, held-out digits", ["seed", "k", *ours, *theirs], rows)
    show("KernelPCA: the best of the grid", ["seed", "error", "where"], kernels)


if __name__ == "__main__":
    main()
