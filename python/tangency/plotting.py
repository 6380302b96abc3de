"""Pictures of fitted models: embeddings with their uncertainty, bounds, edges, loadings, novelty, images.

Every function draws on `ax`, or on a new figure without one, and returns the Axes; only `comparison` returns a figure.
Matplotlib is imported when a function is called; `hover` needs none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ._drawing import (
    canvas,
    draw_edges,
    draw_ellipses,
    draw_key,
    draw_means,
    figure_size,
    frame,
    legend,
    marker,
    note,
    pyplot,
    rgba,
    scale,
    tidy,
    warm,
    whole_ticks,
)
from ._hover import HoverPage, hover
from ._paint import (
    GREY,
    OKABE_ITO,
    check_fitted,
    class_colours,
    natural,
    pair,
    read_ellipses,
    read_labels,
    read_places,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure

    from ._compare import Comparison
    from ._lllvm import LLLVM
    from ._selection import Selection

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


def embedding(
    model: LLLVM,
    labels: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    n_std: float = 2.0,
    ellipses: bool = True,
    edges: bool = False,
    components: Sequence[int] = (0, 1),
    cmap: str | Colormap | None = None,
    size: float | None = None,
) -> Axes:
    """Draw the points in latent space, each with an ellipse that shows how sure its place is.

    With one component the coordinate is drawn against the order of the rows, with bars in place of ellipses. Ellipses
    larger than the picture are left out, and the line above it counts them.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    labels : array-like of shape (n,), optional
        What colours the points. Numbers get a colour bar; strings, booleans and pandas categories get one colour each
        and a legend. Give class numbers as strings (``y.astype(str)``) to draw them as classes. Missing labels are
        grey.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.
    n_std : float, default=2.0
        How many standard deviations the ellipses or bars reach.
    ellipses : bool, default=True
        Whether to draw them.
    edges : bool, default=False
        Whether to draw the edges of the neighbourhood graph.
    components : pair of int, default=(0, 1)
        Which components to draw, counted from 0. A single one, ``(2,)``, is drawn against the order of the rows.
    cmap : str or Colormap, optional
        The colour map of the labels.
    size : float, optional
        The area of a marker in points². By default smaller for more points.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.embedding(model, labels=y.astype(str))  # doctest: +SKIP
    """
    if ellipses and not (math.isfinite(n_std) and n_std > 0):
        raise ValueError(f"n_std is {n_std}, but ellipses need a positive number; leave them out with ellipses=False")
    places, chosen = read_places(model, components)
    paint = read_labels(labels, len(places))
    axes = canvas(ax, places if len(chosen) == 2 else None, beside=labels is not None)
    colours = rgba(paint, cmap)
    size = marker(len(places)) if size is None else size
    if edges:
        draw_edges(axes, places, np.asarray(model.edges_, dtype=int), colors="0.6", linewidths=0.6, alpha=0.7)
    giants = 0
    if ellipses and len(chosen) == 2:
        giants = draw_ellipses(axes, places, read_ellipses(model, chosen), colours, n_std)
    elif ellipses:
        reach = n_std * np.asarray(model.embedding_std_, dtype=float)[:, chosen[0]]
        axes.vlines(places[:, 0], places[:, 1] - reach, places[:, 1] + reach, colors=cast(Any, colours), alpha=0.45)
    axes.scatter(places[:, 0], places[:, 1], s=size, c=cast(Any, colours), edgecolors="0.25", linewidths=0.3, zorder=3)
    if ellipses:
        what = "ellipses" if len(chosen) == 2 else "bars"
        beyond = f" ({giants} larger than the picture: not drawn)" if giants else ""
        note(axes, f"{what}: {n_std:g} standard deviation{'' if n_std == 1 else 's'}{beyond}")
    frame(axes, chosen)
    draw_key(axes, paint, cmap, own=ax is None)
    return axes


def bound(model: LLLVM, *, ax: Axes | None = None) -> Axes:
    """Draw the lower bound against the iteration, and say why the fit stopped.

    First steps that lie far below the others are cut off, so that the last ones can be seen.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.bound(model)  # doctest: +SKIP
    """
    check_fitted(model)
    bounds = np.asarray(model.lower_bounds_, dtype=float)
    axes = canvas(ax, None)
    steps = np.arange(1, len(bounds) + 1)
    axes.plot(steps, bounds, color=OKABE_ITO[0], marker="." if len(bounds) <= 40 else None)
    if len(bounds):
        axes.plot(steps[-1:], bounds[-1:], "o", color=OKABE_ITO[0])
        low, high = np.quantile(bounds, 0.1), bounds.max()
        if bounds.min() < low - 2.0 * (high - low) < low:
            axes.set_ylim(low - (high - low), high + 0.1 * (high - low))
        note(axes, f"{model.stop_reason_}: {model.lower_bound_:.6g} nats")
    axes.set_xlabel("iteration")
    axes.set_ylabel("lower bound (nats)")
    whole_ticks(axes)
    axes.grid(alpha=0.25)
    axes.ticklabel_format(axis="y", useOffset=False)
    return axes


def selection(selection: Selection, *, ax: Axes | None = None) -> Axes:
    """Draw the mean bound of every setting that `select` tried, with its standard deviation over the seeds.

    The bound stands against `n_neighbors`, one line a dimension; against `n_components` if there was one number of
    neighbours; against the names of the graphs if they are not all neighbour graphs. A ring marks the best setting,
    hollow markers those that left the race before all seeds were run.

    Parameters
    ----------
    selection : Selection
        What `select` returned.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.selection(select(X, n_neighbors=range(4, 12)))  # doctest: +SKIP
    """
    rows = [row for row in selection.summary if row["mean"] is not None and math.isfinite(row["mean"])]
    if not rows:
        raise ValueError("the selection holds no fit with a bound; look at the messages in selection.cells")
    axes = canvas(ax, None)
    dimensions = [row["n_components"] for row in rows]
    neighbors = [row["n_neighbors"] for row in rows]
    names = sorted({row["graph"] for row in rows}, key=natural)
    named = None in neighbors or len(set(neighbors)) < len(names)
    by_dimension = len(names) == 1 and len(set(dimensions)) > 1
    if by_dimension:
        across, series = dimensions, [None] * len(rows)
    else:
        across, series = [names.index(row["graph"]) for row in rows] if named else neighbors, dimensions
    draw_means(axes, rows, across, series, line="" if named and not by_dimension else "-")
    if named and not by_dimension:
        turned = sum(map(len, names)) > 50
        axes.set_xticks(range(len(names)), names, rotation=30 if turned else 0, ha="right" if turned else "center")
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_xlabel("graph")
    else:
        axes.set_xlabel("number of components" if by_dimension else "number of neighbours")
        if len(rows) == 1:
            axes.set_xlim(across[0] - 1.5, across[0] + 1.5)
        whole_ticks(axes)
    axes.set_ylabel("lower bound (nats), mean ± std")
    axes.grid(alpha=0.25)
    return axes


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
    for axes, (name, told, places) in zip(grid.flat, panels, strict=False):
        axes.set_title(name, fontsize="medium", loc="left")
        axes.set_xticks([])
        axes.set_yticks([])
        if len(places) == 0:
            axes.text(0.5, 0.5, told, ha="center", va="center", wrap=True, fontsize="small", transform=axes.transAxes)
            continue
        axes.scatter(places[:, 0], places[:, 1], s=dots, c=cast(Any, colours), linewidths=0)
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(told, fontsize="x-small", color="0.35")
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    if paint.values is None:
        draw_key(grid[0, -1], paint, cmap, own=True)
    else:
        figure.colorbar(scale(paint, cmap), ax=grid, label=paint.title)
    return cast("Figure", figure)


def edge_scores(model: LLLVM, *, ax: Axes | None = None, top: int = 20) -> Axes:
    """Draw the edges that are most likely to be short circuits over the embedding, coloured by their score.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.
    top : int, default=20
        How many edges to draw, the most suspect first.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.edge_scores(model, top=5)  # doctest: +SKIP
    """
    if top < 1:
        raise ValueError(f"top is {top}, which draws nothing; give 1 or more")
    places, chosen = read_places(model, (0, 1))
    from . import edge_scores as scores_of

    worst = scores_of(model)[:top][::-1]  # the most suspect is drawn last, on top of the others
    axes = canvas(ax, places if len(chosen) == 2 else None, beside=True)
    axes.scatter(places[:, 0], places[:, 1], s=marker(len(places)), c=GREY, linewidths=0)
    ends = np.column_stack([worst["i"], worst["j"]]).astype(int)
    drawn = draw_edges(axes, places, ends, array=worst["score"], cmap=warm(), linewidths=2.2, zorder=3)
    axes.figure.colorbar(drawn, ax=axes, label="score of the edge")
    note(axes, f"the {len(worst)} most suspect of {len(model.edges_)} edges")
    frame(axes, chosen)
    return axes


def loadings(model: LLLVM, points: ArrayLike | None = None, *, ax: Axes | None = None, top: int = 12) -> Axes:
    """Draw how much each feature changes along each coordinate, as bars with their standard deviations.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    points : array-like of int, optional
        The points whose maps are averaged; all without it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.
    top : int, default=12
        How many features to draw: those that change most over the spread of any coordinate.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.loadings(model, points=[3, 4, 5])  # doctest: +SKIP
    """
    check_fitted(model)
    if top < 1:
        raise ValueError(f"top is {top}, which draws nothing; give 1 or more")
    mean, std = (np.asarray(part, dtype=float) for part in model.loadings(points))  # [d_y, d_x] both
    spread = np.asarray(model.embedding_, dtype=float).std(axis=0)
    strength = np.abs(mean * spread).max(axis=1)
    strongest = np.argsort(-strength, kind="stable")[:top]
    names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{f}" for f in range(len(mean))])]
    d_x = mean.shape[1]
    axes = canvas(ax, None, size=(6.4, 1.3 + len(strongest) * (0.18 + 0.14 * d_x)))
    thickness = 0.8 / d_x
    for a in range(d_x):
        at = np.arange(len(strongest)) + (a - (d_x - 1) / 2) * thickness
        rule = {"ecolor": "0.25", "elinewidth": 1.0}
        bars = mean[strongest, a], std[strongest, a]
        colour = class_colours(d_x)[a]
        axes.barh(at, bars[0], thickness, xerr=bars[1], color=colour, error_kw=rule, label=f"component {a}")
    axes.set_yticks(range(len(strongest)), [names[f] for f in strongest])
    axes.set_ylim(len(strongest) - 0.4, -0.6)
    axes.axvline(0.0, color="0.25", linewidth=0.8)
    axes.grid(axis="x", alpha=0.25)
    axes.set_axisbelow(True)
    axes.set_xlabel("change of the feature per unit of the coordinate, ± std")
    if d_x > 1:
        legend(axes, own=ax is None)
    return axes


def novelty(model: LLLVM, X: ArrayLike, *, ax: Axes | None = None) -> Axes:
    """Draw new rows over the embedding, coloured by their novelty: 1 is stranger than every training row.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    X : array-like of shape (m, d_y)
        The new rows.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> plotting.novelty(model, X_new)  # doctest: +SKIP
    """
    places, chosen = read_places(model, (0, 1))
    new = np.asarray(model.transform(X), dtype=float)[:, list(chosen)]
    strange = np.asarray(model.novelty(X), dtype=float)
    if len(chosen) == 1:
        new = np.column_stack([len(places) + np.arange(len(new)), new])
    both = np.vstack([places, new])
    axes = canvas(ax, both if len(chosen) == 2 else None, beside=True)
    axes.scatter(places[:, 0], places[:, 1], s=marker(len(places)), c=GREY, linewidths=0, alpha=0.6)
    order = np.argsort(strange, kind="stable")  # the strangest on top
    scale: dict[str, Any] = {"c": strange[order], "cmap": warm(), "vmin": 0.0, "vmax": 1.0}
    size = max(2.0 * marker(len(both)), 16.0)
    drawn = axes.scatter(new[order, 0], new[order, 1], s=size, edgecolors="0.2", linewidths=0.5, zorder=3, **scale)
    axes.figure.colorbar(drawn, ax=axes, label="novelty of the new rows")
    frame(axes, chosen)
    if len(chosen) == 1:
        axes.set_xlabel("row, the new ones last")
    return axes


def reconstruction(
    model: LLLVM, grid: tuple[int, int] = (5, 5), shape: tuple[int, int] = (8, 8), *, ax: Axes | None = None
) -> Axes:
    """Draw the images that belong to a grid of latent coordinates.

    The range of the first two components is cut into cells, and each shows the image at its centre; other components
    are held at their means. Cells without a training point are pale, because there the image is a guess. With one
    component there is one row of images.

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
    places, chosen = read_places(model, (0, 1))
    (rows, columns), (tall, wide) = pair("grid", grid), pair("shape", shape)
    if tall * wide != model.n_features_in_:
        found = f"shape {tall} × {wide} has {tall * wide} pixels but the model has {model.n_features_in_} features"
        raise ValueError(f"{found}; give the height and width of the images the model was fitted to")
    known = np.asarray(model.embedding_, dtype=float)
    if len(chosen) == 1:
        rows, places = 1, np.column_stack([known[:, 0], np.zeros(len(known))])
    low, high = places.min(axis=0), places.max(axis=0)
    high = np.where(high > low, high, low + 1.0)
    step = (high - low) / [columns, rows]
    across, up = (low[a] + step[a] * (np.arange(count) + 0.5) for a, count in enumerate((columns, rows)))
    at = np.tile(known.mean(axis=0), (rows * columns, 1))
    cells = np.column_stack([np.tile(across, rows), np.repeat(up[::-1], columns)])  # the top row first
    at[:, list(chosen)] = cells[:, : len(chosen)]
    images = np.asarray(model.inverse_transform(at), dtype=float).reshape(rows, columns, tall, wide)
    column, row = np.minimum((places - low) // step, [columns - 1, rows - 1]).astype(int).T
    empty = np.ones((rows, columns), dtype=bool)
    empty[rows - 1 - row, column] = False

    axes = canvas(ax, None, size=figure_size(columns * wide, rows * tall))
    box = (low[0], high[0], low[1], high[1])
    pixels = images.transpose(0, 2, 1, 3).reshape(rows * tall, columns * wide)
    square = (step[0] / wide) / (step[1] / tall)
    axes.imshow(pixels, cmap="gray", extent=box, aspect=square, interpolation="nearest")
    veil = np.ones((rows, columns, 4)) * [1.0, 1.0, 1.0, 0.6]
    veil[~empty, 3] = 0.0
    axes.imshow(veil, extent=box, aspect=square, interpolation="nearest")
    axes.vlines(low[0] + step[0] * np.arange(1, columns), low[1], high[1], colors="white", linewidth=1.5)
    axes.hlines(low[1] + step[1] * np.arange(1, rows), low[0], high[0], colors="white", linewidth=1.5)
    axes.set_xlabel(f"component {chosen[0]}")
    if len(chosen) == 1:
        axes.set_yticks([])
    else:
        axes.set_ylabel(f"component {chosen[1]}")
    return axes
