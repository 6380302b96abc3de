//! Entries that a table lacks: what the others say of them (docs/derivation.md, *Missing entries*).
//!
//! Under the likelihood a feature is a Gaussian over the graph with precision 2γL around what the local maps say. Given the
//! rows that have it, the others are Gaussian too, with precision 2γL_mm.

use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::{GraphFactor, GraphPattern, Matrix, SpdWork, View, invert_spd};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Up to so many rows that lack a feature variances are exact; beyond only rows nearby are seen.
const WHOLE: usize = 1500;
/// So many rows nearby.
const NEARBY: usize = 60;

crate::choice! {
    /// What is done with entries of a table that are missing.
    pub enum MissingRule default Model {
        /// They are part of the model: found with the coordinates, with their standard deviations.
        Model = "model",
        /// Rows that lack one are left out.
        Drop = "drop",
        /// They are an error.
        Error = "error",
    }
}

/// Which entries are missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MissingEntries {
    gaps: Vec<Gap>,
}

/// Features that the same rows lack.
#[derive(Clone, Debug, PartialEq)]
struct Gap {
    /// Ascending.
    rows: Vec<u32>,
    features: Vec<usize>,
}

impl MissingEntries {
    /// Those that are NaN in points, one per column; none if all are there.
    pub fn of(points: &Matrix) -> Option<Self> {
        let mut gaps: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for f in 0..points.nrows() {
            let rows: Vec<u32> = (0..points.ncols()).filter(|&i| points[(f, i)].is_nan()).map(|i| i as u32).collect();
            if !rows.is_empty() {
                gaps.entry(rows).or_default().push(f);
            }
        }
        let gaps: Vec<Gap> = gaps.into_iter().map(|(rows, features)| Gap { rows, features }).collect();
        (!gaps.is_empty()).then_some(Self { gaps })
    }

    /// Those of a list of rows and features.
    pub fn from_pairs(pairs: &[(u32, u32)]) -> Self {
        let mut by_feature: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
        for &(row, feature) in pairs {
            by_feature.entry(feature as usize).or_default().push(row);
        }
        let mut gaps: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
        for (feature, mut rows) in by_feature {
            rows.sort_unstable();
            rows.dedup();
            gaps.entry(rows).or_default().push(feature);
        }
        Self { gaps: gaps.into_iter().map(|(rows, features)| Gap { rows, features }).collect() }
    }

    /// Rows and features that are NaN in a table, row by row.
    pub fn pairs_of(values: View) -> Vec<(u32, u32)> {
        let gaps =
            |i: usize| (0..values.ncols()).filter(move |&f| values[(i, f)].is_nan()).map(move |f| (i as u32, f as u32));
        (0..values.nrows()).flat_map(gaps).collect()
    }

    /// Rows and features, row by row.
    pub fn pairs(&self) -> Vec<(u32, u32)> {
        let of_gap = |gap: &Gap| -> Vec<(u32, u32)> {
            gap.rows.iter().flat_map(|&row| gap.features.iter().map(move |&f| (row, f as u32))).collect()
        };
        let mut pairs: Vec<(u32, u32)> = self.gaps.iter().flat_map(of_gap).collect();
        pairs.sort_unstable();
        pairs
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.gaps.iter().map(|gap| gap.rows.len() * gap.features.len()).sum()
    }

    /// What is needed to fill them in on a graph in one piece.
    pub fn on(&self, graph: &Graph) -> Result<Filling> {
        let parts = self.gaps.par_iter().map(|gap| Part::new(gap, graph)).collect::<Result<_>>()?;
        Ok(Filling { parts })
    }
}

/// Missing entries on a graph: L_mm of each feature, factored.
pub struct Filling {
    parts: Vec<Part>,
}

struct Part {
    gap: Gap,
    /// Place of a row among those that lack the feature.
    place: Vec<Option<u32>>,
    pattern: GraphPattern,
    factor: GraphFactor,
}

impl Part {
    fn new(gap: &Gap, graph: &Graph) -> Result<Self> {
        let mut place = vec![None; graph.n()];
        for (at, &row) in gap.rows.iter().enumerate() {
            place[row as usize] = Some(at as u32);
        }
        let among = |&(i, j): &(u32, u32)| Some((place[i as usize]?, place[j as usize]?));
        let edges: Vec<(u32, u32)> = graph.edges().iter().filter_map(among).collect();
        let degrees: Vec<f64> = gap.rows.iter().map(|&row| graph.neighbors(row as usize).len() as f64).collect();
        let pattern = GraphPattern::new(gap.rows.len(), &edges)?;
        let factor = pattern.factor(&degrees, &vec![-1.0; edges.len()], "Laplacian of missing entries")?;
        Ok(Self { gap: gap.clone(), place, pattern, factor })
    }

