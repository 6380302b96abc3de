"""What the tests of the report share: one browser, sample pages, and pages made by the command, each made once."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import driving
import make_sample
import pytest
from real_files import HOSTILE, columns, model, write
from sklearn.datasets import load_digits

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


@pytest.fixture
def roll(page, sample):
    return page.open(sample("roll"))


# ---- Pages made by the command.


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("real")


@pytest.fixture(scope="session")
def curve(folder, tangency):
    """A sheet bent to an S, fitted in two dimensions."""
    tangency("generate", "s-curve", "--n", 150, "--noise", 0.02, "--seed", 1, "--out", "curve.csv", folder=folder)
    words = (
        "fit curve.csv --columns y1:y3 --out curve.st --embedding curve-x.csv --trace curve-t.csv --report curve.html"
    )
    told = json.loads(tangency(*words.split(), "--json", folder=folder))
    return folder / "curve.html", told


@pytest.fixture(scope="session")
def all_pages(curve, cube, helix, placed, hostile, selected, pruned, digits):
    return {
        "two": curve[0],
        "three": cube,
        "one": helix,
        "new rows": placed,
        "hostile": hostile[0],
        "select": selected[0],
        "prune": pruned[0],
        "images": digits[0],
    }


@pytest.fixture(scope="session")
def cube(curve, folder, tangency):
    words = "fit curve.csv --columns y1:y3 -d 3 --no-graph-likelihood --out cube.st --report cube.html"
    tangency(*words.split(), folder=folder)
    return folder / "cube.html"


@pytest.fixture(scope="session")
def helix(folder, tangency):
    tangency(*"generate helix --n 120 --noise 0.01 --out helix.csv".split(), folder=folder)
    words = "fit helix.csv --columns y1:y3 -d 1 -k 4 --out helix.st --embedding helix-x.csv --report helix.html"
    tangency(*words.split(), folder=folder)
    return folder / "helix.html"


@pytest.fixture(scope="session")
def placed(curve, folder, tangency):
    """New rows in the model of the sheet, and what `transform` says of them."""
    tangency(*"generate s-curve --n 30 --noise 0.02 --seed 9 --out new.csv".split(), folder=folder)
    tangency(*"transform curve.st new.csv --out new-x.csv".split(), folder=folder)
    words = "report curve.st new.csv --fitted-table curve.csv --title".split()
    tangency(*words, "Old and new", "--out", "placed.html", folder=folder)
    return folder / "placed.html"


@pytest.fixture(scope="session")
def hostile(curve, folder, tangency):
    """Texts that would like to be more as ids, labels, columns and heading, fitted and new."""
    rows = columns(folder / "curve.csv", "y1", "y2", "y3")
    ids = [f"{HOSTILE[row % 6]} {row}" for row in range(150)]
    labels = [HOSTILE[row % 5] for row in range(150)]
    head = ["who", "what", *HOSTILE[:3]]
    cells = [[*names, *map(str, row)] for *names, row in zip(ids, labels, rows, strict=True)]
    write(folder / "bad.csv", head, cells[:120])
    write(folder / "bad-new.csv", head, cells[120:])
    reading = "--id-column who --label-column what".split()
    tangency("fit", "bad.csv", *reading, "--out", "bad.st", folder=folder)
    more = ["--title", HOSTILE[2], "--fitted-table", HOSTILE[0], "--out", "bad.html"]
    tangency("report", "bad.st", "bad-new.csv", *reading, *more, folder=folder)
    return folder / "bad.html", ids, labels


@pytest.fixture(scope="session")
def selected(curve, folder, tangency):
    words = "select curve.csv --columns y1:y3 -k 6,9 -d 1:2 --by bound --seeds 2 --all"
    words += " --out select.csv --report select.html"
    return folder / "select.html", json.loads(tangency(*words.split(), "--json", folder=folder))


@pytest.fixture(scope="session")
def pruned(curve, folder, tangency):
    """The sheet with one edge from end to end, which must go."""
    arrays, _ = model(folder / "curve.st")
    first, last = (int(end) for end in (arrays["coordinates"][:, 0].argmin(), arrays["coordinates"][:, 0].argmax()))
    bad = tuple(sorted([first, last]))
    write(folder / "bad-edges.csv", ["i", "j"], [*arrays["edges"].tolist(), bad])
    words = "prune curve.csv --columns y1:y3 --edges bad-edges.csv --apply --out pruned.st --report pruned.html"
    tangency(*words.split(), folder=folder)
    return folder / "pruned.html", bad


@pytest.fixture(scope="session")
def digits(folder, tangency):
    pictures = load_digits()
    head = ["digit", *(f"pixel{number}" for number in range(64))]
    rows = [[int(digit), *map(int, row)] for digit, row in zip(pictures.target[:150], pictures.data[:150], strict=True)]
    write(folder / "digits.csv", head, rows)
    words = "fit digits.csv --label-column digit --out digits.st --report digits.html --image 8x8"
    tangency(*words.split(), folder=folder)
    return folder / "digits.html", pictures
