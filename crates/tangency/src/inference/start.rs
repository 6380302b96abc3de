//! Where a run begins. All randomness of the library that is not asked for by name is here.

use super::coarse::coarse_start;
use super::trace::Observer;
use crate::config::{Config, Init};
use crate::error::{Error, Result};
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, SparseSymmetric, product, product_transposed, symmetric_eigen};
use crate::memory::available_memory;
use crate::message;
use crate::message::{Piece, Remedy};
use crate::model::{Hyperparameters, Problem};
use crate::peers::{Method, PeerOptions, coordinates_by, landmark_isomap};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::ops::ControlFlow;

/// Most iterations of a method that iterates, where it only makes a start.
const PEER_ITERATIONS: usize = 40;

/// A start: one side of the posterior, from which the first update finds the other.
#[derive(Clone)]
pub enum Start {
    /// Means of the coordinates; the maps are fitted to them before they move. [n, d_x]
    Coordinates(Matrix),
    /// Means of the maps, covariance I; column a·n + i is column a of C_i. [d_y, n·d_x]
    Maps(Matrix),
    /// Both, found together.
    Layout(Box<Layout>),
}

impl Start {
    /// Number of coordinates of each of `n` points, as far as the shape tells.
    pub(crate) fn n_components(&self, n: usize) -> usize {
        match self {
            Self::Coordinates(coordinates) => coordinates.ncols(),
            Self::Maps(maps) => maps.ncols() / n.max(1),
            Self::Layout(layout) => layout.coordinates.ncols(),
        }
        .max(1)
    }
}

/// Coordinates with the maps and hyper-parameters that belong to them.
#[derive(Clone)]
pub struct Layout {
    /// Means of the coordinates. [n, d_x]
    pub coordinates: Matrix,
    /// Means of the maps; column a·n + i is column a of C_i. None where they are yet to be fitted. [d_y, n·d_x]
    pub maps: Option<Matrix>,
    /// Hyper-parameters to begin with.
    pub hyper: Hyperparameters,
    /// Whether the coordinates are in the units of the run that begins with them.
    pub in_units: bool,
    /// Whether they stay where they are in that run, up to their scale.
    pub held: bool,
}

/// Makes a start of a named kind from a seed; the observer sees the runs that this takes.
pub fn make_start(problem: &Problem, init: Init, config: &Config, seed: u64, observer: &mut Observer) -> Result<Start> {
    if let Some(method) = init.method() {
        return by_peer(problem, method, seed);
    }
    match init {
        Init::Coarse => coarse_start(problem, config, seed, observer),
        Init::Spectral => spectral(problem),
        Init::LandmarkIsomap => {
            let (points, graph) = (&problem.observations, &problem.graph);
            Ok(Start::Coordinates(landmark_isomap(points, graph, problem.n_components)?))
        }
        Init::Random | Init::Auto => Ok(random(problem, seed)),
        _ => Err(Error::Setting {
            name: "init",
            problem: message![Piece::Setting("init"), " announces a start of your own, but none is given"],
            remedies: vec![
                Remedy::act("give the start"),
                Remedy::Do(message!["use a method as ", Piece::Setting("init")]),
            ],
        }),
    }
}

/// The seed of start number `start`, derived from the seed of the fit.
pub fn derived_seed(seed: u64, start: usize) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(start as u64);
    rng.random()
}

fn random(problem: &Problem, seed: u64) -> Start {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Start::Maps(Matrix::from_fn(problem.observations.nrows(), problem.size(), |_, _| rng.sample(StandardNormal)))
}

fn spectral(problem: &Problem) -> Result<Start> {
    let n = problem.n();
    let laplacian = SparseSymmetric::from_entries(
        n,
        problem.graph.edges().iter().flat_map(|&(i, j)| [(i, i, 1.0), (j, j, 1.0), (i, j, -1.0)]),
    );
    let common = vec![1.0 / (n as f64).sqrt(); n];
    let (_, axes) =
        laplacian.smallest_eigenvectors(&common, problem.n_components, available_memory() / 2, "graph Laplacian")?;
    Ok(Start::Coordinates(isotropic_edges(problem, axes)?))
}

