//! What is promised when things go wrong: full disks, kills, limits, damaged and hostile files. docs/reliability.md lists it.

mod dependencies;
mod formulas;
#[cfg(target_os = "linux")]
mod kills;
#[cfg(target_os = "linux")]
mod limits;
mod threads;
