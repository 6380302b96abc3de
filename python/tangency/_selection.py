"""Choosing the graph and the dimension by the bound."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from . import _graph_input, _parallel, _settings, _tangency
from ._lllvm import LLLVM, contiguous
from ._progress import Bar


class Selection:
    """Graphs and dimensions, ranked by the bound on the evidence. :func:`select` makes it.

    Attributes
    ----------
    cells : list of dict
        One fit a seed: graph, n_neighbors, n_components, seed, bound, n_iter, stop, message. What was in pieces or not worth
        another seed stands there too, without a bound.
    summary : list of dict
        One candidate each, the best first: graph, n_neighbors, n_components, mean, std, count, not_converged, collapsed, failed,
        raced, behind (nats behind the best), spreads (the same in standard deviations of the difference).
    best_ : dict or None
        The first of them, if any has a bound.
    complete : bool
        Whether nothing is missing; not so if Ctrl-C came between.
    """

    def __init__(
        self,
        candidates: list[tuple[str, int | None, int, int]],
        cells: list[dict[str, Any]],
        ranking: list[dict[str, Any]],
        complete: bool,
        settings: dict[str, Any],
        graphs: dict[str, Any],
        done: list[str],
        fingerprint: str,
    ) -> None:
        self._candidates, self._settings, self._graphs = candidates, settings, graphs
        self._done, self._fingerprint = done, fingerprint
        self.cells = [self._named(cell) for cell in cells]
        self.summary = [self._summary(candidate) for candidate in ranking]
        self.complete = complete

    def _named(self, record: dict[str, Any]) -> dict[str, Any]:
        graph, n_neighbors, n_components, _ = self._candidates[record["candidate"]]
        named = {"graph": graph, "n_neighbors": n_neighbors, "n_components": n_components}
        return named | {name: value for name, value in record.items() if name != "candidate"}

    def _summary(self, record: dict[str, Any]) -> dict[str, Any]:
        behind = record.pop("behind") or {"nats": None, "spreads": None}
        record["std"] = record.pop("deviation")
        return self._named(record) | {"behind": behind["nats"], "spreads": behind["spreads"]}

    @property
    def best_(self) -> dict[str, Any] | None:
        """The best candidate."""
        return self.summary[0] if self.summary and self.summary[0]["mean"] is not None else None

    def best_model(self, X: Any) -> LLLVM:
        """Fits the best candidate to a table, from the seed whose bound was highest.

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
            raise ValueError("no candidate has a bound, so that there is no best one; see the cells for the reasons")
        ours = [cell for cell in self.cells if cell["graph"] == best["graph"] and cell["n_components"] == best["n_components"]]
        seed = max((cell for cell in ours if cell["bound"] is not None), key=lambda cell: cell["bound"])["seed"]
        params = self._settings | {"n_components": best["n_components"], "random_state": seed}
        return LLLVM(**(params | self._graphs[best["graph"]])).fit(X)

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
        best = self.best_
        if best is None:
            return f"Selection of {len(self.summary)} candidates, none with a bound"
        return (
            f"Selection of {len(self.summary)} candidates: best is {best['graph']} in {best['n_components']} dimensions, "
            f"{best['mean']:.2f} nats"
        )


