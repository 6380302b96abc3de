"""Wrong input raises the exception that scikit-learn users expect, with one sentence; nothing panics."""

from __future__ import annotations

import pathlib

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.neighbors import KNeighborsTransformer
from sklearn.preprocessing import StandardScaler

import tangency
from tangency import LLLVM, _settings, _tangency, datasets
from tangency._tangency import Model

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def is_a_sentence(error, *words):
    text = str(error)
    assert text and "\n" not in text, text
    assert "--" not in text and "panic" not in text and "state that should not be" not in text, text
    assert "np.float64" not in text, text
    for word in words:
        assert word in text, f"{word!r} is not in {text!r}"


def quick(**params):
    return LLLVM(**({"max_iter": 3, "init": "spectral"} | params))


# ---- tables

TABLES = {
    "one dimension": (lambda X: X[:, 0], ValueError, ["2D", "reshape(-1, 1)", "reshape(1, -1)"]),
    "no dimension": (lambda X: 3.0, ValueError, ["2D"]),
    "nothing": (lambda X: None, ValueError, ["2D"]),
    "three dimensions": (lambda X: X[None], ValueError, ["dim 3"]),
    "a series": (lambda X: pandas.Series(X[:, 0]), ValueError, ["2-dimensional", "DataFrame"]),
    "strings": (lambda X: [["a", "b"]] * 20, ValueError, ["'a'", "numbers", "leave them out"]),
    "a column of strings": (
        lambda X: pandas.DataFrame(X).assign(name="x"),
        ValueError,
        ["'x'", "numbers", "leave them out"],
    ),
    "a column of dates": (
        lambda X: pandas.DataFrame(X).assign(day=pandas.Timestamp("2020-01-01")),
        TypeError,
        ["numbers", "leave them out"],
    ),
    "a dictionary": (lambda X: {"a": 1}, TypeError, ["dict"]),
    "rows of different lengths": (lambda X: [[1, 2], [1]] * 9, ValueError, ["shape"]),
    "complex numbers": (lambda X: X * 1j, ValueError, ["Complex data not supported", "real and imaginary"]),
    "a sparse matrix": (lambda X: sparse.csr_matrix(X), TypeError, ["Sparse", "toarray"]),
    "NaN": (lambda X: np.where(np.arange(150)[:, None] == 7, np.nan, X), ValueError, ["NaN", "[7, 0]", "3 in all"]),
    "infinity": (lambda X: np.where(X == X[4, 2], -np.inf, X), ValueError, ["infinity", "[4, 2]", "drop"]),
    "a missing value": (
        lambda X: pandas.DataFrame({"a": pandas.array([1, None] * 30, dtype="Int64"), "b": range(60)}),
        ValueError,
        ["NaN", "[1, 0]", "30 in all"],
    ),
    "no rows": (lambda X: X[:0], ValueError, ["0 sample(s)", "minimum of 3"]),
    "no features": (lambda X: X[:, :0], ValueError, ["0 feature(s)"]),
    "two rows": (lambda X: X[:2], ValueError, ["2 sample(s)", "minimum of 3"]),
    "as many rows as neighbours": (lambda X: X[:9], ValueError, ["n_neighbors", "9"]),
    "fewer features than coordinates": (lambda X: X[:, :1], ValueError, ["n_components", "1 feature(s)"]),
    "rows that are all the same": (lambda X: np.ones((30, 3)), ValueError, ["identical"]),
}


@pytest.mark.parametrize("case", TABLES)
def test_a_table_that_cannot_be_fitted_is_refused(case, table):
    make, kind, words = TABLES[case]
    for method in ("fit", "fit_transform"):
        with pytest.raises(kind) as error:
            getattr(LLLVM(max_iter=3), method)(make(table))
        is_a_sentence(error.value, *words)


NEW_ROWS = {
    name: case
    for name, case in TABLES.items()
    if "rows" not in name.split() and "features" not in name.split() and name != "a missing value"
} | {
    "no rows": (lambda X: X[:0], ValueError, ["0 sample(s)", "minimum of 1"]),
    "other features": (lambda X: X[:, :2], ValueError, ["2 features", "expecting 3 features"]),
    "rows that are too far": (lambda X: X * 1e250, ValueError, ["too far", "units"]),
}


@pytest.mark.parametrize("method", ["transform", "score", "score_samples", "novelty"])
@pytest.mark.parametrize("case", NEW_ROWS)
def test_new_rows_that_cannot_be_placed_are_refused(case, method, table, fitted):
    if (case, method) == ("nothing", "score"):
        return  # of the rows that were fitted
    make, kind, words = NEW_ROWS[case]
    with pytest.raises(kind) as error:
        getattr(fitted, method)(make(table))
    is_a_sentence(error.value, *words)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda Z: Z[:, 0], ["2D", "reshape"]),
        (lambda Z: Z[:, :1], ["1", "2 coordinates"]),
        (lambda Z: np.hstack([Z, Z]), ["4", "2 coordinates"]),
        (lambda Z: Z * np.nan, ["NaN", "[0, 0]"]),
        (lambda Z: Z * 1e300, ["too far"]),
        (lambda Z: [["a", "b"]], ["'a'", "numbers"]),
    ],
)
def test_coordinates_that_cannot_be_turned_back_are_refused(make, words, fitted):
    with pytest.raises(ValueError) as error:
        fitted.inverse_transform(make(fitted.embedding_))
    is_a_sentence(error.value, *words)


