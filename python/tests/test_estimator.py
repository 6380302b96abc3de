"""LLLVM is a scikit-learn estimator in every respect, and its attributes and methods agree with each other."""

from __future__ import annotations

import copy
import sys
import unittest
import warnings

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KernelDensity, KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from tangency import LLLVM, datasets, edge_scores

# short runs of small tables warn; pytest.warns sees that all the same
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

ESTIMATORS = [
    LLLVM(),
    LLLVM(n_components=1, init="pca"),
    LLLVM(metric="precomputed"),
    LLLVM(engine="factorised"),
]


@parametrize_with_checks(ESTIMATORS)
def test_every_check_of_scikit_learn_passes(estimator, check):
    try:
        check(estimator)
    except (unittest.SkipTest, pytest.skip.Exception) as skipped:
        pytest.fail(f"skipped: {skipped}")


def quick(**params):
    """An estimator for tests in which neither the end of the run nor the likelihood of the graph matters."""
    return LLLVM(**({"max_iter": 8, "init": "spectral", "graph_likelihood": False} | params))


def same(one, other):
    """Whether two models are the same to the last bit."""
    names = ("embedding_", "embedding_std_", "lower_bounds_", "maps_", "maps_std_", "edges_")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


# ---- among other estimators


def test_a_pipeline_scales_fits_places_and_scores(table, new_rows):
    pipeline = make_pipeline(StandardScaler(), quick()).fit(table)
    scaler = StandardScaler().fit(table)
    alone = quick().fit(scaler.transform(table))
    assert same(pipeline[-1], alone)
    assert np.array_equal(pipeline.transform(new_rows), alone.transform(scaler.transform(new_rows)))
    assert pipeline.score(table) == alone.score()
    assert list(pipeline.get_feature_names_out()) == ["lllvm0", "lllvm1"]
    back = scaler.inverse_transform(alone.inverse_transform(alone.embedding_))
    assert np.array_equal(pipeline.inverse_transform(pipeline.transform(table)), back)


def test_the_score_of_a_grid_search_on_the_same_rows_holds_them_out_one_by_one(table):
    everything = np.arange(len(table))
    search = GridSearchCV(
        LLLVM(), {"n_neighbors": [9], "n_components": [1, 2]}, cv=[(everything, everything)], error_score="raise"
    )
    search.fit(table)
    best = search.best_estimator_
    assert search.best_score_ == best.score(table) == best.score()
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert search.best_params_["n_components"] == 2


def test_a_grid_search_on_held_out_rows_scores_them_by_their_density(table):
    search = GridSearchCV(quick(), {"n_neighbors": [8, 10]}, cv=3, error_score="raise").fit(table)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    rest, held = np.arange(50, 150), np.arange(50)
    model = quick(**search.best_params_).fit(table[rest])
    first = search.cv_results_["split0_test_score"][search.best_index_]
    assert first == model.score(table[held]) == model.score_samples(table[held]).mean()


def test_a_grid_search_cuts_distances_in_both_directions(distances):
    search = GridSearchCV(quick(metric="precomputed"), {"n_neighbors": [8, 10]}, cv=3, error_score="raise")
    assert np.isfinite(search.fit(distances).best_score_)


def test_the_settings_of_a_graph_transformer_are_settings_of_the_estimator(table):
    everything = np.arange(len(table))
    search = GridSearchCV(
        quick(graph=KNeighborsTransformer()),
        {"graph__n_neighbors": [6, 12]},
        cv=[(everything, everything)],
        error_score="raise",
    ).fit(table)
    assert search.best_estimator_.graph.n_neighbors == search.best_params_["graph__n_neighbors"]


def test_a_clone_has_the_settings_and_nothing_else(fitted, table):
    start = fitted.embedding_ + 0.01
    model = quick(n_neighbors=7, init=start, random_state=3).fit(table)
    made = clone(model)
    assert not hasattr(made, "embedding_")
    with pytest.raises(NotFittedError):
        check_is_fitted(made)
    assert made.init is not start and np.array_equal(made.init, start)
    assert same(made.fit(table), model)


