"""Arguments as they were given, checked, in the form that the native module takes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs

from . import _tangency

_LISTS: dict[str, Any] = json.loads(_tangency.settings())
#: The library's table of settings by their names here; Python keeps the word lambda for itself.
TABLE: dict[str, dict[str, Any]] = {
    {"lambda": "lam"}.get(row["name"], row["name"]): row for row in _LISTS["settings"]
}
#: The methods beside ours.
PEERS: tuple[str, ...] = tuple(_LISTS["choices"]["method"])
#: All that can be compared.
ENTRANTS: tuple[str, ...] = tuple(_LISTS["choices"]["entrant"])
#: A table of distances in place of one of measurements.
PRECOMPUTED = "precomputed"
#: The words that arguments may be: of the settings, and of what Python has beside them.
CHOICES: dict[str, tuple[str, ...]] = {
    name: tuple(choice["name"] for choice in row["choices"]) for name, row in TABLE.items() if row["choices"]
} | {"method": PEERS}
CHOICES["metric"] += (PRECOMPUTED,)
#: What leaves a whole number to the data.
AUTO = "auto"
#: The largest whole number that goes to the native module.
MOST = 2**63 - 1


def shown(value: object) -> str:
    """A value on one line, shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def wrong(name: str, value: object, allowed: str) -> ValueError:
    """The error about a value that an argument cannot be: what it is, and what to use."""
    return ValueError(f"{name} is {shown(value)}; use {allowed}")


def whole(name: str, value: object, least: int = 1, most: int = MOST) -> int:
    """A whole number in a range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise wrong(name, value, "a whole number")
    number = int(value)
    if number < least:
        raise wrong(name, number, f"a whole number, at least {least}")
    if number > most:
        raise wrong(name, number, f"a whole number, at most {most}")
    return number


def count(name: str, value: object, size: int) -> int:
    """A number of things of this many numbers each, for which there is room."""
    number = whole(name, value)
    try:
        np.empty((number, size))
    except (MemoryError, ValueError):
        raise MemoryError(f"{name} is {number}, and there is no room for so many; use a smaller {name}") from None
    return number


def real(name: str, value: object, allowed: str = "a number") -> float:
    """A finite number; whether it is in its range is the library's to say."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        try:
            number = float(value)
        except OverflowError:
            pass
    if not math.isfinite(number):
        raise wrong(name, value, allowed)
    return number


def choice(name: str, value: object) -> str:
    """One of the words that a setting may be."""
    allowed = CHOICES[name]
    if not (isinstance(value, str) and value in allowed):
        raise wrong(name, value, f"one of {', '.join(map(repr, allowed))}")
    return value


def seed(random_state: object) -> int:
    """The seed that a `random_state` stands for: itself, or a draw from a generator."""
    if random_state is None or random_state is np.random:
        return int(np.random.mtrand._rand.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, Integral) and not isinstance(random_state, (bool, np.bool_)):
        if not 0 <= int(random_state) < 2**64:
            raise wrong("random_state", random_state, "a whole number from 0 to 2**64 - 1")
        return int(random_state)
    raise wrong("random_state", random_state, "a whole number, a numpy generator or None")


def threads(n_jobs: object) -> int:
    """How many threads `n_jobs` means here and now: no more than there are processors, since the result is the same."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise wrong("n_jobs", n_jobs, "None or a whole number other than 0")
    asked = int(effective_n_jobs(None if n_jobs is None else int(n_jobs)))
    return max(1, min(asked, int(cpu_count())))


def switch(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(name, value, "True or False")
    return bool(value)


def setting(name: str, value: object) -> Any:
    """The value of a setting, checked by the library's table, as the library's JSON has it."""
    row = TABLE[name]
    kind = row["kind"]
    if value is None and (row["optional"] or kind == "learned-or-real"):
        return None if row["optional"] else "learned"
    if kind == "switch":
        return switch(name, value)
    if kind == "choice" or (kind == "choice-or-real" and isinstance(value, str) and value in CHOICES[name]):
        # measurements made of distances are as far apart as these
        return row["default"] if (name, value) == ("metric", PRECOMPUTED) else choice(name, value)
    if kind == "whole-or-auto" and isinstance(value, str):
        if value != AUTO:
            raise wrong(name, value, allowed(row))
        return row["range"]["auto"]
    if kind in ("whole", "whole-or-auto"):
        return whole(name, value, row["range"]["least"])
    number, limits = real(name, value, allowed(row)), row["range"]
    above, least, most = limits.get("above", -math.inf), limits.get("least", -math.inf), limits.get("most", math.inf)
    if not (number > above and least <= number <= most):
        raise wrong(name, value, allowed(row))
    return {"fixed": number} if kind in ("learned-or-real", "choice-or-real") else number


def allowed(row: dict[str, Any]) -> str:
    """What a setting may be, in the words of Python."""
    words = [choice["name"] for choice in row["choices"] or ()]
    said: str = row["allowed"].replace("learned", "None, which learns it")
    said = said.replace(f"or {AUTO}", f"or {AUTO!r}")
    return said.replace(", ".join(words), ", ".join(map(repr, words))) if words else said


def config(params: dict[str, Any]) -> str:
    """The JSON text of the library's settings, all of them checked."""
    made: dict[str, Any] = {}
    for name, row in TABLE.items():
        value = params[name]
        if name == "random_state":
            made[name] = seed(value)
        elif name == "init" and not isinstance(value, str):
            made[name] = row["default"]  # a start that is given takes its place
        else:
            made[row["name"]] = setting(name, value)
    text = json.dumps(made)
    _tangency.check_settings(text)
    return text


def peer_options(regularization: object, n_inducing: object, max_iter: object, random_state: int) -> str:
    """The JSON text of the settings that only other methods have."""
    share = real("regularization", regularization)
    if share <= 0:
        raise wrong("regularization", regularization, "a positive number")
    made = {"regularization": share, "n_inducing": whole("n_inducing", n_inducing)}
    return json.dumps(made | {"max_iter": whole("max_iter", max_iter), "random_state": random_state})


def params_of(settings: dict[str, Any]) -> dict[str, Any]:
    """The arguments of the estimator that these settings of the library, as its JSON has them, came from."""
    params: dict[str, Any] = {}
    for name, row in TABLE.items():
        value = settings[row["name"]]
        if row["kind"] == "learned-or-real":
            value = None if value == "learned" else value["fixed"]
        if row["kind"] == "choice-or-real" and not isinstance(value, str):
            value = value["fixed"]
        if row["kind"] == "whole-or-auto" and value == row["range"]["auto"]:
            value = AUTO
        # a start that was given is not kept in a model
        params[name] = value if name != "init" or value in CHOICES["init"] else row["default"]
    return params


def preset(name: str) -> dict[str, Any]:
    """The arguments that differ from the defaults of the library in a preset."""
    plain, changed = params_of(_LISTS["presets"]["default"]), params_of(_LISTS["presets"][name])
    return {name: value for name, value in changed.items() if value != plain[name]}


Progress = Callable[[str, int, "int | None", "float | None"], None]
