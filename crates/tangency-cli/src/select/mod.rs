//! `tangency select`: a grid of graphs and dimensions to a table, a figure and a verdict.

mod figure;
mod grid;
mod journal;
mod verdict;

use crate::args::SelectArgs;
use crate::figure_file::FileKind;
use crate::report::ReportPage;
use crate::words::Flags;
use crate::{fit, interrupt, progress, say::Say};
use indicatif::{ProgressBar, ProgressDrawTarget};
use journal::Journal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tangency::evidence::{Cell, Judge, Selection};
use tangency::io::table::Table;
use tangency::io::{Output, write_rows};
use tangency::view::EvidenceView;
use tangency::{Error, Result};
use tangency_report::page::Report;

/// Runs the command.
pub fn run(args: &SelectArgs, say: Say) -> Result<()> {
    let asked = grid::asked(args)?;
    let config = args.settings.config()?;
    let figure_path = args.figure.clone().unwrap_or_else(|| args.out.with_extension("svg"));
    let kind = FileKind::of(&figure_path, "figure")?;
    let partial = Journal::place(&args.out);
    let mut outputs = claim(args, &figure_path, args.force);
    // what is there may be the last thing that an interrupted run wrote: its journal will tell
    if outputs.is_err() && !partial.exists() {
        outputs?;
        return Ok(());
    }

    let table = fit::read_with_views(&args.table, &args.views, &config)?;
    if let Ok((.., page)) = &outputs {
        ReportPage::check(page, table.values.ncols())?;
    }
    let graphs = asked.graphs(args, &table)?;
    let selection = Selection::new(&table.values, config, graphs, asked.n_components)?.by(args.by)?;
    let selection = selection.views(table.views.clone())?.seeds(args.seeds)?.words(&Flags);
    let selection = if args.all { selection.all() } else { selection };

    let (mut journal, done) = Journal::open(partial, &selection, args.force)?;
    if !done.is_empty() && selection.is_complete(&done) {
        outputs = claim(args, &figure_path, true);
    }
    let (out, figure_out, page) = outputs?;
    if !done.is_empty() {
        say.line(&format!("resuming: {} of {} fits are done", done.len(), verdict::at_most(&selection, args.all)));
    }
    if selection.n_seeds() < args.seeds {
        say.line("this start is the same for every seed: one fit a candidate");
    }
    fit::notes(&table.notes).iter().for_each(|text| say.note(text));
    let cells = match fit_grid(&selection, &done, &mut journal, say)? {
        Some(cells) => cells,
        None => {
            say.warn(&format!(
                "interrupted: {} of {} fits are done and kept in {}; run the same command again to go on",
                journal.rows(),
                verdict::at_most(&selection, args.all),
                journal.path().display()
            ));
            drop(journal);
            std::process::exit(interrupt::EXIT.into());
        }
    };

    let found = verdict::Verdict::new(&selection, &cells);
    let drawn = figure::draw(&selection, found.view())?;
    let mut written = Vec::new();
    if let Some(picture) = &drawn.figure {
        kind.write(&figure_out, picture)?;
        written.push(figure_out.path().to_owned());
    }
    let (header, rows) = verdict::table(&selection, &cells);
    write_rows(&out, &header, rows.into_iter())?;
    written.insert(0, out.path().to_owned());
    if let Some(page) = &page {
        written.extend(write_page(page, &selection, &cells, table, args, say)?);
    }
    // only now that the table is in its place
    journal.remove()?;

    found.lines(args.all).iter().for_each(|line| say.line(line));
    written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    let warnings: Vec<String> = found.warnings().into_iter().chain(drawn.left_out).collect();
    warnings.iter().for_each(|text| say.warn(text));
    let mut result = serde_json::json!(found.view());
    result["resumed"] = done.len().into();
    result["written"] = crate::say::names(written.iter().map(std::path::PathBuf::as_path));
    result["warnings"] = serde_json::json!(warnings);
    say.result(&result);
    Ok(())
}

/// The page of the best candidate, which is fitted once more.
fn write_page(
    page: &ReportPage,
    selection: &Selection,
    cells: &[Cell],
    table: Table,
    args: &SelectArgs,
    say: Say,
) -> Result<Option<PathBuf>> {
    let Some(best) = selection.best_fit(cells) else {
        say.warn("there is no page, because no candidate could be ranked");
        return Ok(None);
    };
    let model = fit::fit_table(best.into_fitter(), table, say)?;
    if interrupt::asked() {
        return Err(Error::Interrupted { what: "the fit for the page" });
    }
    let selection = Some(EvidenceView::new(selection, cells));
    page.write(&model, &args.table, Report { selection, ..Report::default() }).map(Some)
}

fn claim(args: &SelectArgs, figure: &Path, force: bool) -> Result<(Output, Output, Option<ReportPage>)> {
    let mut claims = crate::rows::claims(force, [&args.table.table].into_iter().chain(&args.edges));
    let out = claims.claim(&args.out)?;
    Ok((out, claims.claim(figure)?, ReportPage::claim(&args.page, &mut claims)?))
}

/// Fits what is not done, each fit on disk as soon as it is; nothing if Ctrl-C ended it.
fn fit_grid(selection: &Selection, done: &[Cell], journal: &mut Journal, say: Say) -> Result<Option<Vec<Cell>>> {
    interrupt::listen();
    // the journal
    interrupt::keep(true);
    let bar = bar(selection, done, say);
    let mut best = f64::NEG_INFINITY;
    let mut failure = None;
    let selected = selection.run(done, &interrupt::asked, |cell| {
        if let Err(error) = journal.add(cell) {
            failure = Some(error);
            return ControlFlow::Break(());
        }
        let (worth, unit) = match selection.judge() {
            Judge::HeldOut => (cell.log_density, "nats per row"),
            Judge::Auto | Judge::Bound => (cell.evidence(), "nats"),
        };
        if let Some(worth) = worth.filter(|&worth| worth > best) {
            best = worth;
            bar.set_message(format!("best so far {}, {best:.2} {unit}", verdict::name(selection, cell.candidate)));
        }
        bar.inc(1);
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    bar.finish_and_clear();
    match failure {
        Some(error) => Err(error),
        None => Ok(selected.complete.then_some(selected.cells)),
    }
}

fn bar(selection: &Selection, done: &[Cell], say: Say) -> ProgressBar {
    // indicatif hides itself where standard error is not a terminal
    let target = if say.quiet || say.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(selection.n_fits() as u64), target);
    progress::set_style(&bar, "select {bar:24} {pos}/{len} fits at most{rate}{left_at_most} | {msg}");
    bar.set_position(done.len() as u64);
    // fits that an earlier run made are no measure of the rate
    bar.reset_eta();
    bar.enable_steady_tick(std::time::Duration::from_millis(500));
    bar
}
