"""The estimator has the settings of the library's table: names, defaults, words, and what its docstring says of it."""

import ast
import inspect
import json
import re

import pytest

import tangency
from tangency import LLLVM, _settings, _tangency, datasets

#: Arguments that are not settings of the library.
BESIDE = {"views", "groups", "graph", "prune", "n_jobs", "verbose"}
#: Defaults that differ from the library's, and why.
OTHER_DEFAULTS = {
    "connect": True,  # with a warning: an estimator in a pipeline should not fail for a graph in pieces
}
#: Attributes that are one of a closed list.
ATTRIBUTES = {"stop_reason_": "stop", "solver_": "solver", "deviation_kind_": "deviations"}

DEFAULTS = _settings.params_of(json.loads(_tangency.settings())["presets"]["default"])


def parameters(text: str) -> dict[str, tuple[str, str | None]]:
    """Type and default of each name in the part of a docstring that lists parameters or attributes."""
    found = {}
    for names, kind in re.findall(r"^(?:    )?([a-z_0-9, ]+) : (.+)$", text.replace("\\\n", ""), re.MULTILINE):
        kind, _, default = kind.partition(", default=")
        found |= {name.strip(): (kind, default or None) for name in names.split(",")}
    return found


DOCUMENTED = parameters(inspect.getdoc(LLLVM))


def listed(kind: str) -> list[str]:
    """The words of {'a', 'b'}."""
    return re.findall(r"'([^']+)'", kind.partition("{")[2].partition("}")[0])


def test_the_signature_is_the_table():
    signature = inspect.signature(LLLVM).parameters
    assert set(signature) == set(_settings.TABLE) | BESIDE
    given = {name: signature[name].default for name in _settings.TABLE}
    assert given == DEFAULTS | OTHER_DEFAULTS
    assert DEFAULTS | OTHER_DEFAULTS != DEFAULTS


@pytest.mark.parametrize("name", _settings.TABLE)
def test_the_docstring_is_the_table(name):
    kind, default = DOCUMENTED[name]
    assert default is not None and ast.literal_eval(default) == (DEFAULTS | OTHER_DEFAULTS)[name]
    assert listed(kind) == list(_settings.CHOICES.get(name, ()))
    expected = {"whole": "int", "real": "float", "learned-or-real": "float", "switch": "bool", "choice": "{"}
    expected |= {"choice-or-real": "float or {", "whole-or-auto": "int or 'auto'"}
    assert kind.startswith(expected[_settings.TABLE[name]["kind"]])


@pytest.mark.parametrize("function", [tangency.embed, tangency.select, tangency.compare])
def test_words_of_other_functions_are_those_of_the_lists(function):
    documented = parameters(inspect.getdoc(function))
    for name, (kind, _) in documented.items():
        if listed(kind) and name in _settings.CHOICES:
            assert listed(kind) == list(_settings.CHOICES[name]), name
    if function is tangency.embed:
        assert listed(documented["method"][0])


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_words_of_attributes_are_those_of_the_lists(name):
    assert listed(DOCUMENTED[name][0]) == json.loads(_tangency.settings())["choices"][ATTRIBUTES[name]]


def test_settings_go_to_the_library_and_back():
    others = LLLVM(lam=2.0, nu=0.0, radius=0.5, draws=7, connect=False, init="lle", feature_weight=0.2, heaviness=None)
    polished = LLLVM("auto", graph_likelihood=False, feature_weight="polish")
    for model in (LLLVM(), LLLVM.authors(), others, polished):
        params = {name: value for name, value in model.get_params().items() if name in _settings.TABLE}
        assert _settings.params_of(json.loads(_settings.config(params))) == params


def test_the_preset_of_the_authors_is_the_library_s():
    expected = dict(init="random", alpha0=1.0, alpha=1e-3, lam=1.0, nu=0.0, accelerate=False, uncertainty="absolute")
    expected |= {"graph_likelihood": False, "scaling": "max-abs"}
    assert _settings.preset("authors") == expected
    usual = LLLVM().get_params()
    changed = {name: value for name, value in LLLVM.authors().get_params().items() if value != usual[name]}
    assert changed == expected


def test_the_manifolds_are_the_library_s():
    shapes = json.loads(_tangency.settings())["choices"]["shape"]
    assert {f"make_{shape.replace('-', '_')}" for shape in shapes} == {
        name for name in datasets.__all__ if name.startswith("make_")
    }


def test_every_row_of_the_table_has_what_a_front_end_needs():
    for name, row in _settings.TABLE.items():
        assert row["about"].endswith(".") and row["group"] in ("graph", "model", "engine"), name
        assert bool(row["choices"]) == (row["kind"] in ("choice", "choice-or-real")), name
        assert row["default"] is not None or row["optional"], name
