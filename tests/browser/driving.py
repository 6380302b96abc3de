"""A report in a real browser: all is done by mouse, keys or finger, and nothing is trusted to take a fixed time."""

from __future__ import annotations

import base64
import json
import shutil
import time
from pathlib import Path

import numpy as np
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

PATIENCE = 20.0  # seconds, for what comes at once on a quiet machine
WIDE, NARROW = (1280, 860), (390, 844)
TABS = ["map", "explore", "loadings", "graph", "evidence"]


def programs():
    """The browser and what drives it, None where there is none."""
    names = {"Chromium": ["chromium", "chromium-browser", "google-chrome"], "chromedriver": ["chromedriver"]}
    return {name: next(filter(None, map(shutil.which, places)), None) for name, places in names.items()}


def missing():
    """What to do if there is nothing to show a page with, in words."""
    absent = " and ".join(name for name, path in programs().items() if path is None)
    return absent and f"{absent} cannot be found: run ./test, which installs what the tests need"


def start(downloads: Path):
    """A browser without a window, which tells what it logs and what it asks for."""
    browser, driver = programs().values()
    options = Options()
    options.binary_location = browser
    for flag in ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage"]:
        options.add_argument(flag)
    options.add_argument("--window-size={},{}".format(*WIDE))
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = webdriver.Chrome(options=options, service=Service(driver))
    where = {"behavior": "allow", "downloadPath": str(downloads)}
    chrome.execute_cdp_cmd("Browser.setDownloadBehavior", where)
    chrome.set_script_timeout(60)
    return chrome


