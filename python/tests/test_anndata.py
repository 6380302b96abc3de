"""On AnnData the model takes scanpy's graph and leaves its results where scanpy's tools leave theirs."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn
from scipy import sparse

import tangency
from tangency import LLLVM, datasets

anndata = pytest.importorskip("anndata")
scanpy = pytest.importorskip("scanpy")

CELLS = 120

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # of scanpy and AnnData among themselves
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning"),
]


@pytest.fixture(scope="module")
def made():
    """Cells on a bent sheet, measured in sixty genes, with scanpy's principal components and neighbours."""
    sheet, truth = datasets.make_s_curve(CELLS)
    draw = np.random.default_rng(0)
    genes = sheet @ draw.normal(size=(3, 60)) + draw.normal(scale=0.02, size=(CELLS, 60))
    adata = anndata.AnnData(genes.astype(np.float32))
    adata.obs_names = [f"cell {number}" for number in range(CELLS)]
    adata.obs["time"] = truth[:, 0]
    scanpy.pp.pca(adata, n_comps=5)
    scanpy.pp.neighbors(adata, n_neighbors=8, use_rep="X_pca")
    return adata


@pytest.fixture
def adata(made):
    return made.copy()


def by_hand(adata, table, **settings):
    return LLLVM(**settings).fit(np.asarray(table, dtype=np.float64), graph=adata.obsp["connectivities"])


def test_the_results_are_where_scanpy_users_look_for_them(adata):
    assert tangency.tl.lllvm(adata, max_iter=30) is None
    model = by_hand(adata, adata.obsm["X_pca"], max_iter=30)
    np.testing.assert_array_equal(adata.obsm["X_lllvm"], model.embedding_)
    np.testing.assert_array_equal(adata.obsm["X_lllvm_std"], model.embedding_std_)
    graph = adata.obsp["lllvm_graph"]
    assert sparse.issparse(graph) and graph.shape == (CELLS, CELLS)
    assert (graph != sparse.csr_matrix(model.graph_)).nnz == 0
    assert ((graph != 0) != (adata.obsp["connectivities"] != 0)).nnz == 0
    told = adata.uns["lllvm"]
    assert told["lower_bound"] == model.lower_bound_ and told["stop_reason"] == model.stop_reason_
    np.testing.assert_array_equal(told["lower_bounds"], model.lower_bounds_)
    assert told["hyperparameters"] == {
        "alpha": model.alpha_,
        "gamma": model.gamma_,
        "lambda": model.lambda_,
        "nu": model.nu_,
        "heaviness": model.heaviness_,
    }
    assert told["graph_key"] == "lllvm_graph"
    assert {"use_rep": "X_pca", "neighbors_key": "neighbors", "max_iter": 30, "n_components": 2}.items() <= told[
        "params"
    ].items()
    assert "n_neighbors" not in told["params"]


def test_the_bend_is_unrolled(adata):
    tangency.tl.lllvm(adata)
    along = np.abs(np.corrcoef(adata.obsm["X_lllvm"][:, 0], adata.obs["time"])[0, 1])
    assert along > 0.95


def test_a_copy_leaves_the_original_alone(adata):
    other = tangency.tl.lllvm(adata, copy=True, max_iter=5)
    assert isinstance(other, anndata.AnnData) and "X_lllvm" in other.obsm
    assert "X_lllvm" not in adata.obsm and "lllvm" not in adata.uns and "lllvm_graph" not in adata.obsp


def test_keys_and_dimensions_may_be_chosen(adata):
    scanpy.pp.neighbors(adata, n_neighbors=12, use_rep="X_pca", key_added="wide")
    tangency.tl.lllvm(adata, 1, "wide", "X_pca", "X_time", max_iter=5)
    assert adata.obsm["X_time"].shape == (CELLS, 1) and adata.obsm["X_time_std"].shape == (CELLS, 1)
    assert ((adata.obsp["time_graph"] != 0) != (adata.obsp["wide_connectivities"] != 0)).nnz == 0
    assert adata.uns["time"]["params"]["neighbors_key"] == "wide"
    assert "X_lllvm" not in adata.obsm


