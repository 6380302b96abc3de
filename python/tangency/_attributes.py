"""What a fit leaves with the estimator."""

from __future__ import annotations

import html
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _graph_input
from ._distances import Scaled
from ._tangency import Model

Array = NDArray[np.float64]


class Attributes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The native model, and the attributes that are read from it: some at once, large ones when they are asked for."""

    n_jobs: int | None
    verbose: Any
    n_features_in_: int
    alpha_: float
    gamma_: float
    lambda_: float
    nu_: float
    heaviness_: float
    _native: Model
    _distances: Scaled | None

    def _adopt(self, native: Model) -> None:
        """Takes over what a native model holds."""
        self._native = native
        self.embedding_ = native.coordinates
        self.embedding_std_ = native.deviations
        self.lower_bound_ = native.bound
        self.lower_bounds_ = native.bounds
        for name, value in native.hyperparameters:
            setattr(self, f"{name}_", value)
        self.feature_weight_, self.feature_weights_ = native.feature_weights
        self.lengths_ = None if native.lengths is None else json.loads(native.lengths)
        self.trustworthiness_ = native.quality
        self.quality_ = json.loads(native.measures)
        self.n_used_ = native.n_used
        self.dimension_ = None if native.dimension is None else json.loads(native.dimension)
        self.scaling_ = None if native.scaling is None else json.loads(native.scaling)
        self.neighbors_ = None if native.neighbors is None else json.loads(native.neighbors)
        self.n_iter_ = len(self.lower_bounds_)
        self.stop_reason_ = native.stop
        self.engine_, self.engine_reason_, self.solver_, self.bound_error_ = native.engine
        self.deviation_kind_, self.deviation_error_ = native.deviation_kind
        self.neighbor_recall_ = native.recall
        self.reduced_ = native.reduced
        self.rows_ = np.asarray(native.rows, dtype=np.int64)

    @property
    def _repr_html_(self) -> Any:
        """The page of scikit-learn; how good the map is comes first."""
        plain = super()._repr_html_
        return lambda: f"{self._glance()}{plain()}"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        # what notebooks take where there is one
        shown: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return shown | ({"text/html": f"{self._glance()}{shown['text/html']}"} if "text/html" in shown else {})

    def _glance(self) -> str:
        glance = self._native.glance if self.__sklearn_is_fitted__() else None
        return "" if glance is None else f"<p>{html.escape(glance)}</p>"

    def _fitted(self) -> Model:
        check_is_fitted(self, "_native")
        return self._native

    def __sklearn_is_fitted__(self) -> bool:
        return "_native" in self.__dict__

    @property
    def embedding_covariances_(self) -> Array:
        """Covariance of each point's coordinates."""
        return self._attribute("covariances")

    @property
    def embedding_covariance_(self) -> Array:
        """Covariance of all coordinates."""
        full = self._attribute("full_covariance")
        if full is None:
            raise AttributeError("embedding_covariance_ is kept only by a fit with full_covariance=True")
        return full

    @property
    def maps_(self) -> Array:
        """Local maps in the units of the table."""
        return self._attribute("maps")

    @property
    def maps_std_(self) -> Array:
        """Standard deviations of the local maps."""
        return self._attribute("map_deviations")

    @property
    def sociability_(self) -> Array | None:
        """How readily each point has neighbours."""
        found = self._attribute("sociability")
        return None if found is None else np.asarray(found)

    @property
    def feature_noise_(self) -> Array:
        """Standard deviation of each feature's noise."""
        return np.asarray(self._attribute("feature_noise"))

    @property
    def feature_explained_(self) -> Array | None:
        """Share of each feature's variance that is explained."""
        found = self._attribute("feature_explained")
        return None if found is None else np.asarray(found)

    @property
    def views_(self) -> dict[str, dict[str, Any]]:
        """Groups of features."""
        return {
            name: {"features": features, "explained": explained}
            for name, features, explained in self._attribute("views")
        }

    @property
    def imputed_(self) -> NDArray[Any] | None:
        """Entries that the table lacked."""
        found = self._attribute("imputed")
        if found is None:
            return None
        made = np.empty(len(found[0]), dtype=[("row", int), ("feature", int), ("value", float), ("std", float)])
        made["row"], made["feature"] = np.asarray(found[0]), found[1]
        made["value"], made["std"] = found[2], found[3]
        return made

    @property
    def edges_(self) -> NDArray[np.uint32]:
        """Edges of the graph."""
        return self._attribute("edges")

    @property
    def bridges_(self) -> NDArray[np.uint32]:
        """Edges that join pieces."""
        return self._attribute("bridges")

    @property
    def removed_edges_(self) -> NDArray[np.uint32]:
        """Edges that pruning removed."""
        return self._attribute("removed")

    @property
    def graph_(self) -> sparse.csr_array:
        """The neighbour graph."""
        return _graph_input.adjacency(self.edges_, len(self.embedding_))

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def _attribute(self, name: str) -> Any:
        # an AttributeError, so that hasattr says no before the fit
        if "_native" not in self.__dict__:
            raise AttributeError(f"this LLLVM is not fitted yet; call fit before asking for its {name}")
        return getattr(self._native, name)
