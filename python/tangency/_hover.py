"""The hover page: one HTML file whose points show their images.

Needs numpy only. Everything is inside the page, and its content policy forbids the network.
"""

from __future__ import annotations

import base64
import html
import json
import math
import os
import struct
import zlib
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._paint import VIRIDIS, Floats, Key, axis_names, read_ellipses, read_images, read_labels, read_places
from ._tangency import REACH, axis_name

if TYPE_CHECKING:
    from ._lllvm import LLLVM

WIDTH = 720.0
TALLEST, LOWEST = 640.0, 260.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 16.0, 16.0, 46.0
# The side of a picture in the page, in pixels
PICTURE = 112


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
        radii = read_ellipses(model, chosen) * [REACH, REACH, 1.0]
    else:
        radii = np.column_stack([np.zeros(n), REACH * std[:, 0], np.zeros(n)])
    numbers = np.asarray(getattr(model, "rows_", np.arange(n)), dtype=int)
    called = model._native.ids or [f"row {number}" for number in numbers]
    cards = [
        [*paint.words(i), called[i]]
        + [f"{axis_name(a)}: {x:.4g} ± {s:.2g}" for a, (x, s) in enumerate(zip(coordinates[i], std[i], strict=True))]
        for i in range(n)
    ]
    colours, key = paint.hexes()
    axes = axis_names(chosen)
    return page(
        places, radii, pictures, colours, cards, axes=axes, equal=len(chosen) == 2, key=key, title=title
    )


def _template() -> str:
    # no dollar sign may stand in its style or script: it marks what is filled in
    return files("tangency").joinpath("_hover.html").read_text(encoding="utf-8")


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
    text = Template(_template()).substitute(
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
