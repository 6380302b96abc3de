"""Pictures of what a model says in numbers: its bound, a selection, loadings."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from . import _tangency
from ._drawing import canvas, draw_means, legend, note, whole_ticks
from ._paint import OKABE_ITO, check_fitted, class_colours, natural
from ._tangency import REACH, axis_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._lllvm import LLLVM
    from ._selection import Selection


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
    """Draw what ranks the settings that `select` tried: the log-density of rows held out, or the mean bound.

    Bars are the standard error of the difference to the likeliest, or the standard deviation over the seeds.

    It stands against `n_neighbors`, one line a dimension; against `n_components` if there was one number of
    neighbours; against the names of the graphs if they are not all neighbour graphs. A ring marks the best setting,
    hollow markers those that left the race before all fits were made.

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
    held_out = selection.by == "held-out"
    if held_out:
        most = max((row["held_out_rows"] or 0 for row in selection.summary), default=0)
        rows = [
            row | {"mean": row["held_out"], "std": row["held_out_error"], "raced": int(row["held_out_rows"] < most)}
            for row in selection.summary
            if row["held_out"] is not None
        ]
    if not rows:
        raise ValueError("the selection holds no fit to draw; print it for the reason")
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
    axes.set_ylabel("log-density held out (nats per row)" if held_out else "lower bound (nats), mean ± std")
    axes.grid(alpha=0.25)
    return axes


#: What the bars of loadings are, by the kind of their deviations.
DEVIATIONS = {
    "exact": "standard deviations at this point",
    "sampled": "standard deviations of the average",
    "independent": "standard deviations as if points were independent: too small",
    "limit": "times the most that the standard deviation can be",
}


def loadings(
    model: LLLVM,
    points: ArrayLike | None = None,
    *,
    ax: Axes | None = None,
    top: int = 12,
    standardised: bool = True,
) -> Axes:
    """Draw how much each feature changes along each coordinate, as bars that reach two standard deviations.

    The command's ``plot --kind loadings`` and the report draw the same numbers.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    points : array-like of int, optional
        The points whose maps are averaged; all without it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure without it.
    top : int, default=12
        How many features to draw: those that change most, in their own standard deviations, over the spread of any
        coordinate.
    standardised : bool, default=True
        Whether to draw the change over one standard deviation of the coordinate, in standard deviations of the feature;
        otherwise it is the change per unit of the coordinate, in the units of the table.

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
    # [d_y, d_x] each
    (mean, std, standard), order, deviations = _tangency.loadings(model._native, model._points(points))
    if standardised:
        mean, std = mean * standard, std * standard
    strongest = order[:top]
    names = model._native.feature_names
    d_x = mean.shape[1]
    axes = canvas(ax, None, size=(6.4, 1.3 + len(strongest) * (0.18 + 0.14 * d_x)))
    thickness = 0.8 / d_x
    for a in range(d_x):
        at = np.arange(len(strongest)) + (a - (d_x - 1) / 2) * thickness
        rule = {"ecolor": "0.25", "elinewidth": 1.0}
        bars = mean[strongest, a], REACH * std[strongest, a]
        colour, name = class_colours(d_x)[a], axis_name(a)
        axes.barh(at, bars[0], thickness, xerr=bars[1], color=colour, error_kw=rule, label=name)
    axes.set_yticks(range(len(strongest)), [names[f] for f in strongest])
    axes.set_ylim(len(strongest) - 0.4, -0.6)
    axes.axvline(0.0, color="0.25", linewidth=0.8)
    axes.grid(axis="x", alpha=0.25)
    axes.set_axisbelow(True)
    over = "standard deviation of the coordinate, in those of the feature" if standardised else "unit of the coordinate"
    axes.set_xlabel(f"change of the feature per {over}")
    note(axes, f"error bars: {REACH:g} {DEVIATIONS[deviations]}")
    if d_x > 1:
        legend(axes, own=ax is None)
    return axes
