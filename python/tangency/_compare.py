"""The model next to the well-known methods, on the same rows of the same table."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _graph_input, _settings, _table_input, _tangency, _views
from ._lllvm import LLLVM
from ._paint import Paint, read_labels
from ._progress import Bar, warn
from ._report import Report, repeated, save

Array = NDArray[np.float64]
Panel = tuple[str, str, Array]

#: Measures of the records and what the table calls them.
MEASURES = {
    "procrustes": "Procrustes",
    "affine_r2": "R²",
    "truth_trustworthiness": "trust (truth)",
    "truth_continuity": "cont. (truth)",
    "trustworthiness": "trust",
    "continuity": "continuity",
    "explained": "explained",
    "log_density": "density",
    "geodesic_correlation": "geodesic",
    "knn_error": "1-NN error",
    "knn_error_deviation": "±",
}
FIGURES = ("svg", "png", "pdf")
#: Most iterations of the GP-LVMs.
GPLVM_ITERATIONS = 1000


class Comparison:
    """Embeddings of one table by several methods, with their measures. :func:`compare` makes it.

    It shows itself as a table.

    Attributes
    ----------
    records : list of dict
        One a method: method, settings, seconds, peak_mib (most memory that the library held meanwhile), mean_rank (of
        the method by explained, trustworthiness, continuity and log_density, which need no truth; 1 is the best),
        objective (the bound or the likelihood; comparable only within a method), the measures of
        :mod:`tangency.quality` (procrustes, affine_r2, truth_trustworthiness and truth_continuity against the truth;
        trustworthiness, continuity and geodesic_correlation against the table; knn_error and its deviation from fold to
        fold against the labels), explained (share of the variance, each row expected from those nearest in the
        embedding by a regression that has not seen it), log_density (mean of a row by all others, in nats, from
        Gaussians along these regressions), note, failed. What could not be measured is None.
    embeddings : dict of str to ndarray
        Coordinates by method, as the method gave them, of shape (n_samples, n_components).
    rows : ndarray of shape (n_samples,)
        Rows of the table that took part; all of them unless `largest`.
    model : LLLVM or None
        The fitted model, if 'll-lvm' or 'll-lvm-pruned' was among the methods: the one on the graph as it is.
    complete : bool
        Whether all methods ran; not so if Ctrl-C came between.
    filled_in : dict or None
        Where the table lacks entries: how many, in how many rows, and among which rows neighbourhoods are measured
        (those without gaps, or all, as filled in). The model has the table as it is, the other methods the one that is
        filled in.
    """

    def __init__(
        self,
        records: list[dict[str, Any]],
        embeddings: dict[str, Array],
        rows: NDArray[np.int64],
        model: LLLVM | None,
        complete: bool,
        text: str,
        panels: list[Panel],
        truth: Array | None,
        labels: list[str] | None,
        filled_in: tuple[str, str] | None,
    ) -> None:
        self.records, self.embeddings, self.rows, self.model = records, embeddings, rows, model
        self.complete = complete
        self.filled_in = None if filled_in is None else json.loads(filled_in[1])
        self._remark = None if filled_in is None else filled_in[0]
        self._text, self._panels, self._truth, self._labels = text, panels, truth, labels

    def to_pandas(self) -> Any:
        """The records as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.records)

    def plot(self, colour: ArrayLike | None = None, **options: Any) -> Any:
        """Draws all embeddings side by side; see :func:`tangency.plotting.comparison`.

        Parameters
        ----------
        colour : array_like of shape (n_samples,), default=None
            Numbers or names that colour the points; the labels, or the truth, without it.
        **options
            Passed on.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from . import plotting

        return plotting.comparison(self, colour, **options)

    def figure(
        self, path: str | os.PathLike[str], colour: ArrayLike | None = None, *, title: str | None = None
    ) -> Path:
        """Writes the same picture without matplotlib, as the command ``tangency compare`` draws it.

        Parameters
        ----------
        path : path
            A file that ends in .svg, .png or .pdf.
        colour : array_like of shape (n_samples,), default=None
            Numbers or names that colour the points; the labels, or the truth, without it.
        title : str, default=None
            Heading; the number of points without it.

        Returns
        -------
        pathlib.Path
        """
        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in FIGURES:
            raise ValueError(f"path is {_settings.shown(os.fspath(path))}; give a name that ends in .svg, .png or .pdf")
        labels, values, titles = self._colours(colour)
        heading = f"{len(self.rows)} points" if title is None else str(title)
        return save(path, _tangency.multiples(self._panels, labels, values, titles, title=heading, kind=kind))

    def report(self, path: str | os.PathLike[str] | None = None, *, title: str = "") -> Report:
        """Makes the page of the fitted model, with the other methods next to it.

        Parameters
        ----------
        path : path, default=None
            Where the page is written, if anywhere.
        title : str, default=''
            Heading.

        Returns
        -------
        Report
        """
        if self.model is None:
            raise ValueError("there is no page, because the model was not fitted; put 'll-lvm' among the methods")
        made = Report(
            _tangency.report(
                self.model._native,
                None,
                (None, None),
                (self._labels, None),
                image=None,
                title=str(title) or "LL-LVM beside other methods",
                command=repeated(self.model),
                threads=_settings.threads(self.model.n_jobs),
                comparisons=[panel for panel in self._panels if panel[0] != "ll-lvm"],
                remark=self._remark,
            )
        )
        if path is not None:
            made.save(path)
        return made

    def _colours(self, colour: ArrayLike | None) -> tuple[list[str] | None, Array | None, tuple[str, str]]:
        """What colours the points: classes, or one column of numbers, or two, and what these are."""
        if colour is not None:
            paint = read_labels(colour, len(self.rows))
            if paint.values is not None:
                return None, np.ascontiguousarray(paint.values[:, None]), (paint.title, "")
            words = ["" if code < 0 else paint.names[code] for code in paint.codes]
            return words, None, (paint.title, "")
        if self._labels is not None:
            return self._labels, None, ("label", "")
        if self._truth is not None and self._truth.shape[1] == 2:
            return None, self._truth, ("truth 1", "truth 2")
        if self._truth is not None:
            return None, np.ascontiguousarray(self._truth[:, :1]), ("truth", "")
        for method, found in self.embeddings.items():
            return None, np.ascontiguousarray(found[:, :1]), (f"first coordinate of {method}", "")
        return None, None, ("", "")

    def _paint(self, colour: ArrayLike | None) -> Paint:
        """The same for matplotlib, which has no colours for places: there the first of two numbers counts."""
        if colour is not None:
            return read_labels(colour, len(self.rows))
        labels, values, (title, _) = self._colours(None)
        found = labels if values is None else values[:, 0]
        return replace(read_labels(found, len(self.rows)), title=title)

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        shown = [name for name in MEASURES if any(record[name] is not None for record in self.records)]
        heads = ["method", "settings", "seconds", "MiB", "rank", *(MEASURES[name] for name in shown), "note"]
        lines = [_row("th", heads)]
        unranked = float("inf")
        for record in sorted(self.records, key=lambda record: record["mean_rank"] or unranked):
            memory, rank = record["peak_mib"], record["mean_rank"]
            cells = [record["method"], record["settings"], f"{record['seconds']:.3g}"]
            cells += ["" if memory is None else f"{memory:.1f}", "–" if rank is None else f"{rank:.2f}"]
            cells += ["–" if record[name] is None else f"{record[name]:.3f}" for name in shown]
            lines.append(_row("td", [*cells, record["note"]]))
        return f"<table><thead>{lines[0]}</thead><tbody>{''.join(lines[1:])}</tbody></table>"


def _row(kind: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{kind}>{html.escape(cell)}</{kind}>" for cell in cells) + "</tr>"


def compare(
    X: Any,
    *,
    truth: ArrayLike | None = None,
    labels: ArrayLike | None = None,
    methods: str | Iterable[str] = "all",
    n_neighbors: int | None = None,
    n_components: int | None = None,
    model: LLLVM | None = None,
    regularization: float = 1e-3,
    n_inducing: int = 30,
    verbose: Any = False,
    **settings: Any,
) -> Comparison:
    """Puts the model next to the well-known methods: coordinates, time, memory, and how good each embedding is.

    All get the same rows, scaling, graph, dimension and seed, and are ranked by measures that need no truth. These look
    at neighbours: they do not see a map that is bent, stretched or torn between far groups.

    Parameters
    ----------
    X : array_like of shape (n_samples, n_features)
        The table. Entries may be NaN: our model takes such rows as they are, the other methods get them filled in from
        the nearest rows, and a warning says so.
    truth : array_like of shape (n_samples, d), default=None
        Coordinates that are known, to measure against.
    labels : array_like of shape (n_samples,), default=None
        Known classes; the error of nearest neighbours is then measured too.
    methods : 'all', str or iterable of str, default='all'
        'll-lvm', 'll-lvm-pruned' (on the graph without the edges that the bound speaks against), and those of
        :func:`embed`. From 'all' the GP-LVM is left out, with a warning, if it would take too long.
    n_neighbors, n_components : int, default=None
        Neighbours and coordinates; those of `model` without them.
    model : LLLVM, default=None
        An estimator whose settings are used; it stays as it is. Without it those of :class:`LLLVM`, but with
        ``connect=False``: a graph in pieces is an error.
    regularization : float, default=1e-3
        Of locally linear embedding, see :func:`embed`.
    n_inducing : int, default=30
        Inducing points of the Bayesian GP-LVM.
    verbose : bool, default=False
        Show progress.
    **settings
        Other parameters of :class:`LLLVM` in place of the model's, such as ``graph``, ``connect``, ``init``, ``lam``,
        ``views``, ``random_state``, ``n_jobs``.

    Returns
    -------
    Comparison
        A method that fails has a record that says why. After Ctrl-C methods that had not run are missing.

    Examples
    --------
    >>> import tangency
    >>> X, truth = tangency.datasets.make_s_curve(150)
    >>> found = tangency.compare(X, truth=truth, methods=["ll-lvm", "isomap", "pca"], n_neighbors=8)
    >>> [record["method"] for record in found.records if record["procrustes"] < 0.1]
    ['ll-lvm', 'isomap']
    """
    listed = _methods(methods)
    estimator = _estimator(model, settings | _given(n_neighbors=n_neighbors, n_components=n_components))
    config = _settings.config(estimator.get_params(deep=False))
    may_miss = estimator.missing != "error"
    table = _table_input.checked(X, estimator, reset=True, ensure_min_samples=3, may_miss=may_miss)
    options = _settings.peer_options(regularization, n_inducing, GPLVM_ITERATIONS, json.loads(config)["random_state"])
    edges = None if estimator.graph is None else _graph_input.edges_of(estimator.graph, table)
    known = None if truth is None else _table_input.coordinates(truth, "truth")
    if known is not None and len(known) != len(table):
        raise ValueError(f"truth has {len(known)} rows but X has {len(table)}; give one a row")
    words = None if labels is None else _table_input.classes(labels, len(table))
    names = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
    names = names or _table_input.unnamed(table.shape[1])
    views = _views.given(estimator.views, names)
    threads = _settings.threads(estimator.n_jobs)
    native = _tangency.Comparison(table, config, options, edges, known, words, views, threads)
    filled_in = native.filled_in
    if filled_in is not None:
        warn(filled_in[0])
    if isinstance(methods, str) and methods == "all":
        listed = [method for method in listed if not _left_out(native, method)]
    records, embeddings, complete = _run(native, listed, verbose)
    for record, rank in zip(records, native.mean_ranks(), strict=False):
        record["mean_rank"] = rank
    rows = np.asarray(native.rows, dtype=np.int64)
    fitted = native.model(names)
    if fitted is not None:
        estimator._adopt(fitted)
        estimator._distances = None
    return Comparison(
        records,
        embeddings,
        rows,
        None if fitted is None else estimator,
        complete,
        native.text(),
        native.panels(),
        None if known is None else np.ascontiguousarray(known[rows]),
        None if words is None else [words[row] for row in rows],
        filled_in,
    )


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _methods(methods: Any) -> list[str]:
    """The names of methods, each once."""
    if isinstance(methods, str):
        methods = _settings.ENTRANTS if methods == "all" else [methods]
    elif not isinstance(methods, Iterable):
        raise ValueError(f"methods is {_settings.shown(methods)}; use 'all' or a list of methods")
    listed: list[str] = []
    for method in methods:
        if method not in _settings.ENTRANTS:
            known = ", ".join(map(repr, _settings.ENTRANTS))
            raise ValueError(
                f"methods names {_settings.shown(method)}, which is not a method; use 'all' or any of {known}"
            )
        if method not in listed:
            listed.append(method)
    if not listed:
        raise ValueError("methods is empty; use 'all' or name at least one method")
    return listed


def _estimator(model: Any, settings: dict[str, Any]) -> LLLVM:
    """An estimator of its own with all settings, those of our model among them."""
    if model is None:
        model = LLLVM(connect=False)
    elif not isinstance(model, LLLVM):
        raise ValueError(f"model is of type {type(model).__name__}; give an LLLVM")
    known = set(model.get_params()) - {"prune", "verbose"}
    for name in settings:
        if name not in known:
            raise ValueError(f"compare has no setting {name!r}; it takes {', '.join(sorted(known))}")
    made = LLLVM(**(model.get_params(deep=False) | settings | {"prune": False}))
    if made.metric == _settings.PRECOMPUTED:
        raise ValueError("metric is 'precomputed', but other methods need measurements; use metric='euclidean'")
    if not isinstance(made.init, str):
        raise ValueError("init is an array, which compare cannot use; use a word, or give the array to LLLVM itself")
    return made


def _left_out(native: _tangency.Comparison, method: str) -> bool:
    reason = native.left_out(method)
    if reason is not None:
        warn(f"{method} was left out: {reason}")
    return reason is not None


def _run(
    native: _tangency.Comparison, methods: list[str], verbose: Any
) -> tuple[list[dict[str, Any]], dict[str, Array], bool]:
    """Records and coordinates of all methods, and whether Ctrl-C did not come between."""
    records: list[dict[str, Any]] = []
    embeddings: dict[str, Array] = {}
    stopped = False
    with Bar("compare", verbose) as bar:
        for place, method in enumerate(methods, 1):
            step = f"{method} ({place} of {len(methods)})"
            bar.step(step, 0)
            try:
                text, coordinates, stopped = native.run(method, step, bar.callback)
            except KeyboardInterrupt:
                stopped = True
                break
            records.append(_record(json.loads(text)))
            if coordinates is not None:
                embeddings[method] = coordinates
            if stopped:
                break
    if stopped:
        if not embeddings:
            raise KeyboardInterrupt("the comparison was interrupted before anything was found")
        warn(f"interrupted: {len(records)} of {len(methods)} methods ran")
    return records, embeddings, len(records) == len(methods) and not stopped


def _record(trial: dict[str, Any]) -> dict[str, Any]:
    held, measures = trial.pop("peak_bytes"), trial.pop("measures") or {}
    record = {name: trial[name] for name in ("method", "settings", "seconds")}
    record["peak_mib"] = None if held is None else held / 2**20
    record["mean_rank"] = None
    record["objective"] = trial["objective"]
    record |= {name: measures.get(name) for name in MEASURES}
    return record | {"note": trial["note"], "failed": trial["failed"]}
