"""How well novelty tells new kinds of images from held-out ones of the fitted kinds: the area under the ROC curve.

- The given table (USPS 0–4, a column `digit` and 256 pixels): 70 % fitted, the other 30 % against as many images of
  uniform noise, and against themselves with the pixels of each shuffled.
- scikit-learn's 8 × 8 digits: 70 % of 0–4 fitted, the other 30 % against all of 5–9.

tangency's `log_density` (negated) and `novelty` stand beside one-class SVMs (rbf, gamma `scale`, nu 0.1; plain and on
standardised pixels), IsolationForest, LocalOutlierFactor (20 neighbours) and the distance to the k-th nearest training
image. 1 is perfect, 0.5 is chance. The last lines are means over seeds.

usage: python novelty.py TABLE.csv --tangency PATH [--seeds 0 1 2] [-k 9] [-d 2] [--folds 5] [--peers-only]
"""

import numpy as np
from common import arguments, command, read_csv, show, write_csv
from sklearn.datasets import load_digits
from sklearn.ensemble import IsolationForest
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neighbors import LocalOutlierFactor, NearestNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM


def peers(k, seed):
    """Baselines: from training rows to a function that is larger for what is more novel."""
    by_score = lambda model: lambda train: (fitted := model.fit(train)) and (lambda y: -fitted.score_samples(y))
    by_distance = lambda train: lambda y: NearestNeighbors(n_neighbors=k).fit(train).kneighbors(y)[0][:, -1]
    return {
        "SVM": by_score(OneClassSVM(gamma="scale", nu=0.1)),
        "SVM, standardised": by_score(make_pipeline(StandardScaler(), OneClassSVM(gamma="scale", nu=0.1))),
        "IsolationForest": by_score(IsolationForest(random_state=seed)),
        "LOF": by_score(LocalOutlierFactor(n_neighbors=20, novelty=True)),
        f"distance to neighbour {k}": by_distance,
    }


def tasks(digits, pixels, seed):
    """Yields the name, the training rows, and held-out rows with the sets of novel rows to tell them from."""
    draw = np.random.default_rng(seed)
    train, held = train_test_split(pixels, test_size=0.3, stratify=digits, random_state=seed)
    noise = draw.uniform(pixels.min(), pixels.max(), held.shape)
    yield "USPS 0–4", train, held, {"uniform noise": noise, "shuffled pixels": draw.permuted(held, axis=1)}
    small, kind = load_digits(return_X_y=True)
    train, held = train_test_split(small[kind < 5], test_size=0.3, stratify=kind[kind < 5], random_state=seed)
    yield "8 × 8 digits 0–4", train, held, {"digits 5–9": small[kind >= 5]}


def main():
    parser = arguments(__doc__, seeds=[0, 1, 2])
    parser.add_argument("table", help="CSV with the column `digit` and the pixels")
    parser.add_argument("-k", type=int, default=9, help="neighbours [%(default)s]")
    parser.add_argument("-d", type=int, default=2, help="dimension [%(default)s]")
    parser.add_argument("--fit-options", default="", help="more options of the fit, in one text")
    parser.add_argument("--folds", type=int, default=0, help="fit with --calibrate FOLDS [%(default)s: without]")
    args = parser.parse_args()
    table = read_csv(args.table)
    digits = table.pop("digit")
    values = np.column_stack(list(table.values()))

    rows, evenness = [], []
    with command(args) as tangency:
        for seed in args.seeds:
            for name, train, held, novel in tasks(digits, values, seed):
                score_all = lambda score: (score(held), {kind: score(y) for kind, y in novel.items()})
                theirs = [score_all(learn(train)) for learn in peers(args.k, seed).values()]
                ours = []
                if not args.peers_only:
                    pixels = [f"p{index}" for index in range(train.shape[1])]
                    train_csv = write_csv(tangency.folder / "train.csv", pixels, train)
                    calibrate = ["--calibrate", args.folds] if args.folds else []
                    model, _ = tangency.fit(train_csv, "-k", args.k, "-d", args.d, "--connect", *calibrate, *args.fit_options.split())
                    new_csv = tangency.folder / "new.csv"
                    place = lambda y: tangency.transform(model, write_csv(new_csv, pixels, y))[1]
                    known, others = score_all(place)
                    for sign, which in ((-1, "log_density"), (1, "novelty")):
                        ours.append((sign * known[which], {kind: sign * others[kind][which] for kind in novel}))
                    evenness.append((name, seed, *map(float, np.quantile(known["novelty"], [0.1, 0.5, 0.9]))))
                for kind in novel:
                    aucs = [None, None] if args.peers_only else []
                    for low, high in [*ours, *theirs]:
                        labels = np.repeat([0, 1], [len(low), len(high[kind])])
                        aucs.append(float(roc_auc_score(labels, np.concatenate([low, high[kind]]))))
                    rows.append((name, kind, seed, *aucs))

    for name, kind in dict.fromkeys(row[:2] for row in rows):
        group = [row[3:] for row in rows if row[:2] == (name, kind)]
        means = (None if None in column else float(np.mean(column)) for column in zip(*group))
        rows.append((name, kind, "mean", *means))
    header = ["fitted", "against", "seed", "tangency: −log_density", "tangency: novelty", *peers(args.k, 0)]
    show("AUC", header, rows)
    if evenness:
        show("Novelty of held-out rows of the fitted kinds", ["fitted", "seed", "10 %", "50 %", "90 %"], evenness)


if __name__ == "__main__":
    main()
