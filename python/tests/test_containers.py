"""A table may come in any container, layout and type: the same numbers give the same bits; nothing is written to."""

from __future__ import annotations

import copy

import numpy as np
import pandas
import polars
import pytest
from sklearn.neighbors import KNeighborsTransformer
from small_models import at_an_odd_address, quick, same, spread_out

from tangency import LLLVM

# short runs of small tables warn; pytest.warns sees that all the same
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def as_memmap(table, folder):
    np.save(folder / "table.npy", table)
    return np.load(folder / "table.npy", mmap_mode="r")


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


@pytest.mark.parametrize("settings", [{}, {"n_init": 2, "init": "random"}])
def test_the_index_of_a_frame_is_kept_with_the_model(settings, table, tmp_path):
    given = table.copy()
    given[3] = np.nan
    frame = pandas.DataFrame(given, index=pandas.MultiIndex.from_product([["a", "b", "c"], range(50)]))
    model = LLLVM(missing="drop", max_iter=5, **settings).fit(frame)
    assert model._native.ids[:4] == ["a, 0", "a, 1", "a, 2", "a, 4"]
    model.save(tmp_path / "m.safetensors")
    assert LLLVM.load(tmp_path / "m.safetensors")._native.ids == model._native.ids
    assert quick().fit(pandas.DataFrame(table))._native.ids is None
    assert quick().fit(polars.DataFrame(table, schema=["a", "b", "c"]))._native.ids is None


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
