"""Pictures of fitted models: embeddings with their uncertainty, bounds, edges, loadings, novelty, images.

Every function draws on `ax`, or on a new figure without one, and returns the Axes. Matplotlib is imported when a
function is called; `hover` needs none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._hover import (
    GREY,
    OKABE_ITO,
    Floats,
    Paint,
    axis_names,
    check_fitted,
    class_colours,
    hover,
    natural,
    pair,
    read_ellipses,
    read_labels,
    read_places,
)

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

    from ._lllvm import LLLVM
    from ._selection import Selection

__all__ = ["bound", "edge_scores", "embedding", "hover", "loadings", "novelty", "reconstruction", "selection"]

LEGEND_ENTRIES = 54


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
    axes = _canvas(ax, places if len(chosen) == 2 else None, beside=labels is not None)
    colours = _rgba(paint, cmap)
    size = _marker(len(places)) if size is None else size
    if edges:
        _draw_edges(axes, places, np.asarray(model.edges_, dtype=int), colors="0.6", linewidths=0.6, alpha=0.7)
    giants = 0
    if ellipses and len(chosen) == 2:
        giants = _draw_ellipses(axes, places, read_ellipses(model, chosen), colours, n_std)
    elif ellipses:
        reach = n_std * np.asarray(model.embedding_std_, dtype=float)[:, chosen[0]]
        axes.vlines(places[:, 0], places[:, 1] - reach, places[:, 1] + reach, colors=cast(Any, colours), alpha=0.45)
    axes.scatter(places[:, 0], places[:, 1], s=size, c=cast(Any, colours), edgecolors="0.25", linewidths=0.3, zorder=3)
    if ellipses:
        what = "ellipses" if len(chosen) == 2 else "bars"
        beyond = f" ({giants} larger than the picture: not drawn)" if giants else ""
        _note(axes, f"{what}: {n_std:g} standard deviation{'' if n_std == 1 else 's'}{beyond}")
    _frame(axes, chosen)
    _draw_key(axes, paint, cmap, own=ax is None)
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
    axes = _canvas(ax, None)
    steps = np.arange(1, len(bounds) + 1)
    axes.plot(steps, bounds, color=OKABE_ITO[0], marker="." if len(bounds) <= 40 else None)
    if len(bounds):
        axes.plot(steps[-1:], bounds[-1:], "o", color=OKABE_ITO[0])
        low, high = np.quantile(bounds, 0.1), bounds.max()
        if bounds.min() < low - 2.0 * (high - low) < low:
            axes.set_ylim(low - (high - low), high + 0.1 * (high - low))
        _note(axes, f"{model.stop_reason_}: {model.lower_bound_:.6g} nats")
    axes.set_xlabel("iteration")
    axes.set_ylabel("lower bound (nats)")
    _whole_ticks(axes)
    axes.grid(alpha=0.25)
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
    axes = _canvas(ax, None)
    dimensions = [row["n_components"] for row in rows]
    neighbors = [row["n_neighbors"] for row in rows]
    names = sorted({row["graph"] for row in rows}, key=natural)
    named = None in neighbors or len(set(neighbors)) < len(names)
    by_dimension = len(names) == 1 and len(set(dimensions)) > 1
    if by_dimension:
        across, series = dimensions, [None] * len(rows)
    else:
        across, series = [names.index(row["graph"]) for row in rows] if named else neighbors, dimensions
    _draw_means(axes, rows, across, series, line="" if named and not by_dimension else "-")
    if named and not by_dimension:
        turned = sum(map(len, names)) > 50
        axes.set_xticks(range(len(names)), names, rotation=30 if turned else 0, ha="right" if turned else "center")
        axes.set_xlim(-0.5, len(names) - 0.5)
        axes.set_xlabel("graph")
    else:
        axes.set_xlabel("number of components" if by_dimension else "number of neighbours")
        if len(rows) == 1:
            axes.set_xlim(across[0] - 1.5, across[0] + 1.5)
        _whole_ticks(axes)
    axes.set_ylabel("lower bound (nats), mean ± std")
    axes.grid(alpha=0.25)
    return axes


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
        raise ValueError(f"top is {top}, but at least one edge must be drawn; give 1 or more")
    places, chosen = read_places(model, (0, 1))
    from . import edge_scores as scores_of

    worst = scores_of(model)[:top][::-1]  # the most suspect is drawn last, on top of the others
    axes = _canvas(ax, places if len(chosen) == 2 else None, beside=True)
    axes.scatter(places[:, 0], places[:, 1], s=_marker(len(places)), c=GREY, linewidths=0)
    ends = np.column_stack([worst["i"], worst["j"]]).astype(int)
    drawn = _draw_edges(axes, places, ends, array=worst["score"], cmap=_warm(), linewidths=2.2, zorder=3)
    axes.figure.colorbar(drawn, ax=axes, label="score of the edge")
    _note(axes, f"the {len(worst)} most suspect of {len(model.edges_)} edges")
    _frame(axes, chosen)
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
        raise ValueError(f"top is {top}, but at least one feature must be drawn; give 1 or more")
    mean, std = (np.asarray(part, dtype=float) for part in model.loadings(points))  # [d_y, d_x] both
    spread = np.asarray(model.embedding_, dtype=float).std(axis=0)
    strength = np.abs(mean * spread).max(axis=1)
    strongest = np.argsort(-strength, kind="stable")[:top]
    names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{f}" for f in range(len(mean))])]
    d_x = mean.shape[1]
    axes = _canvas(ax, None, size=(6.4, 1.3 + len(strongest) * (0.18 + 0.14 * d_x)))
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
        _legend(axes, own=ax is None)
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
    axes = _canvas(ax, both if len(chosen) == 2 else None, beside=True)
    axes.scatter(places[:, 0], places[:, 1], s=_marker(len(places)), c=GREY, linewidths=0, alpha=0.6)
    order = np.argsort(strange, kind="stable")  # the strangest on top
    scale: dict[str, Any] = {"c": strange[order], "cmap": _warm(), "vmin": 0.0, "vmax": 1.0}
    size = max(2.0 * _marker(len(both)), 16.0)
    drawn = axes.scatter(new[order, 0], new[order, 1], s=size, edgecolors="0.2", linewidths=0.5, zorder=3, **scale)
    axes.figure.colorbar(drawn, ax=axes, label="novelty of the new rows")
    _frame(axes, chosen)
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

    axes = _canvas(ax, None, size=_box(columns * wide, rows * tall))
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


def _pyplot() -> ModuleType:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plotting needs matplotlib; install it with pip install 'tangency[plot]'") from error
    return plt


def _canvas(
    ax: Axes | None, places: Floats | None, *, beside: bool = False, size: tuple[float, float] = (6.4, 4.4)
) -> Axes:
    """The given Axes, or those of a new figure with the proportions of the places."""
    plt = _pyplot()
    if ax is not None:
        return ax
    if places is not None:
        finite = places[np.isfinite(places).all(axis=1)]
        span = np.ptp(finite, axis=0) if len(finite) else np.ones(2)
        size = _box(*np.maximum(span, 1e-12))
    figure, axes = plt.subplots(figsize=(size[0] + (1.2 if beside else 0.0), size[1]), layout="constrained")
    return cast("Axes", axes)


def _box(width: float, height: float) -> tuple[float, float]:
    """The size in inches of a figure whose contents have these proportions."""
    ratio = float(np.clip(height / width, 0.5, 1.6))
    side = 5.0 / max(1.0, ratio / 1.15)
    return side + 0.8, side * ratio + 0.7


def _marker(n: int) -> float:
    return float(np.clip(6000.0 / max(n, 1), 5.0, 28.0))


def _warm() -> Colormap:
    """Yellow to dark red, without the colours that are lost on white."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("warm", colormaps["YlOrRd"](np.linspace(0.25, 1.0, 64)))


