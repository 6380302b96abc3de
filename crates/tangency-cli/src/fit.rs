//! `tangency fit`: typed arguments to a validated job, the job to files.

use crate::args::{EdgeListArgs, FitArgs, StartArgs, TableArgs, header};
use crate::report::ReportPage;
use crate::say::{self, Say};
use crate::words::Flags;
use crate::{info, interrupt, progress, prune, report, structure};
use std::path::{Path, PathBuf};
use tangency::extend::{calibrate, check_parts};
use tangency::fit::FullPosterior;
use tangency::inference::{Start, Stop};
use tangency::io::table::{Table, TableNote, TableOptions, read_cells, read_matrix, read_table};
use tangency::io::{Model, embedding_bytes, load_model, save_model, trace_bytes, write_embedding, write_trace};
use tangency::linalg::Matrix;
use tangency::message::{Message, Piece, Remedy, Sentence, shown};
use tangency::model::MissingRule;
use tangency::view::PruningView;
use tangency::{Config, Error, Fit, Fitter, Result};
use tangency_report::command::{CommandFiles, command, flag, typed};
use tangency_report::page::Report;

/// Runs the command.
pub fn run(args: &FitArgs, say: Say) -> Result<()> {
    let config = args.settings.config()?;
    let pruning = &args.pruning;
    if !args.prune
        && (pruning.max_removed.is_some()
            || pruning.min_gain.is_some()
            || pruning.out_edges.is_some()
            || pruning.removed.is_some())
    {
        let mut names = ["max_removed", "min_gain", "out_edges", "removed"].map(Piece::Setting).into_iter();
        let mut pieces: Vec<Piece> = names.next().into_iter().collect();
        names.for_each(|name| pieces.extend([" or ".into(), name]));
        pieces.extend([" was given, but ".into(), Piece::Setting("prune"), " was not".into()]);
        return Err(Error::unfit("prune", Message(pieces), [Remedy::TurnOn("prune").to("remove edges")]));
    }
    prune::options(pruning).validate()?;
    let options = structure::with_columns(&args.structure, options_with_views(&args.table, &args.views, &config)?);
    let table = read_table(&args.table.table, &options)?;
    let structure = structure::structure(&args.structure, &args.table.table, &table)?;
    let read = inputs(&args.table, &args.graph, &args.start).chain(&args.structure.anchors);
    let mut claims = crate::rows::claims(args.force, read);
    let path = args.out.clone().unwrap_or_else(|| model_name(&args.table));
    // the same fit may replace what it has written, and that is still as it was
    let before = load_model(&path).ok().filter(|model| is_repeated(model, args, &config, &table));
    let out = if before.is_some() { claims.claim_again(&path)? } else { claims.claim(&path)? };
    let mut claim = |path: &Option<PathBuf>, content: fn(&Model) -> Vec<u8>| match (path, &before) {
        (Some(path), Some(before)) => claims.claim_same(path, || content(before)).map(Some),
        (path, _) => claims.claim_if(path),
    };
    let embedding = claim(&args.embedding, embedding_bytes)?;
    let trace = claim(&args.trace, |model| trace_bytes(&model.fit))?;
    let edge_files = prune::EdgeFiles::claim(pruning, &mut claims)?;
    let page = ReportPage::claim(&args.page, &mut claims)?;

    ReportPage::check(&page, table.values.ncols())?;
    if let Some(parts) = args.calibrate {
        check_parts(table.values.nrows(), config.n_components.max(1), parts)?;
    }
    let noted = notes(&table.notes);
    progress::tell_how_long(&table, &config, say);
    let fitter =
        fitter(Fitter::new(config).views(table.views.clone()).structure(structure), &args.graph, &args.start, &table)?;
    let (mut model, posterior) =
        if args.prune { fit_to_prune(fitter, table, say)? } else { (fit_table(fitter, table, say)?, None) };
    model.table = table_name(&args.table);
    model.reading = model.table.is_some().then_some(options);
    let mut pruned = None;
    if args.prune && model.fit.stop != Stop::Interrupted {
        let (after, found) = prune::prune_model(model, posterior, &prune::options(pruning), say)?;
        model = after;
        let found = PruningView::new(&model, &found);
        prune::plan(&model, &found).iter().for_each(|line| say.line(line));
        pruned = Some(found);
    }

    let not_calibrated = args.calibrate.and_then(|parts| calibrate_model(&mut model, parts, say));

    save_model(&out, &model)?;
    let mut written = vec![out.path().to_owned()];
    if let Some(output) = embedding {
        write_embedding(&output, &model)?;
        written.push(output.path().to_owned());
    }
    if let Some(output) = trace {
        write_trace(&output, &model.fit)?;
        written.push(output.path().to_owned());
    }
    match &pruned {
        Some(found) if !found.interrupted => written.extend(edge_files.write(&model, found)?),
        Some(_) => {}
        None if args.prune => say.warn("the graph was not pruned, because the fit was interrupted"),
        None => {}
    }
    if let Some(page) = &page {
        let command = command(&model.fit, &files(args));
        written.push(page.write(&model, &args.table, Report { command: Some(command), ..Report::default() })?);
    }
    let mut warnings = info::warnings(&model);
    warnings.extend(not_calibrated);
    warnings.iter().for_each(|text| say.warn(text));
    info::summary(&model, say.verbose).iter().for_each(|line| say.line(line));
    written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    say.line(&next(out.path(), page.is_some()));
    let mut result = info::as_json(&model);
    result["warnings"] = serde_json::json!(warnings);
    result["notes"] = serde_json::json!(noted);
    if let Some(found) = &pruned {
        result["pruning"] = serde_json::json!(found);
    }
    result["written"] = say::names(written.iter().map(PathBuf::as_path));
    say.result(&result);
    Ok(())
}

