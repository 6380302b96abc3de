"""An interrupted selection goes on where it was and to the same end; wrong input gets one sentence."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from tangency import _parallel, datasets, select

#: A grid that takes about a second, in which some fits collapse, some are raced and one graph is in pieces.
GRID = {"n_neighbors": [2, 5, 7], "n_components": [1, 2], "seeds": 3, "max_iter": 30, "by": "bound"}


@pytest.fixture(scope="module")
def small():
    return datasets.make_s_curve(80, noise=0.02, random_state=1)[0]


@pytest.fixture(scope="module")
def local(small):
    """What a selection of the small table gives here, with one fit after the other."""
    return select(small, **GRID, n_jobs=1)


def same(one, other):
    assert one.cells == other.cells
    assert one.summary == other.summary
    assert one.complete == other.complete


# ---- interrupted and taken up again


def interrupted_after(n, monkeypatch, work):
    """Calls `work` with a Ctrl-C after so many fits."""
    seen = 0
    finished = _parallel.finished

    def stopping(*arguments):
        nonlocal seen
        for result in finished(*arguments):
            yield result
            seen += 1
            if seen == n:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(_parallel, "finished", stopping)
        return work()


@pytest.mark.parametrize("n", [1, 3, 6])
def test_an_interrupted_selection_goes_on_where_it_was(small, local, monkeypatch, n):
    with pytest.warns(
        UserWarning, match=rf"interrupted: {n} of at most 12 fits are done; give this selection as resume="
    ):
        part = interrupted_after(n, monkeypatch, lambda: select(small, **GRID, n_jobs=2))
    assert not part.complete
    fitted = [cell for cell in part.cells if cell["stop"] != "disconnected"]
    assert len(fitted) == n and all(cell in local.cells for cell in part.cells)
    assert all(candidate["raced"] == 0 for candidate in part.summary)
    again = pickle.loads(pickle.dumps(part))
    made = []
    monkeypatch.setattr(
        _parallel, "finished", lambda work, jobs, k: (made.append(j) or (i, work(*j)) for i, j in enumerate(jobs))
    )
    same(select(small, **GRID, resume=again), local)
    assert len(made) == sum(cell["bound"] is not None for cell in local.cells) - n


def test_a_complete_selection_that_is_resumed_makes_no_fit(small, local, monkeypatch):
    monkeypatch.setattr(_parallel, "finished", None)
    same(select(small, **GRID, resume=local), local)


@pytest.mark.parametrize(
    "change", [{"seeds": 2}, {"max_iter": 31}, {"random_state": 1}, {"race": False}, {"n_neighbors": [5, 7]}]
)
def test_only_the_same_selection_is_resumed(small, local, change):
    with pytest.raises(ValueError, match="resume does not belong to this table and these settings"):
        select(small, **(GRID | change), resume=local)


def test_a_selection_of_another_table_is_not_resumed(small, local):
    with pytest.raises(ValueError, match="resume does not belong to this table and these settings"):
        select(small[::-1], **GRID, resume=local)


# ---- wrong input


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"neighbours": 5}, "select has no setting 'neighbours'; it takes accelerate, alpha, "),
        ({"prune": True}, "select has no setting 'prune'"),
        ({"n_neighbors": 80}, "n_neighbors is 80, but the table has only 80 rows"),
        ({"n_neighbors": [5, 6, 5]}, "n_neighbors holds 5 twice"),
        ({"n_neighbors": []}, "n_neighbors is empty"),
        ({"n_neighbors": 5.0}, "n_neighbors is 5.0; use a whole number"),
        ({"n_neighbors": "5"}, "n_neighbors is '5'; use a whole number"),
        ({"n_neighbors": 0}, "n_neighbors is 0; use a whole number, at least 1"),
        ({"n_components": []}, "n_components is empty"),
        ({"n_components": [2, 2]}, "n_components holds 2 twice"),
        ({"n_components": 4}, "n_components is 4, but the table has only 3 feature"),
        ({"radius": -1}, "radius is -1; use a positive number"),
        ({"radius": [1.0, 1.0]}, "the graph radius 1 is there twice"),
        ({"radius": float("nan")}, "radius is nan; use a number"),
        ({"symmetry": "and"}, "symmetry is 'and'; use one of 'or', 'mutual'"),
        ({"symmetry": []}, "symmetry is empty"),
        ({"graphs": ["a.csv"]}, "graphs is of type list; give a dictionary"),
        ({"graphs": {"far": np.array([[0, 99]])}}, "names a point outside 0 to 79"),
        ({"seeds": 0}, "seeds is 0; use a whole number, at least 1"),
        ({"init": np.zeros((80, 2))}, "init is an array, which fits one dimension only"),
        ({"largest": True}, "largest is on, but bounds compare only if they are about the same points"),
        ({"n_jobs": 0}, "n_jobs is 0; use None or a whole number other than 0"),
        ({"resume": "yesterday's"}, "resume does not belong to this table and these settings"),
        ({"max_iter": 0}, "max_iter is 0; use a whole number, at least 1"),
    ],
)
def test_wrong_options_get_one_sentence(small, options, sentence):
    with pytest.raises(ValueError, match=sentence) as raised:
        select(small, **options)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[0.0, 1.0], [1.0, float("nan")], [2.0, 2.0], [0.5, 1.5]], "the table has only 4 rows"),
        ([[0.0, 1.0], [1.0, float("inf")], [2.0, 2.0], [0.5, 1.5]], "Input X contains infinity"),
        ([[0.0, 1.0], [1.0, 2.0]], "minimum of 3 is required"),
        ([0.0, 1.0, 2.0, 3.0], "Expected 2D array"),
        ([[1.0, 2.0]] * 9, "all 9 points are identical"),
    ],
)
def test_a_wrong_table_is_refused(table, sentence):
    with pytest.raises(ValueError, match=sentence):
        select(table)
