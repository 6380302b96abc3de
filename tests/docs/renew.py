"""Runs the blocks of pages and puts what they print now in place of what the pages show.

    .venv/bin/python tests/docs/renew.py README.md docs/guide/fitting.md

For changes that are meant to change numbers: read the difference before you keep it. Lines that it cannot find in what
was printed stay as they are and are named."""

from __future__ import annotations

import difflib
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from fenced import FENCE, NUMBER, PIECE, ROOT
from test_pages import SHOWN_ONLY, code_of, run_block

#: How alike a line must be to one whose words have changed.
ALIKE = 0.6


def renewed(shown: str, printed: str) -> str | None:
    """A shown line with the numbers of a printed one; none if the words are others."""
    pattern = ""
    for piece in PIECE.finditer(shown.strip()):
        kinds = {"number": f"({NUMBER})", "any": ".*?", "blank": r"\s+"}
        pattern += kinds.get(str(piece.lastgroup)) or re.escape(piece[0])
    match = re.fullmatch(pattern, printed.strip())
    if match is None:
        return None
    if "…" not in shown:
        return printed.rstrip()
    numbers = iter(match.groups())
    pieces = (next(numbers) if piece.lastgroup == "number" else piece[0] for piece in PIECE.finditer(shown.strip()))
    return shown[: len(shown) - len(shown.lstrip())] + "".join(pieces)


def output(shown: str, printed: str, name: str) -> str:
    """The shown lines as they are printed now."""
    lines, place, made = printed.splitlines(), 0, []
    for line in shown.splitlines():
        found = None
        if line.strip() not in ("", "…"):
            exact = ((at, renewed(line, lines[at])) for at in range(place, len(lines)))
            found = next(((at, new) for at, new in exact if new is not None), None)
            if found is None and "…" not in line:
                ratios = [difflib.SequenceMatcher(None, line, other).ratio() for other in lines[place:]]
                best = max(ratios, default=0.0)
                at = place + ratios.index(best) if best > ALIKE else None
                found = None if at is None else (at, lines[at].rstrip())
            if found is None:
                print(f"{name}: not printed: {line}", file=sys.stderr)
        made.append(line if found is None else found[1])
        place = place if found is None else found[0] + 1
    return "\n".join(made) + "\n"


def renew(page: str, programs: str) -> None:
    """Renews what a page shows."""
    path = ROOT / page
    fences = list(FENCE.finditer(path.read_text(encoding="utf-8")))
    shown: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        names: dict[str, Any] = {"__name__": "page"}
        for block in code_of(page):
            if block.not_run or block.language in SHOWN_ONLY:
                continue
            printed = run_block(block, names, Path(folder), programs)
            shown += [output(text, printed, str(block)) for text in block.shown]
        os.chdir(ROOT)
    text = path.read_text(encoding="utf-8")
    for fence in reversed([fence for fence in fences if fence[2] == "text"]):
        lines = "".join(f"{fence[1]}{line}\n" if line else "\n" for line in shown.pop().splitlines())
        text = text[: fence.start(3)] + lines + text[fence.end(3) :]
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "Agg"
    command = Path(os.environ.get("TANGENCY_COMMAND") or ROOT / "target/release/tangency").resolve()
    paths = os.pathsep.join([str(command.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    for given in sys.argv[1:]:
        renew(given, paths)