def test_other_names_of_features_are_refused_in_the_words_of_scikit_learn(table):
    frame = pandas.DataFrame(table, columns=["a", "b", "c"])
    model = quick().fit(frame)
    for other in (frame[["b", "a", "c"]], frame.rename(columns={"a": "z"})):
        for method in (model.transform, model.score, model.score_samples, model.novelty):
            with pytest.raises(ValueError, match="The feature names should match"):
                method(other)


# ---- settings

NOT_WHOLE = ["9", 2.5, 2.0, True, None, np.nan, -1, 0, 10**30, [3], np.array([1, 2])]
NOT_POSITIVE = ["a", True, np.nan, np.inf, -1, -0.5, 10**400, [0.1], 1j]
SETTINGS = (
    [(name, value) for name in ("n_components", "n_neighbors", "n_init", "max_iter") for value in NOT_WHOLE]
    + [(name, value) for name in ("epsilon", "gamma0", "alpha0") for value in [*NOT_POSITIVE, None, 0]]
    + [(name, value) for name in ("tol", "coarse_tol") for value in [*NOT_POSITIVE, None]]
    + [(name, value) for name in ("ball_radius", "draws") for value in ("2", 2.0, True, -1, 10**30, [3])]
    + [("ball_radius", None)]
    + [("pca", value) for value in [*NOT_POSITIVE, 0, 1.01]]
    + [(name, value) for name in ("radius", "alpha", "lam") for value in [*NOT_POSITIVE, 0]]
    + [("nu", value) for value in NOT_POSITIVE]
    + [(name, value) for name in ("scaling", "symmetry", "metric", "uncertainty") for value in ("x", None, 3, ["or"])]
    + [(name, value) for name in ("engine", "neighbor_search") for value in ("x", None, 3, ["exact"])]
    + [("init", value) for value in ("x", None, 3, "coordinates", "maps", {}, [[1.0, 2.0]])]
    + [("feature_weight", value) for value in [*NOT_POSITIVE, None, 0, "plain"]]
    + [("heaviness", value) for value in [*NOT_POSITIVE, 1.01]]
    + [("edge_weights", value) for value in ("x", None, 3, ["plain"])]
    + [(name, value) for name in ("connect", "largest", "prune", "graph_likelihood") for value in ("yes", 1, None)]
    + [(name, value) for name in ("accelerate", "full_covariance") for value in ("yes", 1, None)]
    + [("random_state", value) for value in ("a", -1, 2**64, 1.5, True, [1], np.random.SeedSequence(1))]
    + [("n_jobs", value) for value in (0, "all", 1.5, True, [2])]
)


@pytest.mark.parametrize("name, value", SETTINGS, ids=[f"{n}={_settings.shown(v)[:25]}" for n, v in SETTINGS])
def test_a_setting_that_it_may_not_be_is_refused_by_name(name, value, table):
    params = {"init": "spectral", "lam": 1.0, "nu": 0.0} if name in ("lam", "nu") else {"init": "spectral"}
    with pytest.raises(ValueError) as error:
        LLLVM(**(params | {"max_iter": 3, name: value})).fit(table)
    is_a_sentence(error.value, f"{name} is ", "; use ")


COMBINATIONS = {
    "as many neighbours as rows": ({"n_neighbors": 150}, ["n_neighbors", "150"]),
    "more coordinates than features": ({"n_components": 4}, ["n_components", "3 feature(s)"]),
    "as many coordinates as rows": ({"n_components": 150}, ["n_components", "150"]),
    "lam without nu": ({"lam": 1.0}, ["lam is fixed", "nu is learned", "fix both"]),
    "nu without lam": ({"nu": 1.0}, ["nu is fixed", "lam is learned", "fix lam too"]),
    "the largest piece and joined pieces": ({"largest": True}, ["connect", "does not go with largest"]),
    "several of a start that is always the same": ({"init": "pca", "n_init": 2}, ["n_init", "random"]),
    "all covariances of factors": (
        {"full_covariance": True, "engine": "factorised"},
        ["factorised engine has no full_covariance", "exact"],
    ),
    "cells for the exact engine": (
        {"init": "coarse", "engine": "exact"},
        ["coarse", "does not go with", "exact", "another init"],
    ),
    "pieces of mutual neighbours": (
        {"connect": False, "symmetry": "mutual", "n_neighbors": 1},
        ["pieces", "larger n_neighbors", "connect=True", "largest=True"],
    ),
    "pieces within a radius": ({"connect": False, "radius": 1e-6}, ["150 pieces", "larger radius", "connect=True"]),
    "a largest piece that is too small": ({"connect": False, "largest": True, "radius": 1e-6}, ["at least 3"]),
    "numbers that cannot be computed with": (
        {"alpha": 1e300, "graph_likelihood": False},
        ["positive definite", "scaling"],
    ),
}


