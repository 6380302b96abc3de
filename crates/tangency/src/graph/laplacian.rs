//! The graph Laplacian L = D − G: its pseudo-inverse, its eigenvalues, and sums over its pattern.

use super::Graph;
use crate::error::Result;
use crate::linalg::{Matrix, SpdWork, invert_spd, lower_factor, product, solve_small, symmetric_eigenvalues};

/// Up to a part of 1/FEW as many edges as points, a change of the graph counts as small.
const FEW: usize = 4;
/// Below this pivot an edge nearly holds two parts together alone, and low rank would lose digits.
const SMALLEST_PIVOT: f64 = 1e-3;

/// What the model needs of the Laplacian of a connected graph, made once per graph.
pub struct Laplacian {
    /// Pseudo-inverse Lp, full and symmetric. [n, n]
    pub pseudo_inverse: Matrix,
    /// Eigenvalues of L, ascending; the first is exactly zero. `[n]`
    pub eigenvalues: Vec<f64>,
    /// Logarithm of the product of the non-zero eigenvalues.
    pub log_pseudo_det: f64,
}

impl Laplacian {
    /// The Laplacian of a connected graph.
    pub fn new(graph: &Graph) -> Result<Self> {
        let n = graph.n();
        let mut eigenvalues = symmetric_eigenvalues(&dense(graph, 0.0), "graph Laplacian")?;
        eigenvalues[0] = 0.0;

        // (L + 11ᵀ/n)⁻¹ = Lp + 11ᵀ/n
        let (mut pseudo_inverse, log_pseudo_det) = shifted_inverse(graph, 0.0)?;
        for j in 0..n {
            pseudo_inverse.col_as_slice_mut(j).iter_mut().for_each(|value| *value -= 1.0 / n as f64);
        }
        Ok(Self { pseudo_inverse, eigenvalues, log_pseudo_det })
    }

    /// The Laplacian of another connected graph on the same points. Where the graphs differ by few edges, Lp and the
    /// log-determinant follow by low rank; the eigenvalues are found anew.
    pub fn changed(&self, from: &Graph, to: &Graph) -> Result<Self> {
        let missing = |from: &Graph, to: &Graph| -> Vec<(u32, u32)> {
            from.edges().iter().filter(|edge| to.edges().binary_search(edge).is_err()).copied().collect()
        };
        let (removed, added) = (missing(from, to), missing(to, from));
        if (removed.len() + added.len()) * FEW > to.n() {
            return Self::new(to);
        }
        let mut pseudo_inverse = self.pseudo_inverse.clone();
        let mut log_pseudo_det = self.log_pseudo_det;
        // added edges first, so that no step in between takes the graph apart
        for (edges, sign) in [(added, 1.0), (removed, -1.0)] {
            match low_rank(&mut pseudo_inverse, &edges, sign) {
                Some(change) => log_pseudo_det += change,
                None => return Self::new(to),
            }
        }
        let mut eigenvalues = symmetric_eigenvalues(&dense(to, 0.0), "graph Laplacian")?;
        eigenvalues[0] = 0.0;
        Ok(Self { pseudo_inverse, eigenvalues, log_pseudo_det })
    }

    /// Effective resistance between two points, every edge a unit resistor.
    pub fn resistance(&self, i: usize, j: usize) -> f64 {
        let lp = &self.pseudo_inverse;
        lp[(i, i)] + lp[(j, j)] - 2.0 * lp[(i, j)]
    }
}

/// (L + aI + 11ᵀ/n)⁻¹, full and symmetric, and the log-determinant of what is inverted. [n, n]
pub(crate) fn shifted_inverse(graph: &Graph, a: f64) -> Result<(Matrix, f64)> {
    let n = graph.n();
    let mut matrix = dense(graph, 1.0 / n as f64);
    for i in 0..n {
        matrix[(i, i)] += a;
    }
    let log_det = invert_spd(&mut matrix, &mut SpdWork::new(n), "graph Laplacian")?;
    for j in 0..n {
        for i in j + 1..n {
            matrix[(j, i)] = matrix[(i, j)];
        }
    }
    Ok((matrix, log_det))
}

