"""Fits side by side, wherever joblib runs them: threads here, or the processes of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from ._tangency import Stop


def finished(work: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], n_jobs: int | None) -> Iterator[tuple[int, Any]]:
    """Results with the numbers of their jobs, as they come where the backend can do that, otherwise at the end.

    Each job gets a flag as its last argument. When the caller stops listening or Ctrl-C comes, the flag is set, and work in
    threads of this process ends soon; a cluster's backend ends its own.
    """
    stop = Stop()
    as_they_come = getattr(get_active_backend()[0], "supports_return_generator", False)
    parallel = Parallel(
        n_jobs=n_jobs, prefer="threads", return_as="generator_unordered" if as_they_come else "list", pre_dispatch="all"
    )
    numbered = (delayed(_numbered)(work, number, *job, stop) for number, job in enumerate(jobs))
    try:
        yield from parallel(numbered)
    finally:
        stop.set()


def is_local() -> bool:
    """Whether jobs run in this process, unless something else was asked for."""
    backend = type(get_active_backend(prefer="threads")[0]).__name__
    return backend in ("ThreadingBackend", "SequentialBackend")


def _numbered(work: Callable[..., Any], number: int, *arguments: Any) -> tuple[int, Any]:
    return number, work(*arguments)
