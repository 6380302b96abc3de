//! Files out: checked before the work, written beside their place and moved there when whole.

use super::Model;
use super::structure_columns::{StructureColumn, StructureRow, structure_columns, structure_of_point};
use crate::error::{Error, Result, said_by_system};
use crate::fit::Fit;
use crate::inference::{BoundParts, TracePoint};
use crate::message::Remedy;
use crate::model::Hyperparameters;
use std::fs::TryLockError;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A file to be written: made when the work is done, claimed before it.
#[derive(Clone, Debug)]
pub struct Output {
    path: PathBuf,
    /// The file itself, where the path is a link to it.
    target: PathBuf,
    force: bool,
    plain_texts: bool,
}

/// Longest name of a file, in bytes, on the file systems in use.
const LONGEST_NAME: usize = 255;
/// The folder whose files are none.
const OF_THE_SYSTEM: &str = "/proc";

impl Output {
    /// Claims a path: an error now if the file is there (unless `force`) or its folder is not.
    pub fn claim(path: &Path, force: bool) -> Result<Self> {
        if path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator) {
            return Err(Error::file(path, "is a folder", [Remedy::act("give the name of a file")]));
        }
        let length = path.file_name().map_or(0, |name| name.len());
        if length > LONGEST_NAME {
            let problem = format!("has a name of {length} bytes, and {LONGEST_NAME} are the most");
            return Err(Error::file(path, problem, [Remedy::act("give a shorter one")]));
        }
        let another = || [Remedy::act("give another name")];
        // as /dev/stdout is, whatever that is at the moment
        let of_the_system = [path.to_owned(), path.read_link().unwrap_or_default()];
        if path.exists() && (!path.is_file() || of_the_system.iter().any(|path| path.starts_with(OF_THE_SYSTEM))) {
            return Err(Error::file(path, "is not a regular file", another()));
        }
        if path.exists() && !force {
            return Err(Error::Exists { path: path.to_owned() });
        }
        // what a link leads to is replaced, and the link stays
        let target = match path.is_symlink() {
            true => path.canonicalize().map_err(|_| Error::file(path, "is a link to nothing", another()))?,
            false => path.to_owned(),
        };
        if !folder(&target).is_dir() {
            return Err(Error::NoFolder { path: path.to_owned() });
        }
        remove_leftovers(folder(&target));
        if let Err(error) = tempfile::tempfile_in(folder(&target)) {
            let problem = format!("its folder cannot be written to ({})", said_by_system(&error));
            return Err(Error::file(path, problem, [Remedy::act("choose another")]));
        }
        Ok(Self { path: path.to_owned(), target, force, plain_texts: false })
    }

    /// Where it goes.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether texts of delimited text are to be no formulas.
    pub(super) fn plain_texts(&self) -> bool {
        self.plain_texts
    }

    /// Writes the whole file or nothing.
    pub fn write(&self, content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
        let mut pending = self.begin()?;
        content(&mut pending).map_err(|error| Error::unwritable(&self.path, &error))?;
        pending.commit()
    }

    /// Begins the file beside its place, for what is not written at once.
    pub fn begin(&self) -> Result<Pending> {
        let failed = |error: std::io::Error| Error::unwritable(&self.path, &error);
        for _ in 0..MOST_TRIES {
            let file = tempfile::Builder::new()
                .prefix(PREFIX)
                .rand_bytes(RANDOM)
                .permissions_like_new_file()
                .tempfile_in(folder(&self.target))
                .map_err(failed)?;
            // another run that cleans up may have had it in hand before it was ours; where files cannot be locked, none is cleaned up
            let is_locked = file.as_file().try_lock();
            if !matches!(is_locked, Err(TryLockError::WouldBlock)) && file.path().exists() {
                Begun::add(file.path());
                return Ok(Pending { file: BufWriter::new(file), output: self.clone() });
            }
        }
        Err(failed(std::io::Error::other("another run takes its temporary files away")))
    }
}

/// How the names of files begin that are not whole yet, how many letters follow, and how often one is begun.
const PREFIX: &str = ".tangency-";
const RANDOM: usize = 6;
const MOST_TRIES: usize = 20;

