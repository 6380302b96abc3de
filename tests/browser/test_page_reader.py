"""What a reader of a page is told and can keep: words, selections, links, pictures, units, scales; in Chromium."""

from __future__ import annotations

import base64
import struct
import time

import numpy as np
import pytest
from driving import NARROW, TABS, wait
from make_sample import MAKERS, html_page, numbers
from selenium.webdriver.common.keys import Keys

LAPTOP, PHONE = (1400, 900), (400, 800)


def select_left(page, share=0.4):
    left, top, width, height = page.box()
    page.click("mode-box")
    page.mouse((left + 2, top + 2), "down", (left + 99, top + 99), (left + width * share, top + height - 3), "up")
    return [int(row) for row in page.ask("selectedIds()")]


# ---- Words.


def test_every_part_says_what_it_shows(roll):
    seen = set()
    for tab in TABS:
        roll.click(f"tab-{tab}")
        assert len(roll.text("about")) > 40
        seen.add(roll.text("about"))
    assert len(seen) == len(TABS)


def test_pointing_at_a_word_tells_what_it_means(roll):
    roll.press(roll.lonely(17))
    word = roll.all('[data-test="pinned"] [data-term="novelty"]')[0]
    assert not roll.find("tip").is_displayed()
    roll.mouse(roll.run("const b = arguments[0].getBoundingClientRect(); return [b.left + 4, b.top + 5]", word))
    assert roll.find("tip").is_displayed() and "share of fitted rows" in roll.text("tip")
    roll.mouse((3, 3))
    assert not roll.find("tip").is_displayed()


def test_all_words_are_in_a_list_and_each_has_one_sentence(roll):
    listed = roll.run("""
        const words = [...document.querySelectorAll("#words dt")];
        return words.map((t) => [t.textContent, t.nextElementSibling.textContent])""")
    names = {name for name, _ in listed}
    wanted = "bound, nats, novelty, resistance, trustworthiness, uncertainty, loading, weight of the features"
    assert set(wanted.split(", ")) <= names
    assert all(text.endswith(".") and text.count(". ") == 0 for _, text in listed)


# ---- Uncertainty and the card.


def test_uncertainty_is_a_share_of_the_spread(roll, sample):
    data = roll.data(sample("roll"))
    x, covariance = numbers(data["coordinates"]).astype(float), numbers(data["covariances"]).astype(float)
    row = roll.lonely(17)
    share = 100 * np.sqrt((covariance[row, 0] + covariance[row, 2]) / x.var(0).sum())
    roll.mouse(roll.at(row))
    shown = roll.rows("card")["uncertainty"]
    assert shown.endswith("% of the spread") and float(shown.split()[0]) == pytest.approx(share, rel=0.05)
    roll.choose("colour-by", "uncertainty")
    assert "% of the spread" in roll.text("legend")


def test_the_card_of_a_picked_point_stands_beside_the_map_and_closes(roll):
    roll.press(roll.lonely(17))
    left, top, width, _ = roll.box()
    assert roll.box("pinned")[0] >= left + width and not roll.find("card").is_displayed()
    roll.click("pinned-close")
    assert not roll.find("pinned").is_displayed() and roll.ask("picked()") is None


# ---- The selection.


def test_a_selection_says_what_sets_it_apart(roll, sample):
    y = numbers(roll.data(sample("roll"))["features"]["values"]).astype(float)
    chosen = np.isin(np.arange(400), select_left(roll))
    expected = (y[chosen].mean(0) - y[~chosen].mean(0)) / y.std(0)
    found = {one["name"]: one["difference"] for one in roll.ask("differences()")}
    assert [found[f"y{f}"] for f in (1, 2, 3)] == pytest.approx(list(expected), rel=1e-3)
    rows = roll.all('[data-test="apart"] tr')
    strong = [f"y{f + 1}" for f in np.argsort(-abs(expected)) if abs(expected[f]) >= 0.3]
    assert [row.text.split()[0] for row in rows] == strong
    assert all(row.find_elements("css selector", "svg rect") for row in rows)
    assert "inner" in roll.text("apart-labels") or "outer" in roll.text("apart-labels")
    rows[0].find_element("css selector", "button").click()
    assert roll.ask("colourBy") == f"feature:{int(strong[0][1:]) - 1}"


def test_a_selection_is_named_and_its_link_brings_it_back(roll):
    chosen = select_left(roll)
    roll.find("keep-name").send_keys("inner <b>end</b> & more", Keys.ENTER)
    assert roll.ask("namesShown")[0] == "inner <b>end</b> & more"
    roll.choose("colour-by", "novelty")
    roll.click("tab-graph")
    link = roll.run("return location.href")
    fragment = link.split("#")[1]
    assert fragment.startswith("graph&colour=novelty&keep=") and roll.ask("fragment()") == "#" + fragment
    roll.driver.get("about:blank")
    roll.driver.get(link)
    drawn = "return Boolean(window.tangencyReport && tangencyReport.firstPicture)"
    wait(lambda: roll.run(drawn), "the page by its link")
    assert roll.ask("tab") == "graph" and roll.ask("colourBy") == "novelty"
    assert [int(row) for row in roll.ask("selectedIds()")] == chosen
    roll.click("tab-map")
    roll.click("clear")
    assert roll.text("kept") == "inner <b>end</b> & more" and not roll.all("#kept-list b")
    roll.click("kept")
    assert roll.ask("selectedCount") == len(chosen)


