"""The page of a report opens whole for every reader and machine, and texts stay text: on sample pages, in Chromium."""

from __future__ import annotations

import csv
import io

import pytest
from driving import NARROW, TABS, Page, wait
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SAMPLES = ["roll", "digits", "space", "line", "five", "hostile", "bare", "chain"]


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
    assert page.ask("picked()") is not None and page.find("pinned").is_displayed()


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
