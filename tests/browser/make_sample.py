"""Sample report pages from synthetic data: the page shows all it is given, whatever made it.

    python make_sample.py FOLDER [NAME …]     writes FOLDER/NAME.html, all of them without a name

The models in them are rough stand-ins (known coordinates, maps by local regression), in the format of the real ones.
"""

from __future__ import annotations

import base64
import html
import json
import re
import sys
from pathlib import Path

import numpy as np
from sample_choices import CHOICES, EQUAL, candidates
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.manifold import Isomap
from sklearn.neighbors import NearestNeighbors

PAGE = Path(__file__).resolve().parents[2] / "crates" / "tangency-report" / "page"


def array(values, kind="f32"):
    """Numbers as the page reads them."""
    values = np.ascontiguousarray(values, {"f32": "<f4", "u32": "<u4", "u8": "u1"}[kind])
    return {kind: base64.b64encode(values.tobytes()).decode(), "shape": list(values.shape)}


def numbers(coded):
    """The way back."""
    kind = next(kind for kind in ("f32", "u32", "u8") if kind in coded)
    values = np.frombuffer(base64.b64decode(coded[kind]), {"f32": "<f4", "u32": "<u4", "u8": "u1"}[kind])
    return values.reshape(coded["shape"])


def script_order(page):
    """The order that page.html gives in its comment."""
    words = re.search(r"joined in this order: ([^(]*)\(", page).group(1)
    return [word.strip() for word in words.replace("\n", " ").split(",")]


def html_page(data):
    """The page as the Rust side puts it together."""
    page = (PAGE / "page.html").read_text(encoding="utf-8")
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for letter in "<>&\u2028\u2029":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    fillings = {
        "<!--TITLE-->": html.escape(data["title"]),
        "/*STYLE*/": (PAGE / "page.css").read_text(encoding="utf-8"),
        "<!--DATA-->": f'<script id="tangency-data" type="application/json">{text}</script>',
        "/*SCRIPT*/": "\n".join((PAGE / f"{part}.js").read_text(encoding="utf-8") for part in script_order(page)),
    }
    for place in fillings:
        assert page.count(place) == 1, place
    # in one pass, so that nothing that is filled in can be mistaken for a place to fill
    return re.sub("|".join(map(re.escape, fillings)), lambda found: fillings[found.group()], page)


def local_maps(x, y, k=12):
    """Least squares around each point: [n, d_y, d]."""
    near = NearestNeighbors(n_neighbors=k).fit(x).kneighbors(x, return_distance=False)
    maps = np.empty((len(x), y.shape[1], x.shape[1]))
    for i, rows in enumerate(near):
        dx, dy = x[rows] - x[rows].mean(0), y[rows] - y[rows].mean(0)
        maps[i] = np.linalg.solve(dx.T @ dx + 1e-6 * np.eye(x.shape[1]), dx.T @ dy).T
    return maps


def graph_of(y, k, rng):
    near = NearestNeighbors(n_neighbors=k + 1).fit(y).kneighbors(y, return_distance=False)[:, 1:]
    edges = np.unique(np.sort(np.array([(i, j) for i, row in enumerate(near) for j in row]), axis=1), axis=0)
    scores = rng.gamma(1.0, 0.3, len(edges))
    suspect = np.argsort(-scores)[:30]

    def pair(edge):
        return [int(v) for v in edges[edge]]

    def change(place):
        return float(40 * np.exp(-place / 3) - 2)

    alone = [{"removed": [pair(e)], "added": [], "change": change(p), "spread": 0.4} for p, e in enumerate(suspect[:6])]
    together = [{"removed": [pair(e) for e in suspect[:3]], "added": [], "change": 71.0, "spread": 0.8}]
    return {
        "edges": array(edges, "u32"),
        "scores": array(scores),
        "residual": array(scores * 2),
        "resistance": array(rng.random(len(edges))),
        "suspect": [int(e) for e in suspect],
        "tests": alone + together,
        "bridges": [[0, 7]],
        "removed": [[3, 9]],
        "refit": "tangency fit roll.csv -k 7 --edges kept.csv",
    }


