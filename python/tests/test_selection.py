"""A selection ranks graphs and dimensions by the bound, and where and in how many goes its fits run changes nothing."""

from __future__ import annotations

import csv
import os
import subprocess
from pathlib import Path

import joblib
import numpy as np
import pytest
from scipy import sparse

from tangency import LLLVM, Selection, _parallel, _settings, datasets, select

COMMAND = os.environ.get("TANGENCY_COMMAND", str(Path(__file__).parents[2] / "target" / "release" / "tangency"))

#: A grid that takes about a second, in which some fits collapse, some are raced and one graph is in pieces.
GRID = {"n_neighbors": [2, 5, 7], "n_components": [1, 2], "seeds": 3, "max_iter": 30, "by": "bound"}


@pytest.fixture(scope="module")
def curve():
    return datasets.make_s_curve(120)[0]


@pytest.fixture(scope="module")
def found(curve):
    return select(curve, n_neighbors=[6, 9], n_components=range(1, 4), seeds=2, graph_likelihood=False, by="bound")


@pytest.fixture(scope="module")
def small():
    return datasets.make_s_curve(80, noise=0.02, random_state=1)[0]


@pytest.fixture(scope="module")
def local(small):
    """What a selection of the small table gives here, with one fit after the other."""
    return select(small, **GRID, n_jobs=1)


def same(one, other):
    assert one.cells == other.cells
    assert one.summary == other.summary
    assert one.complete == other.complete


# ---- rows held out


def test_rows_held_out_rank_graphs(curve, small):
    grid = {"n_neighbors": [5, 8], "n_components": [1, 2], "seeds": 1, "max_iter": 20, "init": "isomap"}
    held = select(curve, **grid, race=False)
    assert held.by == "held-out" and len(held.cells) == 4 * (1 + 3)
    assert held.best_["n_components"] == 2 and "held out" in repr(held)
    for row in held.summary:
        ours = [cell for cell in held.cells if all(cell[name] == row[name] for name in ("graph", "n_components"))]
        parts = [cell["log_density"] for cell in ours if cell.get("part") is not None]
        # 120 rows in three equal parts
        assert row["held_out"] == pytest.approx(np.mean(parts)) and row["held_out_rows"] == 120
    by_density = [row["held_out"] for row in held.summary]
    assert max(by_density) - held.best_["held_out"] <= held.best_["held_out_error"]
    model = held.best_model(curve)
    assert model.n_neighbors == held.best_["n_neighbors"]
    assert select(small, **grid, by="bound").by == "bound"
    assert select(small, n_neighbors=6, n_components=[1, 2], seeds=1, max_iter=3).by == "bound"
    with pytest.raises(ValueError, match="'auto', 'held-out' or 'bound'"):
        select(small, **grid, by="rows")
    with pytest.raises(ValueError, match="of the 20 rows"):
        select(small[:20], n_neighbors=[4, 5], seeds=1, by="held-out")


# ---- what it says


def test_the_dimension_of_an_s_curve_is_found(found):
    assert found.best_["n_components"] == 2
    assert found.best_["graph"] == "knn 6" and found.best_["n_neighbors"] == 6
    assert found.complete


def test_every_fit_is_a_cell(found):
    assert len(found.cells) == 2 * 3 * 2
    for cell in found.cells:
        assert list(cell) == ["graph", "n_neighbors", "n_components", "seed", "bound", "n_iter", "stop", "message"]
        assert (cell["bound"] is None) == (cell["n_iter"] is None) == (cell["stop"] == "raced")
        assert cell["graph"] == f"knn {cell['n_neighbors']}"
    assert [cell["seed"] for cell in found.cells] == [0, 1] * 6


