//! Which nearest neighbour of a point another point is: the first, the tenth, the thousandth.

use super::neighbors::{Products, squared_distance};
use crate::linalg::Matrix;
use std::cmp::Ordering;

/// The rank of each listed point among all other points by its distance from the point that lists it, from 1 for the
/// nearest; between equal distances the smaller number is nearer. `points` is d × n, one point a column, and no point
/// lists itself. Memory is that of the lists and a block.
pub fn neighbor_ranks(points: &Matrix, lists: &[Vec<u32>]) -> Vec<Vec<u32>> {
    Products::new(points).each_query(points, |i, near, slack| ranks(points, i, &lists[i], near, slack))
}

/// `near` are squared distances from point `i` up to `slack`, which decide only where they can.
fn ranks(points: &Matrix, i: usize, listed: &[u32], near: Vec<f64>, slack: f64) -> Vec<u32> {
    let exact = |j: u32| squared_distance(points.col_as_slice(i), points.col_as_slice(j as usize));
    let order = |p: &(f64, u32), q: &(f64, u32)| p.0.total_cmp(&q.0).then(p.1.cmp(&q.1));
    let mut targets: Vec<(f64, u32)> = listed.iter().map(|&j| (exact(j), j)).collect();
    targets.sort_unstable_by(order);

    // nearer[p]: the points behind target p − 1 and in front of target p
    let mut nearer = vec![0u32; targets.len() + 1];
    for (j, distance) in near.into_iter().enumerate().filter(|&(j, _)| j != i) {
        let mut place = targets.partition_point(|target| target.0 < distance - slack);
        if targets.get(place).is_some_and(|target| target.0 <= distance + slack) {
            let point = (exact(j as u32), j as u32);
            place = targets.partition_point(|target| order(target, &point) != Ordering::Greater);
        }
        nearer[place] += 1;
    }
    let mut in_front = 0;
    let mut ranked: Vec<(u32, u32)> = Vec::with_capacity(targets.len());
    for (&(_, j), count) in targets.iter().zip(&nearer) {
        // a target is itself one of the points it leaves in front of the next
        in_front += count;
        ranked.push((j, in_front + 1));
    }
    ranked.sort_unstable();
    let rank = |j: &u32| ranked.binary_search_by_key(j, |&(j, _)| j).map_or(0, |at| ranked[at].1);
    listed.iter().map(rank).collect()
}