/// What to do with a model that was just made.
fn next(model: &Path, has_page: bool) -> String {
    let words = |words: &[&str]| typed(words.iter().map(|word| (*word).to_owned()));
    let (name, page) = (model.display().to_string(), model.with_extension("html").display().to_string());
    match has_page {
        true => format!("next: open the page in a browser, or {}", words(&["tangency", "edges", &name])),
        false => format!("next: {}, a page to look at it", words(&["tangency", "report", &name, "--out", &page])),
    }
}

/// What the table is called, without its folder.
pub fn table_name(args: &TableArgs) -> Option<String> {
    let is_file = args.table.as_os_str() != "-";
    args.table.file_name().filter(|_| is_file).map(|name| name.to_string_lossy().into_owned())
}

/// The table's name as that of a model, in the present folder.
fn model_name(args: &TableArgs) -> PathBuf {
    let plain = "model.safetensors";
    let Some(name) = table_name(args) else { return plain.into() };
    let packed = [".gz", ".zst", ".zstd"];
    let name = packed.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    match Path::new(name).with_extension("") {
        stem if stem.as_os_str().is_empty() => plain.into(),
        mut stem => {
            stem.as_mut_os_string().push(".safetensors");
            stem
        }
    }
}

/// Whether a model is what this very fit has written before: of the same columns of a table of the same name, with the same
/// settings.
fn is_repeated(model: &Model, args: &FitArgs, asked: &Config, table: &Table) -> bool {
    let fit = &model.fit;
    let mut config = fit.config.clone();
    if fit.neighbors.is_some() {
        config.n_neighbors = asked.n_neighbors;
    }
    if fit.dimension.is_some() {
        config.n_components = asked.n_components;
    }
    if fit.scaling_choice.is_some() {
        config.scaling = asked.scaling;
    }
    let names = table_name(&args.table);
    let plain = args.graph.edges.is_none() && !has_start(&args.start) && args.structure.is_empty();
    names.is_some()
        && names == model.table
        && config == *asked
        && model.feature_names == table.feature_names
        && fit.views == table.views
        && fit.pruning.is_some() == args.prune
        && fit.calibration.is_some() == args.calibrate.is_some()
        && plain
}

