//! `tangency report`: a model as one HTML page; `--report` of other commands ends in the same way.

use crate::args::{PageArgs, ReportArgs, TableArgs};
use crate::rows::{image_shape, options_of};
use crate::say::{self, Say};
use crate::words::Flags;
use crate::{fit, info, interrupt};
use serde_json::json;
use std::path::{Path, PathBuf};
use tangency::io::table::TableStream;
use tangency::io::{Claims, Model, Output, block_rows, load_model, next_block};
use tangency::linalg::Matrix;
use tangency::message::Remedy;
use tangency::{Error, Result};
use tangency_report::command::{self, typed};
use tangency_report::page::{Report, UnfittedRows};

/// Rows of a table that a page shows at most.
const MOST_ROWS: usize = 200_000;

/// Runs the command.
pub fn run(args: &ReportArgs, say: Say) -> Result<()> {
    let image = args.image.as_deref().map(image_shape).transpose()?;
    let out = crate::rows::claims(args.force, [&args.model].into_iter().chain(&args.table)).claim(&args.out)?;
    let model = load_model(&args.model)?;
    Report::check_image(image, model.feature_names.len())?;
    interrupt::listen();
    let new = args.table.as_ref().map(|table| new_rows(table, args, &model, say)).transpose()?;
    if interrupt::asked() {
        return Err(Error::Interrupted { what: "the report" });
    }
    let fitted = args.fitted_table.as_deref().map(without_folders);
    let report = Report {
        title: args.title.clone().unwrap_or_default(),
        table: fitted.as_deref(),
        new,
        image,
        ..Report::default()
    };
    write(&out, report, &model)?;
    say.line(&format!("wrote {}; open it in a browser", out.path().display()));
    let warnings = info::warnings(&model);
    warnings.iter().for_each(|text| say.warn(text));
    if args.open {
        open(out.path(), say);
    }
    say.result(&json!({"written": say::names([out.path()]), "warnings": warnings}));
    Ok(())
}

/// Writes the page of a model.
pub fn write(out: &Output, report: Report, model: &Model) -> Result<()> {
    let page = Report { words: Some(&Flags), ..report }.html(model)?;
    out.write(|file| file.write_all(page.as_bytes()))
}

/// The page that a command makes beside its other files.
pub struct ReportPage {
    out: Output,
    image: Option<(usize, usize)>,
}

impl ReportPage {
    /// Claims what was named.
    pub fn claim(args: &PageArgs, claims: &mut Claims) -> Result<Option<Self>> {
        let image = args.image.as_deref().map(image_shape).transpose()?;
        args.report.as_ref().map(|path| Ok(Self { out: claims.claim(path)?, image })).transpose()
    }

    /// Checks the size of images against the table, before there is work.
    pub fn check(page: &Option<Self>, n_features: usize) -> Result<()> {
        Report::check_image(page.as_ref().and_then(|page| page.image), n_features)
    }

    /// Writes it and returns its name.
    pub fn write(&self, model: &Model, table: &TableArgs, report: Report) -> Result<PathBuf> {
        let path = &table.table;
        let is_model = path.extension().is_some_and(|extension| extension == "safetensors");
        let name = (!is_model).then(|| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        let (table, reading) = (name.as_deref(), reading(table));
        self.make(model, Report { table, reading, ..report })
    }

    /// Writes it with what is known beside the model; the command is the one that was typed, unless there is another.
    pub fn make(&self, model: &Model, report: Report) -> Result<PathBuf> {
        let arguments = std::env::args_os().skip(1).map(|word| without_folders(&word.to_string_lossy()));
        let as_typed = || typed(std::iter::once("tangency".to_owned()).chain(arguments));
        let command = Some(report.command.clone().unwrap_or_else(as_typed));
        write(&self.out, Report { command, image: self.image, ..report }, model)?;
        Ok(self.out.path().to_owned())
    }
}

/// A word that names a file, without the folders: they say nothing to whom a page is given, and are no business of theirs.
pub fn without_folders(word: &str) -> String {
    let path = Path::new(word);
    let name = path.file_name().filter(|_| path.is_absolute() || path.exists());
    name.map_or_else(|| word.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Shows a page in the browser, if there is one.
pub fn open(page: &Path, say: Say) {
    if let Err(error) = open::that_detached(page) {
        say.warn(&format!("no browser could be started ({error}); open {} yourself", page.display()));
    }
}

/// The flags that say how a table is read.
pub fn reading(args: &TableArgs) -> Vec<String> {
    command::reading(&fit::table_options(args))
}

fn new_rows(table: &Path, args: &ReportArgs, model: &Model, say: Say) -> Result<UnfittedRows> {
    let mut stream = TableStream::open(table, &options_of(model, &args.reading))?;
    stream.choose(&model.feature_names)?;
    let mut blocks = Vec::new();
    let mut count = 0;
    while let Some(block) = next_block(&mut stream, table, model)? {
        count += block.values.ncols();
        if count > MOST_ROWS {
            let problem = format!("has more than {MOST_ROWS} rows, too many for a page");
            return Err(Error::file(table, problem, [Remedy::act("take a sample of them")]));
        }
        blocks.push(block);
        if blocks.len() * block_rows(model) > MOST_ROWS || interrupt::asked() {
            break;
        }
    }
    fit::notes(&stream.notes()).iter().for_each(|text| say.note(text));
    let d_y = model.feature_names.len();
    let mut values = Matrix::zeros(d_y, count);
    let mut at = 0;
    for block in &blocks {
        for i in 0..block.values.ncols() {
            values.col_as_slice_mut(at).copy_from_slice(block.values.col_as_slice(i));
            at += 1;
        }
    }
    let names = |of: fn(&tangency::io::table::Block) -> &Option<Vec<String>>| -> Option<Vec<String>> {
        blocks.iter().map(|block| of(block).clone()).collect::<Option<Vec<_>>>().map(|lists| lists.concat())
    };
    Ok(UnfittedRows { ids: names(|block| &block.ids), labels: names(|block| &block.labels), values })
}
