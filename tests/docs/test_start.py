"""The commands with which README.md begins work as they are written there, at the root of the workspace.

`cargo run` is typed as a newcomer types it: without a package and without a path, so that it fails if cargo cannot tell
which program is meant."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: The command that runs this test.
SELF = "./test"


def commands(text: str) -> list[str]:
    """The lines of `sh` blocks; a line that ends in a backslash goes on in the next."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.M | re.S)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip()]


def start_commands() -> list[str]:
    """Those that need the root of the workspace."""
    return [line for line in commands((ROOT / "README.md").read_text()) if shlex.split(line)[0] in ("cargo", SELF)]


def put_aside(folder: Path) -> None:
    """Moves what a demo left at the root, so that another one can write there."""
    for file in ROOT.glob("tangency-demo*"):
        shutil.move(file, folder / file.name)


def test_the_readme_begins_with_the_demo_and_the_tests() -> None:
    assert start_commands()[:2] == ["cargo run --release -- demo", SELF]


@pytest.mark.parametrize("line", [line for line in start_commands() if line != SELF])
def test_a_start_command_runs_as_written(line: str, tmp_path: Path) -> None:
    before, made = tmp_path / "before", tmp_path / "made"
    before.mkdir()
    made.mkdir()
    put_aside(before)
    try:
        done = subprocess.run(line, shell=True, cwd=ROOT, capture_output=True, text=True, timeout=1800)
        put_aside(made)
    finally:
        for file in before.iterdir():
            shutil.move(file, ROOT / file.name)
    assert done.returncode == 0, done.stderr[-2000:]
    assert (made / "tangency-demo.html").stat().st_size > 0
    assert "\nerror" not in done.stderr