PARTS = ["likelihood", "log-determinant", "maps", "coordinates"]


def lines(named):
    """Numbers that have a value after each iteration, as the page reads them."""
    return [{"name": n, "label": n, "about": f"What {n} is.", "values": array(v)} for n, v in named.items()]


def bound_of(t=60):
    rise = -np.exp(-np.arange(t) / 3.0) * 9000 - np.exp(-np.arange(t) / 20) * 80
    parts = np.stack([600 + rise, -60 + 0.1 * rise, -30 - 0.02 * rise, -20 + 0 * rise], 1)

    def curve(first, last):
        return 10 ** (first + (last - first) * (1 - np.exp(-np.arange(t) / 8)))

    learned = {"gamma": curve(0, 2.2), "alpha": curve(0, -8), "lambda": curve(0, 1.3), "nu": curve(0, -1.1)}
    return {
        "bound": array(parts.sum(1)),
        "parts": lines(dict(zip(PARTS, parts.T, strict=True))),
        "hyperparameters": lines(learned),
        "final": float(parts[-1].sum()),
        "per_point": 1.6378,
        "scaled": 1156.4,
    }


def report(
    x,
    y,
    *,
    n_new=0,
    labels=None,
    names=None,
    image=None,
    ids=None,
    title="sample",
    keep_values=True,
    views=(),
    model=True,
    seed=0,
    k=9,
    **more,
):
    rng = np.random.default_rng(seed)
    n, d = x.shape
    fitted = n - n_new
    step = NearestNeighbors(n_neighbors=k).fit(x[:fitted]).kneighbors(x[:fitted])[0][:, 1:].mean()
    size = step * (0.15 + 0.35 * rng.random(n))
    factor = rng.normal(size=(n, d, d)) * 0.35 + np.eye(d)
    cov = np.einsum("nab,ncb->nac", factor, factor) * (size**2)[:, None, None]
    names = names or [f"y{f + 1}" for f in range(y.shape[1])]
    label_numbers = None
    if labels is not None and all(re.fullmatch(r"[0-9.]+", label) for label in labels):
        label_numbers = array([float(label) for label in labels])
    density = np.exp(-0.5 * ((x - x.mean(0)) ** 2 / x.var(0)).sum(1))
    data = {
        "version": "0.1.0",
        "title": title,
        "command": "tangency fit roll.csv -k 9 --seed 0",
        "facts": [
            ["data", f"{title}, {fitted} points, {y.shape[1]} features"],
            ["dimensions", str(d)],
            ["graph", f"k = {k}, either lists the other"],
            ["engine", "exact"],
            ["seed", "0"],
        ],
        "warnings": [],
        "stop": "converged",
        "stop_words": "The bound had stopped rising after 60 iterations.",
        "n_components": d,
        "axes": [f"x{a + 1}" for a in range(d)],
        "reach": 2.0,
        "n_points": fitted,
        "n_new": n_new,
        "coordinates": array(x),
        "covariances": array(cov[(slice(None), *np.triu_indices(d))]),
        "ids": ids,
        "labels": labels,
        "label_numbers": label_numbers,
        "novelty": array(rng.random(n)),
        "log_density": array(np.log(density)),
        "density": array(density),
        "features": {
            "names": names,
            "views": list(views),
            "values": array(y) if keep_values else None,
            "values_left_out": None
            if keep_values
            else "the values of 100000 rows were left out to keep the page small",
            "min": y.min(0).tolist(),
            "max": y.max(0).tolist(),
            "mean": y.mean(0).tolist(),
            "std": y.std(0).tolist(),
        },
        "image": image,
        "model": None,
        "graph": graph_of(y[:fitted], k, rng),
        "bound": bound_of(),
        "choices": CHOICES,
        "compare": "tangency select roll.csv -k 6,9,13 -d 1:3 --report compared.html",
        "selection": None,
        "comparisons": None,
    }
    if model:
        maps, variance = local_maps(x[:fitted], y[:fitted]), rng.random((fitted, d)) * 0.02
        scale = [float(np.abs(y - y.mean(0)).max())] * y.shape[1]
        spread = y.std(0)
        data["model"] = {
            "maps": array(maps),
            "map_variance": array(variance),
            "scale": scale,
            "gamma": 170.2,
            "spread": 1.1,
            "n_neighbors": k,
            "typical_step": float(step),
            "known_within": [1.0, 2.0],
            "loadings": {
                "mean": array(maps.mean(0)),
                "deviation": array(np.outer(scale, np.sqrt(variance).mean(0))),
                "standard": array(np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0)[:, None] * x.std(0)),
            },
        }
    if keep_values and y.shape[1] > 3:
        data["features"]["directions"] = directions(y)
    data.update(more)
    return data


