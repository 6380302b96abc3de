//! `tangency transform`: new rows placed in a fitted model, a block at a time.

use crate::args::TransformArgs;
use crate::rows::{counted, extension, ids, next_block, numbered, of_table, options};
use crate::say::{self, Say};
use crate::{info, interrupt, progress};
use serde_json::json;
use std::time::{Duration, Instant};
use tangency::Result;
use tangency::extend::{Extension, Placement};
use tangency::io::table::{Block, TableStream};
use tangency::io::{Cells, Claims, ColumnKind, Model, TableWriter, load_model};

/// Rows more surprising than this share of the training points are counted.
const RARE: f64 = 0.99;

/// Runs the command.
pub fn run(args: &TransformArgs, say: Say) -> Result<()> {
    TableWriter::check(&args.out)?;
    let out = Claims::new(args.force, [&args.model, &args.table]).claim(&args.out)?;
    let model = load_model(&args.model)?;
    let mut stream = TableStream::open(&args.table, &options(&args.reading))?;
    stream.choose(&model.feature_names)?;
    // what is wrong with the table is told before the work begins
    let mut next = next_block(&mut stream, &args.table, &model)?;
    interrupt::listen();
    let extension = extension(&model, args.n_neighbors)?;
    let with_labels = next.as_ref().is_some_and(|block| block.labels.is_some());
    let mut writer = TableWriter::create(&out, &header(&model, with_labels, args.details))?;
    let mut bar = progress::rows(say, stream.rows());
    let mut seen = Seen::default();
    let mut stopped = false;
    while let Some(block) = next {
        let begin = Instant::now();
        let placed = extension.transform_columns(&block.values).map_err(|error| of_table(error, block.first))?;
        seen.time += begin.elapsed();
        seen.rows += placed.len();
        seen.unsettled += placed.iter().filter(|placement| !placement.settled).count();
        let novelty: Vec<f64> = placed.iter().map(|placement| extension.novelty(placement.log_density)).collect();
        seen.rare += novelty.iter().filter(|&&share| share > RARE).count();
        writer.write(&cells(&model, &extension, block, &placed, novelty, args.details))?;
        stopped = bar(seen.rows);
        if stopped {
            break;
        }
        next = next_block(&mut stream, &args.table, &model)?;
    }
    drop(bar);
    writer.finish()?;

    let (k, rate) = (extension.n_neighbors(), seen.rows as f64 / seen.time.as_secs_f64().max(1e-9));
    let reference = extension.reference();
    say.line(&format!(
        "{} placed, each by {}, at {rate:.0} rows/s",
        counted(seen.rows, "row"),
        counted(k, "training point")
    ));
    say.line(&format!(
        "{} of them more surprising than {:.0} % of the training points{}",
        seen.rare,
        100.0 * RARE,
        match (reference.cross_validated, model.fit.calibration.is_some()) {
            (true, _) => "",
            (false, false) => " (which the fit has seen, so only the order of novelty counts; see `fit --calibrate`)",
            (false, true) => " (which the fit has seen: its calibration is for another number of neighbours)",
        }
    ));
    say.line(&format!("wrote {}", out.path().display()));
    if stopped {
        say.warn(&format!("interrupted after {} rows; the file has no more", seen.rows));
    }
    if seen.unsettled > 0 {
        say.warn(&format!("{} had not come to rest; do not trust the coordinates", counted(seen.unsettled, "row")));
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    say.result(&json!({
        "rows": seen.rows,
        "rows_per_second": rate,
        "n_neighbors": k,
        "rare": seen.rare,
        "calibrated": reference.cross_validated,
        "unsettled": seen.unsettled,
        "interrupted": stopped,
        "warnings": info::warnings(&model),
        "written": say::names([out.path()]),
    }));
    Ok(())
}

#[derive(Default)]
struct Seen {
    rows: usize,
    rare: usize,
    unsettled: usize,
    time: Duration,
}

fn header(model: &Model, with_labels: bool, details: bool) -> Vec<(String, ColumnKind)> {
    let d_x = model.fit.coordinates.ncols();
    let text = |name: &str| (name.to_owned(), ColumnKind::Text);
    let mut header = vec![text("id")];
    header.extend(with_labels.then(|| text("label")));
    header.extend(numbered("x", d_x).chain(numbered("sd", d_x)));
    header.extend(["log_density", "novelty"].map(|name| (name.to_owned(), ColumnKind::Number)));
    if details {
        header.push(text("neighbors"));
        header.extend(pairs(d_x).map(|(a, b)| (format!("cov{}_{}", a + 1, b + 1), ColumnKind::Number)));
        for a in 0..d_x {
            header.extend(model.feature_names.iter().map(|name| (format!("d{}_{name}", a + 1), ColumnKind::Number)));
        }
    }
    header
}

fn pairs(d_x: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..d_x).flat_map(move |a| (a..d_x).map(move |b| (a, b)))
}

fn cells(
    model: &Model,
    extension: &Extension,
    block: Block,
    placed: &[Placement],
    novelty: Vec<f64>,
    details: bool,
) -> Vec<Cells> {
    let d_x = model.fit.coordinates.ncols();
    let numbers = |of: &dyn Fn(&Placement) -> f64| Cells::Numbers(placed.iter().map(of).collect());
    let totals: Vec<_> = placed.iter().map(|placement| extension.total_covariance(placement)).collect();
    let mut cells = vec![Cells::Text(ids(&block))];
    cells.extend(block.labels.map(Cells::Text));
    cells.extend((0..d_x).map(|a| numbers(&|placement| placement.mean[a])));
    cells.extend((0..d_x).map(|a| Cells::Numbers(totals.iter().map(|total| total[(a, a)].sqrt()).collect())));
    cells.push(numbers(&|placement| placement.log_density));
    cells.push(Cells::Numbers(novelty));
    if details {
        let names = |placement: &Placement| {
            placement.neighbors.iter().map(|&j| model.id(j as usize)).collect::<Vec<_>>().join(" ")
        };
        cells.push(Cells::Text(placed.iter().map(names).collect()));
        cells.extend(pairs(d_x).map(|(a, b)| numbers(&|placement| placement.covariance[(a, b)])));
        for a in 0..d_x {
            for (f, scale) in model.fit.scaling.scale.iter().enumerate() {
                cells.push(numbers(&|placement| placement.map[(f, a)] * scale));
            }
        }
    }
    cells
}
