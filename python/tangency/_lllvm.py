"""The estimator."""

from __future__ import annotations

from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags

from . import _graph_input, _settings, _structure_input, _table_input, _views
from ._fitting import Fitting
from ._persistence import Persistence
from ._progress import Bar, warn
from ._structure import StructuredRows
from ._training_points import TrainingPoints


class LLLVM(StructuredRows, TrainingPoints, Fitting, Persistence):
    """Locally linear latent variable model.

    Finds a few coordinates that explain many measurements, reports how sure it is of each point, and gives a lower
    bound on the evidence, by which graphs and dimensions can be compared. Next to each point the measurements are taken
    to be a linear function of the coordinates; variational EM gives a Gaussian posterior over coordinates and local
    maps.

    Parameters
    ----------
    n_components : int or 'auto', default=2
        Number of coordinates. 'auto' fits several, at most 5, and takes as many as are used there, see `dimension_`.
    n_neighbors : int or 'auto', default=9
        Neighbours of each point in the graph. 'auto' tries several and takes the number with which rows that were held
        out are likeliest, see `neighbors_`; it takes about as long as a fit.
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
        A run ends when an iteration raises the bound by less than this, in nats per point.
    coarse_tol : float, default=1e-2
        The same for a run that began from a coarser graph. Most of what such a run would gain later it gains slowly;
        make it as small as `tol` where bounds are to be compared.
    scaling : {'auto', 'max-abs', 'none', 'per-feature'}, default='auto'
        Centred features are divided by the one largest absolute entry, not at all, or each by its standard deviation.
        'auto' does the last where their units seem to differ and the first otherwise, see `scaling_`.
    feature_noise : {'shared', 'own', 'auto'}, default='shared'
        Whether all features have one noise, or each its own, so that noisy ones decide less; see `feature_noise_`.
        'auto' takes the latter where rows that were held out are clearly likelier with it and neighbourhoods no worse.
    views : dict of str to features, default=None
        Features that belong together, by a slice, numbers or names: ``{"rna": slice(0, 40), "protein": ["a", "b"]}``.
        Each view has a noise of its own; the other features share one.
    groups : int, tuple of int, or 'classes', default=None
        Groups of rows within the map: a number, or the fewest and the most, from which the bound chooses. With the
        classes of some rows as `y` of `fit` the others get a probability for each; 'classes' is a group for each class,
        and with more groups than classes a class may be several.
    missing : {'model', 'drop', 'error'}, default='model'
        Entries that are NaN are found with the coordinates, see `imputed_`; or their rows are left out; or they are an
        error.
    metric : {'euclidean', 'cosine', 'correlation', 'manhattan', 'precomputed'}, default='euclidean'
        In which metric neighbours are sought, of the table and of new rows. 'cosine' and 'correlation' compare rows as
        they are given, the others rows that are centred and scaled. The features are modelled as they are in any case.
        With 'precomputed' and no graph, `X` is a square table of distances, from which measurements are made by
        classical scaling; `transform` then takes distances to the training rows.
    graph : sparse matrix, ndarray, tuple or transformer, default=None
        The neighbour graph in place of nearest neighbours: an n × n adjacency, an array of two columns of row numbers,
        lists of neighbours as an array of row numbers with n rows and three or more columns, or as a tuple of such
        arrays of row numbers and of distances, or a neighbours transformer such as
        :class:`sklearn.neighbors.KNeighborsTransformer`. `fit` takes one too.
    neighbor_search : {'auto', 'exact', 'approximate'}, default='auto'
        How nearest neighbours are searched. 'approximate' may miss some and measures the share that it found,
        `neighbor_recall_`; 'auto' turns to it only where there are so many rows and features that an exact search
        would be slow.
    symmetry : {'or', 'mutual'}, default='or'
        Whether one of two points must list the other as a neighbour, or both.
    radius : float, default=None
        Join all points within this distance instead, in the units of the table, or of `metric` where that is an angle.
    connect : bool, default=True
        Join a graph that is in pieces by the shortest bridges, with a warning. If False, pieces are an error.
    largest : bool, default=False
        Fit only the largest piece; `connect` must be False then.
    prune : bool, default=False
        Remove the edges that the bound speaks against after the fit; see :func:`tangency.prune`.
    alpha, lam, nu : float, default=None
        Values at which hyper-parameters are held; those that are None are learned.
    graph_likelihood : bool, default=True
        Let the graph speak for itself: its missing edges keep points apart that are no neighbours. False is the
        paper's model, whose bound compares graphs, but which folds or collapses on many real tables.
    feature_weight : float or {'auto', 'polish'}, default='auto'
        How much the features count against the graph in the layout. 1.0 is the plain model, a small number follows the
        graph; 'polish' is the paper's model from that layout; 'auto' takes the largest of 'polish', 1.0, 0.3, 0.1 and
        0.03 whose neighbourhoods are as good as the best, see `feature_weight_`.
    keep_lengths : {'auto', 'never', 'always'}, default='auto'
        Stretch the map at the end until edges have the lengths that they have in the table, so that it can be measured
        like the sheet. 'auto' does so where neighbourhoods stay as good and `feature_weight` is not a number; see
        `lengths_`.
    edge_weights : {'membership', 'plain'}, default='membership'
        How much each edge counts in the graph's likelihood: the less, the farther its points are apart among the
        neighbours of each, or all alike.
    heaviness : float, default=0.5
        How heavy the tail of the graph's likelihood is, from 0.0, a Gaussian, to 1.0; None learns it by the bound.
    epsilon : float, default=1e-3
        The small constant of the paper's priors.
    gamma0 : float, default=1.0
        First noise precision γ.
    alpha0 : float, default=1e-3
        First precision α of the coordinates.
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
        and time and memory grow nearly in proportion to the rows. 'auto' is exact as long as that keeps within
        `time_budget` and goes into memory, which is up to n_samples · n_components of about 2800.
    time_budget : float, default=30.0
        Seconds that the exact engine may take for `engine='auto'` to take it. The estimate is a rough one that goes by
        size alone, so that the choice is the same on every machine; `engine_reason_` has it.
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
        Their standard deviations; `deviation_kind_` says how they were found.
    embedding_covariances_ : ndarray of shape (n_samples, n_components, n_components)
        Covariance of each point's coordinates.
    embedding_covariance_ : ndarray of shape (n_samples, n_components, n_samples, n_components)
        Covariance of all coordinates about their centroid; only with ``full_covariance=True``.
    maps_, maps_std_ : ndarray of shape (n_samples, n_features, n_components)
        Change of each feature per unit of each coordinate next to each point, and its standard deviation.
    lower_bound_ : float
        Lower bound, in nats and in the units of `X`: on log p(X, graph) under the graph's likelihood, with the features
        weighted by `feature_weight_`; on log p(X | graph) in the paper's model.
    lower_bounds_ : ndarray of shape (n_iter_,)
        The bound after each iteration.
    alpha_, gamma_, lambda_, nu_, heaviness_ : float
        Hyper-parameters, in scaled units.
    feature_weight_ : float or None
        How much the features counted against the graph in the end; None if the paper's model had the last word.
    feature_weights_ : list of tuple
        The weights that were tried, each with the trustworthiness of the map; None stands for the paper's model.
    lengths_ : dict or None
        Whether the map was stretched until edges had the lengths of the table ('taken'), how far they are 'off' as a
        share and were 'off_before', the 'trustworthiness' with and 'trustworthiness_before' without it, the
        'bound_before'; and how long in the table a step of 1 on the map is ('unit'), if features share a scale. None if
        it was not looked at.
    quality_ : dict
        How good the map is, as numbers of their own and of as many principal components: share of variance 'explained'
        (each row by those next to it on the map, which do not know it), 'trustworthiness' and 'continuity' with 12
        neighbours; mean 'log_density' of rows that are left out, and 'kernel_log_density', that of a kernel density.
    trustworthiness_ : dict
        Whether neighbours on the map are neighbours in the table: of the 'map', of 'pca', and of the 'start'.
    sociability_ : ndarray of shape (n_samples,) or None
        How readily each point has neighbours, ρ of the graph's likelihood; None in the paper's model.
    feature_noise_ : ndarray of shape (n_features,)
        Standard deviation of each feature's noise, in the units of the table.
    feature_explained_ : ndarray of shape (n_features,), or None
        Share of the variance of each feature that the map explains of rows that are left out.
    views_ : dict of str to dict
        The views: their `features` by number, and the share of their variance that is `explained`.
    n_groups_ : int
        Number of groups, with `groups`.
    groups_ : ndarray of shape (n_samples,)
        The likeliest group of each row, or its class as `y` has them.
    probabilities_ : ndarray of shape (n_samples, n_groups)
        How likely each row is of each group, or of each class in the order of `classes_`.
    classes_ : ndarray of shape (n_classes,)
        The classes of `y`, where labels were given.
    known_, known_std_ : ndarray of shape (n_samples, n_values)
        With anchors, the coordinates in their units; with covariates, what is expected of these; and standard
        deviations.
    structure_ : dict or None
        What was found of the structure: of each 'known' value whether it is 'used', its 'gain' in nats, its 'slopes'
        along the coordinates and the 'noise' of rows; the 'sizes' of 'groups'.
    imputed_ : ndarray with named fields, or None
        The entries that `X` lacked: 'row', 'feature', 'value' and 'std'; None if there were none. A pandas DataFrame
        can be made of it.
    scaling_ : dict or None
        With ``scaling='auto'``, which was 'taken' and the 'reason': 'units' that differ, features that are 'alike', or
        'axes', which look like principal components; the feature with the 'largest' variance and its 'share'.
    neighbors_ : dict or None
        With ``n_neighbors='auto'``, how the number was found: 'taken', the number of 'rows' it was found from, and
        'tried', a list of numbers with the mean 'log_density' of held-out rows, how much it is 'behind' the
        likeliest, and the standard 'error' of that. The smallest number within one standard error is taken.
    dimension_ : dict or None
        With ``n_components='auto'``, how the number was found: 'taken', the 'spreads' of the coordinates of a fit with
        several, as shares of a step along an edge, the number of 'points' of that fit, and the 'bounds' with one
        coordinate less, as many and one more.
    n_used_ : int
        Coordinates that are used: the others have no spread.
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
        n_components: int | str = 2,
        n_neighbors: int | str = 9,
        *,
        init: Any = "auto",
        n_init: int = 1,
        max_iter: int = 500,
        tol: float = 1e-4,
        coarse_tol: float = 1e-2,
        scaling: str = "auto",
        feature_noise: str = "shared",
        views: Any = None,
        groups: Any = None,
        missing: str = "model",
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
        graph_likelihood: bool = True,
        feature_weight: Any = "auto",
        keep_lengths: str = "auto",
        edge_weights: str = "membership",
        heaviness: float | None = 0.5,
        epsilon: float = 1e-3,
        gamma0: float = 1.0,
        alpha0: float = 1e-3,
        accelerate: bool = True,
        uncertainty: str = "relative",
        full_covariance: bool = False,
        engine: str = "auto",
        time_budget: float = 30.0,
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
        self.feature_noise = feature_noise
        self.views = views
        self.groups = groups
        self.missing = missing
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
        self.graph_likelihood = graph_likelihood
        self.feature_weight = feature_weight
        self.keep_lengths = keep_lengths
        self.edge_weights = edge_weights
        self.heaviness = heaviness
        self.epsilon = epsilon
        self.gamma0 = gamma0
        self.alpha0 = alpha0
        self.accelerate = accelerate
        self.uncertainty = uncertainty
        self.full_covariance = full_covariance
        self.engine = engine
        self.time_budget = time_budget
        self.ball_radius = ball_radius
        self.draws = draws
        self.pca = pca
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def authors(cls, **params: Any) -> LLLVM:
        """An estimator with the settings of the paper's authors.

        λ = 1, ν = 0, α fixed, one random start, no acceleration, no likelihood of the graph.

        Parameters
        ----------
        **params
            Settings in their place.
        """
        return cls(**(_settings.preset("authors") | params))

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        graph: Any = None,
        anchors: Any = None,
        anchor_std: Any = None,
        covariates: Any = None,
    ) -> LLLVM:
        """Fits the model.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            The table; or distances, if `metric` is 'precomputed' and there is no graph.
        y : array_like of shape (n_samples,), default=None
            With `groups`, the class of each row; -1, NaN, None or an empty text where it is unknown. Ignored otherwise.
        graph : sparse matrix, ndarray, tuple or transformer, default=None
            The neighbour graph, in place of the one among the parameters.
        anchors : array_like of shape (n_samples, n_values), or dict, default=None
            Coordinates of some rows in units of your own, NaN for the others; or a dict of names or numbers of rows and
            their coordinates. `known_` then has all rows in these units.
        anchor_std : float or array_like, default=None
            Standard deviations of the anchors, where these are known; otherwise they are learned.
        covariates : array_like of shape (n_samples, n_values), default=None
            Values that go with the coordinates, such as a dose or a time, NaN where unknown.

        Returns
        -------
        self : LLLVM
        """
        given = self.graph if graph is None else graph
        table, distances = self._table(X, given)
        edges = None if given is None else _graph_input.edges_of(given, table)
        params = self.get_params(deep=False)
        _settings.switch("prune", self.prune)
        config, threads = _settings.config(params), _settings.threads(self.n_jobs)
        # the names of a table of distances are those of its rows
        names = [] if distances is not None else [str(name) for name in getattr(self, "feature_names_in_", [])]
        names = names or _table_input.unnamed(table.shape[1])
        views = _views.given(self.views, names)
        if views and distances is not None:
            raise ValueError("views are groups of features, and distances have none; leave out views")
        ids = _table_input.ids(X)
        groups, classes = _structure_input.groups(self.groups, y, len(table))
        known = _structure_input.known(anchors, covariates, anchor_std, len(table), ids)
        native = self._run(table, config, names, ids, edges, views, known, groups, threads)
        if self.prune and native.stop != "interrupted":
            from ._evidence import prune_native

            with Bar("prune", self.verbose) as bar:
                native = prune_native(native, None, 2.0, threads, bar.callback)[0]
        self._adopt(native)
        self.__dict__.pop("classes_", None)
        if classes is not None:
            self.classes_ = classes
        self._distances = distances
        for of_run, text in native.cautions:
            warn(text, ConvergenceWarning if of_run else UserWarning)
        return self

    def fit_transform(self, X: Any, y: Any = None, *, graph: Any = None, **known: Any) -> Any:
        """Fits the model and returns the coordinates of the rows of `X`.

        Parameters
        ----------
        X, y, graph, **known
            As for :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            `embedding_`; where only the largest piece was fitted, the other rows are placed as new ones.
        """
        self.fit(X, y, graph=graph, **known)
        if len(self.rows_) < self._native.n_rows:
            return self.transform(X)
        return self.embedding_.copy()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        of_distances = self.metric == "precomputed" and self.graph is None
        tags.input_tags.allow_nan = self.missing != "error" and not of_distances
        tags.input_tags.pairwise = tags.input_tags.positive_only = of_distances
        return tags
