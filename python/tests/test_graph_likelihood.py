"""The graph's own likelihood: its settings, what a fit with it holds, and that everything works on such a fit."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from sklearn.datasets import load_digits

import tangency
from tangency import LLLVM, datasets, quality

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NAMES = ("feature_weight_", "feature_weights_", "trustworthiness_", "n_used_", "heaviness_", "sociability_")
ARRAYS = ("embedding_", "embedding_std_", "maps_", "maps_std_", "lower_bounds_", "edges_")
#: The weights that are tried, in the order in which they are.
WEIGHTS = [0.03, 1.0, 0.3, 0.1]


def same(one, other):
    """Whether two models are the same to the last bit."""
    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)
    assert np.array_equal(one.sociability_, other.sociability_)
    return all(getattr(one, name) == getattr(other, name) for name in NAMES[:-1])


@pytest.fixture(scope="module")
def rows():
    return datasets.make_s_curve(100, noise=0.02, random_state=1)[0]


@pytest.fixture(scope="module")
def new():
    return datasets.make_s_curve(30, noise=0.02, random_state=2)[0]


@pytest.fixture(scope="module")
def on_graph(rows):
    """A fit that follows the graph."""
    return LLLVM(feature_weight=0.1).fit(rows)


@pytest.fixture(scope="module")
def images():
    """A table as tables are: images of digits."""
    return load_digits().data[:100]


# ---- settings


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"graph_likelihood": 1}, "graph_likelihood is 1; use True or False"),
        ({"graph_likelihood": None}, "graph_likelihood is None; use True or False"),
        *(
            ({"feature_weight": value}, f"feature_weight is {value}; use a positive number, or one of 'auto', 'polish'")
            for value in (0, -0.5, np.inf, np.nan, True, None, [0.1])
        ),
        (
            {"feature_weight": "plain"},
            "feature_weight is 'plain'; use a positive number, or one of 'auto', 'polish'",
        ),
        ({"edge_weights": "none"}, "edge_weights is 'none'; use one of 'membership', 'plain'"),
        *(
            ({"heaviness": value}, f"heaviness is {value!r}; use a number from 0 to 1, or None, which learns it")
            for value in (1.5, -0.1, "learned", np.nan, True)
        ),
    ],
)
def test_what_the_settings_may_be_is_said(given, sentence, rows):
    with pytest.raises(ValueError) as error:
        LLLVM(**given).fit(rows)
    assert str(error.value) == sentence


def test_the_authors_model_has_none(rows):
    assert LLLVM().graph_likelihood and not LLLVM.authors().graph_likelihood
    model = LLLVM.authors(max_iter=3).fit(rows)
    assert model.sociability_ is None and model.feature_weights_ == []


# ---- what a fit holds


def test_attributes_are_not_there_before_a_fit():
    assert not any(hasattr(LLLVM(), name) for name in NAMES)


def test_a_weight_that_is_given_is_the_only_one(rows, on_graph):
    trust = quality.trustworthiness(rows, on_graph.embedding_, n_neighbors=12)
    assert on_graph.feature_weight_ == 0.1 and on_graph.heaviness_ == 0.5 and on_graph.n_used_ == 2
    assert on_graph.feature_weights_ == [(0.1, pytest.approx(trust))]
    assert set(on_graph.trustworthiness_) == {"map", "pca", "start"}
    assert on_graph.trustworthiness_["map"] == pytest.approx(trust)
    assert on_graph.trustworthiness_["map"] > on_graph.trustworthiness_["pca"] > 0.9
    assert isinstance(on_graph.sociability_, np.ndarray) and on_graph.sociability_.shape == (100,)
    assert (on_graph.sociability_ > 0).all() and np.isfinite(on_graph.sociability_).all()
    assert on_graph.stop_reason_ == "converged" and (np.diff(on_graph.lower_bounds_) > -1e-6).all()
    assert on_graph.summary()["bound_parts_scaled"]["graph"] < 0


def test_the_weight_of_a_clean_sheet_grows_up_to_the_paper_s_model():
    fitted = LLLVM(init="isomap").fit(datasets.make_s_curve(300, noise=0.02, random_state=1)[0])
    assert fitted.feature_weight_ is None and fitted.sociability_ is None and fitted.heaviness_ == 0.0
    assert [weight for weight, _ in fitted.feature_weights_] == [0.03, 1.0, None]
    assert fitted.summary()["bound_parts_scaled"]["graph"] == 0.0
    trusts = [trust for _, trust in fitted.feature_weights_]
    assert trusts[-1] == fitted.lengths_["trustworthiness_before"] >= max(trusts) - 1e-3
    assert fitted.lengths_["taken"] and fitted.lengths_["trustworthiness"] == fitted.trustworthiness_["map"]
    assert fitted.lengths_["off"] < 0.02 < fitted.lengths_["off_before"] and fitted.lengths_["unit"] > 0.0
    assert fitted.lengths_["bound_before"] > fitted.lower_bound_
    never = LLLVM(init="isomap", keep_lengths="never").fit(datasets.make_s_curve(300, noise=0.02, random_state=1)[0])
    assert never.lengths_ is None and never.lower_bound_ == pytest.approx(fitted.lengths_["bound_before"])


def test_the_weight_of_a_real_table_is_the_largest_that_keeps_neighbourhoods(images):
    model = LLLVM(n_neighbors=7, max_iter=30).fit(images)
    tried = dict(model.feature_weights_)
    walked = [weight for weight in tried if weight != 10.0]  # tried from the start itself
    assert walked == WEIGHTS[: len(walked)] and model.feature_weight_ in tried
    assert tried[model.feature_weight_] >= max(tried.values()) - 1e-3
    larger = [trust for weight, trust in tried.items() if weight > model.feature_weight_]
    assert not larger or max(larger) < max(tried.values()) - 1e-3
    assert model.sociability_.shape == (100,)
    assert model.trustworthiness_["map"] > model.trustworthiness_["pca"] + 0.02


def test_the_paper_s_model_may_have_the_last_word(rows):
    model = LLLVM(feature_weight="polish", max_iter=20).fit(rows)
    assert model.feature_weight_ is None and model.feature_weights_[-1][0] is None and model.sociability_ is None


def test_without_it_the_fit_is_the_paper_s_model_and_its_settings_act_no_more(table, new_rows):
    params = {"graph_likelihood": False, "init": "isomap", "max_iter": 30}
    plain = LLLVM(**params).fit(table)
    assert plain.feature_weight_ is None and plain.feature_weights_ == [] and plain.sociability_ is None
    assert plain.heaviness_ == 0.0 and plain.n_used_ == 2 and plain.trustworthiness_["map"] > 0.95
    assert plain.summary()["bound_parts_scaled"]["graph"] == 0.0
    other = LLLVM(feature_weight=0.1, edge_weights="plain", heaviness=None, **params).fit(table)
    assert same(other, plain) and np.array_equal(other.transform(new_rows), plain.transform(new_rows))


def test_heaviness_is_held_or_learned(rows, on_graph):
    params = {"feature_weight": 0.1, "init": on_graph.embedding_, "max_iter": 15}
    for heaviness in (0.0, 1.0):
        assert LLLVM(heaviness=heaviness, **params).fit(rows).heaviness_ == heaviness
    learned = LLLVM(heaviness=None, **params).fit(rows)
    assert 0.0 <= learned.heaviness_ <= 1.0 and learned.heaviness_ != 0.5


def test_edges_count_alike_or_by_their_place_among_neighbours(rows, on_graph):
    params = {"feature_weight": 0.1, "init": on_graph.embedding_, "max_iter": 15}
    one, other = (LLLVM(edge_weights=word, **params).fit(rows) for word in ("membership", "plain"))
    assert not np.array_equal(one.embedding_, other.embedding_)


def test_coordinates_without_spread_are_not_used():
    line = np.outer(np.linspace(0, 1, 40), [1.0, 2.0, 3.0])
    line += np.random.default_rng(0).normal(scale=1e-3, size=line.shape)
    with pytest.warns(UserWarning, match="1 of 2 dimensions are used"):
        model = LLLVM(n_neighbors=4).fit(line)
    assert model.n_used_ == 1 and model.embedding_.shape == (40, 2)


# ---- what is done with a fit


def through_a_file(model, folder):
    model.save(folder / "model.safetensors")
    return tangency.load(folder / "model.safetensors")


@pytest.mark.parametrize(
    "way",
    [lambda model, _: pickle.loads(pickle.dumps(model)), lambda model, _: copy.deepcopy(model), through_a_file],
    ids=["pickle", "copy", "file"],
)
def test_a_model_comes_back_as_it_was(way, on_graph, new, tmp_path):
    made = way(on_graph, tmp_path)
    assert same(made, on_graph) and made.get_params()["feature_weight"] == 0.1
    assert np.array_equal(made.transform(new), on_graph.transform(new))
    assert np.array_equal(made.score_samples(new), on_graph.score_samples(new))
    assert made.summary() == on_graph.summary()


def test_where_a_row_is_placed_does_not_depend_on_the_others(on_graph, rows, new):
    whole, deviations = on_graph.transform(new, return_std=True)
    assert np.array_equal(np.vstack([on_graph.transform(row[None]) for row in new]), whole)
    order = np.random.default_rng(0).permutation(len(new))
    turned, turned_deviations = on_graph.transform(new[order], return_std=True)
    assert np.array_equal(turned, whole[order]) and np.array_equal(turned_deviations, deviations[order])
    both = on_graph.transform(np.vstack([new, rows]))
    assert np.array_equal(both[: len(new)], whole) and np.array_equal(both[len(new) :], on_graph.embedding_)
    assert (deviations > 0).all()


def test_new_rows_are_placed_beside_their_neighbours(on_graph, rows, new):
    nearest = np.linalg.norm(new[:, None] - rows[None], axis=2).argmin(axis=1)
    apart = np.linalg.norm(on_graph.transform(new) - on_graph.embedding_[nearest], axis=1)
    spread = np.linalg.norm(on_graph.embedding_.std(axis=0))
    assert np.median(apart) < 0.25 * spread and apart.max() < spread
    assert np.isfinite(on_graph.score_samples(new)).all()


@pytest.mark.parametrize("engine", ["exact", "factorised"])
def test_the_number_of_threads_changes_no_bit(engine, images, rows):
    params = {"engine": engine, "draws": 20, "max_iter": 5, "init": "isomap"}
    for table, weight in ((rows, 0.1), (images[:, 16:40], "auto")):
        one, two = (LLLVM(feature_weight=weight, n_jobs=n_jobs, **params).fit(table) for n_jobs in (1, 2))
        assert same(one, two) and np.array_equal(one.transform(table + 0.01), two.transform(table + 0.01))


def test_independent_points_have_it_too(rows, new, on_graph):
    model = LLLVM(engine="factorised", feature_weight=0.1).fit(rows)
    assert model.engine_ == "factorised" and model.feature_weight_ == 0.1 and model.deviation_kind_ == "sampled"
    assert (model.sociability_ > 0).all() and model.trustworthiness_["map"] > 0.98
    assert quality.affine_r2(on_graph.embedding_, model.embedding_) > 0.95
    assert np.isfinite(model.transform(new)).all() and (model.embedding_std_ > 0).all()


# ---- tables that hardly are tables


def tiny():
    draw = np.random.default_rng(0)
    for n in (3, 4, 6, 10):
        twice = draw.normal(size=(n, 4))
        twice[1 : n // 2 + 1] = twice[0]
        yield f"{n} rows", draw.normal(size=(n, 4))
        yield f"{n} rows, some the same", twice
        yield f"{n} rows, all but one the same", np.where(np.arange(n)[:, None] == 0, [1.0, 0.0, 0.0, 0.0], 0.0)
        yield f"{n} rows, nearly the same", 1 + 1e-9 * draw.normal(size=(n, 4))
        yield f"{n} rows, one far away", draw.normal(size=(n, 4)) * np.where(np.arange(n) == 1, 1e8, 1.0)[:, None]


TINY = dict(tiny())


@pytest.mark.parametrize("case", TINY)
def test_tiny_tables_are_fitted_without_panic(case):
    table = TINY[case]
    for n_components in (1, 2):
        for weight in ("auto", "polish", 0.1):
            model = LLLVM(n_components, min(len(table) - 1, 5), feature_weight=weight, max_iter=30).fit(table)
            for name in ("embedding_", "embedding_std_", "maps_", "lower_bounds_"):
                assert np.isfinite(getattr(model, name)).all(), (n_components, weight, name)
            assert all(0.0 <= trust <= 1.0 for trust in model.trustworthiness_.values())
            assert 0 <= model.n_used_ <= n_components
            # of rows that are the same one has the say
            first = [np.flatnonzero((table == row).all(axis=1))[0] for row in table]
            assert np.array_equal(model.transform(table), model.embedding_[first])


def test_the_number_of_coordinates_is_found():
    X = datasets.make_s_curve(120, random_state=2)[0]
    model = LLLVM("auto", n_neighbors=8).fit(X)
    assert model.embedding_.shape == (120, 2) and model.n_components == "auto"
    found = model.dimension_
    assert found["taken"] == 2 and found["points"] == 120 and len(found["spreads"]) == 3
    assert [row["n_components"] for row in found["bounds"]] == [1, 2, 3]
    # several starts, and a start that says how many
    assert LLLVM("auto", n_neighbors=8, n_init=2, init="random", max_iter=5).fit(X).dimension_ is not None
    given = LLLVM("auto", n_neighbors=8, init=X[:, :1], max_iter=5).fit(X)
    assert given.embedding_.shape == (120, 1) and given.dimension_ is None
    with pytest.raises(ValueError, match="n_components is 'few'; use a whole number, at least 1, or 'auto'"):
        LLLVM("few").fit(X)


def test_the_number_of_neighbours_is_found():
    X = datasets.make_swiss_roll(240, random_state=3)[0]
    model = LLLVM(n_neighbors="auto", max_iter=5).fit(X)
    found = model.neighbors_
    judged = [row for row in found["tried"] if row["rows"] == 240]
    level = [row["n_neighbors"] for row in judged if row["behind"] <= row["error"]]
    # the smallest within one standard error of the likeliest
    assert found["rows"] == 240 and found["taken"] == min(level)
    assert max(judged, key=lambda row: row["log_density"])["behind"] == 0
    # layers of a roll lie near each other
    assert found["taken"] <= 10
    assert LLLVM(max_iter=5).fit(X).neighbors_ is None
    given = LLLVM(n_neighbors="auto", max_iter=5).fit(X, graph=model.graph_)
    assert given.neighbors_ is None and np.array_equal(given.edges_, model.edges_)
    with pytest.raises(ValueError, match="n_neighbors is 0; use a whole number, at least 1"):
        LLLVM(n_neighbors=0).fit(X)
    with pytest.raises(ValueError, match="n_neighbors is 'all'; use a whole number, at least 1, or 'auto'"):
        LLLVM(n_neighbors="all").fit(X)
