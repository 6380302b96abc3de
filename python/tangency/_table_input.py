"""Tables that a user brings, checked; what is wrong with one is said in one sentence."""

from __future__ import annotations

import os
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, validate_data

from ._paint import is_missing

Array = NDArray[np.float64]


def checked(
    X: Any,
    model: Any = None,
    *,
    reset: bool = False,
    ensure_min_samples: int = 1,
    name: str = "X",
    may_miss: bool = False,
) -> Array:
    """A table of finite numbers, or with NaN for entries that `may_miss`, checked as scikit-learn does.

    If there is a model, the table must have the features that it was fitted to, or else `reset` them. `name` is the
    argument that holds it.
    """
    if isinstance(X, str | os.PathLike):
        raise ValueError(f"{name} is the text {os.fspath(X)!r}; give the table itself, as pandas.read_csv reads it")
    try:
        table = check_array(
            X,
            dtype=np.float64,
            input_name=name,
            estimator=model,
            ensure_min_samples=ensure_min_samples,
            ensure_all_finite=False,
        )
    except (TypeError, ValueError) as error:
        raise _in_a_sentence(error, name, X) from None
    refuse_missing(table, f"Input {name}", may_miss)
    if model is not None:
        validate_data(model, X, reset=reset, skip_check_array=True)
    return contiguous(table)


def _in_a_sentence(error: Exception, name: str, X: Any) -> Exception:
    """An error of scikit-learn's or NumPy's without the numbers or types it lists, with the columns it is about."""
    text = str(error)
    lines = text.splitlines()
    if text.startswith("Expected 2D array"):
        return ValueError(f"{lines[0].rstrip(':')}. {lines[-1]}")
    if text.startswith("Complex data not supported"):
        return ValueError("Complex data not supported; give real and imaginary parts as features of their own")
    if text.startswith("could not convert"):
        words = _of_no_numbers(X, name) or f"{name} does not hold only numbers ({text})"
        return ValueError(f"{words}; encode such features, or leave them out")
    found = _of_no_numbers(X, name)
    if found is None and "DType" in text:
        found = f"some columns of {name} do not hold numbers"
    if found is not None and "argument must be" in text:
        found = f"{found} ({text})"
    return error if found is None else type(error)(f"{found}; encode such features, or leave them out")


#: Columns that an error names at most.
MOST_NAMED = 5


def _of_no_numbers(X: Any, name: str) -> str | None:
    """Which columns of a data frame, or of an array of objects, are no numbers, with an entry of the first of them."""
    if hasattr(X, "columns") and hasattr(X, "shape"):
        frame = getattr(X, "iloc", X)
        columns = [(repr(column), frame[:, place]) for place, column in enumerate(X.columns)]
    elif isinstance(X, np.ndarray) and X.ndim == 2:
        columns = [(str(number), column) for number, column in enumerate(X.T)]
    else:
        return None
    found = [(called, entry) for called, column in columns if (entry := _no_number(column)) is not None]
    if not found:
        return None
    named = ", ".join(called for called, _ in found[:MOST_NAMED])
    more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
    word = "column" if len(found) == 1 else "columns"
    hold = "does not hold numbers, but" if len(found) == 1 else "do not hold numbers, but for instance"
    return f"{word} {named}{more} of {name} {hold} {found[0][1]}"


def _no_number(column: Any) -> str | None:
    """An entry of a column that is no number, if there is one."""
    values = np.asarray(column)
    if values.dtype.kind in "biuf":
        return None
    if values.dtype.kind in "mM":
        return "dates" if values.dtype.kind == "M" else "durations"
    for entry in values.tolist():
        try:
            float(entry)
        except (TypeError, ValueError):
            if not is_missing(entry):
                shown = repr(entry)
                return shown if len(shown) <= 40 else f"{shown[:40]}…"
    return None


def unnamed(features: int) -> list[str]:
    """Names of features where a table has none; the command uses the same."""
    return [f"c{number}" for number in range(1, features + 1)]


def names(X: Any, features: int) -> list[str]:
    """Names of the columns of a data frame, where all of them are text; otherwise those of a table without names."""
    columns = list(getattr(X, "columns", []))
    return columns if columns and all(isinstance(name, str) for name in columns) else unnamed(features)


def ids(X: Any) -> list[str] | None:
    """The names of the rows of a data frame of pandas, unless its index only counts them."""
    index: Any = getattr(X, "index", None)
    kind = type(index)
    if not hasattr(X, "columns") or not kind.__module__.startswith("pandas.") or kind.__name__ == "RangeIndex":
        return None
    return [", ".join(map(str, name)) if isinstance(name, tuple) else str(name) for name in index]


def coordinates(values: Any, name: str) -> Array:
    """A table of finite numbers; a single column may stand in one dimension."""
    return checked(np.asarray(values).reshape(-1, 1) if np.ndim(values) == 1 else values, name=name)


def classes(labels: Any, n: int) -> list[str]:
    """The classes of `n` points, at least two, as texts."""
    listed = np.asarray(labels, dtype=object).ravel().tolist() if np.ndim(labels) != 2 else None
    if listed is None or len(listed) != n:
        found = f"shape {np.shape(labels)}" if listed is None else f"{len(listed)} entries"
        raise ValueError(f"labels has {found} but there are {n} rows; give one a row")
    for place, label in enumerate(listed):
        if is_missing(label):
            raise ValueError(f"labels has no entry at {place}; leave out such rows, or call them a class of their own")
    words = [str(label) for label in listed]
    if len(set(words)) < 2:
        raise ValueError("all labels are the same; give labels of at least two classes, or none")
    return words


def refuse_missing(table: NDArray[Any], name: str, may_miss: bool = False) -> None:
    """Raises an error that names the first number that is missing, unless some may be, or infinite."""
    finite = ~np.isinf(table) if may_miss else np.isfinite(table)
    if finite.all():
        return
    missing = np.argwhere(~finite)
    kind = "NaN" if np.isnan(table[tuple(missing[0])]) else "infinity"
    place = ", ".join(map(str, missing[0]))
    raise ValueError(
        f"{name} contains {kind}, first at [{place}], {len(missing)} in all; fill in or drop such rows or features"
    )


def contiguous(table: Any) -> Array:
    """The same array, or a copy if it is contiguous in neither order or begins at an odd address."""
    array, flags = cast(Array, table), table.flags
    return array if flags.aligned and (flags.c_contiguous or flags.f_contiguous) else np.array(array, order="C")