def _frame(axes: Axes, chosen: tuple[int, ...]) -> None:
    across, up = axis_names(chosen)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    if len(chosen) == 2:
        # Shared axes cannot give way, so there the box does
        groups = axes.get_shared_x_axes(), axes.get_shared_y_axes()
        shared = all(len(group.get_siblings(axes)) > 1 for group in groups)
        axes.set_aspect("equal", adjustable="box" if shared else "datalim")


def _note(axes: Axes, text: str) -> None:
    axes.set_title(text, fontsize="small", color="0.35")


def _whole_ticks(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def _draw_edges(axes: Axes, places: Floats, ends: NDArray[np.intp], **look: Any) -> Any:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(places[ends]), **{"zorder": 1, **look})
    axes.add_collection(lines)
    axes.autoscale_view()
    return lines


def _draw_ellipses(axes: Axes, places: Floats, sizes: Floats, colours: Floats, n_std: float) -> int:
    """Draw the ellipses that fit into the picture, and return how many do not."""
    from matplotlib.collections import EllipseCollection

    known = np.isfinite(sizes).all(axis=1) & np.isfinite(places).all(axis=1)
    if not known.any():
        return 0
    span = np.ptp(places[known], axis=0)
    reach = n_std * sizes
    large = known & (reach[:, 0] > np.linalg.norm(span)) & (known.sum() > 1)
    drawn = known & ~large
    places, reach, colours = places[drawn], reach[drawn], colours[drawn]
    look: dict[str, Any] = {"units": "xy", "offsets": places, "offset_transform": axes.transData, "zorder": 2}
    look["facecolors"], look["edgecolors"] = colours * [1.0, 1.0, 1.0, 0.15], colours * [1.0, 1.0, 1.0, 0.5]
    angles = sizes[drawn, 2]
    ellipses = EllipseCollection(2.0 * reach[:, 0], 2.0 * reach[:, 1], angles, linewidths=0.5, **look)
    axes.add_collection(ellipses, autolim=False)
    # Room for the ellipses, but no long one may push the points together
    room = np.minimum(reach[:, :1], 0.5 * span)
    axes.update_datalim(np.vstack([places - room, places + room]))
    axes.autoscale_view()
    return int(large.sum())


