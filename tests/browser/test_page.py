"""The page of a report does what its reader does to it: every interaction, on sample pages, in Chromium."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from driving import NARROW, TABS, Page, wait
from make_sample import numbers
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SAMPLES = ["roll", "digits", "space", "line", "five", "hostile", "bare", "chain"]


@pytest.fixture
def roll(page, sample):
    return page.open(sample("roll"))


def near(place, wanted, room=2):
    return all(abs(a - b) <= room for a, b in zip(place, wanted, strict=True))


# ---- The watch itself.


def test_an_error_and_a_request_would_be_noticed(driver, downloads, tmp_path):
    file = tmp_path / "bad.html"
    file.write_text("<!doctype html><img src='http://127.0.0.1:9/x.png'><script>console.error('oh')</script>")
    page = Page(driver, downloads)
    page.address = file.as_uri()
    driver.get(page.address)
    wait(lambda: len(page.trouble()) >= 2 and page.asked, "the request")
    assert any("oh" in line for line in page.logged)
    assert page.asked == ["http://127.0.0.1:9/x.png"]


@pytest.mark.parametrize("name", SAMPLES)
def test_every_part_opens_without_an_error_and_without_a_request(page, sample, name):
    page.open(sample(name))
    for tab in [*TABS, "map"]:
        page.click(f"tab-{tab}")
        assert page.ask("tab") == tab
        if tab != "evidence":
            page.mouse(page.at(3))
    assert not page.all('[data-test="failed"]')
    assert page.trouble() == []


def test_a_page_may_not_ask_for_anything_even_if_it_tried(page, sample):
    page.open(sample("roll"))
    page.driver.execute_async_script(
        "const done = arguments[0]; fetch('http://127.0.0.1:9/').catch(() => done()).then(() => done())"
    )
    page.trouble()
    assert page.asked == []
    assert page.logged and all("Content Security Policy" in line for line in page.logged)
    page.logged.clear()


# ---- Map.


def test_hovering_shows_who_a_point_is_where_and_what_was_measured(roll):
    assert roll.ask("pointsDrawn") == 400
    row = roll.lonely(17)
    roll.mouse(roll.at(row))
    assert roll.ask("hovered()") == str(row) == roll.text("card-id")
    shown = roll.rows("card")
    assert "±" in shown["x1"] and "±" in shown["x2"]
    assert {"novelty", "density", "y1", "y2", "y3"} <= set(shown)


def test_the_card_goes_when_the_pointer_leaves(roll):
    roll.mouse(roll.at(roll.lonely()))
    assert roll.find("card").is_displayed()
    roll.mouse((3, 3))
    assert not roll.find("card").is_displayed()


def test_the_wheel_zooms_about_the_pointer_and_ellipses_appear(roll):
    row = roll.lonely(17)
    before, place = roll.ask("view"), roll.at(row)
    roll.wheel(*place, -400)
    assert roll.ask("view")["scale"] > before["scale"] * 1.3
    assert near(roll.at(row), place)
    for _ in range(3):
        roll.wheel(*place, -500)
    assert roll.ask("ellipsesShown") > 0


def test_ellipses_can_be_always_or_never(roll):
    assert roll.ask("ellipsesShown") == 0
    roll.choose("ellipses", "always")
    assert roll.ask("ellipsesShown") == 400
    roll.choose("ellipses", "never")
    for _ in range(5):
        roll.click("zoom-in")
    assert roll.ask("ellipsesShown") == 0


def test_dragging_pans(roll):
    left, top, *_ = roll.box()
    x, y = roll.at(17)
    roll.mouse((left + 300, top + 300), "down", (left + 340, top + 320), (left + 360, top + 340), "up")
    assert near(roll.at(17), (x + 60, y + 40))


def test_everything_comes_back_by_button_and_by_double_click(roll):
    left, top, *_ = roll.box()
    roll.click("zoom-in")
    assert roll.ask("view")["zoom"] > 1.2
    roll.click("zoom-reset")
    assert roll.ask("view")["zoom"] == 1 and roll.ask("pointsDrawn") == 400
    roll.click("zoom-out")
    assert roll.ask("view")["zoom"] < 1
    roll.mouse((left + 30, top + 500))
    ActionChains(roll.driver).double_click().perform()
    roll.settle()
    assert roll.ask("view")["zoom"] == 1


# ---- Selection.


def test_a_box_selects_what_is_in_it_and_the_rest_turns_grey(roll):
    left, top, width, height = roll.box()
    roll.click("mode-box")
    roll.mouse((left + 2, top + 2), "down", (left + 200, top + 300), (left + width / 2, top + height - 3), "up")
    across = roll.places()[:, 0] - (left + width / 2)
    chosen = roll.ask("selectedIds()")
    assert 0 < len(chosen) < 400
    assert {str(row) for row in np.flatnonzero(across < -1)} <= set(chosen)
    assert not {str(row) for row in np.flatnonzero(across > 1)} & set(chosen)
    assert roll.text("selection-count").startswith(f"{len(chosen)} points of 400")
    listed = [line.text.split()[0] for line in roll.all('[data-test="selection-rows"] tbody tr')]
    assert listed == chosen[: len(listed)] and len(listed) == 40
    other = int(np.argmax(across))
    (grey,) = roll.colours(other)
    roll.click("clear")
    assert roll.ask("selectedCount") == 0
    (bright,) = roll.colours(other)
    assert np.ptp(grey[:3]) < 40 < np.ptp(bright[:3])


def test_the_selection_is_saved_as_csv_that_reads_back(roll, sample):
    left, top, width, height = roll.box()
    roll.click("mode-box")
    roll.mouse((left + 2, top + 2), "down", (left + 200, top + 300), (left + width / 2, top + height - 3), "up")
    rows = list(csv.DictReader(io.StringIO(roll.download("export", "selection.csv"))))
    assert list(rows[0]) == ["id", "label", "x1", "x2", "sd1", "sd2", "y1", "y2", "y3"]
    assert [row["id"] for row in rows] == roll.ask("selectedIds()")
    data = roll.data(sample("roll"))
    x, y = numbers(data["coordinates"]), numbers(data["features"]["values"])
    variance = numbers(data["covariances"])[:, [0, 2]]
    for row in rows:
        number = int(row["id"])
        assert row["label"] == data["labels"][number]
        # the very 32-bit numbers of the page
        assert [np.float32(row["x1"]), np.float32(row["x2"])] == list(x[number])
        assert [np.float32(row[name]) for name in ("y1", "y2", "y3")] == list(y[number])
        assert np.allclose([float(row["sd1"]), float(row["sd2"])], np.sqrt(variance[number]), rtol=1e-6)


def test_a_lasso_selects_what_it_surrounds(roll):
    left, top, *_ = roll.box()
    roll.click("mode-lasso")
    corners = [(left + 300, top + 100), (left + 600, top + 150), (left + 500, top + 450), (left + 250, top + 400)]
    roll.mouse(corners[0], "down", *corners[1:], "up")
    chosen = set(roll.ask("selectedIds()"))
    assert len(chosen) > 10

    def inside(place):
        turns = [
            (bx - ax) * (place[1] - ay) - (by - ay) * (place[0] - ax)
            for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True)
        ]
        # points on the line may be either
        return None if min(map(abs, turns)) < 600 else min(turns) > 0

    sure = {row: inside(place) for row, place in enumerate(roll.places())}
    assert {str(row) for row, there in sure.items() if there} <= chosen
    assert not {str(row) for row, there in sure.items() if there is False} & chosen


def test_alt_makes_a_drag_a_lasso_shift_a_box_and_ctrl_adds(roll):
    x, y = roll.at(50)
    loop = [(x + 30, y - 30), (x + 30, y + 30), (x - 30, y + 30)]
    roll.mouse((x - 30, y - 30), "down", *loop, "up", keys=[Keys.ALT])
    first = set(roll.ask("selectedIds()"))
    assert "50" in first
    roll.click("clear")
    roll.mouse((x - 9, y - 9), "down", (x, y), (x + 9, y + 9), "up", keys=[Keys.SHIFT])
    small = set(roll.ask("selectedIds()"))
    assert "50" in small and small <= first
    other = int(np.argmax(np.abs(roll.places()[:, 0] - x)))
    x, y = roll.at(other)
    roll.mouse((x - 9, y - 9), "down", (x, y), (x + 9, y + 9), "up", keys=[Keys.SHIFT, Keys.CONTROL])
    assert small | {str(other)} <= set(roll.ask("selectedIds()"))


def test_a_click_in_the_legend_selects_the_label(roll, sample):
    labels = roll.data(sample("roll"))["labels"]
    button = roll.find("legend-class")
    name, count = button.text.split()[0], int(button.text.split()[-1])
    button.click()
    roll.settle()
    chosen = roll.ask("selectedIds()")
    assert len(chosen) == count and {labels[int(row)] for row in chosen} == {name}


# ---- Colour and search.


def test_points_are_coloured_by_whatever_there_is(roll):
    features = ["feature:0", "feature:1", "feature:2"]
    assert roll.options("colour-by") == ["none", "label", "uncertainty", "novelty", "density", "log-density", *features]
    row = roll.lonely(17)
    seen = {}
    for value in roll.options("colour-by"):
        roll.choose("colour-by", value)
        assert roll.ask("colourBy") == value
        seen[value] = tuple(roll.colours(row)[0])
        assert seen[value][3] == 255
    assert len(set(seen.values())) >= 5, seen


def test_a_higher_value_is_lighter(roll, sample):
    values = numbers(roll.data(sample("roll"))["features"]["values"])[:, 1]
    roll.choose("colour-by", "feature:1")
    dark, light = roll.colours(int(np.argmin(values)), int(np.argmax(values)))
    assert light[:3].sum() > dark[:3].sum() + 100


def test_search_finds_an_id_and_goes_to_it(roll):
    field = roll.find("search")
    field.click()
    field.send_keys("39")
    roll.settle()
    assert [item.text.split()[0] for item in roll.all("#search-list li")][:2] == ["39", "390"]
    field.send_keys(Keys.ARROW_DOWN, Keys.ENTER)
    roll.settle()
    assert roll.ask("picked()") == "390"
    left, top, width, height = roll.box()
    assert near(roll.at(390), (left + width / 2, top + height / 2), 3)
    assert roll.find("card").is_displayed() and roll.text("card-id") == "390"


def test_search_says_when_there_is_no_such_id(roll):
    roll.find("search").send_keys("nobody")
    roll.settle()
    assert roll.text("search-list") == "no such id"


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
    assert page.text("loadings-of").startswith("Average over all")
    assert len(page.all('[data-test="loadings-x1"] rect')) == 15
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


# ---- Other dimensions.


@pytest.fixture
def space(page, sample):
    return page.open(sample("space"))


def test_three_dimensions_turn_and_zoom(space):
    assert space.ask("view")["kind"] == "space" and space.ask("pointsDrawn") == 900
    left, top, *_ = space.box()
    before = space.ask("view")
    space.mouse((left + 300, top + 300), "down", (left + 350, top + 300), (left + 420, top + 330), "up")
    turn = np.array(space.ask("view")["turn"])
    assert not np.allclose(turn, before["turn"]) and np.allclose(turn @ turn.T, np.eye(3))
    space.wheel(left + 400, top + 250, -500)
    assert space.ask("view")["scale"] > before["scale"]
    space.click("zoom-reset")
    space.mouse(space.at(3))
    assert space.ask("hovered()") is not None


def test_two_of_three_dimensions_may_be_chosen(space):
    space.choose("axes", "0,2")
    assert space.ask("view")["kind"] == "plane" and space.ask("view")["axes"] == [0, 2]
    space.choose("axes", "space")
    assert space.ask("view")["kind"] == "space"


def test_three_dimensions_are_explored_from_point_to_point(space):
    space.click("tab-explore")
    space.mouse(space.at(3))
    assert not space.ask("reconstruction()")["far"]


def test_of_five_dimensions_two_are_shown(page, sample):
    page.open(sample("five"))
    x = numbers(page.data(sample("five"))["coordinates"])
    page.choose("axes", "2,4")
    assert page.ask("view")["axes"] == [2, 4] and page.ask("pointsDrawn") == 500
    across, down = page.places().T
    assert np.corrcoef(across, x[:, 2])[0, 1] > 0.9999
    assert np.corrcoef(down, x[:, 4])[0, 1] < -0.9999


def test_one_dimension_is_a_strip_with_bars_on_zoom(page, sample):
    page.open(sample("line"))
    assert page.ask("view")["kind"] == "strip" and page.ask("pointsDrawn") == 350
    left, top, *_ = page.box()
    for _ in range(4):
        page.wheel(left + 300, top + 400, -500)
    assert page.ask("ellipsesShown") > 0


# ---- Readers and their machines.


def test_dark_if_the_system_is_and_the_button_changes_it(page, sample):
    background = "return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
    page.open(sample("roll"), dark=True)
    assert page.ask("theme") == "dark" and max(page.run(background)) < 60
    page.click("theme")
    assert page.ask("theme") == "light" and min(page.run(background)) > 230
    page.system("light")
    # a change that is undone before the next frame is none to the page
    page.driver.execute_async_script("const next = requestAnimationFrame, done = arguments[0]; next(() => next(done))")
    page.system("dark")
    wait(lambda: page.ask("theme") == "dark", "the page to follow the system")


def test_every_control_of_the_map_is_reached_by_tab_and_the_focus_shows(roll):
    reached = {}
    for _ in range(24):
        roll.driver.switch_to.active_element.send_keys(Keys.TAB)
        name, seen = roll.run("""
            const e = document.activeElement, s = getComputedStyle(e);
            return [e.dataset.test || e.className, s.outlineStyle !== "none" || s.boxShadow !== "none"]""")
        reached[name] = seen
    controls = "theme copy-command tab-map colour-by mode-pan mode-box mode-lasso zoom-in zoom-out zoom-reset search"
    for name in [*controls.split(), "canvas", "legend-class", "ellipses"]:
        assert reached.get(name), (name, reached)


def test_arrows_change_the_tab(roll):
    roll.focus("tab-map")
    roll.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert roll.ask("tab") == "loadings"


def test_the_map_works_by_keys_alone(roll):
    roll.focus("canvas")
    roll.keys("+", "+")
    assert roll.ask("view")["zoom"] > 1.5
    before = roll.ask("view")["centre"]
    roll.keys(Keys.ARROW_RIGHT, Keys.ARROW_UP)
    now = roll.ask("view")["centre"]
    assert now[0] > before[0] and now[1] > before[1]
    roll.keys("0")
    assert roll.ask("view")["zoom"] == 1
    roll.keys("n", "n")
    assert roll.ask("picked()") == "1"
    roll.keys("p")
    assert roll.ask("picked()") == "0"
    roll.keys(Keys.ESCAPE)
    assert roll.ask("picked()") is None


@pytest.mark.parametrize("name", SAMPLES)
def test_every_part_fits_a_phone(page, sample, name):
    page.size(*NARROW, touch=True)
    page.open(sample(name))
    for tab in TABS:
        page.click(f"tab-{tab}")
        assert page.run("return document.documentElement.scrollWidth") <= NARROW[0], tab


def test_fingers_pinch_and_tap(page, sample):
    page.size(*NARROW, touch=True)
    page.open(sample("roll"))
    page.cdp("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=2)
    left, top, width, height = page.box()
    x, y = left + width / 2, top + height / 2
    page.touch("touchStart", (x - 30, y), (x + 30, y))
    for step in range(1, 6):
        page.touch("touchMove", (x - 30 - 12 * step, y), (x + 30 + 12 * step, y))
    page.touch("touchEnd")
    page.settle()
    assert page.ask("view")["zoom"] > 1.8
    page.click("zoom-reset")
    page.touch("touchStart", page.at(200))
    page.touch("touchEnd")
    page.settle()
    assert page.ask("picked()") is not None and page.find("card").is_displayed()


# ---- Text that would like to be more.


def nothing_was_made(page):
    """No element that only markup in the data could have made."""
    assert page.all("img, iframe, object, embed, script[src]") == []
    assert page.run("return document.scripts.length") <= 2


def test_hostile_texts_stay_text_everywhere(page, sample):
    page.open(sample("hostile"))
    assert page.text("title") == "</script><script>alert(2)</script>" == page.driver.title
    assert "<script>alert(1)</script>" in page.text("warnings")
    for tab in TABS:
        page.click(f"tab-{tab}")
        if tab != "evidence":
            page.mouse(page.at(1))
            page.mouse(page.at(0), "down", "up")
        nothing_was_made(page)
    page.click("tab-map")
    page.find("search").send_keys("<img")
    page.settle()
    assert '"><img src=x onerror=alert(1)>' in page.text("search-list")
    page.find("search").send_keys(Keys.ENTER)
    page.click("legend-class")
    nothing_was_made(page)


def test_hostile_texts_come_back_whole_from_the_csv(page, sample):
    data = page.data(sample("hostile"))
    page.open(sample("hostile"))
    left, top, width, height = page.box()
    page.click("mode-box")
    page.mouse((left + 2, top + 2), "down", (left + 99, top + 99), (left + width - 3, top + height - 3), "up")
    text = page.download("export", "selection.csv")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert {len(row) for row in rows} == {9}
    assert rows[0][-3:] == data["features"]["names"]
    assert [row[:2] for row in rows[1:]] == [list(pair) for pair in zip(data["ids"], data["labels"], strict=True)]


# ---- Pages with little in them.


def test_a_page_of_coordinates_alone_says_what_is_missing(page, sample):
    page.open(sample("bare"))
    page.mouse(page.at(3))
    assert "left out" in page.text("card")
    for tab, words in [("explore", "no local maps"), ("loadings", "no local maps"), ("graph", "no graph")]:
        page.click(f"tab-{tab}")
        assert words in page.text(f"{tab}-none")


def test_a_selection_without_a_fit_says_why(page, sample):
    page.open(sample("chain"), "evidence")
    assert page.text("best") == "None of them could be fitted."
    assert "5 pieces" in page.text("heat")
    assert "No history" in page.driver.find_element(By.ID, "panel-evidence").text
    assert "null" not in page.driver.find_element(By.ID, "panel-evidence").text
