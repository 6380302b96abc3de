"""The bound tells a short-circuit from good edges: it scores highest, its removal gains, and pruning takes it alone.

It is the bound of the paper's model: with the graph's own likelihood graphs do not compare, and a fit with it is judged
by that bound too."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from tangency import LLLVM, PruneResult, datasets, edge_scores, prune, test_edges


@pytest.fixture(scope="module")
def planted():
    """An S-curve whose graph has one edge too many, from one side of a bend to the other."""
    X, truth = datasets.make_s_curve(150)
    apart = np.abs(truth[:, None] - truth[None, :])
    across = np.abs(apart[..., 0] - 3.0) + apart[..., 1]
    bad = tuple(sorted(int(point) for point in np.unravel_index(across.argmin(), across.shape)))
    clean = LLLVM(n_neighbors=7, graph_likelihood=False).fit(X)
    model = LLLVM(graph=np.vstack([clean.edges_, [bad]]), graph_likelihood=False).fit(X)
    return model, bad, clean


@pytest.fixture(scope="module")
def pruned(planted):
    model = planted[0]
    before = (model.embedding_.copy(), model.edges_.copy(), model.lower_bound_, model.get_params(), model._native)
    return prune(model), before


def test_the_planted_edge_is_the_most_suspect(planted):
    model, bad, _ = planted
    scores = edge_scores(model)
    numbers = ("i", "j", "length", "resistance", "residual", "score", "surprise")
    assert scores.dtype.names == (*numbers, "expected_gain", "suspect")
    assert (scores[0]["i"], scores[0]["j"]) == bad
    assert (np.diff(scores["score"]) <= 0).all()
    assert {(int(i), int(j)) for i, j in scores[["i", "j"]]} == {tuple(edge) for edge in model.edges_.tolist()}
    assert ((scores["resistance"] > 0) & (scores["resistance"] <= 1 + 1e-9)).all()


def test_only_the_planted_edge_stands_out_by_what_its_removal_would_gain(planted):
    model, bad, clean = planted
    scores = edge_scores(model)
    assert [(int(i), int(j)) for i, j in scores[scores["suspect"]][["i", "j"]]] == [bad]
    assert scores["expected_gain"][0] == np.nanmax(scores["expected_gain"]) > 2
    assert not edge_scores(clean)["suspect"].any()


def test_what_pruning_found_shows_itself_in_short_and_as_a_frame(planted, pruned):
    found, bad = pruned[0], planted[1]
    text, edges = repr(found), len(planted[0].edges_)
    assert text.startswith(f"PruneResult: 1 of {edges} edge was removed; the bound is higher by {found.gain:.2f} nats")
    assert len(text.splitlines()) == 3 and "gain" in text
    assert "<table>" in found._repr_html_()
    frame = found.to_pandas()
    assert list(frame.columns) == list(found.removed.dtype.names) and (frame["i"][0], frame["j"][0]) == bad
    assert repr(prune(planted[2])) == f"PruneResult: none of {edges - 1} edges was removed"


def test_the_bound_speaks_for_removing_it_and_against_removing_a_good_edge(planted):
    model, bad, _ = planted
    last = edge_scores(model)[-1]
    good = (int(last["i"]), int(last["j"]))
    both, *each = test_edges(model, [bad, good], seeds=1)
    assert set(both.removed) == {bad, good} and both.added == []
    alone = {test.removed[0]: test for test in each}
    assert set(alone) == {bad, good}
    assert alone[bad].change > 5
    assert alone[good].change < 0
    assert repr(alone[good]).startswith(f"EdgeTest: without {good[0]}–{good[1]} the bound changes by -")
    for test in (both, *each):
        assert test.seeds == 1 and test.converged and test.spread == 0
        assert sum(test.parts.values()) == pytest.approx(test.change, abs=1e-6)


def test_an_edge_that_is_not_there_is_added_and_progress_is_told(planted, capsys):
    _, bad, clean = planted
    (test,) = test_edges(clean, bad, seeds=2, verbose=True)
    assert "test" in capsys.readouterr().err
    assert test.added == [bad] and test.removed == [] and test.seeds == 2
    assert test.change < -5
    told = f"the bound changes by {test.change:.2f} ± {test.spread:.2g} nats (2 seeds)"
    assert repr(test) == f"EdgeTest: with {bad[0]}–{bad[1]} {told}"


def test_pruning_removes_the_planted_edge_alone(planted, pruned):
    _, bad, clean = planted
    found, _ = pruned
    assert isinstance(found, PruneResult)
    assert found.removed.dtype.names == ("i", "j", "length", "resistance", "residual", "score", "surprise", "gain")
    assert [(int(i), int(j)) for i, j in found.removed[["i", "j"]]] == [bad]
    assert {tuple(edge) for edge in found.model.edges_.tolist()} == {tuple(edge) for edge in clean.edges_.tolist()}
    assert found.model.removed_edges_.tolist() == [list(bad)]


def test_what_pruning_tells_adds_up(planted, pruned):
    model = planted[0]
    found, _ = pruned
    assert found.gain > 5 and found.removed["gain"][0] > 2
    assert found.model.lower_bound_ - model.lower_bound_ == pytest.approx(found.gain, abs=1e-3)
    assert found.baseline_samples > 0 and found.baseline_std > 0 and found.baseline_mean < 2
    assert found.bridges == [] and not found.interrupted
    assert found.rounds and found.n_iter > 0


def test_pruning_leaves_the_model_as_it_was(planted, pruned):
    model = planted[0]
    found, (embedding, edges, bound, params, native) = pruned
    assert found.model is not model and model._native is native
    np.testing.assert_array_equal(model.embedding_, embedding)
    np.testing.assert_array_equal(model.edges_, edges)
    assert model.lower_bound_ == bound and model.removed_edges_.shape == (0, 2)
    assert all(model.get_params()[name] is value for name, value in params.items())


def test_the_pruned_model_is_a_model_like_any_other(pruned, tmp_path):
    found, _ = pruned
    new = datasets.make_s_curve(5, random_state=9)[0]
    placed = found.model.transform(new)
    assert placed.shape == (5, 2)
    found.model.save(tmp_path / "pruned.safetensors")
    np.testing.assert_array_equal(LLLVM.load(tmp_path / "pruned.safetensors").transform(new), placed)


def test_prune_as_a_setting_gives_the_same(planted, pruned):
    model = planted[0]
    found, _ = pruned
    X = model._native.observations
    again = LLLVM(graph=model.graph, prune=True, graph_likelihood=False).fit(X)
    np.testing.assert_array_equal(again.embedding_, found.model.embedding_)
    assert again.lower_bound_ == found.model.lower_bound_


@pytest.fixture(scope="module")
def on_its_graph(planted):
    """A fit with the graph's likelihood, from a good start, as it is and pruned."""
    model, _, clean = planted
    params = {"graph": model.graph, "init": clean.embedding_, "feature_weight": 0.3}
    return LLLVM(**params).fit(model._native.observations), params