    /// L_mm ŷ_m = (Bᵀā)_m − L_mo y_o, for all features of the gap. [rows × features]
    fn solve(&self, graph: &Graph, points: &Matrix, flow: Option<&Matrix>) -> Vec<f64> {
        let Gap { rows, features } = &self.gap;
        let mut right = vec![0.0; rows.len() * features.len()];
        for (at, &row) in rows.iter().enumerate() {
            let (row, own) = (row as usize, &mut right[at * features.len()..(at + 1) * features.len()]);
            for (right, &f) in own.iter_mut().zip(features) {
                *right = flow.map_or(0.0, |flow| flow[(f, row)]);
            }
            for &j in graph.neighbors(row).iter().filter(|&&j| self.place[j as usize].is_none()) {
                own.iter_mut().zip(features).for_each(|(right, &f)| *right += points[(f, j as usize)]);
            }
        }
        let mut found = vec![0.0; right.len()];
        self.pattern.solve(&self.factor, &right, &mut found);
        found
    }

    /// Diagonal of L_mm⁻¹.
    fn variances(&self, graph: &Graph) -> Result<Vec<f64>> {
        let all: Vec<u32> = (0..self.gap.rows.len() as u32).collect();
        if all.len() <= WHOLE {
            let inverse = self.inverse_among(&all, graph)?;
            return Ok((0..all.len()).map(|at| inverse[(at, at)]).collect());
        }
        all.par_iter().map(|&at| Ok(self.inverse_among(&self.nearby(at, graph), graph)?[(0, 0)])).collect()
    }

    /// Missing rows around one, that one first.
    fn nearby(&self, first: u32, graph: &Graph) -> Vec<u32> {
        let (mut found, mut next) = (vec![first], 0);
        while next < found.len() && found.len() < NEARBY {
            let row = self.gap.rows[found[next] as usize] as usize;
            for at in graph.neighbors(row).iter().filter_map(|&j| self.place[j as usize]) {
                if !found.contains(&at) && found.len() < NEARBY {
                    found.push(at);
                }
            }
            next += 1;
        }
        found
    }

    fn inverse_among(&self, some: &[u32], graph: &Graph) -> Result<Matrix> {
        let row = |at: usize| self.gap.rows[some[at] as usize];
        let mut laplacian = Matrix::from_fn(some.len(), some.len(), |a, b| match a == b {
            true => graph.neighbors(row(a) as usize).len() as f64,
            false if graph.neighbors(row(a) as usize).binary_search(&row(b)).is_ok() => -1.0,
            false => 0.0,
        });
        invert_spd(&mut laplacian, &mut SpdWork::new(some.len()), "Laplacian of missing entries")?;
        Ok(laplacian)
    }
}

/// What the bound needs of missing entries.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MissingTerm {
    /// How many.
    pub count: f64,
    /// Σ_f log|L_mm|.
    pub log_det: f64,
    /// Σ_f 1ᵀL_mm⁻¹1.
    pub ones: f64,
}

impl Filling {
    /// What the bound needs of them.
    pub fn term(&self) -> MissingTerm {
        let ones = |part: &Part| -> f64 {
            let mut found = vec![0.0; part.gap.rows.len()];
            part.pattern.solve(&part.factor, &vec![1.0; found.len()], &mut found);
            part.gap.features.len() as f64 * found.iter().sum::<f64>()
        };
        let count = self.parts.iter().map(|part| part.gap.rows.len() * part.gap.features.len()).sum::<usize>();
        MissingTerm { count: count as f64, log_det: self.log_det(), ones: self.parts.iter().map(ones).sum() }
    }

    /// Σ_f log|L_mm|.
    fn log_det(&self) -> f64 {
        self.parts.iter().map(|part| part.gap.features.len() as f64 * part.factor.log_det).sum()
    }

    /// Puts into points, one per column, what is expected where entries are missing; `flow` is Bᵀā, what the local maps say of
    /// steps along edges, and without it the entries are as smooth over the graph as can be. The largest change is returned.
    pub fn fill(&self, graph: &Graph, points: &mut Matrix, flow: Option<&Matrix>) -> f64 {
        let found: Vec<Vec<f64>> = self.parts.iter().map(|part| part.solve(graph, points, flow)).collect();
        let mut largest = 0.0f64;
        for (part, found) in self.parts.iter().zip(found) {
            let Gap { rows, features } = &part.gap;
            for (at, &row) in rows.iter().enumerate() {
                for (place, &f) in features.iter().enumerate() {
                    let (entry, value) = (&mut points[(f, row as usize)], found[at * features.len() + place]);
                    largest = largest.max((*entry - value).abs());
                    *entry = value;
                }
            }
        }
        largest
    }

