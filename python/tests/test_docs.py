"""The documentation is built by one command without a warning; what it shows was run; it leaves nothing public out."""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib
import inspect
import io
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pytest

import tangency

DOCS = Path(__file__).parent.parent / "docs"
HTML = DOCS / "_build" / "html"
GALLERY = sorted(path.stem for path in (DOCS / "gallery").glob("plot_*.py"))
WANTED = ["roll", "digits", "climate", "choose_k_and_dimension", "clean_graph", "uncertainty", "new_points"]
WANTED += ["compare", "anndata"]
PAGES = sorted(path for path in DOCS.glob("*.rst"))
MODULES = [tangency.datasets, tangency.pl, tangency.plotting, tangency.quality, tangency.tl]
#: Numbers in shown output may differ by as much on other machines.
NEAR = 0.02


@pytest.fixture(scope="module")
def site() -> Path:
    """The pages, built now."""
    for name in ("sphinx", "sphinx_gallery", "furo", "matplotlib", "anndata", "pandas"):
        pytest.importorskip(name)
    environment = {**os.environ, "PYTHON": sys.executable}
    run = subprocess.run([DOCS / "build"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, f"python/docs/build failed:\n{run.stdout[-20000:]}"
    # nothing was left from an earlier build
    found = re.search(r"successfully executed (\d+) out of (\d+) files", run.stdout)
    assert found and int(found[1]) == int(found[2]) == len(GALLERY), run.stdout[-5000:]
    return HTML


# ---- the gallery


def test_the_gallery_has_every_example() -> None:
    assert sorted(GALLERY) == sorted(f"plot_{name}" for name in WANTED)


@pytest.mark.parametrize("name", GALLERY)
def test_example_was_run_and_shows_figures(site: Path, name: str) -> None:
    page = (site / "auto_gallery" / f"{name}.html").read_text(encoding="utf-8")
    assert "Total running time of the script" in page
    assert "Traceback" not in page
    assert "sphx-glr-script-out" in page, "it prints nothing"
    assert len(re.findall(rf'src="\.\./_images/sphx_glr_{name}_\d+\.png"', page)) >= 1
    assert (site / "_images" / f"sphx_glr_{name}_thumb.png").exists()
    assert "when not to trust it" in page.lower()


def test_digits_have_hover_pictures(site: Path) -> None:
    page = (site / "auto_gallery" / "plot_digits.html").read_text(encoding="utf-8")
    assert "<iframe" in page and "data:image/png;base64" in page


def test_synthetic_data_are_called_so(site: Path) -> None:
    for name in ("plot_climate", "plot_anndata"):
        assert "<strong>synthetic</strong>" in (site / "auto_gallery" / f"{name}.html").read_text(encoding="utf-8")


def test_climate_reads_a_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    places = rng.uniform(-1, 1, (60, 2))
    months = "jan feb mar apr may jun jul aug sep oct nov dec".split()
    table = pandas.DataFrame(places @ rng.normal(size=(2, 12)) + rng.normal(0, 0.01, (60, 12)), columns=months)
    table.assign(latitude=places[:, 0], longitude=places[:, 1], station="x").to_csv(tmp_path / "real.csv")
    environment = {**os.environ, "TANGENCY_CLIMATE": str(tmp_path / "real.csv"), "MPLBACKEND": "Agg"}
    script = DOCS / "gallery" / "plot_climate.py"
    run = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "real.csv: 60 rows" in run.stdout and "synthetic" not in run.stdout


# ---- the pages


def test_pages_exist(site: Path) -> None:
    wanted = ["index", "quickstart", "meaning", "coming_from", "many_points", "beyond"]
    wanted += ["auto_gallery/index", "api/index", "search"]
    assert [page for page in wanted if not (site / f"{page}.html").exists()] == []


class Links(HTMLParser):
    """What a page links to, and the names of its parts."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.parts: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ("href", "src"):
                self.targets.append(value)
            if value and name in ("id", "name"):
                self.parts.add(value)


def test_no_link_leads_nowhere(site: Path) -> None:
    pages: dict[Path, Links] = {}
    for path in site.rglob("*.html"):
        pages[path] = Links()
        pages[path].feed(path.read_text(encoding="utf-8"))
    assert len(pages) > 15
    missing = []
    for path, links in pages.items():
        for target in links.targets:
            place = urlsplit(target)
            if place.scheme or place.netloc:
                continue
            file = (path.parent / unquote(place.path)).resolve() if place.path else path
            part = unquote(place.fragment)
            if not file.exists() or (part and file in pages and part not in pages[file].parts):
                missing.append(f"{path.relative_to(site)} → {target}")
    assert missing == []


def test_pages_need_no_network(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|link)\b[^>]*\b(?:src|href)="(?:https?:)?//')
    assert [path.name for path in site.rglob("*.html") if loaded.search(path.read_text(encoding="utf-8"))] == []


# ---- the reference


def documented(site: Path) -> set[str]:
    from sphinx.util.inventory import InventoryFile

    with open(site / "objects.inv", "rb") as file:
        inventory = InventoryFile.load(file, "", lambda base, path: path)
    names = {name for kind, found in inventory.items() if kind.startswith("py:") for name in found}
    # attributes stand in a list of their class, with their names in bold
    listed = {"lllvm": "LLLVM Loadings", "evidence": "Selection", "report": "Report", "compare": "Comparison"}
    for kind, page in ((kind, page) for page, kinds in listed.items() for kind in kinds.split()):
        text = (site / "api" / f"{page}.html").read_text(encoding="utf-8")
        named = (some.split(", ") for some in re.findall(r"<strong>([\w, ]+)</strong>", text))
        names |= {f"tangency.{kind}.{name}" for some in named for name in some}
    return names


def public_names() -> set[str]:
    names = {f"tangency.{name}" for name in tangency.__all__}
    for module in MODULES:
        names |= {f"{module.__name__}.{name}" for name in module.__all__}
    values = (getattr(tangency, name) for name in tangency.__all__)
    for kind in (value for value in values if inspect.isclass(value)):
        own = (name for of in kind.__mro__ if of.__module__.startswith("tangency") for name in vars(of))
        names |= {f"tangency.{kind.__name__}.{name}" for name in own if not name.startswith("_")}
    names |= {f"tangency.LLLVM.{name}" for name in ("get_params", "set_params", "set_output", "get_feature_names_out")}
    return names


def fitted_names() -> set[str]:
    X, _ = tangency.datasets.make_s_curve(120)
    found = tangency.select(X, n_neighbors=[8], seeds=1, max_iter=40)
    model = tangency.LLLVM().fit(X)
    names = {f"tangency.LLLVM.{name}" for name in vars(model) if name.endswith("_") and not name.startswith("_")}
    names |= {f"tangency.Selection.{name}" for name in vars(found) if not name.startswith("_")}
    compared = tangency.compare(X, methods=["pca"])
    return names | {f"tangency.Comparison.{name}" for name in vars(compared) if not name.startswith("_")}


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    generated = {f"tangency.LLLVM.set_{name}_request" for name in ("fit", "transform", "inverse_transform", "score")}
    names = (public_names() | fitted_names()) - generated
    assert len(names) > 60
    assert sorted(names - documented(site)) == []


def test_modules_have_no_other_public_functions() -> None:
    for module in MODULES:
        here = {
            name
            for name, value in vars(module).items()
            if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
        }
        assert here <= set(module.__all__), module.__name__


# ---- code that is shown


class Block:
    """Code of a page, and the output that the page shows below it."""

    def __init__(self, code: str, line: int) -> None:
        self.code, self.line = code, line
        self.shown: str | None = None


def blocks(page: Path) -> list[Block]:
    """The Python code of a page in order; a block without a language that follows one is its output."""
    lines = page.read_text(encoding="utf-8").splitlines()
    found: list[Block] = []
    place = 0
    while place < len(lines):
        directive = re.fullmatch(r"( *)\.\. (code-block|literalinclude):: (\S+)", lines[place])
        place += 1
        if directive is None:
            continue
        start, body = place, []
        while place < len(lines) and (not lines[place].strip() or lines[place].startswith(directive[1] + "    ")):
            body.append(lines[place][len(directive[1]) + 4 :])
            place += 1
        options = dict(line[1:].split(": ", 1) for line in body if re.match(r":[\w-]+: ", line))
        text = "\n".join(line for line in body if not re.match(r":[\w-]+: ", line)).strip("\n") + "\n"
        if directive[2] == "literalinclude":
            whole = (page.parent / directive[3]).read_text(encoding="utf-8")
            first = whole.index("\n", whole.index(options["start-after"])) + 1
            until = whole.index(options["end-before"])
            text = whole[first : whole.rindex("\n", 0, until) + 1]
            found.append(Block(text, start))
        elif directive[3] == "python":
            found.append(Block(text, start))
        elif directive[3] == "none":
            assert found and found[-1].shown is None, f"{page.name}:{start}: output without code"
            found[-1].shown = text
    return found


def same_text(shown: str, printed: str) -> bool:
    """Whether two outputs differ in their blanks and the last digits of their numbers only."""
    number = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?")
    words = [" ".join(number.sub("#", text).split()) for text in (shown, printed)]
    if words[0] != words[1]:
        return False
    values = [np.array([float(value) for value in number.findall(text)]) for text in (shown, printed)]
    return bool(np.allclose(*values, rtol=NEAR, atol=0.011))


@contextlib.contextmanager
def working_in(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def needs(code: str) -> None:
    """Skips where an optional package is missing."""
    for name in ("matplotlib", "pandas", "dask.distributed", "pyarrow"):
        if name.partition(".")[0] in code or (name == "matplotlib" and ".plot(" in code):
            pytest.importorskip(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_code_of_a_page_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    found = blocks(page)
    assert found, "a page without code"
    needs("\n".join(block.code for block in found))
    with contextlib.suppress(ImportError):
        importlib.import_module("matplotlib").use("Agg")
    names: dict[str, Any] = {"__name__": "page"}
    with working_in(tmp_path):
        for block in found:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block.code, f"{page.name}:{block.line}", "exec"), names)
            message = f"{page.name}:{block.line} prints\n{printed.getvalue()}"
            assert same_text(block.shown or "", printed.getvalue()), message


def test_outputs_are_compared() -> None:
    assert same_text("a 1.00 b\n", "a  1.005 b")
    assert not same_text("a 1.00 b", "a 1.10 b") and not same_text("a 1 b", "a 1 c") and not same_text("", "1")


def test_the_quick_start_is_one_script_without_extras(tmp_path: Path) -> None:
    code = (DOCS / "quickstart.py").read_text(encoding="utf-8")
    sections = re.findall(r"^# \[(\w+)\]$", code, re.MULTILINE)
    page = (DOCS / "quickstart.rst").read_text(encoding="utf-8")
    assert re.findall(r"start-after: \[(\w+)\]", page) == sections[:-1]
    # as in an environment that has only what the package depends on
    extras = ["matplotlib", "pandas", "polars", "anndata", "scanpy", "dask", "distributed", "pyarrow", "tqdm"]
    without = f"import sys; sys.modules.update(dict.fromkeys({extras!r})); exec(sys.argv[1])"
    command = [sys.executable, "-W", "error", "-c", without, code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    shown = "".join(block.shown or "" for block in blocks(DOCS / "quickstart.rst"))
    assert same_text(shown, run.stdout), run.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["curve.safetensors"]


# ---- examples in docstrings


def package_modules() -> list[str]:
    return ["tangency", *(f"tangency.{found.name}" for found in pkgutil.iter_modules(tangency.__path__))]


@pytest.fixture(scope="module")
def at_hand() -> dict[str, Any]:
    """What a reader of a docstring has at hand: a model of images of 28 × 28, its table, and new rows."""
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.datasets import load_digits

    digits = load_digits(n_class=3)
    small = digits.images[:60]
    digits.images = np.pad(np.kron(small, np.ones((3, 3))), ((0, 0), (2, 2), (2, 2)))
    digits.data, digits.target = digits.images.reshape(60, -1), digits.target[:60]
    model = tangency.LLLVM(lam=1.0, nu=0.0, max_iter=60).fit(digits.data)
    X, _ = tangency.datasets.make_s_curve(120)
    others = {"X": X, "X_new": digits.data[:5], "y": digits.target, "images": digits.images}
    quick = functools.partial(tangency.select, seeds=1, max_iter=40)
    tools = {"plotting": tangency.plotting, "tangency": tangency, "select": quick}
    return {"model": model, "digits": digits, **others, **tools}


@pytest.mark.parametrize("name", package_modules())
def test_examples_in_docstrings_run(name: str, tmp_path: Path, at_hand: dict[str, Any]) -> None:
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    with working_in(tmp_path):
        for test in doctest.DocTestFinder(exclude_empty=True).find(module, name):
            skipped = [example for example in test.examples if example.options.get(doctest.SKIP)]
            # those whose output nobody would read are marked to be skipped: they must run all the same
            for example in skipped:
                exec(compile(example.source, f"{test.name}:{example.lineno}", "exec"), dict(at_hand))
            output = io.StringIO()
            failed = runner.run(test, out=output.write).failed
            assert failed == 0, output.getvalue()


def test_every_public_function_has_an_example_or_a_gallery() -> None:
    scripts = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "gallery").glob("plot_*.py"))
    pages = "".join(path.read_text(encoding="utf-8") for path in PAGES)
    for name in tangency.__all__:
        value = getattr(tangency, name)
        if inspect.isfunction(value):
            assert ">>>" in (value.__doc__ or "") or f"tangency.{name}(" in scripts + pages, name
