"""The other parts of a page do what its reader does to them: every interaction, on sample pages, in Chromium."""

from __future__ import annotations

import numpy as np
import pytest
from driving import wait
from make_sample import numbers
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# ---- Explore.


@pytest.fixture
def digits(page, sample):
    return page.open(sample("digits"), "explore")


def test_the_reconstruction_follows_the_pointer(digits):
    digits.mouse(digits.at(5))
    first = digits.ask("reconstruction()")
    assert len(first["values"]) == 64 and not first["far"]
    painted = digits.pixels(digits.find("explore-picture"))
    # black to white over the values of the table, 0 to 16
    expected = np.clip(np.array(first["values"]).reshape(8, 8) / 16, 0, 1) * 255
    assert np.abs(painted[:, :, 0] - expected).max() <= 1
    digits.mouse(digits.at(300))
    assert digits.ask("reconstruction()")["values"] != first["values"]
    assert (digits.pixels(digits.find("explore-picture")) != painted).any()


def test_far_from_all_points_it_is_called_a_guess(digits):
    left, top, *_ = digits.box()
    digits.mouse((left + 5, top + 5))
    assert digits.ask("reconstruction()")["far"] and "guess" in digits.text("explore-far")


def test_far_from_all_points_curves_leave_the_axis_and_are_grey(page, sample):
    page.open(sample("five"), "explore")
    page.mouse(page.at(3))
    near = page.find("explore-curve").get_attribute("data-colour")
    for slider in ("place-x1", "place-x2", "place-x3", "place-x4", "place-x5"):
        page.focus(slider)
        page.keys(Keys.END)
    assert page.ask("reconstruction()")["far"] and page.find("explore-curve").get_attribute("data-colour") != near

    def leaves(curve):
        places = curve.find_elements(By.CSS_SELECTOR, "path")[1].get_attribute("d")[1:].split("L")
        top, height = float(curve.get_attribute("y")), float(curve.get_attribute("height"))
        heights = [float(place.split()[1]) for place in places]
        return min(heights) < top or max(heights) > top + height

    curves = page.all('[data-test="explore-curve"]')
    beyond = page.all('[data-test="explore-profile"] [data-beyond="true"]')
    assert beyond or any(map(leaves, curves))


def test_two_clicks_morph_from_one_point_to_the_other(digits, sample):
    first = digits.lonely(5)
    second = digits.lonely(first + 200)
    digits.press(first)
    digits.press(second)
    assert digits.ask("reconstruction()")["ends"] == 2
    digits.focus("morph")
    digits.keys(*[Keys.ARROW_RIGHT] * 5)
    assert digits.ask("reconstruction()")["morph"] == pytest.approx(0.05)
    digits.click("morph-play")
    wait(lambda: digits.ask("reconstruction()")["morph"] == 1, "the end of the way")
    x = numbers(digits.data(sample("digits"))["coordinates"])
    assert digits.ask("reconstruction()")["at"] == pytest.approx([float(v) for v in x[second]])
    digits.click("morph-clear")
    assert digits.ask("reconstruction()")["ends"] == 0


def test_a_card_shows_images_as_pictures(digits):
    digits.mouse(digits.at(digits.lonely(7)))
    assert digits.find("card").find_elements(By.CSS_SELECTOR, "canvas.picture")


def test_features_that_are_no_image_are_a_profile_and_each_coordinate_has_a_slider(page, sample):
    page.open(sample("five"), "explore")
    page.mouse(page.at(3))
    assert page.all('[data-test="explore-profile"] svg')
    assert len(page.all(".sliders input")) == 5
    before = page.ask("reconstruction()")["at"]
    page.focus("place-x4")
    page.keys(Keys.ARROW_RIGHT)
    after = page.ask("reconstruction()")["at"]
    assert after[3] > before[3] and after[:3] == before[:3]


def test_one_dimension_is_explored_along_the_strip(page, sample):
    page.open(sample("line"), "explore")
    x = numbers(page.data(sample("line"))["coordinates"])
    page.mouse(page.at(100))
    assert page.ask("reconstruction()")["at"][0] == pytest.approx(x[100, 0], abs=0.02)


