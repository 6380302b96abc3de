//! `tangency compare`: our model and the well-known methods on one table, as a table, a figure and a page.

use crate::args::CompareArgs;
use crate::figure_file::{FileKind, cannot_be_drawn};
use crate::report::ReportPage;
use crate::say::{self, Say};
use crate::words::Flags;
use crate::{PEAK, fit, interrupt, progress};
use serde_json::json;
use tangency::compare::{Comparison, Entrant, Meter, Trial, ranks, table};
use tangency::io::table::{Table, read_table};
use tangency::io::{Model, Output, write_rows};
use tangency::linalg::Matrix;
use tangency::message;
use tangency::message::{Dialect, Piece, Remedy, Sentence, counted};
use tangency::peers::PeerOptions;
use tangency::{Config, Error, Result};
use tangency_report::comparison::panels;
use tangency_report::page::Report;
use tangency_report::{Colour, Figure, FigureError, multiples};

/// Runs the command.
pub fn run(args: &CompareArgs, say: Say) -> Result<()> {
    let config = args.settings.config()?;
    let options = PeerOptions {
        regularization: args.regularization,
        n_inducing: args.n_inducing,
        random_state: config.random_state,
        ..PeerOptions::default()
    };
    options.validate()?;
    let entrants = entrants(&args.methods)?;
    let figure_path = args.figure.clone().unwrap_or_else(|| args.out.with_extension("svg"));
    let kind = FileKind::of(&figure_path, "figure")?;
    let (data, truth) = read(args, &config)?;
    let mut claims = crate::rows::claims(args.force, [&args.table.table].into_iter().chain(&args.graph.edges));
    let out = claims.claim(&args.out)?;
    let figure_out = claims.claim(&figure_path)?;
    let embeddings = claims.claim_if(&args.embeddings)?;
    let page = ReportPage::claim(&args.page, &mut claims)?;

    ReportPage::check(&page, data.values.ncols())?;
    let edges = fit::edges(&args.graph, &data)?;
    let labels = data.labels.clone();
    let mut comparison = Comparison::new(data.values.as_ref(), config, edges, truth, labels)?;
    comparison.options = options;
    comparison.words = &Flags;
    comparison.views = data.views.clone();
    let filled_in = comparison.filled_in().map(|what| what.in_words(&Flags));
    comparison.meter = Some(Meter {
        reset: || PEAK.reset_peak_usage(),
        now: || PEAK.current_usage() as u64,
        peak: || PEAK.peak_usage() as u64,
    });
    let (trials, left_out) = run_all(&mut comparison, &entrants, say);
    if trials.iter().all(|trial| trial.outcome.is_err()) {
        let first = trials.iter().find_map(|trial| Some((trial.entrant, trial.outcome.as_ref().err()?)));
        return Err(match first {
            Some((entrant, reason)) if !interrupt::asked() => {
                let problem = message![
                    "none of the methods in ",
                    Piece::Setting("methods"),
                    format!(" succeeds; {entrant}: {reason}")
                ];
                Error::unfit("methods", problem, [])
            }
            _ => Error::Interrupted { what: "the comparison" },
        });
    }

    fit::notes(&data.notes).iter().chain(&filled_in).for_each(|text| say.note(text));
    let mut written = Vec::new();
    let (header, rows) = table::as_rows(&trials);
    write_rows(&out, &header, rows.into_iter())?;
    written.push(out.path().to_owned());
    let drawn = draw(&comparison, &trials, args).map_err(|error| cannot_be_drawn(&figure_path, &error))?;
    kind.write(&figure_out, &drawn)?;
    written.push(figure_out.path().to_owned());
    let ids: Vec<String> = match &data.ids {
        Some(ids) => comparison.rows().iter().map(|&row| ids[row].clone()).collect(),
        None => comparison.rows().iter().map(usize::to_string).collect(),
    };
    if let Some(output) = embeddings {
        write_embeddings(&output, &trials, &ids)?;
        written.push(output.path().to_owned());
    }
    let mut warnings = left_out;
    if let Some(page) = &page {
        match model(&comparison, &data) {
            Some(model) => {
                let report = Report { remark: filled_in, ..report(args, &comparison, &trials) };
                written.push(page.make(&model, report)?);
            }
            None => warnings.push("there is no page, because ll-lvm was not fitted".to_owned()),
        }
    }
    if interrupt::asked() {
        warnings.push("interrupted: methods that had not run are missing".to_owned());
    }
    table::as_text(&trials).iter().for_each(|line| say.line(line));
    written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    warnings.iter().for_each(|text| say.warn(text));
    say.result(&json!({
        "methods": trials.iter().zip(ranks(&trials)).map(|(trial, rank)| table::as_json(trial, rank)).collect::<Vec<_>>(),
        "written": say::names(written.iter().map(std::path::PathBuf::as_path)),
        "warnings": warnings,
        "filled_in": comparison.filled_in(),
    }));
    Ok(())
}

/// Who takes part, and whether because all do.
struct Entrants {
    listed: Vec<Entrant>,
    all: bool,
}

fn entrants(names: &[String]) -> Result<Entrants> {
    if names.iter().any(|name| name == "all") {
        return Ok(Entrants { listed: Entrant::all().collect(), all: true });
    }
    let mut listed: Vec<Entrant> = Vec::new();
    for name in names {
        let entrant = name.trim().parse()?;
        if !listed.contains(&entrant) {
            listed.push(entrant);
        }
    }
    Ok(Entrants { listed, all: false })
}

