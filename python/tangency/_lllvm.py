"""The estimator."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Iterable, Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from . import _blocks, _distances, _graph_input, _parallel, _settings, _table_input
from ._progress import Bar, warn
from ._table_input import contiguous as contiguous
from ._tangency import COARSE_ABOVE, Model, Stop, try_start

Array = NDArray[np.float64]

#: Names of features where a table has none; the command uses the same.
UNNAMED = "c{}"


class LLLVM(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Locally linear latent variable model.

    Finds a few coordinates that explain many measurements, tells how sure it is of each point, and gives a lower bound
    on the evidence, by which graphs and dimensions can be compared. Next to each point the measurements are taken to be
    a linear function of the coordinates; variational EM gives a Gaussian posterior over coordinates and local maps.

    Parameters
    ----------
    n_components : int, default=2
        Number of coordinates.
    n_neighbors : int, default=9
        Neighbours of each point in the graph.
    init : {'auto', 'random', 'spectral', 'pca', 'mds', 'isomap', 'lle', 'ltsa', 'laplacian-eigenmaps', 'gplvm', \
'bayesian-gplvm', 'landmark-isomap', 'coarse'} or ndarray, default='auto'
        Where the run starts. 'auto' tries spectral, isomap and random starts for some iterations and goes on with the
        best; for more than 3000 rows on the factorised engine it is 'coarse', which lays out ever coarser graphs of
        cells first and carries their layout over to the rows. The names of other methods start from what
        :func:`tangency.embed` finds with them. An array of shape
        (n_samples, n_components) gives coordinates; one of shape (n_samples, n_features, n_components) gives maps, in
        scaled units.
    n_init : int, default=1
        Number of random starts, of which the best is kept. They run through joblib.
    max_iter : int, default=500
        Most iterations of a run.
    tol : float, default=1e-4
        A run ends when an iteration raises the bound by less than this, in nats a point.
    coarse_tol : float, default=1e-2
        The same for a run that began from a coarser graph. Most of what such a run would gain later it gains slowly;
        make it as small as `tol` where bounds are to be compared.
    scaling : {'max-abs', 'none', 'per-feature'}, default='max-abs'
        Centred features are divided by the one largest absolute entry, not at all, or each by its standard deviation.
    metric : {'euclidean', 'precomputed'}, default='euclidean'
        With 'precomputed' and no graph, `X` is a square table of distances, from which measurements are made by
        classical scaling; `transform` then takes distances to the training rows.
    graph : sparse matrix, ndarray or transformer, default=None
        The neighbour graph in place of nearest neighbours: an n × n adjacency, an array of two columns of row numbers,
        or a neighbours transformer such as :class:`sklearn.neighbors.KNeighborsTransformer`. `fit` takes one too.
    neighbor_search : {'auto', 'exact', 'approximate'}, default='auto'
        How nearest neighbours are searched. 'approximate' may miss some and measures the share that it found,
        `neighbor_recall_`; 'auto' turns to it only where there are so many rows and features that an exact search
        would be slow.
    symmetry : {'or', 'mutual'}, default='or'
        Whether one of two points must list the other as a neighbour, or both.
    radius : float, default=None
        Join all points within this distance instead.
    connect : bool, default=True
        Join a graph that is in pieces by the shortest bridges, with a warning. If False, pieces are an error.
    largest : bool, default=False
        Fit only the largest piece; `connect` must be False then.
    prune : bool, default=False
        Remove the edges that the bound speaks against after the fit; see :func:`tangency.prune`.
    alpha, lam, nu : float, default=None
        Values at which hyper-parameters are held; those that are None are learned. With many features (images) try
        ``lam=1.0, nu=0.0``, the paper's prior.
    epsilon, gamma0, alpha0 : float
        Constants of the model and the first values of γ and α.
    accelerate : bool, default=True
        Joint rescaling and guarded extrapolation.
    uncertainty : {'relative', 'absolute'}, default='relative'
        Whether standard deviations are about the position relative to the centroid of all points, or the position
        itself.
    full_covariance : bool, default=False
        Keep how all points vary together, for `embedding_covariance_`, `distance_interval` and `sample_embedding`. It
        takes (n_samples · n_components)² numbers, and only the exact engine has it.
    engine : {'auto', 'exact', 'factorised'}, default='auto'
        How the posterior is held. 'exact' is one Gaussian over all coordinates, with the tightest bound: for some
        thousand rows. 'factorised' takes rows as independent around means that are found together; its bound is lower,
        and time and memory grow nearly in proportion to the rows. 'auto' is exact as long as that takes about two
        minutes and goes into memory, which is up to n_samples · n_components of about 2800.
    ball_radius : int, default=2
        For the factorised engine: how many steps along the graph around a row are looked at for the resistances of its
        edges. More are slower and come closer to the whole graph, which is 0.
    draws : int, default=None
        For the factorised engine: number of draws of the posterior from which `embedding_std_` is estimated. More draws
        make it more accurate, see `deviation_error_`; None goes by the number of rows. 0 takes no time and gives the
        deviation of a row while all others are held, which is too small.
    pca : float, default=None
        Restrict the maps to the principal axes of the table that hold this share of its variance, for instance 0.99.
        For hundreds of features: time and memory then go by the number of axes. None takes the features as they are.
    random_state : int, numpy generator or None, default=0
        Seed of everything random. Equal seeds give equal results on any number of threads.
    n_jobs : int, default=-1
        Number of threads; -1 is all, None is 1 unless joblib's `parallel_config` says otherwise.
    verbose : bool, default=False
        Show progress.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        Mean coordinates, on their principal axes, longest first.
    embedding_std_ : ndarray of shape (n_samples, n_components)
        Their standard deviations; `deviation_kind_` tells how they were found.
    embedding_covariances_ : ndarray of shape (n_samples, n_components, n_components)
        Covariance of each point's coordinates.
    embedding_covariance_ : ndarray of shape (n_samples, n_components, n_samples, n_components)
        Covariance of all coordinates about their centroid; only with ``full_covariance=True``.
    maps_, maps_std_ : ndarray of shape (n_samples, n_features, n_components)
        Change of each feature per unit of each coordinate next to each point, and its standard deviation.
    lower_bound_ : float
        Lower bound on log p(X | graph), in nats and in the units of `X`.
    lower_bounds_ : ndarray of shape (n_iter_,)
        The bound after each iteration.
    alpha_, gamma_, lambda_, nu_ : float
        Hyper-parameters, in scaled units.
    graph_ : scipy.sparse.csr_array of shape (n_samples, n_samples)
        The neighbour graph, 1 for an edge.
    edges_, bridges_, removed_edges_ : ndarray of shape (m, 2)
        Its edges, those added to join pieces, and those that pruning removed.
    rows_ : ndarray of shape (n_samples,)
        Rows of `X` that were fitted; all of them unless `largest`.
    n_iter_ : int
        Iterations of the run that was kept.
    stop_reason_ : {'converged', 'max-iterations', 'interrupted', 'collapsed'}
        How it ended.
    engine_ : {'exact', 'factorised'}
        The engine of the fit. Compare bounds of one engine only.
    engine_reason_ : str or None
        Why that one, if it was chosen automatically.
    solver_ : {'dense', 'cholesky', 'iterative'}
        How linear systems with the graph were solved: by a dense inverse (exact engine), by a sparse factor, or, where
        that would be too large, by conjugate gradients.
    bound_error_ : float
        Standard error of `lower_bound_` in nats, from determinants that were estimated; 0.0 where they are exact, as
        they are but with the iterative solver.
    deviation_kind_ : {'exact', 'sampled', 'conditional'}
        What `embedding_std_` is: computed, estimated from draws, or that of a row while all others are held
        (``draws=0``), which is too small as a statement about the row.
    deviation_error_ : float or None
        Standard error of `embedding_std_` as a share of it; 0.0 if it is exact, None if it is conditional.
    neighbor_recall_ : float or None
        Share of true nearest neighbours that an approximate search found, measured on a sample of rows; None after an
        exact search.
    reduced_ : tuple of int and float, or None
        Number of principal axes and the share of variance along them, if `pca` was given.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` has some.

    Notes
    -----
    Ctrl-C ends a fit after the present iteration with a warning and keeps what it has, as
    :class:`sklearn.neural_network.MLPClassifier` does. Memory of the exact engine grows with
    (n_samples · n_components)², that of the factorised engine with n_samples.

    Examples
    --------
    >>> from tangency import LLLVM, datasets
    >>> X, truth = datasets.make_s_curve(150, random_state=1)
    >>> model = LLLVM(n_neighbors=8).fit(X)
    >>> model.embedding_.shape
    (150, 2)
    >>> model.stop_reason_
    'converged'
    >>> bool((model.embedding_std_ < 0.5).all())
    True
    """

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 9,
        *,
        init: Any = "auto",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        coarse_tol: float = 1e-2,
        scaling: str = "max-abs",
        metric: str = "euclidean",
        graph: Any = None,
        neighbor_search: str = "auto",
        symmetry: str = "or",
        radius: float | None = None,
        connect: bool = True,
        largest: bool = False,
        prune: bool = False,
        alpha: float | None = None,
        lam: float | None = None,
        nu: float | None = None,
        epsilon: float = 1e-3,
        gamma0: float = 1.0,
        alpha0: float = 1e-3,
        accelerate: bool = True,
        uncertainty: str = "relative",
        full_covariance: bool = False,
        engine: str = "auto",
        ball_radius: int = 2,
        draws: int | None = None,
        pca: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = -1,
        verbose: Any = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.coarse_tol = coarse_tol
        self.scaling = scaling
        self.metric = metric
        self.graph = graph
        self.neighbor_search = neighbor_search
        self.symmetry = symmetry
        self.radius = radius
        self.connect = connect
        self.largest = largest
        self.prune = prune
        self.alpha = alpha
        self.lam = lam
        self.nu = nu
        self.epsilon = epsilon
        self.gamma0 = gamma0
        self.alpha0 = alpha0
        self.accelerate = accelerate
        self.uncertainty = uncertainty
        self.full_covariance = full_covariance
        self.engine = engine
        self.ball_radius = ball_radius
        self.draws = draws
        self.pca = pca
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def authors(cls, **params: Any) -> LLLVM:
        """An estimator with the settings of the paper's authors.

        λ = 1, ν = 0, α fixed, one random start, no acceleration.

        Parameters
        ----------
        **params
            Settings in their place.
        """
        settings: dict[str, Any] = dict(
            init="random", alpha0=1.0, alpha=1e-3, lam=1.0, nu=0.0, accelerate=False, uncertainty="absolute"
        )
        return cls(**(settings | params))

    # ---- fitting

    def fit(self, X: Any, y: Any = None, *, graph: Any = None) -> LLLVM:
        """Fits the model.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            The table; or distances, if `metric` is 'precomputed' and there is no graph.
        y : ignored
        graph : sparse matrix, ndarray or transformer, default=None
            The neighbour graph, in place of the one among the parameters.

        Returns
        -------
        self : LLLVM
        """
        given = self.graph if graph is None else graph
        table, distances = self._table(X, given)
        edges = None if given is None else _graph_input.edges_of(given, table)
        params = self.get_params(deep=False)
        if not isinstance(self.prune, (bool, np.bool_)):
            raise ValueError(f"prune must be True or False, not {_settings.shown(self.prune)}")
        config, threads = _settings.config(params), _settings.threads(self.n_jobs)
        # the names of a table of distances are those of its rows
        names = [] if distances is not None else [str(name) for name in getattr(self, "feature_names_in_", [])]
        names = names or [UNNAMED.format(number) for number in range(1, table.shape[1] + 1)]
        arguments: dict[str, Any] = {"edges": edges, "start": self._start(len(table), table.shape[1])}
        starts = self._starts(len(table))
        if len(starts) > 1 and arguments["start"] is None and self.n_init > 1:
            native = self._best_of(starts, table, config, names, edges, threads)
        else:
            with Bar("fit", self.verbose) as bar:
                native = Model.fit(table, config, names, threads=threads, progress=bar.callback, **arguments)
        if self.prune and native.stop != "interrupted":
            from ._evidence import prune_native

            with Bar("prune", self.verbose) as bar:
                native = prune_native(native, None, 2.0, threads, bar.callback)[0]
        self._adopt(native)
        self._distances = distances
        for of_run, text in native.cautions:
            warn(text, ConvergenceWarning if of_run else UserWarning)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, graph: Any = None) -> Any:
        """Fits the model and returns the coordinates of the rows of `X`.

        Parameters
        ----------
        X, y, graph
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            `embedding_`; where only the largest piece was fitted, the other rows are placed as new ones.
        """
        self.fit(X, y, graph=graph)
        if len(self.rows_) < self._native.n_rows:
            return self.transform(X)
        return self.embedding_.copy()

    def _table(self, X: Any, graph: Any) -> tuple[Array, _distances.Scaled | None]:
        """The measurements, and how distances become measurements if they were given."""
        _settings.choice("metric", self.metric)
        if self.metric == "precomputed" and graph is None:
            _distances.refuse_graph(X)
            made, measurements = _distances.scaled(_table_input.checked(X, self, reset=True, ensure_min_samples=3))
            return measurements, made
        return _table_input.checked(X, self, reset=True, ensure_min_samples=3), None

    def _start(self, n: int, d_y: int) -> Array | None:
        """A start that was given."""
        if isinstance(self.init, str):
            return None
        start = np.asarray(self.init)
        wanted = [(n, self.n_components), (n, d_y, self.n_components)]
        if start.shape not in wanted or start.dtype.kind not in "iuf":
            words = ", ".join(map(repr, _settings.CHOICES["init"]))
            found = f"one of shape {start.shape} and type {start.dtype}" if start.ndim else _settings.shown(self.init)
            raise ValueError(
                f"init must be one of {words}, or an array of numbers of shape {wanted[0]} (coordinates) or "
                f"{wanted[1]} (maps), not {found}"
            )
        _table_input.refuse_missing(start, "init")
        return contiguous(start.astype(np.float64, copy=False))

    def _starts(self, n: int) -> range:
        """Numbers of the starts that can be tried apart: 'auto' has two beside the random ones."""
        if not isinstance(self.init, str) or self.init not in ("auto", "random"):
            return range(1)
        if self.init == "auto" and self.engine != "exact" and n > COARSE_ABOVE:
            return range(1)  # it may be the coarse start alone, which the library decides
        return range(self.n_init + 2 * (self.init == "auto"))

    def _best_of(
        self, starts: range, table: Array, config: str, names: list[str], edges: Any, threads: int
    ) -> Model:
        """The fit of all starts, each tried wherever joblib runs it; of those that ended, where Ctrl-C came between."""
        each = max(1, threads // len(starts))
        trial = self.init == "auto"
        work = try_start if trial else _fit_start
        jobs = [(table, config, edges, number, each) for number in starts]
        tried: dict[int, Any] = {}
        stop = Stop()
        with Bar("starts", self.verbose) as bar:
            try:
                for number, outcome in _parallel.finished(work, jobs, self.n_jobs):
                    tried[number] = outcome
                    bar.step("starts tried", len(tried), len(starts))
            except KeyboardInterrupt:
                if not tried:
                    raise
                warn(f"interrupted: {len(tried)} of {len(starts)} starts were tried")
                stop.set()
        numbers = sorted(tried)
        outcomes = [tried[number] for number in numbers]
        ranks = outcomes if trial else [(fit.stop != "collapsed", fit.bound) for fit in outcomes]
        best = numbers[_settings.first_best(ranks)]
        if not trial:
            return cast(Model, tried[best]).with_feature_names(names)
        with Bar("fit", self.verbose) as bar:
            # after Ctrl-C only its first iteration is made, which is what there is to keep
            return Model.fit(
                table, config, names, edges=edges, only=best, threads=threads, progress=bar.callback, stop=stop
            )

    def _adopt(self, native: Model) -> None:
        """Takes over what a native model holds."""
        self._native = native
        self.embedding_ = native.coordinates
        self.embedding_std_ = native.deviations
        self.lower_bound_ = native.bound
        self.lower_bounds_ = native.bounds
        self.alpha_, self.gamma_, self.lambda_, self.nu_ = native.hyperparameters
        self.n_iter_ = len(self.lower_bounds_)
        self.stop_reason_ = native.stop
        self.engine_, self.engine_reason_, self.solver_, self.bound_error_ = native.engine
        self.deviation_kind_, self.deviation_error_ = native.deviation_kind
        self.neighbor_recall_ = native.recall
        self.reduced_ = native.reduced
        self.rows_ = np.asarray(native.rows, dtype=np.int64)

    # ---- what is made when it is asked for

    def _fitted(self) -> Model:
        check_is_fitted(self, "_native")
        return self._native

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

    # ---- new rows

    def transform(self, X: Any, return_std: bool = False) -> Any:
        """Coordinates of new rows.

        A row that was fitted is where the fit put it; any other is placed by its nearest training rows, which stay
        where they are. Each row is placed by itself, so that blocks of rows give the same as all at once. A Dask array
        gives a Dask array, computed block by block.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features)
            New rows; distances to the training rows if distances were fitted.
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
        native, table = self._fitted(), self._rows(X)
        coordinates, deviations, unsettled = native.transform(table, _settings.threads(self.n_jobs))
        if unsettled:
            text = f"{unsettled} of {len(table)} rows had not come to rest; do not trust their coordinates"
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

    def score(self, X: Any = None, y: Any = None) -> float:
        """The bound per point, in nats; higher is better.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features), default=None
            Without it, or for the table that was fitted, the bound of the fit divided by its points. For other rows the
            mean of :meth:`score_samples`: what each of them would add to the bound.
        y : ignored
        """
        native = self._fitted()
        if X is not None:
            table = self._rows(X)
            kept = table[self.rows_] if len(table) == native.n_rows else table
            if not np.array_equal(kept, native.observations):
                return float(native.score(table, _settings.threads(self.n_jobs))[0].mean())
        return float(self.lower_bound_ / len(self.embedding_))

    def score_samples(self, X: Any) -> Array:
        """Log-density of rows, in nats and in the units of the table: the lower, the stranger.

        It is the change of the bound when the row is added. A row that was fitted is held out for it.

        Parameters
        ----------
        X : array_like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        native = self._fitted()
        return native.score(self._rows(X), _settings.threads(self.n_jobs))[0]

    def novelty(self, X: Any) -> Array:
        """The share of training rows that are less strange than each row, from 0 to 1.

        Without :meth:`calibrate` the training rows are held out of a model that has seen them: then only the order
        counts, and ordinary new rows have more than 0.5 on average.

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
        """New rows drawn from the model, each beside a random training row.

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
        details: bool = False,
        overwrite: bool = False,
    ) -> int:
        """Places the rows of a table file and writes them to another, in memory that does not grow with the file.

        Parameters
        ----------
        source : path
            CSV, TSV, .npy, .npz or Parquet.
        destination : path
            CSV or Parquet, with columns id, x1 …, sd1 …, log_density, novelty. It appears when it is complete; after
            Ctrl-C it holds the rows until then, with a warning.
        columns : iterable of str, default=None
            The columns that are the features, in the order of the fit, by name or number from 1; without it those with
            the names of the features.
        id_column, label_column : str, default=None
            Columns to be carried over.
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

    def _rows(self, X: Any) -> Array:
        """New rows, checked, as measurements."""
        table = _table_input.checked(X, self)
        return table if self._distances is None else contiguous(self._distances.place(table))

    # ---- what the model knows

    def loadings(self, points: Any = None) -> tuple[Array, Array]:
        """Change of each feature per unit of each coordinate.

        Parameters
        ----------
        points : int or sequence of int, default=None
            Points to average over; all without it.

        Returns
        -------
        mean, std : ndarray of shape (n_features, n_components)
        """
        native = self._fitted()
        chosen = np.arange(len(self.embedding_)) if points is None else np.atleast_1d(np.asarray(points))
        if chosen.ndim != 1 or chosen.dtype.kind not in "iu" or (chosen.size and chosen.min() < 0):
            raise ValueError(f"points must be one or more points of the model, numbered below {len(self.embedding_)}")
        return native.loadings(chosen.tolist())

    def leave_one_out(self) -> dict[str, Array]:
        """Each training row as the others see it: a large strain tells where the manifold is badly fitted.

        Returns
        -------
        dict
            Arrays ``coordinates``, ``values`` and ``std`` (what the others expect there), ``strain`` (root mean square
            of the standardised differences); NaN for a row that alone holds the graph together.
        """
        found = self._fitted().left_out(_settings.threads(self.n_jobs))
        return dict(zip(("coordinates", "values", "std", "strain"), found, strict=True))

    def calibrate(self, parts: int = 10) -> LLLVM:
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
            raise ValueError(f"level must be between 0 and 1, not {share}")
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

    # ---- files and pickles

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = True) -> None:
        """Writes the model to a file that :func:`tangency.load` and the command ``tangency`` read.

        Parameters
        ----------
        path : path
            Usually ends in .safetensors.
        overwrite : bool, default=True
            Whether the file may exist.
        """
        native = self._fitted()
        if self._distances is not None:
            raise ValueError("a model of distances has no file, since files know only measurements; pickle it instead")
        native.save(os.fspath(path), overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> LLLVM:
        """Reads a model that :meth:`save` or ``tangency fit`` wrote.

        Parameters
        ----------
        path : path

        Returns
        -------
        LLLVM
        """
        native = Model.load(os.fspath(path))
        model = cls(**_settings.params_of(native.config))
        model._adopt(native)
        model._distances = None
        names = native.feature_names
        model.n_features_in_ = len(names)
        if names != [UNNAMED.format(number) for number in range(1, len(names) + 1)]:
            model.feature_names_in_ = np.asarray(names, dtype=object)
        return model

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_native" in state:
            state["_native"] = bytes(state["_native"].to_bytes())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if isinstance(state.get("_native"), bytes):
            state = state | {"_native": _thawed(state["_native"])}
        super().__setstate__(state)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_distances = self.metric == "precomputed" and self.graph is None
        tags.input_tags.pairwise = tags.input_tags.positive_only = of_distances
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return "_native" in self.__dict__


def load(path: str | os.PathLike[str]) -> LLLVM:
    """Reads a model that :meth:`LLLVM.save` or ``tangency fit`` wrote.

    Parameters
    ----------
    path : path

    Returns
    -------
    LLLVM

    Examples
    --------
    >>> import os, tempfile, tangency
    >>> X, _ = tangency.datasets.make_s_curve(150, random_state=1)
    >>> path = os.path.join(tempfile.mkdtemp(), "curve.safetensors")
    >>> tangency.LLLVM(n_neighbors=8).fit(X).save(path)
    >>> tangency.load(path).embedding_.shape
    (150, 2)
    """
    return LLLVM.load(path)


def _fit_start(table: Array, config: str, edges: Any, number: int, threads: int, stop: Stop) -> Model:
    names = [UNNAMED.format(number) for number in range(1, table.shape[1] + 1)]
    return Model.fit(table, config, names, edges=edges, only=number, threads=threads, stop=stop)


#: Models by the digest of their bytes, a few at most: a worker that gets the same model with every block of rows
#: prepares it once.
_RECENT: dict[bytes, Model] = {}
_MOST_RECENT = 4


def _thawed(frozen: bytes) -> Model:
    digest = hashlib.blake2b(frozen, digest_size=16).digest()
    known = _RECENT.get(digest)
    if known is None:
        try:
            known = Model.from_bytes(frozen)
        except (OSError, ValueError) as error:
            raise pickle.UnpicklingError(str(error)) from None
        for oldest in list(_RECENT)[: max(0, len(_RECENT) - _MOST_RECENT + 1)]:
            _RECENT.pop(oldest, None)
        _RECENT[digest] = known
    return known
