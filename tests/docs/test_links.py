"""No link of a Markdown page leads nowhere: files and headings exist."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from fenced import FENCE, ROOT

#: Parts of docs/results.md, whose links begin there.
PARTS = ("reading.md", "results.md")
FOLDERS = ("docs", "experiments", "python", "crates", "tests")
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.md"))]
    if not (path.name in PARTS and path.parent.parent.name == "experiments")
)


def prose(path: Path) -> str:
    return FENCE.sub("", path.read_text(encoding="utf-8"))


def headings(path: Path) -> set[str]:
    """The anchors that a page has, as code hosts make them from its headings."""
    names = re.findall(r"^#+ (.+?) *$", prose(path), re.M)
    return {re.sub(r"[^\w\- ]", "", name.lower()).replace(" ", "-") for name in names}


@pytest.mark.parametrize("page", PAGES)
def test_no_link_leads_nowhere(page: str) -> None:
    path = ROOT / page
    missing = []
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        file, _, part = unquote(target).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        there = (path.parent / file).resolve() if file else path
        if not there.exists() or (part and there.suffix == ".md" and part not in headings(there)):
            missing.append(target)
    assert missing == []


def test_every_page_of_the_guide_is_in_its_index() -> None:
    index = (ROOT / "docs/guide/README.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs/guide").glob("*.md")} - {"README.md"}
    assert sorted(name for name in pages if f"({name})" not in index) == []