    /// Variances of the missing entries in units of 1/(2γ), in the order of [`MissingEntries::pairs`].
    pub fn variances(&self, graph: &Graph) -> Result<Vec<f64>> {
        let mut all: Vec<((u32, u32), f64)> = Vec::new();
        for part in &self.parts {
            let of_rows = part.variances(graph)?;
            for (&row, variance) in part.gap.rows.iter().zip(of_rows) {
                all.extend(part.gap.features.iter().map(|&f| ((row, f as u32), variance)));
            }
        }
        all.sort_unstable_by_key(|(pair, _)| *pair);
        Ok(all.into_iter().map(|(_, variance)| variance).collect())
    }
}

/// Bᵀā: Σ_j ½ (C_i + C_j)(x_i − x_j) over the neighbours j of each point i. Coordinates are n × d_x, and column i·d_x + a of the
/// maps is column a of C_i. [d_y, n]
pub fn flow(graph: &Graph, coordinates: &Matrix, maps: &Matrix) -> Matrix {
    let (n, d_x) = (graph.n(), coordinates.ncols());
    let mut flow = Matrix::zeros(maps.nrows(), n);
    for i in 0..n {
        let out = flow.col_as_slice_mut(i);
        for &j in graph.neighbors(i) {
            let j = j as usize;
            for a in 0..d_x {
                let half = 0.5 * (coordinates[(i, a)] - coordinates[(j, a)]);
                let (own, other) = (maps.col_as_slice(i * d_x + a), maps.col_as_slice(j * d_x + a));
                out.iter_mut().zip(own.iter().zip(other)).for_each(|(out, (own, other))| *out += half * (own + other));
            }
        }
    }
    flow
}

#[cfg(test)]
mod tests {
    //! Entries and their variances are those of the Gaussian that the likelihood is, and the bound stays below its integral.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::linalg::product;
    use std::f64::consts::PI;

    const EPSILON: f64 = 1e-3;

    /// A ring of 12 points with two chords.
    fn graph() -> Graph {
        let ring = (0..12u32).map(|i| (i, (i + 1) % 12));
        Graph::from_edges(12, ring.chain([(0, 6), (3, 8)]))
    }

    fn laplacian(graph: &Graph) -> Matrix {
        Matrix::from_fn(graph.n(), graph.n(), |i, j| match i == j {
            true => graph.neighbors(i).len() as f64,
            false if graph.neighbors(i).contains(&(j as u32)) => -1.0,
            false => 0.0,
        })
    }

    fn with_holes() -> Matrix {
        let mut points = Matrix::from_fn(3, 12, |f, i| ((i * (f + 2)) as f64).sin());
        for (f, i) in [(0, 2), (0, 3), (0, 9), (1, 2), (1, 3), (1, 9), (2, 0)] {
            points[(f, i)] = f64::NAN;
        }
        points
    }

    fn inverse(mut matrix: Matrix) -> (Matrix, f64) {
        let log_det = invert_spd(&mut matrix, &mut SpdWork::new(12), "test").unwrap();
        crate::linalg::mirror_lower(&mut matrix);
        (matrix, log_det)
    }

    /// The entries of one feature by dense sums: L_mm, its inverse, and the right-hand side.
    fn dense(points: &Matrix, flow: &Matrix, f: usize) -> (Vec<usize>, Matrix, f64, Vec<f64>) {
        let graph = graph();
        let all = laplacian(&graph);
        let rows: Vec<usize> = (0..12).filter(|&i| points[(f, i)].is_nan()).collect();
        let mm = Matrix::from_fn(rows.len(), rows.len(), |a, b| all[(rows[a], rows[b])]);
        let mut work = SpdWork::new(rows.len());
        let mut inverse = mm;
        let log_det = invert_spd(&mut inverse, &mut work, "test").unwrap();
        crate::linalg::mirror_lower(&mut inverse);
        let right = |&i: &usize| {
            let known = (0..12).filter(|j| !rows.contains(j)).map(|j| all[(i, j)] * points[(f, j)]).sum::<f64>();
            flow[(f, i)] - known
        };
        (rows.clone(), inverse, log_det, rows.iter().map(right).collect())
    }

