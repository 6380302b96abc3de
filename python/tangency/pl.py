"""Pictures of single-cell data in AnnData, as scanpy's are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from scipy import sparse

from ._anndata import check_anndata
from ._drawing import check_reach, draw_places, figure_size, pyplot, tidy
from ._paint import Floats, choose_places, ellipses_of, read_labels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

__all__ = ["lllvm"]

#: Up to this many cells ellipses are drawn unless asked otherwise: more hide each other.
MOST_ELLIPSES = 3000


def lllvm(
    adata: Any,
    color: str | Sequence[str] | None = None,
    *,
    key: str = "X_lllvm",
    components: Sequence[int] = (0, 1),
    ellipses: bool | None = None,
    n_std: float = 2.0,
    edges: bool = False,
    layer: str | None = None,
    cmap: str | Colormap | None = None,
    size: float | None = None,
    n_columns: int | None = None,
    ax: Axes | None = None,
) -> Any:
    """Draws cells where :func:`tangency.tl.lllvm` put them, each with an ellipse that shows how sure its place is.

    Parameters
    ----------
    adata : anndata.AnnData
        Annotated data, after :func:`tangency.tl.lllvm`.
    color : str or list of str, default=None
        Columns of ``adata.obs``, or genes, one picture each. Classes have the colours of ``adata.uns[color +
        '_colors']`` where scanpy left some there.
    key : str, default='X_lllvm'
        Where in ``adata.obsm`` the coordinates are.
    components : pair of int, default=(0, 1)
        Which coordinates are drawn, counted from 0; a single one is drawn against the order of the cells.
    ellipses : bool, default=None
        Whether ellipses are drawn; None does so for up to 3000 cells.
    n_std : float, default=2.0
        How many standard deviations they reach.
    edges : bool, default=False
        Whether the edges of the graph are drawn.
    layer : str, default=None
        Layer from which genes are read; ``adata.X`` without it.
    cmap : str or Colormap, default=None
        The colour map.
    size : float, default=None
        The area of a marker in points². By default smaller for more cells.
    n_columns : int, default=None
        Pictures beside each other. By default as even a grid as there is.
    ax : matplotlib Axes, default=None
        Where one picture is drawn; a new figure without it.

    Returns
    -------
    matplotlib.axes.Axes, or a list of them if `color` is a list
    """
    check_anndata(adata, "tangency.pl")
    key = key if key in adata.obsm or f"X_{key}" not in adata.obsm else f"X_{key}"
    if key not in adata.obsm:
        raise ValueError(f"adata.obsm has no {key!r}; run tangency.tl.lllvm first, or name another as key")
    places, chosen = choose_places(adata.obsm[key], components)
    drawn = adata.n_obs <= MOST_ELLIPSES if ellipses is None else ellipses
    check_reach(drawn, n_std)
    spread = _spread(adata, key, chosen, wanted=ellipses is True) if drawn else None
    joined = _joined(adata, key) if edges else None
    colours = [color] if color is None or isinstance(color, str) else list(color)
    if not colours:
        raise ValueError("color is an empty list; name at least one column or gene, or leave it out")
    if ax is not None and len(colours) > 1:
        raise ValueError(f"color names {len(colours)} pictures, but ax is one; leave ax out, or give one color")
    paints = [_paint(adata, name, layer) for name in colours]
    panels: list[Any] = [ax]
    if len(colours) > 1:
        span = np.maximum(np.nanmax(places, axis=0) - np.nanmin(places, axis=0), 1e-12)
        width, height = figure_size(*(span if len(chosen) == 2 else (1.4, 1.0)))
        across = min(len(colours), n_columns or tidy(len(colours)))
        down = -(-len(colours) // across)
        whole = ((0.8 * width + 1.2) * across, (0.8 * height + 0.3) * down)
        _, grid = pyplot().subplots(down, across, figsize=whole, layout="constrained", squeeze=False)
        panels = list(grid.flat[: len(colours)])
        for axes in grid.flat[len(colours) :]:
            axes.set_axis_off()
    made = [
        draw_places(
            panel, places, chosen, paint, spread=spread, n_std=n_std, joined=joined, cmap=cmap or own, size=size
        )
        for panel, (paint, own) in zip(panels, paints, strict=True)
    ]
    return made[0] if color is None or isinstance(color, str) else made


def _spread(adata: Any, key: str, chosen: tuple[int, ...], *, wanted: bool) -> Floats | None:
    """Ellipses of all cells, or deviations of one coordinate; along the axes where covariances are not kept."""
    if f"{key}_std" not in adata.obsm:
        if wanted:
            raise ValueError(f"adata.obsm has no {key + '_std'!r}, so there are no ellipses; run tangency.tl.lllvm")
        return None
    deviations = np.asarray(adata.obsm[f"{key}_std"], dtype=float)
    if len(chosen) == 1:
        return cast(Floats, deviations[:, chosen[0]])
    d = deviations.shape[1]
    whole = adata.obsm.get(f"{key}_cov")
    covariances = deviations[:, :, None] ** 2 * np.eye(d) if whole is None else np.asarray(whole).reshape(-1, d, d)
    return ellipses_of(covariances[:, chosen][:, :, chosen])


def _joined(adata: Any, key: str) -> Any:
    name = f"{key.removeprefix('X_')}_graph"
    if name not in adata.obsp:
        raise ValueError(f"adata.obsp has no {name!r}, so there are no edges to draw; run tangency.tl.lllvm")
    return np.column_stack(sparse.triu(adata.obsp[name]).nonzero())


def _paint(adata: Any, name: str | None, layer: str | None) -> tuple[Any, Any]:
    """What colours the cells, and the colours that scanpy took for its classes."""
    if name is None:
        return read_labels(None, adata.n_obs), None
    if name in adata.obs:
        labels = adata.obs[name]
    elif name in adata.var_names:
        labels = adata.obs_vector(name, layer=layer)
    else:
        raise ValueError(f"color is {name!r}, which is no column of adata.obs and no gene; name one of them")
    paint = read_labels(labels, adata.n_obs)
    paint.title = name
    kept = adata.uns.get(f"{name}_colors")
    if kept is None or paint.values is not None or len(kept) < len(paint.names):
        return paint, None
    from matplotlib.colors import ListedColormap

    return paint, ListedColormap(list(kept)[: len(paint.names)])
