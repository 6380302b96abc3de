"""Features and views with a noise of their own: what is given, what is found, and one view from another."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tangency

N = 150


@pytest.fixture(scope="module")
def sheet() -> tuple[pd.DataFrame, np.ndarray]:
    points, truth = tangency.datasets.make_s_curve(N, random_state=1)
    rng = np.random.default_rng(0)
    first = points @ rng.normal(size=(3, 5)) + 0.03 * rng.normal(size=(N, 5))
    second = points @ rng.normal(size=(3, 4)) + 0.3 * rng.normal(size=(N, 4))
    names = [f"rna{f}" for f in range(5)] + [f"protein{f}" for f in range(4)]
    return pd.DataFrame(np.hstack([first, second]), columns=names), truth


@pytest.fixture(scope="module")
def model(sheet: tuple[pd.DataFrame, np.ndarray]) -> tangency.LLLVM:
    views = {"rna": slice(0, 5), "protein": [f"protein{f}" for f in range(4)]}
    return tangency.LLLVM(views=views, init="isomap").fit(sheet[0])


def test_views_are_found_again(sheet, model, tmp_path) -> None:
    assert model.views_["rna"]["features"] == list(range(5))
    assert model.views_["protein"]["features"] == [5, 6, 7, 8]
    assert model.views_["rna"]["explained"] > model.views_["protein"]["explained"]
    assert model.feature_explained_.shape == model.feature_noise_.shape == (9,)
    assert (model.feature_noise_ > 0).all()
    model.save(tmp_path / "m.safetensors")
    again = tangency.load(tmp_path / "m.safetensors")
    assert again.views_ == model.views_
    assert (again.feature_noise_ == model.feature_noise_).all()
    assert again.views == {"rna": list(range(5)), "protein": [5, 6, 7, 8]}


def test_one_view_is_enough(sheet, model) -> None:
    table, _ = sheet
    rna = table.iloc[:20, :5]
    placed = model.transform({"rna": rna.to_numpy()})
    assert np.isfinite(placed).all()
    assert (placed == model.transform(rna)).all()
    values, deviations = model.predict_view("protein", {"rna": rna}, return_std=True)
    assert values.shape == deviations.shape == (20, 4)
    truth = table.iloc[:20, 5:].to_numpy()
    assert (np.abs(values - truth) < 4 * deviations).mean() > 0.9
    # what is known of the view itself does not count
    assert (model.predict_view("protein", table.iloc[:20]) == values).all()


def test_features_have_a_noise_of_their_own(sheet) -> None:
    own = tangency.LLLVM(feature_noise="own", init="isomap").fit(sheet[0])
    shared = tangency.LLLVM(init="isomap").fit(sheet[0])
    assert np.unique(own.feature_noise_).size == 9
    assert np.unique(shared.feature_noise_).size == 1
    assert own.views_ == {}


@pytest.mark.parametrize(
    ("views", "said"),
    [
        ([0, 1], "views is"),
        ({"a": [0, 1], "b": [1]}, "is in the views"),
        ({"a": ["nothing"]}, "which is no feature"),
        ({"a": []}, "has no feature"),
        ({"a": [99]}, "at most"),
    ],
)
def test_views_that_make_no_sense_are_said(sheet, views, said) -> None:
    with pytest.raises(ValueError, match=said):
        tangency.LLLVM(views=views, max_iter=2).fit(sheet[0])


def test_rows_that_make_no_sense_are_said(sheet, model) -> None:
    rna = sheet[0].iloc[:3, :5]
    for X, said in [
        ({}, "empty dict"),
        ({"dna": rna}, "those of the model are 'rna', 'protein'"),
        ({"rna": rna.iloc[:, :4]}, "has 4 features, but the view has 5"),
        ({"rna": rna, "protein": sheet[0].iloc[:2, 5:]}, "has 2 rows"),
    ]:
        with pytest.raises(ValueError, match=said):
            model.transform(X)
    with pytest.raises(ValueError, match="'dna'"):
        model.predict_view("dna", rna)
    with pytest.raises(ValueError, match="no feature outside"):
        model.predict_view("rna", {"rna": rna})


def test_views_are_those_of_the_fits_that_are_compared(sheet) -> None:
    views = {"rna": slice(0, 5), "protein": slice(5, 9)}
    of = {"views": views, "init": "isomap", "max_iter": 10, "connect": True}
    found = tangency.select(sheet[0], n_neighbors=9, n_components=[1, 2], seeds=1, **of)
    plain = tangency.select(sheet[0], n_neighbors=9, n_components=[1, 2], seeds=1, **(of | {"views": None}))
    assert found._fingerprint != plain._fingerprint
    assert list(found.best_model(sheet[0]).views_) == ["rna", "protein"]
    model = tangency.compare(sheet[0], methods=["ll-lvm", "pca"], **of).model
    assert model is not None and list(model.views_) == ["rna", "protein"]
    with pytest.raises(ValueError, match="nobody"):
        tangency.select(sheet[0], views={"rna": ["nobody"]})
