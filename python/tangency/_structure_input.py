"""What a user knows of the coordinates of rows: anchors, covariates, groups, labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _settings

Array = NDArray[np.float64]
Known = tuple[bool, list[str], Array, Array]
Groups = tuple[int, int, list[str], list[int | None]]


def known(anchors: Any, covariates: Any, deviations: Any, n: int, ids: list[str] | None) -> Known | None:
    """The values that go with the coordinates, NaN where nothing is known."""
    if anchors is None and covariates is None:
        if deviations is not None:
            raise ValueError("anchor_std was given, but anchors was not")
        return None
    if anchors is not None and covariates is not None:
        raise ValueError("anchors and covariates were both given; give one of them")
    name, given = ("anchors", anchors) if covariates is None else ("covariates", covariates)
    names, table = _table(name, given, n, ids)
    std = np.full(table.shape, np.nan)
    if deviations is not None:
        if anchors is None:
            raise ValueError("anchor_std was given, but anchors was not")
        if np.ndim(deviations) == 0:
            std[~np.isnan(table)] = float(deviations)
        else:
            wide = _table("anchor_std", deviations, n, ids)[1]
            std[:] = wide if wide.shape[1] == table.shape[1] else wide[:, :1]
    return anchors is not None, names, table, std


def _table(name: str, given: Any, n: int, ids: list[str] | None) -> tuple[list[str], Array]:
    """Names of the columns, and a row for each row of the table."""
    if isinstance(given, Mapping) and not hasattr(given, "columns"):
        return _of_dict(name, given, n, ids)
    columns = getattr(given, "columns", None)
    try:
        table = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"{name} has entries that are no numbers; use NaN where nothing is known") from None
    table = table[:, None] if table.ndim == 1 else table
    if table.ndim != 2 or len(table) != n:
        found = f"{name} has shape {np.shape(given)}, but X has {n} rows"
        raise ValueError(f"{found}; give a row for each, NaN where unknown")
    series = getattr(given, "name", None)
    if columns is not None:
        names = [str(column) for column in columns]
    else:
        names = [str(series)] if series is not None else [f"z{a + 1}" for a in range(table.shape[1])]
    return names, np.ascontiguousarray(table)


def _of_dict(name: str, given: Mapping[Any, Any], n: int, ids: list[str] | None) -> tuple[list[str], Array]:
    if not given:
        raise ValueError(f"{name} is an empty dict; give at least two rows")
    rows = {key: np.atleast_1d(np.asarray(value, dtype=float)) for key, value in given.items()}
    width = len(next(iter(rows.values())))
    table = np.full((n, width), np.nan)
    place = {} if ids is None else {text: row for row, text in enumerate(ids)}
    for key, value in rows.items():
        row = place.get(str(key)) if ids is not None and str(key) in place else key
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or not 0 <= row < n:
            raise ValueError(f"{name} names {key!r}, which is no row of X; use names or numbers of rows")
        if value.shape != (width,):
            found = f"{name} has {width} values for one row and {value.size} for another"
            raise ValueError(f"{found}; give as many for each")
        table[row] = value
    return [f"z{a + 1}" for a in range(width)], table


def groups(asked: Any, y: Any, n: int) -> tuple[Groups | None, NDArray[Any] | None]:
    """The groups that were asked for, with the classes of `y`; and these classes."""
    if asked is None:
        return None, None
    labels: list[int | None] = []
    classes = None
    if y is not None:
        classes, labels = _labels(y, n)
    if isinstance(asked, str):
        if asked != "classes":
            raise _settings.wrong("groups", asked, "a number, a pair of numbers, 'classes' or None")
        if classes is None:
            raise ValueError("groups='classes' needs the class of some rows; give y, with -1 where it is unknown")
        least = most = len(classes)
    elif isinstance(asked, (tuple, list)) and len(asked) == 2:
        least, most = (_settings.whole("groups", number, 1) for number in asked)
    else:
        least = most = _settings.whole("groups", asked, 1)
    names = [] if classes is None else [str(name) for name in classes]
    return (least, most, names, labels), classes


def _labels(y: Any, n: int) -> tuple[NDArray[Any], list[int | None]]:
    """Classes, and the number of that of each row; -1, an empty text, None or NaN is unknown."""
    cells = np.asarray(y, dtype=object).ravel()
    if len(cells) != n:
        raise ValueError(f"y has {len(cells)} labels, but X has {n} rows; give one for each, -1 where it is unknown")

    def unknown(cell: Any) -> bool:
        if cell is None or (isinstance(cell, str) and cell in ("", "-1")):
            return True
        return not isinstance(cell, str) and bool(cell != cell or cell == -1)

    there = [cell for cell in cells if not unknown(cell)]
    if not there:
        raise ValueError("y has no label that is known; give the class of some rows")
    classes = np.unique(np.asarray(there))
    place = {value: number for number, value in enumerate(classes.tolist())}
    plain = [cell.item() if isinstance(cell, np.generic) else cell for cell in cells]
    return classes, [None if unknown(cell) else place[cell] for cell in plain]
