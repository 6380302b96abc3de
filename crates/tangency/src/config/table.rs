//! The table of settings. A row makes the field of [`Config`], its default, its check, its flag on the command line and the
//! check of its argument in Python.

use super::setting::{Field, Group, Kind, Range, Setting, Value};
use super::{Choice, EdgeWeights, FeatureWeight, Init, KeepLengths, Rule, Uncertainty};
use crate::error::Result;
use crate::graph::{Metric, NeighborSearch, Symmetry};
use crate::inference::EngineKind;
use crate::model::{FeatureNoise, MissingRule, ScalingRule};
use serde::{Deserialize, Serialize};

/// Rows of doc comment, field, type, default, group and kind to a struct and a list.
macro_rules! settings {
    ($($(#[doc = $about:literal])+ $name:ident: $type:ty = $default:expr, $group:ident, $kind:expr;)+) => {
        /// The settings of a fit. A field here, an argument in Python and a flag on the command line have the same name.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct Config {
            $($(#[doc = $about])+ pub $name: $type,)+
        }

        impl Default for Config {
            fn default() -> Self {
                Self { $($name: $default),+ }
            }
        }

        impl Config {
            /// The table: every setting, in order.
            pub const SETTINGS: &'static [Setting] = &[$(Setting {
                name: stringify!($name),
                about: concat!($($about),+).trim_ascii_start(),
                group: Group::$group,
                kind: $kind,
                optional: <$type as Field>::OPTIONAL,
            }),+];

            /// The value of the setting with this name; none if there is no such setting.
            pub fn get(&self, name: &str) -> Option<Value> {
                match name {
                    $(stringify!($name) => Some($kind.shown(self.$name.value())),)+
                    _ => None,
                }
            }

            /// Gives a setting a value.
            pub fn set(&mut self, setting: &Setting, value: &Value) -> Result<()> {
                match setting.name {
                    $(stringify!($name) => {
                        self.$name = Field::from_value(&$kind.held(value)).ok_or_else(|| setting.refused(value.to_string().into()))?;
                    })+
                    _ => {}
                }
                Ok(())
            }

            /// Whether this is a value of the setting with this name, as JSON has it; none if there is no such setting.
            pub(crate) fn reads(name: &str, value: &serde_json::Value) -> Option<bool> {
                match name {
                    $(stringify!($name) => Some(<$type>::deserialize(value).is_ok()),)+
                    _ => None,
                }
            }
        }
    };
}

