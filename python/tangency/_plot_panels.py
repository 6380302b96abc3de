"""Many pictures in one: methods side by side, images on a grid of the coordinates."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from . import _settings, _tangency
from ._drawing import canvas, draw_key, figure_size, marker, note, pyplot, rgba, scale, tidy
from ._paint import Floats, check_fitted, pair
from ._tangency import axis_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from ._comparison import Comparison
    from ._lllvm import LLLVM


def comparison(
    comparison: Comparison,
    colour: ArrayLike | None = None,
    *,
    n_columns: int | None = None,
    cmap: str | Colormap | None = None,
    size: float | None = None,
) -> Figure:
    """Draw the embeddings of all methods side by side, each turned onto the truth, or onto the first of them.

    A method that failed keeps its place and says why.

    Parameters
    ----------
    comparison : Comparison
        What `compare` returned.
    colour : array-like of shape (n,), optional
        What colours the points, as the labels of :func:`embedding`. Without it the labels, else the first coordinate of
        the truth, else that of the first method.
    n_columns : int, optional
        Panels beside each other. By default as even a grid as there is.
    cmap : str or Colormap, optional
        The colour map.
    size : float, optional
        The area of a marker in points². By default smaller for more points.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> plotting.comparison(tangency.compare(X, methods=["ll-lvm", "isomap", "pca"]))  # doctest: +SKIP
    """
    panels = comparison._panels
    if not comparison.embeddings:
        raise ValueError("no method found an embedding; look at the notes in comparison.records")
    if n_columns is not None and not n_columns >= 1:
        raise ValueError(f"n_columns is {n_columns}, which draws nothing; give 1 or more")
    paint = comparison._paint(colour)
    colours = rgba(paint, cmap)
    across = min(len(panels), n_columns or tidy(len(panels)))
    down = math.ceil(len(panels) / across)
    size_in_all = (2.6 * across + 1.2, 2.5 * down)
    figure, grid = pyplot().subplots(down, across, figsize=size_in_all, layout="constrained", squeeze=False)
    dots = 0.5 * marker(len(comparison.rows)) if size is None else size
    for axes, (name, words, places) in zip(grid.flat, panels, strict=False):
        axes.set_title(name, fontsize="medium", loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
        if len(places) == 0:
            axes.text(0.5, 0.5, words, ha="center", va="center", wrap=True, fontsize="small", transform=axes.transAxes)
            continue
        axes.scatter(places[:, 0], places[:, 1], s=dots, c=cast(Any, colours), linewidths=0)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(words, fontsize="x-small", color="0.35")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    if paint.values is None:
        draw_key(grid[0, -1], paint, cmap, own=True)
    else:
        figure.colorbar(scale(paint, cmap), ax=grid, label=paint.title or "colour")
    return cast("Figure", figure)


def reconstruction(
    model: LLLVM, grid: tuple[int, int] = (5, 5), shape: tuple[int, int] = (8, 8), *, ax: Axes | None = None
) -> Axes:
    """Draw the images that belong to a grid of latent coordinates.

    The grid goes from the least to the greatest value of the first two coordinates; others are held at the middle of
    their ranges. An image is pale where no training point is within a typical edge, because there it is a guess, and
    left out where none is within two. With one component there is one row of images. The command's
    ``plot --kind grid`` draws the same.

    Parameters
    ----------
    model : LLLVM
        A model fitted to images, one a row.
    grid : pair of int, default=(5, 5)
        Rows and columns of the grid.
    shape : pair of int, default=(8, 8)
        Height and width of an image.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.reconstruction(model, grid=(8, 8), shape=(28, 28))  # doctest: +SKIP
    """
    check_fitted(model)
    (rows, columns), (tall, wide) = pair("grid", grid), pair("shape", shape)
    if tall * wide != model.n_features_in_:
        found = f"shape {tall} × {wide} has {tall * wide} pixels but the model has {model.n_features_in_} features"
        raise ValueError(f"{found}; give the height and width of the images the model was fitted to")
    d_x = model.embedding_.shape[1]
    rows = rows if d_x > 1 else 1
    sizes = [columns, rows, *[1] * d_x][:d_x]
    places, values, _, known = _tangency.grid(model._native, sizes, _settings.threads(model.n_jobs))
    across = places[:columns, 0]  # the first coordinate runs fastest
    up = places[: rows * columns : columns, 1] if d_x > 1 else np.zeros(1)
    images = values.reshape(rows, columns, tall, wide)[::-1]  # the top row first
    pale = np.array([0.0, 0.6, 1.0])[known].reshape(rows, columns)[::-1]

    axes = canvas(ax, None, size=figure_size(columns * wide, rows * tall))
    step = np.array([_step(across), _step(up)])
    low = np.array([across[0], up[0]]) - 0.5 * step
    high = np.array([across[-1], up[-1]]) + 0.5 * step
    box = (low[0], high[0], low[1], high[1])
    pixels = images.transpose(0, 2, 1, 3).reshape(rows * tall, columns * wide)
    square = (step[0] / wide) / (step[1] / tall)
    axes.imshow(pixels, cmap="gray", extent=box, aspect=square, interpolation="nearest")
    veil = np.dstack([np.ones((rows, columns, 3)), pale])
    axes.imshow(veil, extent=box, aspect=square, interpolation="nearest")
    axes.vlines(low[0] + step[0] * np.arange(1, columns), low[1], high[1], colors="white", linewidth=1.5)
    axes.hlines(low[1] + step[1] * np.arange(1, rows), low[0], high[0], colors="white", linewidth=1.5)
    if pale.any():
        note(axes, "pale or empty: far from every point")
    axes.set_xlabel(axis_name(0))
    if d_x == 1:
        axes.set_yticks([])
    else:
        axes.set_ylabel(axis_name(1))
    return axes


def _step(ticks: Floats) -> float:
    """The size of a cell around each of them."""
    return float(ticks[1] - ticks[0]) if len(ticks) > 1 and ticks[1] > ticks[0] else 1.0
