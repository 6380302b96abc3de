"""Pictures of where points are: embeddings with their uncertainty, suspect edges, new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ._drawing import canvas, check_reach, draw_edges, draw_places, frame, marker, note, warm
from ._paint import GREY, read_ellipses, read_labels, read_places

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

    from ._lllvm import LLLVM


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
        Which components to draw, counted from 0: ``(0, 1)`` are called x1 and x2. A single one, ``(2,)``, is drawn
        against the order of the rows.
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
    check_reach(ellipses, n_std)
    places, chosen = read_places(model, components)
    paint = read_labels(labels, len(places))
    spread = None
    if ellipses and len(chosen) == 2:
        spread = read_ellipses(model, chosen)
    elif ellipses:
        spread = np.asarray(model.embedding_std_, dtype=float)[:, chosen[0]]
    joined = np.asarray(model.edges_, dtype=int) if edges else None
    return draw_places(ax, places, chosen, paint, spread=spread, n_std=n_std, joined=joined, cmap=cmap, size=size)


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

    scores = scores_of(model)
    worst = scores[:top][::-1]  # the most suspect is drawn last, on top of the others
    axes = canvas(ax, places if len(chosen) == 2 else None, beside=True)
    axes.scatter(places[:, 0], places[:, 1], s=marker(len(places)), c=GREY, linewidths=0)
    ends = np.column_stack([worst["i"], worst["j"]]).astype(int)
    drawn = draw_edges(axes, places, ends, array=worst["score"], cmap=warm(), linewidths=2.2, zorder=3)
    axes.figure.colorbar(drawn, ax=axes, label="score of the edge")
    stand_out = int(scores["suspect"].sum())
    found = f"{stand_out} stand{'s' if stand_out == 1 else ''} out" if stand_out else "none stands out"
    note(axes, f"the {len(worst)} most suspect of {len(scores)} edges: {found}")
    frame(axes, chosen)
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
