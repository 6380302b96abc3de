//! Coarse to fine: a graph of cells is laid out first, and its layout carried over to the points of the cells.
//!
//! Cells are grown along the graph, and two are neighbours only if an edge of the graph joins them: a coarser graph has no
//! short-circuits that the graph itself has not. A coarse fit moves far for little work; what it cannot see, a fine fit
//! mends in a few iterations.

use super::em::Run;
use super::engine::Updates;
use super::factorised::Factorised;
use super::start::{Layout, Start, derived_seed, make_start};
use super::tournament::{NumberedStart, Reach, Tournament};
use super::trace::{Observer, Stop, TracePoint};
use crate::config::{Config, Init};
use crate::error::Result;
use crate::graph::{Graph, Paths, joining_edges, squared_distance};
use crate::linalg::Matrix;
use crate::linalg::small::invert;
use crate::model::{Hyperparameters, Problem};
use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Up to so many points a layout is found from the usual starts.
pub const COARSE_ABOVE: usize = 3000;
/// Points of a cell.
const CELL: usize = 8;

/// A layout of the points from one of their cells.
pub fn coarse_start(problem: &Problem, config: &Config, seed: u64, observer: &mut Observer) -> Result<Start> {
    if problem.n() <= COARSE_ABOVE {
        return best_usual(problem, config, seed, observer);
    }
    let cells = CoarseCells::new(problem, config.n_neighbors, seed);
    let coarse = cells.problem(problem)?;
    let start = coarse_start(&coarse, config, derived_seed(seed, 0), observer)?;
    let mut engine = Factorised::new(&coarse, config)?;
    let mut run = Run::new(&coarse, config, &engine, &start);
    if run.advance(&mut engine, None, observer)? == Some(Stop::Collapsed) {
        return make_start(problem, Init::LandmarkIsomap, config, seed, observer);
    }
    Ok(Start::Layout(Box::new(cells.carry_over(problem, &run))))
}

/// The usual start whose short run has the best bound.
fn best_usual(problem: &Problem, config: &Config, seed: u64, observer: &mut Observer) -> Result<Start> {
    let starts = [Init::Spectral, Init::Isomap].map(|init| NumberedStart { number: 0, init, seed });
    let mut tournament = Tournament::<Factorised>::new(problem, config, None)?;
    let mut of_start = |_, _, point: &TracePoint, stage| observer(point, stage);
    match tournament.play(&starts, Reach::Trial, &mut of_start, |_, attempt| Ok(attempt.start))? {
        Some(best) => Ok(best.kept),
        None => make_start(problem, Init::Spectral, config, seed, observer),
    }
}

/// The points of a graph in cells.
struct CoarseCells {
    count: usize,
    /// The cell of each point.
    of_point: Vec<u32>,
    graph: Graph,
    /// Mean observations of each cell. [d_y, count]
    means: Matrix,
}

impl CoarseCells {
    /// Cells around seeds drawn at random, each point in that of the seed nearest along the graph.
    fn new(problem: &Problem, k: usize, seed: u64) -> Self {
        let n = problem.n();
        let count = (n / CELL).max(COARSE_ABOVE / 2);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut seeds = sample(&mut rng, n, count).into_vec();
        seeds.sort_unstable();
        let of_point = Paths::new(&problem.graph, &problem.observations).nearest_of(&seeds);
        let y = &problem.observations;
        let mut means = Matrix::zeros(y.nrows(), count);
        let mut sizes = vec![0.0; count];
        for (i, &cell) in of_point.iter().enumerate() {
            sizes[cell as usize] += 1.0;
            let column = means.col_as_slice_mut(cell as usize);
            column.iter_mut().zip(y.col_as_slice(i)).for_each(|(slot, value)| *slot += value);
        }
        for (cell, size) in sizes.iter().enumerate() {
            means.col_as_slice_mut(cell).iter_mut().for_each(|slot| *slot /= size);
        }
        let graph = cell_graph(&problem.graph, &of_point, &means, k);
        Self { count, of_point, graph, means }
    }

    fn problem(&self, fine: &Problem) -> Result<Problem> {
        fine.like(self.means.clone(), self.graph.clone())
    }

