"""A fit begins where it is told to, on the graph that it is given, of features or of distances."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsTransformer, RadiusNeighborsTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from small_models import at_an_odd_address, quick, same, spread_out

from tangency import LLLVM, datasets, edge_scores

# short runs of small tables warn; pytest.warns sees that all the same
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


# ---- starts


def test_a_start_may_be_coordinates_or_maps(table, fitted):
    near = LLLVM(init=fitted.embedding_).fit(table)
    assert near.lower_bound_ == pytest.approx(fitted.lower_bound_, rel=0.02)
    scale = np.abs(table - table.mean(axis=0)).max()
    by_maps = LLLVM(init=fitted.maps_ / scale).fit(table)
    assert by_maps.lower_bound_ == pytest.approx(fitted.lower_bound_, rel=0.02)
    # a start has no direction of its own, but cells of far points have
    turned = LLLVM(init=fitted.embedding_[:, ::-1]).fit(table)
    assert np.allclose(turned.embedding_, near.embedding_, atol=1e-3)


@pytest.mark.parametrize("kind", [np.float32, np.int64])
def test_a_start_may_have_any_type_and_layout(kind, table):
    start = np.round(4 * table[:, :2]).astype(kind)
    plain = quick(init=start.astype(np.float64)).fit(table)
    for lay in (np.asfortranarray, spread_out, at_an_odd_address, np.ndarray.tolist, pandas.DataFrame):
        assert same(quick(init=lay(start)).fit(table), plain)
    maps = start[:, None, :] * np.ones((3, 1))
    of_maps = quick(init=maps).fit(table)
    for lay in (np.asfortranarray, at_an_odd_address, np.ndarray.tolist):
        assert same(quick(init=lay(maps)).fit(table), of_maps)


@pytest.mark.parametrize("init", ["auto", "random"])
def test_more_starts_are_as_good_or_better_wherever_they_run(init, table):
    # bounds compare with the same weight of the features
    short = {"init": init, "max_iter": {"auto": 30, "random": 80}[init], "feature_weight": 1.0}
    one = LLLVM(**short).fit(table)
    several = LLLVM(n_init=3, n_jobs=1, **short).fit(table)
    assert several.lower_bound_ >= one.lower_bound_ - 1e-9
    assert same(LLLVM(n_init=3, n_jobs=2, **short).fit(table), several)


def test_seeds_may_come_from_numpy(table):
    def fit(random_state):
        return quick(init="random", random_state=random_state).fit(table)

    assert same(fit(5), fit(np.int32(5)))
    assert not same(fit(5), fit(6))
    for make in (np.random.RandomState, np.random.default_rng):
        generator = make(3)
        first, second = fit(generator), fit(generator)
        assert not same(first, second)
        assert same(first, fit(make(3)))
    state = np.random.get_state()
    try:
        np.random.seed(1)
        first = fit(None)
        np.random.seed(1)
        assert same(first, fit(None)) and not same(first, fit(None))
        np.random.seed(1)
        assert same(first, fit(np.random))
    finally:
        np.random.set_state(state)


@pytest.mark.parametrize("params", [{}, {"init": "pca", "n_components": 1}], ids=str)
def test_the_number_of_threads_changes_no_bit(params, table, new_rows):
    one, two = (LLLVM(n_jobs=n_jobs, max_iter=15, **params).fit(table) for n_jobs in (1, 2))
    assert same(one, two)
    assert np.array_equal(one.transform(new_rows), two.transform(new_rows))
    assert np.array_equal(one.score_samples(new_rows), two.score_samples(new_rows))
    assert np.array_equal(one.sample(5), two.sample(5))


def test_the_number_of_threads_changes_no_bit_of_a_table_that_takes_other_solvers():
    X = datasets.make_swiss_roll(320, random_state=1)[0]
    assert same(*(quick(init="isomap", max_iter=2, n_jobs=n_jobs).fit(X) for n_jobs in (1, 2)))


def test_more_jobs_than_processors_are_as_many_as_there_are(table):
    assert same(quick(n_jobs=100_000).fit(table), quick(n_jobs=1).fit(table))
    assert same(quick(n_jobs=-100_000).fit(table), quick(n_jobs=None).fit(table))


# ---- graphs


def test_a_graph_may_be_given_in_many_ways(table, fitted):
    edges = fitted.edges_
    graph = fitted.graph_
    upper = sparse.csr_array(sparse.triu(graph))
    forms = {
        "csr_array": graph,
        "csr_matrix": sparse.csr_matrix(graph),
        "coo": graph.tocoo(),
        "one direction": upper,
        "other direction": upper.T,
        "any weights": graph * -0.3,
        "dense": graph.toarray(),
        "booleans": graph.toarray().astype(bool),
        "pairs": edges,
        "signed pairs": edges.astype(np.int64)[::-1, ::-1],
        "pairs twice": np.vstack([edges, edges]),
        "pairs at an odd address": at_an_odd_address(edges),
        "lists": edges.tolist(),
        "frame": pandas.DataFrame(edges),
        "transformer": KNeighborsTransformer(n_neighbors=9),
        "pipeline": make_pipeline(FunctionTransformer(), KNeighborsTransformer(n_neighbors=9)),
    }
    plain = quick(connect=False).fit(table)
    for name, form in forms.items():
        assert same(quick(connect=False).fit(table, graph=form), plain), name
    for form in (graph, edges, forms["transformer"]):
        assert same(quick(connect=False, graph=form).fit(table), plain)
    assert np.array_equal(quick(connect=False).fit_transform(table, graph=edges), plain.embedding_)
    # the graph of fit goes first
    other = RadiusNeighborsTransformer(radius=1.2)
    assert same(quick(graph=edges).fit(table, graph=other), quick(graph=other).fit(table))


def test_a_graph_that_was_given_does_not_hinder_new_rows(table, new_rows, fitted):
    model = quick().fit(table, graph=fitted.graph_)
    assert np.array_equal(model.transform(new_rows), quick().fit(table).transform(new_rows))
    assert np.array_equal(model.transform(table), model.embedding_)


def test_neighbours_at_distance_zero_are_neighbours(table):
    twice = np.vstack([table[:40], table[:40]])
    model = quick().fit(twice, graph=KNeighborsTransformer(n_neighbors=8))
    assert all(model.graph_[i, i + 40] == 1 for i in range(40))


def test_neighbours_may_be_mutual_or_within_a_radius(table):
    mutual, radius = quick(symmetry="mutual").fit(table), quick(radius=1.0).fit(table)
    plain = quick().fit(table)
    assert set(map(tuple, mutual.edges_)) - set(map(tuple, mutual.bridges_)) < set(map(tuple, plain.edges_))
    i, j = radius.edges_.T
    apart = np.linalg.norm(table[i] - table[j], axis=1)
    joined = {tuple(pair) for pair in radius.edges_} - {tuple(pair) for pair in radius.bridges_}
    assert apart[[tuple(pair) in joined for pair in radius.edges_]].max() <= 1.0
    every = sum(np.linalg.norm(table[a] - table[b]) <= 1.0 for a in range(150) for b in range(a))
    assert len(joined) == every


def two_sheets(table):
    return np.vstack([table[:70], table[70:120] + [0.0, 40.0, 0.0]])


def test_pieces_are_joined_with_a_warning_that_names_the_bridge(table):
    with pytest.warns(UserWarning, match="1 bridge was added to join pieces of the graph"):
        model = quick().fit(two_sheets(table))
    assert model.bridges_.shape == (1, 2)
    i, j = model.bridges_[0]
    assert i < 70 <= j and model.graph_[i, j] == 1


def test_only_the_largest_piece_is_fitted_if_that_is_asked_for_with_a_warning(table):
    X = two_sheets(table)
    with pytest.warns(UserWarning, match="only the largest piece of the graph was fitted, 70 of 120 points"):
        model = quick(connect=False, largest=True).fit(X)
    assert np.array_equal(model.rows_, np.arange(70))
    assert model.embedding_.shape == (70, 2) and model.graph_.shape == (70, 70)
    assert np.array_equal(model.transform(X[:70]), model.embedding_)
    assert model.score(X[:70]) == model.score() > model.score(X)
    with pytest.warns(UserWarning, match="largest"):
        whole = quick(connect=False, largest=True).set_output(transform="pandas").fit_transform(X)
    assert whole.shape == (120, 2)
    assert np.array_equal(whole.to_numpy()[:70], model.embedding_)


def test_pruning_removes_a_planted_short_circuit(curve, fitted):
    table, truth = curve
    ends = sorted([truth[:, 0].argmin(), truth[:, 0].argmax()])
    graph = np.vstack([fitted.edges_, [ends]])
    # bounds of different graphs compare in the paper's model
    params = {"init": fitted.embedding_, "feature_weight": "polish"}
    worse = LLLVM(**params).fit(table, graph=graph)
    assert tuple(edge_scores(worse)[0])[:2] == tuple(ends)
    model = LLLVM(prune=True, **params).fit(table, graph=graph)
    assert ends in model.removed_edges_.tolist()
    assert ends not in model.edges_.tolist()
    assert len(model.edges_) + len(model.removed_edges_) == len(graph)
    assert model.lower_bound_ > worse.lower_bound_ + 2
    assert np.array_equal(model.transform(table), model.embedding_)


# ---- distances


@pytest.fixture(scope="module")
def by_distances(distances):
    """A fit of distances; what rounding makes of a path along weights of the features is more than of one run."""
    return LLLVM(metric="precomputed", graph_likelihood=False).fit(distances)


@pytest.fixture(scope="module")
def by_features(table):
    return LLLVM(graph_likelihood=False).fit(table)


def test_a_table_of_distances_gives_the_embedding_of_the_table(by_distances, by_features):
    model = by_distances
    assert np.allclose(model.embedding_, by_features.embedding_, atol=1e-3)
    assert model.n_features_in_ == 150
    assert set(map(tuple, model.edges_)) == set(map(tuple, by_features.edges_))


def test_new_rows_may_be_known_by_their_distances(table, distances, new_rows, by_distances, by_features):
    model, plain = by_distances, by_features
    to_fitted = np.linalg.norm(new_rows[:, None] - table[None], axis=2)
    assert np.allclose(model.transform(to_fitted), plain.transform(new_rows), atol=1e-2)
    assert np.array_equal(model.transform(distances), model.embedding_)
    assert np.array_equal(model.transform(distances[:5]), model.embedding_[:5])
    assert model.score(distances) == model.score()
    assert np.allclose(model.novelty(to_fitted), plain.novelty(new_rows), atol=0.1)


def test_names_of_distances_are_names_of_rows(distances):
    frame = pandas.DataFrame(distances, columns=[f"p{i}" for i in range(150)])
    model = quick(metric="precomputed").fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert np.array_equal(model.transform(frame), model.embedding_)


def test_distances_of_no_flat_space_are_told_by_a_warning(distances):
    with pytest.warns(UserWarning, match="not those of points in a flat space"):
        quick(metric="precomputed").fit(np.minimum(distances, 1.0))
