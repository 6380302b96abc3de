"""What people see: warnings, and progress: by a bar in notebooks and where tqdm is installed, otherwise by lines."""

from __future__ import annotations

import html
import importlib
import sys
import time
import warnings
from types import FrameType, TracebackType
from typing import Any

from ._settings import Progress


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warns at the line that called the package, not at one of its own or of scikit-learn's around it."""
    level = 2
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("tangency", "sklearn"):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def in_notebook() -> bool:
    """Whether a notebook shows what is displayed."""
    IPython: Any = sys.modules.get("IPython")
    shell = None if IPython is None else IPython.get_ipython()
    return getattr(shell, "kernel", None) is not None


def notebook() -> Any:
    """What displays things below the cell of a notebook."""
    return importlib.import_module("IPython.display")


class Bar:
    """A bar that the native module moves; there is none unless `verbose`."""

    def __init__(self, title: str, verbose: object) -> None:
        self.title = title
        self.bar: Any = None
        self.callback: Progress | None = self._tell if verbose else None
        self.printed = ""

    def __enter__(self) -> Bar:
        if self.callback is not None:
            if in_notebook():
                self.bar = NotebookBar(self.title)
                return self
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return self
            self.bar = tqdm(desc=self.title, total=None, leave=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar is not None:
            self.bar.close()

    def step(self, step: str, done: int, total: int | None = None) -> None:
        """Moves it from Python."""
        if self.callback is not None:
            self.callback(step, done, total, None)

    def _tell(self, step: str, done: int, total: int | None, bound: float | None) -> None:
        text = step if bound is None else f"{step}, bound {bound:.2f} (scaled)"
        if self.bar is None:
            if step != self.printed:
                print(f"{self.title}: {text}", file=sys.stderr)
                self.printed = step
            return
        if total != self.bar.total or done < self.bar.n:
            self.bar.reset(total=total)
        self.bar.set_postfix_str(text, refresh=False)
        self.bar.update(done - self.bar.n)


class NotebookBar:
    """A bar below the cell of a notebook, which takes no widgets; it is moved as one of tqdm's."""

    #: Seconds between two pictures of it.
    EVERY = 0.2

    def __init__(self, title: str) -> None:
        display = notebook()
        self._html = display.HTML
        self.title, self.text = title, ""
        self.total: int | None = None
        self.n = 0
        self._began = self._run_began = time.monotonic()
        self._drawn = -self.EVERY
        self._closed = False
        self._handle = display.display(self._html(self._picture("")), display_id=True)

    def reset(self, total: int | None = None) -> None:
        """Begins anew, for another run."""
        self.total, self.n, self._run_began = total, 0, time.monotonic()

    def set_postfix_str(self, text: str, refresh: bool = False) -> None:
        """What stands behind it."""
        self.text = text

    def update(self, more: int) -> None:
        """Moves it."""
        self.n += more
        now = time.monotonic()
        if now - self._drawn >= self.EVERY:
            self._drawn = now
            self._draw(self._left(now))

    def close(self) -> None:
        """Draws it for the last time, full: most runs end before their last iteration."""
        self.total, self._closed = self.n, True
        self._draw("")

    def _left(self, now: float) -> str:
        """How long the run may take yet: most end before their last iteration."""
        spent = now - self._run_began
        if not (self.total and 0 < self.n < self.total) or spent < 1.0:
            return ""
        return f", at most {in_words(spent * (self.total - self.n) / self.n)} more"

    def _draw(self, left: str) -> None:
        self._handle.update(self._html(self._picture(left)))

    def _picture(self, left: str) -> str:
        ends = f' value="{self.n}" max="{self.total}"' if self.total else ' value="1"' if self._closed else ""
        count = f"{self.n} of {self.total}, " if self.total else ""
        spent = in_words(time.monotonic() - self._began)
        words = f"{count}{self.text}{', ' if self.text else ''}{spent}{left}"
        return f"<div>{html.escape(self.title)} <progress{ends}></progress> {html.escape(words)}</div>"


def in_words(seconds: float) -> str:
    """A time as people say it."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
