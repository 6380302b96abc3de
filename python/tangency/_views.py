"""Groups of features: which they are, and rows that have only some of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _settings, _table_input

Array = NDArray[np.float64]
Views = list[tuple[str, list[int]]]


def given(views: Any, names: list[str]) -> Views:
    """The views as they were given, by numbers of their features; whether these make sense is the library's to say."""
    if views is None:
        return []
    if not isinstance(views, Mapping):
        raise _settings.wrong("views", views, "a dict of names and features")
    return [(str(name), _features(str(name), features, names)) for name, features in views.items()]


def _features(view: str, features: Any, names: list[str]) -> list[int]:
    if isinstance(features, slice):
        if isinstance(features.start, str) or isinstance(features.stop, str):
            first = 0 if features.start is None else _one(view, features.start, names)
            last = len(names) - 1 if features.stop is None else _one(view, features.stop, names)
            return list(range(first, last + 1))  # both ends, as in pandas
        return list(range(*features.indices(len(names))))
    if isinstance(features, (str, int, np.integer)):
        return [_one(view, features, names)]
    array = np.asarray(features)
    if array.dtype == bool:
        if array.shape != (len(names),):
            found = f"the view {view!r} has {array.size} entries of True and False"
            raise ValueError(f"{found}, but there are {len(names)} features; give one for each")
        return [int(f) for f in np.flatnonzero(array)]
    return sorted(_one(view, feature, names) for feature in array.ravel().tolist())


def _one(view: str, feature: Any, names: list[str]) -> int:
    if isinstance(feature, str):
        if feature not in names:
            found = f"the view {view!r} names {feature!r}, which is no feature"
            raise ValueError(f"{found}; use names or numbers of features")
        return names.index(feature)
    number = _settings.whole(f"a feature of the view {view!r}", feature, -len(names), len(names) - 1)
    return number % len(names)


def widened(X: Any, views: Views, names: list[str]) -> Any:
    """A dict of views, or a data frame that lacks some of them, as a table of all features with NaN in the others."""
    if isinstance(X, Mapping) and views:
        return _of_dict(X, dict(views), len(names))
    columns = getattr(X, "columns", None)
    if not views or columns is None or not hasattr(X, "to_numpy"):
        return X
    there = {str(column): place for place, column in enumerate(columns)}
    lacks = {f for f, name in enumerate(names) if name not in there}
    whole = {f for _, features in views if lacks.issuperset(features) for f in features}
    if not lacks or lacks != whole or len(lacks) == len(names):
        return X
    known = [f for f in range(len(names)) if f not in lacks]
    table = _table_input.checked(X[[columns[there[names[f]]] for f in known]], may_miss=True)
    made = np.full((len(table), len(names)), np.nan)
    made[:, known] = table
    return made


def _of_dict(X: Mapping[Any, Any], views: dict[str, list[int]], d_y: int) -> Array:
    if not X:
        raise ValueError("X is an empty dict; give at least one view")
    made = None
    for name, part in X.items():
        if name not in views:
            raise ValueError(f"X has a view {name!r}, but those of the model are {', '.join(map(repr, views))}")
        table = _table_input.checked(part, name=f"X[{name!r}]", may_miss=True)
        if table.shape[1] != len(views[name]):
            raise ValueError(f"X[{name!r}] has {table.shape[1]} features, but the view has {len(views[name])}")
        if made is None:
            made = np.full((len(table), d_y), np.nan)
        if len(table) != len(made):
            raise ValueError(f"X[{name!r}] has {len(table)} rows, but another view has {len(made)}; give the same rows")
        made[:, views[name]] = table
    assert made is not None
    return made
