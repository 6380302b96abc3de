"""Anchors, covariates, groups and labels: what they find, of new rows too, and what is refused."""

import pickle

import numpy as np
import pytest

import tangency
from tangency import LLLVM, datasets

N = 200


@pytest.fixture(scope="module")
def sheet():
    X, truth = datasets.make_s_curve(N + 30, noise=0.05, random_state=4)
    return X, np.column_stack([10 * truth[:, 0], 200 + 3 * truth[:, 1]])


@pytest.fixture(scope="module")
def anchored(sheet):
    X, places = sheet
    anchors = np.full((N, 2), np.nan)
    anchors[::20] = places[:N:20]
    return LLLVM(draws=0).fit(X[:N], anchors=anchors)


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(3)
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    y = np.arange(240) % 3
    flat = centers[y] + rng.normal(size=(240, 2))
    return flat @ rng.normal(size=(2, 6)) + 0.05 * rng.normal(size=(240, 6)), y


def test_anchored_rows_come_out_in_their_units(sheet, anchored):
    X, places = sheet
    spread = places.std(axis=0)
    assert (np.abs(anchored.known_ - places[:N]).mean(axis=0) < 0.15 * spread).all()
    assert anchored.known_std_.shape == (N, 2) and (anchored.known_std_ > 0).all()
    values, std = anchored.predict_known(X[N:], return_std=True)
    assert (np.abs(values - places[N:]).mean(axis=0) < 0.15 * spread).all()
    assert (np.abs(values - places[N:]) < 1.64 * std).mean() > 0.7
    rows = anchored.structure_["known"]["values"]
    assert [row["used"] for row in rows] == [True, True] and all(row["rows"] == 10 for row in rows)


def test_a_dict_of_rows_is_the_array(sheet, anchored):
    X, places = sheet
    same = LLLVM(draws=0).fit(X[:N], anchors={row: places[row] for row in range(0, N, 20)})
    np.testing.assert_array_equal(same.known_, anchored.known_)


def test_models_are_kept_with_their_structure(tmp_path, sheet, anchored):
    X, _ = sheet
    anchored.save(tmp_path / "a.safetensors")
    for again in (tangency.load(tmp_path / "a.safetensors"), pickle.loads(pickle.dumps(anchored))):
        np.testing.assert_array_equal(again.known_, anchored.known_)
        np.testing.assert_array_equal(again.predict_known(X[N:]), anchored.predict_known(X[N:]))


def test_a_covariate_that_is_noise_is_not_used(sheet):
    X, _ = sheet
    noise = np.random.default_rng(0).normal(size=N)
    plain = LLLVM(draws=0, feature_weight=1.0).fit(X[:N])
    with_noise = LLLVM(draws=0, feature_weight=1.0).fit(X[:N], covariates=noise)
    assert abs(with_noise.structure_["known"]["values"][0]["gain"]) < 3
    assert abs(with_noise.lower_bound_ - plain.lower_bound_) < 0.05 * N


def test_groups_are_found_and_predicted(blobs):
    X, y = blobs
    model = LLLVM(groups=(1, 6), draws=0).fit(X[:210])
    assert model.n_groups_ == 3 and not hasattr(model, "classes_")
    assert model.probabilities_.shape == (210, 3)
    np.testing.assert_allclose(model.probabilities_.sum(axis=1), 1)
    pairs = {(int(a), int(b)) for a, b in zip(model.groups_, y[:210], strict=True)}
    assert len(pairs) == 3
    assert {(int(a), int(b)) for a, b in zip(model.predict(X[210:]), y[210:], strict=True)} <= pairs


def test_few_labels_name_all_rows(blobs):
    X, y = blobs
    names = np.array(["red", "green", "blue"])[y]
    few = np.where(np.arange(240) % 20 < 2, names, "")
    model = LLLVM(groups="classes", draws=0).fit(X[:210], few[:210])
    assert model.classes_.tolist() == ["blue", "green", "red"]
    assert (model.groups_ == names[:210]).mean() > 0.97
    assert (model.predict(X[210:]) == names[210:]).mean() > 0.95
    numbers = LLLVM(groups="classes", draws=0).fit(X[:210], np.where(few[:210] == "", -1, y[:210]))
    assert numbers.classes_.tolist() == [0, 1, 2] and (numbers.groups_ == y[:210]).mean() > 0.97


def test_without_groups_y_is_ignored_and_there_is_no_predict(sheet):
    X, _ = sheet
    model = LLLVM(draws=0).fit(X[:N], np.arange(N))
    assert not hasattr(model, "predict") and not hasattr(model, "groups_") and not hasattr(model, "known_")
    assert model.structure_ is None


@pytest.mark.parametrize(
    ("params", "fit", "said"),
    [
        ({"groups": "classes"}, {}, "give y"),
        ({"groups": (4, 2)}, {}, "a number from 1"),
        ({"groups": "many"}, {}, "'classes'"),
        ({"groups": 1, "y": [0, 1] * 20}, {}, "2 classes"),
        ({}, {"anchors": np.zeros((40, 2))}, "fewer than two different values"),
        ({}, {"anchors": {77: (0, 1)}}, "no row of X"),
        ({}, {"anchors": np.zeros((3, 2))}, "40 rows"),
        ({}, {"anchor_std": 1.0}, "anchors was not"),
        ({"graph_likelihood": False}, {"covariates": np.arange(40.0)}, "graph's likelihood"),
        ({"feature_weight": "polish", "groups": 2}, {}, "graph's likelihood"),
    ],
)
def test_what_is_refused(params, fit, said):
    X, _ = datasets.make_s_curve(40, random_state=1)
    y = params.pop("y", None)
    with pytest.raises(ValueError, match=said):
        LLLVM(**params).fit(X, y, **fit)
