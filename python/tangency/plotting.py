"""Pictures of fitted models: embeddings with their uncertainty, bounds, edges, loadings, novelty, images.

Every function draws on `ax`, or on a new figure without one, and returns the Axes; only `comparison` returns a figure.
Matplotlib is imported when a function is called; `hover` needs none. Coordinates are called x1, x2, … and ellipses and
error bars reach two standard deviations, as in the command's figures and in the report.
"""

from __future__ import annotations

from ._hover import HoverPage, hover
from ._plot_panels import comparison, reconstruction
from ._plot_places import edge_scores, embedding, novelty
from ._plot_values import bound, loadings, selection

__all__ = [
    "HoverPage",
    "bound",
    "comparison",
    "edge_scores",
    "embedding",
    "hover",
    "loadings",
    "novelty",
    "reconstruction",
    "selection",
]
