"""What pictures need of a model, its labels and its images, checked. Needs numpy only."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from colorsys import hsv_to_rgb
from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._tangency import axis_name, ellipses

if TYPE_CHECKING:
    from ._lllvm import LLLVM

Floats = NDArray[np.float64]
Key: TypeAlias = list[tuple[str, str]] | tuple[str, str]

VIRIDIS = ("440154", "482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725")

# Okabe and Ito's colours, distinct for the colour-blind; those that are faint on white come last
OKABE_ITO = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000", "#F0E442")
# Matplotlib's tab20, the ten full colours first; its two greys are replaced, because grey means no label
TAB20 = (
    "#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#303030", "#bcbd22", "#17becf",
    "#aec7e8", "#ffbb78", "#98df8a", "#ff9896", "#c5b0d5", "#c49c94", "#f7b6d2", "#7a6a9a", "#dbdb8d", "#9edae5",
)  # fmt: skip
GREY = "#9a9a9a"


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
    return choose_places(model.embedding_, components)


def choose_places(embedding: Any, components: Sequence[int]) -> tuple[Floats, tuple[int, ...]]:
    """The same for coordinates without a model."""
    coordinates = np.asarray(embedding, dtype=float)
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
        raise ValueError(f"components is {chosen} but {have}; give numbers from 0 to {d_x - 1}")
    if len(chosen) == 2:
        return coordinates[:, list(chosen)], chosen
    return np.column_stack([np.arange(len(coordinates)), coordinates[:, chosen[0]]]), chosen


def axis_names(chosen: tuple[int, ...]) -> tuple[str, str]:
    if len(chosen) == 1:
        return "row", axis_name(chosen[0])
    return axis_name(chosen[0]), axis_name(chosen[1])


def read_ellipses(model: LLLVM, chosen: tuple[int, ...]) -> Floats:
    """Half axes of one standard deviation, the longer first, and the angle of that in degrees. [n, 3]"""
    return ellipses(model._native, *chosen)


def ellipses_of(covariances: Floats) -> Floats:
    """The same for covariances of two coordinates. [n, 2, 2]"""
    sizes = np.full((len(covariances), 3), np.nan)
    known = np.isfinite(covariances).all(axis=(1, 2))
    variances, directions = np.linalg.eigh(covariances[known])
    sizes[known, :2] = np.sqrt(np.maximum(variances[:, ::-1], 0.0))
    sizes[known, 2] = np.degrees(np.arctan2(directions[:, 1, 1], directions[:, 0, 1]))
    return sizes


def read_labels(labels: Any, n: int) -> Paint:
    """Labels of any kind as numbers or classes."""
    if labels is None:
        return Paint(np.zeros(n, dtype=np.intp), [])
    title = name_of(labels) or ""
    categories = getattr(labels, "cat", labels)  # of a pandas Series, or a Categorical itself
    grouped = hasattr(categories, "categories") and hasattr(categories, "codes")
    table = np.asarray(categories.codes) if grouped else np.asarray(labels)
    if isinstance(labels, str):
        raise ValueError(f"labels is {labels!r}; give the labels themselves, one a point, such as table[{labels!r}]")
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim != 1 or len(table) != n:
        found = f"{len(table)} entries" if table.ndim == 1 else f"shape {table.shape}"
        way_out = "give one label a point (with largest=True: labels[model.rows_])"
        raise ValueError(f"labels has {found} but the model has {n} points; {way_out}")
    if grouped:
        return Paint(table.astype(np.intp), [str(name) for name in categories.categories], title=title)
    missing = np.array([is_missing(entry) for entry in table])
    kept = table[~missing]
    if table.dtype.kind in "iuf" or (len(kept) and all(isinstance(v, Real) and not _is_bool(v) for v in kept)):
        values = np.full(n, np.nan)
        values[~missing] = kept.astype(float)
        return Paint(np.full(n, -1, dtype=np.intp), [], values, title)
    words = [None if lost else str(entry) for entry, lost in zip(table, missing, strict=True)]
    names = sorted({word for word in words if word is not None}, key=natural)
    code = {name: c for c, name in enumerate(names)}
    return Paint(np.array([-1 if word is None else code[word] for word in words], dtype=np.intp), names, title=title)


def name_of(labels: Any) -> str | None:
    """What labels are called, such as a column of a data frame."""
    name = getattr(labels, "name", None)
    return None if name is None or name == "" else str(name)


def is_missing(entry: Any) -> bool:
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
    """As many different colours; up to eight are distinct for the colour-blind."""
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


def ramp(shares: Floats) -> list[str]:
    """Colours from dark violet (0) to yellow (1)."""
    stops = np.array([[int(stop[at : at + 2], 16) for at in (0, 2, 4)] for stop in VIRIDIS], dtype=float)
    places = np.linspace(0.0, 1.0, len(stops))
    channels = np.rint([np.interp(shares, places, stops[:, c]) for c in range(3)]).astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in channels.T]
