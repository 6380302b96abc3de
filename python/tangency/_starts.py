"""Where a run starts, and which of several starts is kept."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from . import _parallel, _settings, _table_input
from ._progress import Bar, warn
from ._tangency import COARSE_ABOVE, Model, Stop, try_start

Array = NDArray[np.float64]


def given(init: Any, n_components: int, n: int, d_y: int) -> Array | None:
    """A start that was given as an array."""
    if isinstance(init, str):
        return None
    start = np.asarray(init)
    wanted = [(n, n_components), (n, d_y, n_components)]
    if start.shape not in wanted or start.dtype.kind not in "iuf":
        words = ", ".join(map(repr, _settings.CHOICES["init"]))
        found = f"one of shape {start.shape} and type {start.dtype}" if start.ndim else _settings.shown(init)
        raise ValueError(
            f"init must be one of {words}, or an array of numbers of shape {wanted[0]} (coordinates) or "
            f"{wanted[1]} (maps), not {found}"
        )
    _table_input.refuse_missing(start, "init")
    return _table_input.contiguous(start.astype(np.float64, copy=False))


def numbers(init: Any, n_init: int, engine: str, n: int) -> range:
    """Numbers of the starts that can be tried apart: 'auto' has two beside the random ones."""
    if not isinstance(init, str) or init not in ("auto", "random"):
        return range(1)
    if init == "auto" and engine != "exact" and n > COARSE_ABOVE:
        return range(1)  # it may be the coarse start alone, which the library decides
    return range(n_init + 2 * (init == "auto"))


def best_of(
    starts: range,
    trial: bool,
    table: Array,
    config: str,
    names: list[str],
    *,
    edges: Any,
    n_jobs: int | None,
    verbose: Any,
) -> Model:
    """The fit of all starts, each tried wherever joblib runs it; of those that ended, where Ctrl-C came between.

    With `trial` each runs for some iterations only, and the best goes on.
    """
    threads = _settings.threads(n_jobs)
    each = max(1, threads // len(starts))
    work = try_start if trial else _fit_start
    jobs = [(table, config, edges, number, each) for number in starts]
    tried: dict[int, Any] = {}
    stop = Stop()
    with Bar("starts", verbose) as bar:
        try:
            for number, outcome in _parallel.finished(work, jobs, n_jobs):
                tried[number] = outcome
                bar.step("starts tried", len(tried), len(starts))
        except KeyboardInterrupt:
            if not tried:
                raise
            warn(f"interrupted: {len(tried)} of {len(starts)} starts were tried")
            stop.set()
    ended = sorted(tried)
    outcomes = [tried[number] for number in ended]
    ranks = outcomes if trial else [(fit.stop != "collapsed", fit.bound) for fit in outcomes]
    best = ended[_settings.first_best(ranks)]
    if not trial:
        return cast(Model, tried[best]).with_feature_names(names)
    with Bar("fit", verbose) as bar:
        # after Ctrl-C only its first iteration is made, which is what there is to keep
        return Model.fit(
            table, config, names, edges=edges, only=best, threads=threads, progress=bar.callback, stop=stop
        )


def _fit_start(table: Array, config: str, edges: Any, number: int, threads: int, stop: Stop) -> Model:
    names = _table_input.unnamed(table.shape[1])
    return Model.fit(table, config, names, edges=edges, only=number, threads=threads, stop=stop)
