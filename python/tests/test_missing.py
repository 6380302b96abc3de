"""Tables with NaN: entries are found with honest deviations, rows with gaps are placed, the rest says what it needs."""

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import tangency
from tangency import LLLVM, datasets


@pytest.fixture(scope="module")
def sensors():
    X, truth = datasets.make_s_curve(200, noise=0.02, random_state=1)
    turn = np.linalg.qr(np.random.default_rng(5).normal(size=(8, 3)))[0]
    return X @ turn.T, truth


@pytest.fixture(scope="module")
def hidden(sensors):
    mask = np.random.default_rng(2).random(sensors[0].shape) < 0.1
    mask[mask.all(axis=1), 0] = False
    return mask


@pytest.fixture(scope="module")
def model(sensors, hidden):
    return LLLVM(init="isomap", connect=True).fit(np.where(hidden, np.nan, sensors[0]))


def test_entries_are_found_with_their_deviations(model, sensors, hidden):
    found = model.imputed_
    assert list(zip(found["row"], found["feature"], strict=True)) == [tuple(pair) for pair in np.argwhere(hidden)]
    errors = found["value"] - sensors[0][hidden]
    assert np.sqrt(np.mean(errors**2)) < 0.3 * sensors[0].std()
    assert 0.75 < np.mean(np.abs(errors) < 1.645 * found["std"]) <= 1
    assert tangency.quality.affine_r2(model.embedding_, sensors[1]) > 0.97
    assert list(pd.DataFrame(found)) == ["row", "feature", "value", "std"]


def test_a_whole_table_has_none(table):
    assert LLLVM(max_iter=3).fit(table).imputed_ is None
    with pytest.raises((AttributeError, NotFittedError)):
        LLLVM().imputed_  # noqa: B018


def test_rows_with_gaps_are_placed(model, sensors, hidden):
    X = np.where(hidden, np.nan, sensors[0])
    assert np.array_equal(model.transform(X), model.embedding_)
    new = sensors[0][::10] + 1e-3
    with_gaps = new.copy()
    with_gaps[:, 2] = np.nan
    apart = np.linalg.norm(model.transform(new) - model.transform(with_gaps), axis=1)
    assert np.median(apart) < 0.2 * model.embedding_.std()
    assert np.array_equal(model.transform(with_gaps[:3]), model.transform(with_gaps)[:3])


def test_rows_with_gaps_have_the_density_of_what_they_have(model, sensors, hidden):
    X, gaps = np.where(hidden, np.nan, sensors[0]), hidden.any(axis=1)
    scores = model.score_samples(X)
    assert np.isfinite(scores).all()
    assert np.isclose(model.score(X), scores.mean())
    assert np.array_equal(np.isnan(model.novelty(X)), gaps)
    assert np.isfinite(model.score_samples(X, kernel=True)).all()
    with pytest.raises(ValueError, match="contains NaN"):
        LLLVM(missing="error", max_iter=3).fit(sensors[0]).score_samples(X)


def test_rows_with_gaps_are_less_sure(model, sensors):
    new = sensors[0][::10] + 1e-3
    with_gaps = np.where(np.arange(8) < 4, np.nan, new)
    whole, some = (model.transform(rows, return_std=True)[1] for rows in (new, with_gaps))
    assert (some > whole).all()


def test_batches_and_reports_take_gaps(model, sensors):
    pa = pytest.importorskip("pyarrow")
    rows = sensors[0][:4] + 1e-3
    rows[0, 2] = np.nan
    batch = pa.RecordBatch.from_arrays([pa.array(column) for column in rows.T], [f"f{i}" for i in range(8)])
    (placed,) = model.iter_transform([batch])
    assert np.allclose(np.column_stack([placed["x1"], placed["x2"]]), model.transform(rows))
    assert "<!DOCTYPE html>" in tangency.report(model, X=rows).html


def test_what_needs_whole_rows_says_so(model, sensors, hidden):
    X = np.where(hidden, np.nan, sensors[0])
    for call in (lambda: tangency.embed(X, "pca"),):
        with pytest.raises(ValueError, match="NaN"):
            call()


def test_rows_can_be_left_out_or_refused(sensors, hidden):
    X = np.where(hidden, np.nan, sensors[0])
    with pytest.warns(UserWarning, match="lack an entry and were left out"):
        dropped = LLLVM(missing="drop", max_iter=5, connect=True).fit(X)
    assert np.array_equal(dropped.rows_, np.flatnonzero(~hidden.any(axis=1)))
    with pytest.raises(ValueError, match="contains NaN"):
        LLLVM(missing="error").fit(X)
    with pytest.raises(ValueError, match="missing is "):
        LLLVM(missing="mean").fit(X)
    X[3] = np.nan
    with pytest.raises(ValueError, match="has no value at all"):
        LLLVM().fit(X)
    X[3] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        LLLVM().fit(X)


def test_what_pandas_calls_missing_is_missing(table):
    frame = pd.DataFrame(np.round(100 * table)).astype("Int64")
    frame.loc[4, 1] = pd.NA
    assert list(LLLVM(max_iter=3).fit(frame).imputed_["row"]) == [4]


def test_they_are_saved(model, tmp_path):
    model.save(tmp_path / "m.safetensors")
    assert np.array_equal(tangency.load(tmp_path / "m.safetensors").imputed_, model.imputed_)


def test_graphs_are_compared_by_what_rows_have(sensors, hidden):
    X = np.where(hidden, np.nan, sensors[0])
    grid = {"n_neighbors": [6, 9], "n_components": 2, "seeds": 1, "max_iter": 10, "init": "isomap", "connect": True}
    found = tangency.select(X, **grid)
    assert [row["held_out_rows"] for row in found.summary] == [200, 200]
    assert found.best_model(X).imputed_ is not None
    whole = int((~hidden.any(axis=1)).sum())
    dropped = tangency.select(X, **grid, missing="drop", by="bound")
    assert all(row["mean"] is not None for row in dropped.summary)
    assert len(dropped.best_model(X).embedding_) == whole
    with pytest.raises(ValueError, match="NaN|missing"):
        tangency.select(X, **grid, missing="error")


def test_other_methods_get_gaps_filled_in(sensors, hidden):
    X = np.where(hidden, np.nan, sensors[0])
    with pytest.warns(UserWarning, match="filled in from the nearest rows"):
        found = tangency.compare(X, truth=sensors[1], methods=["ll-lvm", "pca", "isomap"], connect=True, max_iter=30)
    assert found.filled_in["entries"] == hidden.sum() and found.filled_in["rows"] == hidden.any(axis=1).sum()
    assert all(not record["failed"] and record["trustworthiness"] > 0.8 for record in found.records)
    assert found.model.imputed_ is not None and "filled in from the nearest rows" in found.report().html
    assert tangency.compare(sensors[0], methods=["pca"]).filled_in is None
