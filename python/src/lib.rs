//! The native module of the Python package: arrays in, arrays out, the work in the library with the interpreter released.

mod arrays;
mod attend;
mod errors;
mod evidence;
mod model;
mod peers;
mod report;
mod settings;
mod synthetic;

use pyo3::prelude::*;

/// What `tangency/*.py` is built on; not for users.
#[pymodule]
mod _tangency {
    #[pymodule_export]
    use crate::attend::Stop;
    #[pymodule_export]
    use crate::evidence::{Selection, change_edges, prune_graph, run_cell, score_edges};
    #[pymodule_export]
    use crate::model::{Model, try_start};
    #[pymodule_export]
    use crate::peers::embed_table;
    #[pymodule_export]
    use crate::report::report;
    #[pymodule_export]
    use crate::synthetic::{generate, neighbor_edges};

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
