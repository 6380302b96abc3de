"""What methods return shows itself in short, has all of it as a pandas frame, and is otherwise what it was."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas
import pytest

import tangency
from tangency import LLLVM, Loadings, datasets
from tangency._shown import Records, bytes_in_words, cell, markup, text

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def table():
    X, _ = datasets.make_s_curve(120, random_state=1)
    return pandas.DataFrame(X, columns=["east", "north", "up"])


@pytest.fixture(scope="module")
def model(table):
    return LLLVM(n_neighbors=8).fit(table)


def test_loadings_are_a_pair_of_arrays_with_a_frame(model):
    found = model.loadings([3, 4])
    mean, std = found
    assert isinstance(found, tuple) and isinstance(found, Loadings) and mean.shape == std.shape == (3, 2)
    assert found.mean is mean and found.std is std and found.features == ["east", "north", "up"]
    frame = found.to_pandas()
    assert list(frame.columns) == ["x1", "x2", "x1_std", "x2_std"] and list(frame.index) == found.features
    np.testing.assert_array_equal(frame.to_numpy(), np.hstack([mean, std]))
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found) and (again.mean == mean).all()


def test_loadings_show_the_strongest_features_first(model):
    found = model.loadings()
    lines = repr(found).splitlines()
    assert lines[0].split() == ["feature", "x1", "x2"]
    assert [line.split()[0] for line in lines[1:]] == [found.features[row] for row in found.order]
    row, first = found.order[0], lines[1]
    assert f"{found.mean[row, 0]:.4g} ± {found.std[row, 0]:.2g}" in first
    assert found._repr_html_().count("<tr>") == 4


def test_a_summary_is_a_dictionary_that_shows_a_few_lines(model):
    found = model.summary()
    assert json.loads(json.dumps(found)) == found and found["n"] == 120
    shown = repr(found)
    assert len(shown.splitlines()) <= 6
    assert "120 points of 3 features, 2 coordinates: x1 spreads by" in shown
    assert f"bound {model.lower_bound_:.1f} nats" in shown and f"{len(model.edges_)} edges" in shown
    assert "<br>" in found._repr_html_()


def test_a_summary_says_what_to_know(table):
    found = LLLVM(n_neighbors=8, max_iter=2).fit(table).summary()
    assert "did not converge in 2 iterations" in repr(found)
    assert f"warning: {found['warnings'][0]}" in repr(found)


@pytest.mark.parametrize("by", ["bound", "held-out"])
def test_a_selection_shows_its_candidates(table, by):
    found = tangency.select(table, n_neighbors=[6, 8], n_components=[1, 2], seeds=1, max_iter=30, by=by)
    assert isinstance(found.summary, list) and found.summary[0] is found.best_
    lines = repr(found.summary).splitlines()
    assert len(lines) == 5 and lines[1].startswith(found.best_["graph"])
    assert ("held_out" in lines[0]) == (by == "held-out")
    frame = found.summary.to_pandas()
    assert len(frame) == 4 and list(frame.columns) == list(found.summary[0])
    assert repr(found) in found._repr_html_() and "<table>" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found.summary))._fields == found.summary._fields


def test_long_tables_are_cut_and_what_is_missing_is_a_dash():
    rows = Records([{"a": number, "b": None} for number in range(40)], ["a", "b"])
    lines = repr(rows).splitlines()
    assert lines[0].split() == ["a", "b"] and lines[1].split() == ["0", "–"]
    assert lines[-1] == "… and 28 more; to_pandas() has all" and len(lines) == 14
    assert rows._repr_html_().count("<tr>") == 41


def test_cells_and_sizes():
    assert [cell(value) for value in (None, np.nan, True, np.bool_(False), 1234.5678, 7, "x")] == [
        "–", "–", "yes", "no", "1235", "7", "x",
    ]  # fmt: skip
    assert text(["a"], []) == "a"
    assert markup(["<"], [["&"]]) == (
        "<table><thead><tr><th>&lt;</th></tr></thead><tbody><tr><td>&amp;</td></tr></tbody></table>"
    )
    assert [bytes_in_words(size) for size in (12, 1200, 3_400_000)] == ["12 bytes", "1.2 kB", "3.4 MB"]
