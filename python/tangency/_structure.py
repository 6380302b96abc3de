"""What the structure within the manifold says of rows: groups, classes, values in the units of the user."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from . import _settings
from ._attributes import Array
from ._new_rows import NewRows
from ._progress import warn
from ._summary import counted


def _has_groups(model: Any) -> bool:
    return getattr(model, "groups", None) is not None


class StructuredRows(NewRows):
    """Groups and known values of training rows and of new ones."""

    groups: Any

    def _structure(self) -> dict[str, Any]:
        text = self._attribute("structure")
        found: dict[str, Any] = {} if text is None else json.loads(text)
        return found

    @property
    def structure_(self) -> dict[str, Any] | None:
        """The structure within the manifold in short."""
        return self._structure() or None

    @property
    def n_groups_(self) -> int:
        """Number of groups."""
        return int(self._part("groups")["count"])

    @property
    def probabilities_(self) -> Array:
        """How likely each row is of each group or class."""
        self._part("groups")
        return np.asarray(self._attribute("structure_of_points")[1])

    @property
    def groups_(self) -> NDArray[Any]:
        """The likeliest group or class of each row."""
        return self._names()[self.probabilities_.argmax(axis=1)]

    @property
    def known_(self) -> Array:
        """Coordinates in the units of the anchors, or the covariates, of each row."""
        return self._known(self._attribute("structure_of_points")[0])[0]

    @property
    def known_std_(self) -> Array:
        """Their standard deviations."""
        return self._known(self._attribute("structure_of_points")[0])[1]

    @available_if(_has_groups)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest group or class of new rows.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), or dict of views
            New rows.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes as `y` of `fit` has them, or numbers of groups from 0.
        """
        return self._names()[self.predict_proba(X).argmax(axis=1)]

    @available_if(_has_groups)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """How likely new rows are of each group or class.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), or dict of views
            New rows.

        Returns
        -------
        ndarray of shape (n_rows, n_groups)
            In the order of `classes_` with labels.
        """
        self._part("groups")
        return self._of_rows(X)[1]

    def predict_known(self, X: Any, return_std: bool = False) -> Any:
        """Coordinates of new rows in the units of the anchors, or their covariates.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), or dict of views
            New rows.
        return_std : bool, default=False
            Also return standard deviations.

        Returns
        -------
        values : ndarray of shape (n_rows, n_values)
        std : ndarray of shape (n_rows, n_values)
            If `return_std`.
        """
        values, deviations = self._known(self._of_rows(X)[0])
        return (values, deviations) if return_std else values

    def _names(self) -> NDArray[Any]:
        classes: NDArray[Any] | None = getattr(self, "classes_", None)
        return np.arange(self.n_groups_) if classes is None else classes

    def _known(self, cells: Array) -> tuple[Array, Array]:
        self._part("known")
        width = cells.shape[1] // 2
        return cells[:, :width], cells[:, width:]

    def _of_rows(self, X: Any) -> tuple[Array, Array]:
        native, table = self._fitted(), self._partial_rows(X)
        found, unsettled = native.structure_of_rows(table, _settings.threads(self.n_jobs))
        if unsettled:
            text = f"{unsettled} of {counted(len(table), 'row')} had not come to rest; do not trust their values"
            warn(text, ConvergenceWarning)
        return found

    def _part(self, name: str) -> Any:
        found = self._structure()
        if name not in found:
            given = "groups" if name == "groups" else "anchors or covariates"
            raise AttributeError(f"this model has no {name}; fit it with {given}")
        return found[name]
