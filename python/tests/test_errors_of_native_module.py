"""The native module raises what it is given wrong, and never panics."""

from __future__ import annotations

import numpy as np
import pytest

from tangency import LLLVM, _settings, _tangency
from tangency._tangency import Model

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


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