def test_the_planted_edge_surprises_the_likelihood_of_the_graph(planted, on_its_graph):
    bad, (model, _) = planted[1], on_its_graph
    scores = edge_scores(model)
    assert np.isfinite(scores["surprise"]).all()
    first = scores[scores["surprise"].argmax()]
    assert (first["i"], first["j"]) == bad == (scores[0]["i"], scores[0]["j"])


def test_a_fit_with_the_likelihood_of_its_graph_is_pruned_by_the_paper_s_bound(planted, on_its_graph):
    bad, (model, params) = planted[1], on_its_graph
    found = prune(model)
    assert [(int(i), int(j)) for i, j in found.removed[["i", "j"]]] == [bad]
    assert found.gain > 5 and found.removed["gain"][0] > 2
    # the rest is fitted again, with the same settings
    assert found.model.feature_weight_ == model.feature_weight_ == 0.3 and found.model.sociability_ is not None
    assert found.model.removed_edges_.tolist() == [list(bad)]
    assert np.isfinite(edge_scores(found.model)["surprise"]).all()
    at_once = LLLVM(prune=True, **params).fit(model._native.observations)
    np.testing.assert_array_equal(at_once.embedding_, found.model.embedding_)
    assert at_once.lower_bound_ == found.model.lower_bound_


def test_a_gain_that_no_edge_has_removes_nothing(planted):
    model = planted[0]
    found = prune(model, min_gain=1e6)
    assert len(found.removed) == 0 and found.gain == 0
    np.testing.assert_array_equal(found.model.edges_, model.edges_)


@pytest.mark.parametrize("judge", [edge_scores, prune, lambda model: test_edges(model, [[0, 1]])])
def test_only_a_fitted_model_has_edges(judge):
    with pytest.raises(ValueError, match="model is of type ndarray; give a fitted LLLVM"):
        judge(np.zeros((3, 2)))
    with pytest.raises(NotFittedError, match="not fitted yet"):
        judge(LLLVM())


@pytest.mark.parametrize(
    ("edges", "sentence"),
    [
        ([], r"edges is an array of shape \(1, 0\); give pairs of points as whole numbers of shape \(m, 2\)"),
        ([[0, 1, 2]], r"edges is an array of shape \(1, 3\)"),
        ([[0.5, 1.0]], "whole numbers"),
        ([[0, 150]], "edges names points from 0 to 150; give points from 0 to 149"),
        ([[-1, 3]], "edges names points from -1 to 3; give points from 0 to 149"),
        ([[4, 4]], "two different points"),
    ],
)
def test_edges_that_cannot_be_are_refused(planted, edges, sentence):
    with pytest.raises(ValueError, match=sentence):
        test_edges(planted[2], edges)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_removed": 0}, "max_removed is 0; use a whole number, at least 1"),
        ({"max_removed": 2.5}, "max_removed is 2.5; use a whole number"),
        ({"min_gain": "much"}, "min_gain is 'much'; use a number"),
        ({"min_gain": -1}, "min_gain is -1; use zero or a positive number"),
    ],
)
def test_options_of_pruning_that_cannot_be_are_refused(planted, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        prune(planted[0], **options)


def test_the_number_of_seeds_is_checked(planted):
    with pytest.raises(ValueError, match="seeds is 0; use a whole number, at least 1"):
        test_edges(planted[2], [[0, 1]], seeds=0)
