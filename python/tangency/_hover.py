"""What pictures need of a model and its labels, and the hover page: one HTML file whose points show their images.

Needs numpy only. Everything is inside the page, and its content policy forbids the network.
"""

from __future__ import annotations

import base64
import html
import json
import math
import os
import re
import struct
import zlib
from collections.abc import Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass
from numbers import Real
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from ._lllvm import LLLVM

Floats = NDArray[np.float64]
Key: TypeAlias = list[tuple[str, str]] | tuple[str, str]

WIDTH = 720.0
TALLEST, LOWEST = 640.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 16.0, 46.0
# The side of a picture in the page, in pixels
PICTURE = 112

VIRIDIS = ("440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725")

# Okabe and Ito's colours, told apart by the colour-blind; those that are faint on white come last
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#F0E442")
# Matplotlib's tab20, the ten full colours first; its two greys are replaced, because grey means no label
TAB20 = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#303030", "#bcbd22", "#17becf",
    "#aec7e8", "#ffbb78", "#98df8a", "#ff9896", "#c5b0d5", "#c49c94", "#f7b6d2", "#7a6a9a", "#dbdb8d", "#9edae5",
)  # fmt: skip
GREY = "#9a9a9a"


def hover(
    model: LLLVM,
    images: ArrayLike,
    labels: ArrayLike | None = None,
    *,
    shape: tuple[int, int] | None = None,
    title: str = "",
) -> HoverPage:
    """Make a page in which a point shows its picture, its label and its coordinates when the pointer is over it.

    The first two components are drawn, or the only one against the order of the rows. The point under the pointer also
    shows its ellipse of two standard deviations. The arrow keys go from point to point.

    Parameters
    ----------
    model : LLLVM
        A fitted model.
    images : array-like of shape (n, height, width) or (n, pixels)
        One grey image a point. The least value of all is black, the greatest white.
    labels : array-like of shape (n,), optional
        What colours the points, as in `embedding`.
    shape : pair of int, optional
        Height and width of images that are given as rows; without it they must be square.
    title : str, optional
        The heading of the page.

    Returns
    -------
    HoverPage
        Shows itself in a notebook; ``.save(path)`` writes one HTML file that needs no network.

    Examples
    --------
    >>> plotting.hover(model, digits.images, digits.target.astype(str)).save("digits.html")  # doctest: +SKIP
    """
    places, chosen = read_places(model, (0, 1))
    n = len(places)
    paint = read_labels(labels, n)
    pictures = grey_levels(read_images(images, n, shape))
    coordinates, std = (np.asarray(part, dtype=float) for part in (model.embedding_, model.embedding_std_))
    if len(chosen) == 2:
        radii = read_ellipses(model, chosen) * [2.0, 2.0, 1.0]
    else:
        radii = np.column_stack([np.zeros(n), 2.0 * std[:, 0], np.zeros(n)])
    numbers = np.asarray(getattr(model, "rows_", np.arange(n)), dtype=int)
    cards = [
        [*paint.words(i), f"row {numbers[i]}"]
        + [f"component {a}: {x:.4g} ± {s:.2g}" for a, (x, s) in enumerate(zip(coordinates[i], std[i], strict=True))]
        for i in range(n)
    ]
    colours, key = paint.hexes()
    axes = axis_names(chosen)
    return page(
        places, radii, pictures, colours, cards, axes=axes, equal=len(chosen) == 2, key=key, title=title
    )


