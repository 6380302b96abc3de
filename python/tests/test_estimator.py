"""LLLVM is a scikit-learn estimator in every respect, and says what is to be said."""

from __future__ import annotations

import sys
import unittest
import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted
from small_models import quick, same

from tangency import LLLVM, datasets

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
    # notebooks take this
    bundle = quick().fit(table)._repr_mimebundle_()
    assert "LLLVM" in bundle["text/plain"] and bundle["text/html"].startswith("<p>variance explained")
    with config_context(display="text"):
        assert list(quick().fit(table)._repr_mimebundle_()) == ["text/plain"]


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