def test_settings_show_in_the_text_of_an_estimator(table):
    assert repr(LLLVM(n_neighbors=5)) == "LLLVM(n_neighbors=5)"
    assert "array" in repr(LLLVM(init=np.zeros((3, 2))))
    shown = quick().fit(table)._repr_html_()
    assert "LLLVM" in shown and shown.startswith("<p>variance explained")
    assert "LLLVM" in quick()._repr_html_()


def test_the_settings_of_the_authors_can_be_changed_one_by_one():
    plain = LLLVM.authors()
    assert (plain.init, plain.alpha0, plain.alpha, plain.lam, plain.nu) == ("random", 1.0, 1e-3, 1.0, 0.0)
    assert (plain.accelerate, plain.uncertainty, plain.graph_likelihood) == (False, "absolute", False)
    changed = LLLVM.authors(n_components=1, alpha=None, random_state=7)
    assert (changed.n_components, changed.alpha, changed.random_state, changed.lam) == (1, None, 7, 1.0)
    assert clone(changed).get_params() == changed.get_params()


def test_a_fit_that_fails_leaves_an_estimator_not_fitted(table):
    model = LLLVM(n_neighbors=1000)
    with pytest.raises(ValueError):
        model.fit(table)
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    with pytest.raises(NotFittedError):
        model.transform(table)


# ---- containers


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_the_output_is_a_frame_if_that_is_asked_for(container, table):
    model, plain = quick().set_output(transform=container), quick().fit(table)
    frames = [model.fit_transform(table), model.transform(table)]
    kind = {"pandas": pandas.DataFrame, "polars": polars.DataFrame}[container]
    for frame in frames:
        assert isinstance(frame, kind)
        assert list(frame.columns) == ["lllvm0", "lllvm1"]
        assert np.array_equal(frame.to_numpy(), plain.embedding_)
    coordinates, deviations = model.transform(table, return_std=True)
    assert isinstance(coordinates, kind)
    assert np.array_equal(deviations, plain.embedding_std_)
    assert np.array_equal(model.inverse_transform(coordinates), plain.inverse_transform(plain.embedding_))