def _draw_means(
    axes: Axes, rows: list[dict[str, Any]], across: Sequence[float], series: Sequence[int | None], *, line: str
) -> None:
    """Means with error bars, one colour a series; `rows` come best first."""
    mean = np.array([row["mean"] for row in rows], dtype=float)
    std = np.nan_to_num(np.array([row["std"] for row in rows], dtype=float))
    groups = sorted(set(series), key=lambda name: name or 0)
    for rank, (name, colour) in enumerate(zip(groups, class_colours(len(groups)), strict=False)):
        members = sorted((i for i in range(len(rows)) if series[i] == name), key=lambda i: across[i])
        aside = 0.0 if line else 0.12 * (rank - (len(groups) - 1) / 2)
        at = np.array([across[i] for i in members]) + aside
        label = None if name is None else f"{name} component{'' if name == 1 else 's'}"
        style: dict[str, Any] = {"color": colour, "capsize": 3, "linestyle": line, "label": label}
        axes.errorbar(at, mean[members], std[members], marker="o", **style)
        raced = [k for k, i in enumerate(members) if rows[i].get("raced")]
        axes.plot(at[raced], mean[members][raced], "o", color=colour, markerfacecolor="white", zorder=4)
        if 0 in members:
            best = members.index(0)
            ring: dict[str, Any] = {"markersize": 13, "markerfacecolor": "none", "color": "0.25"}
            axes.plot(at[best : best + 1], mean[:1], "o", label="best", zorder=5, linestyle="", **ring)
    if any(row.get("raced") for row in rows):
        axes.plot([], [], "o", color="0.4", markerfacecolor="white", label="left the race early")
    axes.legend(fontsize="small")


def _rgba(paint: Paint, cmap: str | Colormap | None) -> Floats:
    """The colour of each point. [n, 4]"""
    from matplotlib.colors import to_rgba_array

    if paint.values is not None:
        colours = _scale(paint, cmap).to_rgba(paint.values)
        colours[~np.isfinite(paint.values)] = to_rgba_array(GREY)
        return np.asarray(colours)
    return to_rgba_array([*_class_map(paint, cmap), GREY])[paint.codes]  # code −1 is the last


def _scale(paint: Paint, cmap: str | Colormap | None) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(*paint.ends()), cmap or "viridis")


def _class_map(paint: Paint, cmap: str | Colormap | None) -> list[Any]:
    count = max(len(paint.names), 1)
    if cmap is None or not paint.names:
        return list(class_colours(count))
    from matplotlib import colormaps

    colours = colormaps[cmap] if isinstance(cmap, str) else cmap
    # A short list of colours is taken as it is, a continuous map at even steps
    return list(colours(np.arange(count)) if count <= colours.N <= 20 else colours(np.linspace(0.0, 1.0, count)))


def _draw_key(axes: Axes, paint: Paint, cmap: str | Colormap | None, *, own: bool) -> None:
    if paint.values is not None:
        axes.figure.colorbar(_scale(paint, cmap), ax=axes, label=paint.title)
        return
    if not paint.names:
        return
    used = np.unique(paint.codes)
    entries = [(paint.names[c], colour) for c, colour in enumerate(_class_map(paint, cmap)) if c in used]
    if used[0] < 0:
        entries.append(("no label", GREY))
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 6, "markeredgecolor": "0.25"}
    for name, colour in entries[:LEGEND_ENTRIES]:
        axes.plot([], [], color=colour, label=name, markeredgewidth=0.3, **look)
    if len(entries) > LEGEND_ENTRIES:
        axes.plot([], [], linestyle="", label=f"… and {len(entries) - LEGEND_ENTRIES} more")
    _legend(axes, own=own, title=paint.title or None)


def _legend(axes: Axes, *, own: bool, title: str | None = None) -> None:
    """A legend beside the Axes where the layout makes room for it, else inside them."""
    figure: Any = axes.figure
    fitting = figure.dpi_scale_trans.inverted().transform_bbox(axes.bbox).height / 0.2 - bool(title)
    columns = math.ceil(len(axes.get_legend_handles_labels()[1]) / max(fitting, 4))
    look: dict[str, Any] = {"fontsize": "small", "title": title, "title_fontsize": "small", "ncols": columns}
    if own or figure.get_layout_engine() is not None:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, **look)
    else:
        axes.legend(loc="best", **look)
