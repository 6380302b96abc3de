//! `tangency transform`: new rows placed in a fitted model, a block at a time.

use crate::args::TransformArgs;
use crate::rows::{beside, extension, options_of};
use crate::say::{self, Say};
use crate::{fit, info, interrupt, progress};
use serde_json::json;
use std::ops::ControlFlow;
use tangency::Result;
use tangency::io::table::TableStream;
use tangency::io::{NewRows, RARE, TableWriter, load_model};
use tangency::message::counted;

/// Runs the command.
pub fn run(args: &TransformArgs, say: Say) -> Result<()> {
    let path = args.out.clone().unwrap_or_else(|| beside(&args.table, "coordinates", "csv"));
    TableWriter::check(&path)?;
    let model = load_model(&args.model)?;
    let reading = options_of(&model, &args.reading);
    // what is wrong with the table is said before the work begins
    let rows = NewRows::new(&args.table, TableStream::open(&args.table, &reading)?, &model)?;
    let out = crate::rows::claims(args.force, [&args.model, &args.table]).claim(&path)?;
    interrupt::listen();
    let extension = extension(&model, args.n_neighbors)?;
    let mut bar = progress::rows(say, rows.rows());
    let seen = rows.transform(&model, &extension, &out, args.details, |done| {
        if bar(done) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    drop(bar);

    let noted = fit::notes(&seen.notes);
    noted.iter().for_each(|text| say.note(text));
    let (k, rate) = (extension.n_neighbors(), seen.rows as f64 / seen.time.as_secs_f64().max(1e-9));
    say.line(&format!(
        "{} placed, each by {}, at {rate:.0} rows/s",
        counted(seen.rows, "row"),
        counted(k, "training point")
    ));
    say.line(&format!(
        "{} of them more surprising than {:.0} % of the training points{}",
        seen.rare,
        100.0 * RARE,
        if extension.is_calibrated() { "" } else { " (held out one by one; see also `fit --calibrate`)" }
    ));
    if seen.with_gaps > 0 {
        let lack = if seen.with_gaps == 1 { "lacks" } else { "lack" };
        say.line(&format!(
            "{} {lack} some entries: placed by the others; the log-density is that of the others, and there is no novelty",
            counted(seen.with_gaps, "row")
        ));
    }
    say.line(&format!("wrote {}", out.path().display()));
    if seen.interrupted {
        say.warn(&format!("interrupted after {}; the file has no more", counted(seen.rows, "row")));
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
        "calibrated": extension.is_calibrated(),
        "with_gaps": seen.with_gaps,
        "unsettled": seen.unsettled,
        "interrupted": seen.interrupted,
        "warnings": info::warnings(&model),
        "notes": noted,
        "written": say::names([out.path()]),
    }));
    Ok(())
}