/// Coordinates by another method.
fn by_peer(problem: &Problem, method: Method, seed: u64) -> Result<Start> {
    let neighborhoods = Neighborhoods::of(problem.graph.clone());
    let options = PeerOptions { random_state: seed, max_iter: PEER_ITERATIONS, ..PeerOptions::default() };
    // a Gaussian process counts the features
    let points = match method {
        Method::Gplvm | Method::BayesianGplvm => problem.unrotated(),
        _ => &problem.observations,
    };
    let mut go_on = |_, _| ControlFlow::Continue(());
    let found = coordinates_by(method, points, &neighborhoods, problem.n_components, &options, &mut go_on)?;
    Ok(Start::Coordinates(match method.keeps_aspect() {
        true => found.coordinates,
        false => isotropic_edges(problem, found.coordinates)?,
    }))
}

/// Eigenvectors come with unit length each; x (Σ_e Δx Δxᵀ)^(−½) makes steps along edges alike in all directions, which
/// restores the aspect.
fn isotropic_edges(problem: &Problem, axes: Matrix) -> Result<Matrix> {
    let d_x = axes.ncols();
    let mut steps = Matrix::zeros(d_x, d_x);
    for &(i, j) in problem.graph.edges() {
        let step = |a: usize| axes[(j as usize, a)] - axes[(i as usize, a)];
        for b in 0..d_x {
            for a in 0..d_x {
                steps[(a, b)] += step(a) * step(b);
            }
        }
    }
    let (values, vectors) = symmetric_eigen(&steps, "scatter of the edges")?;
    let whitening = Matrix::from_fn(d_x, d_x, |a, b| vectors[(a, b)] / values[b].max(f64::MIN_POSITIVE).sqrt());
    Ok(product(&axes, &product_transposed(&whitening, &vectors)))
}

/// Units in which a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartUnits {
    /// As the paper's prior likes the coordinates.
    Prior,
    /// Edges have length 1 in the mean square: the graph's likelihood.
    Edges,
    /// Those that a layout is in.
    Layout,
}

impl StartUnits {
    /// Those of the model that is asked for.
    pub fn of(config: &Config) -> Self {
        if config.graph_likelihood { Self::Edges } else { Self::Prior }
    }
}

/// The factor that brings coordinates into these units.
pub(super) fn start_scale(problem: &Problem, x: &Matrix, units: StartUnits) -> f64 {
    let (n, d_x) = (problem.n(), problem.n_components);
    let steps: f64 = problem
        .graph
        .edges()
        .iter()
        .map(|&(i, j)| (0..d_x).map(|a| (x[(j as usize, a)] - x[(i as usize, a)]).powi(2)).sum::<f64>())
        .sum();
    let wanted = match units {
        StartUnits::Prior => ((n - 1) * d_x) as f64 / 2.0,
        StartUnits::Edges => problem.graph.edges().len() as f64,
        StartUnits::Layout => steps,
    };
    if steps > 0.0 { (wanted / steps).sqrt() } else { 1.0 }
}

/// Coordinates to start from, centred and in these units, and the small variance they are held with.
pub(super) fn scaled_start(problem: &Problem, x: &Matrix, units: StartUnits) -> (Matrix, f64) {
    let (n, d_x) = (problem.n(), problem.n_components);
    let scale = start_scale(problem, x, units);
    let means: Vec<f64> = (0..d_x).map(|a| x.col_as_slice(a).iter().sum::<f64>() / n as f64).collect();
    let mean = Matrix::from_fn(n, d_x, |i, a| scale * (x[(i, a)] - means[a]));
    // a thirtieth of a typical step along an edge
    let spread = match units {
        StartUnits::Prior => 1e-3 * (n - 1) as f64 / (2 * problem.graph.edges().len()) as f64,
        StartUnits::Edges | StartUnits::Layout => 1e-3,
    };
    (mean, spread)
}
