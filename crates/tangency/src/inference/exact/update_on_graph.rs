//! The update of q(x) under the graph's own likelihood: covariance and mean in turn, each step guarded by the bound
//! (docs/derivation.md, eq. 29, 30).

use super::aggregate::Sign;
use super::moments::coordinate_moments;
use super::update_coordinates::{add_constant, copy_lower, linear_term};
use super::{Beliefs, Coordinates, Workspace};
use crate::error::{Error, Result};
use crate::inference::pairs::{Depth, PairField, PairSums, Pairs, Spreads, packed, place};
use crate::inference::state::State;
use crate::inference::terms::graph::GraphTerm;
use crate::linalg::{Matrix, columns_times, dot, gram_lower, invert_spd, mirror_lower, symmetric_dot};
use crate::model::Problem;
use rayon::prelude::*;

/// Shares of the curvature of the non-edges that are tried in the precision.
const SHARES: [f64; 4] = [1.0, 0.7, 0.4, 0.0];
/// Most steps of the mean, and halvings of each.
const STEPS: usize = 30;
const HALVINGS: usize = 12;

/// Improves q(x) given q(C), as far as steps gain `least` nats.
pub fn update_on_graph(problem: &Problem, state: &mut State<Beliefs>, work: &mut Workspace, least: f64) -> Result<()> {
    let State { beliefs: Beliefs { coordinates, maps, .. }, hyper, statistics, graph: Some(term), held } = state else {
        return Ok(());
    };
    let (n, d_x, d_y) = (problem.n(), problem.n_components, problem.n_features());
    let gamma = term.feature_weight * hyper.gamma;
    term.weigh_edges();

    // P = βA + 2L_w⊗I + I⊗A, common shifts at `pin`
    let fixed = &mut work.fixed;
    if fixed.nrows() != n * d_x {
        *fixed = Matrix::zeros(n * d_x, n * d_x);
    }
    let factor = d_y as f64 * maps.scale;
    copy_lower(fixed, &maps.covariance, |value, _, _| factor * value);
    gram_lower(fixed, &maps.mean);
    work.aggregator.aggregate(fixed, Sign::Plus, 0.5 * gamma);
    let pin = 4.0 * problem.graph.edges().len() as f64 / n as f64;
    for a in 0..d_x {
        add_weighted_laplacian(problem, fixed, a, &term.weights);
        for b in 0..=a {
            if term.structure.is_some() {
                add_centred(fixed, (a, b), n, |i| term.block(i)[a * d_x + b], if a == b { pin } else { 0.0 });
                continue;
            }
            let own = term.own(a, b);
            (0..n).for_each(|i| fixed[(a * n + i, b * n + i)] += own);
            let shift = (if a == b { pin } else { 0.0 } - own) / n as f64;
            if a == b {
                add_constant(fixed, a, n, shift);
            } else {
                (b * n..(b + 1) * n).for_each(|j| {
                    fixed.col_as_slice_mut(j)[a * n..(a + 1) * n].iter_mut().for_each(|slot| *slot += shift);
                });
            }
        }
    }
    mirror_lower(fixed);
    let linear = linear_term(problem, maps, gamma); // [d_x, n]
    let linear: Vec<f64> = (0..n * d_x).map(|p| linear[(p / n, p % n)]).collect();

    let (mut field, sums) = update_covariance(problem, coordinates, term, work, pin)?;
    let all_linear = with_pull(&linear, term, n);
    let sums = match held {
        true => sums,
        false => update_mean(problem, coordinates, term, &work.fixed, &all_linear, (&mut field, sums), least),
    };
    coordinates.shift_precision = hyper.alpha;

    let moments = coordinate_moments(problem, coordinates);
    term.steps = field.steps(&problem.graph);
    term.take(sums);
    // R from ½ tr(βA ⟨xxᵀ⟩), which is P without what is the graph's
    let mean = by_component(&coordinates.mean);
    let quadratic = trace_with(&work.fixed, coordinates, pin) + dot(&mean, &columns_times(&work.fixed, &mean));
    let of_edges: f64 = term.weights.iter().zip(&term.steps).map(|(weight, step)| weight * step).sum();
    let of_data = quadratic - of_edges - term.energy(&moments);
    statistics.residual = problem.edge_energy + (0.5 * of_data - dot(&linear, &mean)) / gamma;
    statistics.coordinates = moments;
    Ok(())
}