@pytest.mark.parametrize("rows", [[0], [399], [3, 130, 131, 132], list(range(0, 400, 2))])
def test_links_hold_any_rows(page, sample, rows):
    steps, before = [], -1
    for row in rows:
        step, before = row - before - 1, row
        while step > 127:
            steps.append(step & 127 | 128)
            step >>= 7
        steps.append(step)
    code = "s" + base64.urlsafe_b64encode(bytes(steps)).decode().rstrip("=")
    page.open(sample("roll"), f"map&keep=some:400:{code}")
    assert [int(row) for row in page.ask("selectedIds()")] == rows
    again = page.ask("fragment()")
    page.open(sample("roll"), again[1:])
    assert [int(row) for row in page.ask("selectedIds()")] == rows


@pytest.mark.parametrize("word", ["keep=a:7:sAA", "keep=a:400:s!!", "keep=%E0%A4%A:400:sAA", "keep=a", "keep=a:400:b"])
def test_a_link_that_does_not_fit_is_said_to(page, sample, word):
    page.open(sample("roll"), f"explore&{word}&colour=nothing")
    assert page.ask("tab") == "explore" and page.ask("selectedCount") == 0
    page.click("tab-map")
    assert page.find("kept-strange").is_displayed()


def test_the_map_is_saved_as_a_picture(roll):
    file = roll.downloads / "map.png"
    file.unlink(missing_ok=True)
    roll.click("save-picture")
    wait(file.exists, "the picture")
    time.sleep(0.2)
    head = file.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", head[16:24])
    _, _, stage, tall = roll.box()
    assert abs(width - stage) <= 3 and height > tall + 40


def test_several_colourings_stand_side_by_side(roll):
    roll.run("document.getElementById('colourings').open = true")
    roll.show("colourings")
    buttons = roll.all("#colourings-grid button")
    assert [b.get_attribute("data-choice") for b in buttons] == roll.options("colour-by")[1:]
    wait(lambda: roll.pixels(roll.all("#colourings-grid canvas")[1])[:, :, 3].max() == 255, "the small maps")
    buttons[2].click()
    assert roll.ask("colourBy") == "novelty"


def test_names_of_labels_stand_on_the_map_unless_they_are_not_wanted(roll):
    assert set(roll.ask("namesShown")) == {"inner", "middle", "outer"}
    roll.click("show-names")
    assert roll.ask("namesShown") == []


# ---- Explore.


def test_units_are_kept_apart_and_what_was_measured_stands_beside(page, sample):
    page.open(sample("five"), "explore")
    row = page.lonely(3)
    page.press(row)
    heads = [head.text for head in page.all('[data-test="explore-profile"] h3')]
    assert heads == ["rain", "other features"]
    assert page.all('[data-test="measured-curve"]') and len(page.all('[data-test="track-seen"]')) == 2
    assert page.text("measured-key") == f"measured at {row}"
    x, y, width, height = page.run(
        "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]",
        page.all('[data-test="explore-profile"] svg.chart')[0],
    )
    page.mouse((x + width - 11, y + height / 2))
    told = page.text("explore-readout")
    value = numbers(page.data(sample("five"))["features"]["values"])[row, 9]
    assert told.startswith("oct: expected") and "measured" in told
    assert float(told.split("measured")[1].replace("−", "-")) == pytest.approx(float(value), rel=1e-3)


def test_wide_tables_are_summed_up(page, sample):
    page.open(sample("digits"), "explore")
    page.press(page.lonely(5, room=5))
    assert page.all('[data-test="measured-picture"]')
    lines = page.all('[data-test="explore-unusual"] tbody tr')
    assert len(lines) == 6 and all("sd" in line.text for line in lines)


# ---- Graph and evidence.


def test_edges_have_one_scale_and_a_legend(page, sample):
    page.open(sample("roll"))
    rows = [page.lonely(5), page.lonely(200)]
    page.click("tab-graph")
    first, second = page.colours(*rows)
    assert (first == second).all() and np.ptp(first[:3]) < 40
    assert page.find("edge-scale").is_displayed() and "1 removed before this fit" in page.text("legend")
    assert not page.find("colour-by").is_displayed()
    page.choose("edges-show", "all")
    assert "edge" in page.text("legend")
    page.click("tab-map")
    assert page.all('[data-test="legend-class"]')


def test_new_rows_do_not_cover_the_graph(page, sample):
    page.open(sample("digits"))
    assert page.ask("pointsDrawn") == 600
    page.click("tab-graph")
    assert page.ask("pointsDrawn") == 500
    page.click("tab-map")
    assert page.ask("pointsDrawn") == 600


