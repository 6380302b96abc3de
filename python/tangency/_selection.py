"""Choosing the graph and the dimension, by rows held out or by the bound."""

from __future__ import annotations

import html
import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _graph_input, _parallel, _settings, _table_input, _tangency, _views
from ._lllvm import LLLVM
from ._progress import Bar, warn
from ._shown import Records
from ._summary import counted

#: What the summary shows of itself, by what ranks.
SHOWN = {
    "bound": ("graph", "n_components", "mean", "std", "count", "behind", "equal_to_best"),
    "held-out": ("graph", "n_components", "held_out", "held_out_behind", "held_out_error", "mean"),
}


class Selection:
    """Graphs and dimensions, ranked by rows held out or by the bound on the evidence. :func:`select` makes it.

    Attributes
    ----------
    cells : list of dict
        One fit a seed: graph, n_neighbors, n_components, seed, bound, n_iter, stop, message. What was in pieces or not
        worth another seed stands there too, without a bound. A fit without some rows has part, and log_density, the
        mean of these rows, in place of seed and bound.
    summary : list of dict
        One candidate each, the best first: graph, n_neighbors, n_components, mean, std, count, not_converged,
        collapsed, failed, raced, behind (nats behind the best bound), spreads (the same in standard deviations of the
        difference), equal_to_best (whether it is not the best and too close to it to count as worse), held_out (mean
        log-density of rows held out, in nats per row), held_out_behind (how far it is behind the likeliest on the same
        rows), held_out_error (standard error of that), held_out_rows; the last four None where the bound ranks. It
        shows itself as a table, and ``summary.to_pandas()`` is a data frame.
    by : {'held-out', 'bound'}
        What they are ranked by.
    evidence : dict
        All of it as ``tangency select --json`` gives it, with the rule by which candidates are taken as equal
        (``equal``) and what to know before trusting the order (``remarks``).
    best_ : dict or None
        The first of them, if any could be ranked. By rows held out it is, of those within one standard error of the
        likeliest, the one with the fewest dimensions, and of several such the likeliest.
    complete : bool
        Whether nothing is missing; not so if Ctrl-C came between.
    """

    def __init__(
        self,
        evidence: dict[str, Any],
        complete: bool,
        settings: dict[str, Any],
        graphs: dict[str, Any],
        done: list[str],
        fingerprint: str,
    ) -> None:
        self.evidence, self._settings, self._graphs = evidence, settings, graphs
        self._done, self._fingerprint = done, fingerprint
        names = {row["candidate"]: self._name(row) for row in evidence["candidates"]}
        self.cells = [names[cell["candidate"]] | _without(cell, "candidate") for cell in evidence["cells"]]
        self.complete = complete
        self.by: str = evidence["by"]
        self.summary = Records((self._summary(row) for row in evidence["candidates"]), SHOWN[self.by])

    @staticmethod
    def _name(row: dict[str, Any]) -> dict[str, Any]:
        return {"graph": row["name"], "n_neighbors": row["n_neighbors"], "n_components": row["n_components"]}

    def _summary(self, row: dict[str, Any]) -> dict[str, Any]:
        behind = row["behind"] or {"nats": None, "spreads": None}
        shown = ("mean", "count", "not_converged", "collapsed", "failed", "raced", "equal_to_best")
        numbers = {"std": row["deviation"], "behind": behind["nats"], "spreads": behind["spreads"]}
        held = row["held_out"] or dict.fromkeys(("mean", "behind", "error", "rows"))
        of_rows = {"held_out": held["mean"]} | {f"held_out_{name}": held[name] for name in ("behind", "error", "rows")}
        return self._name(row) | {name: row[name] for name in shown} | numbers | of_rows

    @property
    def best_(self) -> dict[str, Any] | None:
        """The best candidate."""
        first = self.summary[0] if self.summary else None
        return first if first and (first["mean"] is not None or first["held_out"] is not None) else None

    def best_model(self, X: Any) -> LLLVM:
        """Fits the best candidate to a table, from the seed whose bound was highest.

        It has the settings of the selection: with `graph_likelihood` it is a fit with the graph's likelihood, also if
        the graphs were compared by the bound of the paper's model.

        Parameters
        ----------
        X : array_like
            The table of the selection.

        Returns
        -------
        LLLVM
        """
        best = self.best_
        if best is None:
            raise ValueError(f"there is no best candidate: {self._why_none()}")
        ours = [cell for cell in self.cells if all(cell[name] == best[name] for name in ("graph", "n_components"))]
        # the bound of a fit that collapsed says nothing
        usable = [cell for cell in ours if cell["bound"] is not None and cell["stop"] != "collapsed"]
        best_cell = max(usable, key=lambda cell: cell["bound"]) if usable else None
        seed = self._settings.get("random_state") if best_cell is None else best_cell["seed"]
        params = self._settings | {"n_components": best["n_components"], "random_state": seed}
        return LLLVM(**(params | self._graphs[best["graph"]])).fit(X)

    def _why_none(self) -> str:
        """Why no candidate could be ranked, and what to do."""
        if self.cells and all(cell["stop"] == "disconnected" for cell in self.cells):
            return "all graphs are in pieces; use more neighbours, or connect=True, which adds the shortest bridges"
        if self.cells and all(cell["stop"] == "collapsed" for cell in self.cells):
            return "all fits collapsed; use more neighbours, more rows, or the graph's likelihood"
        told = [cell["message"] for cell in self.cells if cell["message"]]
        return str(told[0]) if told else "no fit ended as it should; see the cells"

    def to_pandas(self) -> Any:
        """The cells as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.cells)

    def plot(self, **options: Any) -> Any:
        """Draws the bounds; see :func:`tangency.plotting.selection`.

        Parameters
        ----------
        **options
            Passed on.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import plotting

        return plotting.selection(self, **options)

    def __repr__(self) -> str:
        best, count = self.best_, counted(len(self.summary), "candidate")
        if best is None:
            return f"Selection of {count}, none of which could be ranked: {self._why_none()}"
        worth = f"{best['mean']:.2f} nats" if self.by == "bound" else f"{best['held_out']:.3f} nats per row held out"
        found = f"best is {best['graph']} in {counted(best['n_components'], 'dimension')}, {worth}"
        return f"Selection of {count}: {found}"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.summary._repr_html_()}"


