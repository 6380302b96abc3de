//! The `tangency` command as a user meets it: files in, files out, messages and exit codes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout)]

mod command;
mod data;
mod edges_and_prune;
mod errors;
mod files;
mod golden;
mod interrupt;
mod readme;
mod runs;
mod select;
mod synthetic;
mod tables_and_graphs;
