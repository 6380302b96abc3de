//! The order in which runs have the points of a large table: near ones together in memory, so that an iteration waits less for
//! it. What a fit holds is in the order of the table again.

use super::{Fit, Plan};
use crate::graph::order_by_nearness;
use crate::inference::{COARSE_ABOVE, EngineKind};
use crate::linalg::Matrix;
use crate::model::Problem;

/// A problem as the table has it, and the order in which runs have its points.
pub(super) struct TableOrder {
    pub problem: Problem,
    /// The point at each place.
    order: Vec<u32>,
}

impl TableOrder {
    /// The problem as runs are to have it, with the way back; as it is where points are few, or held one by one elsewhere.
    pub fn of(problem: Problem, plan: &Plan, seed: u64) -> (Problem, Option<Self>) {
        if problem.n() <= COARSE_ABOVE || plan.engine != EngineKind::Factorised {
            return (problem, None);
        }
        let order = order_by_nearness(&problem.observations, seed);
        match problem.in_order(&order) {
            Some(ordered) => (ordered, Some(Self { problem, order })),
            None => (problem, None),
        }
    }

    /// A fit of a run in the order of the table.
    pub fn undo(&self, fit: Fit) -> Fit {
        let graph_model = fit.graph_model.map(|mut found| {
            found.sociability = self.numbers(&found.sociability);
            found
        });
        Fit {
            graph: self.problem.graph.clone(),
            coordinates: self.rows(&fit.coordinates),
            coordinate_covariances: self.columns(&fit.coordinate_covariances, 1),
            maps: self.columns(&fit.maps, fit.coordinates.ncols()),
            map_covariances: self.columns(&fit.map_covariances, 1),
            graph_model,
            ..fit
        }
    }

    /// One number for each point.
    fn numbers(&self, values: &[f64]) -> Vec<f64> {
        let mut found = vec![0.0; values.len()];
        self.order.iter().zip(values).for_each(|(&point, value)| found[point as usize] = *value);
        found
    }

    /// A row for each point.
    pub fn rows(&self, values: &Matrix) -> Matrix {
        let mut found = Matrix::zeros(values.nrows(), values.ncols());
        for a in 0..values.ncols() {
            let (from, to) = (values.col_as_slice(a), found.col_as_slice_mut(a));
            self.order.iter().zip(from).for_each(|(&point, value)| to[point as usize] = *value);
        }
        found
    }

    /// So many columns for each point.
    pub fn columns(&self, values: &Matrix, each: usize) -> Matrix {
        let mut found = Matrix::zeros(values.nrows(), values.ncols());
        for (place, &point) in self.order.iter().enumerate() {
            for a in 0..each {
                let column = values.col_as_slice(place * each + a);
                found.col_as_slice_mut(point as usize * each + a).copy_from_slice(column);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    //! What runs have in their order comes back in that of the table.
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::config::Config;
    use crate::generate::{Shape, generate};
    use crate::graph::Graph;

    #[test]
    fn what_is_turned_round_and_back_is_as_it_was() {
        let n = COARSE_ABOVE + 200;
        let roll = generate(Shape::SwissRoll, n, 0.0, 3);
        let points = roll.points.transpose().to_owned();
        let graph = Graph::from_edges(n, roll.neighbor_edges(6).0);
        let problem = Problem::new(points.clone(), graph.clone(), 2, 0.0).unwrap();
        let config = Config { engine: EngineKind::Factorised, ..Config::default() };
        let (ordered, order) = TableOrder::of(problem, &Plan::new(n, 3, &config), 0);
        let order = order.unwrap();
        assert!(ordered.graph != graph && order.problem.graph == graph);
        assert!(order.columns(&ordered.observations, 1) == points);
        assert!(order.rows(&ordered.observations.transpose().to_owned()) == roll.points);
        let numbers: Vec<f64> = (0..n).map(|place| ordered.observations[(2, place)]).collect();
        assert!(order.numbers(&numbers).iter().enumerate().all(|(i, &value)| value == points[(2, i)]));
        // few points stay as they are, and so do all of the exact engine
        let exact = Config { engine: EngineKind::Exact, ..Config::default() };
        assert!(TableOrder::of(ordered, &Plan::new(n, 3, &exact), 0).1.is_none());
    }
}