def wait(condition, words):
    """What the condition gives as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while True:
        found = condition()
        if found:
            return found
        assert time.monotonic() < end, f"waited in vain: {words}"
        time.sleep(0.02)


def near(place, wanted, room=2):
    return all(abs(a - b) <= room for a, b in zip(place, wanted, strict=True))


class Page:
    """One page, and the hands and eyes of a reader."""

    def __init__(self, driver, downloads: Path):
        self.driver, self.downloads = driver, downloads
        self.address = None
        self.forget()

    # ---- Opening.
    def forget(self):
        """Leaves the page, and drops what was logged until now."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.cdp("Emulation.setTouchEmulationEnabled", enabled=False)
        self.size(*WIDE)
        self.logged, self.asked = [], []

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def size(self, width, height, touch=False):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)

    def system(self, theme):
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def open(self, path: Path, tab="map", dark=False):
        self.trouble()
        self.system("dark" if dark else "light")
        self.address = path.resolve().as_uri()
        self.driver.get("about:blank")
        self.driver.get(f"{self.address}#{tab}")
        drawn = "return Boolean(window.tangencyReport && tangencyReport.firstPicture)"
        wait(lambda: self.run(drawn), "a first picture")
        self.settle()
        return self

    def settle(self):
        """Two frames: whatever an event asked for has been drawn."""
        self.driver.execute_async_script(
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))"
        )

    # ---- Asking.
    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def ask(self, words):
        return self.run("return tangencyReport." + words)

    def find(self, test):
        return self.driver.find_element(By.CSS_SELECTOR, f'[data-test="{test}"]')

    def all(self, css):
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def text(self, test):
        return self.find(test).text

    def rows(self, test):
        """The text of a table: {first cell: second cell}."""
        script = "return [...arguments[0].querySelectorAll('tr')].map((r) => [...r.cells].map((c) => c.textContent))"
        return {cells[0]: cells[1] for cells in self.run(script, self.find(test)) if len(cells) > 1}

    def facts(self, test="facts"):
        script = "return [...arguments[0].children].map((d) => [...d.children].map((c) => c.textContent))"
        return dict(self.run(script, self.find(test)))

    def at(self, row):
        """Where a row is on the screen."""
        place = self.ask(f"screenOf({row})")
        return round(place["x"]), round(place["y"])

    def places(self):
        """Where all rows are on the screen."""
        script = """
            const all = [];
            for (let i = 0; ; i++) {
              const p = tangencyReport.screenOf(i);
              if (Number.isNaN(p.x)) return all;
              all.push([p.x, p.y]);
            }"""
        return np.array(self.run(script))

    def lonely(self, first=0, room=9):
        """The first row from here on that can be pointed at without meeting another."""
        places = self.places()
        left, top, width, height = self.box()
        edge = np.minimum(places - [left, top], [left + width, top + height] - places).min(1)
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
        np.fill_diagonal(apart, np.inf)
        free = np.flatnonzero((edge > 4) & (apart.min(1) > room))
        row = next((int(row) for row in free if row >= first), -1)
        assert row >= 0, "all points are crowded"
        return row

    def pixels(self, element, places=None):
        """What is painted on a canvas, [height, width, 4], or at places, [place, 4]."""
        # from a copy, so that the canvas itself stays as fast as it was
        script = """
            const [from, places] = arguments, copy = document.createElement("canvas");
            [copy.width, copy.height] = places ? [places.length, 1] : [from.width, from.height];
            const context = copy.getContext("2d", { willReadFrequently: true });
            if (!places) context.drawImage(from, 0, 0);
            else places.forEach(([x, y], k) => context.drawImage(from, x, y, 1, 1, k, 0, 1, 1));
            return [...context.getImageData(0, 0, copy.width, copy.height).data];"""
        painted = np.array(self.run(script, element, places)).reshape(-1, 4)
        return painted if places else painted.reshape(-1, element.get_property("width"), 4)

    def colours(self, *rows):
        """The colours of the points where these rows are, red to blue and how opaque."""
        canvas, (left, top, width, _) = self.driver.find_element(By.ID, "layer-points"), self.box()
        scale = canvas.get_property("width") / width
        places = [[round((x - left) * scale), round((y - top) * scale)] for x, y in map(self.at, rows)]
        return self.pixels(canvas, places)

    def box(self, test="canvas"):
        script = "const b = arguments[0].getBoundingClientRect(); return [b.left, b.top, b.width, b.height]"
        return self.run(script, self.find(test))

    # ---- Acting.
    def click(self, test):
        self.find(test).click()
        self.settle()

    def choose(self, test, value):
        Select(self.find(test)).select_by_value(value)
        self.settle()

    def options(self, test):
        return [option.get_attribute("value") for option in Select(self.find(test)).options]

    def focus(self, test):
        self.run("arguments[0].focus()", self.find(test))

    def show(self, test):
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.find(test))
        self.settle()

    def mouse(self, *steps, keys=()):
        """Steps are (x, y) to move to, or "down" and "up"."""
        # keys and pointer would act side by side in one builder
        held = ActionBuilder(self.driver)
        for key in keys:
            held.key_action.key_down(key)
        held.perform()
        builder = ActionBuilder(self.driver, duration=20)
        for step in steps:
            if step == "down":
                builder.pointer_action.pointer_down()
            elif step == "up":
                builder.pointer_action.pointer_up()
            else:
                builder.pointer_action.move_to_location(*[round(v) for v in step])
        builder.perform()
        released = ActionBuilder(self.driver)
        for key in keys:
            released.key_action.key_up(key)
        released.perform()
        self.settle()

    def press(self, row):
        """A click on a point; two in a row are far enough apart in time not to be a double click."""
        time.sleep(0.4)
        self.mouse(self.at(row), "down", "up")

    def wheel(self, x, y, amount):
        origin = ScrollOrigin.from_viewport(int(x), int(y))
        ActionChains(self.driver).scroll_from_origin(origin, 0, amount).perform()
        self.settle()

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()
        self.settle()

    def touch(self, kind, *places):
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.cdp("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def download(self, test, name):
        """The text of the file that a button saves."""
        for old in self.downloads.iterdir():
            old.unlink()
        self.click(test)
        file = self.downloads / name
        wait(file.exists, f"the file {name}")
        # another name while it is written, so that it is whole now
        return file.read_text(encoding="utf-8")

    def picture(self, file: Path, whole=False):
        shot = self.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(shot["data"]))

    # ---- Judging.
    def trouble(self):
        """What the console says and what was asked for, apart from the page itself."""
        self.logged += [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] != "Network.requestWillBeSent":
                continue
            address = message["params"]["request"]["url"]
            # a file to save is a blob, the icon is empty data
            if address.split("#")[0] != self.address and not address.startswith(("blob:", "data:")):
                self.asked.append(address)
        return self.logged + self.asked

    def data(self, path: Path):
        """What is in a page, read without a browser."""
        text = path.read_text(encoding="utf-8").split('type="application/json">')[1].split("</script>")[0]
        return json.loads(text)
