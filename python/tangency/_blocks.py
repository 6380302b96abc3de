"""Tables that come in blocks: Dask arrays and Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from . import _settings, _table_input
from ._progress import warn
from ._summary import counted

if TYPE_CHECKING:
    from ._lllvm import LLLVM

Array = NDArray[np.float64]


def is_dask(X: Any) -> bool:
    """Whether this is a Dask array, without importing Dask."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "map_blocks") and hasattr(X, "rechunk")


def transform_dask(model: LLLVM, X: Any, return_std: bool) -> Any:
    """The coordinates of a Dask array of rows, not computed yet."""
    from dask.delayed import delayed

    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead; give one row a sample")
    _check_features(model, X.shape[1])
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    d_x = model.embedding_.shape[1]
    # one copy of the model in the graph of tasks, not one per block
    shared = delayed(model, pure=True)
    chunks = (X.chunks[0], (2 * d_x,))
    both = X.map_blocks(_block, model=shared, dtype=np.float64, chunks=chunks, meta=np.empty((0, 2 * d_x)))
    coordinates = both[:, :d_x]
    return (coordinates, both[:, d_x:]) if return_std else coordinates


def _block(rows: Any, model: LLLVM) -> Array:
    # out of another process it may lie anywhere in a message; and blocks already run side by side
    return np.hstack(_placed(model, np.require(rows, requirements="A"), threads=1))


def transform_batches(model: LLLVM, batches: Iterable[Any]) -> Iterator[Any]:
    """The coordinates of each batch."""
    for batch in batches:
        if type(batch).__module__.partition(".")[0] != "pyarrow":
            yield model.transform(batch)
            continue
        import pyarrow

        coordinates, deviations = _placed(model, _arrow_rows(model, batch), _settings.threads(model.n_jobs))
        columns = {f"x{a + 1}": column.copy() for a, column in enumerate(coordinates.T)}
        columns.update({f"sd{a + 1}": column.copy() for a, column in enumerate(deviations.T)})
        yield pyarrow.RecordBatch.from_pydict(columns)


def _arrow_rows(model: LLLVM, batch: Any) -> Array:
    """The features of an Arrow batch: by name if the model has names, otherwise all columns."""
    names = list(getattr(model, "feature_names_in_", batch.schema.names))
    rows = np.empty((batch.num_rows, len(names)))
    for place, name in enumerate(names):
        if name not in batch.schema.names:
            there = ", ".join(map(repr, batch.schema.names))
            raise ValueError(
                f"the batch has no column {name!r}, which the model was fitted to; its columns are {there}"
            )
        column = batch.column(name)
        try:
            rows[:, place] = column
        except (TypeError, ValueError):
            raise ValueError(
                f"column {name!r} is of type {column.type}, not numbers; convert it, or leave it out"
            ) from None
    return rows


def _placed(model: LLLVM, rows: Array, threads: int) -> tuple[Array, Array]:
    """Coordinates and standard deviations of rows in the model's own order of features; there may be none."""
    _check_features(model, rows.shape[1])
    if not len(rows):
        nothing = np.empty((0, model.embedding_.shape[1]))
        return nothing, nothing
    table = _table_input.checked(rows, may_miss=model.missing != "error" and model._distances is None)
    if model._distances is not None:
        table = _table_input.contiguous(model._distances.place(table))
    coordinates, deviations, unsettled = model._native.transform(table, threads)
    if unsettled:
        text = f"{unsettled} of {counted(len(table), 'row')} had not come to rest; do not trust their coordinates"
        warn(text, ConvergenceWarning)
    return coordinates, deviations


def _check_features(model: LLLVM, number: int) -> None:
    expected = model.n_features_in_
    if number != expected:
        raise ValueError(f"X has {number} features, but LLLVM is expecting {expected} features as input")
