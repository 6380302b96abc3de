//! Our model beside the well-known methods, on the same rows of the same table.

mod filled;
mod measures;
pub mod table;

pub use filled::FilledIn;
use measures::mean_ranks;
pub use measures::{Measures, RANKED, WholeRows, Yardsticks};

use crate::config::{Choice, Config, Rule};
use crate::error::{Error, Result};
use crate::evidence::{PruneOptions, PruneProgress, prune_from};
use crate::fit::{Fit, Fitter, FullPosterior, settle_components, settle_neighbors};
use crate::inference::{Progress, Stop};
use crate::linalg::{Matrix, View, sequential_product};
use crate::message;
use crate::message::{Dialect, Fields, Message, Piece, Remedy, Sentence, given};
use crate::model::{Checked, MissingRule, Prepared, TableView, check_values, kept_rows};
use crate::peers::{Embedding, Method, PeerOptions, Watch, embed_prepared};
use std::fmt;
use std::str::FromStr;
use std::time::Instant;

/// Points above which the GP-LVM, whose every step costs n³, is left out of `all`.
const GPLVM_POINTS: usize = 2000;

/// What takes part in a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entrant {
    /// LL-LVM on the graph as it is.
    LlLvm,
    /// LL-LVM on the graph without the edges that the bound speaks against.
    LlLvmPruned,
    /// Another method.
    Peer(Method),
}

impl Entrant {
    /// All there are, ours first.
    pub fn all() -> impl Iterator<Item = Self> {
        [Self::LlLvm, Self::LlLvmPruned].into_iter().chain(Method::ALL.iter().copied().map(Self::Peer))
    }

    fn uses_graph(self) -> bool {
        match self {
            // pruning has the time of the fit before it, which has that of the graph
            Self::LlLvmPruned => false,
            Self::LlLvm => true,
            Self::Peer(method) => method.uses_graph(),
        }
    }

    /// Whether it is left out of "all" with so many points, and why.
    pub fn left_out(self, n: usize) -> Option<Message> {
        let too_many = self == Self::Peer(Method::Gplvm) && n > GPLVM_POINTS;
        too_many.then(|| {
            let cost = format!("every step of it costs the cube of {n} points; name it in ");
            message![cost, Piece::Setting("methods"), " to run it all the same"]
        })
    }
}

impl fmt::Display for Entrant {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::LlLvm => "ll-lvm",
            Self::LlLvmPruned => "ll-lvm-pruned",
            Self::Peer(method) => method.name(),
        })
    }
}

impl FromStr for Entrant {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::all().find(|entrant| entrant.to_string() == name).ok_or_else(|| {
            let known: Vec<String> = Self::all().map(|entrant| entrant.to_string()).collect();
            let problem = message![Piece::Setting("methods"), " names \"", given(name), "\", which is not a method"];
            let remedies = vec![Remedy::act(format!("use all, or any of {}", known.join(", ")))];
            Error::Setting { name: "methods", problem, remedies }
        })
    }
}

/// How much memory is held, for those who can tell: a program that counts its allocations.
#[derive(Clone, Copy)]
pub struct Meter {
    /// Forgets the highest value.
    pub reset: fn(),
    /// Bytes held now.
    pub now: fn() -> u64,
    /// Most bytes held since.
    pub peak: fn() -> u64,
}

/// A comparison to be made.
pub struct Comparison {
    /// Graph, dimension, scaling and seed of all, and the settings of our model.
    pub config: Config,
    /// Settings of the other methods.
    pub options: PeerOptions,
    /// How memory is measured, if it can be.
    pub meter: Option<Meter>,
    /// The words in which a trial says what went wrong.
    pub words: &'static dyn Dialect,
    /// Groups of features to which our model gives a noise of their own.
    pub views: Vec<TableView>,
    prepared: Prepared,
    /// The same for methods that know no gaps.
    filled: Option<(Prepared, FilledIn)>,
    /// Seconds that scaling and graph took.
    preparation: f64,
    yardsticks: Yardsticks,
    /// The fit of our model, from which pruning goes on.
    fitted: Option<OwnFit>,
}

/// The fit of our model, and what it took.
struct OwnFit {
    fit: Fit,
    posterior: Option<FullPosterior>,
    seconds: f64,
    peak_bytes: Option<u64>,
}

/// What one entrant did.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Which.
    pub entrant: Entrant,
    /// Its settings in words.
    pub settings: String,
    /// Seconds from the table to the coordinates.
    pub seconds: f64,
    /// Most bytes held meanwhile, beyond what was held before: the table, scaled, and its graph.
    pub peak_bytes: Option<u64>,
    /// Coordinates and measures, or why there are none.
    pub outcome: std::result::Result<Outcome, String>,
}