def test_three_features_are_seen_in_space_with_the_removed_edges(roll, sample):
    y = numbers(roll.data(sample("roll"))["features"]["values"])
    roll.choose("axes", "measured")
    view = roll.ask("view")
    assert (view["kind"], view["source"]) == ("space", "measured") and roll.ask("pointsDrawn") == 400
    turned = (y - (y.max(0) + y.min(0)) / 2) @ np.array(view["turn"]).T
    across, down = roll.places().T
    assert np.corrcoef(across, turned[:, 0])[0, 1] > 0.9999
    assert np.corrcoef(down, turned[:, 1])[0, 1] < -0.9999
    for tab in TABS[:-1]:
        roll.click(f"tab-{tab}")
        roll.press(roll.lonely(17, room=2))
    roll.choose("axes", "map")
    assert roll.ask("view")["kind"] == "plane"


def test_more_features_are_seen_along_their_three_widest_directions(page, sample):
    page.open(sample("digits"))
    data = page.data(sample("digits"))
    y, found = numbers(data["features"]["values"]), data["features"]["directions"]
    page.choose("axes", "measured")
    view = page.ask("view")
    assert (view["kind"], view["source"]) == ("space", "measured")
    share = round(100 * sum(found["shares"]))
    assert f"{share} % of its variance" in page.text("about")
    space = (y - y.mean(0)) @ numbers(found["weights"]).T
    turned = (space - (space.max(0) + space.min(0)) / 2) @ np.array(view["turn"]).T
    across, down = page.places().T
    assert np.corrcoef(across, turned[:, 0])[0, 1] > 0.999
    assert np.corrcoef(down, turned[:, 1])[0, 1] < -0.999
    page.click("tab-explore")
    page.press(page.lonely(17, room=2))
    page.choose("axes", "map")
    assert page.ask("view")["kind"] == "plane"


def test_evidence_shows_what_was_tried_or_the_command_that_compares(page, sample):
    page.open(sample("roll"), "evidence")
    assert page.find("heat").is_displayed() and not page.all('[data-test="compare-command"]')
    page.open(sample("space"), "evidence")
    for name in ("chart-neighbours", "chart-dimension", "weights"):
        assert page.all(f'[data-test="{name}"]'), name
    assert page.text("compare-command").startswith("tangency select roll.csv -k 6,9,13 -d 1:3")
    page.click("copy-compare")
    wait(lambda: page.text("copy-compare") == "Copied", "the button to say so")


# ---- Sizes.


@pytest.mark.parametrize("name", ["roll", "digits", "space"])
def test_map_and_panel_fit_a_laptop(page, sample, name):
    page.size(*LAPTOP)
    page.open(sample(name))
    for tab in TABS[:-1]:
        page.click(f"tab-{tab}")
        page.press(page.lonely(5, room=3))
        script = "return [...arguments].map((e) => e.getBoundingClientRect().bottom)"
        bottom = page.run(script, *page.all(".panels, .legend"))
        assert max(bottom) <= LAPTOP[1], tab
        assert page.run("return document.documentElement.scrollHeight") <= LAPTOP[1], tab


def test_on_a_phone_the_answer_stands_beside_the_map(page, sample):
    page.size(*PHONE, touch=True)
    page.open(sample("roll"))
    assert not page.find("facts").is_displayed() and not page.find("about").is_displayed()
    page.click("about-ask")
    assert page.find("about").is_displayed()
    page.click("about-ask")
    page.press(page.lonely(17, room=6))
    _, top, _, height = page.box("pinned")
    assert top + min(height, 120) <= PHONE[1]
    page.run("window.scrollTo(0, 300)")
    page.settle()
    _, top, _, height = page.box()
    assert top >= 0 and top + height < PHONE[1]
    assert page.run("return document.documentElement.scrollWidth") <= max(PHONE[0], NARROW[0])


# ---- Names of labels, and pages from Python.


def told(folder, kind, **more):
    path = folder / "told.html"
    path.write_text(html_page(MAKERS[kind]() | more), encoding="utf-8")
    return path


def test_labels_are_called_by_their_name(page, tmp_path):
    page.open(told(tmp_path, "roll", label_name="storey"))
    options = page.run("return [...document.querySelectorAll('#colour-by option')].map((o) => o.text)")
    assert options[1] == "storey" and "label" not in options
    select_left(page)
    assert [cell.text for cell in page.all("#selection-rows th")][:2] == ["id", "storey"]
    assert page.text("apart-labels").startswith("storey ")


def test_a_page_from_python_speaks_of_calls(page, tmp_path):
    page.open(told(tmp_path, "space", python=True, compare="tangency.select(X, n_neighbors=[6, 9])"), "evidence")
    assert page.text("compare-command") == "tangency.select(X, n_neighbors=[6, 9])"
    assert page.text("copy-compare") == "Copy the call"
    page.click("tab-graph")
    assert "command" not in page.run("return document.getElementById('panel-graph').textContent")
