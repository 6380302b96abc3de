"""The wheel needs nothing of this folder and no Rust: the quick start runs where only the wheel was installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

QUICK_START = Path(__file__).resolve().parents[1] / "docs" / "quickstart.py"


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