/// The mean rank of each trial by the measures that need no truth: variance explained, trustworthiness, continuity and
/// log-density, the same for all methods. None for one that failed.
pub fn ranks(trials: &[Trial]) -> Vec<Option<f64>> {
    let measures: Vec<Option<&Measures>> =
        trials.iter().map(|trial| trial.outcome.as_ref().ok().map(|outcome| &outcome.measures)).collect();
    mean_ranks(&measures)
}

/// What these measures do not see.
pub const UNSEEN: &str = "rank: mean over variance explained, trustworthiness, continuity and density, which need no truth; they \
     look at neighbours, so they do not see a map that is bent, stretched or torn between far groups, and they reward a \
     map that follows the noise";

/// An embedding that was found and measured.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// One row a point. [n, d_x]
    pub coordinates: Matrix,
    /// The bound or the likelihood, of methods that have one; comparable only within a method.
    pub objective: Option<f64>,
    /// What to know before trusting it.
    pub note: Option<String>,
    /// How good it is.
    pub measures: Measures,
}

impl Comparison {
    /// Prepares a comparison on a table, n × d_y. `truth` [n, d] and `labels` are what is known about its rows.
    pub fn new(
        values: View,
        asked: Config,
        edges: Option<Vec<(u32, u32)>>,
        truth: Option<Matrix>,
        labels: Option<Vec<String>>,
    ) -> Result<Self> {
        let mut config = asked;
        Checked::new(values, &config)?;
        settle_neighbors(values, &mut config, edges.is_some(), None)?;
        let table = Checked::new(values, &config)?;
        let n = values.nrows();
        if let Some(truth) = &truth {
            check_values(truth.as_ref(), MissingRule::Error)?;
        }
        for (what, rows) in
            [("the truth", truth.as_ref().map(Matrix::nrows)), ("the list of labels", labels.as_ref().map(Vec::len))]
        {
            if let Some(rows) = rows.filter(|&rows| rows != n) {
                let (expected, found) = (format!("{n} rows"), format!("{rows} rows"));
                return Err(Error::ShapeMismatch { what: what.into(), expected, found });
            }
        }
        if let Some(labels) = labels.as_ref().filter(|labels| labels.iter().all(|label| label == &labels[0])) {
            let problem = message![format!("all {} labels are \"", labels.len()), given(&labels[0]), "\""];
            let remedies = vec![Remedy::act("give labels of at least two classes")];
            return Err(Error::Setting { name: "labels", problem, remedies });
        }
        let began = Instant::now();
        let prepared = table.prepare(edges)?;
        let preparation = began.elapsed().as_secs_f64();
        let filled = FilledIn::of(&prepared);
        let rows = prepared.rows();
        let seen = filled.as_ref().map_or(&prepared, |(filled, _)| filled);
        let yardsticks = Yardsticks {
            rows: seen.points().transpose().to_owned(),
            points: seen.table.points.clone(),
            scaling: prepared.table.scaling.clone(),
            graph: prepared.graph().clone(),
            truth: truth.as_ref().map(|truth| kept_rows(truth.as_ref(), rows)),
            labels: labels.map(|labels| rows.iter().map(|&row| labels[row].clone()).collect()),
            whole: filled.as_ref().and_then(|(filled, what)| what.whole_rows(&prepared, filled)),
        };
        let options = PeerOptions { random_state: config.random_state, ..PeerOptions::default() };
        let words = &Fields;
        let (views, meter, fitted) = (vec![], None, None);
        Ok(Self { config, options, meter, words, views, prepared, filled, preparation, yardsticks, fitted })
    }

    /// Rows of the table that take part, ascending.
    pub fn rows(&self) -> &[usize] {
        self.prepared.rows()
    }

    /// What embeddings are measured against.
    pub fn yardsticks(&self) -> &Yardsticks {
        &self.yardsticks
    }

    /// What was filled in for methods that know no gaps, where the table has some.
    pub fn filled_in(&self) -> Option<&FilledIn> {
        self.filled.as_ref().map(|(_, what)| what)
    }

    /// The fit of our model, if it has run.
    pub fn fit(&self) -> Option<&Fit> {
        self.fitted.as_ref().map(|fitted| &fitted.fit)
    }

