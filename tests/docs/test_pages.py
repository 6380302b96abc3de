"""Every fenced block of README.md and of the guide runs as it stands there, in order, and prints what the page shows.

Each page has a folder of its own, in which its commands and its Python code run one after the other. Commands of the
workspace (`cargo`, `pip`, `./test`) run at its root, as a newcomer types them: without a package and without a path, so
that they fail if cargo cannot tell which program is meant. What they would leave or install goes to the folder."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fenced import ROOT, Block, blocks, line_shows, output_shows

GUIDE = sorted(f"docs/guide/{path.name}" for path in (ROOT / "docs/guide").glob("*.md"))
PAGES = ["README.md", "python/README.md", *GUIDE]
#: What runs these tests, and therefore not in them.
SELF = "./test"
#: Programs of the workspace: they run at its root.
AT_ROOT = ("cargo", "pip", SELF)
#: Other kinds of blocks: shown, not run. Those of Rust are documentation tests of the library.
SHOWN_ONLY = ("bibtex", "csv", "json", "rust")
#: How many blocks of each page say that they are not run.
NOT_RUN: dict[str, int] = {}


def code_of(page: str) -> list[Block]:
    return blocks((ROOT / page).read_text(encoding="utf-8"), page)


@pytest.fixture(scope="module")
def programs() -> str:
    """A PATH with the command and this interpreter's programs in front."""
    command = os.environ.get("TANGENCY_COMMAND") or ROOT / "target" / "release" / "tangency"
    command = Path(command).resolve()
    assert command.exists(), f"build the command first: cargo build --release ({command})"
    return os.pathsep.join([str(command.parent), str(Path(sys.executable).parent), os.environ["PATH"]])


@contextlib.contextmanager
def nothing_left_at_the_root(folder: Path) -> Iterator[None]:
    """What a demo writes at the root goes to the folder; what was there stays."""
    before = folder / "before"
    before.mkdir(exist_ok=True)
    for file in ROOT.glob("tangency-demo*"):
        shutil.move(file, before / file.name)
    try:
        yield
    finally:
        for file in ROOT.glob("tangency-demo*"):
            shutil.move(file, folder / file.name)
        for file in before.iterdir():
            shutil.move(file, ROOT / file.name)


def run_command(line: str, folder: Path, programs: str) -> str:
    there = str(folder / "installed")
    installed = {"PIP_TARGET": there, "PIP_NO_DEPS": "1", "CARGO_INSTALL_ROOT": there}
    environment = {**os.environ, "PATH": programs, **installed}
    at_root = shlex.split(line)[0] in AT_ROOT
    with nothing_left_at_the_root(folder) if at_root else contextlib.nullcontext():
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=ROOT if at_root else folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=1800,
        )
    assert done.returncode == 0, f"{line}\n{done.stdout[-4000:]}"
    return done.stdout


def run_block(block: Block, names: dict[str, Any], folder: Path, programs: str) -> str:
    if block.language == "sh":
        return "".join(run_command(line, folder, programs) for line in block.commands() if line != SELF)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block.code, str(block), "exec"), names)
    return printed.getvalue()


@pytest.mark.parametrize("page", PAGES)
def test_the_blocks_of_a_page_run_and_print_what_is_shown(
    page: str, tmp_path: Path, programs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, Any] = {"__name__": "page"}
    for block in code_of(page):
        if block.not_run or block.language in SHOWN_ONLY:
            assert not block.shown, f"{block}: output of a block that is not run"
            continue
        printed = run_block(block, names, tmp_path, programs)
        for shown in block.shown:
            assert output_shows(shown, printed), f"{block} prints\n{printed}"
    if page == "README.md":
        missing = [name for name in pictures() if not (tmp_path / name).exists()]
        assert missing == [], "pictures that no block of the page makes"
        assert any((tmp_path / "installed").glob("tangency/_tangency*")), "pip has installed nothing"


def pictures() -> list[str]:
    """The pictures of the README under the names that its commands give them."""
    names = re.findall(r"!\[[^\]]*\]\(docs/([\w.-]+)\)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert names
    return ["tangency-demo.png" if name == "demo.png" else name for name in names]


def test_every_kind_of_block_is_known() -> None:
    kinds = {(block.page, block.language) for page in PAGES for block in code_of(page)}
    assert {kind for _, kind in kinds} <= {"sh", "python", *SHOWN_ONLY}
    library = (ROOT / "crates/tangency/src/lib.rs").read_text(encoding="utf-8")
    assert [page for page, kind in kinds if kind == "rust" and f"../../../{page}" not in library] == []


def test_blocks_that_are_not_run_are_few_and_say_why() -> None:
    marked = [block.page for page in PAGES for block in code_of(page) if block.not_run]
    assert {page: marked.count(page) for page in marked} == NOT_RUN


def test_the_readme_begins_with_the_demo_and_the_tests() -> None:
    lines = [line for block in code_of("README.md") if block.language == "sh" for line in block.commands()]
    assert lines[:2] == ["cargo run --release -- demo", SELF]
    assert "pip install ." in lines


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 170


def test_blocks_are_found() -> None:
    text = "a\n```sh\nb \\\n  c\nd\n```\n```text\n1\n```\n*Not run by the tests: no e.*\n\n  ```python\n  f()\n  ```\n"
    found = blocks(text, "page")
    kinds = [(block.language, block.line, block.not_run) for block in found]
    assert kinds == [("sh", 2, None), ("python", 12, "no e.")]
    assert found[0].commands() == ["b    c", "d"] and found[0].shown == ["1\n"] and found[1].code == "f()\n"


def test_outputs_are_compared() -> None:
    assert line_shows("a -1.00 b  3", " a  -1.005 b 3")
    assert line_shows("at … rows/s, ±0.5", "at 41 139 rows/s, ±0.505")
    assert not line_shows("a 1.00 b", "a 1.10 b") and not line_shows("a 1 b", "a 1 c") and not line_shows("a", "a 1")
    assert output_shows("b 2\n…\nd", "a\nb 2\nc\nd\ne\n") and output_shows("b 2\nc", "a\nb 2\nc\n")
    assert not output_shows("b 2\nd", "a\nb 2\nc\nd\n") and not output_shows("c\n…\nb 2", "b 2\nc\n")
    assert not output_shows("z", "") and not output_shows("a\nb", "a\n")
