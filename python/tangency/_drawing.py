"""Marks, ellipses, edges, keys and frames for the figures of `plotting`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ._paint import GREY, Floats, Paint, axis_names, class_colours

if TYPE_CHECKING:
    from types import ModuleType

    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

LEGEND_ENTRIES = 54


def pyplot() -> ModuleType:
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("plotting needs matplotlib; install it with pip install 'tangency[plot]'") from error
    return plt


def canvas(
    ax: Axes | None, places: Floats | None, *, beside: bool = False, size: tuple[float, float] = (6.4, 4.4)
) -> Axes:
    """The given Axes, or those of a new figure with the proportions of the places."""
    plt = pyplot()
    if ax is not None:
        return ax
    if places is not None:
        finite = places[np.isfinite(places).all(axis=1)]
        span = np.ptp(finite, axis=0) if len(finite) else np.ones(2)
        size = figure_size(*np.maximum(span, 1e-12))
    figure, axes = plt.subplots(figsize=(size[0] + (1.2 if beside else 0.0), size[1]), layout="constrained")
    return cast("Axes", axes)


def figure_size(width: float, height: float) -> tuple[float, float]:
    """The size in inches of a figure whose contents have these proportions."""
    ratio = float(np.clip(height / width, 0.5, 1.6))
    side = 5.0 / max(1.0, ratio / 1.15)
    return side + 0.8, side * ratio + 0.7


def tidy(panels: int) -> int:
    """Panels beside each other so that few places are blank and rows are few."""

    def cost(columns: int) -> tuple[int, int]:
        rows = math.ceil(panels / columns)
        return columns * rows - panels + rows, abs(columns - rows)

    return panels if panels <= 4 else min((3, 4, 5), key=cost)


def marker(n: int) -> float:
    return float(np.clip(6000.0 / max(n, 1), 5.0, 28.0))


def warm() -> Colormap:
    """Yellow to dark red, without the colours that are lost on white."""
    from matplotlib import colormaps
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("warm", colormaps["YlOrRd"](np.linspace(0.25, 1.0, 64)))


def frame(axes: Axes, chosen: tuple[int, ...]) -> None:
    across, up = axis_names(chosen)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    if len(chosen) == 2:
        # Shared axes cannot give way, so there the box does
        groups = axes.get_shared_x_axes(), axes.get_shared_y_axes()
        shared = all(len(group.get_siblings(axes)) > 1 for group in groups)
        axes.set_aspect("equal", adjustable="box" if shared else "datalim")


def note(axes: Axes, text: str) -> None:
    axes.set_title(text, fontsize="small", color="0.35")


def whole_ticks(axes: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def draw_edges(axes: Axes, places: Floats, ends: NDArray[np.intp], **look: Any) -> Any:
    from matplotlib.collections import LineCollection

    lines = LineCollection(list(places[ends]), **{"zorder": 1, **look})
    axes.add_collection(lines)
    axes.autoscale_view()
    return lines


def draw_ellipses(axes: Axes, places: Floats, sizes: Floats, colours: Floats, n_std: float) -> int:
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
    # the more of them lie over each other, the paler is each: points must stand out from all of them together
    layers = max(1.0, float(np.pi * (reach[:, 0] * reach[:, 1]).sum() / max(np.prod(span), 1e-300)))
    look["facecolors"] = colours * [1.0, 1.0, 1.0, max(0.15 / layers**0.75, 0.02)]
    look["edgecolors"] = colours * [1.0, 1.0, 1.0, max(0.4 / layers**0.5, 0.08)]
    angles = sizes[drawn, 2]
    ellipses = EllipseCollection(2.0 * reach[:, 0], 2.0 * reach[:, 1], angles, linewidths=0.5, **look)
    axes.add_collection(ellipses, autolim=False)
    # Room for the ellipses, but no long one may push the points together
    room = np.minimum(reach[:, :1], 0.5 * span)
    axes.update_datalim(np.vstack([places - room, places + room]))
    axes.autoscale_view()
    return int(large.sum())


def check_reach(ellipses: bool, n_std: float) -> None:
    if ellipses and not (math.isfinite(n_std) and n_std > 0):
        raise ValueError(f"n_std is {n_std}, but ellipses need a positive number; leave them out with ellipses=False")


def draw_places(
    ax: Axes | None,
    places: Floats,
    chosen: tuple[int, ...],
    paint: Paint,
    *,
    spread: Floats | None,
    n_std: float,
    joined: NDArray[np.intp] | None,
    cmap: str | Colormap | None,
    size: float | None,
) -> Axes:
    """Points over their ellipses, or over bars where `spread` has one deviation a point, over edges."""
    axes = canvas(ax, places if len(chosen) == 2 else None, beside=paint.values is not None or bool(paint.names))
    colours = rgba(paint, cmap)
    size = marker(len(places)) if size is None else size
    if joined is not None:
        draw_edges(axes, places, joined, colors="0.6", linewidths=0.6, alpha=0.7)
    giants = 0
    if spread is not None and spread.ndim == 2:
        giants = draw_ellipses(axes, places, spread, colours, n_std)
    elif spread is not None:
        reach = n_std * spread
        axes.vlines(places[:, 0], places[:, 1] - reach, places[:, 1] + reach, colors=cast(Any, colours), alpha=0.3)
    axes.scatter(places[:, 0], places[:, 1], s=size, c=cast(Any, colours), edgecolors="0.25", linewidths=0.3, zorder=3)
    if spread is not None:
        what = "ellipses" if spread.ndim == 2 else "bars"
        beyond = f" ({giants} larger than the picture: not drawn)" if giants else ""
        note(axes, f"{what}: {n_std:g} standard deviation{'' if n_std == 1 else 's'}{beyond}")
    frame(axes, chosen)
    draw_key(axes, paint, cmap, own=ax is None)
    return axes


def draw_means(
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


def rgba(paint: Paint, cmap: str | Colormap | None) -> Floats:
    """The colour of each point. [n, 4]"""
    from matplotlib.colors import to_rgba_array

    if paint.values is not None:
        colours = scale(paint, cmap).to_rgba(paint.values)
        colours[~np.isfinite(paint.values)] = to_rgba_array(GREY)
        return np.asarray(colours)
    return to_rgba_array([*class_map(paint, cmap), GREY])[paint.codes]  # code −1 is the last


def scale(paint: Paint, cmap: str | Colormap | None) -> Any:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    return ScalarMappable(Normalize(*paint.ends()), cmap or "viridis")


def class_map(paint: Paint, cmap: str | Colormap | None) -> list[Any]:
    count = max(len(paint.names), 1)
    if cmap is None or not paint.names:
        return list(class_colours(count))
    from matplotlib import colormaps

    colours = colormaps[cmap] if isinstance(cmap, str) else cmap
    # A short list of colours is taken as it is, a continuous map at even steps
    return list(colours(np.arange(count)) if count <= colours.N <= 20 else colours(np.linspace(0.0, 1.0, count)))


def draw_key(axes: Axes, paint: Paint, cmap: str | Colormap | None, *, own: bool) -> None:
    if paint.values is not None:
        axes.figure.colorbar(scale(paint, cmap), ax=axes, label=paint.title or "label")
        return
    if not paint.names:
        return
    used = np.unique(paint.codes)
    entries = [(paint.names[c], colour) for c, colour in enumerate(class_map(paint, cmap)) if c in used]
    if used[0] < 0:
        entries.append(("no label", GREY))
    look: dict[str, Any] = {"linestyle": "", "marker": "o", "markersize": 6, "markeredgecolor": "0.25"}
    for name, colour in entries[:LEGEND_ENTRIES]:
        axes.plot([], [], color=colour, label=name, markeredgewidth=0.3, **look)
    if len(entries) > LEGEND_ENTRIES:
        axes.plot([], [], linestyle="", label=f"… and {len(entries) - LEGEND_ENTRIES} more")
    legend(axes, own=own, title=paint.title or None)


def legend(axes: Axes, *, own: bool, title: str | None = None) -> None:
    """A legend beside the Axes where the layout makes room for it, else inside them."""
    figure: Any = axes.figure
    fitting = figure.dpi_scale_trans.inverted().transform_bbox(axes.bbox).height / 0.2 - bool(title)
    columns = math.ceil(len(axes.get_legend_handles_labels()[1]) / max(fitting, 4))
    look: dict[str, Any] = {"fontsize": "small", "title": title, "title_fontsize": "small", "ncols": columns}
    if own or figure.get_layout_engine() is not None:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0, frameon=False, **look)
    else:
        axes.legend(loc="best", **look)