def test_the_summary_says_how_far_each_is_behind(found):
    names = {"graph", "n_neighbors", "n_components", "mean", "std", "count"}
    names |= {"not_converged", "collapsed", "failed", "raced", "equal_to_best", "behind", "spreads"}
    names |= {"held_out", "held_out_behind", "held_out_error", "held_out_rows"}
    assert all(set(candidate) == names for candidate in found.summary)
    ranked = [candidate for candidate in found.summary if candidate["mean"] is not None]
    assert ranked == found.summary[: len(ranked)] and found.best_ == ranked[0]
    for candidate in ranked:
        ours = [
            c for c in found.cells if (c["graph"], c["n_components"]) == (candidate["graph"], candidate["n_components"])
        ]
        bounds = [c["bound"] for c in ours if c["bound"] is not None and c["stop"] != "collapsed"]
        assert candidate["mean"] == pytest.approx(np.mean(bounds)) and candidate["count"] == len(bounds)
        assert candidate["behind"] == pytest.approx(ranked[0]["mean"] - candidate["mean"])
    collapsed = [candidate for candidate in found.summary if candidate["mean"] is None]
    assert collapsed and all(candidate["collapsed"] == 2 and candidate["behind"] is None for candidate in collapsed)


def test_a_selection_describes_itself(found):
    assert repr(found).startswith("Selection of 6 candidates: best is knn 6 in 2 dimensions, ")
    assert f"{found.best_['mean']:.2f} nats" in repr(found)


def test_the_cells_come_as_a_data_frame(found):
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.cells[0]) and len(frame) == len(found.cells)
    assert frame["bound"].max() == max(cell["bound"] for cell in found.cells if cell["bound"] is not None)


def test_the_best_model_is_the_fit_of_its_cell(found, curve):
    model = found.best_model(curve)
    assert (model.n_components, model.n_neighbors, model.connect) == (2, 6, False)
    cells = [c for c in found.cells if (c["graph"], c["n_components"]) == ("knn 6", 2)]
    assert model.lower_bound_ == max(cell["bound"] for cell in cells)
    assert model.random_state in [cell["seed"] for cell in cells]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_graphs_compare_by_the_paper_s_bound_and_the_best_model_has_the_settings(small):
    paper, given = select(small, **GRID, graph_likelihood=False), select(small, **GRID, feature_weight=0.3)
    assert given.cells == paper.cells and sum(cell["bound"] is not None for cell in given.cells) > 4
    model, plain = given.best_model(small), paper.best_model(small)
    assert model.graph_likelihood and not plain.graph_likelihood
    assert model.feature_weight_ == 0.3 and model.sociability_ is not None and plain.sociability_ is None
    names = ("n_neighbors", "n_components", "random_state")
    assert [getattr(model, name) for name in names] == [getattr(plain, name) for name in names]
    assert (model.n_neighbors, model.n_components) == (given.best_["n_neighbors"], given.best_["n_components"])


def test_dimensions_of_one_graph_compare_by_its_likelihood_with_one_weight(small):
    found = select(small, n_neighbors=7, n_components=[1, 2], seeds=1, init="isomap", max_iter=20)
    plain = select(small, n_neighbors=7, n_components=[1, 2], seeds=1, init="isomap", max_iter=20, feature_weight=1.0)
    assert found.cells == plain.cells
    model = plain.best_model(small)
    assert model.lower_bound_ == plain.best_["mean"] and model.feature_weight_ == 1.0


def test_the_bounds_are_drawn(found):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    axes = found.plot()
    axes.figure.canvas.draw()
    assert axes.get_xlabel() and len(axes.lines) > 0
    pyplot.close("all")


def test_a_collapsed_fit_gives_no_best_model(small):
    settings = {"n_neighbors": 8, "n_components": 2, "seeds": 1, "graph_likelihood": False}
    found = select(small, **settings)
    assert found.cells[0]["stop"] == "collapsed" and found.best_ is None
    assert repr(found).startswith("Selection of 1 candidate, none of which could be ranked: all fits collapsed;")
    with pytest.raises(ValueError, match="there is no best candidate: all fits collapsed"):
        found.best_model(small)


