//! Missing entries on a graph: what is expected of them, how much they vary, and what the bound needs.

use super::Gap;
use crate::error::Result;
use crate::graph::Graph;
use crate::linalg::{GraphFactor, GraphPattern, Matrix, SpdWork, invert_spd};
use rayon::prelude::*;

/// Up to so many rows that lack a feature variances are exact; beyond only rows nearby are seen.
const WHOLE: usize = 1500;
/// So many rows nearby.
const NEARBY: usize = 60;

/// Missing entries on a graph: L_mm of each feature, factored.
pub struct Filling {
    pub(super) parts: Vec<Part>,
}

pub(super) struct Part {
    pub gap: Gap,
    /// Place of a row among those that lack the feature.
    pub place: Vec<Option<u32>>,
    pub pattern: GraphPattern,
    pub factor: GraphFactor,
}

impl Part {
    pub fn new(gap: &Gap, graph: &Graph) -> Result<Self> {
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

    /// Diagonal of L_mm⁻¹; of more rows than these as far as rows nearby decide it, which is never too much.
    pub fn variances(&self, graph: &Graph, whole: usize) -> Result<Vec<f64>> {
        let all: Vec<u32> = (0..self.gap.rows.len() as u32).collect();
        if all.len() <= whole {
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

    /// Variances of the missing entries in units of 1/(2γ), in the order of `MissingEntries::pairs`.
    pub fn variances(&self, graph: &Graph) -> Result<Vec<f64>> {
        let mut all: Vec<((u32, u32), f64)> = Vec::new();
        for part in &self.parts {
            let of_rows = part.variances(graph, WHOLE)?;
            for (&row, variance) in part.gap.rows.iter().zip(of_rows) {
                all.extend(part.gap.features.iter().map(|&f| ((row, f as u32), variance)));
            }
        }
        all.sort_unstable_by_key(|(pair, _)| *pair);
        Ok(all.into_iter().map(|(_, variance)| variance).collect())
    }
}
