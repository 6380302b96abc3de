"""The wheel needs nothing of this folder and no Rust: the quick start runs where only the wheel was installed.

Building it takes what the workspace has compiled."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUICK_START = ROOT / "python" / "docs" / "quickstart.py"


@pytest.fixture(scope="module")
def wheel() -> Path:
    named = os.environ.get("TANGENCY_WHEEL")
    if not named:
        pytest.skip("TANGENCY_WHEEL does not name a wheel; ./test builds one and sets it")
    return Path(named).resolve()


def test_the_quick_start_runs_in_a_fresh_environment_without_rust(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "fresh"], check=True)
    python = tmp_path / "fresh" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", wheel], check=True)
    # nothing on the path but the system's own folders, and no variable that could lead back here
    bare = {"PATH": f"{python.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
    assert shutil.which("cargo", path=bare["PATH"]) is None
    script = tmp_path / "quickstart.py"
    script.write_text(QUICK_START.read_text())
    ran = subprocess.run([python, script], cwd=tmp_path, env=bare, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Warning" not in ran.stderr, ran.stderr


def test_the_wheel_is_for_every_later_python_and_holds_its_types(wheel: Path) -> None:
    assert "-cp310-abi3-" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    assert "tangency/py.typed" in names and "tangency/_tangency.pyi" in names
    assert not [name for name in names if "tests" in name or "docs/" in name]


def test_a_wheel_is_built_from_what_the_workspace_has_compiled() -> None:
    """Other features of one crate compile all that stands on it a second time, for minutes."""
    if shutil.which("cargo") is None:
        pytest.skip("no cargo here")

    def packages(*chosen: str) -> set[str]:
        listed = ["--edges", "no-build,no-dev,no-proc-macro", "--prefix", "none", "--format", "{p} [{f}]"]
        command = ["cargo", "tree", "--locked", *chosen, *listed]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return {line.removesuffix(" (*)") for line in ran.stdout.splitlines()}

    assert sorted(packages("--package", "tangency-python") - packages("--workspace")) == []
