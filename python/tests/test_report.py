"""The report of a model in Python is the page that the command makes, with the labels and new rows that are given."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path

import numpy as np
import pandas
import pytest
from sklearn.exceptions import NotFittedError

import tangency
from tangency import LLLVM, datasets

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def model() -> LLLVM:
    X, _ = datasets.make_s_curve(120, random_state=1)
    return LLLVM(n_neighbors=8, max_iter=30).fit(X)


def data(page: str) -> dict:
    return json.loads(re.search(r'<script id="tangency-data" type="application/json">(.*?)</script>', page, re.S)[1])


def floats(array: dict) -> np.ndarray:
    return np.frombuffer(base64.b64decode(array["f32"]), "<f4").reshape(array["shape"])


def test_the_page_holds_the_numbers_of_the_model(model):
    found = data(tangency.report(model, title="here").html)
    assert (found["title"], found["n_points"], found["n_new"], found["n_components"]) == ("here", 120, 0, 2)
    np.testing.assert_allclose(floats(found["coordinates"]), model.embedding_, rtol=1e-6)
    assert found["bound"]["final"] == model.lower_bound_
    assert found["command"] == "tangency.LLLVM(max_iter=30, n_neighbors=8).fit(X)"


def test_labels_and_new_rows_are_shown_and_stay_text(model):
    new, _ = datasets.make_s_curve(4, random_state=2)
    page = tangency.report(
        model,
        new,
        labels=[HOSTILE] * 120,
        ids=np.arange(120),
        new_labels=["a", "b", None, np.nan],
        new_ids=list("wxyz"),
    )
    assert HOSTILE not in page.html
    found = data(page.html)
    assert found["labels"][0] == HOSTILE and found["labels"][120:] == ["a", "b", "", ""]
    assert found["ids"][119:122] == ["119", "w", "x"]
    np.testing.assert_allclose(floats(found["coordinates"])[120:], model.transform(new), rtol=1e-5, atol=1e-6)


def test_it_is_saved_whole_and_shows_itself_in_a_notebook(model, tmp_path: Path):
    page = tangency.report(model, path=tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page.html
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"]
    assert page._repr_html_().startswith("<iframe") and "<script>" not in page._repr_html_()


def test_the_path_may_come_second_or_third(model, tmp_path: Path):
    new, _ = datasets.make_s_curve(4, random_state=2)
    page = tangency.report(model, tmp_path / "a.html")
    assert page.path == tmp_path / "a.html" and page.path.stat().st_size == page.size
    assert data(tangency.report(model, new, str(tmp_path / "b.html")).html)["n_new"] == 4
    assert (tmp_path / "b.html").exists()
    with pytest.raises(ValueError, match="there are two paths; give one"):
        tangency.report(model, "a.html", path="b.html")
    labels = pandas.Series(["a"] * 120)
    with pytest.raises(ValueError, match="path is of type Series; give the name of a file, and labels by labels="):
        tangency.report(model, "a.html", labels)
    with pytest.raises(ValueError, match="X is one column, but new rows have all features; give labels by labels="):
        tangency.report(model, labels)
    with pytest.raises(FileNotFoundError, match=r"nowhere.a\.html: its folder does not exist; make it first"):
        tangency.report(model, tmp_path / "nowhere" / "a.html")


def test_a_model_makes_its_report(model, tmp_path: Path):
    page = model.report(tmp_path / "r.html", labels=np.arange(120), title="here")
    assert page.html == tangency.report(model, labels=np.arange(120), title="here").html
    assert page.path == tmp_path / "r.html"


def test_it_says_where_it_is_and_opens_in_the_browser(model, tmp_path: Path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    page = tangency.report(model)
    assert page.path is None and "not written yet" in repr(page)
    page.show()
    assert opened == [page.path.as_uri()] and page.path.read_text(encoding="utf-8") == page.html
    page.save(tmp_path / "here.html")
    assert repr(page) == f"Report of {page.size / 1e3:.1f} kB, written to {tmp_path / 'here.html'}, show() opens it"
    page.show()
    assert opened[1:] == [(tmp_path / "here.html").as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda url: False)
    with pytest.warns(UserWarning, match="no browser could be opened; the page is .*here.html"):
        page.show()


def test_the_index_of_a_frame_names_its_rows():
    X, _ = datasets.make_s_curve(120, random_state=1)
    new, _ = datasets.make_s_curve(2, random_state=2)
    names = [f"site {i}" for i in range(120)]
    model = LLLVM(n_neighbors=8, max_iter=5).fit(pandas.DataFrame(X, index=names))
    page = tangency.report(model, pandas.DataFrame(new, index=["u", "v"]))
    assert data(page.html)["ids"] == [*names, "u", "v"]
    assert data(tangency.report(model, ids=range(120)).html)["ids"][5] == "5"
    # an index that only counts says nothing
    plain = LLLVM(n_neighbors=8, max_iter=5).fit(pandas.DataFrame(X))
    assert data(tangency.report(plain).html)["ids"] is None


def test_labels_keep_their_name_and_other_columns_are_colours_too(model):
    cells = pandas.DataFrame({"depth": 0.5, "species": ["a", None] * 60, "day": pandas.Timestamp("2020-01-02")})
    found = data(tangency.report(model, labels=cells["species"]).html)
    assert found["label_name"] == "species" and found["labels"][:2] == ["a", ""]
    found = data(tangency.report(model, labels=cells).html)
    assert found["label_name"] == "species"
    assert {column["name"]: column["cells"][0] for column in found["carried"]} == {
        "day": "2020-01-02 00:00:00",
        "depth": "0.5",
    }
    assert "label_name" not in data(tangency.report(model, labels=["a"] * 120).html)
    assert data(tangency.report(model, labels=cells[["depth"]]).html)["label_name"] == "depth"
    with pytest.raises(ValueError, match="labels is a data frame without columns"):
        tangency.report(model, labels=cells[[]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"labels": ["a"]}, "labels has 1 entries but there are 120"),
        ({"image": (2, 2)}, "image is 2x2, but the model has 3 features"),
        ({"image": (0, 3)}, "image height is 0; use a whole number, at least 1"),
        ({"X": np.zeros((2, 5))}, "features"),
        ({"new_ids": ["a"]}, "new_ids has 1 entries"),
    ],
)
def test_wrong_input_is_refused(model, arguments, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        tangency.report(model, **arguments)


def test_a_model_must_be_fitted():
    with pytest.raises(NotFittedError):
        tangency.report(LLLVM())
    with pytest.raises(ValueError, match="give a fitted LLLVM"):
        tangency.report("model")


def test_a_page_from_python_gives_calls_and_no_commands(model, tmp_path, monkeypatch):
    found = data(tangency.report(model).html)
    assert found["python"] is True
    refit, compare = found["graph"]["refit"], found["compare"]
    assert refit.startswith("tangency.LLLVM(max_iter=30).fit(X, graph=numpy.loadtxt(")
    assert compare.startswith("tangency.select(X, n_neighbors=[") and "n_components=[1, 2, 3]" in compare
    # both can be run as they stand
    monkeypatch.chdir(tmp_path)
    pairs = np.argwhere(np.triu(model.graph_.toarray() != 0))
    np.savetxt("kept.csv", pairs, fmt="%d", delimiter=",", header="i,j", comments="")
    X, _ = datasets.make_s_curve(120, random_state=1)
    names = {"tangency": tangency, "numpy": np, "X": X}
    assert eval(refit, names).embedding_.shape == model.embedding_.shape
    short = compare.replace("[1, 2, 3]", "2, seeds=1").replace("max_iter=30", "max_iter=5")
    assert eval(short, names).best_["n_components"] == 2


def test_calls_leave_out_what_cannot_be_typed():
    X, _ = datasets.make_s_curve(60)
    edges = np.argwhere(np.triu(LLLVM(n_neighbors=8, max_iter=3).fit(X).graph_.toarray() != 0))
    found = data(LLLVM(graph=edges, max_iter=3).fit(X).report().html)
    assert 'graphs={"own": graph}' in found["compare"] and "graph=…" in found["command"]
    # of a graph that only the call had the page knows too
    found = data(LLLVM(max_iter=3).fit(X, graph=edges).report().html)
    assert 'graphs={"own": graph}' in found["compare"] and found["command"].endswith(".fit(X, graph=graph)")
    found = data(LLLVM(radius=1.5, max_iter=3).fit(X).report().html)
    assert "radius=[1.125, 1.5, 2.25]" in found["compare"]


def test_a_number_of_numpy_is_a_number_of_neighbors():
    X, _ = datasets.make_s_curve(60)
    page = LLLVM(n_neighbors=np.int32(9), max_iter=3).fit(X).report().html
    assert "n_neighbors=[6, 9, 13]" in data(page)["compare"]
