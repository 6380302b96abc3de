"""The fenced blocks of a Markdown page, and whether a program printed what a page shows."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: Numbers in shown output may differ by as much on other machines: relative, and absolute next to zero.
NEAR, NEAR_ZERO = 0.02, 0.011

FENCE = re.compile(r"^( *)```(\S*)[^\n]*\n(.*?)^\1```[ \t]*$", re.M | re.S)
MARK = re.compile(r"\*Not run by the tests: (.+)\*")
NUMBER = r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?"
PIECE = re.compile(rf"(?P<number>{NUMBER})|(?P<any>…)|(?P<blank>\s+)|(?P<word>[^\s…\d+-]+|.)")


@dataclass
class Block:
    """Code of a page with the outputs that the page shows for it."""

    page: str
    line: int
    language: str
    code: str
    not_run: str | None = None
    shown: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self) -> list[str]:
        """Its lines; one that ends in a backslash goes on in the next."""
        return [line for line in self.code.replace("\\\n", " ").splitlines() if line.strip()]


def blocks(text: str, page: str) -> list[Block]:
    """The code of a page in order. A block of `text` is what the code before it prints."""
    found: list[Block] = []
    for fence in FENCE.finditer(text):
        language, code = fence[2], textwrap.dedent(fence[3])
        if language == "text":
            assert found, f"{page}: output without code"
            found[-1].shown.append(code)
            continue
        before = text[: fence.start()].rstrip().rsplit("\n", 1)[-1]
        mark = MARK.search(before)
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Block(page, line, language, code, mark[1] if mark else None))
    return found


def line_shows(shown: str, printed: str) -> bool:
    """Whether two lines differ in blanks and in the last digits of numbers only; … stands for anything."""
    pattern, wanted = "", []
    for piece in PIECE.finditer(shown.strip()):
        kind = piece.lastgroup
        if kind == "number":
            wanted.append(float(piece[0]))
        pattern += {"number": f"({NUMBER})", "any": ".*?", "blank": r"\s+"}.get(str(kind)) or re.escape(piece[0])
    match = re.fullmatch(pattern, printed.strip())
    return match is not None and all(
        math.isclose(value, float(got), rel_tol=NEAR, abs_tol=NEAR_ZERO)
        for value, got in zip(wanted, match.groups(), strict=True)
    )


def output_shows(shown: str, printed: str) -> bool:
    """Whether the shown lines stand below each other in what was printed; a line of … alone leaves some out."""
    lines = printed.splitlines()
    place = 0
    for part in re.split(r"^\s*…\s*$", shown.strip("\n"), flags=re.M):
        wanted = part.strip("\n").splitlines()
        for start in range(place, len(lines) - len(wanted) + 1):
            if all(line_shows(*pair) for pair in zip(wanted, lines[start:], strict=False)):
                place = start + len(wanted)
                break
        else:
            return False
    return True
