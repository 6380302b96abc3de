"""What the bound says about the edges of a graph."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from . import _settings, _shown, _tangency
from ._lllvm import LLLVM
from ._progress import Bar, warn
from ._tangency import Model

_FIELDS = [("i", np.int64), ("j", np.int64), *((name, np.float64) for name in _tangency.EDGE_NUMBERS)]
#: Fields of a table of edges, and of one of edges that were removed.
EDGE = np.dtype([*_FIELDS, ("expected_gain", np.float64), ("suspect", np.bool_)])
REMOVED = np.dtype([*_FIELDS, ("gain", np.float64)])


def edge_scores(model: LLLVM) -> NDArray[Any]:
    """How much each edge strains the fit, the most suspect first.

    Parameters
    ----------
    model : LLLVM
        A fitted model.

    Returns
    -------
    ndarray
        One record an edge: its points ``i`` and ``j``, ``length`` in scaled units, ``resistance`` (1 if it alone holds
        the graph together), ``residual`` (what the local maps leave of it), ``score``,
        ``surprise`` (−log of its rate in the graph's likelihood), ``expected_gain`` (about what the bound gains if it
        is removed alone, in nats; NaN for an edge that alone holds two parts together) and ``suspect`` (whether that is
        as much as :func:`prune` asks for). In a good layout short-circuits stand out by an order of magnitude; in a bad
        one the order can mislead, and :func:`prune` looks deeper. ``pandas.DataFrame(scores)`` makes a frame of it.

    Examples
    --------
    >>> import tangency
    >>> X, _ = tangency.datasets.make_s_curve(100)
    >>> scores = tangency.edge_scores(tangency.LLLVM(n_neighbors=6).fit(X))
    >>> bool(scores["score"][0] >= scores["score"][-1])
    True
    """
    edges, numbers = _tangency.edge_scores(_native(model), _settings.threads(model.n_jobs))
    table = np.empty(len(edges), dtype=EDGE)
    columns = [edges[:, 0], edges[:, 1], *numbers.T]
    for name, column in zip(EDGE.names or (), columns, strict=True):
        table[name] = column
    return table


@dataclass(frozen=True, repr=False)
class EdgeTest:
    """How the bound changes with the graph."""

    removed: list[tuple[int, int]]
    """Edges that were taken out."""
    added: list[tuple[int, int]]
    """Pairs that were joined."""
    change: float
    """Bound of the changed graph less that of the fit's, in nats, as the mean over seeds."""
    spread: float
    """Its standard deviation over seeds."""
    seeds: int
    """Seeds that were run."""
    parts: dict[str, float]
    """The parts of the change."""
    converged: bool
    """Whether every run behind the numbers ended as it should."""

    def __repr__(self) -> str:
        listed = ((word, pairs) for word, pairs in (("without", self.removed), ("with", self.added)) if pairs)
        edges = " and ".join(f"{word} {', '.join(f'{i}–{j}' for i, j in pairs)}" for word, pairs in listed)
        spread = f" ± {self.spread:.2g}" if self.seeds > 1 else ""
        runs = f"{self.seeds} seed{'' if self.seeds == 1 else 's'}{'' if self.converged else ', not converged'}"
        return f"EdgeTest: {edges} the bound changes by {self.change:.2f}{spread} nats ({runs})"


def test_edges(model: LLLVM, edges: ArrayLike, *, seeds: int = 5, verbose: Any = False) -> list[EdgeTest]:
    """Tests edges by the bound: one that is there is removed, one that is not is added, and both graphs are fitted.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    edges : array_like of shape (m, 2)
        Pairs of points. Each is tested alone and, if there are several, all at once (first in the list).
    seeds : int, default=5
        Fits of each graph.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    list of EdgeTest
        A change above zero speaks for the changed graph.
    """
    native, given = _native(model), np.atleast_2d(np.asarray(edges))
    if given.ndim != 2 or given.shape[1] != 2 or given.dtype.kind not in "iu":
        raise ValueError(
            f"edges is an array of shape {given.shape}; give pairs of points as whole numbers of shape (m, 2)"
        )
    if given.min() < 0 or given.max() >= len(model.embedding_):
        raise ValueError(
            f"edges names points from {given.min()} to {given.max()}; give points from 0 to {len(model.embedding_) - 1}"
        )
    if (given[:, 0] == given[:, 1]).any():
        raise ValueError("edges joins a point to itself; give two different points each")
    pairs = np.ascontiguousarray(given, dtype=np.uint32)
    with Bar("test", verbose) as bar:
        found = _tangency.test_edges(
            native, pairs, _settings.whole("seeds", seeds), _settings.threads(model.n_jobs), bar.callback
        )
    listed = json.loads(found)
    for test in listed:
        # those of the command are rows of the table
        test.update({name: [tuple(pair) for pair in test.pop(f"{name}_points")] for name in ("removed", "added")})
    return [EdgeTest(**test) for test in listed]


