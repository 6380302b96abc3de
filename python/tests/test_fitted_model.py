"""Attributes and methods of a fitted model agree with each other and with the table."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import KernelDensity
from small_models import quick, same

from tangency import LLLVM, datasets

# short runs of small tables warn; pytest.warns sees that all the same
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# ---- what a fit holds


@pytest.fixture(scope="module")
def whole(table):
    """A model that keeps how all points vary together."""
    return LLLVM(full_covariance=True).fit(table)


def test_attributes_have_the_shapes_that_are_written_down(whole):
    n, d_y, d_x, m, steps = 150, 3, 2, len(whole.edges_), whole.n_iter_
    shapes = {
        "embedding_": (n, d_x),
        "embedding_std_": (n, d_x),
        "embedding_covariances_": (n, d_x, d_x),
        "embedding_covariance_": (n, d_x, n, d_x),
        "maps_": (n, d_y, d_x),
        "maps_std_": (n, d_y, d_x),
        "lower_bounds_": (steps,),
        "edges_": (m, 2),
        "bridges_": (0, 2),
        "removed_edges_": (0, 2),
        "rows_": (n,),
        "graph_": (n, n),
    }
    assert {name: getattr(whole, name).shape for name in shapes} == shapes
    for name in ("lower_bound_", "alpha_", "gamma_", "lambda_", "nu_", "heaviness_"):
        assert isinstance(getattr(whole, name), float), name
    assert isinstance(whole.n_iter_, int) and 0 < whole.n_iter_ <= whole.max_iter
    assert whole.stop_reason_ == "converged"
    assert whole.n_features_in_ == 3 and not hasattr(whole, "feature_names_in_")
    assert isinstance(whole.graph_, sparse.csr_array)
    assert np.array_equal(whole.rows_, np.arange(n))
    for name in ("embedding_", "embedding_std_", "maps_", "maps_std_", "lower_bounds_"):
        values = getattr(whole, name)
        assert values.dtype == np.float64 and np.isfinite(values).all(), name


def test_attributes_are_not_there_before_a_fit():
    names = ("embedding_", "maps_", "graph_", "edges_", "embedding_covariances_", "lower_bound_", "n_features_in_")
    assert not any(hasattr(LLLVM(), name) for name in names)


def test_the_covariance_of_all_coordinates_is_kept_only_on_request(fitted):
    assert not hasattr(fitted, "embedding_covariance_")


def test_standard_deviations_and_covariances_agree(whole):
    each = whole.embedding_covariances_
    assert np.array_equal(np.sqrt(np.einsum("iaa->ia", each)), whole.embedding_std_)
    assert np.allclose(each, each.transpose(0, 2, 1), rtol=0, atol=1e-15)
    assert np.linalg.eigvalsh(each).min() > 0
    together = whole.embedding_covariance_
    assert np.allclose(np.einsum("iaib->iab", together), each, rtol=1e-12, atol=1e-15)
    flat = together.reshape(300, 300)
    assert np.allclose(flat, flat.T, rtol=0, atol=1e-12)
    assert np.linalg.eigvalsh(flat).min() > -1e-10
    # about the centroid, so that a common shift is certain
    assert np.abs(together.sum(axis=(0, 2))).max() < 1e-8


def test_absolute_deviations_are_those_about_the_centroid_and_a_common_shift(table):
    absolute, relative = (quick(uncertainty=word).fit(table) for word in ("absolute", "relative"))
    more = absolute.embedding_std_**2 - relative.embedding_std_**2
    assert np.allclose(more, 1 / (150 * absolute.alpha_), rtol=1e-6)
    assert np.array_equal(absolute.embedding_, relative.embedding_)


def test_coordinates_are_centred_on_their_principal_axes_longest_first(fitted):
    x = fitted.embedding_
    assert np.abs(x.mean(axis=0)).max() < 1e-9
    scatter = x.T @ x
    assert abs(scatter[0, 1]) < 1e-8 * scatter[0, 0]
    assert scatter[0, 0] > scatter[1, 1]


def test_the_graph_is_symmetric_and_holds_the_edges(fitted):
    graph, edges = fitted.graph_, fitted.edges_
    dense = graph.toarray()
    assert np.array_equal(dense, dense.T) and not dense.diagonal().any()
    assert set(np.unique(dense)) == {0.0, 1.0}
    assert graph.nnz == 2 * len(edges) and dense[edges[:, 0], edges[:, 1]].all()
    assert len(np.unique(edges, axis=0)) == len(edges) and (edges[:, 0] < edges[:, 1]).all()
    # each of the nine nearest is joined
    assert dense.sum(axis=1).min() >= 9


def test_the_bound_never_falls_and_ends_where_it_is_said_to(table):
    short = {"max_iter": 40, "init": "isomap"}
    one, slow = LLLVM(n_components=1, **short), LLLVM(accelerate=False, **short)
    for model in (LLLVM(), one, slow, LLLVM.authors(max_iter=40)):
        trace = model.fit(table).lower_bounds_
        assert (np.diff(trace) >= -1e-6 * np.abs(trace[1:])).all()
        assert trace[-1] == pytest.approx(model.lower_bound_, rel=1e-9)
        assert len(trace) == model.n_iter_


@pytest.mark.parametrize("scaling", ["max-abs", "per-feature"])
def test_bounds_are_in_the_units_of_the_table(scaling, table):
    factor = 8.0
    one, other = (quick(scaling=scaling).fit(X) for X in (table, factor * table))
    assert other.lower_bound_ == pytest.approx(one.lower_bound_ - table.size * np.log(factor), rel=1e-9)
    assert np.allclose(other.maps_, factor * one.maps_, rtol=1e-6)
    assert np.allclose(other.embedding_, one.embedding_, rtol=1e-6, atol=1e-9)


def test_features_in_units_of_their_own_are_scaled_one_by_one(table):
    plain, units = quick().fit(table), quick().fit(table * np.array([1.0, 1e6, 1.0]))
    assert plain.scaling_["taken"] == "max-abs" and plain.scaling_["reason"] == "alike"
    assert units.scaling_["taken"] == "per-feature" and units.scaling_["reason"] == "units"
    assert units.scaling_["largest"] == 1 and units.scaling_["share"] > 0.99
    same = quick(scaling="per-feature").fit(table)
    assert same.scaling_ is None
    # units change nothing but the last digits
    assert np.allclose(np.abs(units.embedding_), np.abs(same.embedding_), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("scaling", ["max-abs", "per-feature"])
def test_maps_tell_the_change_of_the_table_along_an_edge(scaling, curve):
    if scaling == "max-abs":
        X = 3.0 * curve[0]
    else:
        across, along = np.random.default_rng(0).uniform(-1, 1, size=(2, 150))
        X = np.column_stack([across, 50.0 * along, 0.02 * along**2])
    model = LLLVM(scaling=scaling, init="isomap").fit(X)
    i, j = model.edges_.T
    steps = model.embedding_[j] - model.embedding_[i]
    expected = np.einsum("efa,ea->ef", (model.maps_[i] + model.maps_[j]) / 2, steps)
    for feature in range(3):
        change = X[j, feature] - X[i, feature]
        left = np.sum((change - expected[:, feature]) ** 2) / np.sum(change**2)
        assert left < 0.1, feature
    assert (model.maps_std_ > 0).all()


def test_a_good_fit_finds_the_sheet(curve):
    points, truth = curve
    fitted = LLLVM().fit(points)
    design = np.column_stack([fitted.embedding_, np.ones(150)])
    left = truth - design @ np.linalg.lstsq(design, truth, rcond=None)[0]
    assert (left.var(axis=0) < 0.05 * truth.var(axis=0)).all()


# ---- new rows


def test_a_fitted_row_is_where_the_fit_put_it(table, fitted):
    assert np.array_equal(fitted.transform(table), fitted.embedding_)
    assert np.array_equal(quick().fit_transform(table), quick().fit(table).transform(table))
    some = [3, 3, 149, 0]
    coordinates, deviations = fitted.transform(table[some], return_std=True)
    assert np.array_equal(coordinates, fitted.embedding_[some])
    assert np.array_equal(deviations, fitted.embedding_std_[some])


def test_a_copy_is_returned_by_fit_transform(table):
    model = quick()
    made = model.fit_transform(table)
    made[:] = 0
    assert model.embedding_.any()


def test_new_rows_are_placed_one_by_one(fitted, new_rows):
    together, deviations = fitted.transform(new_rows, return_std=True)
    assert together.shape == deviations.shape == (40, 2)
    assert (deviations > 0).all() and np.isfinite(together).all()
    alone = np.vstack([fitted.transform(row[None]) for row in new_rows[:5]])
    assert np.array_equal(alone, together[:5])
    assert np.array_equal(fitted.transform(new_rows), together)


def test_coordinates_lead_back_to_the_rows(table, fitted, new_rows):
    for rows in (table, new_rows):
        values, deviations = fitted.inverse_transform(fitted.transform(rows), return_std=True)
        assert values.shape == deviations.shape == rows.shape
        assert np.sqrt(np.mean((values - rows) ** 2)) < 0.05
        assert (deviations > 0).all()
    together = fitted.inverse_transform(fitted.embedding_)
    assert np.array_equal(fitted.inverse_transform(fitted.embedding_[:3]), together[:3])


def test_the_score_is_the_mean_density(table, fitted, new_rows):
    assert fitted.score() == fitted.score(table) == fitted.score(table, np.zeros(150))
    assert fitted.score(new_rows) == fitted.score_samples(new_rows).mean()
    assert fitted.score(table[:149]) == fitted.score_samples(table[:149]).mean()
    # rows one by one are rows together
    assert [fitted.score(new_rows[[i]]) for i in range(5)] == list(fitted.score_samples(new_rows)[:5])
    # rows that were fitted are held out: they are not likelier than new ones
    assert abs(fitted.score() - fitted.score(new_rows)) < 0.5


def test_the_density_is_that_of_a_mixture_and_beats_the_kernel_density(table, fitted, new_rows):
    kernel = fitted.score_samples(new_rows, kernel=True)
    assert fitted.score_samples(new_rows).mean() > kernel.mean() + 0.1
    quality = fitted.quality_
    assert quality["log_density"] == pytest.approx(fitted.score(), abs=1e-6)
    assert quality["log_density"] > quality["kernel_log_density"]
    assert 0.9 < quality["explained"] < 1 and quality["trustworthiness"] == fitted.trustworthiness_["map"]
    # what scikit-learn finds with the best width
    widths = np.geomspace(0.02, 1, 40)
    best = max(KernelDensity(bandwidth=width).fit(table).score(new_rows) for width in widths)
    assert kernel.mean() == pytest.approx(best / len(new_rows), abs=0.1)
    with pytest.raises(ValueError, match="kernel is 'yes'; use True or False"):
        fitted.score_samples(new_rows, kernel="yes")


def test_ordinary_new_rows_are_of_middling_novelty(table):
    new = datasets.make_s_curve(400, noise=0.02, random_state=9)[0]
    old = datasets.make_s_curve(200, noise=0.02, random_state=8)[0]
    assert 0.42 < quick().fit(old).novelty(new).mean() < 0.58


def test_a_stranger_has_the_lowest_density_and_the_highest_novelty(fitted, new_rows):
    rows = np.vstack([new_rows, [[5.0, 5.0, 5.0]]])
    assert fitted.score_samples(rows).argmin() == 40
    novelty = fitted.novelty(rows)
    assert novelty[40] == novelty.max() == 1.0
    assert novelty.min() >= 0 and np.median(novelty[:40]) < 1
    order = np.argsort(fitted.score_samples(rows))
    assert (np.diff(novelty[order]) <= 0).all()


def test_samples_repeat_with_the_seed_and_lie_on_the_sheet(table, fitted):
    X, Z = fitted.sample(60, random_state=4, return_coordinates=True)
    assert X.shape == (60, 3) and Z.shape == (60, 2)
    assert np.array_equal(X, fitted.sample(60, random_state=4))
    assert np.array_equal(X[:7], fitted.sample(7, random_state=4))
    assert not np.array_equal(X, fitted.sample(60, random_state=5))
    nearest = np.sqrt(((X[:, None] - table[None]) ** 2).sum(axis=2)).min(axis=1)
    assert nearest.max() < 1.0
    generators = [np.random.default_rng(8) for _ in range(2)]
    assert np.array_equal(*(fitted.sample(3, random_state=generator) for generator in generators))
    assert fitted.sample().shape == (1, 3)


# ---- what the model knows


def test_loadings_are_means_of_the_maps(fitted):
    mean, std = fitted.loadings()
    assert np.allclose(mean, fitted.maps_.mean(axis=0)) and np.all(std < fitted.maps_std_.mean(axis=0))
    for points in (5, [5], np.array([5, 9, 140]), range(3)):
        chosen = np.atleast_1d(np.array(points))
        mean, std = fitted.loadings(points)
        assert np.allclose(mean, fitted.maps_[chosen].mean(axis=0))
        assert mean.shape == std.shape == (3, 2)


def test_the_others_expect_each_row_about_where_it_is(table, fitted):
    seen = fitted.leave_one_out()
    assert {name: values.shape for name, values in seen.items()} == {
        "coordinates": (150, 2),
        "values": (150, 3),
        "std": (150, 3),
        "strain": (150,),
    }
    strain = np.sqrt(np.mean(((table - seen["values"]) / seen["std"]) ** 2, axis=1))
    assert np.allclose(strain, seen["strain"], equal_nan=True)
    assert np.nanmedian(np.abs(seen["values"] - table)) < 0.05


def test_calibration_changes_deviations_and_novelty_but_not_the_fit(table, new_rows):
    model = LLLVM(max_iter=30).fit(table)
    before = copy.deepcopy(model)
    assert model.calibrate(4) is model
    assert same(model, before) and model.lower_bound_ == before.lower_bound_
    # rows that were fitted are held out of whole fits now
    assert model.score() == model.score(table) != before.score()
    z = before.transform(new_rows)
    ratio = model.inverse_transform(z, return_std=True)[1] / before.inverse_transform(z, return_std=True)[1]
    assert np.allclose(ratio, ratio[0, 0]) and ratio[0, 0] != 1
    assert np.array_equal(model.score_samples(new_rows), before.score_samples(new_rows))
    assert not np.array_equal(model.novelty(new_rows), before.novelty(new_rows))
    again = copy.deepcopy(before).calibrate(4)
    assert np.array_equal(again.novelty(new_rows), model.novelty(new_rows))


def test_the_interval_of_a_distance_holds_it_and_grows_with_the_level(whole):
    narrow, wide = (whole.distance_interval(0, 75, level=level) for level in (0.5, 0.99))
    apart = np.linalg.norm(whole.embedding_[75] - whole.embedding_[0])
    for found in (narrow, wide):
        assert found["of_means"] == pytest.approx(apart)
        assert found["lower"] < found["median"] < found["upper"]
        assert found["lower"] < apart < found["upper"]
    assert wide["lower"] < narrow["lower"] and wide["upper"] > narrow["upper"]
    assert whole.distance_interval(np.int64(75), 0, level=0.5)["of_means"] == narrow["of_means"]


def test_draws_of_the_embedding_have_its_mean_and_spread(whole):
    draws = whole.sample_embedding(300, random_state=1)
    assert draws.shape == (300, 150, 2)
    assert np.array_equal(draws[:2], whole.sample_embedding(2, random_state=1))
    assert np.abs((draws.mean(axis=0) - whole.embedding_) / whole.embedding_std_).max() < 0.4
    assert np.abs(draws.std(axis=0) / whole.embedding_std_ - 1).max() < 0.3
    assert whole.sample_embedding().shape == (1, 150, 2)