@pytest.mark.parametrize("case", COMBINATIONS)
def test_settings_that_do_not_go_together_are_refused(case, table):
    params, words = COMBINATIONS[case]
    with pytest.raises(ValueError) as error:
        LLLVM(**({"max_iter": 3} | params)).fit(table)
    is_a_sentence(error.value, *words)


def test_a_setting_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="k"):
        LLLVM(k=3)
    with pytest.raises(TypeError, match="k"):
        LLLVM.authors(k=3)
    with pytest.raises(ValueError, match="Invalid parameter 'k'"):
        LLLVM().set_params(k=3)


STARTS = {
    "too few rows": lambda X: X[:5, :2],
    "too few columns": lambda X: X[:, :1],
    "too many columns": lambda X: X,
    "one dimension": lambda X: X[:, 0],
    "maps the wrong way round": lambda X: np.zeros((150, 2, 3)),
    "strings": lambda X: np.full((150, 2), "a"),
    "complex numbers": lambda X: X[:, :2] * 1j,
    "booleans": lambda X: X[:, :2] > 0,
    "objects": lambda X: np.full((150, 2), None),
}


@pytest.mark.parametrize("case", STARTS)
def test_a_start_of_another_shape_or_type_is_refused(case, table):
    with pytest.raises(ValueError) as error:
        LLLVM(init=STARTS[case](table)).fit(table)
    is_a_sentence(error.value, "init is ", "(150, 2) (coordinates)", "(150, 3, 2) (maps)")


@pytest.mark.parametrize("value, word", [(np.nan, "NaN"), (-np.inf, "infinity")])
def test_a_start_that_is_not_finite_is_refused(value, word, table):
    for shape in ((150, 2), (150, 3, 2)):
        start = np.zeros(shape)
        start[(3, 1, 0)[: len(shape)]] = value
        with pytest.raises(ValueError) as error:
            LLLVM(init=start).fit(table)
        is_a_sentence(error.value, "init", word, "[3, 1")


# ---- graphs

GRAPHS = {
    "another size": (sparse.eye_array(5, format="csr"), ["5 × 5", "150 × 150"]),
    "a row too few": (sparse.csr_array((149, 150)), ["149 × 150", "150 × 150"]),
    "a point that is not there": (np.array([[0, 1], [2, 150]]), ["row 1", "0 to 149"]),
    "a point far away": (np.array([[0, 2**40]]), ["row 0", "0 to 149"]),
    "a negative point": (np.array([[0, -1]]), ["row 0", "0 to 149"]),
    "pairs of floats": (np.array([[0.0, 1.0]]), ["two columns", "float64"]),
    "three columns": (np.zeros((4, 3), dtype=int), ["two columns", "(4, 3)"]),
    "one dimension": (np.arange(4), ["two columns", "(4,)"]),
    "a word": ("knn", ["adjacency", "two columns", "transformer"]),
    "a function": (len, ["adjacency", "two columns", "transformer"]),
    "a number": (7, ["adjacency"]),
    "pieces": (np.array([[0, 1], [1, 2]]), ["148 pieces", "add edges", "connect=True", "largest=True"]),
    "no edges": (sparse.csr_array((150, 150)), ["150 pieces"]),
    "only loops": (np.array([[4, 4]]), ["150 pieces"]),
    "no pairs": (np.zeros((0, 2), dtype=int), ["150 pieces"]),
    "a dense adjacency with NaN": (np.full((150, 150), np.nan), ["finite", "0 where"]),
    "a sparse adjacency with infinity": (sparse.csr_array(np.full((150, 150), np.inf)), ["finite", "0 where"]),
    "an adjacency of strings": (np.full((150, 150), "a"), ["finite numbers"]),
    "another transformer": (StandardScaler(), ["sparse", "neighbours", "ndarray"]),
}


@pytest.mark.parametrize("case", GRAPHS)
def test_a_graph_that_does_not_belong_to_the_table_is_refused(case, table):
    graph, words = GRAPHS[case]
    with pytest.raises(ValueError) as error:
        quick(connect=False).fit(table, graph=graph)
    is_a_sentence(error.value, *words)
    with pytest.raises(ValueError):
        quick(connect=False, graph=graph).fit(table)


def test_more_neighbours_than_rows_are_refused_by_a_transformer_too(table):
    with pytest.raises(ValueError, match="n_neighbors"):
        quick(graph=KNeighborsTransformer(n_neighbors=150)).fit(table)


# ---- distances

