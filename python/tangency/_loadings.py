"""Which features change along which coordinate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _shown
from ._tangency import axis_name

if TYPE_CHECKING:
    from typing_extensions import Self

Array = NDArray[np.float64]


class Loadings(tuple[Array, Array]):
    """Change of each feature per unit of each coordinate: a pair ``mean, std``. :meth:`LLLVM.loadings` makes it.

    Attributes
    ----------
    features : list of str
        Names of the features, one a row.
    order : list of int
        The features that change most, the strongest first.
    """

    features: list[str]
    order: list[int]

    def __new__(cls, mean: Array, std: Array, features: list[str], order: list[int]) -> Self:
        made = super().__new__(cls, (mean, std))
        made.features, made.order = features, order
        return made

    def __getnewargs__(self) -> tuple[Array, Array, list[str], list[int]]:
        return self.mean, self.std, self.features, self.order

    @property
    def mean(self) -> Array:
        """The change, of shape (n_features, n_components)."""
        return self[0]

    @property
    def std(self) -> Array:
        """Its standard deviation."""
        return self[1]

    def to_pandas(self) -> Any:
        """A pandas data frame with a feature a row: the change along each coordinate, and its standard deviations.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        axes = self._axes()
        frame = pandas.DataFrame(np.hstack([self.mean, self.std]), index=self.features)
        return frame.set_axis([*axes, *(f"{axis}_std" for axis in axes)], axis=1).rename_axis("feature")

    def _axes(self) -> list[str]:
        return [axis_name(a) for a in range(self.mean.shape[1])]

    def _rows(self) -> list[list[str]]:
        cells = [[f"{m:.4g} ± {s:.2g}" for m, s in zip(*pair, strict=True)] for pair in zip(*self, strict=True)]
        return [[self.features[row], *cells[row]] for row in self.order]

    def __repr__(self) -> str:
        return _shown.text(["feature", *self._axes()], self._rows())

    def _repr_html_(self) -> str:
        return _shown.markup(["feature", *self._axes()], self._rows())
