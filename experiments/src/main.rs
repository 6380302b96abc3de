//! The experiments of the paper, each one command that writes its table and its figures.
//!
//! `cargo run --release -p tangency-experiments -- swiss-roll`, and the same with `short-circuit`, `usps` and `climate`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod climate;
mod deviations;
mod fits;
mod page;
mod scaling;
mod short_circuit;
mod swiss_roll;
mod usps;

use clap::{Args, Parser, Subcommand};
use page::ResultPage;
use peak_alloc::PeakAlloc;
use std::path::PathBuf;
use std::process::ExitCode;
use tangency::message::Remedy;
use tangency::{Error, Result};

/// Counts what is allocated, so that methods can be compared by the memory they take.
#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

/// The experiments of the LL-LVM paper.
#[derive(Parser)]
struct ExperimentArguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Figure 3: a roll, its tangent planes, its coordinates, and the bound against k
    SwissRoll(Options),
    /// Figure 4: rolls with and without short-circuits, bound and layout
    ShortCircuit(Options),
    /// Figure 5: handwritten digits, the bound against k and five methods by their 1-NN error
    Usps(DataOptions),
    /// Figure 6: weather stations from their precipitation alone, all methods by their distance to the map
    Climate(DataOptions),
    /// Time, memory and quality against the number of points
    Scaling(scaling::ScalingOptions),
    /// Marginal deviations of the factorised engine against the exact one's
    Deviations(deviations::DeviationOptions),
    /// Puts what the others wrote together into docs/results.md
    Results,
}

/// What every experiment takes.
#[derive(Args)]
struct Options {
    /// Folder for table and figures [default: experiments/NAME]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Random starts of each fit over which a bound is averaged, or rolls that are drawn
    #[arg(long, default_value_t = 10)]
    seeds: u64,
    /// Points of a roll
    #[arg(long, default_value_t = 400)]
    n: usize,
}

/// What an experiment on data takes.
#[derive(Args)]
struct DataOptions {
    /// The table; where it comes from is told in the experiment's folder [default: the one in ../shared/data if it is there]
    data: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
}

impl DataOptions {
    /// The table's place: as given, or beside the project.
    fn table(&self, name: &str) -> Result<PathBuf> {
        let root = root();
        let beside = root.parent().unwrap_or(&root).join("shared/data").join(name);
        match &self.data {
            Some(path) => Ok(path.clone()),
            None if beside.is_file() => Ok(beside),
            None => Err(Error::unfit(
                "data",
                format!("{name} is not there"),
                [Remedy::act("give its path; experiments/README.md shows where the data come from")],
            )),
        }
    }
}

/// The project's folder.
fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map(PathBuf::from).unwrap_or(here)
}

fn main() -> ExitCode {
    let outcome = match ExperimentArguments::parse().experiment {
        Experiment::SwissRoll(options) => {
            ResultPage::new("swiss_roll", &options).and_then(|page| swiss_roll::run(page, &options))
        }
        Experiment::ShortCircuit(options) => {
            ResultPage::new("short_circuit", &options).and_then(|page| short_circuit::run(page, &options))
        }
        Experiment::Usps(data) => ResultPage::new("usps", &data.options).and_then(|page| usps::run(page, &data)),
        Experiment::Climate(data) => {
            ResultPage::new("climate", &data.options).and_then(|page| climate::run(page, &data))
        }
        Experiment::Scaling(options) => scaling::run(&options),
        Experiment::Deviations(options) => deviations::run(&options),
        Experiment::Results => page::results(&root()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}