def directions(y):
    """The three directions in which a table varies most, each feature by its own spread."""
    scale = np.where(y.std(0) > 0, y.std(0), 1)
    _, sizes, axes = np.linalg.svd((y - y.mean(0)) / scale, full_matrices=False)
    return {"weights": array(axes[:3] / scale), "shares": (sizes[:3] ** 2 / (sizes**2).sum()).tolist()}


def roll(n, seed=0, noise=0.02):
    rng = np.random.default_rng(seed)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n))
    h = 21 * rng.random(n)
    y = np.stack([t * np.cos(t), h, t * np.sin(t)], 1) + noise * rng.normal(size=(n, 3))
    length = (t * np.sqrt(1 + t * t) + np.arcsinh(t)) / 2
    x = np.stack([length - length.mean(), h - h.mean()], 1) / 15
    return x, y, t


def make_roll():
    x, y, t = roll(400)
    labels = [["inner", "middle", "outer"][int(min(2, (v - 4.7) / 3.15))] for v in t]
    others = [
        {"name": "PCA", "coordinates": array(PCA(2).fit_transform(y)), "note": "R² 0.41"},
        {"name": "Isomap", "coordinates": array(Isomap(n_neighbors=8).fit_transform(y)), "note": "R² 0.97"},
    ]
    return report(
        x,
        y,
        labels=labels,
        title="roll.csv in 2 dimensions",
        comparisons=others,
        selection=candidates(),
        warnings=["the fit did not converge: the bound still rose by 0.3 nats an iteration; raise --max-iter"],
    )


def make_digits():
    digits = load_digits()
    y, labels = digits.data[:600], [str(v) for v in digits.target[:600]]
    x = Isomap(n_neighbors=12).fit_transform(y) / 40
    names = [f"pixel{i}" for i in range(64)]
    image = {"width": 8, "height": 8, "low": 0.0, "high": 16.0}
    return report(x, y, labels=labels, names=names, title="digits.csv in 2 dimensions", image=image, n_new=100)


def make_space():
    x = np.random.default_rng(1).uniform(-1, 1, (900, 3)) * [2, 1.2, 0.8]
    y = np.concatenate([np.sin(x), np.cos(x), x @ np.random.default_rng(2).normal(size=(3, 4))], 1)
    return report(x, y, labels=[f"layer {int((v + 2) / 4 * 5)}" for v in x[:, 0]], title="cube.csv in 3 dimensions")


