//! An order of points in which those near each other are near each other in memory.

use super::forest::tree;
use super::table::DistanceTable;
use super::{Graph, Length};
use crate::linalg::Matrix;

/// Points that need no order among themselves.
const TOGETHER: usize = 16;

/// The points, one a column, in an order of nearness: the leaves of a tree of projections, from one end to the other. The same
/// for the same seed on any number of threads. [d, n]
pub(crate) fn order_by_nearness(points: &Matrix, seed: u64) -> Vec<u32> {
    tree(&DistanceTable::new(points, Length::Squared), TOGETHER, seed, 0).into_order()
}

impl Graph {
    /// The same graph with its points in another order: `order` names the point at each place.
    pub(crate) fn in_order(&self, order: &[u32]) -> Self {
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, &point)| places[point as usize] = place as u32);
        let renumbered = self.edges().iter().map(|&(i, j)| (places[i as usize], places[j as usize]));
        Self::from_edges(self.n(), renumbered)
    }
}

#[cfg(test)]
mod tests {
    //! Every point has one place, neighbours have places near each other, and edges stay between the same points.
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::generate::{Shape, generate};

    #[test]
    fn neighbours_are_near_each_other_in_the_order() {
        let roll = generate(Shape::SwissRoll, 2000, 0.0, 1);
        let points = roll.points.transpose().to_owned();
        let order = order_by_nearness(&points, 0);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &point)| i as u32 == point));
        let graph = Graph::from_edges(2000, roll.neighbor_edges(8).0);
        let ordered = graph.in_order(&order);
        let median = |graph: &Graph| {
            let mut apart: Vec<u32> = graph.edges().iter().map(|(i, j)| j - i).collect();
            apart.sort_unstable();
            apart[apart.len() / 2]
        };
        assert!(10 * median(&ordered) < median(&graph), "{} {}", median(&ordered), median(&graph));
        let mut back: Vec<(u32, u32)> = ordered
            .edges()
            .iter()
            .map(|&(i, j)| (order[i as usize], order[j as usize]))
            .map(|(i, j)| (i.min(j), i.max(j)))
            .collect();
        back.sort_unstable();
        assert_eq!(back, graph.edges());
    }
}
