//! Points and weights that stand for the spectrum of the Laplacian in sums: Lanczos from a few random vectors
//! (stochastic Lanczos quadrature). The vectors are drawn once per graph, so that sums are smooth in what is summed.

use super::conjugate_gradients::{add, dot};
use super::laplace::times_laplacian;
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::{Matrix, symmetric_eigen};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STEPS: usize = 50;

pub struct Quadrature {
    pub values: Vec<f64>,
    pub weights: Vec<f64>,
    pub log_pseudo_det: f64,
    /// Standard error of it.
    pub error: f64,
}

/// From this many random vectors.
pub fn quadrature(graph: &Graph, vectors: usize, seed: u64) -> Result<Quadrature> {
    let n = graph.n();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut values, mut weights, mut estimates) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..vectors {
        let mut start: Vec<f64> = (0..n).map(|_| if rng.random::<bool>() { 1.0 } else { -1.0 }).collect();
        center(&mut start);
        let (points, shares) = lanczos(graph, start)?;
        let each = (n - 1) as f64 / vectors as f64;
        estimates.push((n - 1) as f64 * points.iter().zip(&shares).map(|(w, share)| share * w.ln()).sum::<f64>());
        weights.extend(shares.iter().map(|share| each * share));
        values.extend(points);
    }
    let mean = estimates.iter().sum::<f64>() / vectors as f64;
    let spread: f64 = estimates.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (spread / (vectors * (vectors - 1)) as f64).sqrt();
    Ok(Quadrature { values, weights, log_pseudo_det: mean, error })
}

/// Eigenvalues of L as a vector sees them, with its share in each.
fn lanczos(graph: &Graph, mut vector: Vec<f64>) -> Result<(Vec<f64>, Vec<f64>)> {
    let norm = dot(&vector, &vector).sqrt();
    vector.iter_mut().for_each(|v| *v /= norm);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut before = vec![0.0; vector.len()];
    for _ in 0..STEPS {
        let mut next = times_laplacian(graph, 1, &vector);
        let along = dot(&next, &vector);
        diagonal.push(along);
        add(&mut next, -along, &vector);
        add(&mut next, -beside.last().copied().unwrap_or(0.0), &before);
        center(&mut next);
        let length = dot(&next, &next).sqrt();
        if length <= 1e-10 * along.abs() {
            break;
        }
        beside.push(length);
        next.iter_mut().for_each(|v| *v /= length);
        before = std::mem::replace(&mut vector, next);
    }
    let size = diagonal.len();
    let small = Matrix::from_fn(size, size, |p, q| match p.abs_diff(q) {
        0 => diagonal[p],
        1 => beside[p.min(q)],
        _ => 0.0,
    });
    let (values, vectors) = symmetric_eigen(&small, "graph Laplacian")?;
    // rounding may leave a value at zero, where no direction but the common shift is
    let smallest = values[size - 1] * 1e-14;
    let values: Vec<f64> = values.iter().map(|value| value.max(smallest)).collect();
    Ok((values, (0..size).map(|p| vectors[(0, p)].powi(2)).collect()))
}

/// Takes the common shift out.
fn center(vector: &mut [f64]) {
    let ones = vec![1.0; vector.len()];
    let mean = dot(vector, &ones) / vector.len() as f64;
    vector.iter_mut().for_each(|v| *v -= mean);
}