DISTANCES = {
    "not square": (lambda D: D[:, :50], ["(150, 50)", "square"]),
    "not symmetric": (lambda D: D + np.triu(np.ones((150, 150)), 1), ["symmetric", "transpose"]),
    "negative": (lambda D: -D, ["Negative values in data", "distances"]),
    "similarities": (lambda D: np.exp(-D), ["zero on its diagonal", "similarities into distances"]),
    "all zero": (lambda D: 0 * D, ["all distances are zero"]),
    "missing": (lambda D: np.where(D > 3, np.nan, D), ["NaN"]),
    "sparse": (lambda D: sparse.csr_matrix(D), ["sparse", "graph="]),
    "one dimension": (lambda D: D[0], ["2D"]),
    "too few": (lambda D: D[:2, :2], ["2 sample(s)"]),
}


@pytest.mark.parametrize("case", DISTANCES)
def test_a_table_that_is_none_of_distances_is_refused(case, distances):
    make, words = DISTANCES[case]
    with pytest.raises(ValueError) as error:
        quick(metric="precomputed").fit(make(distances))
    is_a_sentence(error.value, *words)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda D: D[:3, :50], ["50 features", "expecting 150"]),
        (lambda D: -D[:3], ["Negative values in data"]),
        (lambda D: D[:3] * np.nan, ["NaN"]),
    ],
)
def test_new_rows_that_are_no_distances_are_refused(make, words, distances):
    model = quick(metric="precomputed").fit(distances)
    with pytest.raises(ValueError) as error:
        model.transform(make(distances))
    is_a_sentence(error.value, *words)


# ---- methods

METHODS = {
    "transform": lambda model, folder: model.transform(np.zeros((2, 3))),
    "inverse_transform": lambda model, folder: model.inverse_transform(np.zeros((2, 2))),
    "score": lambda model, folder: model.score(),
    "score of rows": lambda model, folder: model.score(np.zeros((2, 3))),
    "score_samples": lambda model, folder: model.score_samples(np.zeros((2, 3))),
    "novelty": lambda model, folder: model.novelty(np.zeros((2, 3))),
    "sample": lambda model, folder: model.sample(),
    "loadings": lambda model, folder: model.loadings(),
    "leave_one_out": lambda model, folder: model.leave_one_out(),
    "calibrate": lambda model, folder: model.calibrate(),
    "distance_interval": lambda model, folder: model.distance_interval(0, 1),
    "sample_embedding": lambda model, folder: model.sample_embedding(),
    "save": lambda model, folder: model.save(folder / "model.safetensors"),
    "transform_file": lambda model, folder: model.transform_file(folder / "a.csv", folder / "b.csv"),
    "iter_transform": lambda model, folder: list(model.iter_transform([np.zeros((2, 3))])),
    "plot": lambda model, folder: model.plot(),
    "get_feature_names_out": lambda model, folder: model.get_feature_names_out(),
}


@pytest.mark.parametrize("method", METHODS)
def test_a_model_that_is_not_fitted_says_so(method, tmp_path):
    with pytest.raises(NotFittedError) as error:
        METHODS[method](LLLVM(), tmp_path)
    is_a_sentence(error.value, "LLLVM", "not fitted yet", "fit")
    assert not list(tmp_path.iterdir())


CALLS = {
    "no samples": (lambda m: m.sample(0), ["n_samples is ", "; use a whole number, at least 1"]),
    "fewer than no samples": (lambda m: m.sample(-3), ["n_samples is ", "; use a whole number, at least 1"]),
    "half a sample": (lambda m: m.sample(0.5), ["n_samples is ", "; use a whole number"]),
    "a word of samples": (lambda m: m.sample("many"), ["n_samples is ", "; use a whole number"]),
    "a seed that is none": (lambda m: m.sample(1, random_state="x"), ["random_state is "]),
    "one part": (lambda m: m.calibrate(1), ["parts is ", "; use a whole number, at least 2"]),
    "more parts than rows": (lambda m: m.calibrate(151), ["parts", "150", "151"]),
    "a part of a part": (lambda m: m.calibrate(2.5), ["parts is ", "; use a whole number"]),
    "a point beyond the last": (lambda m: m.loadings([150]), ["point 150", "from 0 to 149"]),
    "a negative point": (lambda m: m.loadings(-1), ["points", "from 0 to 149"]),
    "no points": (lambda m: m.loadings([]), ["points is empty", "from 0 to 149"]),
    "points that are no numbers": (lambda m: m.loadings(["a"]), ["points"]),
    "a mask": (lambda m: m.loadings([True] * 150), ["points"]),
    "a table of points": (lambda m: m.loadings([[0, 1]]), ["points"]),
    "a point that is too large a number": (lambda m: m.loadings([2**70]), ["points"]),
    "a distance without covariances": (lambda m: m.distance_interval(0, 1), ["full_covariance"]),
    "draws without covariances": (lambda m: m.sample_embedding(), ["full_covariance"]),
    "a distance to no point": (lambda m: m.distance_interval(0, 150), ["j is 150; use", "at most 149"]),
    "a distance from a negative point": (lambda m: m.distance_interval(-1, 0), ["i is -1; use", "at least 0"]),
    "a distance from half a point": (lambda m: m.distance_interval(0.5, 0), ["i is ", "; use a whole number"]),
    "a level in per cent": (lambda m: m.distance_interval(0, 1, level=90), ["level is 90", "between 0 and 1"]),
    "a level of one": (lambda m: m.distance_interval(0, 1, level=1), ["level is 1", "between 0 and 1"]),
    "a level that is no number": (lambda m: m.distance_interval(0, 1, level="high"), ["level is ", "; use a number"]),
    "no draws": (lambda m: m.sample_embedding(0), ["n_draws is ", "; use a whole number, at least 1"]),
}