def make_line():
    rng = np.random.default_rng(3)
    t = np.sort(np.concatenate([rng.normal(-2, 0.5, 150), rng.normal(1, 0.8, 200)]))
    y = np.stack([np.cos(2 * t), np.sin(2 * t), 0.4 * t], 1)
    data = report(t[:, None], y, labels=["early" if v < -0.7 else "late" for v in t], title="helix.csv in 1 dimension")
    # a refit that begins near its end: three iterations, and long numbers at the axes
    data["bound"]["parts"] = []
    data["bound"]["bound"] = array([-520.738, -520.729, -520.723])
    data["bound"]["hyperparameters"] = lines({"gamma": [340.25, 340, 339.7], "nu": [0.0336454, 0.033648, 0.033651]})
    return data


def make_five():
    x = np.random.default_rng(4).normal(size=(500, 5))
    y = x @ np.random.default_rng(5).normal(size=(5, 12)) * np.array([1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 50, 1000])
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    views = [{"name": "rain", "features": list(range(10))}]
    return report(x, y, names=months, views=views, title="stations.csv in 5 dimensions", model=True)


def make_many(n=100_000):
    x, y, t = roll(n, noise=0.1)
    fitted = min(2000, n)
    return report(
        x,
        y,
        labels=[f"turn {int((v - 4.7) / 2.4)}" for v in t],
        n_new=n - fitted,
        title=f"roll of {n} rows in 2 dimensions",
    )


def make_hostile():
    bad = [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</script><script>alert(2)</script>",
        "<!-- ",
        "]]>",
        "javascript:alert(1)",
        "=1+1",
        'a "quoted", id',
        "line\nbreak",
        "\u2028",
        "<!--DATA-->",
        "__proto__",
        "a very long label that goes on and on " * 4,
    ]
    x, y, _ = roll(260)
    return report(
        x,
        y,
        ids=[bad[i % len(bad)] + (str(i) if i >= len(bad) else "") for i in range(260)],
        labels=[bad[i % len(bad)] for i in range(260)],
        names=bad[:3],
        title=bad[2],
        command=f"tangency fit {bad[0]}",
        facts=[[bad[0], bad[1]], ["data", bad[2]]],
        warnings=bad[:2],
        stop_words=bad[1],
        comparisons=[{"name": bad[0], "coordinates": array(x[:, ::-1]), "note": bad[1]}],
    )


def make_bare():
    x, y, _ = roll(200)
    data = report(x, y, keep_values=False, model=False, title="only coordinates", command="")
    for key in ("graph", "novelty", "density", "log_density", "bound", "choices"):
        data[key] = None
    return data


def make_chain():
    """Every edge holds the graph together; of the candidates for it none could be fitted, and the history is short."""
    x, y, t = roll(60)
    order = np.argsort(t)
    data = report(x, y, title="chain of 60 points", warnings=["60 points hang on single edges"])
    chain = np.sort(np.stack([order[:-1], order[1:]], 1), axis=1)
    refit = "tangency fit chain.csv --edges kept.csv"
    data["graph"] = {"edges": array(chain, "u32"), "suspect": [0, 5, 9], "refit": refit}
    one = {"name": "knn 2", "graph": "knn", "n_neighbors": 2, "n_components": 2, "count": 0, "raced": 0, "mean": None}
    one |= {"deviation": None, "equal_to_best": False, "collapsed": 0, "failed": 0, "pieces": 5}
    data["selection"] = {"candidates": [one], "best": None, "equal": EQUAL}
    data["bound"] = {"bound": array([1.0]), "final": 1.0, "per_point": 1 / 60, "scaled": 1.0}
    data["bound"] |= {"parts": [], "hyperparameters": []}
    return data


MAKERS = {
    "roll": make_roll,
    "digits": make_digits,
    "space": make_space,
    "line": make_line,
    "five": make_five,
    "hostile": make_hostile,
    "bare": make_bare,
    "chain": make_chain,
    "ten_thousand": lambda: make_many(10_000),
    "hundred_thousand": make_many,
}

if __name__ == "__main__":
    for wanted in sys.argv[2:] or MAKERS:
        (Path(sys.argv[1]) / f"{wanted}.html").write_text(html_page(MAKERS[wanted]()), encoding="utf-8")
