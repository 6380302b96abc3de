"""The factorised engine: when it is taken, what it says of itself, and that everything works on its fits.

Most of it is about the paper's model, whose runs are short; test_graph_likelihood.py has the rest."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import tangency
from tangency import LLLVM, datasets, quality

NAMES = (
    "engine_",
    "engine_reason_",
    "solver_",
    "bound_error_",
    "deviation_kind_",
    "deviation_error_",
    "neighbor_recall_",
    "reduced_",
)


def notes(model):
    return {name: getattr(model, name) for name in NAMES}


def same(one, other):
    arrays = ("embedding_", "embedding_std_", "lower_bounds_", "maps_", "maps_std_", "edges_")
    return notes(one) == notes(other) and all(np.array_equal(getattr(one, a), getattr(other, a)) for a in arrays)


@pytest.fixture(scope="module")
def sheet():
    """300 points near a sheet bent to an S, and where they are on it."""
    return datasets.make_s_curve(300, noise=0.02, random_state=1)


@pytest.fixture(scope="module")
def exact(sheet):
    return LLLVM(engine="exact", graph_likelihood=False).fit(sheet[0])


@pytest.fixture(scope="module")
def factorised(sheet):
    return LLLVM(engine="factorised", graph_likelihood=False).fit(sheet[0])


def wide(n=400, d_y=30, noise=0.01):
    """A sheet in a space of many dimensions."""
    points, _ = datasets.make_s_curve(n, random_state=3)
    rng = np.random.default_rng(0)
    return points @ rng.normal(size=(3, d_y)) + rng.normal(0, noise, (n, d_y))


# ---- which engine, and what is said of it


def test_few_points_are_fitted_exactly(fitted):
    assert fitted.engine_ == "exact" and "less than a second" in fitted.engine_reason_
    assert (fitted.solver_, fitted.bound_error_) == ("dense", 0.0)
    assert (fitted.deviation_kind_, fitted.deviation_error_) == ("exact", 0.0)
    assert fitted.neighbor_recall_ is None and fitted.reduced_ is None


def test_the_engine_that_is_named_is_taken_without_a_reason(exact, factorised):
    assert (exact.engine_, exact.engine_reason_, exact.solver_) == ("exact", None, "dense")
    assert (factorised.engine_, factorised.engine_reason_) == ("factorised", None)
    assert factorised.solver_ in ("cholesky", "iterative") and factorised.bound_error_ >= 0.0
    assert factorised.deviation_kind_ == "sampled" and 0.0 < factorised.deviation_error_ < 0.1


def test_attributes_are_not_there_before_a_fit():
    assert not any(hasattr(LLLVM(engine="factorised"), name) for name in NAMES)


def test_many_points_are_fitted_by_cells_of_a_coarser_graph():
    points, truth = datasets.make_swiss_roll(3200, random_state=1)
    # more starts make no difference: there is one
    model = LLLVM(draws=20, n_init=2, graph_likelihood=False).fit(points)
    assert model.engine_ == "factorised" and "3200 points" in model.engine_reason_ and model._native.start == "coarse"
    assert model.stop_reason_ == "converged"
    assert quality.affine_r2(truth, model.embedding_) > 0.95


def test_a_coarse_start_may_be_asked_for(sheet):
    model = LLLVM(engine="factorised", init="coarse", draws=0).fit(sheet[0])
    assert model._native.start == "coarse" and model.stop_reason_ == "converged"


def test_a_full_covariance_is_exact(table):
    model = LLLVM(full_covariance=True, max_iter=40).fit(table)
    assert model.engine_ == "exact" and "full covariance" in model.engine_reason_


# ---- against the exact engine


def test_the_factorised_bound_is_the_lower_one():
    points, truth = datasets.make_s_curve(300, random_state=1)
    one, other = (LLLVM(engine=engine, graph_likelihood=False).fit(points) for engine in ("exact", "factorised"))
    assert one.stop_reason_ == other.stop_reason_ == "converged"
    assert other.lower_bound_ <= one.lower_bound_
    assert all(quality.affine_r2(truth, model.embedding_) > 0.95 for model in (one, other))


def test_sampled_deviations_are_about_those_of_the_exact_engine(exact, factorised):
    assert 0.8 < np.median(factorised.embedding_std_ / exact.embedding_std_) < 1.25


def test_the_error_of_sampled_deviations_is_as_said(sheet):
    start = {"engine": "factorised", "init": "isomap", "graph_likelihood": False}
    much = LLLVM(draws=3000, **start).fit(sheet[0])
    few = LLLVM(draws=50, **start).fit(sheet[0])
    assert few.deviation_error_ == pytest.approx(0.1) and much.deviation_error_ < 0.02
    assert same_means(few, much)
    ratio = few.embedding_std_ / much.embedding_std_
    # points move together, so that their errors do too
    assert np.sqrt(np.mean((ratio - 1) ** 2)) < 0.2


def same_means(one, other):
    return np.array_equal(one.embedding_, other.embedding_) and one.lower_bound_ == other.lower_bound_


def test_conditional_deviations_are_smaller(sheet, factorised):
    model = LLLVM(engine="factorised", draws=0, graph_likelihood=False).fit(sheet[0])
    assert (model.deviation_kind_, model.deviation_error_) == ("conditional", None)
    assert same_means(model, factorised)
    assert (model.embedding_std_ < factorised.embedding_std_).mean() > 0.99


# ---- the same everywhere


def test_equal_seeds_give_equal_fits_on_any_number_of_threads(sheet):
    params = {"engine": "factorised", "init": "random", "random_state": 5, "max_iter": 15, "draws": 40}
    params["graph_likelihood"] = False
    with pytest.warns(UserWarning):
        models = [LLLVM(n_jobs=n_jobs, **params).fit(sheet[0]) for n_jobs in (1, 2, 1)]
    assert all(same(model, models[0]) for model in models[1:])
    with pytest.warns(UserWarning):
        assert not same(LLLVM(**(params | {"random_state": 6})).fit(sheet[0]), models[0])


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_several_starts_are_compared_wherever_they_run(sheet):
    params = {"engine": "factorised", "n_init": 2, "max_iter": 15, "draws": 10, "graph_likelihood": False}
    for init in ("auto", "random"):
        one, other = (LLLVM(init=init, n_jobs=n_jobs, **params).fit(sheet[0]) for n_jobs in (1, 2))
        assert same(one, other) and one.engine_ == "factorised"


# ---- files


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_model_comes_back_from_a_pickle_and_a_file(tmp_path):
    points = wide(noise=0.05)
    params = {
        "engine": "factorised",
        "ball_radius": 1,
        "draws": 30,
        "coarse_tol": 0.02,
        "pca": 0.9,
        "neighbor_search": "approximate",
        "init": "coarse",
    }
    model = LLLVM(**params).fit(points)
    assert model.reduced_ is not None and model.neighbor_recall_ is not None
    model.save(tmp_path / "m.safetensors")
    for made in (pickle.loads(pickle.dumps(model)), tangency.load(tmp_path / "m.safetensors")):
        assert same(made, model) and {name: made.get_params()[name] for name in params} == params
        assert np.array_equal(made.transform(points[:5] + 0.01), model.transform(points[:5] + 0.01))
    assert clone(model).get_params() == model.get_params()


def test_settings_reach_the_library(sheet):
    given = {"engine": "factorised", "ball_radius": 0, "draws": 7, "coarse_tol": 0.5, "pca": 1.0, "time_budget": 2.5}
    model = LLLVM(neighbor_search="exact", init="isomap", **given).fit(sheet[0])
    found = json.loads(model._native.config)
    assert {name: found[name] for name in given} == given and found["neighbor_search"] == "exact"


def test_the_exact_engine_is_taken_within_its_time(sheet):
    model = LLLVM(init="isomap", time_budget=1e-3, max_iter=5).fit(sheet[0])
    assert model.engine_ == "factorised" and "would take" in model.engine_reason_


# ---- what is done with a fit


def test_new_rows_are_placed_beside_their_neighbours(sheet, factorised):
    points, truth = sheet
    assert np.array_equal(factorised.transform(points), factorised.embedding_)
    new, where = datasets.make_s_curve(40, noise=0.02, random_state=2)
    placed, std = factorised.transform(new, return_std=True)
    both = np.concatenate([factorised.embedding_, placed])
    assert quality.affine_r2(np.concatenate([truth, where]), both) > 0.95
    assert std.shape == placed.shape and (std > 0).all()
    assert np.isfinite(factorised.score_samples(new)).all()
    assert factorised.score() == factorised.score(points)


def test_a_planted_short_circuit_stands_out_and_is_removed(sheet):
    points, truth = sheet
    params = {"engine": "factorised", "draws": 0, "graph_likelihood": False}
    plain = LLLVM(**params).fit(points)
    ends = sorted((int(np.argmin(truth[:, 0])), int(np.argmax(truth[:, 0]))))
    edges = np.concatenate([plain.edges_, [ends]]).astype(np.int64)
    model = LLLVM(init=plain.embedding_, **params).fit(points, graph=edges)
    first = tangency.edge_scores(model)[0]
    assert [first["i"], first["j"]] == ends
    found = tangency.prune(model)
    assert ends in [[int(edge["i"]), int(edge["j"])] for edge in found.removed]
    assert found.model.engine_ == "factorised" and found.model.lower_bound_ > model.lower_bound_


def test_graphs_and_dimensions_are_compared_by_one_engine(table):
    choices = {"n_neighbors": [8, 10], "n_components": [1, 2], "seeds": 1, "by": "bound"}
    found = tangency.select(table, engine="factorised", draws=0, graph_likelihood=False, **choices)
    assert found.best_["n_components"] == 2
    model = found.best_model(table)
    assert model.engine_ == "factorised" and model.deviation_kind_ == "conditional"
    assert found.best_["mean"] == pytest.approx(model.lower_bound_)


# ---- many features, approximate neighbours


@pytest.mark.parametrize("engine", ["exact", "factorised"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_maps_are_restricted_to_principal_axes(engine):
    points = wide()
    params = {"init": "spectral", "max_iter": 30, "draws": 10, "graph_likelihood": False}
    model = LLLVM(engine=engine, pca=0.99, **params).fit(points)
    axes, share = model.reduced_
    assert isinstance(axes, int) and 2 <= axes <= 4 and 0.99 <= share <= 1.0
    assert model.maps_.shape == (400, 30, 2)
    # maps of all features, of the rank of the axes
    assert np.linalg.matrix_rank(model.maps_.transpose(1, 0, 2).reshape(30, -1), tol=1e-8) <= axes


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_approximate_neighbours_are_nearly_the_nearest():
    points = wide(noise=0.05)
    quick = {"init": "spectral", "max_iter": 3, "graph_likelihood": False}
    near, exact = (LLLVM(neighbor_search=how, **quick).fit(points) for how in ("approximate", "exact"))
    assert 0.8 < near.neighbor_recall_ <= 1.0 and exact.neighbor_recall_ is None
    edges = [{tuple(edge) for edge in model.edges_.tolist()} for model in (near, exact)]
    assert len(edges[0] & edges[1]) > 0.8 * len(edges[1])
