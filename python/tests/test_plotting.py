"""A picture shows what the fitted model says, for labels of every kind, and wrong input gets one clear sentence."""

from __future__ import annotations

import base64
import builtins
import inspect
import json
import re
import struct
import zlib

import numpy as np
import pytest
from drawn import of_kind

from tangency import LLLVM, _tangency, datasets, plotting, select

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.collections import EllipseCollection, LineCollection, PathCollection  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

N = 120

pytestmark = pytest.mark.usefixtures("no_figure_is_left")


@pytest.fixture(scope="module")
def rows():
    return datasets.make_s_curve(N, random_state=0)[0]


@pytest.fixture(scope="module")
def model(rows):
    return LLLVM(n_neighbors=8, max_iter=100).fit(rows)


@pytest.fixture(scope="module")
def line():
    return LLLVM(n_components=1, n_neighbors=4, max_iter=50).fit(datasets.make_helix(60)[0])


def legend_of(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def drawn(axes):
    axes.figure.canvas.draw()
    return axes


def test_points_stand_at_their_coordinates_with_equal_scales(model):
    axes = drawn(plotting.embedding(model))
    points = of_kind(axes, PathCollection)[0].get_offsets()
    np.testing.assert_allclose(points, model.embedding_)
    assert axes.get_aspect() == 1.0
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")


def test_ellipses_are_below_the_points_and_the_paler_the_more_they_hide_each_other(model):
    def strength(n_std):
        axes = plotting.embedding(model, n_std=n_std)
        ellipses, points = of_kind(axes, EllipseCollection)[0], of_kind(axes, PathCollection)[0]
        assert ellipses.get_zorder() < points.get_zorder() and points.get_facecolor()[0, 3] == 1.0
        return ellipses.get_facecolor()[0, 3]

    assert 0.15 >= strength(0.5) > strength(6.0) >= 0.02


def test_the_name_of_a_column_is_not_its_labels(model):
    with pytest.raises(ValueError, match=re.escape("labels is 'species'; give the labels themselves, one a point")):
        model.plot("species")


def test_a_colour_bar_says_what_it_shows(model):
    pandas = pytest.importorskip("pandas")
    for labels, name in ((np.arange(N), "label"), (pandas.Series(np.arange(N), name="depth"), "depth")):
        axes = plotting.embedding(model, labels)
        assert axes.figure.axes[-1].get_ylabel() == name


def test_ellipses_have_the_covariances_of_the_points(model):
    ellipses = of_kind(drawn(plotting.embedding(model, n_std=3.0)), EllipseCollection)[0]
    widths, heights = ellipses.get_widths() / 6.0, ellipses.get_heights() / 6.0
    angles = np.radians(ellipses.get_angles())
    assert len(widths) == N
    turned = np.moveaxis(np.array([[np.cos(angles), -np.sin(angles)], [np.sin(angles), np.cos(angles)]]), 2, 0)
    squares = np.array([np.diag([w**2, h**2]) for w, h in zip(widths, heights, strict=True)])
    expected = model.embedding_covariances_
    np.testing.assert_allclose(turned @ squares @ turned.transpose(0, 2, 1), expected, atol=1e-9 * expected.max())
    assert not of_kind(plotting.embedding(model, ellipses=False), EllipseCollection)


def test_ellipses_and_bars_reach_two_standard_deviations_everywhere(model):
    assert _tangency.REACH == inspect.signature(plotting.embedding).parameters["n_std"].default == 2.0
    axes = drawn(plotting.embedding(model))
    half = of_kind(axes, EllipseCollection)[0].get_widths() / 2.0
    longest = np.sqrt(np.linalg.eigvalsh(model.embedding_covariances_)[:, -1])
    np.testing.assert_allclose(half, 2.0 * longest)
    assert axes.get_title() == "ellipses: 2 standard deviations"


def test_every_edge_is_drawn_on_request(model):
    assert not of_kind(plotting.embedding(model), LineCollection)
    segments = of_kind(plotting.embedding(model, edges=True), LineCollection)[0].get_segments()
    i, j = model.edges_[0]
    assert len(segments) == len(model.edges_)
    np.testing.assert_allclose(segments[0], model.embedding_[[i, j]])


def test_numbers_get_a_colour_bar_and_words_a_legend(model, rows):
    axes = plotting.embedding(model, rows[:, 0])
    assert len(axes.figure.axes) == 2 and axes.get_legend() is None
    words = np.where(rows[:, 0] > 0, "right", "left")
    axes = plotting.embedding(model, words)
    assert len(axes.figure.axes) == 1 and legend_of(axes) == ["left", "right"]
    colours = of_kind(axes, PathCollection)[0].get_facecolors()
    assert {to_hex(colour) for colour in colours[words == "left"]} == {"#0072b2"}
    assert {to_hex(colour) for colour in colours[words == "right"]} == {"#e69f00"}


def test_pandas_labels_are_read(model):
    pandas = pytest.importorskip("pandas")
    names = ["b", "a", None] * (N // 3)
    series = pandas.Series(names, name="tissue", index=range(7, N + 7))
    axes = plotting.embedding(model, series)
    assert legend_of(axes) == ["a", "b", "no label"]
    assert axes.get_legend().get_title().get_text() == "tissue"
    kinds = pandas.Categorical(names, categories=["b", "unused", "a"])
    assert legend_of(plotting.embedding(model, kinds)) == ["b", "a", "no label"]
    assert legend_of(plotting.embedding(model, pandas.Series(kinds))) == ["b", "a", "no label"]
    counts = pandas.Series(pandas.array([1, 2, None] * (N // 3), dtype="Int64"))
    assert len(plotting.embedding(model, counts).figure.axes) == 2


@pytest.mark.parametrize("count", [8, 9, 20, 21, 100])
def test_classes_have_different_colours(model, count):
    axes = drawn(plotting.embedding(model, [f"class {i % count}" for i in range(N)]))
    colours = {to_hex(colour) for colour in of_kind(axes, PathCollection)[0].get_facecolors()}
    assert len(colours) == count
    entries = legend_of(axes)
    assert entries[2] == "class 2" and len(entries) <= 55
    assert entries[-1] == ("… and 46 more" if count == 100 else f"class {count - 1}")


def test_a_given_axes_is_used_and_keeps_its_figure(model):
    figure, (left, right) = plt.subplots(1, 2)
    assert plotting.embedding(model, ["a", "b"] * (N // 2), ax=left) is left
    assert plotting.bound(model, ax=right) is right
    assert plt.get_fignums() == [figure.number]


def test_shared_axes_can_be_drawn_on(model):
    _, axes = plt.subplots(1, 2, sharex=True, sharey=True)
    for ax in axes:
        drawn(plotting.embedding(model, ax=ax))


def test_one_component_stands_against_the_rows(line, model):
    axes = drawn(plotting.embedding(line, np.arange(60), edges=True))
    points = of_kind(axes, PathCollection)[0].get_offsets()
    np.testing.assert_allclose(points, np.column_stack([np.arange(60), line.embedding_[:, 0]]))
    bars = of_kind(axes, LineCollection)[-1].get_segments()
    lengths = [bar[1, 1] - bar[0, 1] for bar in bars]
    np.testing.assert_allclose(lengths, 4.0 * line.embedding_std_[:, 0])
    assert axes.get_xlabel() == "row"
    one = of_kind(plotting.embedding(model, components=(1,)), PathCollection)[0].get_offsets()
    np.testing.assert_allclose(one[:, 1], model.embedding_[:, 1])


def test_components_can_be_chosen(model):
    points = of_kind(plotting.embedding(model, components=(1, 0)), PathCollection)[0].get_offsets()
    np.testing.assert_allclose(points, model.embedding_[:, ::-1])


def test_the_bound_is_that_of_each_iteration(model):
    axes = plotting.bound(model)
    steps, bounds = axes.lines[0].get_data()
    np.testing.assert_array_equal(steps, np.arange(1, model.n_iter_ + 1))
    np.testing.assert_allclose(bounds, model.lower_bounds_)
    assert model.stop_reason_ in axes.get_title()


def test_selections_are_drawn_against_what_differs(rows):
    made = {"seeds": 2, "max_iter": 40, "race": False, "by": "bound"}
    by_neighbors = select(rows, n_neighbors=(7, 9), n_components=(2,), **made)
    axes = drawn(plotting.selection(by_neighbors))
    assert axes.get_xlabel() == "number of neighbours" and "2 components" in legend_of(axes)
    best = by_neighbors.best_
    ring = next(drawing for drawing in axes.lines if drawing.get_label() == "best")
    np.testing.assert_allclose([ring.get_xdata()[0], ring.get_ydata()[0]], [best["n_neighbors"], best["mean"]])


def test_rows_held_out_are_drawn_where_they_rank(rows):
    found = select(rows, n_neighbors=(7, 9), n_components=(2,), seeds=1, max_iter=10, init="isomap")
    assert found.by == "held-out"
    axes = drawn(plotting.selection(found))
    assert "held out" in axes.get_ylabel()
    ring = next(drawing for drawing in axes.lines if drawing.get_label() == "best")
    best = found.best_
    np.testing.assert_allclose([ring.get_xdata()[0], ring.get_ydata()[0]], [best["n_neighbors"], best["held_out"]])


def summary(graph, neighbors, dimension, mean, raced=0):
    row = {"graph": graph, "n_neighbors": neighbors, "n_components": dimension, "mean": mean, "std": None}
    return {**row, "raced": raced}


class Summaries:
    by = "bound"

    def __init__(self, *rows):
        self.summary = list(rows)


def test_selections_of_one_graph_or_of_named_graphs():
    one = Summaries(summary("knn 7", 7, 2, 9.0), summary("knn 7", 7, 1, 5.0, raced=1), summary("knn 7", 7, 3, None))
    axes = drawn(plotting.selection(one))
    assert axes.get_xlabel() == "number of components" and "left the race early" in legend_of(axes)
    named = Summaries(summary("graph 10", None, 2, 9.0), summary("graph 9", None, 2, 5.0))
    axes = drawn(plotting.selection(named))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["graph 9", "graph 10"]
    with pytest.raises(ValueError, match="no fit to draw"):
        plotting.selection(Summaries(summary("knn 7", 7, 2, None)))


def test_the_most_suspect_edges_are_drawn(model):
    from tangency import edge_scores

    worst = edge_scores(model)[:5]
    axes = drawn(plotting.edge_scores(model, top=5))
    lines = of_kind(axes, LineCollection)[0]
    np.testing.assert_allclose(lines.get_array()[::-1], worst["score"])
    np.testing.assert_allclose(lines.get_segments()[-1], model.embedding_[[worst["i"][0], worst["j"][0]]])


def test_loadings_are_bars_with_their_names():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(datasets.make_s_curve(N)[0], columns=["east", "up", "north"])
    named = LLLVM(n_neighbors=8, max_iter=30).fit(table)
    axes = drawn(plotting.loadings(named, [3, 4], top=2))
    names = [tick.get_text() for tick in axes.get_yticklabels()]
    assert len(names) == 2 and set(names) < {"east", "up", "north"}
    mean, std = named.loadings([3, 4])
    # over one standard deviation of the coordinate, in standard deviations of the feature
    standard = named.embedding_.std(axis=0) / table.to_numpy().std(axis=0)[:, None]
    strongest = [list(table.columns).index(name) for name in names]
    assert strongest == list(np.argsort(-np.abs(mean * standard).max(axis=1))[:2])
    bars = [patch.get_width() for patch in axes.patches]  # those of x1 first
    np.testing.assert_allclose(bars, (mean * standard)[strongest].T.ravel())
    reach = [half for bar in of_kind(axes, LineCollection) for half in np.ptp(bar.get_segments(), axis=1)[:, 0] / 2.0]
    np.testing.assert_allclose(reach, 2.0 * (std * standard)[strongest].T.ravel())
    assert legend_of(axes) == ["x1", "x2"]
    plain = drawn(plotting.loadings(named, [3, 4], top=2, standardised=False))
    np.testing.assert_allclose([patch.get_width() for patch in plain.patches], mean[strongest].T.ravel())


def test_new_rows_are_coloured_by_novelty(model, line, rows):
    new = np.vstack([rows[:4], [[9.0, 9.0, 9.0]]])
    axes = drawn(plotting.novelty(model, new))
    grey, coloured = of_kind(axes, PathCollection)
    assert len(grey.get_offsets()) == N
    np.testing.assert_allclose(coloured.get_array(), np.sort(model.novelty(new)))
    assert coloured.get_clim() == (0.0, 1.0)
    drawn(plotting.novelty(line, datasets.make_helix(9, random_state=2)[0]))


def test_images_stand_on_a_grid_from_end_to_end():
    pictures = np.random.default_rng(0).normal(size=(4, 12))
    truth = np.random.default_rng(1).uniform(size=(80, 4))
    images = LLLVM(n_neighbors=8, max_iter=300).fit(truth @ pictures)
    axes = drawn(plotting.reconstruction(images, grid=(2, 5), shape=(3, 4)))
    mosaic = axes.images[0].get_array()
    low, high = images.embedding_.min(axis=0), images.embedding_.max(axis=0)
    assert mosaic.shape == (6, 20)
    np.testing.assert_allclose(mosaic[:3, :4].ravel(), images.inverse_transform([[low[0], high[1]]])[0])
    np.testing.assert_allclose(mosaic[3:, 16:].ravel(), images.inverse_transform([[high[0], low[1]]])[0])
    # pale beyond one typical edge from every point, empty beyond two
    edges = images.embedding_[images.edges_.astype(int)]
    step = np.linalg.norm(edges[:, 0] - edges[:, 1], axis=1).mean()
    nodes = np.stack(np.meshgrid(np.linspace(low[0], high[0], 5), [high[1], low[1]]), axis=-1)
    far = np.linalg.norm(nodes[:, :, None] - images.embedding_, axis=-1).min(axis=2) / step
    np.testing.assert_allclose(axes.images[1].get_array()[:, :, 3], np.select([far <= 1, far <= 2], [0.0, 0.6], 1.0))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x1", "x2")
    with pytest.raises(ValueError, match="12 features"):
        plotting.reconstruction(images)


def decoded(page):
    data = json.loads(re.search(r'id="data">(.*?)</script>', page.html, re.S)[1])
    return data, [base64.b64decode(picture) for picture in data["pictures"]]


def pixels(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    wide, tall = struct.unpack(">II", png[16:24])
    at, body = 8, b""
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, content = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length]) == (zlib.crc32(kind + content),)
        body += content if kind == b"IDAT" else b""
        at += 12 + length
    return np.frombuffer(zlib.decompress(body), np.uint8).reshape(tall, wide + 1)[:, 1:]


def test_the_hover_page_holds_every_picture_and_no_address(model, tmp_path):
    images = np.random.default_rng(0).integers(0, 256, size=(N, 3, 5))
    images[0, 0, :2] = 0, 255
    page = plotting.hover(model, images, np.arange(N), title="all of them")
    data, pictures = decoded(page)
    np.testing.assert_array_equal([pixels(picture) for picture in pictures], images)
    assert page.html.count("<circle") == N == len(data["cards"])
    assert "http:" not in page.html and "https:" not in page.html and "src=" not in page.html
    assert data["cards"][7][0] == "label: 7" and data["cards"][7][1] == "row 7"
    x, deviation = model.embedding_[7, 0], model.embedding_std_[7, 0]
    assert data["cards"][7][2] == f"x1: {x:.4g} ± {deviation:.2g}"
    saved = page.save(tmp_path / "page.html")
    assert saved.read_text(encoding="utf-8") == page.html


def test_the_hover_page_calls_rows_by_the_index_of_the_frame(rows):
    pandas = pytest.importorskip("pandas")
    named = LLLVM(n_neighbors=8, max_iter=5).fit(pandas.DataFrame(rows, index=[f"site {i}" for i in range(N)]))
    assert decoded(plotting.hover(named, np.zeros((N, 4))))[0]["cards"][7][0] == "site 7"


def test_the_hover_page_escapes_what_it_is_given(model):
    evil = '</script><img src=x onerror="alert(1)">'
    page = plotting.hover(model, np.zeros((N, 4)), [evil, "$b"] * (N // 2), title=evil)
    assert evil not in page.html and "<img src=x" not in page.html
    assert decoded(page)[0]["cards"][0][0] == evil
    frame = page._repr_html_()
    assert frame.startswith("<iframe") and frame.count("<") == 2 and "sandbox" in frame


def test_rows_of_pixels_are_square_unless_a_shape_is_given(model, line):
    assert pixels(decoded(plotting.hover(model, np.zeros((N, 9))))[1][0]).shape == (3, 3)
    assert pixels(decoded(plotting.hover(model, np.zeros((N, 6)), shape=(2, 3)))[1][0]).shape == (2, 3)
    assert plotting.hover(line, np.zeros((60, 4)), [True, False] * 30).html.count("<circle") == 60


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda m: plotting.embedding(m, ["a"]), "labels has 1 entr.* 120 points; give one label"),
        (lambda m: plotting.embedding(m, np.zeros((N, 2))), "labels has shape"),
        (lambda m: plotting.embedding(m, components=(0, 2)), r"components is \(0, 2\).*2 components; give"),
        (lambda m: plotting.embedding(m, components=(1, 1)), "two different"),
        (lambda m: plotting.embedding(m, components=(0, 0.5)), "whole numbers"),
        (lambda m: plotting.embedding(m, n_std=0), "ellipses=False"),
        (lambda m: plotting.edge_scores(m, top=0), "top is 0"),
        (lambda m: plotting.loadings(m, top=0), "top is 0"),
        (lambda m: plotting.reconstruction(m), "64 pixels but the model has 3 features"),
        (lambda m: plotting.reconstruction(m, grid=(0, 2), shape=(1, 3)), "grid is"),
        (lambda m: plotting.hover(m, np.zeros((4, 8, 8))), "4 images but the model has 120 points"),
        (lambda m: plotting.hover(m, np.zeros((N, 8))), "no square; give shape"),
        (lambda m: plotting.hover(m, np.zeros((N, 8)), shape=(3, 3)), "9 pixels but an image has 8"),
        (lambda m: plotting.hover(m, np.zeros((N, 2, 2, 3))), "grey images"),
        (lambda m: plotting.hover(m, [["x"]] * N), "not numbers"),
        (lambda m: plotting.embedding(LLLVM()), "not fitted"),
    ],
)
def test_wrong_input_is_named(model, draw, words):
    with pytest.raises(ValueError, match=words):
        draw(model)
    assert plt.get_fignums() == [], "no empty figure is left behind"


def test_without_matplotlib_only_the_hover_page_is_made(model, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **named):
        if name.split(".")[0] == "matplotlib":
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"plotting needs matplotlib; install it with pip install 'tangency\[plot\]'"):
        plotting.embedding(model)
    page = plotting.hover(model, np.zeros((N, 4)), np.arange(N))
    monkeypatch.undo()
    assert page.html