@pytest.mark.parametrize("case", CALLS)
def test_a_method_refuses_what_it_cannot_do(case, fitted):
    call, words = CALLS[case]
    with pytest.raises(ValueError) as error:
        call(fitted)
    is_a_sentence(error.value, *words)


@pytest.mark.parametrize(
    "call",
    [
        lambda model: model.sample(10**15),
        lambda model: model.sample(2**63 - 1),
        lambda model: model.sample_embedding(10**13),
        lambda model: datasets.make_s_curve(10**15),
        lambda model: datasets.make_helix(2**63 - 1),
    ],
)
def test_more_than_there_is_room_for_is_refused(call, fitted):
    with pytest.raises(MemoryError) as error:
        call(fitted)
    is_a_sentence(error.value, "no room for so many; use a smaller")


def test_a_fit_that_does_not_fit_in_memory_is_refused():
    with pytest.raises(MemoryError) as error:
        LLLVM(engine="exact").fit(np.random.default_rng(0).normal(size=(600_000, 2)))
    is_a_sentence(error.value, "600000 points", "GiB", "n_components")


def test_a_failed_fit_does_not_disturb_what_can_be_asked_of_the_model(table):
    model = quick().fit(table)
    with pytest.raises(ValueError):
        model.fit(table[:, :0])
    assert np.array_equal(model.transform(table), model.embedding_)
    with pytest.raises(ValueError):
        model.fit(np.ones((20, 5)))
    with pytest.raises(ValueError) as error:
        model.transform(np.ones((2, 5)))
    is_a_sentence(error.value, "5", "3 features")


# ---- files

FILES = {
    "save into a folder that is not there": (
        lambda m, folder: m.save(folder / "no" / "m.safetensors"),
        FileNotFoundError,
        ["folder does not exist", "make it first"],
    ),
    "save in place of a folder": (lambda m, folder: m.save(folder), ValueError, ["is a folder"]),
    "save over a file that is to stay": (
        lambda m, folder: m.save(folder / "text.csv", overwrite=False),
        FileExistsError,
        ["exists already", "overwrite=True"],
    ),
    "save to no name": (lambda m, folder: m.save(None), TypeError, ["PathLike", "None"]),
    "load what is not there": (lambda m, folder: tangency.load(folder / "no"), FileNotFoundError, ["cannot be read"]),
    "load a folder": (lambda m, folder: tangency.load(folder), ValueError, ["cannot be read"]),
    "load a text": (lambda m, folder: tangency.load(folder / "text.csv"), ValueError, ["not a tangency model"]),
    "load an empty file": (lambda m, folder: tangency.load(folder / "empty"), ValueError, ["not a tangency model"]),
    "load a file of another program": (
        lambda m, folder: tangency.load(folder / "other.safetensors"),
        ValueError,
        ["not a tangency model", "saved as a model"],
    ),
    "load half a file": (
        lambda m, folder: tangency.load(folder / "half"),
        ValueError,
        ["cut short", "fit the model again"],
    ),
    "load a file with other settings": (
        lambda m, folder: tangency.load(folder / "changed"),
        ValueError,
        ["settings", "fit the model again"],
    ),
    "load nothing": (lambda m, folder: tangency.load(None), TypeError, ["PathLike", "None"]),
    "transform a file that is not there": (
        lambda m, folder: m.transform_file(folder / "no.csv", folder / "out.csv"),
        FileNotFoundError,
        ["no.csv", "cannot be read"],
    ),
    "transform to a file that exists": (
        lambda m, folder: m.transform_file(folder / "text.csv", folder / "half.csv"),
        FileExistsError,
        ["exists already", "overwrite=True"],
    ),
    "transform a file without the features": (
        lambda m, folder: m.transform_file(folder / "text.csv", folder / "out.csv"),
        ValueError,
        ["text.csv"],
    ),
}