/// Removes the files that runs have begun in a folder and can no longer finish, as after a kill. A run that is alive has its own
/// locked, and the lock ends with it, however it ends.
fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let letters = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let is_ours =
            letters.is_some_and(|letters| letters.len() == RANDOM && letters.chars().all(char::is_alphanumeric));
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = std::fs::OpenOptions::new().write(true).open(entry.path()) else { continue };
        if file.try_lock().is_ok() {
            // nothing can be done about a file that will not go
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// A file that is being written: it comes to its place by [`commit`](Self::commit), or leaves nothing behind.
#[derive(Debug)]
pub struct Pending {
    file: BufWriter<tempfile::NamedTempFile>,
    output: Output,
}

impl Pending {
    /// Where it goes.
    pub fn path(&self) -> &Path {
        self.output.path()
    }

    /// Moves the file, now whole, to its place.
    pub fn commit(self) -> Result<()> {
        let Output { path, target, force, .. } = self.output;
        let file = self.file.into_inner().map_err(|error| Error::unwritable(&path, &error.into_error()))?;
        Begun::remove(file.path());
        let moved = if force { file.persist(&target) } else { file.persist_noclobber(&target) };
        match moved {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Err(Error::Exists { path }),
            Err(error) => Err(Error::unwritable(&path, &error.error)),
        }
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Files that have been begun and not been moved to their places.
struct Begun;

static BEGUN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

impl Begun {
    fn all() -> MutexGuard<'static, Vec<PathBuf>> {
        BEGUN.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(path: &Path) {
        Self::all().push(path.to_owned());
    }

    fn remove(path: &Path) {
        Self::all().retain(|other| other != path);
    }
}

/// Removes what has been begun and not finished, for a program that is about to end without ceremony.
pub fn discard_unfinished() {
    for path in Begun::all().drain(..) {
        // nothing can be done about a file that will not go
        let _ = std::fs::remove_file(path);
    }
}

/// The outputs of one command: claimed together, no two under one name.
pub struct Claims {
    force: bool,
    plain_texts: bool,
    taken: Vec<PathBuf>,
}

impl Claims {
    /// No outputs yet; the inputs of the command, which no output may replace.
    pub fn new<'a>(force: bool, inputs: impl IntoIterator<Item = &'a PathBuf>) -> Self {
        Self { force, plain_texts: false, taken: inputs.into_iter().map(|path| place(path)).collect() }
    }

    /// Has texts of delimited text begin with an apostrophe where a spreadsheet program would take them for a formula.
    pub fn with_plain_texts(mut self, plain_texts: bool) -> Self {
        self.plain_texts = plain_texts;
        self
    }

    /// Claims a path as [`Output::claim`] does.
    pub fn claim(&mut self, path: &Path) -> Result<Output> {
        let output = Output { plain_texts: self.plain_texts, ..Output::claim(path, self.force)? };
        if self.taken.contains(&place(path)) {
            let remedy = Remedy::act("give each a name of its own");
            return Err(Error::file(path, "is an input or another output too", [remedy]));
        }
        self.taken.push(place(path));
        Ok(output)
    }

    /// Claims a path that an earlier run of the same work has written, and that may therefore be replaced.
    pub fn claim_again(&mut self, path: &Path) -> Result<Output> {
        let force = std::mem::replace(&mut self.force, true);
        let claimed = self.claim(path);
        self.force = force;
        claimed
    }

    /// Claims a path that may be replaced if it holds this, so that nothing is lost.
    pub fn claim_same(&mut self, path: &Path, content: impl FnOnce() -> Vec<u8>) -> Result<Output> {
        let is_same = path.is_file() && std::fs::read(path).is_ok_and(|found| found == content());
        if is_same { self.claim_again(path) } else { self.claim(path) }
    }

    /// Claims a path that may not have been given.
    pub fn claim_if(&mut self, path: &Option<PathBuf>) -> Result<Option<Output>> {
        path.as_deref().map(|path| self.claim(path)).transpose()
    }
}

/// Temporary files are private by default; a finished output has the permissions of any new file.
trait LikeNewFile {
    fn permissions_like_new_file(&mut self) -> &mut Self;
}

impl LikeNewFile for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_like_new_file(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    fn permissions_like_new_file(&mut self) -> &mut Self {
        self
    }
}

/// A path that is the same for every way of writing it.
fn place(path: &Path) -> PathBuf {
    if let Ok(found) = path.canonicalize() {
        return found;
    }
    folder(path).canonicalize().unwrap_or_default().join(path.file_name().unwrap_or_default())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// The embedding: id, label where there is one, x1…, sd1…, and the columns that are carried. One of these with a name of ours
/// gets an underscore.
pub fn write_embedding(output: &Output, model: &Model) -> Result<()> {
    output.write(|file| embedding(file, model, output.plain_texts))
}

/// The trace of a fit: iteration, bound_scaled, bound, the hyper-parameters by name, and the parts of bound_scaled, each
/// with part_ before its name and empty where it was not kept.
pub fn write_trace(output: &Output, fit: &Fit) -> Result<()> {
    output.write(|file| trace(file, fit))
}

/// The bytes of [`write_embedding`].
pub fn embedding_bytes(model: &Model) -> Vec<u8> {
    let mut bytes = Vec::new();
    // to write into memory does not fail
    let _ = embedding(&mut bytes, model, false);
    bytes
}

/// The bytes of [`write_trace`].
pub fn trace_bytes(fit: &Fit) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = trace(&mut bytes, fit);
    bytes
}

fn embedding(file: &mut dyn Write, model: &Model, plain_texts: bool) -> std::io::Result<()> {
    let fit = &model.fit;
    let d_x = fit.coordinates.ncols();
    let deviations = fit.standard_deviations();
    let mut header = vec!["id".to_owned()];
    header.extend(model.labels.is_some().then(|| "label".to_owned()));
    header.extend((1..=d_x).map(|a| format!("x{a}")));
    header.extend((1..=d_x).map(|a| format!("sd{a}")));
    let of_structure = structure_columns(fit).into_iter().map(|column| match column {
        StructureColumn::Number(name) | StructureColumn::Name(name) => name,
    });
    for mut name in of_structure.chain(model.carried.iter().map(|(name, _)| name.clone())) {
        while header.contains(&name) {
            name.push('_');
        }
        header.push(name);
    }
    let row = |i: usize| {
        let mut row = vec![model.id(i)];
        row.extend(model.labels.as_ref().map(|labels| labels[i].clone()));
        row.extend((0..d_x).map(|a| fit.coordinates[(i, a)].to_string()));
        row.extend((0..d_x).map(|a| deviations[(i, a)].to_string()));
        let StructureRow { known, group, probabilities } = structure_of_point(fit, i);
        row.extend(known.iter().map(f64::to_string).chain(group).chain(probabilities.iter().map(f64::to_string)));
        row.extend(model.carried.iter().map(|(_, cells)| cells[i].clone()));
        row
    };
    csv_rows(file, &header, (0..fit.n()).map(row), plain_texts)
}

fn trace(file: &mut dyn Write, fit: &Fit) -> std::io::Result<()> {
    let names = ["iteration", "bound_scaled", "bound"].into_iter().chain(Hyperparameters::NAMES).map(str::to_owned);
    let header: Vec<String> = names.chain(BoundParts::NAMES.map(|name| format!("part_{name}"))).collect();
    let jacobian = fit.log_jacobian();
    let row = |&TracePoint { iteration, bound_scaled, hyper, parts }: &TracePoint| {
        let numbers = [bound_scaled, bound_scaled - jacobian].into_iter().chain(hyper.values());
        let parts = parts.map(|parts| parts.values().map(|part| part.to_string())).unwrap_or_default();
        let numbers = numbers.map(|number| number.to_string());
        std::iter::once(iteration.to_string()).chain(numbers).chain(parts).collect()
    };
    csv_rows(file, &header, fit.trace.iter().map(row), false)
}

/// An edge list that can be given to a fit: i, j, rows of the table from 0.
pub fn write_edges(output: &Output, fit: &Fit) -> Result<()> {
    write_rows(
        output,
        &["i", "j"].map(str::to_owned),
        fit.graph.edges().iter().map(|&edge| row_numbers(fit, edge).into()),
    )
}

fn row_numbers(fit: &Fit, (i, j): (u32, u32)) -> [String; 2] {
    [i, j].map(|point| fit.rows[point as usize].to_string())
}

/// Rows of text as CSV.
pub fn write_rows(output: &Output, header: &[String], rows: impl Iterator<Item = Vec<String>>) -> Result<()> {
    output.write(|file| csv_rows(file, header, rows, output.plain_texts))
}

fn csv_rows(
    file: &mut dyn Write,
    header: &[String],
    rows: impl Iterator<Item = Vec<String>>,
    plain_texts: bool,
) -> std::io::Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    for row in std::iter::once(header.to_vec()).chain(rows) {
        match plain_texts {
            true => writer.write_record(row.into_iter().map(plain_text))?,
            false => writer.write_record(row)?,
        }
    }
    writer.flush()
}

/// A text that no spreadsheet program takes for a formula. A number stays as it is.
pub(super) fn plain_text(text: String) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if is_formula { format!("'{text}") } else { text }
}
