"""What sample pages say of graphs and dimensions: those that were found, and those that were compared."""

from __future__ import annotations

CHOICES = {
    "neighbors": {
        "taken": 7,
        "rows": 400,
        "tried": [
            {"n_neighbors": k, "log_density": 2 - behind, "behind": behind, "error": 0.4, "rows": 400}
            for k, behind in [(5, 0.5), (7, 0.3), (10, 0.0)]
        ],
    },
    "dimension": {
        "taken": 2,
        "spreads": [3.0, 1.2, 0.1],
        "points": 400,
        "bounds": [{"n_components": d, "bound": -500.0 - 40 * abs(d - 2)} for d in (1, 2, 3)],
    },
    "features": {
        "tried": [{"weight": 0.03, "trustworthiness": 0.98}, {"weight": None, "trustworthiness": 0.99}],
        "taken": 1,
    },
}


EQUAL = {"nats": 1.0, "spreads": 2.0}


def candidates():
    out = []
    for d in (1, 2, 3):
        for k in range(4, 15):
            alone = k == 4
            out.append(
                {
                    "name": f"knn {k}",
                    "graph": "knn",
                    "n_neighbors": k,
                    "n_components": d,
                    "count": 0 if alone else 5,
                    "raced": 0,
                    "mean": None if alone else 600 - 12 * (k - 4) - 70 * abs(d - 2),
                    "deviation": None if alone else 2.0 + d,
                    "equal_to_best": (k, d) == (6, 2),
                    "collapsed": int(k == 13 and d == 3),
                    "failed": 0,
                    "pieces": 3 if alone else 1,
                }
            )
    return {"candidates": out, "best": 12, "equal": EQUAL}