def test_graphs_that_are_all_in_pieces_are_said_to_be_so(small):
    found = select(small, n_neighbors=2, seeds=1, max_iter=2)
    reason = "all graphs are in pieces; use more neighbours, or connect=True"
    assert f"none of which could be ranked: {reason}" in repr(found) and reason in found._repr_html_()
    with pytest.raises(ValueError, match=reason):
        found.best_model(small)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_best_model_is_not_made_from_a_seed_that_collapsed(small):
    cell = {"candidate": 0, "n_iter": 9, "message": None}
    cells = [
        cell | {"seed": 4, "bound": 90.0, "stop": "collapsed"},
        cell | {"seed": 5, "bound": 1.0, "stop": "converged"},
        cell | {"seed": 6, "bound": 0.5, "stop": "converged"},
    ]
    row = {"candidate": 0, "name": "knn 5", "n_neighbors": 5, "n_components": 2, "mean": 0.75, "deviation": 0.3}
    row |= {"count": 2, "not_converged": 0, "collapsed": 1, "failed": 0, "raced": 0, "equal_to_best": False}
    row["held_out"] = None
    evidence = {"by": "bound", "candidates": [row | {"behind": {"nats": 0.0, "spreads": None}}], "cells": cells}
    made = Selection(evidence, True, {"max_iter": 2}, {"knn 5": {"n_neighbors": 5}}, [], "")
    assert made.best_model(small).random_state == 5


# ---- the same everywhere


def test_one_fit_at_a_time_and_several_give_the_same(small, local):
    same(select(small, **GRID, n_jobs=2), local)
    same(select(small, **GRID), local)


@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_other_backends_of_joblib_give_the_same(small, local, backend):
    with joblib.parallel_config(backend=backend):
        same(select(small, **GRID, n_jobs=2), local)


def test_a_fit_has_the_threads_that_are_left(small, monkeypatch):
    given = []

    def noted(work, jobs, n_jobs):
        given.append((n_jobs, [job[-1] for job in jobs]))
        return finished(work, jobs, n_jobs)

    finished = _parallel.finished
    monkeypatch.setattr(_parallel, "finished", noted)
    monkeypatch.setattr(_settings, "threads", lambda n_jobs: 4)
    select(small, n_neighbors=5, n_components=2, seeds=1, max_iter=2)
    select(small, n_neighbors=[5, 6], n_components=2, seeds=1, max_iter=2, by="bound")
    assert given == [(1, [4]), (2, [2, 2])]


