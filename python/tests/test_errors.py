"""Wrong tables, settings, graphs and distances raise what scikit-learn users expect, with one sentence."""

from __future__ import annotations

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sentences import is_a_sentence
from sklearn.neighbors import KNeighborsTransformer
from sklearn.preprocessing import StandardScaler

from tangency import LLLVM, _settings

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


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
        ["column 'name' of X", "'x'", "numbers", "leave them out"],
    ),
    "columns of strings": (
        lambda X: pandas.DataFrame(X).assign(name=None, site=["?"] * (len(X) - 1) + ["7"], kind="x" * 50),
        ValueError,
        ["columns 'site', 'kind' of X", "for instance '?'", "leave them out"],
    ),
    "many columns of strings": (
        lambda X: pandas.DataFrame({f"t{i}": ["a"] * len(X) for i in range(9)}),
        ValueError,
        ["'t0', 't1', 't2', 't3', 't4' and 4 more of X", "for instance 'a'"],
    ),
    "a column of strings in polars": (
        lambda X: polars.DataFrame(X).with_columns(name=polars.lit("x")),
        ValueError,
        ["column 'name' of X", "'x'", "leave them out"],
    ),
    "a column of classes beside one of truth values": (
        lambda X: pandas.DataFrame(X).assign(b=True, kind=pandas.Categorical(["x"] * len(X))),
        ValueError,
        ["column 'kind' of X", "'x'", "leave them out"],
    ),
    "a path": (lambda X: "table.csv", ValueError, ["X is the text 'table.csv'", "give the table itself"]),
    "an array of objects": (
        lambda X: np.column_stack([X.astype(object), ["x"] * len(X)]),
        ValueError,
        ["column 3 of X", "'x'", "leave them out"],
    ),
    "a column of dates": (
        lambda X: pandas.DataFrame(X).assign(day=pandas.Timestamp("2020-01-01")),
        TypeError,
        ["column 'day' of X", "dates", "numbers", "leave them out"],
    ),
    "a dictionary": (lambda X: {"a": 1}, TypeError, ["dict"]),
    "rows of different lengths": (lambda X: [[1, 2], [1]] * 9, ValueError, ["shape"]),
    "complex numbers": (lambda X: X * 1j, ValueError, ["Complex data not supported", "real and imaginary"]),
    "a sparse matrix": (lambda X: sparse.csr_matrix(X), TypeError, ["Sparse", "toarray"]),
    "a row of NaN": (lambda X: np.where(np.arange(150)[:, None] == 7, np.nan, X), ValueError, ["row 7", "no value"]),
    "infinity": (lambda X: np.where(X == X[4, 2], -np.inf, X), ValueError, ["infinity", "[4, 2]", "drop"]),
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
    if "rows" not in name.split() and "features" not in name.split() and name != "a row of NaN"
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
    + [(name, value) for name in ("epsilon", "gamma0", "alpha0", "time_budget") for value in [*NOT_POSITIVE, None, 0]]
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
        ["pieces", "use n_neighbors=", "connect=True", "largest=True"],
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