@pytest.mark.parametrize("kind", ["dense", "csr", "csc"])
def test_the_table_itself_may_be_explained(adata, kind):
    dense = adata.X.copy()
    if kind != "dense":
        adata.X = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix}[kind](dense)
    tangency.tl.lllvm(adata, use_rep="X", max_iter=5)
    np.testing.assert_array_equal(adata.obsm["X_lllvm"], by_hand(adata, dense, max_iter=5).embedding_)
    assert adata.uns["lllvm"]["params"]["use_rep"] == "X"


def test_another_representation_may_be_explained(adata):
    adata.obsm["X_other"] = adata.X[:, :7] * 2
    tangency.tl.lllvm(adata, use_rep="X_other", max_iter=5)
    np.testing.assert_array_equal(adata.obsm["X_lllvm"], by_hand(adata, adata.obsm["X_other"], max_iter=5).embedding_)


@pytest.mark.filterwarnings("ignore:there are as many coordinates as features")
@pytest.mark.parametrize(
    ("asked", "genes", "rep", "columns"),
    [
        ({}, 60, "X_pca", 5),
        ({"n_pcs": 3}, 60, "X_pca", 3),
        ({"n_pcs": 0}, 60, "X", 60),
        ({}, 30, "X", 30),
        ({"n_pcs": 3}, 30, "X", 30),
        ({"use_rep": "X_pca"}, 30, "X_pca", 5),
        ({"use_rep": "X_pca", "n_pcs": 2}, 60, "X_pca", 2),
        ({"use_rep": "X"}, 60, "X", 60),
    ],
)
def test_without_a_word_it_explains_what_the_neighbours_were_found_in(adata, asked, genes, rep, columns):
    adata = adata[:, :genes].copy()
    scanpy.pp.neighbors(adata, n_neighbors=8, **asked)
    tangency.tl.lllvm(adata, use_rep=None, max_iter=3)
    table = (adata.X if rep == "X" else adata.obsm[rep])[:, :columns]
    np.testing.assert_array_equal(adata.obsm["X_lllvm"], by_hand(adata, table, max_iter=3).embedding_)
    assert adata.uns["lllvm"]["params"]["use_rep"] == rep


def test_the_results_outlive_a_file(adata, tmp_path):
    tangency.tl.lllvm(adata, max_iter=5, lam=1.0, nu=0.0)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.obsm["X_lllvm"], adata.obsm["X_lllvm"])
    assert (again.obsp["lllvm_graph"] != adata.obsp["lllvm_graph"]).nnz == 0
    kept, told = again.uns["lllvm"], adata.uns["lllvm"]
    assert (
        set(kept) == set(told)
        and kept["lower_bound"] == told["lower_bound"]
        and kept["stop_reason"] == told["stop_reason"]
    )
    assert kept["params"] == told["params"] and kept["params"]["lam"] == 1.0 and kept["params"]["connect"]
    np.testing.assert_array_equal(kept["lower_bounds"], told["lower_bounds"])
    # and what scanpy wrote is read from one too
    tangency.tl.lllvm(again, use_rep=None, key_added="X_again", max_iter=5, lam=1.0, nu=0.0)
    np.testing.assert_array_equal(again.obsm["X_again"], adata.obsm["X_lllvm"])


def test_scanpy_draws_it(adata):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    tangency.tl.lllvm(adata, max_iter=5)
    axes = scanpy.pl.embedding(adata, basis="lllvm", color="time", show=False)
    axes.figure.canvas.draw()
    assert axes.get_xlabel() == "lllvm1" and len(axes.collections[0].get_offsets()) == CELLS
    pyplot.close("all")


