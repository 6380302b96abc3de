//! Isomap (Tenenbaum, de Silva and Langford 2000): classical scaling of distances along the graph.

use super::{check_dimension, check_pieces, mds::classical_scaling};
use crate::error::{Error, Result};
use crate::graph::{Graph, geodesic_distances};
use crate::linalg::Matrix;
use crate::memory::available_memory;

/// Coordinates whose distances are the shortest paths; `points` is d_y × n, one a column. [n, d_x]
pub fn isomap(points: &Matrix, graph: &Graph, n_components: usize) -> Result<Matrix> {
    let n = check_dimension(points, n_components)?;
    check_pieces(graph)?;
    let (needed, available) = ((n as u64).pow(2) * 8, available_memory());
    if needed > available {
        return Err(Error::NoRoomForPairs { n, needed, available });
    }
    classical_scaling(geodesic_distances(graph, points), n_components, "matrix of squared path lengths")
}