class HoverPage:
    """An HTML page that shows itself in a notebook and can be saved.

    Attributes
    ----------
    html : str
        The whole page.
    """

    def __init__(self, text: str, height: int) -> None:
        self.html = text
        self._height = height

    def _repr_html_(self) -> str:
        # A frame of its own: the page's style and script cannot reach the notebook
        source = html.escape(self.html, quote=True)
        return (
            f'<iframe title="embedding with pictures" sandbox="allow-scripts" srcdoc="{source}" '
            f'style="width:100%;max-width:960px;height:{self._height}px;border:0"></iframe>'
        )

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            Where the page goes; an existing file is replaced.

        Returns
        -------
        pathlib.Path
            The file.

        Examples
        --------
        >>> plotting.hover(model, images).save("digits.html")  # doctest: +SKIP
        """
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target


@dataclass
class Paint:
    """Labels as numbers (`values`) or as classes (`codes` into `names`, −1 for none)."""

    codes: NDArray[np.intp]
    names: list[str]
    values: Floats | None = None
    title: str = ""

    def ends(self) -> tuple[float, float]:
        """The least and the greatest finite number."""
        finite = np.asarray(self.values)[np.isfinite(np.asarray(self.values))]
        return (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)

    def words(self, i: int) -> list[str]:
        """What to say of point i: nothing without labels."""
        if self.values is not None:
            return [f"{self.title or 'label'}: {self.values[i]:.6g}"]
        if not self.names:
            return []
        return [self.names[self.codes[i]] if self.codes[i] >= 0 else "no label"]

    def hexes(self) -> tuple[list[str], Key]:
        """The colour of each point, and the key: (colour, name) of each class, or the ends of the scale."""
        if self.values is not None:
            low, high = self.ends()
            finite = np.isfinite(self.values)
            shares = np.where(finite, self.values - low, 0.0) / ((high - low) or 1.0)
            colours = [colour if known else GREY for colour, known in zip(ramp(shares), finite, strict=True)]
            return colours, (f"{self.title} {low:.4g}".strip(), f"{high:.4g}")
        palette = [*class_colours(max(len(self.names), 1)), GREY]
        key = [(palette[c], name) for c, name in enumerate(self.names) if (self.codes == c).any()]
        if self.names and (self.codes < 0).any():
            key.append((GREY, "no label"))
        return [palette[c] for c in self.codes], key


def check_fitted(model: LLLVM) -> None:
    if not hasattr(model, "embedding_"):
        from sklearn.exceptions import NotFittedError

        raise NotFittedError("the model is not fitted, so there is nothing to draw; call fit(X) first")


def read_places(model: LLLVM, components: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """Where the points are drawn [n, 2], and the components that are: two, or one against the order of the rows."""
    check_fitted(model)
    coordinates = np.asarray(model.embedding_, dtype=float)
    d_x = coordinates.shape[1]
    given = np.atleast_1d(np.asarray(components))
    if given.dtype.kind not in "iu":
        raise ValueError(f"components is {components}; give whole numbers, such as (0, 1)")
    chosen = tuple(int(c) for c in given)
    if d_x == 1 and chosen == (0, 1):  # the default
        chosen = (0,)
    if len(chosen) not in (1, 2) or len(set(chosen)) < len(chosen):
        raise ValueError(f"components is {tuple(chosen)}; give two different components, such as (0, 1), or one")
    if not all(0 <= c < d_x for c in chosen):
        have = f"the model has {d_x} component{'' if d_x == 1 else 's'}"
        raise ValueError(f"components is {tuple(chosen)} but {have}; give numbers from 0 to {d_x - 1}")
    if len(chosen) == 2:
        return coordinates[:, list(chosen)], chosen
    return np.column_stack([np.arange(len(coordinates)), coordinates[:, chosen[0]]]), chosen


def axis_names(chosen: tuple[int, ...]) -> tuple[str, str]:
    if len(chosen) == 1:
        return "row", f"component {chosen[0]}"
    return f"component {chosen[0]}", f"component {chosen[1]}"


def read_ellipses(model: LLLVM, chosen: tuple[int, ...]) -> Floats:
    """Half axes of one standard deviation, the longer first, and the angle of that in degrees. [n, 3]"""
    pair = list(chosen)
    covariances = np.asarray(model.embedding_covariances_, dtype=float)[:, pair][:, :, pair]
    known = np.isfinite(covariances).all(axis=(1, 2))
    values, vectors = np.linalg.eigh(np.where(known[:, None, None], covariances, 0.0))
    lengths = np.sqrt(np.maximum(values, 0.0))
    angles = np.degrees(np.arctan2(vectors[:, 1, 1], vectors[:, 0, 1]))
    return np.where(known[:, None], np.column_stack([lengths[:, 1], lengths[:, 0], angles]), np.nan)


def read_labels(labels: Any, n: int) -> Paint:
    """Labels of any kind as numbers or classes."""
    if labels is None:
        return Paint(np.zeros(n, dtype=np.intp), [])
    title = str(getattr(labels, "name", None) or "")
    categories = getattr(labels, "cat", labels)  # of a pandas Series, or a Categorical itself
    grouped = hasattr(categories, "categories") and hasattr(categories, "codes")
    table = np.asarray(categories.codes) if grouped else np.asarray(labels)
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim != 1 or len(table) != n:
        found = f"{len(table)} entries" if table.ndim == 1 else f"shape {table.shape}"
        way_out = "give one label a point (with largest=True: labels[model.rows_])"
        raise ValueError(f"labels has {found} but the model has {n} points; {way_out}")
    if grouped:
        return Paint(table.astype(np.intp), [str(name) for name in categories.categories], title=title)
    missing = np.array([_is_missing(entry) for entry in table])
    kept = table[~missing]
    if table.dtype.kind in "iuf" or (len(kept) and all(isinstance(v, Real) and not _is_bool(v) for v in kept)):
        values = np.full(n, np.nan)
        values[~missing] = kept.astype(float)
        return Paint(np.full(n, -1, dtype=np.intp), [], values, title)
    words = [None if lost else str(entry) for entry, lost in zip(table, missing, strict=True)]
    names = sorted({word for word in words if word is not None}, key=natural)
    code = {name: c for c, name in enumerate(names)}
    return Paint(np.array([-1 if word is None else code[word] for word in words], dtype=np.intp), names, title=title)


def _is_missing(entry: Any) -> bool:
    """None, NaN, and what pandas has for them."""
    if isinstance(entry, float):
        return entry != entry
    return entry is None or type(entry).__name__ in ("NAType", "NaTType")


def _is_bool(entry: Any) -> bool:
    return isinstance(entry, bool | np.bool_)


def natural(name: str) -> list[tuple[int, float, str]]:
    """A key that sorts "knn 9" before "knn 10"."""
    parts = re.split(r"(\d+(?:\.\d+)?)", str(name))
    return [(0, float(part), "") if k % 2 else (1, 0.0, part) for k, part in enumerate(parts)]


def class_colours(count: int) -> list[str]:
    """As many different colours; up to eight can be told apart by the colour-blind."""
    if count <= len(OKABE_ITO):
        return list(OKABE_ITO[:count])
    if count <= len(TAB20):
        return list(TAB20[:count])
    turns = [hsv_to_rgb(k / count, (0.9, 0.55)[k % 2], (0.85, 0.6, 0.95)[k % 3]) for k in range(count)]
    return ["#" + "".join(f"{round(255 * channel):02x}" for channel in turn) for turn in turns]


def read_images(images: ArrayLike, n: int, shape: tuple[int, int] | None) -> Floats:
    """Images as an array n × height × width."""
    table = np.asarray(images)
    if table.dtype.kind not in "biuf":
        raise ValueError(f"images holds {table.dtype.name} and not numbers; give grey images of one size as an array")
    if table.ndim not in (2, 3):
        way_out = "give grey images as (n, height, width) or as rows (n, pixels)"
        raise ValueError(f"images has shape {table.shape}; {way_out}")
    if len(table) != n:
        way_out = "give one image a point (with largest=True: images[model.rows_])"
        raise ValueError(f"images has {len(table)} images but the model has {n} points; {way_out}")
    if table.ndim == 3 and shape is None:
        return table.astype(float)
    pixels = math.prod(table.shape[1:])
    side = math.isqrt(pixels)
    tall, wide = (side, side) if shape is None else pair("shape", shape)
    if tall * wide != pixels:
        if shape is None:
            raise ValueError(f"images has rows of {pixels} pixels, which is no square; give shape=(height, width)")
        found = f"shape {tall} × {wide} has {tall * wide} pixels but an image has {pixels}"
        raise ValueError(f"{found}; give the height and width of the images")
    return table.reshape(n, tall, wide).astype(float)


def pair(what: str, given: Sequence[int]) -> tuple[int, int]:
    """Two positive whole numbers."""
    numbers = tuple(np.atleast_1d(np.asarray(given)).tolist())
    if len(numbers) != 2 or not all(isinstance(v, int) and v > 0 for v in numbers):
        raise ValueError(f"{what} is {given}; give two positive whole numbers, such as {what}=(8, 8)")
    return numbers


def png(image: NDArray[np.uint8]) -> bytes:
    """A grey image, height × width, as the bytes of a PNG file."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    height, width = image.shape
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)  # 8 bits, grey
    rows = np.hstack([np.zeros((height, 1), np.uint8), image])  # each row begins with its filter: none
    body = zlib.compress(rows.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def grey_levels(images: Floats) -> NDArray[np.uint8]:
    """Images with the least value of all as black and the greatest as white; what is not finite is black."""
    finite = np.isfinite(images)
    least, most = (images[finite].min(), images[finite].max()) if finite.any() else (0.0, 1.0)
    shares = (np.where(finite, images, least) - least) / ((most - least) or 1.0)
    return np.asarray(np.rint(shares * 255.0), dtype=np.uint8)


def ramp(shares: Floats) -> list[str]:
    """Colours from dark violet (0) to yellow (1)."""
    stops = np.array([[int(stop[at : at + 2], 16) for at in (0, 2, 4)] for stop in VIRIDIS], dtype=float)
    places = np.linspace(0.0, 1.0, len(stops))
    channels = np.rint([np.interp(shares, places, stops[:, c]) for c in range(3)]).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in channels.T]


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers between two ends."""
    rough = (high - low) / 5.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1.0, 2.0, 5.0, 10.0) if power * factor >= rough)
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def page(
    places: Floats,
    radii: Floats,
    pictures: NDArray[np.uint8],
    colours: Sequence[str],
    cards: Sequence[Sequence[str]],
    *,
    axes: tuple[str, str],
    equal: bool,
    key: Key,
    title: str,
) -> HoverPage:
    """Put the page together.

    `radii` holds each point's ellipse: two half axes in the units of `places`, and the angle of the first in degrees.
    `cards` holds the lines that are shown with a picture. `key` holds (colour, name) pairs, or the two ends of a scale.
    """
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    low, span = low - 0.06 * span, 1.12 * span
    room = np.array([WIDTH - LEFT - RIGHT, TALLEST - TOP - BOTTOM])
    scale = room / span if not equal else np.repeat((room / span).min(), 2)
    if not equal:
        scale[1] *= 0.7
    box = np.maximum(scale * span, [room[0] * 0.45, LOWEST - TOP - BOTTOM])
    low -= (box / scale - span) / 2.0  # what the box has too much is left free on both sides
    width, height = box + [LEFT + RIGHT, TOP + BOTTOM]

    def across(x: float) -> float:
        return float(LEFT + (x - low[0]) * scale[0])

    def down(y: float) -> float:
        return float(TOP + box[1] - (y - low[1]) * scale[1])

    bottom, right = TOP + box[1], LEFT + box[0]
    drawn = [f'<rect class="frame" x="{LEFT}" y="{TOP}" width="{box[0]:.1f}" height="{box[1]:.1f}"/>']
    for value in ticks(low[0], low[0] + box[0] / scale[0]):
        drawn.append(f'<path class="tick" d="M{across(value):.1f} {TOP}V{bottom:.1f}"/>')
        drawn.append(f'<text x="{across(value):.1f}" y="{bottom + 16:.1f}" text-anchor="middle">{value:.6g}</text>')
    for value in ticks(low[1], low[1] + box[1] / scale[1]):
        drawn.append(f'<path class="tick" d="M{LEFT} {down(value):.1f}H{right:.1f}"/>')
        drawn.append(f'<text x="{LEFT - 6}" y="{down(value) + 4:.1f}" text-anchor="end">{value:.6g}</text>')
    drawn.append(f'<text x="{(LEFT + right) / 2:.1f}" y="{height - 8:.1f}" text-anchor="middle">{axes[0]}</text>')
    middle = (TOP + bottom) / 2
    drawn.append(
        f'<text x="14" y="{middle:.1f}" text-anchor="middle" transform="rotate(-90 14 {middle:.1f})">{axes[1]}</text>'
    )
    drawn.append('<ellipse id="spread" visibility="hidden"/>')
    size = float(np.clip(60.0 / math.sqrt(len(places)), 2.5, 5.0))
    for i, ((x, y), colour) in enumerate(zip(places, colours, strict=True)):
        words = html.escape(", ".join(cards[i]), quote=True)
        drawn.append(
            f'<circle cx="{across(x):.1f}" cy="{down(y):.1f}" r="{size:.1f}" fill="{colour}" role="img" '
            f'tabindex="{0 if i == 0 else -1}" aria-label="{words}"/>'
        )

    sizes = np.column_stack([radii[:, :2] * scale, -radii[:, 2]])
    if not equal:  # one coordinate against the order: the first half axis is no length
        sizes[:, 0] = 3.0
    data: dict[str, Any] = {
        "pictures": [base64.b64encode(png(picture)).decode("ascii") for picture in pictures],
        "cards": [list(card) for card in cards],
        "spreads": [[round(float(v), 2) for v in row] if np.isfinite(row).all() else None for row in sizes],
    }
    tall, wide = pictures.shape[1:]
    enlarged = PICTURE / max(tall, wide)
    text = Template(TEMPLATE).substitute(
        title=html.escape(title or "LL-LVM embedding"),
        heading=f"<h1>{html.escape(title)}</h1>" if title else "",
        count=len(places),
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        drawn="\n".join(drawn),
        key=_key(key),
        wide=round(wide * enlarged),
        tall=round(tall * enlarged),
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
    )
    lines = 1 if isinstance(key, tuple) else math.ceil(sum(len(name) + 5 for _, name in key) / 85)
    return HoverPage(text, math.ceil(height) + 40 + 24 * min(lines, 8) + (36 if title else 0))


def _key(key: Key) -> str:
    if not key:
        return ""
    if isinstance(key, tuple):
        stops = ", ".join(f"#{stop}" for stop in VIRIDIS)
        low, high = html.escape(key[0]), html.escape(key[1])
        return f'<p class="key">{low}<i class="scale" style="background:linear-gradient(90deg, {stops})"></i>{high}</p>'
    entries = (f'<span><i style="background:{colour}"></i>{html.escape(name)}</span>' for colour, name in key)
    return f'<p class="key">{"".join(entries)}</p>'


# No dollar sign may stand in the style or the script: it marks what is filled in.
TEMPLATE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>$title</title>
<style>
:root { color-scheme: light dark; --back: #fff; --ink: #222; --soft: #667; --line: #8883; --rim: #0006; }
@media (prefers-color-scheme: dark) {
  :root { --back: #1b1c1f; --ink: #e6e6e6; --soft: #a5a8b0; --line: #9993; --rim: #fff9; }
}
body { margin: 0; padding: 12px; background: var(--back); color: var(--ink); font: 14px/1.4 system-ui, sans-serif; }
h1 { font-size: 17px; font-weight: 600; margin: 0 0 8px; }
#figure { position: relative; max-width: ${width}px; }
svg { display: block; width: 100%; height: auto; touch-action: pan-y; }
svg text { font-size: 12px; fill: var(--soft); }
.frame { fill: none; stroke: var(--line); }
.tick { stroke: var(--line); stroke-width: .6; }
circle { stroke: var(--rim); stroke-width: .5; outline: none; }
circle.on { stroke: var(--ink); stroke-width: 2; }
#spread { fill: var(--ink); fill-opacity: .12; stroke: var(--ink); stroke-width: 1; }
#card { position: absolute; display: none; pointer-events: none; padding: 8px; border-radius: 6px;
  background: var(--back); border: 1px solid var(--soft); box-shadow: 0 2px 8px #0004; white-space: nowrap; }
#card img { display: block; width: ${wide}px; height: ${tall}px; image-rendering: pixelated; }
#card div { max-width: 260px; overflow: hidden; text-overflow: ellipsis; font-variant-numeric: tabular-nums; }
#card div:first-of-type { font-weight: 600; margin-top: 4px; }
.key { margin: 8px 0 0; max-width: ${width}px; color: var(--soft); }
.key span { display: inline-block; margin: 0 14px 2px 0; }
.key i { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 5px;
  box-sizing: border-box; border: 1px solid var(--rim); }
.key i.scale { width: 160px; border-radius: 2px; margin: 0 8px; }
</style>
</head>
<body>
$heading
<div id="figure">
<svg viewBox="0 0 $width $height" role="group" aria-label="$title: $count points; arrow keys go from point to point">
$drawn
</svg>
<div id="card" aria-hidden="true"><img alt=""></div>
</div>
$key
<script type="application/json" id="data">$data</script>
<script>
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const figure = document.getElementById("figure"), svg = figure.querySelector("svg");
  const card = document.getElementById("card"), picture = card.querySelector("img");
  const spread = document.getElementById("spread");
  const circles = Array.from(svg.querySelectorAll("circle"));
  const places = circles.map(c => [+c.getAttribute("cx"), +c.getAttribute("cy")]);
  let shown = -1;

  function scale() { return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width; }

  function hide() {
    if (shown >= 0) circles[shown].classList.remove("on");
    shown = -1;
    card.style.display = "none";
    spread.setAttribute("visibility", "hidden");
  }

  function show(i) {
    if (i === shown) return;
    hide();
    shown = i;
    circles[i].classList.add("on");
    picture.src = "data:image/png;base64," + data.pictures[i];
    card.querySelectorAll("div").forEach(line => line.remove());
    data.cards[i].forEach(words => {
      const line = document.createElement("div");
      line.textContent = words;
      card.append(line);
    });
    const [x, y] = places[i], size = data.spreads[i];
    if (size) {
      spread.setAttribute("rx", size[0]);
      spread.setAttribute("ry", size[1]);
      spread.setAttribute("transform", "translate(" + x + " " + y + ") rotate(" + size[2] + ")");
      spread.setAttribute("visibility", "visible");
    }
    card.style.display = "block";
    const s = scale(), wide = card.offsetWidth, tall = card.offsetHeight;
    const left = x * s + 16 + wide > figure.clientWidth ? x * s - 16 - wide : x * s + 16;
    const top = Math.min(y * s - tall / 2, figure.clientHeight - tall);
    card.style.left = Math.max(0, left) + "px";
    card.style.top = Math.max(0, top) + "px";
  }

  // The point of least cost, or -1 if all cost infinity
  function nearest(cost) {
    let best = -1, least = Infinity;
    places.forEach((place, i) => {
      const value = cost(place[0], place[1], i);
      if (value < least) { least = value; best = i; }
    });
    return best;
  }

  function follow(event) {
    const rect = svg.getBoundingClientRect(), s = scale();
    const x = (event.clientX - rect.left) / s, y = (event.clientY - rect.top) / s;
    const i = nearest((a, b) => { const far = Math.hypot(a - x, b - y); return far < 16 ? far : Infinity; });
    if (i < 0) hide(); else show(i);
  }
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", hide);

  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  svg.addEventListener("keydown", event => {
    const from = circles.indexOf(document.activeElement), way = ways[event.key];
    if (event.key === "Escape") hide();
    if (from < 0 || !way) return;
    event.preventDefault();
    const [x, y] = places[from];
    const to = nearest((a, b, i) => {
      const along = (a - x) * way[0] + (b - y) * way[1];
      const aside = Math.abs((a - x) * way[1]) + Math.abs((b - y) * way[0]);
      return i !== from && along > 0 && aside <= 2 * along ? along + 2 * aside : Infinity;
    });
    if (to < 0) return;
    circles[from].tabIndex = -1;
    circles[to].tabIndex = 0;
    circles[to].focus();
  });
  svg.addEventListener("focusin", event => { const i = circles.indexOf(event.target); if (i >= 0) show(i); });
  svg.addEventListener("focusout", hide);
})();
</script>
</body>
</html>
"""