def test_reconstruction_and_band_are_those_of_the_model(page, sample):
    data = page.data(sample("roll"))
    x, y, model = numbers(data["coordinates"]), numbers(data["features"]["values"]), data["model"]
    x, y = x.astype(float), y.astype(float)
    maps, variance = numbers(model["maps"]), numbers(model["map_variance"])
    page.open(sample("roll"), "explore")
    left, top, *_ = page.box()
    page.mouse((left + 400, top + 300))
    seen = page.ask("reconstruction()")
    at, k = np.array(seen["at"]), model["n_neighbors"]
    close = np.argsort(((x - at) ** 2).sum(1))[:k]
    expected = np.mean([y[j] + maps[j] @ (at - x[j]) for j in close], axis=0)
    shift, v = (at - x[close]).mean(0), variance[close].mean(0)
    total = 0.5 / (model["gamma"] * k) * (1 + 3 / k) + (shift**2 * v).sum()
    assert np.allclose(expected, seen["values"], rtol=1e-6)
    assert np.allclose(np.sqrt(total) * model["spread"] * np.array(model["scale"]), seen["deviations"], rtol=1e-6)


# ---- Loadings.


def test_loadings_are_of_all_points_of_one_of_a_new_row_or_of_the_selection(page, sample):
    page.open(sample("digits"), "loadings")
    assert "near the middle" in page.text("loadings-of") and "at this point" in page.text("loadings-bars")
    page.click("loadings-all")
    assert page.text("loadings-of").startswith("Average over all")
    assert len(page.all('[data-test="loadings-x1"] rect')) >= 6
    page.press(page.lonely(5, room=5))
    point = page.ask("picked()")
    assert page.text("loadings-of") == f"At point {point}."
    page.press(page.lonely(500, room=5))
    assert int(page.ask("picked()")) >= 500
    assert "nearest to the new row" in page.text("loadings-of")
    page.focus("canvas")
    page.keys(Keys.ESCAPE)
    page.click("legend-class")
    assert "of the selection" in page.text("loadings-of")


def test_arrows_show_tangents_at_a_point_or_of_one_feature_everywhere(page, sample):
    page.open(sample("digits"), "loadings")
    page.press(page.lonely(5, room=5))
    page.choose("arrows", "point")
    assert page.ask("arrowsShown") == 5
    page.choose("arrows", "20")
    assert page.ask("arrowsShown") > 20
    page.choose("arrows", "none")
    assert page.ask("arrowsShown") == 0


# ---- Graph.


@pytest.fixture
def graph(page, sample):
    return page.open(sample("roll"), "graph")


def test_edges_are_drawn_on_demand(graph, sample):
    count = len(numbers(graph.data(sample("roll"))["graph"]["edges"]))
    assert graph.ask("edgesShown") == 30
    graph.choose("edges-show", "all")
    assert graph.ask("edgesShown") == count
    graph.choose("edges-show", "none")
    assert graph.ask("edgesShown") == 0


def test_removing_an_edge_gives_the_command_and_the_edges_that_stay(graph, sample):
    edges = numbers(graph.data(sample("roll"))["graph"]["edges"])
    button = graph.all('[data-test="edge-list"] tbody button.small')[0]
    name = button.get_attribute("data-test")
    button.click()
    graph.settle()
    (gone,) = graph.ask("removedEdges()")
    assert graph.text("removed-count").startswith("1 edge removed")
    command = graph.text("refit-command")
    assert "--edges kept.csv" in command and command == graph.ask("refitCommand()")
    kept = [tuple(map(int, line.split(","))) for line in graph.download("save-edges", "kept.csv").split()[1:]]
    assert set(kept) == {tuple(map(int, edge)) for edge in edges} - {tuple(gone)}
    graph.click("copy-refit")
    wait(lambda: graph.text("copy-refit") == "Copied", "the button to say so")
    graph.find("search").send_keys(Keys.CONTROL, "v")
    assert graph.find("search").get_attribute("value") == command
    graph.click(name)
    assert graph.ask("removedEdges()") == []


def test_the_command_that_repeats_the_fit_can_be_copied(roll):
    roll.click("copy-command")
    wait(lambda: roll.text("copy-command") == "Copied", "the button to say so")
    roll.find("search").send_keys(Keys.CONTROL, "v")
    assert roll.find("search").get_attribute("value") == roll.text("command")