    /// Layout, maps and hyper-parameters of the points from those of the cells: what the cell of a point and those of its
    /// neighbours expect, on average.
    fn carry_over(&self, problem: &Problem, run: &Run<Factorised>) -> Layout {
        let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.observations.nrows());
        let (x, c) = (&run.state.beliefs.x, &run.state.beliefs.c);
        let inverses: Vec<Vec<f64>> = (0..self.count).into_par_iter().map(|l| gram_inverse(c, l, d_x, d_y)).collect();
        let width = d_x + d_x * d_y;
        let mut found = vec![0.0; n * width];
        found.par_chunks_mut(width).enumerate().for_each(|(i, found)| {
            let mut cells: Vec<u32> = problem.graph.neighbors(i).iter().map(|&j| self.of_point[j as usize]).collect();
            cells.push(self.of_point[i]);
            cells.sort_unstable();
            cells.dedup();
            let share = 1.0 / cells.len() as f64;
            let (place, map) = found.split_at_mut(d_x);
            for &cell in &cells {
                let l = cell as usize;
                let own = &c[l * d_x * d_y..(l + 1) * d_x * d_y];
                let ahead = |a: usize| -> f64 {
                    let away = problem.observations.col_as_slice(i).iter().zip(self.means.col_as_slice(l));
                    away.zip(&own[a * d_y..(a + 1) * d_y]).map(|((y, mean), c)| (y - mean) * c).sum()
                };
                let ahead: Vec<f64> = (0..d_x).map(ahead).collect();
                for a in 0..d_x {
                    let step: f64 = (0..d_x).map(|b| inverses[l][a * d_x + b] * ahead[b]).sum();
                    place[a] += share * (x[l * d_x + a] + step);
                }
                map.iter_mut().zip(own).for_each(|(slot, value)| *slot += share * value);
            }
        });
        let coordinates = Matrix::from_fn(n, d_x, |i, a| found[i * width + a]);
        let maps = Matrix::from_fn(d_y, n * d_x, |f, p| found[(p % n) * width + d_x + (p / n) * d_y + f]);
        let hyper = cautious(problem, &coordinates, &maps, run.state.hyper);
        Layout { coordinates, maps: Some(maps), hyper, in_units: false, held: false }
    }
}

/// Cells that an edge joins; of many such, each cell keeps its `k` nearest, and whatever holds the graph together.
fn cell_graph(graph: &Graph, of_point: &[u32], means: &Matrix, k: usize) -> Graph {
    let count = means.ncols();
    let across = graph.edges().iter().map(|&(i, j)| (of_point[i as usize], of_point[j as usize]));
    let all = Graph::from_edges(count, across);
    let length = |i: u32, j: u32| squared_distance(means.col_as_slice(i as usize), means.col_as_slice(j as usize));
    let near: Vec<(u32, u32)> = (0..count as u32)
        .into_par_iter()
        .flat_map_iter(|i| {
            let mut list = all.neighbors(i as usize).to_vec();
            list.sort_by(|&p, &q| length(i, p).total_cmp(&length(i, q)).then(p.cmp(&q)));
            list.truncate(k);
            list.into_iter().map(move |j| (i, j))
        })
        .collect();
    let near = Graph::from_edges(count, near);
    let mut rest: Vec<(u32, u32)> = all.edges().iter().filter(|&&edge| !near.has(edge)).copied().collect();
    rest.sort_by(|&(i, j), &(p, q)| length(i, j).total_cmp(&length(p, q)).then((i, j).cmp(&(p, q))));
    let joining = joining_edges(&near, rest);
    near.with_changes(&[], &joining)
}

/// (C_lᵀC_l)⁻¹ with a little ridge.
fn gram_inverse(c: &[f64], l: usize, d_x: usize, d_y: usize) -> Vec<f64> {
    let column = |a: usize| &c[(l * d_x + a) * d_y..(l * d_x + a + 1) * d_y];
    let mut gram: Vec<f64> =
        (0..d_x * d_x).map(|p| column(p / d_x).iter().zip(column(p % d_x)).map(|(a, b)| a * b).sum()).collect();
    let ridge = 1e-6 * (0..d_x).map(|a| gram[a * d_x + a]).sum::<f64>() + f64::MIN_POSITIVE;
    (0..d_x).for_each(|a| gram[a * d_x + a] += ridge);
    if invert(&mut gram, d_x).is_none() {
        gram.fill(0.0);
    }
    gram
}

/// Hyper-parameters for a layout with maps: noise no smaller than what the edges, each by itself, leave unexplained, and
/// priors half as tight as the maps are; the rest as it was.
fn cautious(problem: &Problem, x: &Matrix, c: &Matrix, before: Hyperparameters) -> Hyperparameters {
    let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.n_features() as f64);
    let y = &problem.observations;
    let (mut missed, mut rough, mut square) = (0.0, 0.0, 0.0);
    for &(i, j) in problem.graph.edges() {
        let (i, j) = (i as usize, j as usize);
        for f in 0..y.nrows() {
            let step: f64 =
                (0..d_x).map(|a| 0.5 * (c[(f, a * n + i)] + c[(f, a * n + j)]) * (x[(j, a)] - x[(i, a)])).sum();
            missed += (y[(f, j)] - y[(f, i)] - step).powi(2);
            rough += 2.0 * (0..d_x).map(|a| (c[(f, a * n + j)] - c[(f, a * n + i)]).powi(2)).sum::<f64>();
        }
    }
    for p in 0..n * d_x {
        square += c.col_as_slice(p).iter().map(|v| v * v).sum::<f64>();
    }
    let all_missed = missed + problem.edge_energy - own_energy(problem);
    let count = (n * d_x) as f64 * d_y;
    Hyperparameters {
        gamma: 0.5 * d_y * (n - 1) as f64 / all_missed.max(1e-7 * problem.edge_energy),
        lambda: 0.5 * count / rough.max(f64::MIN_POSITIVE),
        nu: 0.5 * count / square.max(f64::MIN_POSITIVE),
        ..before
    }
}

/// Summed squared length of the edges along the axes that are kept.
fn own_energy(problem: &Problem) -> f64 {
    let y = &problem.observations;
    let edges = problem.graph.edges().iter();
    edges.map(|&(i, j)| squared_distance(y.col_as_slice(i as usize), y.col_as_slice(j as usize))).sum()
}