settings! {
    /// Number of coordinates, the latent dimension; `auto` for as many as a fit with several of them uses.
    n_components: usize = 2, Model, Kind::WholeOrAuto(1);
    /// Neighbours of each point; `auto` for the number with which rows that were left out are likeliest.
    n_neighbors: usize = 9, Graph, Kind::WholeOrAuto(1);
    /// In which metric neighbours are sought; the features are modelled as they are, whichever it is.
    metric: Metric = Metric::Euclidean, Graph, Kind::Choice(Metric::list);
    /// Whether an edge needs one of two points to list the other as a neighbour, or both.
    symmetry: Symmetry = Symmetry::Or, Graph, Kind::Choice(Symmetry::list);
    /// How nearest neighbours are searched: all of them, or nearly all and quickly.
    neighbor_search: NeighborSearch = NeighborSearch::Auto, Graph, Kind::Choice(NeighborSearch::list);
    /// Join all points within this distance, in the units of the table or of the metric, instead of the nearest `n_neighbors`.
    radius: Option<f64> = None, Graph, Kind::Real(Range::Positive);
    /// Join the pieces of a broken graph by the shortest bridges.
    connect: bool = false, Graph, Kind::Switch;
    /// Keep only the largest piece of a broken graph.
    largest: bool = false, Graph, Kind::Switch;
    /// How features are scaled after centring; `auto` by each one's own spread where their units differ.
    scaling: ScalingRule = ScalingRule::Auto, Model, Kind::Choice(ScalingRule::list);
    /// Whether features share one noise or each has its own, so that noisy ones decide less; with views, the features of a view.
    feature_noise: FeatureNoise = FeatureNoise::Shared, Model, Kind::Choice(FeatureNoise::list);
    /// What is done with entries of the table that are missing.
    missing: MissingRule = MissingRule::Model, Model, Kind::Choice(MissingRule::list);
    /// Fit along the principal axes that hold this share of the variance, for many features; all features if unset.
    pca: Option<f64> = None, Engine, Kind::Real(Range::Share);
    /// Where a run starts.
    init: Init = Init::Auto, Engine, Kind::Choice(Init::by_name);
    /// Number of random starts, of which the one with the best bound is kept.
    n_init: usize = 1, Engine, Kind::Whole(1);
    /// Most iterations of a run.
    max_iter: usize = 500, Engine, Kind::Whole(1);
    /// A run ends when an iteration without extrapolation raises the bound by less than this, in nats per point; 0 never ends
    /// it.
    tol: f64 = 1e-4, Engine, Kind::Real(Range::NotNegative);
    /// What `tol` is for runs that begin from a coarser graph. It is larger: what such a run gains slowly it gains by bending a
    /// layout that is right.
    coarse_tol: f64 = 1e-2, Engine, Kind::Real(Range::NotNegative);
    /// The graph's own likelihood, in which missing edges keep points apart that are no neighbours; without it the model is the
    /// paper's.
    graph_likelihood: bool = true, Model, Kind::Switch;
    /// How much the features count against the graph in the layout: a number, 1 for the plain model; `polish` for the paper's
    /// model from that layout; `auto` for the largest of these whose neighbourhoods are as good as the best.
    feature_weight: FeatureWeight = FeatureWeight::Auto, Model, Kind::ChoiceOr(FeatureWeight::words, Range::Positive);
    /// Whether the map is stretched at the end until edges have the lengths that they have in the table, which neither likelihood
    /// knows; part of the graph's likelihood.
    keep_lengths: KeepLengths = KeepLengths::Auto, Model, Kind::Choice(KeepLengths::list);
    /// How much each edge counts in the graph's likelihood.
    edge_weights: EdgeWeights = EdgeWeights::Membership, Model, Kind::Choice(EdgeWeights::list);
    /// How heavy the tail of the graph's likelihood is, 1/b of (1 + t/b)^(−b) at a squared distance t; 0 is e^(−t).
    heaviness: Rule = Rule::Fixed(0.5), Model, Kind::LearnedOr(Range::Unit);
    /// The small constant ε of the paper's priors.
    epsilon: f64 = 1e-3, Model, Kind::Real(Range::Positive);
    /// First noise precision γ.
    gamma0: f64 = 1.0, Model, Kind::Real(Range::Positive);
    /// α of the first update of the coordinates; a fixed `alpha` takes its place after the first iteration, a learned one after
    /// a warm-up.
    alpha0: f64 = 1e-3, Model, Kind::Real(Range::Positive);
    /// Precision α of the coordinates after the first updates.
    alpha: Rule = Rule::Learned, Model, Kind::LearnedOr(Range::Positive);
    /// Smoothness λ of the maps.
    lambda: Rule = Rule::Learned, Model, Kind::LearnedOr(Range::Positive);
    /// Magnitude ν of the maps; 0 is the paper's prior.
    nu: Rule = Rule::Learned, Model, Kind::LearnedOr(Range::NotNegative);
    /// Joint rescaling and guarded extrapolation, which make a run shorter.
    accelerate: bool = true, Engine, Kind::Switch;
    /// What the reported standard deviations of coordinates are about.
    uncertainty: Uncertainty = Uncertainty::Relative, Model, Kind::Choice(Uncertainty::list);
    /// Keep how all coordinates vary together, for distances and samples: (n·d)² numbers, which only the exact engine has.
    full_covariance: bool = false, Model, Kind::Switch;
    /// One Gaussian over all points, or independent points for many of them.
    engine: EngineKind = EngineKind::Auto, Engine, Kind::Choice(EngineKind::list);
    /// Seconds that the exact engine may take, by a rough estimate that goes by size alone; beyond them `auto` takes the factorised one.
    time_budget: f64 = 30.0, Engine, Kind::Real(Range::Positive);
    /// Steps along the graph within which the factorised engine looks for resistances; 0 for the whole graph.
    ball_radius: usize = 2, Engine, Kind::Whole(0);
    /// Draws from which the factorised engine estimates standard deviations; 0 for conditional ones, which are too small; by the
    /// number of points if unset.
    draws: Option<usize> = None, Engine, Kind::Whole(0);
    /// Seed of everything random.
    random_state: u64 = 0, Engine, Kind::Whole(0);
}
