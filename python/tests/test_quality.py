"""Measures are those of others, and what cannot be measured is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import procrustes as scipy_procrustes
from scipy.stats import pearsonr
from sentences import is_a_sentence
from sklearn import manifold
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, kneighbors_graph

from tangency import datasets, embed, quality


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
