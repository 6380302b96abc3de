"""Fits side by side, wherever joblib runs them: threads here, or the processes of a cluster."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from ._tangency import Stop


def finished(
    work: Callable[..., Any], jobs: Iterable[tuple[Any, ...]], n_jobs: int | None
) -> Iterator[tuple[int, Any]]:
    """Results with the numbers of their jobs, as they come where the backend can do that, otherwise at the end.

    Each job gets a flag as its last argument. At Ctrl-C the flag is set: jobs in threads of this process end soon, what
    they have to show still comes, and then KeyboardInterrupt is raised. Jobs elsewhere do not see the flag; there it is
    raised at once. The flag is set too when the caller stops listening.
    """
    here = is_local()
    as_they_come = here or getattr(get_active_backend(prefer="threads")[0], "supports_return_generator", False)
    parallel = Parallel(
        n_jobs=n_jobs,
        prefer="threads",
        return_as="generator_unordered" if as_they_come else "list",
        # here, what waits can still be dropped; a cluster that grows should see all of it
        pre_dispatch="2*n_jobs" if here else "all",
    )
    with _End(hears_ctrl_c=here) as end:
        # the arguments go as one tuple: arrays by themselves joblib's backend for Dask leaves with one worker each,
        # and with that worker they are lost
        waiting = (
            delayed(_numbered)(work, number, (*job, end.flag)) for number, job in enumerate(jobs) if not end.near
        )
        results = iter(parallel(waiting))
        try:
            for number, result in results:
                if result is None:
                    end.come()
                else:
                    yield number, result
            if end.near:
                raise KeyboardInterrupt
        finally:
            end.come()
            if here:  # nothing goes on behind the caller's back
                with suppress(Exception):
                    for _ in results:
                        pass


def is_local() -> bool:
    """Whether jobs run in this process, unless something else was asked for."""
    backend = type(get_active_backend(prefer="threads")[0]).__name__
    return backend in ("ThreadingBackend", "SequentialBackend")


class _End:
    """Whether jobs should end. The first Ctrl-C says so instead of raising KeyboardInterrupt; the second raises it."""

    def __init__(self, hears_ctrl_c: bool) -> None:
        self.flag, self.near = Stop(), False
        in_main = threading.current_thread() is threading.main_thread()
        self.hears = hears_ctrl_c and in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def __enter__(self) -> _End:
        if self.hears:
            signal.signal(signal.SIGINT, self._ctrl_c)
        return self

    def __exit__(self, *_: object) -> None:
        if self.hears:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def come(self) -> None:
        """Asks all jobs to end."""
        self.near = True
        self.flag.set()

    def _ctrl_c(self, *_: object) -> None:
        if self.near:
            raise KeyboardInterrupt
        self.come()


def _numbered(work: Callable[..., Any], number: int, arguments: tuple[Any, ...]) -> tuple[int, Any]:
    """The result of a job; None if it was stopped before it had anything to show."""
    # an array out of another process may lie anywhere in a message, which the native module does not take
    aligned = [np.require(item, requirements="A") if isinstance(item, np.ndarray) else item for item in arguments]
    try:
        return number, work(*aligned)
    except KeyboardInterrupt:
        return number, None
