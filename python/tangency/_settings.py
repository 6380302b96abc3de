"""Arguments as they were given, checked, in the form that the native module takes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import cpu_count, effective_n_jobs

#: The methods beside ours.
PEERS = ("pca", "mds", "isomap", "lle", "ltsa", "laplacian-eigenmaps", "gplvm", "bayesian-gplvm")
#: All that can be compared.
ENTRANTS = ("ll-lvm", "ll-lvm-pruned", *PEERS)
CHOICES = {
    "method": PEERS,
    "init": ("auto", "random", "spectral", *PEERS, "landmark-isomap", "coarse"),
    "scaling": ("max-abs", "none", "per-feature"),
    "symmetry": ("or", "mutual"),
    "uncertainty": ("relative", "absolute"),
    "metric": ("euclidean", "precomputed"),
    "engine": ("auto", "exact", "factorised"),
    "neighbor_search": ("auto", "exact", "approximate"),
}
WHOLE = ("n_components", "n_neighbors", "n_init", "max_iter")
REAL = ("tol", "coarse_tol", "epsilon", "gamma0", "alpha0")
WORDS = ("scaling", "symmetry", "uncertainty", "engine", "neighbor_search")
SWITCHES = ("connect", "largest", "accelerate", "full_covariance")
#: Rules of the library by their names here.
RULES = {"alpha": "alpha", "lam": "lambda", "nu": "nu"}
#: The largest whole number that goes to the native module.
MOST = 2**63 - 1


def shown(value: object) -> str:
    """A value on one line, shortened."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:59]}…"


def whole(name: str, value: object, least: int = 1, most: int = MOST) -> int:
    """A whole number in a range."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise ValueError(f"{name} must be a whole number, not {shown(value)}")
    number = int(value)
    if number < least:
        raise ValueError(f"{name} must be at least {least}, not {shown(number)}")
    if number > most:
        raise ValueError(f"{name} must be at most {most}, not {shown(number)}")
    return number


def count(name: str, value: object, size: int) -> int:
    """A number of things of this many numbers each, for which there is room."""
    number = whole(name, value)
    try:
        np.empty((number, size))
    except (MemoryError, ValueError):
        raise MemoryError(f"{name} must be smaller: there is no room for {number}") from None
    return number


def real(name: str, value: object) -> float:
    """A finite number; whether it is in its range is the library's to say."""
    number = math.nan
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        try:
            number = float(value)
        except OverflowError:
            pass
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a number, not {shown(value)}")
    return number


def choice(name: str, value: object) -> str:
    """One of the words that a setting may be."""
    allowed = CHOICES[name]
    if not (isinstance(value, str) and value in allowed):
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {shown(value)}")
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
            raise ValueError(f"random_state must be from 0 to 2**64 - 1, not {shown(random_state)}")
        return int(random_state)
    raise ValueError(f"random_state must be a whole number, a numpy generator or None, not {shown(random_state)}")


def threads(n_jobs: object) -> int:
    """How many threads `n_jobs` means here and now: no more than there are processors, since the result is the same."""
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ValueError(f"n_jobs must be None or a whole number other than 0, not {shown(n_jobs)}")
    asked = int(effective_n_jobs(None if n_jobs is None else int(n_jobs)))
    return max(1, min(asked, int(cpu_count())))


def config(params: dict[str, Any]) -> str:
    """The JSON text of the library's settings."""
    made: dict[str, Any] = {name: whole(name, params[name]) for name in WHOLE}
    made.update({name: real(name, params[name]) for name in REAL})
    for name in SWITCHES:
        if not isinstance(params[name], (bool, np.bool_)):
            raise ValueError(f"{name} must be True or False, not {shown(params[name])}")
        made[name] = bool(params[name])
    if made["connect"] and made["largest"]:
        raise ValueError("connect must be False when largest is True: join the pieces, or fit only the largest of them")
    for name in WORDS:
        made[name] = choice(name, params[name])
    if made["full_covariance"] and made["engine"] == "factorised":
        raise ValueError("full_covariance must be False with engine='factorised', which has none; take engine='exact'")
    made["init"] = choice("init", params["init"]) if isinstance(params["init"], str) else "auto"
    if made["init"] == "coarse" and made["engine"] == "exact":
        raise ValueError("init must be another than 'coarse' with engine='exact': that start is for many points")
    for name in ("radius", "pca"):
        made[name] = None if params[name] is None else real(name, params[name])
    made["ball_radius"] = whole("ball_radius", params["ball_radius"], 0)
    made["draws"] = None if params["draws"] is None else whole("draws", params["draws"], 0)
    held = {name: None if params[name] is None else real(name, params[name]) for name in RULES}
    lam, nu = held["lam"], held["nu"]
    if lam is not None and lam <= 0:
        raise ValueError(f"lam must be a positive number, not {lam}")
    if nu is None and lam is not None:
        raise ValueError("nu must be given when lam is; hold both, as in lam=1.0, nu=0.0, or leave both to be learned")
    if lam is None and nu is not None and nu > 0:
        raise ValueError("lam must be given when nu is above 0; hold both, or leave both to be learned")
    made.update({RULES[name]: "learned" if value is None else {"fixed": value} for name, value in held.items()})
    made["random_state"] = seed(params["random_state"])
    return json.dumps(made)


def peer_options(regularization: object, n_inducing: object, max_iter: object, random_state: int) -> str:
    """The JSON text of the settings that only other methods have."""
    share = real("regularization", regularization)
    if share <= 0:
        raise ValueError(f"regularization must be a positive number, not {shown(regularization)}")
    made = {"regularization": share, "n_inducing": whole("n_inducing", n_inducing)}
    return json.dumps(made | {"max_iter": whole("max_iter", max_iter), "random_state": random_state})


def params_of(config_text: str) -> dict[str, Any]:
    """The arguments of the estimator that these settings of the library came from."""
    settings = json.loads(config_text)
    params: dict[str, Any] = {name: settings[name] for name in (*WHOLE, *REAL, *SWITCHES)}
    for name in (*WORDS, "radius", "pca", "ball_radius", "draws", "random_state"):
        params[name] = settings[name]
    # a start that was given is not kept in a model
    params["init"] = settings["init"] if settings["init"] in CHOICES["init"] else "auto"
    for name, field in RULES.items():
        rule = settings[field]
        params[name] = None if rule == "learned" else rule["fixed"]
    return params


Progress = Callable[[str, int, "int | None", "float | None"], None]