def test_a_frame_of_pandas_keeps_the_index_of_its_rows(table):
    frame = pandas.DataFrame(table, columns=["a", "b", "c"], index=[f"row {i}" for i in range(150)])
    made = quick().set_output(transform="pandas").fit_transform(frame)
    assert list(made.index) == list(frame.index)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_names_of_features_are_kept_and_order_matters(frame, table):
    named = frame({"a": table[:, 0], "b": table[:, 1], "c": table[:, 2]})
    model, plain = quick().fit(named), quick().fit(table)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    assert same(model, plain)
    assert np.array_equal(model.transform(named), plain.embedding_)
    with pytest.raises(ValueError, match="feature names"):
        model.transform(named[["b", "a", "c"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        model.transform(table)
    model.fit(table)
    assert not hasattr(model, "feature_names_in_")


def as_memmap(table, folder):
    np.save(folder / "table.npy", table)
    return np.load(folder / "table.npy", mmap_mode="r")


def spread_out(table):
    wide = np.full((2 * len(table), 2 * table.shape[1]), np.nan)
    wide[::2, ::2] = table
    return wide[::2, ::2]


def at_an_odd_address(table):
    table = np.asarray(table)
    room = np.zeros(table.nbytes + 1, dtype=np.uint8)[1:]
    moved = room.view(table.dtype).reshape(table.shape)
    moved[:] = table
    assert not moved.flags.aligned
    return moved


LAYOUTS = {
    "an odd address": lambda table, folder: at_an_odd_address(table),
    "Fortran order": lambda table, folder: np.asfortranarray(table),
    "neither order": lambda table, folder: spread_out(table),
    "rows backwards twice": lambda table, folder: np.ascontiguousarray(table[::-1])[::-1],
    "a transposed view": lambda table, folder: np.ascontiguousarray(table.T).T,
    "a file mapped into memory": as_memmap,
    "the other byte order": lambda table, folder: table.astype(">f8"),
    "objects": lambda table, folder: table.astype(object),
    "lists": lambda table, folder: table.tolist(),
    "long doubles": lambda table, folder: table.astype(np.longdouble),
    "a pandas frame": lambda table, folder: pandas.DataFrame(table),
    "a pandas frame of nullable numbers": lambda table, folder: pandas.DataFrame(table).astype("Float64"),
    "a polars frame": lambda table, folder: polars.DataFrame(table, schema=["c1", "c2", "c3"]),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_a_table_changes_no_bit(layout, table, new_rows, tmp_path):
    plain = quick().fit(table)
    given, given_new = LAYOUTS[layout](table, tmp_path), LAYOUTS[layout](new_rows, tmp_path / "..")
    before = copy.deepcopy(given)
    model = quick().fit(given)
    assert same(model, plain)
    assert np.array_equal(model.transform(given_new), plain.transform(new_rows))
    assert np.array_equal(model.score_samples(given_new), plain.score_samples(new_rows))
    assert model.score(given) == plain.score()
    assert np.array_equal(np.asarray(given), np.asarray(before))
    assert model.embedding_.dtype == np.float64


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint16, bool])
def test_the_type_of_equal_numbers_changes_no_bit(kind):
    bits = (np.arange(81)[:, None] >> np.arange(7)) & 1
    given = bits.astype(kind)
    model, plain = quick().fit(given), quick().fit(given.astype(np.float64))
    assert same(model, plain)
    assert np.array_equal(model.transform(given), model.embedding_)


def test_the_rows_of_coordinates_may_lie_as_they_like(fitted):
    plain = fitted.inverse_transform(fitted.embedding_)
    for lay in (np.asfortranarray, spread_out, at_an_odd_address, np.ndarray.tolist):
        given = lay(fitted.embedding_)
        assert np.array_equal(fitted.inverse_transform(given), plain)


def test_no_method_writes_to_what_it_is_given(table, new_rows):
    X, rows, labels = table.copy(), new_rows.copy(), np.arange(150)
    graph = KNeighborsTransformer(n_neighbors=9).fit_transform(X)
    kept = graph.copy()
    start = X[:, :2].copy()
    model = quick(graph=graph, init=start).fit(X, labels)
    Z = model.transform(rows)
    for call in (model.transform, model.score, model.score_samples, model.novelty):
        call(rows)
    Z_before = Z.copy()
    model.inverse_transform(Z)
    assert np.array_equal(X, table) and np.array_equal(rows, new_rows) and np.array_equal(labels, np.arange(150))
    assert np.array_equal(start, table[:, :2]) and np.array_equal(Z, Z_before)
    assert (graph != kept).nnz == 0 and model.graph is graph and model.init is start


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
    assert np.allclose(mean, fitted.maps_.mean(axis=0)) and np.allclose(std, fitted.maps_std_.mean(axis=0))
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


# ---- starts


def test_a_start_may_be_coordinates_or_maps(table, fitted):
    near = LLLVM(init=fitted.embedding_).fit(table)
    assert near.lower_bound_ == pytest.approx(fitted.lower_bound_, rel=0.02)
    scale = np.abs(table - table.mean(axis=0)).max()
    by_maps = LLLVM(init=fitted.maps_ / scale).fit(table)
    assert by_maps.lower_bound_ == pytest.approx(fitted.lower_bound_, rel=0.02)
    # a start has no direction of its own
    turned = LLLVM(init=fitted.embedding_[:, ::-1]).fit(table)
    assert np.allclose(turned.embedding_, near.embedding_, atol=1e-5)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_a_start_may_have_any_type_and_layout(kind, table):
    start = np.round(4 * table[:, :2]).astype(kind)
    plain = quick(init=start.astype(np.float64)).fit(table)
    for lay in (np.asfortranarray, spread_out, at_an_odd_address, np.ndarray.tolist, pandas.DataFrame):
        assert same(quick(init=lay(start)).fit(table), plain)
    maps = start[:, None, :] * np.ones((3, 1))
    of_maps = quick(init=maps).fit(table)
    for lay in (np.asfortranarray, at_an_odd_address, np.ndarray.tolist):
        assert same(quick(init=lay(maps)).fit(table), of_maps)


@pytest.mark.parametrize("init", ["auto", "random"])
def test_more_starts_are_as_good_or_better_wherever_they_run(init, table):
    short = {"init": init, "max_iter": {"auto": 30, "random": 80}[init]}
    one = LLLVM(**short).fit(table)
    several = LLLVM(n_init=3, n_jobs=1, **short).fit(table)
    assert several.lower_bound_ >= one.lower_bound_ - 1e-9
    assert same(LLLVM(n_init=3, n_jobs=2, **short).fit(table), several)


def test_seeds_may_come_from_numpy(table):
    def fit(random_state):
        return quick(init="random", random_state=random_state).fit(table)

    assert same(fit(5), fit(np.int32(5)))
    assert not same(fit(5), fit(6))
    for make in (np.random.RandomState, np.random.default_rng):
        generator = make(3)
        first, second = fit(generator), fit(generator)
        assert not same(first, second)
        assert same(first, fit(make(3)))
    state = np.random.get_state()
    try:
        np.random.seed(1)
        first = fit(None)
        np.random.seed(1)
        assert same(first, fit(None)) and not same(first, fit(None))
        np.random.seed(1)
        assert same(first, fit(np.random))
    finally:
        np.random.set_state(state)


@pytest.mark.parametrize("params", [{}, {"init": "pca", "n_components": 1}], ids=str)
def test_the_number_of_threads_changes_no_bit(params, table, new_rows):
    one, two = (LLLVM(n_jobs=n_jobs, max_iter=15, **params).fit(table) for n_jobs in (1, 2))
    assert same(one, two)
    assert np.array_equal(one.transform(new_rows), two.transform(new_rows))
    assert np.array_equal(one.score_samples(new_rows), two.score_samples(new_rows))
    assert np.array_equal(one.sample(5), two.sample(5))


def test_the_number_of_threads_changes_no_bit_of_a_table_that_takes_other_solvers():
    X = datasets.make_swiss_roll(320, random_state=1)[0]
    assert same(*(quick(init="isomap", max_iter=2, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2)))


def test_more_jobs_than_processors_are_as_many_as_there_are(table):
    assert same(quick(n_jobs=100_000).fit(table), quick(n_jobs=1).fit(table))
    assert same(quick(n_jobs=-100_000).fit(table), quick(n_jobs=None).fit(table))


# ---- graphs


def test_a_graph_may_be_given_in_many_ways(table, fitted):
    edges = fitted.edges_
    graph = fitted.graph_
    upper = sparse.csr_array(sparse.triu(graph))
    forms = {
        "csr_array": graph,
        "csr_matrix": sparse.csr_matrix(graph),
        "coo": graph.tocoo(),
        "one direction": upper,
        "other direction": upper.T,
        "any weights": graph * -0.3,
        "dense": graph.toarray(),
        "booleans": graph.toarray().astype(bool),
        "pairs": edges,
        "signed pairs": edges.astype(np.int64)[::-1, ::-1],
        "pairs twice": np.vstack([edges, edges]),
        "pairs at an odd address": at_an_odd_address(edges),
        "lists": edges.tolist(),
        "frame": pandas.DataFrame(edges),
        "transformer": KNeighborsTransformer(n_neighbors=9),
        "pipeline": make_pipeline(FunctionTransformer(), KNeighborsTransformer(n_neighbors=9)),
    }
    plain = quick(connect=False).fit(table)
    for name, form in forms.items():
        assert same(quick(connect=False).fit(table, graph=form), plain), name
    for form in (graph, edges, forms["transformer"]):
        assert same(quick(connect=False, graph=form).fit(table), plain)
    assert np.array_equal(quick(connect=False).fit_transform(table, graph=edges), plain.embedding_)
    # the graph of fit goes first
    other = RadiusNeighborsTransformer(radius=1.2)
    assert same(quick(graph=edges).fit(table, graph=other), quick(graph=other).fit(table))


def test_a_graph_that_was_given_does_not_hinder_new_rows(table, new_rows, fitted):
    model = quick().fit(table, graph=fitted.graph_)
    assert np.array_equal(model.transform(new_rows), quick().fit(table).transform(new_rows))
    assert np.array_equal(model.transform(table), model.embedding_)


def test_neighbours_at_distance_zero_are_neighbours(table):
    twice = np.vstack([table[:40], table[:40]])
    model = quick().fit(twice, graph=KNeighborsTransformer(n_neighbors=8))
    assert all(model.graph_[i, i + 40] == 1 for i in range(40))


def test_neighbours_may_be_mutual_or_within_a_radius(table):
    mutual, radius = quick(symmetry="mutual").fit(table), quick(radius=1.0).fit(table)
    plain = quick().fit(table)
    assert set(map(tuple, mutual.edges_)) - set(map(tuple, mutual.bridges_)) < set(map(tuple, plain.edges_))
    i, j = radius.edges_.T
    apart = np.linalg.norm(table[i] - table[j], axis=1)
    joined = {tuple(pair) for pair in radius.edges_} - {tuple(pair) for pair in radius.bridges_}
    assert apart[[tuple(pair) in joined for pair in radius.edges_]].max() <= 1.0
    every = sum(np.linalg.norm(table[a] - table[b]) <= 1.0 for a in range(150) for b in range(a))
    assert len(joined) == every


def two_sheets(table):
    return np.vstack([table[:70], table[70:120] + [0.0, 40.0, 0.0]])


def test_pieces_are_joined_with_a_warning_that_names_the_bridge(table):
    with pytest.warns(UserWarning, match="1 bridge was added to join pieces of the graph"):
        model = quick().fit(two_sheets(table))
    assert model.bridges_.shape == (1, 2)
    i, j = model.bridges_[0]
    assert i < 70 <= j and model.graph_[i, j] == 1


def test_only_the_largest_piece_is_fitted_if_that_is_asked_for_with_a_warning(table):
    X = two_sheets(table)
    with pytest.warns(UserWarning, match="only the largest piece of the graph was fitted, 70 of 120 points"):
        model = quick(connect=False, largest=True).fit(X)
    assert np.array_equal(model.rows_, np.arange(70))
    assert model.embedding_.shape == (70, 2) and model.graph_.shape == (70, 70)
    assert np.array_equal(model.transform(X[:70]), model.embedding_)
    assert model.score(X[:70]) == model.score() > model.score(X)
    with pytest.warns(UserWarning, match="largest"):
        whole = quick(connect=False, largest=True).set_output(transform="pandas").fit_transform(X)
    assert whole.shape == (120, 2)
    assert np.array_equal(whole.to_numpy()[:70], model.embedding_)


def test_pruning_removes_a_planted_short_circuit(curve, fitted):
    table, truth = curve
    ends = sorted([truth[:, 0].argmin(), truth[:, 0].argmax()])
    graph = np.vstack([fitted.edges_, [ends]])
    # bounds of different graphs compare in the paper's model
    params = {"init": fitted.embedding_, "feature_weight": "polish"}
    worse = LLLVM(**params).fit(table, graph=graph)
    assert tuple(edge_scores(worse)[0])[:2] == tuple(ends)
    model = LLLVM(prune=True, **params).fit(table, graph=graph)
    assert ends in model.removed_edges_.tolist()
    assert ends not in model.edges_.tolist()
    assert len(model.edges_) + len(model.removed_edges_) == len(graph)
    assert model.lower_bound_ > worse.lower_bound_ + 2
    assert np.array_equal(model.transform(table), model.embedding_)


# ---- distances


@pytest.fixture(scope="module")
def by_distances(distances):
    """A fit of distances; what rounding makes of a path along weights of the features is more than of one run."""
    return LLLVM(metric="precomputed", graph_likelihood=False).fit(distances)


@pytest.fixture(scope="module")
def by_features(table):
    return LLLVM(graph_likelihood=False).fit(table)


def test_a_table_of_distances_gives_the_embedding_of_the_table(by_distances, by_features):
    model = by_distances
    assert np.allclose(model.embedding_, by_features.embedding_, atol=1e-3)
    assert model.n_features_in_ == 150
    assert set(map(tuple, model.edges_)) == set(map(tuple, by_features.edges_))


def test_new_rows_may_be_known_by_their_distances(table, distances, new_rows, by_distances, by_features):
    model, plain = by_distances, by_features
    to_fitted = np.linalg.norm(new_rows[:, None] - table[None], axis=2)
    assert np.allclose(model.transform(to_fitted), plain.transform(new_rows), atol=1e-2)
    assert np.array_equal(model.transform(distances), model.embedding_)
    assert np.array_equal(model.transform(distances[:5]), model.embedding_[:5])
    assert model.score(distances) == model.score()
    assert np.allclose(model.novelty(to_fitted), plain.novelty(new_rows), atol=0.1)


def test_names_of_distances_are_names_of_rows(distances):
    frame = pandas.DataFrame(distances, columns=[f"p{i}" for i in range(150)])
    model = quick(metric="precomputed").fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert np.array_equal(model.transform(frame), model.embedding_)


def test_distances_of_no_flat_space_are_told_by_a_warning(distances):
    with pytest.warns(UserWarning, match="not those of points in a flat space"):
        quick(metric="precomputed").fit(np.minimum(distances, 1.0))


# ---- what is said


def test_a_good_fit_warns_of_nothing(table, new_rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LLLVM().fit(table)
        model.transform(new_rows)
        model.score_samples(new_rows)
    assert model.stop_reason_ == "converged"


def test_too_few_iterations_are_a_warning(table):
    with pytest.warns(ConvergenceWarning, match="max_iter") as told:
        model = LLLVM(max_iter=2).fit(table)
    assert model.stop_reason_ == "max-iterations" and model.n_iter_ == 2
    assert told[0].filename == __file__
    with pytest.warns(ConvergenceWarning) as told:
        model.set_output(transform="pandas").fit_transform(table)
    assert told[0].filename == __file__


def test_a_collapse_is_a_warning():
    X = datasets.make_s_curve(80, random_state=1)[0]
    with pytest.warns(ConvergenceWarning, match="collapsed"):
        model = LLLVM(n_neighbors=8, init="pca", graph_likelihood=False).fit(X)
    assert model.stop_reason_ == "collapsed"


def test_as_many_coordinates_as_features_are_a_warning(table):
    with pytest.warns(UserWarning, match="nothing is reduced"):
        LLLVM(n_components=3, max_iter=2).fit(table)


def test_progress_is_shown_only_if_that_is_asked_for(table, capfd):
    quick().fit(table).calibrate(2)
    quick(init="random", n_init=2).fit(table)
    assert capfd.readouterr() == ("", "")
    LLLVM(verbose=True, n_init=2).fit(table)
    out, err = capfd.readouterr()
    assert out == "" and "starts" in err and "fit" in err


def test_progress_is_shown_as_lines_without_tqdm(table, capfd, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    LLLVM(verbose=True, n_init=2).fit(table)
    out, err = capfd.readouterr()
    assert out == "" and "starts: starts tried" in err
