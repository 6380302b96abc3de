//! Landmark Isomap (de Silva and Tenenbaum 2004): paths from a few points only, all others placed by their path lengths.

use super::{check_dimension, check_pieces};
use crate::error::Result;
use crate::graph::{Graph, Paths};
use crate::linalg::{Matrix, leading_eigenvectors};
use rayon::prelude::*;

/// Paths are found from so many points.
const LANDMARKS: usize = 200;

/// Coordinates of all points from paths to landmarks, each of them the point farthest from those before; `points` is
/// d_y × n, one a column. [n, d_x]
pub fn landmark_isomap(points: &Matrix, graph: &Graph, n_components: usize) -> Result<Matrix> {
    let n = check_dimension(points, n_components)?;
    check_pieces(graph)?;
    let paths = Paths::new(graph, points);
    let landmarks = spread_out(&paths, LANDMARKS.min(n));
    let count = landmarks.len();
    // squared lengths of the paths from each landmark. [count][n]
    let squared: Vec<Vec<f64>> = landmarks
        .par_iter()
        .map(|&landmark| paths.from(landmark).into_iter().map(|length| length * length).collect())
        .collect();
    let means: Vec<f64> =
        squared.iter().map(|row| landmarks.iter().map(|&l| row[l]).sum::<f64>() / count as f64).collect();
    let mean = means.iter().sum::<f64>() / count as f64;
    let products = Matrix::from_fn(count, count, |p, q| -0.5 * (squared[p][landmarks[q]] - means[p] - means[q] + mean));
    let (values, axes) = leading_eigenvectors(&products, n_components, "matrix of squared path lengths")?;
    // a point at the landmarks' own distances lands on the landmark
    Ok(Matrix::from_fn(n, n_components, |i, a| {
        let pull: f64 = (0..count).map(|p| axes[(p, a)] * (squared[p][i] - means[p])).sum();
        if values[a] > 0.0 { -0.5 * pull / values[a].sqrt() } else { 0.0 }
    }))
}

/// Points far from each other along the graph, the first one the farthest from point 0.
fn spread_out(paths: &Paths, count: usize) -> Vec<usize> {
    let mut nearest = paths.from(0);
    let mut chosen = Vec::with_capacity(count);
    while chosen.len() < count {
        let farthest = nearest.iter().enumerate().max_by(|p, q| p.1.total_cmp(q.1)).map_or(0, |(i, _)| i);
        // where all points left are copies of chosen ones, any of them
        let farthest = match chosen.contains(&farthest) {
            true => (0..nearest.len()).find(|i| !chosen.contains(i)).unwrap_or(farthest),
            false => farthest,
        };
        let from = paths.from(farthest);
        match chosen.is_empty() {
            true => nearest = from,
            false => nearest.iter_mut().zip(from).for_each(|(slot, length)| *slot = slot.min(length)),
        }
        chosen.push(farthest);
    }
    chosen
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::graph::{Symmetry, neighbor_graph};
    use crate::peers::isomap;
    use crate::quality::procrustes;
    use crate::{Shape, generate};

    #[test]
    fn it_is_near_isomap_and_equal_where_all_points_are_landmarks() {
        for (n, most) in [(150, 1e-9), (900, 2e-3)] {
            let points = generate(Shape::SCurve, n, 0.0, 1).points.transpose().to_owned();
            let graph = neighbor_graph(&points, 10, Symmetry::Or);
            let found = landmark_isomap(&points, &graph, 2).unwrap();
            let apart = procrustes(&found, &isomap(&points, &graph, 2).unwrap()).unwrap();
            assert!(apart < most, "{n}: {apart}");
        }
    }
}
