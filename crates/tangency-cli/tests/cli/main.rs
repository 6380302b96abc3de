//! The `tangency` command as a user meets it: files in, files out, messages and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod awkward;
mod calibrate;
mod command;
mod compare;
mod data;
mod dimension;
mod edges_and_prune;
mod errors;
mod files;
mod fitted;
mod golden;
mod interrupt;
mod many_points;
mod messages;
mod metrics;
mod missing;
mod odd_models;
mod plot;
mod reconstruct;
mod report;
mod runs;
mod sample_and_loadings;
mod select;
mod structure;
mod synthetic;
mod tables_and_graphs;
mod transform;
mod trust;
mod views;