/// The table without the columns that hold the truth, and these.
fn read(args: &CompareArgs, config: &Config) -> Result<(Table, Option<Matrix>)> {
    let mut options = fit::options_with_views(&args.table, &args.views, config)?;
    if args.truth.is_empty() {
        return Ok((read_table(&args.table.table, &options)?, None));
    }
    if args.table.table.as_os_str() == "-" {
        let problem =
            message![Piece::Setting("truth"), " was given, which needs the table twice, but standard input comes once"];
        return Err(Error::unfit("truth", problem, [Remedy::act("save the table in a file first")]));
    }
    let truth_options = tangency::io::table::TableOptions {
        columns: Some(args.truth.clone()),
        exclude: vec![],
        id_column: None,
        label_column: None,
        gaps: false,
        views: vec![],
        ..options.clone()
    };
    let truth = read_table(&args.table.table, &truth_options)?.values;
    options.exclude.extend(args.truth.iter().cloned());
    Ok((read_table(&args.table.table, &options)?, Some(truth)))
}

/// Runs all of them until Ctrl-C; also returns who was left out and why.
fn run_all(comparison: &mut Comparison, entrants: &Entrants, say: Say) -> (Vec<Trial>, Vec<String>) {
    interrupt::listen();
    let n = comparison.rows().len();
    let (mut trials, mut left_out) = (Vec::new(), Vec::new());
    for (place, &entrant) in entrants.listed.iter().enumerate() {
        if interrupt::asked() {
            break;
        }
        if let Some(reason) = entrant.left_out(n).filter(|_| entrants.all) {
            left_out.push(format!("{entrant} was left out: {}", Flags.words(&reason)));
            continue;
        }
        let mut watch = progress::method(say, entrant, place + 1, entrants.listed.len());
        let trial = comparison.run(entrant, &mut watch);
        interrupt::keep(trial.outcome.is_ok() || trials.iter().any(|trial: &Trial| trial.outcome.is_ok()));
        trials.push(trial);
    }
    (trials, left_out)
}

/// All embeddings, coloured by the labels, else by the truth, else by our first coordinate.
fn draw(comparison: &Comparison, trials: &[Trial], args: &CompareArgs) -> std::result::Result<Figure, FigureError> {
    let (yardsticks, panels) = (comparison.yardsticks(), panels(comparison, trials));
    let title = |place: usize| args.truth.get(place).map_or("truth", String::as_str);
    let column = |table: &Matrix, c: usize| table.col_as_slice(c).to_vec();
    let first = trials.iter().find_map(|trial| Some(column(&trial.outcome.as_ref().ok()?.coordinates, 0)));
    let (values, places);
    let colour = match (&yardsticks.labels, &yardsticks.truth) {
        (Some(labels), _) => {
            let title = args.table.label_column.as_deref().unwrap_or("label");
            Colour::Categorical { labels, title }
        }
        (None, Some(truth)) if truth.ncols() == 2 => {
            places = (0..truth.nrows()).map(|i| [truth[(i, 0)], truth[(i, 1)]]).collect::<Vec<_>>();
            Colour::Place { places: &places, titles: [title(0), title(1)] }
        }
        (None, Some(truth)) => {
            values = column(truth, 0);
            Colour::Continuous { values: &values, title: title(0) }
        }
        (None, None) => match first {
            Some(found) => {
                values = found;
                Colour::Continuous { values: &values, title: "x1 of the first method" }
            }
            None => Colour::None,
        },
    };
    let name = args.table.table.file_name().unwrap_or_default().to_string_lossy();
    multiples(&panels, colour, None, format!("{name}, {}", counted(comparison.rows().len(), "point")).as_str())
}

fn write_embeddings(output: &Output, trials: &[Trial], ids: &[String]) -> Result<()> {
    let found = || trials.iter().filter_map(|trial| Some((trial.entrant, trial.outcome.as_ref().ok()?)));
    let d = found().map(|(_, outcome)| outcome.coordinates.ncols()).max().unwrap_or(0);
    let header: Vec<String> =
        ["id", "method"].into_iter().map(str::to_owned).chain((1..=d).map(|a| format!("x{a}"))).collect();
    let rows = found().flat_map(|(entrant, outcome)| {
        (0..ids.len()).map(move |i| {
            let x = (0..d).map(|a| outcome.coordinates[(i, a)].to_string());
            [ids[i].clone(), entrant.to_string()].into_iter().chain(x).collect()
        })
    });
    write_rows(output, &header, rows)
}

/// The fit of our model with the names of its rows.
fn model(comparison: &Comparison, table: &Table) -> Option<Model> {
    let fit = comparison.fit()?.clone();
    let kept = |names: &Vec<String>| fit.rows.iter().map(|&row| names[row].clone()).collect::<Vec<_>>();
    let (ids, labels) = (table.ids.as_ref().map(kept), table.labels.as_ref().map(kept));
    let carried = table.carried.iter().map(|(name, cells)| (name.clone(), kept(cells))).collect();
    let (feature_names, label_name) = (table.feature_names.clone(), table.label_name.clone());
    Some(Model { feature_names, ids, labels, label_name, carried, table: None, reading: None, fit })
}

fn report(args: &CompareArgs, comparison: &Comparison, trials: &[Trial]) -> Report<'static> {
    let others: Vec<Trial> = trials.iter().filter(|trial| trial.entrant != Entrant::LlLvm).cloned().collect();
    let name = args.table.table.file_name().unwrap_or_default().to_string_lossy();
    Report {
        title: format!("{name}: ll-lvm beside other methods"),
        comparisons: panels(comparison, &others),
        ..Report::default()
    }
}
