"""Cells are drawn where the model put them, with its ellipses, in scanpy's colours."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from drawn import of_kind
from small_models import quick

import tangency
from tangency import datasets, plotting
from tangency._paint import ellipses_of

anndata = pytest.importorskip("anndata")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

CELLS = 120

pytestmark = [
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning", "ignore::DeprecationWarning"),
    pytest.mark.usefixtures("no_figure_is_left"),
]


@pytest.fixture(scope="module")
def model():
    return quick(n_neighbors=7).fit(datasets.make_s_curve(CELLS)[0])


@pytest.fixture
def adata(model):
    X, truth = datasets.make_s_curve(CELLS)
    cells = anndata.AnnData(X, var=pandas.DataFrame(index=["actb", "gapdh", "myc"]))
    cells.obs["time"] = truth[:, 0]
    cells.obs["side"] = pandas.Categorical(np.where(truth[:, 1] > np.median(truth[:, 1]), "left", "right"))
    cells.obsp["connectivities"] = model.graph_.tocsr()
    cells.uns["neighbors"] = {"connectivities_key": "connectivities", "params": {}}
    tangency.tl.lllvm(cells, use_rep="X", max_iter=8, init="spectral", graph_likelihood=False)
    return cells


def test_it_is_the_picture_of_the_model(model, adata):
    assert adata.obsm["X_lllvm_cov"].shape == (CELLS, 4)
    axes, plain = tangency.pl.lllvm(adata), plotting.embedding(model)
    for kind in (PathCollection, EllipseCollection):
        (one,), (other,) = of_kind(axes, kind), of_kind(plain, kind)
        np.testing.assert_allclose(one.get_offsets(), other.get_offsets())
    (one,), (other,) = of_kind(axes, EllipseCollection), of_kind(plain, EllipseCollection)
    np.testing.assert_allclose(one.get_widths(), other.get_widths(), rtol=1e-9)
    np.testing.assert_allclose(one.get_heights(), other.get_heights(), rtol=1e-9)
    turned = one.get_angles() - other.get_angles()
    np.testing.assert_allclose((turned + 90) % 180 - 90, 0.0, atol=1e-6)
    assert axes.get_title() == "ellipses: 2 standard deviations"


def test_colours_are_columns_or_genes_one_picture_each(adata):
    first, second, third = tangency.pl.lllvm(adata, color=["time", "side", "myc"], n_columns=2)
    assert first.figure is third.figure
    bars = [axes.get_ylabel() for axes in first.figure.axes]
    assert "time" in bars and "myc" in bars
    assert [text.get_text() for text in second.get_legend().get_texts()] == ["left", "right"]
    points = of_kind(third, PathCollection)[0].get_facecolors()
    assert (points[adata.X[:, 2].argmax()] == matplotlib.colormaps["viridis"](1.0)).all()


def test_classes_have_the_colours_that_scanpy_took(adata):
    adata.uns["side_colors"] = ["#ff0000", "#00aa00"]
    points = of_kind(tangency.pl.lllvm(adata, color="side"), PathCollection)[0].get_facecolors()
    assert [to_hex(colour) for colour in points] == [
        "#ff0000" if side == "left" else "#00aa00" for side in adata.obs["side"]
    ]


def test_edges_and_single_coordinates_are_drawn(adata):
    lines = of_kind(tangency.pl.lllvm(adata, edges=True), LineCollection)[0]
    assert len(lines.get_segments()) == adata.obsp["lllvm_graph"].nnz // 2
    assert tangency.pl.lllvm(adata, components=(1,)).get_ylabel() == "x2"


def test_many_cells_have_no_ellipses_unless_asked_for(adata, monkeypatch):
    monkeypatch.setattr("tangency.pl.MOST_ELLIPSES", CELLS - 1)
    assert not of_kind(tangency.pl.lllvm(adata), EllipseCollection)
    assert of_kind(tangency.pl.lllvm(adata, ellipses=True), EllipseCollection)
    assert not of_kind(tangency.pl.lllvm(adata, ellipses=False), EllipseCollection)


def test_without_covariances_ellipses_lie_along_the_axes(adata):
    del adata.obsm["X_lllvm_cov"]
    drawn = of_kind(tangency.pl.lllvm(adata, key="lllvm", n_std=1), EllipseCollection)[0]
    reach = np.sort(np.column_stack([drawn.get_widths(), drawn.get_heights()]) / 2, axis=1)
    np.testing.assert_allclose(reach, np.sort(adata.obsm["X_lllvm_std"], axis=1))


def test_ellipses_of_what_is_not_known_are_none():
    found = ellipses_of(np.array([[[4.0, 0.0], [0.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]]))
    np.testing.assert_allclose(found[0], [2.0, 1.0, found[0, 2]])
    assert found[0, 2] % 180 == 0 and np.isnan(found[1]).all()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"key": "X_umap"}, "adata.obsm has no 'X_umap'; run tangency.tl.lllvm first"),
        ({"color": "mood"}, "color is 'mood', which is no column of adata.obs and no gene"),
        ({"color": []}, "color is an empty list"),
        ({"n_std": 0}, "n_std is 0, but ellipses need a positive number"),
        ({"components": (0, 5)}, r"components is \(0, 5\) but the model has 2 components"),
    ],
)
def test_what_cannot_be_drawn_is_refused(adata, options, words):
    with pytest.raises(ValueError, match=words):
        tangency.pl.lllvm(adata, **options)


def test_what_is_missing_is_said(adata):
    _, axes = plt.subplots()
    with pytest.raises(ValueError, match="color names 2 pictures, but ax is one"):
        tangency.pl.lllvm(adata, color=["time", "side"], ax=axes)
    del adata.obsm["X_lllvm_std"], adata.obsp["lllvm_graph"]
    assert not of_kind(tangency.pl.lllvm(adata, ax=axes), EllipseCollection)
    with pytest.raises(ValueError, match="no 'X_lllvm_std', so there are no ellipses"):
        tangency.pl.lllvm(adata, ellipses=True)
    with pytest.raises(ValueError, match="no 'lllvm_graph', so there are no edges"):
        tangency.pl.lllvm(adata, edges=True)
    with pytest.raises(ValueError, match="adata is of type ndarray; give an AnnData"):
        tangency.pl.lllvm(np.zeros((3, 2)))