    /// Runs one entrant and measures what it finds. What goes wrong with it is in the trial, so that others can go on.
    pub fn run(&mut self, entrant: Entrant, watch: Watch) -> Trial {
        let held = self.meter.map(|meter| {
            warm();
            (meter.reset)();
            (meter.now)()
        });
        let settled = settle_components(&self.prepared, &mut self.config, &mut |now| {
            watch(now.point.iteration, now.point.bound_scaled)
        });
        let began = Instant::now();
        let found = settled.and_then(|()| self.embed(entrant, watch));
        let mut seconds = began.elapsed().as_secs_f64();
        let mut peak_bytes = self.meter.zip(held).map(|(meter, held)| (meter.peak)().saturating_sub(held));
        if entrant.uses_graph() {
            seconds += self.preparation;
        }
        match (entrant, &mut self.fitted) {
            (Entrant::LlLvm, Some(fitted)) => (fitted.seconds, fitted.peak_bytes) = (seconds, peak_bytes),
            // pruning goes on from the fit
            (Entrant::LlLvmPruned, Some(fitted)) => {
                seconds += fitted.seconds;
                peak_bytes = peak_bytes.max(fitted.peak_bytes);
            }
            _ => {}
        }
        let outcome = found.and_then(|(coordinates, objective, note)| {
            let measures = self.yardsticks.measure(&coordinates, self.config.random_state)?;
            Ok(Outcome { coordinates, objective, note, measures })
        });
        let outcome = outcome.map_err(|error| error.in_words(self.words));
        Trial { entrant, settings: self.settings(entrant), seconds, peak_bytes, outcome }
    }

    fn embed(&mut self, entrant: Entrant, watch: Watch) -> Result<(Matrix, Option<f64>, Option<String>)> {
        match entrant {
            Entrant::LlLvm => {
                let fitted = self.fit_model(watch)?;
                let fit = &self.fitted.insert(fitted).fit;
                Ok((fit.coordinates.clone(), Some(fit.bound()), caution(fit)))
            }
            Entrant::LlLvmPruned => {
                let fitted = match self.fitted.take() {
                    Some(fitted) => fitted,
                    None => self.fit_model(watch)?,
                };
                let OwnFit { fit, posterior, .. } = self.fitted.insert(fitted);
                if fit.stop == Stop::Interrupted {
                    return Err(Error::Interrupted { what: "pruning" });
                }
                let mut observer = |now: &PruneProgress| watch(now.iterations, now.best);
                let found = prune_from(fit, posterior.take(), &PruneOptions::default(), &mut observer)?;
                if found.interrupted {
                    return Err(Error::Interrupted { what: "pruning" });
                }
                let removed = format!("{} of {} edges removed", found.removed.len(), fit.graph.edges().len());
                let note = [Some(removed), caution(&found.fit)].into_iter().flatten().collect::<Vec<_>>().join("; ");
                Ok((found.fit.coordinates.clone(), Some(found.fit.bound()), Some(note)))
            }
            Entrant::Peer(method) => {
                let prepared = self.filled.as_ref().map_or(&self.prepared, |(filled, _)| filled);
                let Embedding { coordinates, optimum, .. } =
                    embed_prepared(prepared, method, &self.config, &self.options, watch)?;
                let objective = optimum.as_ref().map(|optimum| optimum.objective);
                Ok((coordinates, objective, optimum.and_then(|optimum| optimum.caution())))
            }
        }
    }

    fn fit_model(&self, watch: Watch) -> Result<OwnFit> {
        let observer = |now: &Progress| watch(now.point.iteration, now.point.bound_scaled);
        let fitter = Fitter::new(self.config.clone()).views(self.views.clone()).observer(observer);
        let (fit, posterior) = fitter.fit_prepared_with_posterior(&self.prepared)?;
        Ok(OwnFit { fit, posterior, seconds: self.preparation, peak_bytes: None })
    }

    /// The settings of an entrant in words.
    fn settings(&self, entrant: Entrant) -> String {
        let (config, options) = (&self.config, &self.options);
        let graph = match (self.prepared.own_edges, config.radius) {
            (true, _) => "own edges".to_owned(),
            (false, Some(radius)) => format!("radius={radius}"),
            (false, None) => format!("k={}", config.n_neighbors),
        };
        let own = |text: String| format!("{graph} {text}");
        match entrant {
            Entrant::LlLvm | Entrant::LlLvmPruned => {
                let held = [("lambda", config.lambda), ("nu", config.nu)].map(|(name, rule)| match rule {
                    Rule::Fixed(value) => format!(" {name}={value}"),
                    Rule::Learned => String::new(),
                });
                own(format!("init={}{}", config.init, held.concat()))
            }
            Entrant::Peer(Method::Lle) => own(format!("reg={}", options.regularization)),
            Entrant::Peer(Method::BayesianGplvm) => format!("inducing={}", options.n_inducing),
            Entrant::Peer(method) if method.uses_graph() => graph,
            Entrant::Peer(_) => String::new(),
        }
    }
}

/// Multiplies once on every thread: each keeps a workspace for products, as large as the caches, which is no method's own.
fn warm() {
    let multiply = || {
        let some = Matrix::from_fn(128, 128, |i, j| (i + j) as f64);
        sequential_product(&some, &some)
    };
    multiply();
    rayon::broadcast(|_| multiply());
}

fn caution(fit: &Fit) -> Option<String> {
    match fit.stop {
        Stop::Converged => None,
        Stop::Collapsed => Some("collapsed".into()),
        Stop::MaxIterations => Some("not converged".into()),
        Stop::Interrupted => Some("interrupted".into()),
    }
}