/// Adds H diag(own) H to a block of the lower triangle, H taking common shifts away, and `pin` for these.
fn add_centred(fixed: &mut Matrix, (a, b): (usize, usize), n: usize, own: impl Fn(usize) -> f64, pin: f64) {
    let own: Vec<f64> = (0..n).map(own).collect();
    let mean = own.iter().sum::<f64>() / n as f64;
    for j in 0..n {
        let column = &mut fixed.col_as_slice_mut(b * n + j)[a * n..(a + 1) * n];
        let first = if a == b { j } else { 0 };
        for (i, slot) in column.iter_mut().enumerate().skip(first) {
            *slot += (mean + pin - own[i] - own[j]) / n as f64;
        }
        column[j] += own[j];
    }
}

/// Linear terms with what pulls points towards where their structure has them, common shifts apart.
fn with_pull(linear: &[f64], term: &GraphTerm, n: usize) -> Vec<f64> {
    let mut all = linear.to_vec();
    let Some(pull) = term.pull() else { return all };
    let d_x = pull.len() / n;
    for a in 0..d_x {
        let mean = (0..n).map(|i| pull[i * d_x + a]).sum::<f64>() / n as f64;
        (0..n).for_each(|i| all[a * n + i] += pull[i * d_x + a] - mean);
    }
    all
}

/// Σ⁻¹ = P + the curvature of the non-edges at the present q(x), if that raises the bound; returns the points as they then are, and
/// the sums over their pairs.
fn update_covariance(
    problem: &Problem,
    coordinates: &mut Coordinates,
    term: &GraphTerm,
    work: &mut Workspace,
    pin: f64,
) -> Result<(PairField, PairSums)> {
    let (n, graph) = (problem.n(), &problem.graph);
    let sums = |field: &PairField| field.sums(graph, &term.affinity, &term.sociability, Depth::Slope);
    let height = |fixed: &Matrix, coordinates: &Coordinates, expected: f64| {
        0.5 * coordinates.log_det - 0.5 * trace_with(fixed, coordinates, pin) - expected
    };
    let field = pair_field(coordinates);
    let (planes, expected) = field.with(graph, &term.affinity, &term.sociability).curvature_planes();
    let before = height(&work.fixed, coordinates, expected);
    for share in SHARES {
        let tried = &mut work.spare;
        copy_lower(tried, &work.fixed, |value, _, _| value);
        add_curvature(tried, &planes, n, share);
        let log_det = match invert_spd(tried, &mut work.inversion, "precision of the coordinates") {
            Ok(log_det) => log_det,
            Err(Error::NotPositiveDefinite { .. }) if share > 0.0 => continue,
            Err(error) => return Err(error),
        };
        let old = (coordinates.scale, coordinates.pin, coordinates.log_det);
        std::mem::swap(&mut coordinates.covariance, tried);
        (coordinates.scale, coordinates.pin) = (1.0, pin);
        coordinates.log_det = coordinates.mean.ncols() as f64 * pin.ln() - log_det;
        let next = pair_field(coordinates);
        let found = sums(&next);
        if height(&work.fixed, coordinates, found.expected) >= before {
            return Ok((next, found));
        }
        std::mem::swap(&mut coordinates.covariance, &mut work.spare);
        (coordinates.scale, coordinates.pin, coordinates.log_det) = old;
    }
    let found = sums(&field);
    Ok((field, found))
}

