"""A fitted model put to use: rows that it has not seen."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from . import _blocks, _settings, _table_input, _views
from ._attributes import Array, Attributes
from ._progress import Bar, warn
from ._summary import counted


class NewRows(Attributes):
    """Rows placed, expected, scored and drawn."""

    def transform(self, X: Any, return_std: bool = False) -> Any:
        """Coordinates of new rows.

        A row that was fitted is where the fit put it; any other is placed by its nearest training rows, which stay
        where they are. Each row is placed by itself, so that blocks of rows give the same as all at once. A Dask array
        gives a Dask array, computed block by block.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), or dict of views
            New rows; distances to the training rows if distances were fitted. Of a model with views, also a dict of
            some views and their columns, or a data frame with only their columns.
        return_std : bool, default=False
            Also return standard deviations.

        Returns
        -------
        coordinates : ndarray of shape (n_rows, n_components)
        std : ndarray of shape (n_rows, n_components)
            If `return_std`.
        """
        if _blocks.is_dask(X):
            check_is_fitted(self, "_native")
            return _blocks.transform_dask(self, X, return_std)
        native, table = self._fitted(), self._partial_rows(X)
        coordinates, deviations, unsettled = native.transform(table, _settings.threads(self.n_jobs))
        if unsettled:
            text = f"{unsettled} of {counted(len(table), 'row')} had not come to rest; do not trust their coordinates"
            warn(text, ConvergenceWarning)
        return (coordinates, deviations) if return_std else coordinates

    def inverse_transform(self, X: Any, return_std: bool = False) -> Any:
        """Measurements that are expected at coordinates.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_components)
            Coordinates.
        return_std : bool, default=False
            Also return the standard deviation of a measurement made there.

        Returns
        -------
        values : ndarray of shape (n_rows, n_features)
        std : ndarray of shape (n_rows, n_features)
            If `return_std`.
        """
        native, coordinates = self._fitted(), _table_input.checked(X)
        values, deviations = native.reconstruct(coordinates, False, _settings.threads(self.n_jobs))
        return (values, deviations) if return_std else values

    def predict_view(self, name: str, X: Any, return_std: bool = False) -> Any:
        """One view of rows, expected from their other features.

        Parameters
        ----------
        name : str
            The view.
        X : array_like of shape (n_rows, n_features), or dict of views
            Rows, as for :meth:`transform`; what they have of this view does not count.
        return_std : bool, default=False
            Also return standard deviations.

        Returns
        -------
        values : ndarray of shape (n_rows, n_features_of_view)
        std : ndarray of shape (n_rows, n_features_of_view)
            If `return_std`.
        """
        native = self._fitted()
        views = self.views_
        if name not in views:
            allowed = f"one of {', '.join(map(repr, views))}" if views else "a model with views"
            raise _settings.wrong("name", name, allowed)
        features = views[name]["features"]
        table = self._partial_rows(X).copy()
        table[:, features] = np.nan
        if np.isnan(table).all():
            raise ValueError(f"X has no feature outside of the view {name!r}; give columns of another view")
        values, deviations = native.predict(table, _settings.threads(self.n_jobs))
        values, deviations = values[:, features], deviations[:, features]
        return (values, deviations) if return_std else values

    def score(self, X: Any = None, y: Any = None) -> float:
        """The mean log-density of rows, in nats; higher is better.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), default=None
            Rows, scored by :meth:`score_samples`; without it the rows that were fitted, each held out.
        y : ignored
        """
        native = self._fitted()
        if X is None:
            return float(np.mean(native.left_out_scores(_settings.threads(self.n_jobs))))
        return float(self.score_samples(X).mean())

    def score_samples(self, X: Any, kernel: bool = False) -> Array:
        """Log-density of rows, in nats and in the units of the table: the lower, the stranger.

        It is a proper density, which compares with those of other methods and settings: a mixture of Gaussians around
        the training rows that reach along the local maps. A row that was fitted is held out for it. One that lacks
        entries (NaN) has the density of those that it has, which compares only with rows that lack the same.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features)
        kernel : bool, default=False
            By the kernel density of the training rows instead, which has no maps: what a model must beat.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        native, threads = self._fitted(), _settings.threads(self.n_jobs)
        if _settings.switch("kernel", kernel):
            return native.kernel_score(self._rows(X), threads)
        return native.score(self._rows(X), threads)[0]

    def novelty(self, X: Any) -> Array:
        """The share of training rows that are less strange than each row, from 0 to 1.

        Training rows are held out one by one, and the maps around them forget them; after :meth:`calibrate` they are
        held out of whole fits. Ordinary new rows have about 0.5 on average. A row that lacks entries has none (NaN),
        since densities of different features do not compare.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        native = self._fitted()
        return native.score(self._rows(X), _settings.threads(self.n_jobs))[1]

    def sample(self, n_samples: int = 1, random_state: Any = 0, return_coordinates: bool = False) -> Any:
        """New rows drawn from the model, each next to a random training row.

        Parameters
        ----------
        n_samples : int, default=1
        random_state : int, numpy generator or None, default=0
        return_coordinates : bool, default=False
            Also return the coordinates that were drawn.

        Returns
        -------
        X : ndarray of shape (n_samples, n_features)
        coordinates : ndarray of shape (n_samples, n_components)
            If `return_coordinates`.
        """
        native = self._fitted()
        count = _settings.count("n_samples", n_samples, self.n_features_in_ + self._n_features_out)
        values, coordinates = native.sample(count, _settings.seed(random_state), _settings.threads(self.n_jobs))
        return (values, coordinates) if return_coordinates else values

    def transform_file(
        self,
        source: str | os.PathLike[str],
        destination: str | os.PathLike[str],
        *,
        columns: Iterable[str] | None = None,
        id_column: str | None = None,
        label_column: str | None = None,
        sheet: str | None = None,
        details: bool = False,
        overwrite: bool = False,
    ) -> int:
        """Places the rows of a table file and writes them to another, in memory that does not grow with the file.

        Parameters
        ----------
        source : path
            CSV, TSV, .xlsx, .ods, .npy, .npz, Parquet or Arrow.
        destination : path
            CSV or Parquet, with columns id, x1 …, sd1 …, log_density, novelty. It appears when it is complete; after
            Ctrl-C it holds the rows until then, with a warning.
        columns : iterable of str, default=None
            The columns that are the features, in the order of the fit, by name or number from 1; without it those with
            the names of the features.
        id_column, label_column : str, default=None
            Columns to be carried over.
        sheet : str, default=None
            Which sheet of a spreadsheet to read; without it the first that has cells.
        details : bool, default=False
            Also write the neighbours, covariance and local map of each row.
        overwrite : bool, default=False
            Whether `destination` may exist.

        Returns
        -------
        int
            Number of rows.
        """
        native = self._fitted()
        if self._distances is not None:
            raise ValueError("transform_file needs measurements, and this model was fitted to distances; use transform")
        with Bar("transform", self.verbose) as bar:
            rows, _, interrupted = native.transform_file(
                os.fspath(source),
                os.fspath(destination),
                overwrite=overwrite,
                details=details,
                columns=None if columns is None else [str(column) for column in columns],
                id_column=id_column,
                label_column=label_column,
                sheet=sheet,
                threads=_settings.threads(self.n_jobs),
                progress=bar.callback,
            )
        if interrupted:
            warn(f"interrupted after {rows} rows; the file has no more")
        return rows

    def iter_transform(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Places batches of rows one after the other.

        Parameters
        ----------
        batches : iterable
            Tables of any kind that `transform` takes, or Arrow record batches, for instance a
            ``pyarrow.dataset.Dataset.to_batches()``. An Arrow batch may have other columns too.

        Yields
        ------
        ndarray or pyarrow.RecordBatch
            Coordinates; for an Arrow batch a batch of columns x1 …, sd1 ….
        """
        check_is_fitted(self, "_native")
        return _blocks.transform_batches(self, batches)

    def _partial_rows(self, X: Any) -> Array:
        """New rows, checked; they may lack views, and entries unless these are an error."""
        native = self._fitted()
        views = [(name, features) for name, features, _ in native.views]
        wide = X if self._distances is not None else _views.widened(X, views, native.feature_names)
        return self._rows(X) if wide is X else _table_input.contiguous(wide)

    def _rows(self, X: Any) -> Array:
        """New rows, checked, as measurements."""
        may_miss = self.missing != "error" and self._distances is None
        table = _table_input.checked(X, self, may_miss=may_miss)
        return table if self._distances is None else _table_input.contiguous(self._distances.place(table))