def select(
    X: Any,
    n_neighbors: int | Iterable[int] | None = None,
    n_components: int | Iterable[int] | None = None,
    seeds: int = 5,
    *,
    by: str = "auto",
    symmetry: str | Iterable[str] = "or",
    radius: float | Iterable[float] = (),
    graphs: Mapping[str, Any] | None = None,
    race: bool = True,
    resume: Selection | None = None,
    n_jobs: int | None = -1,
    verbose: Any = False,
    **settings: Any,
) -> Selection:
    """Compares graphs and dimensions by rows that were held out, or by the bound on the evidence.

    Each candidate is fitted from several seeds, for its bound. With rows held out it is also fitted three times without
    a third of the rows, and the density of these rows ranks. The fits run through joblib: in threads here, or, inside
    ``with joblib.parallel_config(backend="dask")``, on a cluster. The result is the same everywhere.

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features)
        The table. Entries may be NaN: each fit finds them, and a row that is held out is scored by those that it has.
    n_neighbors : int or iterable of int, default=None
        Numbers of neighbours; from 4 to 14 if nothing is said of graphs.
    n_components : int or iterable of int, default=None
        Dimensions; 1, 2 and 3 without it, as far as there are features.
    seeds : int, default=5
        Fits of a candidate, counted from `random_state`.
    by : {'auto', 'held-out', 'bound'}, default='auto'
        What ranks: the log-density of rows that a fit has not seen, or the bound. The graph is made from the table, so
        that the bound prefers few neighbours; rows held out do not. 'auto' holds rows out where several graphs are
        compared and there are rows enough, and goes by the bound where only dimensions are.
    symmetry : {'or', 'mutual'} or both, default='or'
        How neighbourhood is made mutual.
    radius : float or iterable of float, default=()
        Graphs of all points within a distance.
    graphs : mapping of str to graph, default=None
        Other graphs by name, as :class:`LLLVM` takes them.
    race : bool, default=True
        Do not fit further seeds of candidates that are hopeless after the first.
    resume : Selection, default=None
        An interrupted selection of the same table and settings to go on with.
    n_jobs : int, default=-1
        Fits at once.
    verbose : bool, default=False
        Show progress.
    **settings
        Other parameters of :class:`LLLVM` for all fits, such as ``connect``, ``random_state``, ``scaling``,
        ``views``. Here `connect` is False unless given: a graph in pieces is no candidate. Several graphs are
        compared by the bound of the paper's model: to its own likelihood a graph is data, and bounds on different
        data do not compare.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import tangency
    >>> X, _ = tangency.datasets.make_s_curve(100)
    >>> found = tangency.select(X, n_neighbors=[5, 6], n_components=[1, 2], seeds=2, max_iter=60)
    >>> found.best_["n_components"]
    2
    """
    if by not in ("auto", "held-out", "bound"):
        raise ValueError(f"by is {by!r}; use 'auto', 'held-out' or 'bound'")
    params = LLLVM(connect=False, n_jobs=n_jobs).get_params() | _allowed(settings)
    config = _settings.config(params)
    table = _table_input.checked(X, ensure_min_samples=3, may_miss=params["missing"] != "error")
    views = _views.given(params["views"], _table_input.names(X, table.shape[1]))
    choices, estimators = _choices(table, n_neighbors, symmetry, radius, graphs)
    if n_components is None:
        n_components = range(1, min(3, table.shape[1]) + 1)
    dimensions = _list("n_components", n_components)
    whole = _settings.whole("seeds", seeds)
    grid = _tangency.Selection(table, config, choices, dimensions, whole, bool(race), by, views)
    done: list[str] = []
    if resume is not None:
        if not isinstance(resume, Selection) or resume._fingerprint != grid.fingerprint:
            raise ValueError("resume does not belong to this table and these settings; leave it out")
        done = list(resume._done)
    complete = _run(grid, table, views, done, n_jobs, verbose)
    if not complete:
        fits = f"{len(done)} of at most {grid.n_fits} fits are done"
        warn(f"interrupted: {fits}; give this selection as resume= to go on")
    used = {name: params[name] for name in params if name not in ("n_components", "n_neighbors", "symmetry", "radius")}
    used["random_state"] = json.loads(config)["random_state"]
    evidence = json.loads(grid.evidence(done))
    if not complete:
        # what is not there yet is not hopeless
        evidence["cells"] = [cell for cell in evidence["cells"] if cell["stop"] != "raced"]
        evidence["candidates"] = [row | {"raced": 0} for row in evidence["candidates"]]
    # candidates go graph by graph
    made = {row["name"]: estimators[row["candidate"] // len(dimensions)] for row in evidence["candidates"]}
    return Selection(evidence, complete, used, made, done, grid.fingerprint)


def _run(
    grid: _tangency.Selection,
    table: NDArray[np.float64],
    views: _views.Views,
    done: list[str],
    n_jobs: int | None,
    verbose: Any,
) -> bool:
    """Makes the fits round by round and adds them to `done`; False if Ctrl-C came between."""
    here, threads, at_once = _parallel.is_local(), _settings.threads(n_jobs), 1
    if here:
        n_jobs = at_once = grid.most_at_once(threads)
    with Bar("select", verbose) as bar:
        while True:
            fits = grid.next_fits(done)
            if not fits:
                return True
            each = threads // min(at_once, len(fits)) if here else 1
            jobs = [(table, candidate, config, edges, part, views, each) for candidate, config, edges, part in fits]
            found: dict[int, str] = {}
            try:
                for number, cell in _parallel.finished(_tangency.run_cell, jobs, n_jobs):
                    found[number] = cell
                    bar.step("fits", len(done) + len(found), grid.n_fits)
            except KeyboardInterrupt:
                return False
            except MemoryError as error:
                if not (done or found):
                    raise
                # what is done is kept: there may be more memory another time
                warnings.warn(str(error), UserWarning, stacklevel=3)
                return False
            finally:
                done.extend(found[number] for number in sorted(found))


def _without(record: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in record.items() if key != name}


def _allowed(settings: dict[str, Any]) -> dict[str, Any]:
    given_elsewhere = {"graph", "prune", "verbose", "n_jobs", "full_covariance"}
    known = set(LLLVM().get_params()) - given_elsewhere
    for name in settings:
        if name not in known:
            raise ValueError(f"select has no setting {name!r}; it takes {', '.join(sorted(known))}")
    if settings.get("metric") == _settings.PRECOMPUTED:
        raise ValueError("metric is 'precomputed', but rows are held out of measurements; use another metric")
    if not isinstance(settings.get("init", "auto"), str):
        raise ValueError("init is an array, which fits one dimension only; use a word")
    return settings


def _list(name: str, values: Any) -> list[int]:
    """Whole numbers from one or several, each once."""
    several = isinstance(values, Iterable) and not isinstance(values, str)
    listed = [_settings.whole(name, value) for value in (values if several else [values])]
    if not listed:
        raise ValueError(f"{name} is empty; give at least one number")
    for value in listed:
        if listed.count(value) > 1:
            raise ValueError(f"{name} holds {value} twice; give each number once")
    return listed


def _choices(
    table: NDArray[np.float64], n_neighbors: Any, symmetry: Any, radius: Any, graphs: Mapping[str, Any] | None
) -> tuple[list[tuple[str, float, Any]], list[dict[str, Any]]]:
    """The graphs as the native module takes them, and the arguments of an estimator that has each."""
    if not isinstance(graphs, (Mapping, type(None))):
        raise ValueError(f"graphs is of type {type(graphs).__name__}; give a dictionary of graphs by name")
    radii = [_settings.real("radius", value) for value in (radius if isinstance(radius, Iterable) else [radius])]
    if n_neighbors is None and not (radii or graphs):
        n_neighbors = [k for k in range(4, 15) if k < max(len(table), 5)]
    neighbors = [] if n_neighbors is None else _list("n_neighbors", n_neighbors)
    kinds = [_settings.choice("symmetry", word) for word in ([symmetry] if isinstance(symmetry, str) else symmetry)]
    if not kinds:
        raise ValueError("symmetry is empty; use 'or', 'mutual', or both")
    made: list[tuple[tuple[str, float, Any], dict[str, Any]]] = []
    for kind in kinds:
        made += [((kind, float(k), None), {"n_neighbors": k, "symmetry": kind}) for k in neighbors]
    made += [(("radius", value, None), {"radius": value}) for value in radii]
    for name, graph in (graphs or {}).items():
        edges = _graph_input.edges_of(graph, table)
        made.append(((str(name), 0.0, edges), {"graph": edges}))
    return [choice for choice, _ in made], [arguments for _, arguments in made]