@pytest.fixture(scope="module")
def folder(fitted, tmp_path_factory):
    """Files that are no models."""
    made = tmp_path_factory.mktemp("files")
    fitted.save(made / "whole")
    whole = (made / "whole").read_bytes()
    (made / "half").write_bytes(whole[: len(whole) // 2])
    (made / "changed").write_bytes(whole.replace(b'\\"n_neighbors\\":9', b'\\"n_neighbors\\":0', 1))
    (made / "empty").write_bytes(b"")
    (made / "text.csv").write_text("a,b\n1,2\n3,4\n")
    (made / "half.csv").write_text("a,b\n")
    header = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
    (made / "other.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + b"\0\0\0\0")
    return made


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_does_not_serve_is_refused_by_name(case, folder, fitted):
    call, kind, words = FILES[case]
    before = sorted(path.name for path in folder.iterdir())
    with pytest.raises(kind) as error:
        call(fitted, folder)
    is_a_sentence(error.value, *words)
    assert sorted(path.name for path in folder.iterdir()) == before


def test_the_path_of_a_file_may_have_any_type(fitted, tmp_path):
    fitted.save(str(tmp_path / "one"))
    fitted.save(pathlib.Path(tmp_path / "two"))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_the_name_of_a_file_stands_in_the_message_as_it_is(fitted, tmp_path):
    with pytest.raises(FileNotFoundError, match="run--2024: cannot be read, because there is no such file"):
        tangency.load(tmp_path / "run--2024")
    (tmp_path / "run--2024").write_text("a,b\n")
    with pytest.raises(ValueError, match="run--2024: is not a tangency model"):
        tangency.load(tmp_path / "run--2024")


# ---- datasets


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: datasets.make_swiss_roll(0), ["n_samples is ", "; use a whole number, at least 1"]),
        (lambda: datasets.make_swiss_roll(-5), ["n_samples is ", "; use a whole number, at least 1"]),
        (lambda: datasets.make_s_curve(1.5), ["n_samples is ", "; use a whole number"]),
        (lambda: datasets.make_s_curve("a"), ["n_samples is ", "; use a whole number"]),
        (lambda: datasets.make_helix(5, noise=-1), ["noise is -1", "zero or a positive number"]),
        (lambda: datasets.make_helix(5, noise=np.nan), ["noise is ", "; use a number"]),
        (lambda: datasets.make_helix(5, noise="loud"), ["noise is ", "; use a number"]),
        (lambda: datasets.make_twin_peaks(5, random_state="a"), ["random_state is "]),
        (lambda: datasets.make_punctured_sphere(5, random_state=-1), ["random_state is "]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(5), 0), ["n_neighbors is ", "; use a whole number, at least 1"]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(5), 5), ["n_neighbors is 5", "only 5 points"]),
        (lambda: datasets.true_edges(np.eye(5), np.eye(4), 2), ["as many rows"]),
        (lambda: datasets.true_edges(np.ones(5), np.eye(5), 2), ["as many rows"]),
        (lambda: datasets.true_edges(np.eye(5) * np.nan, np.eye(5), 2), ["finite"]),
        (lambda: datasets.true_edges(np.zeros((0, 0)), np.zeros((0, 0)), 2), ["at least one"]),
    ],
)
def test_a_dataset_that_cannot_be_made_is_refused(call, words):
    with pytest.raises(ValueError) as error:
        call()
    is_a_sentence(error.value, *words)


# ---- the native module

