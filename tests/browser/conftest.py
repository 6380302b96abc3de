"""What the tests of the report share: one browser, sample pages, and pages made by the command, each made once."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import driving
import make_sample
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def downloads(tmp_path_factory):
    return tmp_path_factory.mktemp("downloads")


@pytest.fixture(scope="session")
def driver(downloads):
    if missing := driving.missing():
        pytest.fail(missing, pytrace=False)
    driver = driving.start(downloads)
    yield driver
    driver.quit()


@pytest.fixture
def page(driver, downloads):
    """A fresh window. Whatever a test does in it, the console stays empty and nothing is asked for."""
    page = driving.Page(driver, downloads)
    yield page
    assert page.trouble() == []


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """Sample pages by name."""
    folder = tmp_path_factory.mktemp("samples")

    def make(name):
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(make_sample.html_page(make_sample.MAKERS[name]()), encoding="utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def tangency():
    """Runs the command; the answer is what it prints."""
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release" / "tangency"
    program = Path(os.environ.get("TANGENCY_COMMAND", built)).resolve()
    if not program.exists():
        pytest.fail(f"{program} is missing: run ./test, which builds it", pytrace=False)

    def run(*words, folder):
        done = subprocess.run(
            [program, *map(str, words)], cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"tangency {' '.join(map(str, words))}: {done.stderr}"
        return done.stdout

    return run
