//! Tables in, models and embeddings out.

mod model_file;
mod output;
pub mod table;

pub use model_file::{Model, load_model, save_model};
pub use output::{Claims, Output, write_edge_scores, write_edges, write_embedding, write_rows, write_trace};