CONFIG = _settings.config(LLLVM(max_iter=3, init="spectral").get_params(deep=False))
NAMES = ["a", "b", "c"]
PAIRS = np.zeros((1, 2), dtype=np.uint32)
NATIVE = {
    "fit no numbers": lambda m, X: Model.fit(np.zeros((0, 0)), CONFIG, NAMES),
    "fit no rows": lambda m, X: Model.fit(np.zeros((0, 3)), CONFIG, NAMES),
    "fit no features": lambda m, X: Model.fit(np.zeros((150, 0)), CONFIG, []),
    "fit NaN": lambda m, X: Model.fit(X * np.nan, CONFIG, NAMES),
    "fit what is not contiguous": lambda m, X: Model.fit(X[::2, ::2], CONFIG, NAMES),
    "fit another type": lambda m, X: Model.fit(X.astype(np.float32), CONFIG, NAMES),
    "fit another dimension": lambda m, X: Model.fit(X[0], CONFIG, NAMES),
    "fit None": lambda m, X: Model.fit(None, CONFIG, NAMES),
    "fit without settings": lambda m, X: Model.fit(X, "", NAMES),
    "fit with settings that are none": lambda m, X: Model.fit(X, '{"foo": 1}', NAMES),
    "fit with negative settings": lambda m, X: Model.fit(X, '{"n_neighbors": -1}', NAMES),
    "fit a start that is not given": lambda m, X: Model.fit(X, '{"init": "maps"}', NAMES),
    "fit a start that does not exist": lambda m, X: Model.fit(X, CONFIG, NAMES, only=10**18),
    "fit a negative start": lambda m, X: Model.fit(X, CONFIG, NAMES, only=-1),
    "fit a start of no numbers": lambda m, X: Model.fit(X, CONFIG, NAMES, start=np.zeros((0, 0))),
    "fit a start of no maps": lambda m, X: Model.fit(X, CONFIG, NAMES, start=np.zeros((0, 0, 0))),
    "fit a start of other maps": lambda m, X: Model.fit(X, CONFIG, NAMES, start=np.zeros((150, 0, 2))),
    "fit a start of NaN": lambda m, X: Model.fit(X, CONFIG, NAMES, start=np.full((150, 3, 2), np.nan)),
    "fit edges to nowhere": lambda m, X: Model.fit(X, CONFIG, NAMES, edges=PAIRS + 2**32 - 1),
    "fit edges of one end": lambda m, X: Model.fit(X, CONFIG, NAMES, edges=PAIRS[:, :1]),
    "fit edges of no end": lambda m, X: Model.fit(X, CONFIG, NAMES, edges=PAIRS[:, :0]),
    "fit edges of another type": lambda m, X: Model.fit(X, CONFIG, NAMES, edges=PAIRS.astype(np.int64)),
    "fit with a flag that is none": lambda m, X: Model.fit(X, CONFIG, NAMES, stop=3),
    "fit on negative threads": lambda m, X: Model.fit(X, CONFIG, NAMES, threads=-1),
    "make a model of nothing": lambda m, X: Model(),
    "transform other features": lambda m, X: m.transform(np.zeros((3, 2)), 1),
    "transform no features": lambda m, X: m.transform(np.zeros((3, 0)), 1),
    "transform NaN": lambda m, X: m.transform(X * np.nan, 1),
    "transform infinity": lambda m, X: m.transform(np.full((2, 3), np.inf), 1),
    "transform what is not contiguous": lambda m, X: m.transform(X[::2, ::2], 1),
    "transform on negative threads": lambda m, X: m.transform(X, -1),
    "score other features": lambda m, X: m.score(np.zeros((3, 4)), 1),
    "reconstruct other coordinates": lambda m, X: m.reconstruct(np.zeros((3, 5)), False, 1),
    "reconstruct no coordinates": lambda m, X: m.reconstruct(np.zeros((3, 0)), True, 1),
    "reconstruct NaN": lambda m, X: m.reconstruct(np.full((3, 2), np.nan), False, 1),
    "calibrate no parts": lambda m, X: m.calibrated(0, 1),
    "calibrate countless parts": lambda m, X: m.calibrated(2**63, 1),
    "loadings of no points": lambda m, X: m.loadings([]),
    "loadings of a point beyond": lambda m, X: m.loadings([2**63]),
    "a distance without covariances": lambda m, X: m.distance_interval(0, 1, 0.9),
    "draws without covariances": lambda m, X: m.sample_coordinates(1, 0, 1),
    "a model of strange bytes": lambda m, X: Model.from_bytes(b"\xff" * 100),
    "a model of no bytes": lambda m, X: Model.from_bytes(b""),
    "save to nowhere": lambda m, X: m.save("", True),
    "save to the root": lambda m, X: m.save("/", True),
    "load a strange name": lambda m, X: Model.load("\0"),
    "try a start that does not exist": lambda m, X: _tangency.try_start(X, CONFIG, None, 10**18, 1),
    "try no table": lambda m, X: _tangency.try_start(np.zeros((0, 0)), CONFIG, None, 0, 1),
    "run edges of one end": lambda m, X: _tangency.run_cell(X, 0, CONFIG, PAIRS[:, :1], 1),
    "test a loop": lambda m, X: _tangency.test_edges(m, PAIRS, 1, 1),
    "test edges to nowhere": lambda m, X: _tangency.test_edges(m, PAIRS + 999, 1, 1),
    "test edges of one end": lambda m, X: _tangency.test_edges(m, PAIRS[:, :1], 1, 1),
    "test without seeds": lambda m, X: _tangency.test_edges(m, m.edges[:1], 0, 1),
    "prune nothing": lambda m, X: _tangency.prune(m, 0, 2.0, 1),
    "prune for NaN": lambda m, X: _tangency.prune(m, None, np.nan, 1),
    "a shape that does not exist": lambda m, X: _tangency.generate("x", 5, 0.0, 0),
    "neighbours of other rows": lambda m, X: _tangency.neighbor_edges(X, X[:5].copy(), 3),
    "neighbours of nobody": lambda m, X: _tangency.neighbor_edges(np.zeros((0, 0)), np.zeros((0, 0)), 1),
    "a grid of nothing": lambda m, X: _tangency.Selection(X, CONFIG, [], [2], 1, True),
    "a grid of no table": lambda m, X: _tangency.Selection(np.zeros((0, 0)), CONFIG, [("or", 5.0, None)], [2], 1, True),
    "a grid of edges of one end": lambda m, X: _tangency.Selection(X, CONFIG, [("e", 0.0, PAIRS[:, :1])], [2], 1, True),
    "a grid of no dimension": lambda m, X: _tangency.Selection(X, CONFIG, [("or", 5.0, None)], [0], 1, True),
    "embed no table": lambda m, X: _tangency.embed(np.zeros((0, 0)), "pca", CONFIG, "{}", None, 1),
    "embed NaN": lambda m, X: _tangency.embed(X * np.nan, "isomap", CONFIG, "{}", None, 1),
    "embed by no method": lambda m, X: _tangency.embed(X, 'a"b', CONFIG, "{}", None, 1),
    "embed with other options": lambda m, X: _tangency.embed(X, "pca", CONFIG, '{"k": 1}', None, 1),
    "embed with no inducing points": lambda m, X: _tangency.embed(X, "pca", CONFIG, '{"n_inducing": 0}', None, 1),
    "embed with negative ridges": lambda m, X: _tangency.embed(X, "lle", CONFIG, '{"regularization": -1.0}', None, 1),
    "embed edges to nowhere": lambda m, X: _tangency.embed(X, "lle", CONFIG, "{}", PAIRS + 999, 1),
    "compare no table": lambda m, X: _tangency.Comparison(np.zeros((0, 0)), CONFIG, "{}", None, None, None, 1),
    "compare with other truth": lambda m, X: _tangency.Comparison(X, CONFIG, "{}", None, X[:3].copy(), None, 1),
    "compare with other labels": lambda m, X: _tangency.Comparison(X, CONFIG, "{}", None, None, ["a"], 1),
    "compare by no method": lambda m, X: _tangency.Comparison(X, CONFIG, "{}", None, None, None, 1).run("x", "x"),
    "leave out no method": lambda m, X: _tangency.Comparison(X, CONFIG, "{}", None, None, None, 1).left_out("x"),
    "procrustes of other rows": lambda m, X: _tangency.procrustes(X, X[:3].copy(), 1),
    "procrustes of no rows": lambda m, X: _tangency.align(np.zeros((0, 2)), X, 1),
    "neighbours kept of nobody": lambda m, X: _tangency.trustworthiness(np.zeros((0, 2)), np.zeros((0, 2)), 1, 1),
    "neighbours kept of other rows": lambda m, X: _tangency.continuity(X, X[:9].copy(), 3, 1),
    "classes of nobody": lambda m, X: _tangency.knn_error(np.zeros((0, 2)), [], 1, 2, 1, 0, 1),
    "classes in no folds": lambda m, X: _tangency.knn_error(X, ["a", "b"] * 75, 1, 0, 1, 0, 1),
    "paths to nowhere": lambda m, X: _tangency.geodesic_correlation(X, X, PAIRS + 999, 1, 1),
    "paths of no neighbours": lambda m, X: _tangency.geodesic_correlation(X, X, None, 0, 1),
    "draw nothing": lambda m, X: _tangency.multiples([], None, None, ("", ""), title="", kind="svg"),
    "draw three columns": lambda m, X: _tangency.multiples([("", "", X)], None, None, ("", ""), title="", kind="svg"),
    "draw other labels": lambda m, X: _tangency.multiples(
        [("", "", X[:, :2].copy())], ["a"], None, ("", ""), title="", kind="png"
    ),
    "a grid of NaN neighbours": lambda m, X: _tangency.Selection(X, CONFIG, [("or", np.nan, None)], [2], 1, True),
}


