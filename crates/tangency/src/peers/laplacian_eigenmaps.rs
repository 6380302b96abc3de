//! Laplacian eigenmaps (Belkin and Niyogi 2003): the slowest modes of a random walk on the graph.

use super::{check_pieces, dimension_below, room};
use crate::error::Result;
use crate::graph::Neighborhoods;
use crate::linalg::{Matrix, SparseSymmetric};

/// Coordinates on the slowest modes; an edge counts one if both points list each other and a half if one does. [n, d_x]
pub fn laplacian_eigenmaps(neighborhoods: &Neighborhoods, n_components: usize) -> Result<Matrix> {
    let n = neighborhoods.n();
    dimension_below(n, n_components)?;
    let graph = neighborhoods.graph();
    check_pieces(graph)?;
    let weight = |i: u32, j: u32| {
        let listed = |i: u32, j: u32| f64::from(u8::from(neighborhoods.around(i as usize).contains(&j)));
        0.5 * (listed(i, j) + listed(j, i))
    };
    let weights: Vec<f64> = graph.edges().iter().map(|&(i, j)| weight(i, j)).collect();
    let mut degrees = vec![0.0; n];
    for (&(i, j), w) in graph.edges().iter().zip(&weights) {
        degrees[i as usize] += w;
        degrees[j as usize] += w;
    }
    let roots: Vec<f64> = degrees.iter().map(|degree: &f64| degree.sqrt()).collect();
    // I − D^(−½) A D^(−½), which takes D^(½) 1 to zero
    let diagonal = (0..n as u32).map(|i| (i, i, 1.0));
    let edges =
        graph.edges().iter().zip(&weights).map(|(&(i, j), w)| (i, j, -w / (roots[i as usize] * roots[j as usize])));
    let matrix = SparseSymmetric::from_entries(n, diagonal.chain(edges));
    let total = degrees.iter().sum::<f64>().sqrt();
    let null: Vec<f64> = roots.iter().map(|root| root / total).collect();
    let (_, vectors) = matrix.smallest_eigenvectors(&null, n_components, room(), "normalised graph Laplacian")?;
    Ok(Matrix::from_fn(n, n_components, |i, a| vectors[(i, a)] / roots[i]))
}