/// Finds out how the model does on rows that it has not seen. If that fails, the model stays as it is and the reason is
/// returned.
fn calibrate_model(model: &mut Model, parts: usize, say: Say) -> Option<String> {
    match model.fit.stop {
        Stop::Interrupted => return Some("the model was not calibrated, because the fit was interrupted".into()),
        Stop::Collapsed => return Some("the model was not calibrated, because the fit collapsed".into()),
        Stop::Converged | Stop::MaxIterations => {}
    }
    match calibrate(&model.fit, parts, progress::parts(say, parts)) {
        Ok(found) => {
            model.fit.calibration = Some(found);
            None
        }
        Err(Error::Interrupted { .. }) => Some("the model was not calibrated, because that was interrupted".into()),
        Err(error) => Some(format!("the model was not calibrated: {}", error.in_words(&Flags))),
    }
}

/// Fits a table with progress and Ctrl-C, and keeps the names of the rows that are in the model.
pub fn fit_table(fitter: Fitter, table: Table, say: Say) -> Result<Model> {
    interrupt::listen();
    let fit = fitter.observer(progress::observer(say)).fit(&table.values)?;
    Ok(named(fit, table, say))
}

/// The same with the whole posterior, for pruning to begin with.
pub fn fit_to_prune(fitter: Fitter, table: Table, say: Say) -> Result<(Model, Option<FullPosterior>)> {
    interrupt::listen();
    let fitter = fitter.observer(progress::observer(say));
    let (fit, posterior) = fitter.fit_with_posterior(table.values.as_ref())?;
    Ok((named(fit, table, say), posterior))
}

/// A fit with the names of its rows; how the table was understood and what was decided on the way is noted.
fn named(fit: Fit, table: Table, say: Say) -> Model {
    notes(&table.notes).iter().for_each(|text| say.note(text));
    let kept = |names: Vec<String>| fit.rows.iter().map(|&row| names[row].clone()).collect::<Vec<_>>();
    let (ids, labels, label_name) = (table.ids.map(&kept), table.labels.map(&kept), table.label_name);
    let carried = table.carried.into_iter().map(|(name, cells)| (name, kept(cells))).collect();
    let model =
        Model { fit, feature_names: table.feature_names, ids, labels, label_name, carried, table: None, reading: None };
    info::decided(&model).iter().for_each(|text| say.note(text));
    model
}

/// Files that a fit reads.
pub fn inputs<'a>(
    table: &'a TableArgs,
    graph: &'a EdgeListArgs,
    start: &'a StartArgs,
) -> impl Iterator<Item = &'a PathBuf> {
    [&table.table].into_iter().chain(&graph.edges).chain(&start.init_coordinates).chain(&start.init_maps)
}

/// A fitter with the edges and the start that were named.
pub fn fitter<'a>(
    mut fitter: Fitter<'a>,
    graph: &EdgeListArgs,
    given: &StartArgs,
    table: &Table,
) -> Result<Fitter<'a>> {
    if let Some(edges) = edges(graph, table)? {
        fitter = fitter.edges(edges);
    }
    if let Some(start) = start(given, table)? {
        fitter = fitter.start(start);
    }
    Ok(fitter)
}

/// What the command that repeats a fit says of its files.
fn files(args: &FitArgs) -> CommandFiles {
    let named = |name: &str, path: &Option<PathBuf>| -> Vec<String> {
        path.iter().flat_map(|path| [flag(name), report::without_folders(&path.to_string_lossy())]).collect()
    };
    let by = args.graph.edges_by.iter().flat_map(|names| [flag("edges_by"), names.to_string()]);
    CommandFiles {
        table: report::without_folders(&args.table.table.to_string_lossy()),
        reading: report::reading(&args.table)
            .into_iter()
            .chain(args.views.iter().flat_map(|view| [flag("views"), view.clone()]))
            .chain(structure::typed_again(&args.structure, |file| report::without_folders(&file.to_string_lossy())))
            .collect(),
        edges: named("edges", &args.graph.edges).into_iter().chain(by).collect(),
        start: [named("init_coordinates", &args.start.init_coordinates), named("init_maps", &args.start.init_maps)]
            .concat(),
    }
}

