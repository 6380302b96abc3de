"""A comparison tells what it did, on any number of threads, and is what each method gives alone."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pandas
import pytest
from sentences import is_a_sentence
from sklearn.neighbors import kneighbors_graph
from test_parallel import interrupted
from test_report import data

import tangency
from tangency import LLLVM, Comparison, _settings, compare, datasets, embed, quality

MEASURES = [
    "procrustes",
    "affine_r2",
    "truth_trustworthiness",
    "truth_continuity",
    "trustworthiness",
    "continuity",
    "explained",
    "log_density",
    "geodesic_correlation",
    "knn_error",
    "knn_error_deviation",
]
SOME = ["ll-lvm", "ll-lvm-pruned", "isomap", "pca", "lle"]


@pytest.fixture(scope="module")
def compared(curve):
    X, truth = curve
    classes = np.where(truth[:, 0] > np.median(truth[:, 0]), "far", "near")
    return compare(X, truth=truth, labels=classes, methods=SOME)


def test_a_record_holds_what_was_done_and_every_measure(compared, curve):
    X, truth = curve
    assert isinstance(compared, Comparison) and compared.complete
    assert [record["method"] for record in compared.records] == SOME == list(compared.embeddings)
    for record in compared.records:
        head = ["method", "settings", "seconds", "peak_mib", "mean_rank", "objective"]
        assert list(record) == [*head, *MEASURES, "note", "failed"]
        assert record["seconds"] > 0 and record["peak_mib"] > 0.01 and not record["failed"]
        assert all(isinstance(record[name], float) for name in MEASURES)
        found = compared.embeddings[record["method"]]
        assert record["procrustes"] == quality.procrustes(found, truth)
        assert record["affine_r2"] == quality.affine_r2(found, truth)
        assert record["truth_continuity"] == quality.continuity(truth, found)
        assert record["trustworthiness"] == pytest.approx(quality.trustworthiness(X, found), abs=1e-3)
    by_name = {record["method"]: record for record in compared.records}
    assert by_name["isomap"]["settings"] == "k=9" and by_name["lle"]["settings"] == "k=9 reg=0.001"
    assert by_name["isomap"]["objective"] is None and "edges removed" in by_name["ll-lvm-pruned"]["note"]
    assert by_name["ll-lvm"]["procrustes"] < 0.05 < by_name["pca"]["procrustes"]
    np.testing.assert_array_equal(compared.rows, np.arange(150))


def test_embeddings_are_those_of_the_methods_alone(compared, curve):
    X, _ = curve
    for method in ("isomap", "pca", "lle"):
        np.testing.assert_array_equal(compared.embeddings[method], embed(X, method).coordinates)
    model = LLLVM(connect=False).fit(X)
    np.testing.assert_array_equal(compared.embeddings["ll-lvm"], model.embedding_)
    np.testing.assert_array_equal(compared.model.embedding_, model.embedding_)
    assert compared.records[0]["objective"] == model.lower_bound_
    assert compared.model.get_params() == model.get_params()
    assert compared.model.transform(X[:3] + 0.01).shape == (3, 2)
    pruned = LLLVM(connect=False, prune=True).fit(X)
    np.testing.assert_array_equal(compared.embeddings["ll-lvm-pruned"], pruned.embedding_)


def test_it_repeats_on_any_number_of_threads(compared, curve):
    X, truth = curve
    again = compare(X, truth=truth, methods=SOME, n_jobs=1)
    for method in SOME:
        np.testing.assert_array_equal(again.embeddings[method], compared.embeddings[method])


def test_it_shows_itself_as_a_table(compared):
    lines = repr(compared).splitlines()
    known = "method settings seconds MiB rank Procrustes R² trust (truth) cont. (truth)"
    assert lines[0].split() == f"{known} trust continuity explained density geodesic 1-NN error ±".split()
    # the best by measures that need no truth first
    ranked = sorted(compared.records, key=lambda record: record["mean_rank"])
    assert [line.split()[0] for line in lines[1:6]] == [record["method"] for record in ranked]
    assert sum(record["mean_rank"] for record in ranked) == pytest.approx(15)
    assert lines[6].startswith("rank: ") and lines[7].startswith("ll-lvm-pruned: ")
    page = compared._repr_html_()
    assert page.count("<tr>") == 6 and page.count("<th>") == page.count("<td>") // 5
    frame = compared.to_pandas()
    assert frame.shape == (5, 19) and list(frame["method"]) == SOME


def test_names_in_a_page_stay_text(compared):
    changed = pickle.loads(pickle.dumps(compared))
    changed.records[0]["note"] = "<script>alert(1)</script>"
    assert "<script>" not in changed._repr_html_()


def test_labels_and_rows_keep_their_names(table):
    frame = pandas.DataFrame(table, index=[f"site {i}" for i in range(len(table))])
    labels = pandas.Series(np.arange(len(table)) % 2, name="half")
    found = compare(frame, labels=labels, methods=["ll-lvm", "pca"], max_iter=5)
    page = found.report().html
    assert '"label_name":"half"' in page and '"site 3"' in page
    assert found.plot().axes[1].get_legend().get_title().get_text() == "half"


def test_nothing_known_leaves_measures_out(table):
    found = compare(table, methods="pca")
    (record,) = found.records
    of_truth, of_labels = MEASURES[:4], MEASURES[-2:]
    assert [record[name] for name in of_truth + of_labels] == [None] * 6
    assert all(isinstance(record[name], float) for name in MEASURES[4:-2]) and record["mean_rank"] == 1
    assert found.model is None and "Procrustes" not in repr(found) and "1-NN" not in found._repr_html_()
    with pytest.raises(ValueError, match="put 'll-lvm' among the methods"):
        found.report()


def test_all_methods_are_run_and_what_takes_too_long_is_left_out(monkeypatch):
    monkeypatch.setattr("tangency._compare.GPLVM_ITERATIONS", 5)
    X, truth = datasets.make_s_curve(80, random_state=2)
    found = compare(X, truth=truth[:, 0], n_neighbors=7, n_inducing=8, max_iter=20)
    assert [record["method"] for record in found.records] == list(_settings.ENTRANTS)
    assert {record["method"]: record["note"] for record in found.records}["gplvm"] == "not converged"
    native = tangency._tangency.Comparison(
        np.random.default_rng(0).normal(size=(2001, 2)),
        _settings.config(LLLVM().get_params()),
        "{}",
        None,
        None,
        None,
        [],
        1,
    )
    assert [name for name in _settings.ENTRANTS if native.left_out(name)] == ["gplvm"]
    from tangency._compare import _left_out

    with pytest.warns(UserWarning, match="gplvm was left out: every step of it costs the cube of 2001 points"):
        assert _left_out(native, "gplvm")


def test_settings_are_those_of_the_model_and_of_the_arguments(table):
    model = LLLVM(n_components=1, n_neighbors=7, lam=1.0, nu=0.0, random_state=3)
    found = compare(table, methods=["ll-lvm", "isomap"], model=model)
    assert found.embeddings["isomap"].shape == (150, 1) and found.records[1]["settings"] == "k=7"
    assert not hasattr(model, "embedding_") and found.model.get_params() == model.get_params()
    np.testing.assert_array_equal(found.model.embedding_, model.fit(table).embedding_)
    other = compare(table, methods="ll-lvm", model=model, n_components=2, n_neighbors=8, init="spectral")
    assert other.embeddings["ll-lvm"].shape == (150, 2)
    assert other.records[0]["settings"] == "k=8 init=spectral lambda=1 nu=0"
    graph = kneighbors_graph(table, 6)
    assert compare(table, methods="isomap", graph=graph).records[0]["settings"] == "own edges"


def test_names_of_features_stay_with_the_model(table):
    frame = pandas.DataFrame(table, columns=list("abc"))
    found = compare(frame, methods="ll-lvm", max_iter=3)
    assert list(found.model.feature_names_in_) == list("abc")
    assert found.model.transform(frame[:3]).shape == (3, 2)


def test_a_graph_in_pieces(broken):
    X, truth = broken
    labels = np.arange(150) % 2
    with pytest.raises(ValueError) as error:
        compare(X, methods=["pca"])
    is_a_sentence(error.value, "2 pieces", "connect=True", "largest=True")
    cut = compare(X, truth=truth, labels=labels, methods=["isomap", "pca"], largest=True)
    np.testing.assert_array_equal(cut.rows, np.arange(90))
    assert all(len(found) == 90 for found in cut.embeddings.values())
    assert cut.records[0]["procrustes"] == quality.procrustes(cut.embeddings["isomap"], truth[:90])
    joined = compare(X, methods=["isomap"], connect=True)
    assert len(joined.embeddings["isomap"]) == 150


def test_a_method_that_fails_says_why_and_the_others_go_on(table, tmp_path):
    found = compare(table, methods=["ltsa", "pca"], n_neighbors=2, connect=True)
    failed, fine = found.records
    assert failed["failed"] and not fine["failed"] and found.complete
    assert "2 neighbours, but more than n_components, which is 2, are needed" in failed["note"]
    assert failed["procrustes"] is None
    assert list(found.embeddings) == ["pca"] and "ltsa: failed" in repr(found)
    assert b"2 neighbours" in found.figure(tmp_path / "a.svg").read_bytes()
    nothing = compare(table, methods="ltsa", n_neighbors=2, connect=True)
    assert nothing.embeddings == {} and nothing.records[0]["failed"]
    with pytest.raises(ValueError, match="cannot be drawn"):
        nothing.figure(tmp_path / "b.svg")
    with pytest.raises(ValueError, match="no method found an embedding"):
        nothing.plot()
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_figures_are_files_of_their_kind(compared, tmp_path):
    begins = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for kind, start in begins.items():
        path = compared.figure(tmp_path / f"all.{kind}")
        assert path.read_bytes().startswith(start), kind
    assert b"far" in (tmp_path / "all.svg").read_bytes() and b"150 points" in (tmp_path / "all.svg").read_bytes()
    numbers = compared.figure(tmp_path / "numbers.svg", colour=np.arange(150.0), title="mine").read_bytes()
    assert b"mine" in numbers and b"far" not in numbers
    with pytest.raises(ValueError) as error:
        compared.figure(tmp_path / "all.jpg")
    is_a_sentence(error.value, "a name that ends in .svg, .png or .pdf")
    with pytest.raises(ValueError, match="labels has 3 entries"):
        compared.figure(tmp_path / "x.svg", colour=[1, 2, 3])


def test_pictures_have_a_panel_a_method(compared, table):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    figure = compared.plot()
    figure.canvas.draw()
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert [title for title in titles if title] == ["truth", *SOME]
    assert [text.get_text() for text in figure.axes[2].get_legend().get_texts()] == ["far", "near"]
    numbers = compared.plot(np.arange(150), n_columns=2, size=3)
    numbers.canvas.draw()
    assert numbers.axes[-1].get_label() == "<colorbar>"
    compare(table, methods=["pca"]).plot().canvas.draw()
    with pytest.raises(ValueError, match="n_columns is 0"):
        compared.plot(n_columns=0)
    plt.close("all")


def test_the_report_has_the_others_beside_the_model(compared, tmp_path):
    page = compared.report(tmp_path / "page.html", title="side by side")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    found = data(page.html)
    assert found["title"] == "side by side" and found["labels"][:1] == [compared._labels[0]]
    assert [other["name"] for other in found["comparisons"]] == ["truth", *SOME[1:]]


def test_a_comparison_can_be_pickled(compared, tmp_path):
    again = pickle.loads(pickle.dumps(compared))
    assert repr(again) == repr(compared) and again.records == compared.records
    np.testing.assert_array_equal(again.model.embedding_, compared.model.embedding_)
    assert again.figure(tmp_path / "a.svg").read_bytes() == compared.figure(tmp_path / "b.svg").read_bytes()


def test_progress_of_a_comparison_is_told(table, capsys):
    compare(table, methods=["pca", "isomap"], verbose=True)
    assert "isomap (2 of 2)" in capsys.readouterr().err


NOT_COMPARED = [
    ({"methods": "tsne"}, ["methods names 'tsne'", "'all' or any of 'll-lvm'"]),
    ({"methods": "pca,lle"}, ["methods names 'pca,lle'"]),
    ({"methods": []}, ["methods is empty"]),
    ({"methods": 3}, ["methods is 3", "'all' or a list"]),
    ({"methods": ["pca", 3]}, ["methods names 3"]),
    ({"truth": np.zeros((3, 2))}, ["truth has 3 rows but X has 150"]),
    ({"truth": np.full((150, 2), np.nan)}, ["Input truth contains NaN"]),
    ({"labels": ["a"]}, ["labels has 1 entries", "150"]),
    ({"labels": ["a"] * 150}, ["all labels are the same", "two classes"]),
    ({"labels": ["a", np.nan] * 75}, ["labels has no entry at 1"]),
    ({"model": "LLLVM"}, ["model is of type str"]),
    ({"k": 3}, ["compare has no setting 'k'", "n_neighbors"]),
    ({"prune": True}, ["compare has no setting 'prune'"]),
    ({"init": np.zeros((150, 2))}, ["init is an array", "use a word"]),
    ({"model": LLLVM(metric="precomputed")}, ["use metric='euclidean'"]),
    ({"n_neighbors": 0}, ["n_neighbors is ", "; use a whole number, at least 1"]),
    ({"regularization": -1}, ["regularization is ", "; use a positive number"]),
    ({"n_inducing": 1.5}, ["n_inducing is ", "; use a whole number"]),
    ({"graph": "knn"}, ["adjacency"]),
    ({"max_iter": 0}, ["max_iter is ", "; use a whole number, at least 1"]),
]


@pytest.mark.parametrize(
    ("options", "words"), NOT_COMPARED, ids=[_settings.shown(options)[:40] for options, _ in NOT_COMPARED]
)
def test_what_cannot_be_compared_is_refused(table, options, words):
    with pytest.raises(ValueError) as error:
        compare(table, **({"methods": ["pca"]} | options))
    is_a_sentence(error.value, *words)


def test_the_command_gives_the_same(compared, curve, tmp_path):
    command = os.environ.get("TANGENCY_COMMAND")
    if not command:
        pytest.skip("TANGENCY_COMMAND does not name the command")
    X, truth = curve
    frame = pandas.DataFrame(np.column_stack([X, truth]), columns=["a", "b", "c", "t1", "t2"])
    frame["class"] = compared._labels
    frame.to_csv(tmp_path / "table.csv", index=False)
    run = [command, "compare", tmp_path / "table.csv", "--truth", "t1,t2", "--label-column", "class"]
    subprocess.run([*run, "--methods", ",".join(SOME), "--out", tmp_path / "out.csv"], check=True, capture_output=True)
    theirs = pandas.read_csv(tmp_path / "out.csv", keep_default_na=False)
    assert list(theirs["method"]) == SOME
    for name in ("settings", "note"):
        assert list(theirs[name]) == [record[name] for record in compared.records]
    for name in ("procrustes", "continuity", "geodesic_correlation", "knn_error"):
        np.testing.assert_allclose(theirs[name].astype(float), [record[name] for record in compared.records], rtol=1e-9)


# ---- Ctrl-C and imports


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads cannot be counted")
def test_ctrl_c_ends_a_comparison_and_keeps_what_ran():
    work = """
from tangency import compare, _progress
tell = _progress.Bar._tell
def told(bar, step, *news):
    if step.startswith("gplvm") and news[0]:
        print("began", flush=True)
_progress.Bar._tell = told
made = compare(X, methods=["pca", "gplvm", "bayesian-gplvm"], verbose=True)
found = dict(methods=[record["method"] for record in made.records], complete=made.complete,
             note=made.records[-1]["note"], shapes=[e.shape for e in made.embeddings.values()])
"""
    found = interrupted(work, title="-", n=600)
    assert found["methods"] == ["pca", "gplvm"] and not found["complete"] and found["note"] == "interrupted"
    assert found["shapes"] == [[600, 2]] * 2
    assert "interrupted: 2 of 3 methods ran" in found["warnings"]


def test_importing_the_package_is_still_quick():
    code = "import sys, tangency; sys.exit('sklearn' in sys.modules or 'tangency._compare' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
