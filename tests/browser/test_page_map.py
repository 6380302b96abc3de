"""The map of a page does what its reader does to it: every interaction, on sample pages, in Chromium."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from driving import near
from make_sample import numbers
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

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


def test_the_wheel_zooms_about_the_pointer_and_ellipses_appear(page, sample):
    roll = page.open(sample("space"))
    roll.choose("axes", "0,1")
    assert roll.ask("ellipsesShown") == 0 and "Zoom in" in roll.text("ellipse-note")
    row = roll.lonely(17)
    before, place = roll.ask("view"), roll.at(row)
    roll.wheel(*place, -400)
    assert roll.ask("view")["scale"] > before["scale"] * 1.3
    assert near(roll.at(row), place)
    for _ in range(3):
        roll.wheel(*place, -500)
    assert roll.ask("ellipsesShown") > 0


def test_ellipses_can_be_always_or_never(roll):
    # up to 500 points have theirs at once
    assert roll.ask("ellipsesShown") == 400
    roll.click("zoom-in")
    roll.choose("ellipses", "always")
    assert 0 < roll.ask("ellipsesShown") <= 400
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
    left, top, _, height = roll.box()
    roll.click("zoom-in")
    assert roll.ask("view")["zoom"] > 1.2
    roll.click("zoom-reset")
    assert roll.ask("view")["zoom"] == 1 and roll.ask("pointsDrawn") == 400
    roll.click("zoom-out")
    assert roll.ask("view")["zoom"] < 1
    roll.mouse((left + 30, top + height - 40))
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
    assert roll.find("pinned").is_displayed() and roll.text("pinned-id") == "390"


def test_search_says_when_there_is_no_such_id(roll):
    roll.find("search").send_keys("nobody")
    roll.settle()
    assert roll.text("search-list") == "no such id"


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
    space.choose("axes", "map")
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