/// Whether a start was named.
pub fn has_start(start: &StartArgs) -> bool {
    start.init_coordinates.is_some() || start.init_maps.is_some()
}

/// The table that was named, for a fit with views.
pub fn read_with_views(args: &TableArgs, views: &[String], config: &Config) -> Result<Table> {
    read_table(&args.table, &options_with_views(args, views, config)?)
}

/// How that table is read.
pub fn options_with_views(args: &TableArgs, typed: &[String], config: &Config) -> Result<TableOptions> {
    Ok(TableOptions { views: views(typed)?, ..with_gaps(args, config) })
}

/// How a table is read for a fit.
pub fn with_gaps(args: &TableArgs, config: &Config) -> TableOptions {
    TableOptions { gaps: config.missing != MissingRule::Error, ..table_options(args) }
}

/// Views as they were typed: a name, and columns.
fn views(typed: &[String]) -> Result<Vec<(String, Vec<String>)>> {
    let view = |text: &String| match text.split_once('=') {
        Some((name, columns)) => Ok((name.trim().to_owned(), columns.split(',').map(str::to_owned).collect())),
        None => {
            let (value, but) = (format!("\"{}\"", shown(text)), "a name and columns are needed");
            Err(Error::setting("views", value, but, [Remedy::act("write it like rna=2:40 or rna=first,second")]))
        }
    };
    typed.iter().map(view).collect()
}

/// Notes on a table in words.
pub fn notes(notes: &[TableNote]) -> Vec<String> {
    notes.iter().map(|note| note.in_words(&Flags)).collect()
}

/// The columns to be carried, unless all are; "none" for none.
fn show(names: &[String]) -> Option<Vec<String>> {
    match names {
        [] => None,
        [none] if none == "none" => Some(vec![]),
        names => Some(names.to_vec()),
    }
}

/// How the table is read.
pub fn table_options(args: &TableArgs) -> TableOptions {
    TableOptions {
        header: header(args.header, args.no_header),
        id_column: args.id_column.clone(),
        label_column: args.label_column.clone(),
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
        exclude: args.exclude.clone(),
        array: args.array.clone(),
        sheet: args.sheet.clone(),
        show: show(&args.show),
        gaps: false,
        views: vec![],
    }
}

/// The user's edge list, if there is one.
pub fn edges(args: &EdgeListArgs, table: &Table) -> Result<Option<Vec<(u32, u32)>>> {
    let Some(path) = &args.edges else { return Ok(None) };
    let names = args.edges_by.unwrap_or_default();
    let cells = read_cells(path)?;
    tangency::graph::edges_from_cells(&cells, table.values.nrows(), table.ids.as_deref(), names).map(Some)
}

fn start(args: &StartArgs, table: &Table) -> Result<Option<Start>> {
    if let Some(path) = &args.init_coordinates {
        return Ok(Some(Start::Coordinates(read_matrix(path, "start coordinates")?)));
    }
    let Some(path) = &args.init_maps else { return Ok(None) };
    let given = read_matrix(path, "start maps")?;
    // from point by point, as users write it, to component by component, as the engine has it
    let n = table.values.nrows();
    let d_x = given.ncols() / n.max(1);
    if d_x == 0 || given.ncols() != n * d_x {
        return Ok(Some(Start::Maps(given))); // the fit says what is wrong with its shape
    }
    let by_component = Matrix::from_fn(given.nrows(), given.ncols(), |f, p| given[(f, (p % n) * d_x + p / n)]);
    Ok(Some(Start::Maps(by_component)))
}
