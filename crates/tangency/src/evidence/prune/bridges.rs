//! The reverse hypothesis: which of the short ways to join two pieces the bound likes best.

use super::search::Search;
use super::{Bridge, PruneStep};
use crate::error::Result;
use crate::evidence::hypothesis::StartFrom;
use crate::graph::{pieces, squared_distance};
use crate::inference::Engine;

/// Ways to join two pieces that are tried.
const WAYS: usize = 3;
/// Most ways tried in all, the shortest first.
const MOST: usize = 12;
/// Pieces without a bridge of their own are near if they are no further apart than this times the longest bridge.
const NEAR: f64 = 1.5;

/// A way to join a pair of pieces.
struct BridgeWay {
    pair: (usize, usize),
    edge: (u32, u32),
    length: f64,
}

impl<E: Engine> Search<'_, E> {
    /// Tries other bridges between the pieces that these bridges join, and bridges between near pieces that have none;
    /// takes those that raise the bound.
    pub fn choose_bridges(&mut self, bridges: &[(u32, u32)]) -> Result<Vec<Bridge>> {
        if bridges.is_empty() {
            return Ok(vec![]);
        }
        self.progress.step = PruneStep::Bridging;
        let found = pieces(&self.graph.with_changes(bridges, &[]));
        let mut piece_of = vec![0usize; self.graph.n()];
        for (p, piece) in found.iter().enumerate() {
            piece.iter().for_each(|&i| piece_of[i] = p);
        }
        let pair_of = |edge: (u32, u32)| {
            let (p, q) = (piece_of[edge.0 as usize], piece_of[edge.1 as usize]);
            (p.min(q), p.max(q))
        };
        let longest = bridges.iter().map(|&edge| self.length(edge)).fold(0.0, f64::max);
        let mut ways: Vec<BridgeWay> = Vec::new();
        for q in 0..found.len() {
            for p in 0..q {
                let joined = bridges.iter().any(|&edge| pair_of(edge) == (p, q));
                let reach = if joined { f64::INFINITY } else { NEAR * longest };
                ways.extend(self.ways((p, q), &found[p], &found[q]).into_iter().filter(|way| way.length <= reach));
            }
        }
        ways.retain(|way| !self.graph.has(way.edge));
        ways.sort_by(|a, b| a.length.total_cmp(&b.length).then(a.edge.cmp(&b.edge)));
        ways.truncate(MOST);

        let (mut scored, mut current) = (Vec::new(), bridges.to_vec());
        for way in ways {
            let in_place_of = current.iter().copied().find(|&edge| pair_of(edge) == way.pair);
            let graph = self.graph.with_changes(in_place_of.as_slice(), &[way.edge]);
            let mut change = f64::NEG_INFINITY;
            let mut better = None;
            for from in [StartFrom::Posterior, StartFrom::Paths] {
                if self.asked {
                    return Ok(scored);
                }
                let trial = self.refit_on(graph.clone(), from, None)?;
                if trial.rank() - self.best.bound() > change {
                    change = trial.rank() - self.best.bound();
                    better = Some(trial);
                }
            }
            let taken = !self.asked && change > self.min_gain;
            if let Some(better) = better.filter(|_| taken) {
                (self.best, self.graph) = (better, graph);
                current.retain(|edge| Some(*edge) != in_place_of);
                current.push(way.edge);
            }
            scored.push(Bridge { edge: way.edge, length: way.length, in_place_of, change, taken });
        }
        Ok(scored)
    }

    /// The shortest ways between two pieces that share no point.
    fn ways(&self, pair: (usize, usize), first: &[usize], second: &[usize]) -> Vec<BridgeWay> {
        let y = &self.best.problem.observations;
        let mut nearest: Vec<(f64, usize, usize)> = first
            .iter()
            .filter_map(|&i| {
                let apart = |&j: &usize| (squared_distance(y.col_as_slice(i), y.col_as_slice(j)), i, j);
                second.iter().map(apart).min_by(|a, b| a.0.total_cmp(&b.0))
            })
            .collect();
        nearest.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut ways: Vec<BridgeWay> = Vec::new();
        for (square, i, j) in nearest {
            let edge = (i.min(j) as u32, i.max(j) as u32);
            let apart = |way: &BridgeWay| [way.edge.0, way.edge.1].iter().all(|&end| end != edge.0 && end != edge.1);
            if ways.len() < WAYS && ways.iter().all(apart) {
                ways.push(BridgeWay { pair, edge, length: square.sqrt() });
            }
        }
        ways
    }

    fn length(&self, (i, j): (u32, u32)) -> f64 {
        let y = &self.best.problem.observations;
        squared_distance(y.col_as_slice(i as usize), y.col_as_slice(j as usize)).sqrt()
    }
}