def test_a_graph_that_would_fall_apart_is_said_to(page, sample):
    page.open(sample("chain"), "graph")
    page.all('[data-test="edge-list"] tbody button.small')[0].click()
    page.settle()
    assert "fall into 2 pieces" in page.text("pieces")
    page.click("restore-all")
    assert page.ask("removedEdges()") == [] and not page.all('[data-test="pieces"]')


def test_an_edge_shows_its_evidence_in_the_list_and_on_the_map(graph):
    edge = graph.all('[data-test="edge-list"] tbody button.link')[0]
    i, j = (int(v) for v in edge.text.split(" – "))
    edge.click()
    graph.settle()
    shown = graph.rows("edge-detail")
    assert {"score", "resistance", "residual"} <= set(shown)
    assert shown["bound without it"] == "+38.00 ± 0.40 nats"
    assert "without" in graph.text("joint-tests")
    (x1, y1), (x2, y2) = graph.at(i), graph.at(j)
    graph.mouse((5, 5), ((x1 + x2) / 2, (y1 + y2) / 2), "down", "up")
    assert "score" in graph.text("edge-detail")


# ---- Evidence.


@pytest.fixture
def evidence(page, sample):
    return page.open(sample("roll"), "evidence")


def test_the_evidence_has_every_chart_and_they_are_linked(evidence):
    charts = ["bound", "parts", "gamma", "lambda", "nu", "alpha", "candidates"]
    for name in [*(f"chart-{chart}" for chart in charts), "heat", "comparisons"]:
        assert evidence.all(f'[data-test="{name}"]'), name
    left, top, *_ = evidence.box("chart-bound")
    evidence.mouse((left + 200, top + 200))
    assert "iteration" in evidence.text("chart-bound-readout")
    assert evidence.text("chart-bound-readout").split(":")[0] == evidence.text("chart-gamma-readout").split(":")[0]
    evidence.show("all-iterations")
    evidence.click("all-iterations")
    assert evidence.find("all-iterations").is_selected()


@pytest.mark.parametrize("width", [1280, 390])
def test_numbers_at_the_axes_are_whole(page, sample, width):
    page.size(width, 860)
    page.open(sample("line"), "evidence")
    ticks = page.run("""
        return ["bound", "gamma", "nu"].map((name) => document.querySelector(`[data-test="chart-${name}"]`))
          .map((svg) => [...svg.querySelectorAll(".tick")].map((tick) => {
            const [a, b] = [svg.getBoundingClientRect(), tick.getBoundingClientRect()];
            return [tick.textContent, b.left >= a.left && b.right <= a.right + 4];
          }))""")
    assert len(ticks) == 3
    for texts in ticks:
        assert all(inside for _, inside in texts), texts
        assert {"1", "2", "3"} <= {text for text, _ in texts}, texts


def test_comparisons_are_linked(evidence):
    evidence.show("compare-0")
    left, top, width, height = evidence.box("compare-1")
    found = None
    for step in range(0, int(width), 12):
        evidence.mouse((left + step, top + height * 0.35))
        found = evidence.ask("hovered()")
        if found:
            break
    assert found is not None and evidence.text("compare-point")
    middle = (left + width * 0.5, top + height * 0.6)
    evidence.mouse((left + 5, top + 5), "down", (left + 50, top + 50), middle, "up")
    count = evidence.ask("selectedCount")
    assert 0 < count < 400
    evidence.click("tab-map")
    assert evidence.text("selection-count").startswith(f"{count} points")


def test_comparisons_work_by_keys_alone(evidence):
    evidence.show("compare-1")
    evidence.focus("compare-1")
    evidence.keys(Keys.ARROW_RIGHT)
    first = evidence.ask("hovered()")
    assert first is not None and evidence.text("compare-point")
    evidence.keys(Keys.ARROW_RIGHT)
    second = evidence.ask("hovered()")
    assert second != first
    evidence.keys("n")
    assert evidence.ask("hovered()") not in (first, second)
    evidence.keys("p")
    assert evidence.ask("hovered()") == second
    evidence.keys(Keys.ESCAPE)
    assert evidence.ask("hovered()") is None
