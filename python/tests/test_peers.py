"""The well-known methods give what scikit-learn gives."""

from __future__ import annotations

import os
import pickle
import warnings

import numpy as np
import pandas
import pytest
from scipy.spatial import procrustes as scipy_procrustes
from sentences import is_a_sentence
from sklearn import manifold
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsTransformer, kneighbors_graph
from test_parallel import interrupted

from tangency import LLLVM, Embedding, _settings, datasets, embed, quality

CLASSICAL = ("pca", "mds", "isomap", "lle", "ltsa", "laplacian-eigenmaps")
GPLVMS = ("gplvm", "bayesian-gplvm")


def disparity(found, wanted):
    """Procrustes, to the last digit: differences of singular values would lose half of them."""
    return scipy_procrustes(found, wanted)[2]


# ---- the classical methods beside scikit-learn's


def roll():
    """More points than the dense solvers take."""
    return datasets.make_swiss_roll(700, random_state=2)[0], 9


def curve_with_noise():
    return datasets.make_s_curve(250, noise=0.05, random_state=3)[0], 10


def peaks():
    return datasets.make_twin_peaks(330, random_state=4)[0], 8


def digits():
    """In 64 dimensions; jitter, since pixels that are whole numbers make ties."""
    images = load_digits(n_class=5).data[:420]
    return images + np.random.default_rng(5).normal(0, 1e-4, images.shape), 12


TABLES = {"roll": roll, "curve": curve_with_noise, "peaks": peaks, "digits": digits}


def of_scikit_learn(X, method, k, d):
    made = {
        "pca": lambda: PCA(d),
        "mds": lambda: manifold.ClassicalMDS(d),
        # their iterative solver ends at 1e-6, and not at all with singular matrices
        "isomap": lambda: manifold.Isomap(n_neighbors=k, n_components=d, eigen_solver="dense"),
        "lle": lambda: manifold.LocallyLinearEmbedding(n_neighbors=k, n_components=d, eigen_solver="dense"),
        "ltsa": lambda: manifold.LocallyLinearEmbedding(
            n_neighbors=k, n_components=d, method="ltsa", eigen_solver="dense"
        ),
        # a point is among its own neighbours there
        "laplacian-eigenmaps": lambda: manifold.SpectralEmbedding(
            d, affinity="nearest_neighbors", n_neighbors=k + 1, eigen_tol=1e-12
        ),
    }
    if method == "mds" and not hasattr(manifold, "ClassicalMDS"):
        pytest.skip("this scikit-learn has no classical scaling")
    return made[method]().fit_transform(X)


# of the digits some are in nobody's list of neighbours, for which LTSA has no one answer; see below
CASES = [(name, method) for name in TABLES for method in CLASSICAL if (name, method) != ("digits", "ltsa")]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_a_classical_method_gives_what_scikit_learn_gives(name, method):
    X, k = TABLES[name]()
    ours = embed(X, method, n_neighbors=k, scaling="none")
    assert ours.coordinates.shape == (len(X), 2) and ours.method == method
    assert disparity(ours.coordinates, of_scikit_learn(X, method, k, 2)) < 1e-8


@pytest.mark.parametrize("method", CLASSICAL)
@pytest.mark.parametrize("d", [1, 3])
def test_they_agree_in_other_dimensions_too(method, d):
    X, k = curve_with_noise()
    ours = embed(X, method, n_neighbors=k, n_components=d, scaling="none").coordinates
    assert ours.shape == (len(X), d)
    if (method, d) == ("ltsa", 3):
        # tangent spaces are all of space: every linear map will do, and theirs has some of the constant in it
        assert quality.affine_r2(X, ours) == pytest.approx(1, abs=1e-12)
        return
    theirs = of_scikit_learn(X, method, k, d)
    if d == 1:
        assert 1 - abs(np.corrcoef(ours[:, 0], theirs[:, 0])[0, 1]) < 1e-8
    else:
        assert disparity(ours, theirs) < 1e-8


def test_scale_of_pca_and_isomap_is_that_of_the_table():
    X, k = curve_with_noise()
    for method in ("pca", "mds", "isomap"):
        ours, theirs = embed(X, method, n_neighbors=k, scaling="none").coordinates, of_scikit_learn(X, method, k, 2)
        np.testing.assert_allclose(np.abs(ours), np.abs(theirs), rtol=1e-6, atol=1e-9 * np.abs(theirs).max())


def test_regularization_of_lle_is_theirs():
    X, k = curve_with_noise()
    theirs = manifold.LocallyLinearEmbedding(n_neighbors=k, reg=0.1, eigen_solver="dense").fit_transform(X)
    assert disparity(embed(X, "lle", n_neighbors=k, regularization=0.1, scaling="none").coordinates, theirs) < 1e-8
    assert disparity(embed(X, "lle", n_neighbors=k, scaling="none").coordinates, theirs) > 1e-4


