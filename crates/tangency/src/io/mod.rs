//! Tables in, models and embeddings out.

mod allowance;
mod model_arrays;
mod model_file;
mod output;
mod structure_columns;
pub mod table;
mod table_writer;
mod transform;

pub use model_file::{Model, load_model, model_from_bytes, model_to_bytes, save_model};
pub use output::{
    Claims, Output, Pending, discard_unfinished, embedding_bytes, trace_bytes, write_edges, write_embedding,
    write_rows, write_trace,
};
pub use structure_columns::{StructureColumn, StructureRow, structure_columns, structure_of_point, structure_row};
pub use table_writer::{Cells, ColumnKind, TableWriter};
pub use transform::{NewRows, RARE, Transformed, block_rows, ids, next_block, numbered, of_table};
