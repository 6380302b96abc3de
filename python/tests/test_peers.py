"""The well-known methods give what scikit-learn gives; measures are those of others; a comparison tells what it did."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pandas
import pytest
from scipy.spatial import procrustes as scipy_procrustes
from scipy.stats import pearsonr
from sklearn import manifold
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsTransformer, kneighbors_graph
from test_errors import is_a_sentence
from test_parallel import interrupted
from test_report import data

import tangency
from tangency import LLLVM, Comparison, Embedding, _settings, compare, datasets, embed, quality

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


@pytest.fixture(scope="module")
def broken():
    """Two sheets far from each other, of 90 and 60 points."""
    X, truth = datasets.make_s_curve(150, random_state=7)
    X = X + np.where(np.arange(150) < 90, 0.0, 50.0)[:, None]
    return X, truth


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


# ---- measures


@pytest.fixture(scope="module")
def flattened():
    X, truth = datasets.make_swiss_roll(300, noise=0.1, random_state=8)
    return X, truth, embed(X, "isomap", n_neighbors=7).coordinates, embed(X, "pca").coordinates


def test_trustworthiness_and_continuity_are_those_of_scikit_learn(flattened):
    X, truth, *found = flattened
    for embedding in found:
        for table in (X, truth):
            for k in (1, 5, 12, 40):
                ours = quality.trustworthiness(table, embedding, n_neighbors=k)
                assert ours == pytest.approx(manifold.trustworthiness(table, embedding, n_neighbors=k), abs=1e-12)
                ours = quality.continuity(table, embedding, n_neighbors=k)
                assert ours == pytest.approx(manifold.trustworthiness(embedding, table, n_neighbors=k), abs=1e-12)


def test_procrustes_and_align_are_those_of_scipy(flattened):
    _, truth, *found = flattened
    for embedding in found:
        a, b, wanted = scipy_procrustes(truth, embedding)
        assert quality.procrustes(embedding, truth) == pytest.approx(wanted, abs=1e-12)
        spread = np.linalg.norm(truth - truth.mean(axis=0))
        np.testing.assert_allclose(quality.align(embedding, truth), spread * b + truth.mean(axis=0), atol=1e-9)


def test_a_known_turn_is_undone(flattened):
    truth = flattened[1]
    turned = 4 - 3 * truth @ np.array([[0.6, 0.8], [0.8, -0.6]])
    assert quality.procrustes(turned, truth) == pytest.approx(0, abs=1e-12)
    np.testing.assert_allclose(quality.align(turned, truth), truth, atol=1e-9)
    assert quality.align(turned, truth[:, 0]).shape == (300, 1)
    assert quality.align(turned[:, 0], truth).shape == (300, 2)


def test_affine_r2_is_that_of_a_linear_regression(flattened):
    _, truth, *found = flattened
    for embedding in found:
        fit = LinearRegression().fit(embedding, truth)
        wanted = 1 - ((truth - fit.predict(embedding)) ** 2).sum() / ((truth - truth.mean(axis=0)) ** 2).sum()
        assert quality.affine_r2(embedding, truth) == pytest.approx(wanted, abs=1e-10)
    # as a regression on nothing but a constant
    assert quality.affine_r2(np.zeros((20, 2)), Z) == 0


def test_knn_error_is_that_of_stratified_folds():
    X, y = load_iris(return_X_y=True)
    Z = PCA(2).fit_transform(X) + np.random.default_rng(0).normal(0, 1e-6, (150, 2))
    for k in (1, 5):
        ours = quality.knn_error(Z, y, n_neighbors=k, shuffles=30)
        folds = [StratifiedKFold(10, shuffle=True, random_state=seed) for seed in range(30)]
        wanted = [1 - cross_val_score(KNeighborsClassifier(k), Z, y, cv=fold) for fold in folds]
        spread = np.mean(wanted, axis=1).std(ddof=1)
        assert abs(ours.mean - np.mean(wanted)) < 5 * spread / np.sqrt(15)
        assert 0.4 * spread < ours.std < 2.5 * spread
        assert ours.fold_std == pytest.approx(np.ravel(wanted).std(ddof=1), rel=0.3)
    assert quality.knn_error(Z, y, random_state=1) == quality.knn_error(Z, y.astype(str), random_state=1)


def test_geodesic_correlation_is_that_of_paths_along_the_graph(flattened):
    X, _, embedding, _ = flattened
    paths = manifold.Isomap(n_neighbors=7).fit(X).dist_matrix_
    apart = np.sqrt(((embedding[:, None] - embedding[None]) ** 2).sum(axis=2))
    upper = np.triu_indices(300, 1)
    wanted = pearsonr(paths[upper], apart[upper])[0]
    assert quality.geodesic_correlation(X, embedding, n_neighbors=7) == pytest.approx(wanted, abs=1e-9)
    graph = kneighbors_graph(X, 7)
    assert quality.geodesic_correlation(X, embedding, graph=graph) == pytest.approx(wanted, abs=1e-9)


Z = np.random.default_rng(0).normal(size=(20, 2))
NO_MEASURE = {
    "other rows": (lambda: quality.procrustes(Z, Z[:10]), ["embedding has 20 rows", "truth has 10"]),
    "NaN": (lambda: quality.affine_r2(Z * np.nan, Z), ["Input embedding contains NaN", "[0, 0]"]),
    "infinite truth": (lambda: quality.procrustes(Z, Z * np.inf), ["Input truth contains"]),
    "words": (lambda: quality.align([["a", "b"]] * 20, Z), ["embedding does not hold only numbers"]),
    "half of the points": (
        lambda: quality.trustworthiness(Z, Z, n_neighbors=10),
        ["n_neighbors is 10", "half of the 20 points"],
    ),
    "no neighbours": (lambda: quality.continuity(Z, Z, n_neighbors=0), ["n_neighbors is 0; use", "at least 1"]),
    "one class": (lambda: quality.knn_error(Z, ["a"] * 20), ["all labels are the same", "two classes"]),
    "labels too few": (lambda: quality.knn_error(Z, ["a"] * 3), ["labels has 3 entries", "20"]),
    "labels missing": (lambda: quality.knn_error(Z, ["a", None] * 10), ["labels has no entry at 1"]),
    "labels in a table": (lambda: quality.knn_error(Z, Z), ["labels has shape (20, 2)"]),
    "too many folds": (lambda: quality.knn_error(Z, [0, 1] * 10, folds=21), ["folds is 21", "only 20 points"]),
    "one fold": (lambda: quality.knn_error(Z, [0, 1] * 10, folds=1), ["folds is ", "; use a whole number, at least 2"]),
    "too many neighbours": (
        lambda: quality.knn_error(Z, [0, 1] * 10, n_neighbors=19),
        ["n_neighbors is 19", "only 18 points"],
    ),
    "no shuffles": (lambda: quality.knn_error(Z, [0, 1] * 10, shuffles=0), ["shuffles is 0; use", "at least 1"]),
    "as many neighbours": (
        lambda: quality.geodesic_correlation(Z, Z, n_neighbors=20),
        ["n_neighbors is 20", "only 20 points"],
    ),
    "pieces": (lambda: quality.geodesic_correlation(Z, Z, graph=np.array([[0, 1]])), ["19 pieces"]),
    "a point": (lambda: quality.geodesic_correlation(Z, np.zeros((20, 2)), n_neighbors=9), ["embedding"]),
}


@pytest.mark.parametrize("case", NO_MEASURE)
def test_what_cannot_be_measured_is_refused(case):
    call, words = NO_MEASURE[case]
    with pytest.raises(ValueError) as error:
        call()
    is_a_sentence(error.value, *words)


# ---- comparisons

MEASURES = [
    "procrustes",
    "affine_r2",
    "truth_trustworthiness",
    "truth_continuity",
    "trustworthiness",
    "continuity",
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
        head = ["method", "settings", "seconds", "peak_mib", "objective"]
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
    known = "method settings seconds MiB Procrustes R² trust (truth) cont. (truth)"
    assert lines[0].split() == f"{known} trust continuity geodesic 1-NN error ±".split()
    assert [line.split()[0] for line in lines[1:6]] == SOME
    assert lines[6].startswith("ll-lvm-pruned: ")
    page = compared._repr_html_()
    assert page.count("<tr>") == 6 and page.count("<th>") == page.count("<td>") // 5
    frame = compared.to_pandas()
    assert frame.shape == (5, 16) and list(frame["method"]) == SOME


def test_names_in_a_page_stay_text(compared):
    changed = pickle.loads(pickle.dumps(compared))
    changed.records[0]["note"] = "<script>alert(1)</script>"
    assert "<script>" not in changed._repr_html_()


def test_nothing_known_leaves_measures_out(table):
    found = compare(table, methods="pca")
    (record,) = found.records
    assert [record[name] for name in MEASURES[:4]] + [record[name] for name in MEASURES[7:]] == [None] * 6
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


# ---- Ctrl-C

needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads cannot be counted")


@needs_proc
def test_ctrl_c_ends_an_embedding_and_keeps_it():
    work = """
from tangency import embed
made = embed(X, "gplvm", max_iter=10**9, verbose=True)
found = dict(converged=made.converged, shape=made.coordinates.shape)
"""
    found = interrupted(work, title="gplvm", n=300)
    assert found["shape"] == [300, 2] and not found["converged"]
    assert any("interrupted after" in text for text in found["warnings"])


@needs_proc
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
