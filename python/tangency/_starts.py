"""Where a run starts, and which of several starts is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _parallel, _settings, _table_input
from ._progress import Bar, warn
from ._tangency import Model, Stop, best_start, try_start

Array = NDArray[np.float64]


def given(init: Any, n_components: Any, n: int, d_y: int) -> Array | None:
    """A start that was given as an array."""
    if isinstance(init, str):
        return None
    start = np.asarray(init)
    if n_components == _settings.AUTO and start.ndim in (2, 3):
        n_components = start.shape[-1]
    wanted = [(n, n_components), (n, d_y, n_components)]
    if start.shape not in wanted or start.dtype.kind not in "iuf":
        words = ", ".join(map(repr, _settings.CHOICES["init"]))
        found = f"an array of shape {start.shape} and type {start.dtype}" if start.ndim else _settings.shown(init)
        raise ValueError(
            f"init is {found}; use one of {words}, or an array of numbers of shape {wanted[0]} (coordinates) or "
            f"{wanted[1]} (maps)"
        )
    _table_input.refuse_missing(start, "init")
    return _table_input.contiguous(start.astype(np.float64, copy=False))


def best_of(
    numbers: list[int],
    table: Array,
    config: str,
    names: list[str],
    ids: list[str] | None,
    *,
    edges: Any,
    keep_posterior: bool,
    n_jobs: int | None,
    verbose: Any,
) -> Model:
    """The fit of all starts, each tried wherever joblib runs it; of those that ended, where Ctrl-C came between."""
    threads = _settings.threads(n_jobs)
    each = max(1, threads // len(numbers))
    jobs = [(table, config, names, ids, edges, number, each) for number in numbers]
    tried: dict[int, tuple[tuple[bool, float, float, float], Model | None]] = {}
    stop, interrupted = Stop(), False
    with Bar("starts", verbose) as bar:
        try:
            for place, outcome in _parallel.finished(try_start, jobs, n_jobs):
                tried[numbers[place]] = outcome
                bar.step("starts tried", len(tried), len(numbers))
        except KeyboardInterrupt:
            if not tried:
                raise
            warn(f"interrupted: {len(tried)} of {len(numbers)} starts were tried")
            interrupted = True
            stop.set()
    ended = sorted(tried)
    best = ended[best_start([tried[number][0] for number in ended]) or 0]
    model = tried[best][1]
    if model is not None and (interrupted or not keep_posterior):
        return model
    with Bar("fit", verbose) as bar:
        # after Ctrl-C only its first iteration is made, which is what there is to keep
        return Model.fit(
            table,
            config,
            names,
            ids,
            edges=edges,
            only=best,
            keep_posterior=keep_posterior,
            threads=threads,
            progress=bar.callback,
            stop=stop,
        )
