"""New points on Swiss rolls: how well they are placed, how often intervals hold, and whether novelty is even.

570 points a roll, the first 400 for training (k = 9, `--prune`) and 170 held out. The noise is added here, so that each
held-out point can be measured a second time. Prints three tables, each with the median over seeds:

- R² of an affine map to the truth, learned on the training points: for these, and for the held-out ones. Beside it
  Isomap and LLE of scikit-learn on the same split, with 9 neighbours and with 5, which make fewer
  short-circuits; a dash where one fails.
- How often 90 % intervals of transform → reconstruct hold the measurement that was placed, a second one of the same
  point, and the point without noise (which should be held more often). `error / sd` is the RMS error of the second
  measurement over the RMS of the standard deviations; 1 is right.
- Novelty of the held-out points, which should be even between 0 and 1: mean 0.5, quantiles 0.1, 0.5, 0.9.

usage: python rolls.py --tangency PATH [--seeds 0 1] [--noise 0 0.05] [--folds 5] [--peer-neighbors 9 5] [--peers-only]
"""

import warnings

import numpy as np
from common import affine_r2, arguments, columns, command, covered, rms, show, write_csv
from sklearn.manifold import Isomap, LocallyLinearEmbedding

TRAIN, HELD = 400, 170
FEATURES = ["y1", "y2", "y3"]


def with_median(rows, keys):
    """The rows, and after those of each noise one with the medians of the numbers behind the first `keys` cells."""
    for noise in dict.fromkeys(row[0] for row in rows):
        same = [row for row in rows if row[0] == noise]
        yield from same
        for kind in dict.fromkeys(row[2:keys] for row in same):
            group = [row[keys:] for row in same if row[2:keys] == kind]
            if len(group) > 1:
                known = [[value for value in values if value is not None] for values in zip(*group)]
                middle = [float(np.median(values)) if values else None for values in known]
                yield (noise, "median", *kind, *middle)


def main():
    parser = arguments(__doc__, seeds=[0, 1, 2, 3, 4])
    parser.add_argument("--noise", type=float, nargs="+", default=[0, 0.05, 0.1, 0.15], help="noises %(default)s")
    parser.add_argument("--folds", type=int, default=5, help="folds of --calibrate; 0 leaves it out [%(default)s]")
    parser.add_argument("--peer-neighbors", type=int, nargs="+", default=[9, 5], help="k of Isomap and LLE %(default)s")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    peers = {}
    for k in args.peer_neighbors:
        peers[f"Isomap({k})"] = Isomap(n_neighbors=k, n_components=2)
        peers[f"LLE({k})"] = LocallyLinearEmbedding(n_neighbors=k, n_components=2, random_state=0)

    placed, held, novel = [], [], []
    with command(args) as tangency:
        for noise in args.noise:
            for seed in args.seeds:
                clean, truth = tangency.roll(TRAIN + HELD, seed)
                draw = np.random.default_rng(seed)
                measured = clean + noise * draw.standard_normal(clean.shape)
                again = clean[TRAIN:] + noise * draw.standard_normal((HELD, 3))
                train, new = measured[:TRAIN], measured[TRAIN:]
                score = lambda x, x_new: affine_r2(x, truth[:TRAIN], x_new, truth[TRAIN:])

                scores = [None, None]
                if not args.peers_only:
                    train_csv = write_csv(tangency.folder / "train.csv", FEATURES, train)
                    new_csv = write_csv(tangency.folder / "new.csv", FEATURES, new)
                    for folds in [0, args.folds] if args.folds else [0]:
                        calibrate = ["--calibrate", folds] if folds else []
                        options = ["--columns", "y1:y3", "-k", 9, "-d", 2, "--prune", *calibrate]
                        model, x = tangency.fit(train_csv, *options)
                        path, table = tangency.transform(model, new_csv)
                        mean, sd = tangency.reconstruct(model, path, FEATURES)
                        if not folds:
                            scores = score(x, columns(table, "x"))
                        kind = (f"{noise:g}", seed, "yes" if folds else "no")
                        ratio = rms(again - mean) / rms(sd)
                        held.append((*kind, *(covered(y, mean, sd) for y in (new, again, clean[TRAIN:])), ratio))
                        quantiles = np.quantile(table["novelty"], [0.1, 0.5, 0.9])
                        novel.append((*kind, float(table["novelty"].mean()), *map(float, quantiles)))
                for peer in peers.values():
                    try:
                        peer.fit(train)
                        scores = [*scores, *score(peer.embedding_, peer.transform(new))]
                    except ValueError:  # LLE: a singular matrix, which small k can give
                        scores = [*scores, None, None]
                placed.append((f"{noise:g}", seed, *scores))

    header = [f"{method}: {which}" for method in ["tangency", *peers] for which in ("training", "held out")]
    show("Affine R²", ["noise", "seed", *header], with_median(placed, 2))
    if held:
        kind = ["noise", "seed", "calibrated"]
        header = [*kind, "placed measurement", "second measurement", "without noise", "error / sd"]
        show("Share inside 90 % intervals, held-out rows", header, with_median(held, 3))
        show("Novelty of held-out rows", [*kind, "mean", "10 %", "50 %", "90 %"], with_median(novel, 3))


if __name__ == "__main__":
    main()
