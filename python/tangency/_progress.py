"""What people see: progress, by a tqdm bar where tqdm is installed and by lines where it is not, and warnings."""

from __future__ import annotations

import sys
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


class Bar:
    """A bar that the native module moves; there is none unless `verbose`."""

    def __init__(self, title: str, verbose: object) -> None:
        self.title = title
        self.bar: Any = None
        self.callback: Progress | None = self._tell if verbose else None
        self.printed = ""

    def __enter__(self) -> Bar:
        if self.callback is not None:
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
