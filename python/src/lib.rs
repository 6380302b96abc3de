//! The native module of the Python package: arrays in, arrays out, the work in the library with the interpreter released.

mod arrays;
mod attend;
mod errors;
mod evidence;
mod model;
mod peers;
mod quality;
mod report;
mod settings;
mod synthetic;
mod views;
mod words;

use peak_alloc::PeakAlloc;
use pyo3::prelude::*;

/// Counts what the library allocates, so that methods can be compared by the memory they take.
#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// What `tangency/*.py` is built on; not for users.
#[pymodule]
mod _tangency {
    #[pymodule_export]
    use crate::attend::StopFlag;
    #[pymodule_export]
    use crate::evidence::{NativeSelection, change_edges, prune_graph, run_cell, score_edges};
    #[pymodule_export]
    use crate::model::{NativeModel, best_start, expected_seconds, starts, try_start};
    #[pymodule_export]
    use crate::peers::{NativeComparison, embed_table};
    #[pymodule_export]
    use crate::quality::{affine_r2, align, continuity, geodesic_correlation, knn_error, procrustes, trustworthiness};
    #[pymodule_export]
    use crate::report::{draw_multiples, report};
    #[pymodule_export]
    use crate::settings::{check_settings, settings};
    #[pymodule_export]
    use crate::synthetic::{generate, neighbor_edges};
    #[pymodule_export]
    use crate::views::{axis_name, ellipses, grid, history, loadings, summary};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("REACH", tangency::view::REACH)?;
        module.add("EDGE_NUMBERS", tangency::view::EdgeRow::NUMBERS)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