@pytest.fixture
def broken(adata):
    """Cells whose graph is in two pieces, of 90 and of 30 cells."""
    cut = adata.obsp["connectivities"].tolil()
    late = np.argsort(adata.obs["time"].to_numpy())[90:]
    early = np.setdiff1d(np.arange(CELLS), late)
    cut[np.ix_(early, late)] = 0
    cut[np.ix_(late, early)] = 0
    adata.obsp["connectivities"] = cut.tocsr()
    adata.obsp["connectivities"].eliminate_zeros()
    pieces = sparse.csgraph.connected_components(adata.obsp["connectivities"])[0]
    assert pieces == 2
    return adata, early


def test_pieces_of_the_graph_are_joined_with_a_warning(broken):
    adata, _ = broken
    with pytest.warns(UserWarning, match="added to join pieces of the graph"):
        tangency.tl.lllvm(adata, max_iter=5)
    extra = ((adata.obsp["lllvm_graph"] != 0).astype(int) - (adata.obsp["connectivities"] != 0).astype(int)).nnz
    assert extra == 2  # one bridge, both ways
    assert sparse.csgraph.connected_components(adata.obsp["lllvm_graph"])[0] == 1


def test_pieces_may_be_refused_or_all_but_the_largest_left_out(broken):
    adata, early = broken
    with pytest.raises(ValueError, match="the neighbour graph is in 2 pieces of 90, 30 points"):
        tangency.tl.lllvm(adata, max_iter=5, connect=False)
    assert "X_lllvm" not in adata.obsm
    with pytest.warns(UserWarning):
        tangency.tl.lllvm(adata, max_iter=5, connect=False, largest=True)
    assert adata.obsm["X_lllvm"].shape == adata.obsm["X_lllvm_std"].shape == (CELLS, 2)
    assert np.isfinite(adata.obsm["X_lllvm"]).all()
    fitted = np.unique(adata.obsp["lllvm_graph"].nonzero()[0])
    np.testing.assert_array_equal(fitted, np.sort(early))


def test_output_for_data_frames_does_not_disturb(adata):
    with sklearn.config_context(transform_output="pandas"):
        tangency.tl.lllvm(adata, max_iter=5)
    assert isinstance(adata.obsm["X_lllvm"], np.ndarray)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"neighbors_key": "wide"}, "adata.uns has no 'wide'; run scanpy.pp.neighbors first, or name neighbors_key"),
        ({"use_rep": "X_scvi"}, "adata.obsm has no 'X_scvi'; run scanpy.pp.pca first, or name another as use_rep"),
        ({"n_components": 6}, "n_components is 6, but the table has only"),
        ({"n_components": 0}, "n_components is 0; use a whole number, at least 1"),
        ({"n_neighbors": 5}, "n_neighbors has no place here: the graph is that of scanpy.pp.neighbors"),
        ({"graph": None}, "graph has no place here"),
    ],
)
def test_wrong_options_get_one_sentence(adata, options, sentence):
    before = sorted(adata.obsm)
    with pytest.raises(ValueError, match=sentence) as raised:
        tangency.tl.lllvm(adata, **options)
    assert "\n" not in str(raised.value) and sorted(adata.obsm) == before


def test_an_unknown_setting_is_an_error_of_type(adata):
    with pytest.raises(TypeError, match="neighbours"):
        tangency.tl.lllvm(adata, neighbours=5)


def test_what_is_not_there_is_named(adata):
    with pytest.raises(ValueError, match="adata is of type ndarray; give an AnnData"):
        tangency.tl.lllvm(adata.X)
    del adata.obsp["connectivities"]
    with pytest.raises(ValueError, match="adata.obsp has no 'connectivities', which adata.uns\\['neighbors'\\] names"):
        tangency.tl.lllvm(adata)
    with pytest.raises(ValueError, match="adata.uns has no 'neighbors'"):
        tangency.tl.lllvm(anndata.AnnData(np.zeros((5, 2))))


def test_measurements_may_be_missing_but_not_infinite(adata):
    adata.obsm["X_pca"][3, 1] = np.nan
    tangency.tl.lllvm(adata)
    assert np.isfinite(adata.obsm["X_lllvm"]).all()
    adata.obsm["X_pca"][3, 1] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        tangency.tl.lllvm(adata)