def test_a_race_only_leaves_out_what_is_hopeless(small, local):
    all_of_them = select(small, **GRID, race=False)
    assert len(all_of_them.cells) == len(local.cells)
    raced = 0
    for cell, whole in zip(local.cells, all_of_them.cells, strict=True):
        if cell["stop"] == "raced":
            raced += 1
            assert whole["bound"] is not None and whole["bound"] < local.best_["mean"]
        else:
            assert cell == whole
    assert raced > 0 and raced == sum(candidate["raced"] for candidate in local.summary)
    assert sum(candidate["raced"] for candidate in all_of_them.summary) == 0
    assert all_of_them.best_["graph"] == local.best_["graph"]


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        (["-k", "2,5", "--radius", "1,0.75"], {"n_neighbors": [2, 5], "radius": [0.75, 1]}),
        (["--mutual", "6:7", "--all"], {"n_neighbors": [6, 7], "symmetry": "mutual", "race": False}),
    ],
    ids=["neighbours and radii, raced", "mutual neighbours, all"],
)
def test_the_command_finds_the_same_bit_for_bit(small, tmp_path, asked, options):
    table, out = tmp_path / "table.csv", tmp_path / "found.csv"
    np.savetxt(table, small, delimiter=",", header="a,b,c", comments="", fmt="%.17g")
    always = ["-d", "1:2", "--seeds", "2", "--seed", "3", "--max-iter", "25", "--out", out]
    run = subprocess.run([COMMAND, "select", table, *asked, *always], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with open(out, newline="", encoding="utf-8") as file:
        theirs = list(csv.DictReader(file))
    found = select(small, n_components=[1, 2], seeds=2, random_state=3, max_iter=25, **options)
    for row, cell in zip(theirs, found.cells, strict=True):
        number = "" if cell["n_neighbors"] is None else f" {cell['n_neighbors']}"
        assert row["graph"] + number == cell["graph"]
        for name in ("n_neighbors", "n_components", "seed", "bound", "n_iter", "stop"):
            text = cell[name] if isinstance(cell[name], str) else repr(cell[name])
            assert row[name] == ("" if cell[name] is None else text)


# ---- graphs


def test_graphs_of_every_kind_are_candidates(small):
    near = datasets.true_edges(small, small, 6)[0]
    dense = np.zeros((80, 80), dtype=bool)
    dense[near[:, 0], near[:, 1]] = True
    given = {"pairs": near, "sparse": sparse.csr_array(dense.astype(float)), "dense": dense}
    settings = {"n_components": 1, "seeds": 1, "max_iter": 10}
    found = select(small, n_neighbors=6, symmetry=["or", "mutual"], radius=1.0, graphs=given, by="bound", **settings)
    assert [cell["graph"] for cell in found.cells] == [
        "knn 6", "mutual 6", "radius 1", "edges pairs", "edges sparse", "edges dense",
    ]  # fmt: skip
    assert [cell["n_neighbors"] for cell in found.cells] == [6, 6, None, None, None, None]
    bounds = {cell["graph"]: cell["bound"] for cell in found.cells}
    assert (
        bounds["edges pairs"]
        == bounds["edges sparse"]
        == bounds["edges dense"]
        == bounds["knn 6"]
        != bounds["mutual 6"]
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "graph",
    [{"n_neighbors": 7, "symmetry": "mutual"}, {"radius": 1.0}, {"radius": 1.25}, {"graphs": {"mine": None}}],
    ids=["mutual", "radius 1", "radius 1.25", "given"],
)
def test_the_best_model_has_the_graph_of_its_kind(small, graph):
    if "graphs" in graph:
        graph = {"graphs": {"mine": datasets.true_edges(small, small, 5)[0]}}
    found = select(small, **graph, seeds=1, max_iter=20, n_jobs=1, graph_likelihood=False, by="bound")
    assert found.best_ is not None
    model = found.best_model(small)
    assert model.lower_bound_ == found.cells[0]["bound"] and model.n_jobs == 1


def test_neighbours_may_come_from_a_generator(small):
    found = select(small, (k for k in (5, 6)), 2, symmetry=iter(["or", "mutual"]), seeds=1, max_iter=3, by="bound")
    assert [cell["graph"] for cell in found.cells] == ["knn 5", "knn 6", "mutual 5", "mutual 6"]


def test_without_a_word_about_graphs_the_usual_ones_are_tried():
    few = datasets.make_s_curve(9)[0]
    tried = [(candidate["graph"], candidate["n_components"]) for candidate in select(few, seeds=1, max_iter=2).summary]
    assert sorted(tried) == [(f"knn {k}", d) for k in range(4, 9) for d in (1, 2, 3)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_graphs_in_pieces_are_named_and_fitted_only_if_joined(small, local):
    broken = [cell for cell in local.cells if cell["n_neighbors"] == 2]
    assert [cell["stop"] for cell in broken] == ["disconnected", "disconnected"]
    assert all(cell["bound"] is None and cell["seed"] is None for cell in broken)
    joined = select(small, n_neighbors=2, n_components=1, seeds=1, max_iter=5, connect=True)
    assert all(cell["bound"] is not None for cell in joined.cells)
    with pytest.warns(UserWarning, match="bridges were added to join pieces"):
        model = joined.best_model(small)
    assert len(model.bridges_) > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_other_settings_reach_the_fits(small):
    settings = {"scaling": "none", "lam": 1.0, "nu": 0.0, "random_state": 7, "max_iter": 4, "init": "random"}
    settings |= {"feature_weight": 0.3, "edge_weights": "plain", "heaviness": 0.2}
    found = select(small, 6, 1, 1, **settings)
    (cell,) = found.cells
    assert cell["seed"] == 7 and cell["n_iter"] <= 4
    again = LLLVM(1, 6, **settings).fit(small)
    assert again.lower_bound_ == cell["bound"]
