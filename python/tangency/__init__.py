"""Bayesian manifold learning: coordinates, their uncertainty, and the evidence for graph and dimension.

The estimator is :class:`LLLVM`. :func:`select` compares graphs and dimensions; :func:`edge_scores`, :func:`test_edges`
and :func:`prune` judge the edges of a graph; :func:`report` makes a page to look at. :func:`embed` has the well-known
methods, and :func:`compare` puts them next to the model. Parts are imported when they are first used, so that ``import
tangency`` is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._tangency import __version__

if TYPE_CHECKING:
    from . import datasets, pl, plotting, quality, tl
    from ._compare import compare
    from ._comparison import Comparison
    from ._embed import Embedding, embed
    from ._evidence import EdgeTest, PruneResult, edge_scores, prune, test_edges
    from ._lllvm import LLLVM
    from ._loadings import Loadings
    from ._persistence import load
    from ._report import Report, report
    from ._selection import Selection, select

_HOMES = {
    "LLLVM": "_lllvm",
    "Loadings": "_loadings",
    "load": "_persistence",
    "Comparison": "_comparison",
    "compare": "_compare",
    "Embedding": "_embed",
    "embed": "_embed",
    "EdgeTest": "_evidence",
    "PruneResult": "_evidence",
    "edge_scores": "_evidence",
    "prune": "_evidence",
    "test_edges": "_evidence",
    "Report": "_report",
    "report": "_report",
    "Selection": "_selection",
    "select": "_selection",
}
_MODULES = ("datasets", "pl", "plotting", "quality", "tl")

__all__ = [
    "LLLVM",
    "Comparison",
    "EdgeTest",
    "Embedding",
    "Loadings",
    "PruneResult",
    "Report",
    "Selection",
    "__version__",
    "compare",
    "datasets",
    "edge_scores",
    "embed",
    "load",
    "pl",
    "plotting",
    "prune",
    "quality",
    "report",
    "select",
    "test_edges",
    "tl",
]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _HOMES:
        value = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