def test_ltsa_places_points_that_are_nobodys_neighbours():
    X, k = digits()
    listed = np.asarray(kneighbors_graph(X, k).sum(axis=0)).ravel()
    assert (listed == 0).any()
    found = embed(X, "ltsa", n_neighbors=k).coordinates
    assert np.isfinite(found).all()
    # no such point is far away from all others, as it would be if it were free
    assert np.abs(found / found.std(axis=0)).max() < 15


# ---- the GP-LVMs


@pytest.mark.parametrize("method", GPLVMS)
def test_a_gplvm_tells_what_it_found(method):
    X, _ = datasets.make_s_curve(80, random_state=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = embed(X, method, n_inducing=15, max_iter=60)
    assert found.coordinates.shape == (80, 2) and np.isfinite(found.coordinates).all()
    assert isinstance(found.objective, float) and isinstance(found.converged, bool) and found.n_iter > 0
    assert found.relevance.shape == (2,) and (found.relevance > 0).all() and found.noise > 0 and found.signal > 0
    if method == "gplvm":
        assert found.variances is None
    else:
        assert found.variances.shape == (80, 2) and (found.variances > 0).all()


def test_a_gplvm_that_has_no_time_warns(table):
    with pytest.warns(ConvergenceWarning, match="gplvm did not converge in 2 iterations; raise max_iter"):
        found = embed(table, "gplvm", max_iter=2)
    assert not found.converged and found.n_iter == 2


def test_more_iterations_raise_the_objective(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        few, many = (embed(table, "bayesian-gplvm", n_inducing=10, max_iter=n) for n in (5, 60))
    assert many.objective > few.objective


def test_the_likelihood_is_that_of_gpy(table):
    GPy = pytest.importorskip("GPy", reason="GPy is not installed; a test of the library holds numbers of it")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = embed(table, "gplvm", max_iter=5, scaling="none")
    centred = table - table.mean(axis=0)
    Y = centred / np.sqrt((centred**2).mean())
    kernel = GPy.kern.RBF(2, variance=found.signal, lengthscale=found.relevance**-0.5, ARD=True)
    model = GPy.models.GPLVM(Y, 2, X=found.coordinates, kernel=kernel)
    model.likelihood.variance = found.noise
    prior = -0.5 * (found.coordinates**2 + np.log(2 * np.pi)).sum()
    assert model.log_likelihood() + prior == pytest.approx(found.objective, rel=1e-6)


# ---- what embed takes and gives


def test_an_embedding_of_a_classical_method_has_no_objective(table):
    found = embed(table)
    assert isinstance(found, Embedding) and found.method == "isomap"
    assert [found.objective, found.n_iter, found.converged, found.relevance, found.noise, found.variances] == [None] * 6
    np.testing.assert_array_equal(found.rows, np.arange(150))
    assert repr(found) == "Embedding of 150 points in 2 dimensions by isomap"
    with pytest.raises(AttributeError):
        found.method = "pca"
    again = pickle.loads(pickle.dumps(found))
    np.testing.assert_array_equal(again.coordinates, found.coordinates)


@pytest.mark.parametrize("method", [*CLASSICAL, *GPLVMS])
def test_results_are_the_same_on_any_number_of_threads_and_from_any_table(method):
    X, _ = datasets.make_swiss_roll(320, random_state=6)
    options = {"max_iter": 8, "random_state": 3} if method in GPLVMS else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        one = embed(X, method, n_neighbors=7, n_jobs=1, **options)
        for other in (
            embed(X, method, n_neighbors=7, n_jobs=2, **options),
            embed(pandas.DataFrame(X, columns=list("abc")), method, n_neighbors=7, **options),
            embed(np.asfortranarray(X), method, n_neighbors=7, **options),
        ):
            np.testing.assert_array_equal(one.coordinates, other.coordinates)
            assert one.objective == other.objective


def test_graphs_of_all_kinds_are_taken(table):
    plain = embed(table, "isomap", n_neighbors=8).coordinates
    adjacency = kneighbors_graph((table - table.mean(axis=0)) / np.abs(table - table.mean(axis=0)).max(), 8)
    for graph in (adjacency, adjacency.toarray(), np.column_stack(adjacency.nonzero())):
        np.testing.assert_array_equal(embed(table, "isomap", graph=graph).coordinates, plain)
    transformer = KNeighborsTransformer(n_neighbors=8)
    assert disparity(embed(table, "isomap", graph=transformer).coordinates, plain) < 1e-2
    mutual = embed(table, "isomap", n_neighbors=8, symmetry="mutual", connect=True).coordinates
    assert not np.array_equal(mutual, plain)
    apart = np.sqrt(((table[:, None] - table[None]) ** 2).sum(axis=2))
    near = embed(table, "isomap", radius=1.0).coordinates
    np.testing.assert_array_equal(near, embed(table, "isomap", graph=apart * (apart <= 1.0)).coordinates)


@pytest.mark.parametrize("method", ["isomap", "lle", "ltsa", "laplacian-eigenmaps"])
def test_a_graph_in_pieces_is_joined_or_cut_or_refused(broken, method):
    X, _ = broken
    with pytest.raises(ValueError) as error:
        embed(X, method)
    is_a_sentence(error.value, "2 pieces of 90, 60 points", "connect=True", "largest=True")
    assert embed(X, method, connect=True).coordinates.shape == (150, 2)
    cut = embed(X, method, largest=True)
    np.testing.assert_array_equal(cut.rows, np.arange(90))
    assert cut.coordinates.shape == (90, 2)
    assert embed(X, "pca").coordinates.shape == (150, 2)
    assert embed(X, "pca", largest=True).coordinates.shape == (90, 2)


def test_names_are_those_of_the_library_and_every_method_is_a_start(table):
    assert set(CLASSICAL) | set(GPLVMS) == set(_settings.PEERS)
    for method in ("mds", "lle", "ltsa", "laplacian-eigenmaps"):
        with pytest.warns(ConvergenceWarning):
            assert LLLVM(init=method, max_iter=2).fit(table).embedding_.shape == (150, 2)


def test_progress_is_told(table, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        embed(np.tile(table, (2, 1)) + np.arange(300)[:, None] * 1e-4, "gplvm", max_iter=15, verbose=True)
    assert "gplvm" in capsys.readouterr().err


BAD = [
    ({"method": "tsne"}, ["method is ", "; use one of 'pca'", "'tsne'"]),
    ({"method": None}, ["method is ", "; use one of", "None"]),
    ({"method": ["pca"]}, ["method is ", "; use one of"]),
    ({"n_components": 0}, ["n_components is ", "; use a whole number, at least 1"]),
    ({"n_components": 4, "method": "pca"}, ["n_components is 4", "3 feature(s)", "smaller n_components"]),
    ({"n_components": 150, "method": "isomap"}, ["n_components is 150", "only 150 rows"]),
    ({"n_neighbors": 150}, ["n_neighbors is 150", "only 150 rows"]),
    ({"n_neighbors": 2.5}, ["n_neighbors is ", "; use a whole number"]),
    (
        {"n_neighbors": 2, "method": "ltsa", "connect": True},
        ["2 neighbours", "more than n_components", "larger n_neighbors"],
    ),
    ({"symmetry": "and"}, ["symmetry is ", "; use one of"]),
    ({"radius": -1.0}, ["radius is "]),
    ({"radius": 1e-9}, ["150 pieces", "larger radius"]),
    ({"graph": np.array([[0, 150]])}, ["row 0", "0 to 149"]),
    ({"connect": True, "largest": True}, ["connect", "does not go with largest"]),
    ({"connect": "yes"}, ["connect is ", "; use True or False"]),
    ({"scaling": "std"}, ["scaling is ", "; use one of"]),
    ({"regularization": 0}, ["regularization is 0; use a positive number"]),
    ({"regularization": np.nan}, ["regularization is ", "; use a number"]),
    ({"n_inducing": 0}, ["n_inducing is ", "; use a whole number, at least 1"]),
    ({"max_iter": 0}, ["max_iter is ", "; use a whole number, at least 1"]),
    ({"random_state": -1}, ["random_state is "]),
    ({"n_jobs": 0}, ["n_jobs is "]),
]


@pytest.mark.parametrize(("options", "words"), BAD, ids=[_settings.shown(options)[:40] for options, _ in BAD])
def test_what_embed_cannot_do_is_refused(table, options, words):
    with pytest.raises(ValueError) as error:
        embed(table, **options)
    is_a_sentence(error.value, *words)


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda X: np.where(X == X[4, 2], np.nan, X), ValueError, ["NaN", "[4, 2]"]),
        (lambda X: X[:, 0], ValueError, ["2D"]),
        (lambda X: X[:2], ValueError, ["2 sample(s)", "minimum of 3"]),
        (lambda X: [["a", "b"]] * 20, ValueError, ["'a'", "numbers"]),
        (lambda X: np.ones((30, 3)), ValueError, ["identical"]),
    ],
)
@pytest.mark.parametrize("method", ["pca", "isomap", "gplvm"])
def test_tables_that_cannot_be_embedded_are_refused(table, make, kind, words, method):
    with pytest.raises(kind) as error:
        embed(make(table), method)
    is_a_sentence(error.value, *words)


# ---- Ctrl-C


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads cannot be counted")
def test_ctrl_c_ends_an_embedding_and_keeps_it():
    work = """
from tangency import embed
made = embed(X, "gplvm", max_iter=10**9, verbose=True)
found = dict(converged=made.converged, shape=made.coordinates.shape)
"""
    found = interrupted(work, title="gplvm", n=300)
    assert found["shape"] == [300, 2] and not found["converged"]
    assert any("interrupted after" in text for text in found["warnings"])
