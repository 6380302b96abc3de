//! What the bound says about graphs: which edges strain a fit, which are short-circuits, which graph and which dimension
//! the data support.

mod edge_tests;
mod hypothesis;
mod prune;
mod scores;
mod selection;

pub use edge_tests::{EdgeTest, test_edges, test_edges_from};
pub use prune::{Baseline, Bridge, PruneOptions, PruneProgress, PruneStep, Pruned, Removed, Round, prune, prune_from};
pub use scores::{EdgeScore, edge_scores, least_gain};
pub use selection::{
    Candidate, CandidateSummary, Cell, CellFit, CellStop, Distance, GraphChoice, HeldOut, Judge, Ranking, Selected,
    Selection,
};
