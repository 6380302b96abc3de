//! The `tangency` command.

mod args;
mod compare;
mod demo;
mod edges;
mod figure_file;
mod fit;
mod generate;
mod info;
mod interrupt;
mod loadings;
mod plot;
mod progress;
mod prune;
mod reconstruct;
mod report;
mod rows;
mod sample;
mod say;
mod select;
mod structure;
mod transform;
mod words;

use args::{Arguments, Command};
use clap::Parser;
use peak_alloc::PeakAlloc;
use say::Say;
use std::process::ExitCode;

/// Counts what is allocated, so that methods can be compared by the memory they take.
#[global_allocator]
static PEAK: PeakAlloc = PeakAlloc;

fn main() -> ExitCode {
    // clap itself ends with 2 on a wrong flag and with 0 on --help and --version
    let arguments = Arguments::parse();
    let say = Say { quiet: arguments.quiet, json: arguments.json, verbose: arguments.verbose };
    let strict = arguments.strict;
    if say.quiet {
        say::be_quiet();
    }
    if arguments.safe_csv {
        rows::write_safe_csv();
    }
    // on one of the threads that share work: handing each small piece over to them from outside costs more than the piece
    let multiplies = !matches!(arguments.command, Command::Info(_) | Command::Generate(_));
    let outcome =
        start_threads(arguments.threads, multiplies).and_then(|()| rayon::scope(|_| run(arguments.command, say)));
    match outcome {
        Ok(()) if say::lost() => ExitCode::from(2),
        // what there was when Ctrl-C came is written, but is not the whole
        Ok(()) if interrupt::asked() => ExitCode::from(interrupt::EXIT),
        Ok(()) if strict && say::warned() => ExitCode::from(WARNED),
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say.error(&error);
            ExitCode::from(if matches!(error, tangency::Error::Interrupted { .. }) { interrupt::EXIT } else { 2 })
        }
    }
}

fn run(command: Command, say: Say) -> tangency::Result<()> {
    match command {
        Command::Demo(demo) => demo::run(&demo, say),
        Command::Fit(fit) => fit::run(&fit, say),
        Command::Compare(compare) => compare::run(&compare, say),
        Command::Select(select) => select::run(&select, say),
        Command::Edges(edges) => edges::run(&edges, say),
        Command::Prune(prune) => prune::run(&prune, say),
        Command::Transform(transform) => transform::run(&transform, say),
        Command::Reconstruct(reconstruct) => reconstruct::run(&reconstruct, say),
        Command::Sample(sample) => sample::run(&sample, say),
        Command::Loadings(loadings) => loadings::run(&loadings, say),
        Command::Plot(plot) => plot::run(&plot, say),
        Command::Report(report) => report::run(&report, say),
        Command::Info(info) => info::run(&info, say),
        Command::Generate(generate) => generate::run(&generate, say),
    }
}

/// The exit code of what was done with a warning, where that was asked to count.
const WARNED: u8 = 3;

/// Stack of each thread, as large as that of a program's first thread.
const STACK: usize = 8 << 20;

/// More threads than this are a slip of the finger, and would take a minute to start.
const MOST_THREADS: usize = 1024;

/// What the program takes besides what its threads set aside.
const PROGRAM: u64 = 160 << 20;

/// Bytes for so many threads beside the first one of the program.
fn room_for(threads: u64) -> u64 {
    PROGRAM + threads.saturating_mul(tangency::fit::set_aside_by_thread())
}

/// How many threads the limits on the process leave room for, if there are limits.
fn most_by_limits() -> Option<usize> {
    let left = tangency::fit::left_by_limits()?;
    Some((1..=MOST_THREADS).take_while(|&count| room_for(count as u64) <= left).last().unwrap_or(0))
}

/// Starts the threads, as many as there is room for; what multiplies no matrices needs none.
fn start_threads(threads: Option<usize>, multiplies: bool) -> tangency::Result<()> {
    let too_many = |count: usize, because: String| tangency::Error::too_large("threads", count, because);
    let most = most_by_limits().map(|most| if multiplies { most } else { most.max(1) });
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let limit = "the limit on the memory of this process (ulimit -v or -d)";
    let count = match (threads, most) {
        (Some(0), _) => return Err(tangency::Error::too_small("threads", 0, 1)),
        (Some(count), _) if count > MOST_THREADS => {
            return Err(too_many(count, format!("the largest value is {MOST_THREADS}")));
        }
        (asked, Some(0)) => {
            let because = format!("{limit} leaves less than {}", tangency::message::bytes_in_words(room_for(1)));
            let remedy = tangency::message::Remedy::act("raise it");
            return Err(tangency::Error::setting("threads", asked.unwrap_or(1), because, [remedy]));
        }
        (Some(count), Some(most)) if count > most => {
            return Err(too_many(count, format!("{limit} leaves room for {most}")));
        }
        (Some(count), _) => count,
        (None, Some(most)) => most.min(cores),
        (None, None) => 0, // rayon's own choice: all cores
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(count)
        .stack_size(STACK)
        .build_global()
        .map_err(|error| too_many(count, format!("they cannot be started ({error})")))
}
