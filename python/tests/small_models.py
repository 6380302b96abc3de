"""Models that take no time, whether two of them are the same, and tables that lie in memory as they like."""

from __future__ import annotations

import numpy as np

from tangency import LLLVM


def quick(**params):
    """An estimator for tests in which neither the end of the run nor the likelihood of the graph matters."""
    return LLLVM(**({"max_iter": 8, "init": "spectral", "graph_likelihood": False} | params))


def same(one, other):
    """Whether two models are the same to the last bit."""
    names = ("embedding_", "embedding_std_", "lower_bounds_", "maps_", "maps_std_", "edges_")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in names)


def spread_out(table):
    wide = np.full((2 * len(table), 2 * table.shape[1]), np.nan)
    wide[::2, ::2] = table
    return wide[::2, ::2]


def at_an_odd_address(table):
    table = np.asarray(table)
    room = np.zeros(table.nbytes + 1, dtype=np.uint8)[1:]
    moved = room.view(table.dtype).reshape(table.shape)
    moved[:] = table
    assert not moved.flags.aligned
    return moved