/// Changes Lp to that of L + sign·BᵀB for these edges (docs/derivation.md, eq. 14); returns the change of log pdet(L), or
/// `None` where too many digits would be lost.
fn low_rank(lp: &mut Matrix, edges: &[(u32, u32)], sign: f64) -> Option<f64> {
    if edges.is_empty() {
        return Some(0.0);
    }
    let (n, count) = (lp.nrows(), edges.len());
    let ends = |e: usize| (edges[e].0 as usize, edges[e].1 as usize);
    let across = Matrix::from_fn(n, count, |p, e| lp[(p, ends(e).0)] - lp[(p, ends(e).1)]); // Lp Bᵀ
    let inner = Matrix::from_fn(count, count, |d, e| {
        let (i, j) = ends(d);
        f64::from(u8::from(d == e)) + sign * (across[(i, e)] - across[(j, e)])
    });
    let factor = lower_factor(&inner, "change of the graph").ok()?;
    let diagonal = || (0..count).map(|e| factor[(e, e)]);
    if diagonal().any(|pivot| pivot < SMALLEST_PIVOT) {
        return None;
    }
    let solved = solve_small(&inner, &across.transpose().to_owned(), "change of the graph").ok()?;
    let change = product(&across, &solved);
    for j in 0..n {
        for i in j..n {
            let value = lp[(i, j)] - sign * change[(i, j)];
            lp[(i, j)] = value;
            lp[(j, i)] = value;
        }
    }
    Some(2.0 * diagonal().map(f64::ln).sum::<f64>())
}

/// L + `shift`·11ᵀ, lower triangle.
fn dense(graph: &Graph, shift: f64) -> Matrix {
    let n = graph.n();
    let mut matrix = Matrix::full(n, n, shift);
    for i in 0..n {
        matrix[(i, i)] += graph.degree(i) as f64;
    }
    for &(i, j) in graph.edges() {
        matrix[(j as usize, i as usize)] -= 1.0;
    }
    matrix
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::graph::pieces;
    use proptest::prelude::*;

    /// A ring with chords; `step` decides which.
    fn ring(n: u32, step: u32) -> Graph {
        let chords = (0..n).map(|i| (i, (i * step + 3) % n));
        Graph::from_edges(n as usize, (0..n).map(|i| (i, (i + 1) % n)).chain(chords))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn low_rank_changes_are_those_from_scratch(
            n in 12u32..90, step in 2u32..7, out in prop::collection::vec(0usize..1000, 0..8), into in 0u32..6,
        ) {
            let from = ring(n, step);
            let removed: Vec<_> = out.iter().map(|&e| from.edges()[e % from.edges().len()]).collect();
            let added: Vec<_> = (0..into).map(|i| (i, (5 * i + n / 2) % n)).filter(|(i, j)| i != j).collect();
            let to = from.with_changes(&removed, &added);
            prop_assume!(pieces(&to).len() == 1);
            let (quick, slow) = (Laplacian::new(&from).unwrap().changed(&from, &to).unwrap(), Laplacian::new(&to).unwrap());
            let error = (&quick.pseudo_inverse - &slow.pseudo_inverse).norm_max() / slow.pseudo_inverse.norm_max();
            prop_assert!(error < 1e-9, "Lp {error}");
            prop_assert!((quick.log_pseudo_det - slow.log_pseudo_det).abs() < 1e-8);
            prop_assert_eq!(quick.eigenvalues, slow.eigenvalues);
        }
    }

    #[test]
    fn the_resistance_of_a_path_is_its_length_and_of_a_ring_in_parallel() {
        let path = Laplacian::new(&Graph::from_edges(5, [(0, 1), (1, 2), (2, 3), (3, 4)])).unwrap();
        assert!((path.resistance(0, 4) - 4.0).abs() < 1e-12);
        let ring = Laplacian::new(&Graph::from_edges(4, [(0, 1), (1, 2), (2, 3), (3, 0)])).unwrap();
        assert!((ring.resistance(0, 1) - 0.75).abs() < 1e-12);
    }
}