def select(
    X: Any,
    n_neighbors: int | Iterable[int] | None = None,
    n_components: int | Iterable[int] = 2,
    seeds: int = 5,
    *,
    symmetry: str | Iterable[str] = "or",
    radius: float | Iterable[float] = (),
    graphs: Mapping[str, Any] | None = None,
    race: bool = True,
    resume: Selection | None = None,
    n_jobs: int | None = -1,
    verbose: Any = False,
    **settings: Any,
) -> Selection:
    """Compares graphs and dimensions by the bound on the evidence.

    Each candidate is fitted from several seeds. The fits run through joblib: in threads here, or, inside
    ``with joblib.parallel_config(backend="dask")``, on a cluster. The result is the same everywhere.

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features)
        The table.
    n_neighbors : int or iterable of int, default=None
        Numbers of neighbours; from 4 to 14 if nothing is said of graphs.
    n_components : int or iterable of int, default=2
        Dimensions.
    seeds : int, default=5
        Fits of a candidate, counted from `random_state`.
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
        Other parameters of :class:`LLLVM` for all fits, such as ``connect``, ``random_state``, ``scaling``. Here `connect` is False
        unless given: a graph in pieces is no candidate.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import tangency
    >>> X, _ = tangency.datasets.make_s_curve(60, noise=0.02, random_state=1)
    >>> found = tangency.select(X, n_neighbors=[6, 9], n_components=[1, 2], seeds=2, max_iter=40)
    >>> found.best_["n_components"]
    2
    """
    table = contiguous(check_array(X, dtype=np.float64, ensure_min_samples=3, input_name="X", estimator="select"))
    params = LLLVM(connect=False).get_params() | _allowed(settings)
    config = _settings.config(params)
    choices, made = _choices(table, n_neighbors, symmetry, radius, graphs)
    dimensions = _list("n_components", n_components)
    grid = _tangency.Selection(table, config, choices, dimensions, _settings.whole("seeds", seeds), bool(race))
    done: list[str] = []
    if resume is not None:
        if resume._fingerprint != grid.fingerprint:
            raise ValueError("resume must be a selection of the same table and settings; leave it out to begin anew")
        done = list(resume._done)
    complete = _run(grid, table, done, n_jobs, verbose)
    if not complete:
        warnings.warn(
            f"interrupted: {len(done)} of at most {grid.n_fits} fits are done; give this selection as resume= to go on",
            UserWarning,
            stacklevel=2,
        )
    used = {name: params[name] for name in params if name not in ("n_components", "n_neighbors", "symmetry", "radius")}
    used["random_state"] = json.loads(config)["random_state"]
    cells = json.loads(grid.cells(done)) if complete else [json.loads(cell) for cell in done]
    ranking = json.loads(grid.ranking(done))
    return Selection(grid.candidates, cells, ranking, complete, used, made, done, grid.fingerprint)


def _run(grid: _tangency.Selection, table: NDArray[np.float64], done: list[str], n_jobs: int | None, verbose: Any) -> bool:
    """Makes the fits round by round and adds them to `done`; False if Ctrl-C came between."""
    workers = _settings.threads(n_jobs)
    if _parallel.is_local():
        workers = grid.most_at_once(workers)
        n_jobs = workers
    with Bar("select", verbose) as bar:
        while True:
            fits = grid.next_fits(done)
            if not fits:
                return True
            each = max(1, workers // len(fits)) if _parallel.is_local() else 1
            jobs = [(table, candidate, config, edges, each) for candidate, config, edges in fits]
            found: dict[int, str] = {}
            try:
                for number, cell in _parallel.finished(_tangency.run_cell, jobs, n_jobs):
                    if cell is None:
                        raise KeyboardInterrupt
                    found[number] = cell
                    bar.step("fits", len(done) + len(found), grid.n_fits)
            except KeyboardInterrupt:
                return False
            finally:
                done.extend(found[number] for number in sorted(found))


def _allowed(settings: dict[str, Any]) -> dict[str, Any]:
    given_elsewhere = {"metric", "graph", "prune", "verbose", "n_jobs", "full_covariance"}
    known = set(LLLVM().get_params()) - given_elsewhere
    for name in settings:
        if name not in known:
            raise ValueError(f"select has no setting {name!r}; it takes {', '.join(sorted(known))}")
    return settings


def _list(name: str, values: Any, least: int = 1) -> list[int]:
    listed = list(values) if isinstance(values, Iterable) and not isinstance(values, str) else [values]
    return [_settings.whole(name, value, least) for value in listed]


def _choices(
    table: NDArray[np.float64], n_neighbors: Any, symmetry: Any, radius: Any, graphs: Mapping[str, Any] | None
) -> tuple[list[tuple[str, float, Any]], dict[str, dict[str, Any]]]:
    """The graphs as the native module takes them, and the arguments of an estimator that has each."""
    radii = [_settings.real("radius", value) for value in (radius if isinstance(radius, Iterable) else [radius])]
    symmetries = [symmetry] if isinstance(symmetry, str) else list(symmetry)
    if n_neighbors is None:
        others = bool(radii or graphs)
        n_neighbors = () if others else [k for k in range(4, 15) if k < len(table)]
    choices: list[tuple[str, float, Any]] = []
    made: dict[str, dict[str, Any]] = {}
    for kind in symmetries:
        for k in _list("n_neighbors", n_neighbors):
            choices.append((_settings.choice("symmetry", kind), float(k), None))
            made[f"{'knn' if kind == 'or' else 'mutual'} {k}"] = {"n_neighbors": k, "symmetry": kind}
    for value in radii:
        choices.append(("radius", value, None))
        made[f"radius {value}"] = {"radius": value}
    for name, graph in (graphs or {}).items():
        edges = _graph_input.edges_of(graph, table)
        choices.append((str(name), 0.0, edges))
        made[f"edges {name}"] = {"graph": edges}
    return choices, made