    #[test]
    fn entries_and_variances_are_those_of_dense_sums() {
        let (graph, points) = (graph(), with_holes());
        let flow = Matrix::from_fn(3, 12, |f, i| ((i + f) as f64).cos());
        let entries = MissingEntries::of(&points).unwrap();
        assert_eq!((entries.count(), entries.gaps.len()), (7, 2));
        assert_eq!(MissingEntries::from_pairs(&entries.pairs()), entries);
        let filling = entries.on(&graph).unwrap();
        let mut filled = points.clone();
        filling.fill(&graph, &mut filled, Some(&flow));
        let variances = filling.variances(&graph).unwrap();
        let mut log_det = 0.0;
        for f in 0..3 {
            let (rows, inverse, of_feature, right) = dense(&points, &flow, f);
            log_det += of_feature;
            for (a, &row) in rows.iter().enumerate() {
                let expected: f64 = (0..rows.len()).map(|b| inverse[(a, b)] * right[b]).sum();
                assert!((filled[(f, row)] - expected).abs() < 1e-12);
                let place = entries.pairs().iter().position(|&pair| pair == (row as u32, f as u32)).unwrap();
                assert!((variances[place] - inverse[(a, a)]).abs() < 1e-12);
            }
        }
        let term = filling.term();
        assert!((term.log_det - log_det).abs() < 1e-12 && term.count == 7.0);
        // what is known stays
        assert!((0..12).all(|i| points[(1, i)].is_nan() || points[(1, i)] == filled[(1, i)]));
    }

    #[test]
    fn a_flat_sheet_is_filled_in_exactly() {
        let graph = graph();
        let coordinates = Matrix::from_fn(12, 2, |i, a| ((3 * i + a) as f64).sin());
        let map = Matrix::from_fn(3, 2, |f, a| 1.0 + f as f64 - 2.0 * a as f64);
        let maps = Matrix::from_fn(3, 24, |f, p| map[(f, p % 2)]);
        let whole = product(&map, &coordinates.transpose().to_owned());
        let holes = with_holes();
        let entries = MissingEntries::of(&holes).unwrap();
        let mut points = Matrix::from_fn(3, 12, |f, i| if holes[(f, i)].is_nan() { 0.0 } else { whole[(f, i)] });
        let along = flow(&graph, &coordinates, &maps);
        entries.on(&graph).unwrap().fill(&graph, &mut points, Some(&along));
        assert!((&points - &whole).norm_l2() < 1e-12);
    }

    #[test]
    fn the_bound_is_just_below_the_integral_over_missing_entries() {
        let (graph, points) = (graph(), with_holes());
        let flow = Matrix::from_fn(3, 12, |f, i| 0.3 * ((i + f) as f64).cos());
        let entries = MissingEntries::of(&points).unwrap();
        let filling = entries.on(&graph).unwrap();
        let mut filled = points.clone();
        filling.fill(&graph, &mut filled, Some(&flow));
        let (all, gamma) = (laplacian(&graph), 0.7);
        // log p of one feature up to what does not depend on y
        let log_density = |y: &[f64], f: usize| {
            let quadratic: f64 = (0..12).map(|i| (0..12).map(|j| y[i] * all[(i, j)] * y[j]).sum::<f64>()).sum();
            let linear: f64 = (0..12).map(|i| y[i] * flow[(f, i)]).sum();
            -gamma * (quadratic - 2.0 * linear) - 0.5 * EPSILON * y.iter().sum::<f64>().powi(2)
        };
        let row = |f: usize| -> Vec<f64> { (0..12).map(|i| filled[(f, i)]).collect() };
        let at_filled: f64 = (0..3).map(|f| log_density(&row(f), f)).sum();
        let MissingTerm { count, log_det, ones } = filling.term();
        let bound = at_filled + 0.5 * (count * (PI / gamma).ln() - log_det) - 0.25 * EPSILON * ones / gamma;
        let mut integral = 0.0;
        for f in 0..3 {
            let (rows, _, _, _) = dense(&points, &flow, f);
            let precision =
                Matrix::from_fn(rows.len(), rows.len(), |a, b| EPSILON + 2.0 * gamma * all[(rows[a], rows[b])]);
            // the maximum by one Newton step from the filled row
            let gradient: Vec<f64> = rows
                .iter()
                .map(|&i| {
                    let (mut up, mut down) = (row(f), row(f));
                    up[i] += 1e-4;
                    down[i] -= 1e-4;
                    (log_density(&up, f) - log_density(&down, f)) / 2e-4
                })
                .collect();
            let (covariance, log_det) = inverse(precision);
            let gain: f64 = (0..rows.len())
                .map(|a| (0..rows.len()).map(|b| 0.5 * gradient[a] * covariance[(a, b)] * gradient[b]).sum::<f64>())
                .sum();
            integral += log_density(&row(f), f) + gain + 0.5 * (rows.len() as f64 * (2.0 * PI).ln() - log_det);
        }
        assert!(bound <= integral + 1e-9 && integral - bound < 1e-2, "{bound} {integral}");
    }
}
