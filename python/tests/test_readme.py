"""Every Python example of the two README files runs as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = [
    (page, number, code)
    for page in ("README.md", "python/README.md")
    for number, code in enumerate(re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S))
]


@pytest.mark.parametrize(("page", "number", "code"), EXAMPLES, ids=[f"{page}-{number}" for page, number, _ in EXAMPLES])
def test_the_example_runs(page: str, number: int, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, f"{page}, example {number}", "exec"), {})


def test_there_are_examples() -> None:
    assert {page for page, _, _ in EXAMPLES} == {"README.md", "python/README.md"}
