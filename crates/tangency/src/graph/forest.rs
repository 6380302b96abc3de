//! Trees that halve the points by random projections: points in one leaf are likely near each other.
//!
//! A node is cut at the median of the projections on the line through two of its points, drawn at random, so that the
//! cut follows the data. Cutting at the median, by number between equal projections, halves even points that coincide:
//! the depth is that of a balanced tree whatever the data.

use super::table::DistanceTable;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::Range;

/// The leaves of one tree.
pub(super) struct Leaves {
    order: Vec<u32>,
    /// For each point, where in `order` its leaf is.
    places: Vec<Range<u32>>,
}

impl Leaves {
    /// All points, leaf by leaf.
    pub(super) fn into_order(self) -> Vec<u32> {
        self.order
    }

    /// The points in the leaf of a point, with it among them.
    pub(super) fn around(&self, point: u32) -> &[u32] {
        let place = &self.places[point as usize];
        &self.order[place.start as usize..place.end as usize]
    }
}

/// Random numbers that belong to a node and not to the order in which nodes are visited.
struct Draws {
    seed: u64,
    tree: u64,
}

impl Draws {
    /// For the node of this number: the root is 1 and the children of m are 2m and 2m + 1.
    fn at(&self, node: u64) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(self.tree << 48 | node);
        rng
    }
}

/// The leaves of the tree of this number. No leaf has more than `leaf` points or fewer than half of that, unless all
/// points are fewer. The same for the same seed on any number of threads.
pub(super) fn tree(table: &DistanceTable, leaf: usize, seed: u64, number: u64) -> Leaves {
    let n = table.n();
    let draws = Draws { seed, tree: number };
    let mut order: Vec<(f32, u32)> = (0..n as u32).map(|point| (0.0, point)).collect();
    let ends = split(table, &mut order, leaf, &draws, 1);
    let order: Vec<u32> = order.into_iter().map(|(_, point)| point).collect();
    let mut places = vec![0..0; n];
    let mut start = 0;
    for size in ends {
        for &point in &order[start..start + size] {
            places[point as usize] = start as u32..(start + size) as u32;
        }
        start += size;
    }
    Leaves { order, places }
}

/// Puts the points of a node in the order of its leaves, and returns the size of each leaf.
fn split(table: &DistanceTable, points: &mut [(f32, u32)], leaf: usize, draws: &Draws, node: u64) -> Vec<usize> {
    if points.len() <= leaf {
        return vec![points.len()];
    }
    let mut rng = draws.at(node);
    let ends = [(); 2].map(|()| points[rng.random_range(0..points.len())].1);
    let direction = table.difference(ends[0], ends[1]);
    table.project(&direction, points);
    let half = points.len() / 2;
    points.select_nth_unstable_by(half, |p, q| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1)));
    let (low, high) = points.split_at_mut(half);
    let (mut sizes, more) =
        rayon::join(|| split(table, low, leaf, draws, 2 * node), || split(table, high, leaf, draws, 2 * node + 1));
    sizes.extend(more);
    sizes
}
