"""What the pages about the code name exists: files, folders, types, functions. The map has every folder."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from fenced import FENCE, ROOT

PAGES = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/notation.md", "docs/guide/rust.md"]
#: Folders whose sub-folders must all be in the map.
ROOMS = [
    "crates/tangency/src",
    "crates/tangency-report/src",
    "crates/tangency-cli/src",
    "python/src",
    "python/tangency",
]
SOURCES = ["crates", "python", "experiments", "tests", "docs"]
#: Words of Rust, shells and other programs that stand in backticks and are not defined here.
FOREIGN = {"unsafe", "unwrap", "expect", "utils", "helpers", "misc", "cargo bench", "PYTHON", "auto", "// [n, d_x]"}
FOREIGN |= {
    "cargo doc --open",
    "sh",
    "matrix.llt(…)",
    ".self_adjoint_eigen(…)",
    "par_iter().sum()",
    "a * b",
    "--release",
}
ENDINGS = {".rs", ".py", ".md", ".toml", ".html", ".js", ".css", ".pyi", ".rst", ".png", ".svg", ".json"}


def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


@cache
def files() -> tuple[str, ...]:
    """Files and folders of the project, from its root."""
    found = [path for folder in SOURCES for path in (ROOT / folder).rglob("*")]
    left_out = {"target", "__pycache__", "_build", "auto_gallery", "node_modules"}
    kept = (path.relative_to(ROOT) for path in found)
    top = (path.name for path in ROOT.iterdir())
    return tuple(sorted([*(str(path) for path in kept if not left_out & set(path.parts)), *SOURCES, *top]))


@cache
def sources() -> dict[str, str]:
    code = [name for name in files() if name.endswith((".rs", ".py", ".pyi")) and "/tests/" not in f"/{name}"]
    return {name: text(name) for name in code if (ROOT / name).is_file()}


# ---- the map


def mapped(page: str) -> list[str]:
    """The paths of the map: a folder inside another by indentation, names before two blanks, what they are after."""
    fence = next(fence for fence in FENCE.finditer(page) if not fence[2])
    folders: list[tuple[int, str]] = []
    paths = []
    for line in fence[3].splitlines():
        indent = len(line) - len(line.lstrip())
        while folders and folders[-1][0] >= indent:
            folders.pop()
        before = "".join(name for _, name in folders)
        names = re.split(r"\s{2,}", line.strip())[0].split()
        paths += [before + name for name in names]
        if len(names) == 1 and names[0].endswith("/"):
            folders.append((indent, names[0]))
    return paths


def test_every_path_of_the_map_exists() -> None:
    paths = mapped(text("ARCHITECTURE.md"))
    assert len(paths) > 100
    there = set(files())
    assert [path for path in paths if path.rstrip("/") not in there] == []


def test_the_map_has_every_folder_of_the_sources() -> None:
    paths = {path.rstrip("/") for path in mapped(text("ARCHITECTURE.md"))}
    code = {str(Path(name).parent) for name in sources() if any(name.startswith(f"{room}/") for room in ROOMS)}
    assert sorted(folder for folder in code - paths if Path(folder).name != "tests") == []


# ---- names in backticks


def defined(name: str, where: str = "") -> bool:
    """Whether a function, type, module, variant, field or constant of this name is in the sources (below a path)."""
    pattern = re.compile(
        rf"\b(?:fn|struct|enum|trait|type|mod|const|static|class|def|macro_rules!)\s+{name}\b"
        rf"|^\s*(?:pub(?:\([a-z]+\))?\s+)?{name}\s*[:(,{{=]|^\s*{name},?$",
        re.M,
    )
    return any(pattern.search(code) for file, code in sources().items() if where in file and name in code)


def is_method(kind: str, name: str) -> bool:
    """Whether a file that is about a type, or implements it, has this function, variant or field."""
    about = re.compile(rf"\b(?:impl\b[^{{\n]*\b{kind}\b|(?:struct|enum|trait|class|mod)\s+{kind}\b)")
    has = re.compile(rf"\b(?:fn|def|const|type)\s+{name}\b|^\s*(?:pub(?:\([a-z]+\))?\s+)?{name}\b", re.M)
    both = (code for code in sources().values() if kind in code and name in code)
    return any(about.search(code) and has.search(code) for code in both)


def is_path(name: str) -> bool:
    wanted = name.rstrip("/").removeprefix("./")
    return any(path == wanted or path.endswith(f"/{wanted}") for path in files())


def exists(name: str) -> bool:
    """Whether what stands between backticks is something of this project."""
    if name in FOREIGN or re.fullmatch(r"[\W\d_]+|\.\./\w+", name):
        return True
    if name.startswith("-"):
        flag = name.split()[0].lstrip("-")
        typed = re.compile(rf'\b{flag.replace("-", "_")}\s*:|"{flag.replace("-", "[-_]")}"|[`\s]--{flag}\b')
        return len(flag) == 1 or any(typed.search(code) for code in sources().values())
    if "/" in name or Path(name).suffix in ENDINGS:
        return is_path(name)
    plain = re.sub(r"\(.*\)|!$|<.*>", "", name)
    if "::" in plain:
        *before, last = plain.split("::")
        kind = before[-1]
        if kind[0].isupper():
            return is_method(kind, last)
        return is_path(f"{kind}.rs") or is_path(kind) if not last else defined(last, kind) or defined(last, "tangency")
    if re.fullmatch(r"[A-Za-z_]\w*", plain):
        return defined(plain) or is_path(f"{plain}.rs") or is_path(f"{plain}.py") or is_path(plain)
    return is_path(plain) or any(name in code for code in sources().values())


@pytest.mark.parametrize("page", PAGES)
def test_every_name_in_backticks_exists(page: str) -> None:
    names = set(re.findall(r"`([^`\n]+)`", FENCE.sub("", text(page))))
    assert len(names) > 10
    assert sorted(name for name in names if not exists(name)) == []


def test_what_is_not_there_is_noticed() -> None:
    for name in ("Fitter::fit", "io/table", "fit/mod.rs", "linalg", "Stop", "--n-neighbors", "compare", "Config"):
        assert exists(name), name
    for name in ("Fitter::unfit", "Nothing::fit", "io/nothing.rs", "nothing.rs", "Nothing", "no_thing", "--no-thing"):
        assert not exists(name), name
    page = "```\na/\n  b.rs c/    what\n  d/   more\n    e.rs   x\nf.rs\n```\n"
    assert mapped(page) == ["a/", "a/b.rs", "a/c/", "a/d/", "a/d/e.rs", "f.rs"]
