//! The terms of the model, one file each: its part of the bound, and how its hyper-parameters are learned. Each update can only
//! raise the bound.

pub mod coordinates;
pub mod edge_counts;
pub mod graph;
pub mod likelihood;
pub mod maps;
pub mod rescaling;
pub mod structure;