/// Steps Σ·gradient, halved until the bound rises; from the sums over pairs before to those after.
fn update_mean(
    problem: &Problem,
    coordinates: &mut Coordinates,
    term: &GraphTerm,
    fixed: &Matrix,
    linear: &[f64],
    (field, mut sums): (&mut PairField, PairSums),
    least: f64,
) -> PairSums {
    let (n, graph) = (problem.n(), &problem.graph);
    let d_x = coordinates.mean.ncols();
    mirror_lower(&mut coordinates.covariance);
    let mut mean = by_component(&coordinates.mean);
    let put = |field: &mut PairField, mean: &[f64]| {
        (0..n * d_x).for_each(|p| field.x[p] = mean[(p % d_x) * n + p / d_x]);
    };
    let at = |mean: &[f64], sums: &PairSums| {
        let image = columns_times(fixed, mean);
        let height = dot(mean, linear) - 0.5 * dot(mean, &image) - sums.expected;
        let pull = |p: usize| linear[p] - image[p] + sums.push[(p % n) * d_x + p / n];
        (height, (0..n * d_x).map(pull).collect::<Vec<f64>>())
    };
    let (mut height, mut slope) = at(&mean, &sums);
    'steps: for _ in 0..STEPS {
        let direction = columns_times(&coordinates.covariance, &slope);
        let mut length = coordinates.scale;
        for _ in 0..HALVINGS {
            let tried: Vec<f64> = mean.iter().zip(&direction).map(|(mean, step)| mean + length * step).collect();
            put(field, &tried);
            let found = field.sums(graph, &term.affinity, &term.sociability, Depth::Slope);
            let (next, its_slope) = at(&tried, &found);
            if next > height {
                let gain = next - height;
                (mean, height, slope, sums) = (tried, next, its_slope, found);
                if gain < least {
                    break 'steps;
                }
                continue 'steps;
            }
            length *= 0.5;
        }
        break;
    }
    put(field, &mean);
    coordinates.mean = Matrix::from_fn(n, d_x, |i, a| mean[a * n + i]);
    sums
}

/// The points as this engine believes them to be.
pub fn pair_field(coordinates: &Coordinates) -> PairField {
    let (n, d_x) = (coordinates.n(), coordinates.mean.ncols());
    let (covariance, scale) = (&coordinates.covariance, coordinates.scale);
    let entry = |a: usize, i: usize, b: usize, j: usize| {
        let (row, column) = (a * n + i, b * n + j);
        covariance[(row.max(column), row.min(column))]
    };
    let mut planes = vec![Matrix::zeros(n, n); packed(d_x)];
    for a in 0..d_x {
        for b in 0..=a {
            let own: Vec<f64> = (0..n).map(|i| entry(a, i, b, i)).collect();
            planes[place(a, b)].as_mut().par_col_iter_mut().enumerate().for_each(|(j, column)| {
                for (i, slot) in column.iter_mut().enumerate() {
                    *slot = scale * (own[i] + own[j] - entry(a, i, b, j) - entry(a, j, b, i));
                }
            });
        }
    }
    let x = (0..n * d_x).map(|p| coordinates.mean[(p / d_x, p % d_x)]).collect();
    PairField { pairs: Pairs::All, x, spreads: Spreads::Joint(planes) }
}

/// Adds a share of the curvature of all pairs to the lower triangle.
fn add_curvature(precision: &mut Matrix, planes: &[Matrix], n: usize, share: f64) {
    if share == 0.0 {
        return;
    }
    precision.as_mut().par_col_iter_mut().enumerate().for_each(|(column, mut slots)| {
        let (b, j) = (column / n, column % n);
        let d_x = slots.nrows() / n;
        for a in b..d_x {
            let plane = planes[place(a, b)].col_as_slice(j);
            let total: f64 = plane.iter().sum();
            for (i, value) in plane.iter().enumerate() {
                let row = a * n + i;
                if row >= column {
                    slots[row] += share * if i == j { total } else { -value };
                }
            }
        }
    });
}

/// Adds the Laplacian of weighted edges to the lower triangle of diagonal block `a`.
fn add_weighted_laplacian(problem: &Problem, precision: &mut Matrix, a: usize, weights: &[f64]) {
    let first = a * problem.n();
    for (&(i, j), weight) in problem.graph.edges().iter().zip(weights) {
        let (i, j) = (first + i as usize, first + j as usize);
        precision[(i, i)] += weight;
        precision[(j, j)] += weight;
        precision[(j, i)] -= weight;
    }
}

/// tr(PΣ_x) without common shifts, whose precision is `pin` in P.
fn trace_with(fixed: &Matrix, coordinates: &Coordinates, pin: f64) -> f64 {
    let shifts = coordinates.mean.ncols() as f64 * pin / coordinates.pin;
    coordinates.scale * (symmetric_dot(fixed, &coordinates.covariance) - shifts)
}

fn by_component(mean: &Matrix) -> Vec<f64> {
    let n = mean.nrows();
    (0..n * mean.ncols()).map(|p| mean[(p % n, p / n)]).collect()
}
