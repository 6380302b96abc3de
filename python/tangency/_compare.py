"""The model next to the well-known methods, on the same rows of the same table."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _graph_input, _settings, _table_input, _tangency, _views
from ._comparison import MEASURES, Array, Comparison
from ._lllvm import LLLVM
from ._paint import name_of
from ._progress import Bar, warn

#: Most iterations of the GP-LVMs.
GPLVM_ITERATIONS = 1000


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
    fitted = native.model(names, _table_input.ids(X))
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
        name_of(labels),
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
