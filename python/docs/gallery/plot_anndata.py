"""
Cells in AnnData
================

``tangency.tl.lllvm`` works as scanpy's tools do: it reads the neighbour graph that ``scanpy.pp.neighbors`` made and
writes its result into the same object. The cells here are **synthetic**.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

import tangency

# %%
# Synthetic cells
# ---------------
#
# 240 cells on a sheet: each has a time and a position. 120 genes go on and off smoothly along both, and we count
# molecules.

rng = np.random.default_rng(0)
time, position = rng.random(240), rng.random(240)
peak_time, peak_position = rng.uniform(-0.2, 1.2, (2, 120))
apart = (time[:, None] - peak_time) ** 2 + 0.5 * (position[:, None] - peak_position) ** 2
activity = np.exp(-apart / 0.15)
counts = rng.poisson(0.5 + 25 * activity)
cells = anndata.AnnData(counts.astype(np.float32))
cells.obs["time"] = time
cells.obs["position"] = position
print(cells)

# %%
# Components and neighbours
# -------------------------
#
# With scanpy that is four calls. ``method="gauss"`` joins the same cells as the default and does not wait for UMAP
# to be compiled; LL-LVM only asks which cells are joined. Without scanpy we make the same fields by hand.

try:
    import scanpy

    scanpy.pp.normalize_total(cells, target_sum=1e4)
    scanpy.pp.log1p(cells)
    scanpy.pp.pca(cells, n_comps=10)
    scanpy.pp.neighbors(cells, n_neighbors=10, method="gauss")
except ImportError:
    from sklearn.decomposition import PCA
    from sklearn.neighbors import kneighbors_graph

    cells.X = np.log1p(cells.X / cells.X.sum(axis=1, keepdims=True) * 1e4)
    cells.obsm["X_pca"] = PCA(10, random_state=0).fit_transform(cells.X)
    distances = kneighbors_graph(cells.obsm["X_pca"], 9, mode="distance")
    cells.obsp["distances"] = distances
    joined = (distances + distances.T) > 0
    cells.obsp["connectivities"] = sparse.csr_matrix(joined.astype(float))
    cells.uns["neighbors"] = {
        "connectivities_key": "connectivities",
        "distances_key": "distances",
        "params": {"n_neighbors": 10, "method": "sklearn", "metric": "euclidean"},
    }
print(cells.obsp["connectivities"].nnz // 2, "edges")

# %%
# The embedding
# -------------

tangency.tl.lllvm(cells)
result = cells.uns["lllvm"]
print(f"{result['stop_reason']}, bound {result['lower_bound']:.1f} nats")
print(cells)

# %%
# ``.obsm["X_lllvm"]`` has the coordinates, ``.obsm["X_lllvm_std"]`` their standard deviations,
# ``.obsp["lllvm_graph"]`` the graph as it was fitted, and ``.uns["lllvm"]`` the parameters and the bound.
# ``tangency.pl.lllvm`` draws each cell with its ellipse; ``scanpy.pl.embedding(cells, "lllvm")`` works too.

tangency.pl.lllvm(cells, color=["time", "position"])
plt.show()

# %%
# The pictures show whether the coordinates follow what made the cells. An affine map explains this much of
# it:

inputs = np.column_stack([cells.obsm["X_lllvm"], np.ones(cells.n_obs)])
made_by = cells.obs[["time", "position"]].to_numpy()
rest = made_by - inputs @ np.linalg.lstsq(inputs, made_by, rcond=None)[0]
r2 = 1 - (rest**2).sum(axis=0) / ((made_by - made_by.mean(axis=0)) ** 2).sum(axis=0)
print(f"R²: time {r2[0]:.2f}, position {r2[1]:.2f}")

# %%
# When not to trust it
# --------------------
#
# The model wants one smooth sheet and one level of noise. Cells in clearly separate groups give a graph in pieces:
# bridges are then added with a warning, and distances across them are a guess. ``stop_reason`` must be
# ``converged``; ``collapsed`` means that the coordinates mean nothing. Memory grows with the square of the number of
# cells: take some thousand, and place the others with :meth:`tangency.LLLVM.transform`.
