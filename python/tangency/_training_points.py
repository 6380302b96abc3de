"""What a fitted model knows of its own points."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from . import _settings, _tangency
from ._attributes import Array, Attributes
from ._loadings import Loadings
from ._progress import Bar
from ._summary import Summary

if TYPE_CHECKING:
    from typing_extensions import Self

    from ._lllvm import LLLVM
    from ._report import Report


class TrainingPoints(Attributes):
    """Loadings, distances and draws of the points that were fitted, and how far to trust them."""

    def loadings(self, points: Any = None) -> Loadings:
        """Change of each feature per unit of each coordinate.

        What it returns shows itself as a table, the strongest features first; ``.to_pandas()`` makes a data frame.

        Parameters
        ----------
        points : int or sequence of int, default=None
            Points to average over; all without it.

        Returns
        -------
        mean, std : ndarray of shape (n_features, n_components)
            At one point `std` is exact. Of an average it is that of the average, from draws of all points together:
            maps of neighbours vary together, so it is less than at one point, but not as if points were independent.
            The factorised engine takes points as independent, and its `std` is too small.
        """
        native = self._fitted()
        (mean, std, _), order, _ = _tangency.loadings(native, self._points(points))
        return Loadings(mean, std, native.feature_names, order)

    def _points(self, points: Any) -> list[int]:
        """Points of the model by their numbers; all without them."""
        chosen = np.arange(len(self.embedding_)) if points is None else np.atleast_1d(np.asarray(points))
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or (chosen.size and chosen.min() < 0):
            raise ValueError(
                f"points is empty or names a point that is not there; give points from 0 to {len(self.embedding_) - 1}"
            )
        return list(chosen.tolist())

    def summary(self) -> Summary:
        """The model in short: what ``tangency info --json`` gives. It shows itself as a few lines.

        Returns
        -------
        dict
            Sizes, graph, bound and its parts, hyper-parameters, spread of the coordinates, engine, settings, warnings.
        """
        return Summary(json.loads(_tangency.summary(self._fitted())))

    def report(self, X: Any = None, path: Any = None, **options: Any) -> Report:
        """Makes one HTML page of the model; see :func:`tangency.report`, which takes the same.

        Parameters
        ----------
        X : array_like or path, default=None
            New rows to be placed and shown too, or the file that the page is written to.
        path : path, default=None
            Where the page is written, if anywhere.
        **options
            Passed on: labels, ids, title and others.

        Returns
        -------
        Report
        """
        from ._report import report

        return report(cast("LLLVM", self), X, path, **options)

    def history(self) -> dict[str, Any]:
        """How the bound rose: the bound, its parts and the hyper-parameters after each iteration.

        Returns
        -------
        dict
            ``bound`` in nats; ``parts`` and ``hyperparameters``, each a list of dictionaries with ``name``, ``label``,
            ``about``, ``values`` and ``last``; ``final``, ``per_point`` and ``scaled``.
        """
        return cast("dict[str, Any]", json.loads(_tangency.history(self._fitted())))

    def leave_one_out(self) -> dict[str, Array]:
        """Each training row as the others see it: a large strain shows where the manifold is badly fitted.

        Returns
        -------
        dict
            Arrays ``coordinates``, ``values`` and ``std`` (what the others expect there), ``strain`` (root mean square
            of the standardised differences); NaN for a row that alone holds the graph together.
        """
        found = self._fitted().left_out(_settings.threads(self.n_jobs))
        return dict(zip(("coordinates", "values", "std", "strain"), found, strict=True))

    def calibrate(self, parts: int = 10) -> Self:
        """Finds out how the model does on rows that it has not seen, by fits without one part of the rows in turn.

        From then on `novelty` is a share of rows that were held out, and standard deviations of measurements are
        multiplied by what was found. It takes about as long as `parts` fits.

        Parameters
        ----------
        parts : int, default=10

        Returns
        -------
        self : LLLVM
        """
        native = self._fitted()
        with Bar("calibrate", self.verbose) as bar:
            made = native.calibrated(_settings.whole("parts", parts, 2), _settings.threads(self.n_jobs), bar.callback)
        self._adopt(made)
        return self

    def distance_interval(self, i: int, j: int, level: float = 0.9) -> dict[str, float]:
        """The distance between two points of the embedding with its credible interval; needs ``full_covariance=True``.

        Parameters
        ----------
        i, j : int
            Points.
        level : float, default=0.9
            Probability of the interval.

        Returns
        -------
        dict
            ``of_means``, ``lower``, ``median``, ``upper``.
        """
        native, last = self._fitted(), len(self.embedding_) - 1
        first, second = _settings.whole("i", i, 0, last), _settings.whole("j", j, 0, last)
        share = _settings.real("level", level)
        if not 0 < share < 1:
            raise ValueError(f"level is {share}; use a number between 0 and 1")
        found = native.distance_interval(first, second, share)
        return dict(zip(("of_means", "lower", "median", "upper"), found, strict=True))

    def sample_embedding(self, n_draws: int = 1, random_state: Any = 0) -> Array:
        """Draws of all coordinates from their posterior; needs ``full_covariance=True``.

        Parameters
        ----------
        n_draws : int, default=1
        random_state : int, numpy generator or None, default=0

        Returns
        -------
        ndarray of shape (n_draws, n_samples, n_components)
        """
        native = self._fitted()
        count = _settings.count("n_draws", n_draws, self.embedding_.size)
        return native.sample_coordinates(count, _settings.seed(random_state), _settings.threads(self.n_jobs))

    def plot(self, labels: ArrayLike | None = None, **options: Any) -> Any:
        """Draws the embedding with its uncertainty; see :func:`tangency.plotting.embedding`.

        Parameters
        ----------
        labels : array_like, default=None
            Numbers or names that colour the points.
        **options
            Passed on.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from . import plotting

        check_is_fitted(self, "_native")
        return plotting.embedding(self, labels, **options)
