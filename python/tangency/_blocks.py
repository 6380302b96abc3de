"""Tables that come in blocks: Dask arrays and Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._lllvm import LLLVM


def is_dask(X: Any) -> bool:
    """Whether this is a Dask array, without importing Dask."""
    return type(X).__module__.partition(".")[0] == "dask" and hasattr(X, "map_blocks") and hasattr(X, "rechunk")


def transform_dask(model: LLLVM, X: Any, return_std: bool) -> Any:
    """The coordinates of a Dask array of rows, not computed yet."""
    from dask.delayed import delayed

    if X.ndim != 2 or X.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X has {X.shape[1] if X.ndim == 2 else 'no'} features, but LLLVM is expecting {model.n_features_in_} features as input"
        )
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    d_x = model.embedding_.shape[1]
    # one copy of the model in the graph of tasks, not one a block
    shared = delayed(model, pure=True)
    both = X.map_blocks(_block, model=shared, dtype=np.float64, chunks=(X.chunks[0], (2 * d_x,)), meta=np.empty((0, 2 * d_x)))
    coordinates = both[:, :d_x]
    return (coordinates, both[:, d_x:]) if return_std else coordinates


def _block(rows: Any, model: LLLVM) -> Any:
    # blocks already run side by side
    threads, model.n_jobs = model.n_jobs, 1
    try:
        return np.hstack(model.transform(np.asarray(rows), return_std=True))
    finally:
        model.n_jobs = threads


def transform_batches(model: LLLVM, batches: Iterable[Any]) -> Iterator[Any]:
    """The coordinates of each batch."""
    for batch in batches:
        if type(batch).__module__.partition(".")[0] != "pyarrow":
            yield model.transform(batch)
            continue
        import pyarrow

        coordinates, deviations = model.transform(_arrow_rows(model, batch), return_std=True)
        d_x = coordinates.shape[1]
        columns = {f"x{a + 1}": coordinates[:, a] for a in range(d_x)}
        columns.update({f"sd{a + 1}": deviations[:, a] for a in range(d_x)})
        yield pyarrow.RecordBatch.from_pydict({name: np.ascontiguousarray(column) for name, column in columns.items()})


def _arrow_rows(model: LLLVM, batch: Any) -> Any:
    """The features of an Arrow batch: by name if the model has names, otherwise all columns."""
    names = list(getattr(model, "feature_names_in_", batch.schema.names))
    missing = [name for name in names if name not in batch.schema.names]
    if missing:
        raise ValueError(f"the batch has no column {missing[0]!r}, which the model was fitted with; its columns are {batch.schema.names}")
    rows = np.column_stack([np.asarray(batch.column(name), dtype=np.float64) for name in names])
    if hasattr(model, "feature_names_in_"):
        import pandas

        return pandas.DataFrame(rows, columns=names)
    return rows
