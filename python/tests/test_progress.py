"""In notebooks progress is a bar that needs nothing else installed, and pages stand below the cell."""

from __future__ import annotations

import sys
import types

import pytest

from tangency import LLLVM, _progress


@pytest.fixture
def notebook(monkeypatch):
    """A kernel of a notebook; what was displayed, the last of each cell."""
    shown: list[str] = []

    def update(picture):
        shown.append(picture)

    def display(picture, display_id=False):
        update(picture)
        return types.SimpleNamespace(update=update)

    kernel = types.ModuleType("IPython")
    kernel.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    kernel.display = types.ModuleType("IPython.display")
    kernel.display.HTML, kernel.display.display = str, display
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", kernel.display)
    return shown


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_fit_moves_a_bar_in_a_notebook(notebook, table, capsys):
    assert _progress.in_notebook()
    LLLVM(max_iter=20, verbose=True).fit(table)
    assert "<progress" in notebook[0] and notebook[0].startswith("<div>fit")
    assert capsys.readouterr().err == ""
    notebook.clear()
    LLLVM(max_iter=20).fit(table)
    assert notebook == []


def test_the_bar_counts_and_says_how_long_it_may_take(notebook, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    with _progress.Bar("fit", True) as bar:
        bar.callback("trial 1/3", 1, 500, None)
        assert 'value="1" max="500"' in notebook[-1] and "1 of 500, trial 1/3, 0 s</div>" in notebook[-1]
        now[0] = 10.0
        bar.callback("iterations", 20, 500, -3.25)
        assert "20 of 500, iterations, bound -3.25 (scaled), 10 s, at most 4 min more" in notebook[-1]
        drawn = len(notebook)
        now[0] = 10.1
        bar.callback("iterations", 21, 500, -3.2)
        assert len(notebook) == drawn, "too soon"
        # another run begins anew
        now[0] = 12.0
        bar.callback("<weights>", 2, 500, None)
        assert "2 of 500, &lt;weights&gt;, 12 s</div>" in notebook[-1]
    assert 'value="2" max="2"' in notebook[-1]


def test_a_bar_that_never_moved_is_full_in_the_end(notebook):
    with _progress.Bar("fit", True):
        assert "<progress></progress>" in notebook[-1]
    assert '<progress value="1"></progress>' in notebook[-1]


def test_a_report_is_shown_below_the_cell(notebook, fitted):
    page = fitted.report()
    page.show()
    assert notebook == [page] and page.path is None


def test_a_script_is_no_notebook(monkeypatch):
    monkeypatch.setitem(sys.modules, "IPython", None)
    assert not _progress.in_notebook()
    shell = types.ModuleType("IPython")
    shell.get_ipython = lambda: None
    monkeypatch.setitem(sys.modules, "IPython", shell)
    assert not _progress.in_notebook()


def test_times_in_words():
    assert [_progress.in_words(t) for t in (3.2, 75, 1200, 7500)] == ["3 s", "1 min", "20 min", "2 h 5 min"]
