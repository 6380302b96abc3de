//! Where the time of a fit goes: each run of it, with its iterations, its seconds and its bound.
//!
//! `cargo run --release --example stages -- TABLE.npy [SETTING=VALUE …]`; one thread tells most (`RAYON_NUM_THREADS=1`).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use tangency::io::table::{TableOptions, read_table};
use tangency::{Choice, Config, Fitter, Progress};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let table = read_table(Path::new(&arguments.next().unwrap()), &TableOptions::default()).unwrap();
    let mut config = Config { connect: true, ..Config::default() };
    for given in arguments {
        let (name, value) = given.split_once('=').unwrap();
        let setting = Config::SETTINGS.iter().find(|setting| setting.name == name).unwrap();
        config.set(setting, &setting.parse(value).unwrap()).unwrap();
    }
    let begun = Instant::now();
    // of the stretch of iterations that goes on: when it began, when its first and its last iteration ended
    let mut times = (0.0, 0.0, 0.0);
    let mut last: Option<Progress> = None;
    println!("| start | stage | iterations | first one | others, each | bound per point |\n|---|---|---|---|---|---|");
    let n = table.values.nrows() as f64;
    let line = |last: &Progress, (start, first, end): (f64, f64, f64), count: usize| {
        println!(
            "| {} | {} | {count} | {:.3} | {:.4} | {:.3} |",
            last.start,
            last.stage.name(),
            first - start,
            (end - first) / (count.max(2) - 1) as f64,
            last.point.bound_scaled / n
        );
    };
    let mut count = 0;
    let fit = Fitter::new(config).observer(|progress| {
        let now = begun.elapsed().as_secs_f64();
        match &last {
            Some(before) if progress.stage == before.stage && progress.point.iteration > before.point.iteration => {}
            _ => {
                if let Some(before) = &last {
                    line(before, times, count);
                }
                (times, count) = ((times.2, now, now), 0);
            }
        }
        (times.2, count) = (now, count + 1);
        last = Some(*progress);
        ControlFlow::Continue(())
    });
    let fit = fit.fit(&table.values).unwrap();
    if let Some(last) = &last {
        line(last, times, count);
    }
    println!("{:.2} seconds after that", begun.elapsed().as_secs_f64() - times.2);
    println!("{:.2} seconds, {:?}", begun.elapsed().as_secs_f64(), fit.features);
}