# so that pytest does not take it for a test where it is imported
test_edges.__test__ = False  # type: ignore[attr-defined]


@dataclass(frozen=True, repr=False)
class PruneResult:
    """What pruning found."""

    model: LLLVM
    """The model on the graph that is left."""
    removed: NDArray[Any]
    """The edges removed, as :func:`edge_scores` gives them, with the ``gain`` of each in nats."""
    gain: float
    """How much higher the bound of the paper's model is, which compares graphs."""
    baseline_mean: float
    """What a random good edge gains when it is removed."""
    baseline_std: float
    """Its standard deviation."""
    baseline_samples: int
    """Samples behind the two."""
    bridges: list[dict[str, Any]]
    """Other ways that were tried to join the pieces of a graph."""
    rounds: list[int]
    """Edges that were out after each round."""
    n_iter: int
    """Iterations spent."""
    interrupted: bool
    """Whether Ctrl-C ended it: then nothing was removed, and the model is the one given."""

    def to_pandas(self) -> Any:
        """The edges removed as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.removed)

    def _headline(self) -> str:
        count, left = len(self.removed), len(self.model.edges_)
        if self.interrupted:
            return "PruneResult: interrupted, nothing was removed"
        if not count:
            return f"PruneResult: none of {left} edges was removed"
        word = "edge was" if count == 1 else "edges were"
        return f"PruneResult: {count} of {left + count} {word} removed; the bound is higher by {self.gain:.2f} nats"

    def _rows(self) -> list[list[str]]:
        return [[_shown.cell(value) for value in edge] for edge in self.removed.tolist()]

    def __repr__(self) -> str:
        listed = _shown.text(REMOVED.names or (), self._rows()) if len(self.removed) else ""
        return f"{self._headline()}\n{listed}".rstrip()

    def _repr_html_(self) -> str:
        listed = _shown.markup(REMOVED.names or (), self._rows()) if len(self.removed) else ""
        return f"<p>{html.escape(self._headline())}</p>{listed}"


def prune(model: LLLVM, *, max_removed: int | None = None, min_gain: float = 2.0, verbose: Any = False) -> PruneResult:
    """Removes the edges of a model's graph that the bound speaks against.

    Parameters
    ----------
    model : LLLVM
        A fitted model; it stays as it is.
    max_removed : int, default=None
        Most edges to remove; a tenth of all without it.
    min_gain : float, default=2.0
        Least gain that counts, in nats beyond what random good edges gain and beyond ln(number of edges), of each edge
        by itself.
    verbose : bool, default=False
        Show progress.

    Returns
    -------
    PruneResult
        With the new model, and what was removed.
    """
    most = None if max_removed is None else _settings.whole("max_removed", max_removed)
    with Bar("prune", verbose) as bar:
        native, removed, rest = prune_native(
            _native(model), most, _settings.real("min_gain", min_gain), _settings.threads(model.n_jobs), bar.callback
        )
    made = type(model).__new__(type(model))  # copy.copy would copy the native model too
    made.__dict__.update(model.__dict__)
    made._adopt(native)
    if rest["interrupted"]:
        warn("pruning was interrupted; nothing was removed, and the model is the one given")
    baseline = rest["baseline"]
    return PruneResult(
        model=made,
        removed=removed,
        gain=rest["gain"],
        baseline_mean=baseline["mean"],
        baseline_std=baseline["deviation"],
        baseline_samples=baseline["samples"],
        bridges=rest["bridges"],
        rounds=[one["removed"] for one in rest["rounds"]],
        n_iter=rest["n_iter"],
        interrupted=rest["interrupted"],
    )


def prune_native(
    native: Model, max_removed: int | None, min_gain: float, threads: int, progress: _settings.Progress | None
) -> tuple[Model, NDArray[Any], dict[str, Any]]:
    """The same for native models."""
    made, found = _tangency.prune(native, max_removed, min_gain, threads, progress)
    view = json.loads(found)
    removed = np.empty(len(view["removed"]), dtype=REMOVED)
    for place, edge in enumerate(view["removed"]):
        # a gain that was not found out is null
        numbers = [np.nan if edge[name] is None else edge[name] for name in (*_tangency.EDGE_NUMBERS, "gain")]
        removed[place] = (*edge["points"], *numbers)
    return made, removed, view


def _native(model: LLLVM) -> Model:
    if not isinstance(model, LLLVM):
        raise ValueError(f"model is of type {type(model).__name__}; give a fitted LLLVM")
    check_is_fitted(model, "_native")
    return model._native
