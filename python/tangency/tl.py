"""For single-cell data in AnnData, as scanpy's tools are called."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ._anndata import check_anndata
from ._lllvm import LLLVM

__all__ = ["lllvm"]

#: Up to this many variables scanpy takes ``adata.X`` rather than principal components, unless asked otherwise.
SMALL = 50

#: Parameters of the estimator that make a graph.
OF_GRAPHS = ("n_neighbors", "graph", "metric", "symmetry", "radius", "neighbor_search")


def lllvm(
    adata: Any,
    n_components: int = 2,
    neighbors_key: str | None = None,
    use_rep: str | None = "X_pca",
    key_added: str = "X_lllvm",
    copy: bool = False,
    **settings: Any,
) -> Any:
    """Embeds cells on the neighbour graph that scanpy made.

    Parameters
    ----------
    adata : anndata.AnnData
        Annotated data, after ``scanpy.pp.neighbors``.
    n_components : int, default=2
        Number of coordinates.
    neighbors_key : str, default=None
        Where in ``adata.uns`` the neighbours are described; ``'neighbors'`` without it.
    use_rep : str, default='X_pca'
        Measurements to explain: a key of ``adata.obsm``, or ``'X'`` for ``adata.X``. None takes what the neighbours
        were found in.
    key_added : str, default='X_lllvm'
        Key of the result in ``adata.obsm``.
    copy : bool, default=False
        Whether to return a changed copy.
    **settings
        Other parameters of :class:`tangency.LLLVM`, except those about the graph.

    Returns
    -------
    anndata.AnnData or None
        The copy if `copy`, otherwise None; these fields are set:

        ``.obsm[key_added]``
            Coordinates.
        ``.obsm[key_added + '_std']``
            Their standard deviations.
        ``.obsm[key_added + '_cov']``
            Their covariances, those of a cell in one row; :func:`tangency.pl.lllvm` draws them as ellipses.
        ``.obsp[name + '_graph']``
            The graph as fitted, after joining of pieces and pruning.
        ``.uns[name]``
            Parameters, bound, hyper-parameters and engine, where `name` is `key_added` without ``'X_'``.

    Notes
    -----
    If the graph is in pieces, they are joined with a warning, unless ``connect=False``. With ``connect=False,
    largest=True`` only the largest is fitted, and the other cells are placed as new ones.
    """
    check_anndata(adata, "tangency.tl")
    for setting in OF_GRAPHS:
        if setting in settings:
            raise ValueError(f"{setting} has no place here: the graph is that of scanpy.pp.neighbors; change it there")
    adata = adata.copy() if copy else adata
    described = "neighbors" if neighbors_key is None else neighbors_key
    if described not in adata.uns:
        raise ValueError(f"adata.uns has no {described!r}; run scanpy.pp.neighbors first, or name neighbors_key")
    neighbors = adata.uns[described]
    connectivities = neighbors.get("connectivities_key", "connectivities")
    if connectivities not in adata.obsp:
        raise ValueError(
            f"adata.obsp has no {connectivities!r}, which adata.uns[{described!r}] names; run scanpy.pp.neighbors again"
        )
    rep, n_columns = (use_rep, None) if use_rep is not None else _found_in(adata, neighbors.get("params", {}))
    if rep != "X" and rep not in adata.obsm:
        raise ValueError(f"adata.obsm has no {rep!r}; run scanpy.pp.pca first, or name another as use_rep (or 'X')")
    table = adata.X if rep == "X" else adata.obsm[rep]
    table = np.asarray(table.toarray() if sparse.issparse(table) else table, dtype=np.float64)[:, :n_columns]
    model = LLLVM(n_components=n_components, **settings).fit(table, graph=adata.obsp[connectivities])
    coordinates, deviations = model.embedding_, model.embedding_std_
    if len(model.rows_) < adata.n_obs:
        coordinates, deviations = (np.asarray(part) for part in model.transform(table, return_std=True))
    # of cells that are placed as new ones only the deviations are known
    covariances = deviations[:, :, None] ** 2 * np.eye(deviations.shape[1])
    covariances[model.rows_] = model.embedding_covariances_
    name = key_added.removeprefix("X_")
    adata.obsm[key_added] = coordinates
    adata.obsm[f"{key_added}_std"] = deviations
    adata.obsm[f"{key_added}_cov"] = covariances.reshape(adata.n_obs, -1)
    adata.obsp[f"{name}_graph"] = _whole_graph(model, adata.n_obs)
    given = {key: value for key, value in model.get_params().items() if key not in OF_GRAPHS}
    params = {key: value for key, value in given.items() if isinstance(value, (bool, int, float, str))}
    adata.uns[name] = {
        "params": params | {"use_rep": rep, "neighbors_key": described},
        "lower_bound": model.lower_bound_,
        "lower_bounds": model.lower_bounds_,
        "hyperparameters": model.summary()["hyperparameters"],
        "stop_reason": model.stop_reason_,
        "engine": model.engine_,
        "graph_key": f"{name}_graph",
    }
    return adata if copy else None


def _found_in(adata: Any, params: Any) -> tuple[str, int | None]:
    """What scanpy found the neighbours in, and how many columns of it: small tables it takes as they are."""
    rep, n_pcs = params.get("use_rep"), params.get("n_pcs")
    if rep is None:
        rep = "X" if n_pcs == 0 or adata.n_vars <= SMALL else "X_pca"
    return str(rep), None if rep == "X" or n_pcs is None else int(n_pcs)


def _whole_graph(model: LLLVM, n: int) -> sparse.csr_matrix:
    """The graph among all cells, fitted or not; AnnData keeps matrices."""
    edges = model.rows_[model.edges_.astype(np.int64)]
    both = np.concatenate([edges, edges[:, ::-1]])
    return sparse.csr_matrix((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n, n))
