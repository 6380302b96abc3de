"""Neighbours by metric are scikit-learn's, and lists of neighbours from elsewhere are graphs."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors, kneighbors_graph
from small_models import same

import tangency
from tangency import LLLVM, compare, datasets, select

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

METRICS = ["euclidean", "cosine", "correlation", "manhattan"]
QUICK = {"max_iter": 5, "init": "isomap", "n_neighbors": 7, "draws": 0}
FOUND = os.environ.get("TANGENCY_COMMAND") or pathlib.Path(__file__).parents[2] / "target" / "release" / "tangency"


@pytest.fixture(scope="module")
def rays():
    """Rows in directions that make a sheet, each with a length of its own."""
    rng = np.random.default_rng(3)
    places = rng.uniform(size=(190, 2))
    directions = 2 + np.sin(3 * places[:, :1] + np.arange(10)) + np.cos(2 * places[:, 1:] * (np.arange(10) % 7))
    return rng.uniform(0.5, 2.5, size=(190, 1)) * directions


@pytest.mark.parametrize("search", ["exact", "approximate"])
@pytest.mark.parametrize("metric", METRICS)
def test_neighbors_are_those_of_scikit_learn(metric, search, rays):
    train, new = rays[:160], rays[160:]
    model = LLLVM(metric=metric, neighbor_search=search, scaling="max-abs", **QUICK).fit(train)
    near = NearestNeighbors(n_neighbors=7, metric=metric, algorithm="brute").fit(train)
    listed = near.kneighbors(return_distance=False)
    wanted = {tuple(sorted((i, int(j)))) for i, row in enumerate(listed) for j in row}
    found = {tuple(pair) for pair in model.edges_.tolist()} - {tuple(pair) for pair in model.bridges_.tolist()}
    assert found == wanted if search == "exact" else len(found & wanted) > 0.97 * len(wanted)
    # new rows too
    one_by_one = np.vstack([model.transform(row[None]) for row in new])
    np.testing.assert_array_equal(model.transform(new), one_by_one)
    np.testing.assert_array_equal(model.transform(train), model.embedding_)


def test_a_metric_is_kept_in_files_and_pickles(rays, tmp_path):
    model = LLLVM(metric="cosine", **QUICK).fit(rays[:160])
    model.save(tmp_path / "m.safetensors")
    again = tangency.load(tmp_path / "m.safetensors")
    assert again.metric == "cosine"
    np.testing.assert_array_equal(again.transform(rays[160:]), model.transform(rays[160:]))
    assert not np.array_equal(LLLVM(**QUICK).fit(rays[:160]).transform(rays[160:]), model.transform(rays[160:]))


@pytest.mark.parametrize("metric", METRICS[1:])
def test_the_command_gives_the_same_bits(metric, rays, tmp_path):
    if not pathlib.Path(FOUND).is_file():
        pytest.skip(f"there is no command at {FOUND}")
    np.save(tmp_path / "rays.npy", rays)
    words = ["fit", "rays.npy", "--metric", metric, "-k", "7", "--init", "isomap", "--max-iter", "5", "--draws", "0"]
    done = subprocess.run(
        [FOUND, *words, "--connect", "--json"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    model = LLLVM(metric=metric, **QUICK).fit(rays)
    assert json.loads(done.stdout)["bound"] == model.lower_bound_


def test_selections_and_comparisons_have_metrics(rays):
    found = select(rays, n_neighbors=[6, 9], n_components=2, seeds=1, metric="cosine", max_iter=5, connect=True)
    assert found.best_["n_components"] == 2
    assert compare(rays, methods="isomap", metric="cosine", connect=True).records
    for run in (lambda: select(rays, metric="precomputed"), lambda: compare(rays, metric="precomputed")):
        with pytest.raises(ValueError, match="precomputed"):
            run()


def test_rows_without_a_direction_are_named(rays):
    flat = rays.copy()
    flat[12] = 3.0
    with pytest.raises(ValueError, match="row 12 is constant.*correlation"):
        LLLVM(metric="correlation", **QUICK).fit(flat)
    flat[12] = 0.0
    with pytest.raises(ValueError, match="row 12 is zero.*cosine"):
        LLLVM(metric="cosine", **QUICK).fit(flat)
    with pytest.raises(ValueError, match="row 0 is zero"):
        LLLVM(metric="cosine", **QUICK).fit(rays).transform(np.zeros((1, 10)))


def test_entries_may_be_missing(rays):
    holes = rays.copy()
    holes[::9, 3] = np.nan
    for metric in METRICS[1:]:
        model = LLLVM(metric=metric, **QUICK).fit(holes)
        assert np.isfinite(model.embedding_).all() and np.isfinite(model.transform(holes[:5])).all()


# ---- lists of neighbours


def test_lists_of_neighbors_are_a_graph():
    X, _ = datasets.make_s_curve(120, random_state=1)
    near = NearestNeighbors(n_neighbors=8).fit(X)
    distances, numbers = near.kneighbors()
    plain = LLLVM(**QUICK).fit(X, graph=kneighbors_graph(X, 8))
    beside = np.column_stack([np.arange(120), numbers])
    short = np.where(np.arange(9) < 8, np.column_stack([numbers, numbers[:, :1]]), -1)
    for graph in (
        numbers,
        numbers.tolist(),
        numbers.astype(np.uint8),
        (numbers,),
        (numbers, distances),
        (distances, numbers),  # as scikit-learn gives them
        (numbers, distances, near),  # as umap-learn takes them
        beside,
        short,
    ):
        assert same(LLLVM(**QUICK).fit(X, graph=graph), plain)
    cut = distances.copy()
    cut[:, -1] = np.inf
    assert same(LLLVM(**QUICK).fit(X, graph=(numbers, cut)), LLLVM(**QUICK).fit(X, graph=numbers[:, :-1]))
    # two columns are pairs, and two neighbours of each row are a tuple
    pairs = LLLVM(**QUICK).fit(X, graph=(numbers[:, :2],))
    assert len(pairs.edges_) > 120


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda near, far: near[:-1], "119 points, but X has 120 rows|array of shape"),
        (lambda near, far: (near[:-1], far[:-1]), "119 points, but X has 120 rows"),
        (lambda near, far: np.where(near == 5, 120, near), "outside 0 to 119"),
        (lambda near, far: np.where(near == 5, -2, near), "outside 0 to 119"),
        (lambda near, far: (near, far[:, :-1]), "of the same shape"),
        (lambda near, far: (far, far), "not of one array of row numbers"),
        (lambda near, far: (near, -far), "at least 0"),
        (lambda near, far: (), "not of one array of row numbers"),
    ],
)
def test_bad_lists_are_errors(change, words):
    X, _ = datasets.make_s_curve(120, random_state=1)
    far, near = NearestNeighbors(n_neighbors=4).fit(X).kneighbors()
    with pytest.raises(ValueError, match=words):
        LLLVM(**QUICK).fit(X, graph=change(near, far))


# ---- wide tables


def test_a_wide_table_speaks_in_its_features():
    rng = np.random.default_rng(1)
    places = rng.uniform(size=(40, 2))
    X = np.sin(places @ rng.normal(0, 2, (2, 300)) + rng.uniform(0, 6, 300)) + 0.05 * rng.normal(size=(40, 300))
    # the exact engine from a start without iterations of its own: no last digit decides when anything ends
    settings = {"max_iter": 15, "n_neighbors": 6, "graph_likelihood": False, "init": "isomap"}
    model = LLLVM(**settings).fit(X)
    assert model.maps_.shape == (40, 300, 2)
    # features in another order are another rotation
    order = rng.permutation(300)
    other = LLLVM(**settings).fit(X[:, order])
    assert other.lower_bound_ == pytest.approx(model.lower_bound_, rel=1e-9)
    np.testing.assert_allclose(other.embedding_, model.embedding_, atol=1e-6)
    np.testing.assert_allclose(other.maps_, model.maps_[:, order], atol=1e-6)
    new = X[:3] + 0.01
    assert model.transform(new).shape == (3, 2)
    assert model.inverse_transform(model.embedding_[:4]).shape == (4, 300)
    assert np.isfinite(model.score_samples(new)).all()
