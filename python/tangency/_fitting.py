"""How the estimator reads its table and makes its fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _distances, _settings, _starts, _structure_input, _table_input, _views
from ._attributes import Array, Attributes
from ._progress import Bar, in_words
from ._tangency import Model, expected_seconds, starts

# fits that take no longer, in seconds, are not announced
_SHORT = 10.0


class Fitting(Attributes):
    """The measurements of a table, and the fit of one start or of several."""

    init: Any
    metric: str
    missing: str
    n_components: int | str
    n_init: int
    n_neighbors: int | str
    feature_noise: str
    prune: bool
    verbose: bool

    def _table(self, X: Any, graph: Any) -> tuple[Array, _distances.Scaled | None]:
        """The measurements, and how distances become measurements if they were given."""
        _settings.choice("metric", self.metric)
        if self.metric == "precomputed" and graph is None:
            _distances.refuse_graph(X)
            made, measurements = _distances.scaled(_table_input.checked(X, self, reset=True, ensure_min_samples=3))
            return measurements, made
        may_miss = self.missing != "error"
        return _table_input.checked(X, self, reset=True, ensure_min_samples=3, may_miss=may_miss), None

    def _run(
        self,
        table: Array,
        config: str,
        names: list[str],
        ids: list[str] | None,
        edges: Any,
        views: _views.Views,
        known: _structure_input.Known | None,
        groups: _structure_input.Groups | None,
        threads: int,
    ) -> Model:
        """The fit of one start, or the best of several."""
        start = _starts.given(self.init, self.n_components, *table.shape)
        keep = bool(self.prune)  # pruning goes on from the whole posterior
        # what is left to the data is found once for all starts
        several = start is None and self.n_init > 1 and _settings.AUTO not in (self.n_components, self.n_neighbors)
        several = several and not views and known is None and groups is None and self.feature_noise == "shared"
        numbers = starts(len(table), table.shape[1], config) if several else []
        if len(numbers) > 1:
            return _starts.best_of(
                numbers,
                table,
                config,
                names,
                ids,
                edges=edges,
                keep_posterior=keep,
                n_jobs=self.n_jobs,
                verbose=self.verbose,
            )
        with Bar(self._title(table, config, views), self.verbose) as bar:
            return Model.fit(
                table,
                config,
                names,
                ids,
                edges=edges,
                views=views,
                known=known,
                groups=groups,
                start=start,
                keep_posterior=keep,
                threads=threads,
                progress=bar.callback,
            )

    def _title(self, table: Array, config: str, views: _views.Views) -> str:
        """What the bar is called: with the time that a long fit takes, more or less."""
        if not self.verbose:
            return "fit"
        in_turns = bool(views) or bool(np.isnan(table).any())
        seconds = expected_seconds(len(table), table.shape[1], config, in_turns)
        return f"fit (about {in_words(seconds)})" if seconds > _SHORT else "fit"
