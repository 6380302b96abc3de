"""What a comparison of methods found."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _settings, _shown, _tangency
from ._lllvm import LLLVM
from ._paint import Paint, read_labels
from ._report import Report, next_calls, repeated, save

Array = NDArray[np.float64]
Panel = tuple[str, str, Array]

#: Measures of the records and what the table calls them.
MEASURES = {
    "procrustes": "Procrustes",
    "affine_r2": "R²",
    "truth_trustworthiness": "trust (truth)",
    "truth_continuity": "cont. (truth)",
    "trustworthiness": "trust",
    "continuity": "continuity",
    "explained": "explained",
    "log_density": "density",
    "geodesic_correlation": "geodesic",
    "knn_error": "1-NN error",
    "knn_error_deviation": "±",
}
FIGURES = ("svg", "png", "pdf")


class Comparison:
    """Embeddings of one table by several methods, with their measures. :func:`compare` makes it.

    It shows itself as a table.

    Attributes
    ----------
    records : list of dict
        One a method: method, settings, seconds, peak_mib (most memory that the library held meanwhile), mean_rank (of
        the method by explained, trustworthiness, continuity and log_density, which need no truth; 1 is the best),
        objective (the bound or the likelihood; comparable only within a method), the measures of
        :mod:`tangency.quality` (procrustes, affine_r2, truth_trustworthiness and truth_continuity against the truth;
        trustworthiness, continuity and geodesic_correlation against the table; knn_error and its deviation from fold to
        fold against the labels), explained (share of the variance, each row expected from those nearest in the
        embedding by a regression that has not seen it), log_density (mean of a row by all others, in nats, from
        Gaussians along these regressions), note, failed. What could not be measured is None.
    embeddings : dict of str to ndarray
        Coordinates by method, as the method gave them, of shape (n_samples, n_components).
    rows : ndarray of shape (n_samples,)
        Rows of the table that took part; all of them unless `largest`.
    model : LLLVM or None
        The fitted model, if 'll-lvm' or 'll-lvm-pruned' was among the methods: the one on the graph as it is.
    complete : bool
        Whether all methods ran; not so if Ctrl-C came between.
    filled_in : dict or None
        Where the table lacks entries: how many, in how many rows, and among which rows neighbourhoods are measured
        (those without gaps, or all, as filled in). The model has the table as it is, the other methods the one that is
        filled in.
    """

    def __init__(
        self,
        records: list[dict[str, Any]],
        embeddings: dict[str, Array],
        rows: NDArray[np.int64],
        model: LLLVM | None,
        complete: bool,
        text: str,
        panels: list[Panel],
        truth: Array | None,
        labels: list[str] | None,
        label_name: str | None,
        filled_in: tuple[str, str] | None,
    ) -> None:
        self.records, self.embeddings, self.rows, self.model = records, embeddings, rows, model
        self.complete = complete
        self.filled_in = None if filled_in is None else json.loads(filled_in[1])
        self._remark = None if filled_in is None else filled_in[0]
        self._text, self._panels, self._truth = text, panels, truth
        self._labels, self._label_name = labels, label_name

    def to_pandas(self) -> Any:
        """The records as a pandas data frame.

        Returns
        -------
        pandas.DataFrame
        """
        import pandas

        return pandas.DataFrame(self.records)

    def plot(self, colour: ArrayLike | None = None, **options: Any) -> Any:
        """Draws all embeddings side by side; see :func:`tangency.plotting.comparison`.

        Parameters
        ----------
        colour : array_like of shape (n_samples,), default=None
            Numbers or names that colour the points; the labels, or the truth, without it.
        **options
            Passed on.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from . import plotting

        return plotting.comparison(self, colour, **options)

    def figure(
        self, path: str | os.PathLike[str], colour: ArrayLike | None = None, *, title: str | None = None
    ) -> Path:
        """Writes the same picture without matplotlib, as the command ``tangency compare`` draws it.

        Parameters
        ----------
        path : path
            A file that ends in .svg, .png or .pdf.
        colour : array_like of shape (n_samples,), default=None
            Numbers or names that colour the points; the labels, or the truth, without it.
        title : str, default=None
            Heading; the number of points without it.

        Returns
        -------
        pathlib.Path
        """
        kind = Path(path).suffix.lower().removeprefix(".")
        if kind not in FIGURES:
            raise ValueError(f"path is {_settings.shown(os.fspath(path))}; give a name that ends in .svg, .png or .pdf")
        labels, values, titles = self._colours(colour)
        heading = f"{len(self.rows)} points" if title is None else str(title)
        return save(path, _tangency.multiples(self._panels, labels, values, titles, title=heading, kind=kind))

    def report(self, path: str | os.PathLike[str] | None = None, *, title: str = "") -> Report:
        """Makes the page of the fitted model, with the other methods next to it.

        Parameters
        ----------
        path : path, default=None
            Where the page is written, if anywhere.
        title : str, default=''
            Heading.

        Returns
        -------
        Report
        """
        if self.model is None:
            raise ValueError("there is no page, because the model was not fitted; put 'll-lvm' among the methods")
        made = Report(
            _tangency.report(
                self.model._native,
                None,
                (None, None),
                (self._labels, None),
                self._label_name,
                image=None,
                title=str(title) or "LL-LVM beside other methods",
                calls=next_calls(self.model),
                command=repeated(self.model),
                threads=_settings.threads(self.model.n_jobs),
                comparisons=[panel for panel in self._panels if panel[0] != "ll-lvm"],
                remark=self._remark,
            )
        )
        if path is not None:
            made.save(path)
        return made

    def _colours(self, colour: ArrayLike | None) -> tuple[list[str] | None, Array | None, tuple[str, str]]:
        """What colours the points: classes, or one column of numbers, or two, and what these are."""
        if colour is not None:
            paint = read_labels(colour, len(self.rows))
            if paint.values is not None:
                return None, np.ascontiguousarray(paint.values[:, None]), (paint.title, "")
            words = ["" if code < 0 else paint.names[code] for code in paint.codes]
            return words, None, (paint.title, "")
        if self._labels is not None:
            return self._labels, None, (self._label_name or "label", "")
        if self._truth is not None and self._truth.shape[1] == 2:
            return None, self._truth, ("truth 1", "truth 2")
        if self._truth is not None:
            return None, np.ascontiguousarray(self._truth[:, :1]), ("truth", "")
        for method, found in self.embeddings.items():
            return None, np.ascontiguousarray(found[:, :1]), (f"first coordinate of {method}", "")
        return None, None, ("", "")

    def _paint(self, colour: ArrayLike | None) -> Paint:
        """The same for matplotlib, which has no colours for places: there the first of two numbers counts."""
        if colour is not None:
            return read_labels(colour, len(self.rows))
        labels, values, (title, _) = self._colours(None)
        found = labels if values is None else values[:, 0]
        return replace(read_labels(found, len(self.rows)), title=title)

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        shown = [name for name in MEASURES if any(record[name] is not None for record in self.records)]
        heads = ["method", "settings", "seconds", "MiB", "rank", *(MEASURES[name] for name in shown), "note"]
        lines = []
        unranked = float("inf")
        for record in sorted(self.records, key=lambda record: record["mean_rank"] or unranked):
            memory, rank = record["peak_mib"], record["mean_rank"]
            cells = [record["method"], record["settings"], f"{record['seconds']:.3g}"]
            cells += ["" if memory is None else f"{memory:.1f}", "–" if rank is None else f"{rank:.2f}"]
            cells += ["–" if record[name] is None else f"{record[name]:.3f}" for name in shown]
            lines.append([*cells, record["note"]])
        return _shown.markup(heads, lines)
