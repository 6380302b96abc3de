"""Prints how large a page is, when its first picture stands and how smoothly it zooms; a number here is never a test.

python bench.py [PAGE.html …]     without a page: samples of 400, 10 000 and 100 000 points
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import driving
import make_sample
import numpy as np

SAMPLES = ["roll", "ten_thousand", "hundred_thousand"]
# a turn of the wheel each frame, in and out, for about three seconds
ZOOM = """
    const [x, y, done] = arguments, canvas = document.getElementById("layer-front"), begin = performance.now();
    (function step() {
      const t = performance.now() - begin, deltaY = Math.floor(t / 750) % 2 ? 25 : -25;
      const wheel = { deltaY, clientX: x, clientY: y, bubbles: true, cancelable: true };
      canvas.dispatchEvent(new WheelEvent("wheel", wheel));
      if (t < 3000) requestAnimationFrame(step); else done();
    })();"""


def measure(page, file):
    times = [page.open(file).ask("firstPicture") for _ in range(3)]
    left, top, width, height = page.box()
    page.driver.execute_async_script(ZOOM, left + width / 2, top + height / 2)
    frames, drawing = np.array(page.ask("frameTimes")), np.array(page.ask("drawTimes"))
    points = page.data(file)
    print(
        f"{points['n_points'] + points['n_new']:7d} points: {file.stat().st_size / 1e6:.2f} MB, "
        f"first picture after {min(times):.0f} to {max(times):.0f} ms, zoom {1000 * len(frames) / frames.sum():.1f} "
        f"frames/s (95 % of frames below {np.quantile(frames, 0.95):.0f} ms; drawing {np.median(drawing):.1f} ms, "
        f"95 % {np.quantile(drawing, 0.95):.1f} ms)",
        flush=True,
    )


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [Path(file) for file in sys.argv[1:]]
        for sample in [] if files else SAMPLES:
            file = folder / f"{sample}.html"
            file.write_text(make_sample.html_page(make_sample.MAKERS[sample]()), encoding="utf-8")
            files.append(file)
        driver = driving.start(folder)
        try:
            for file in files:
                measure(driving.Page(driver, folder), file)
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