@pytest.mark.parametrize("case", NATIVE)
def test_the_native_module_raises_and_never_panics(case, fitted, table, capfd):
    # a panic is no Exception, and says so on standard error
    with pytest.raises(Exception) as error:
        NATIVE[case](fitted._native, table)
    assert "Panic" not in type(error.value).__name__ and not isinstance(error.value, RuntimeError)
    assert "panicked" not in capfd.readouterr().err


def test_the_native_module_takes_what_is_strange_but_possible(fitted, table):
    native = fitted._native
    plain = Model.fit(table, CONFIG, NAMES)
    assert np.array_equal(Model.fit(table, CONFIG, NAMES, threads=0).coordinates, plain.coordinates)
    assert np.array_equal(Model.fit(np.asfortranarray(table), CONFIG, NAMES).coordinates, plain.coordinates)
    spread = np.zeros((len(plain.edges), 4), dtype=np.uint32)[:, ::2]
    spread[:] = plain.edges
    assert np.array_equal(Model.fit(table, CONFIG, NAMES, edges=spread).coordinates, plain.coordinates)
    assert [array.shape for array in native.transform(np.zeros((0, 3)), 0)[:2]] == [(0, 2), (0, 2)]
    assert [array.shape for array in native.score(np.zeros((0, 3)), 1)] == [(0,), (0,)]
    assert [array.shape for array in native.reconstruct(np.zeros((0, 2)), False, 1)] == [(0, 3), (0, 3)]
    assert [array.shape for array in native.sample(0, 0, 1)] == [(0, 3), (0, 2)]


def test_an_exception_of_the_progress_handler_ends_the_fit(table):
    def handler(step, done, total, bound):
        raise ZeroDivisionError(step)

    config = _settings.config(LLLVM(max_iter=10**6, tol=0.0).get_params(deep=False))
    with pytest.raises(ZeroDivisionError):
        Model.fit(table, config, NAMES, progress=handler)
