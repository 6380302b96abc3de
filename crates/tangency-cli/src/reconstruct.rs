//! `tangency reconstruct`: observations from coordinates, for a table, for the training points, or over a grid.

use crate::args::ReconstructArgs;
use crate::figure_file::cannot_be_drawn;
use crate::rows::other_image;
use crate::rows::{beside_features, extension, image_shape, options};
use crate::say::{self, Say};
use crate::{fit, info, interrupt, progress};
use serde_json::json;
use std::path::{Path, PathBuf};
use tangency::extend::{Extension, Predicts, Reconstruction};
use tangency::io::table::{TableOptions, TableStream};
use tangency::io::{
    Cells, Claims, ColumnKind, Model, NewRows, Output, TableWriter, block_rows, ids, load_model, next_block, numbered,
    of_table,
};
use tangency::linalg::Matrix;
use tangency::message;
use tangency::message::{Piece, Remedy, counted, file, given, listed, shown};
use tangency::view::{GridPlaces, GridView, Known};
use tangency::{Error, Result};
use tangency_report::{Tile, TileShape, tiles};

/// Most images in one figure.
const MOST_IMAGES: usize = 900;

/// Runs the command.
pub fn run(args: &ReconstructArgs, say: Say) -> Result<()> {
    TableWriter::check(&args.out)?;
    let mut claims = crate::rows::claims(args.force, [&args.model].into_iter().chain(&args.coordinates));
    let out = claims.claim(&args.out)?;
    let picture = Picture::new(args, &mut claims)?;
    let model = load_model(&args.model)?;
    let picture = picture.map(|picture| picture.checked(&model)).transpose()?;
    let mut job = ReconstructJob { args, model: &model, out: &out, picture, predicts: args.predicts, say };
    let done = match (&args.coordinates, &args.grid) {
        (Some(path), _) => match &args.view {
            Some(name) => job.view(path, name)?,
            None => job.table(path)?,
        },
        (None, Some(size)) => job.grid(size)?,
        (None, None) if args.missing => job.missing()?,
        (None, None) => job.training_points()?,
    };
    let mut written = vec![out.path().to_owned()];
    if let Some(picture) = &job.picture {
        picture.draw(done.columns)?;
        written.push(picture.output.path().to_owned());
        if picture.dropped > 0 {
            say.warn(&format!("the figure shows {MOST_IMAGES} images; {} more are in the table only", picture.dropped));
        }
    }
    say.line(&done.line);
    written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    if done.interrupted {
        say.warn(&format!("interrupted after {}; the file has no more", counted(done.rows, "row")));
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    say.result(&json!({
        "rows": done.rows,
        "predicts": done.predicts,
        "calibrated": done.calibrated,
        "interrupted": done.interrupted,
        "warnings": info::warnings(&model),
        "written": say::names(written.iter().map(PathBuf::as_path)),
    }));
    Ok(())
}

struct ReconstructJob<'a> {
    args: &'a ReconstructArgs,
    model: &'a Model,
    out: &'a Output,
    picture: Option<Picture>,
    predicts: Option<Predicts>,
    say: Say,
}

struct Done {
    rows: usize,
    predicts: Predicts,
    interrupted: bool,
    line: String,
    /// Images side by side.
    columns: usize,
    calibrated: bool,
}

impl ReconstructJob<'_> {
    fn d_x(&self) -> usize {
        self.model.fit.coordinates.ncols()
    }

    fn extension(&self) -> Result<Extension> {
        extension(self.model, self.args.n_neighbors)
    }

    /// The file, with these columns before the features and those after.
    fn writer(&self, before: Vec<(String, ColumnKind)>, after: &[&str]) -> Result<TableWriter> {
        let deviations = self.model.feature_names.iter().map(|name| format!("sd_{name}"));
        let after = deviations.chain(after.iter().map(|&name| name.to_owned()));
        let after = after.map(|name| (name, ColumnKind::Number)).collect();
        TableWriter::create(self.out, &beside_features(self.model, before, after))
    }

    fn table(&mut self, path: &Path) -> Result<Done> {
        let named = |prefix: &str| (1..=self.d_x()).map(|a| format!("{prefix}{a}")).collect::<Vec<_>>();
        let column = |name: &str, stream: &TableStream| {
            stream.names().is_some_and(|names| names.iter().any(|other| other == name)).then(|| name.to_owned())
        };
        let asked = options(&self.args.reading);
        let mut stream = TableStream::open(path, &asked)?;
        let placed = named("sd").iter().all(|name| column(name, &stream).is_some());
        let predicts = self.predicts.unwrap_or(if placed { Predicts::PlacedRow } else { Predicts::Measurement });
        stream.identify_by(asked.id_column.or_else(|| column("id", &stream)));
        stream.choose(&named("x"))?;
        let mut next = next_block(&mut stream, path, self.model)?;
        let extension = self.extension()?;
        let mut before = vec![("id".to_owned(), ColumnKind::Text)];
        if next.as_ref().is_some_and(|block| block.labels.is_some()) {
            before.push(("label".to_owned(), ColumnKind::Text));
        }
        interrupt::listen();
        let mut writer = self.writer(before, &[])?;
        let mut bar = progress::rows(self.say, stream.rows());
        let (mut rows, mut interrupted) = (0, false);
        while let Some(block) = next {
            let found = extension
                .reconstruct(&block.values.transpose().to_owned(), predicts)
                .map_err(|error| of_table(error, block.first))?;
            let ids = ids(&block);
            if let Some(picture) = &mut self.picture {
                (0..ids.len()).for_each(|i| picture.add(&found.values, i, &ids[i], true));
            }
            rows += ids.len();
            let mut cells = vec![Cells::Text(ids)];
            cells.extend(block.labels.map(Cells::Text));
            cells.extend(columns(&found));
            writer.write(&cells)?;
            interrupted = bar(rows);
            if interrupted {
                break;
            }
            next = next_block(&mut stream, path, self.model)?;
        }
        drop(bar);
        fit::notes(&stream.notes()).iter().for_each(|text| self.say.note(text));
        writer.finish()?;
        let what = match predicts {
            Predicts::PlacedRow => "rows placed by their own measurements",
            Predicts::Measurement => "a measurement made there",
        };
        let line = format!("{}; standard deviations are for {what}", counted(rows, "reconstruction"));
        Ok(Done { rows, predicts, interrupted, line, columns: 10, calibrated: extension.spread_is_calibrated() })
    }

    fn grid(&mut self, size: &str) -> Result<Done> {
        let d_x = self.d_x();
        let Some(sizes) = counts(size) else {
            let example = vec!["20"; d_x].join("x");
            let (value, but) =
                (format!("\"{}\"", shown(size)), format!("the model needs {} above 0", counted(d_x, "number")));
            return Err(Error::setting("grid", value, but, [Remedy::act(format!("write it like {example}"))]));
        };
        let (extension, predicts) = (self.extension()?, self.predicts.unwrap_or_default());
        let grid = GridPlaces::new(&extension, &sizes)?;
        interrupt::listen();
        let mut writer = self.writer(numbered("x", d_x).collect(), &["nearest"])?;
        let mut bar = progress::rows(self.say, Some(grid.count()));
        let (mut rows, mut near, mut interrupted) = (0, 0, false);
        while rows < grid.count() && !interrupted {
            let count = block_rows(self.model).min(grid.count() - rows);
            let GridView { places, expected, nearest, known } = grid.read(rows..rows + count, predicts)?;
            let mut cells: Vec<Cells> = (0..d_x).map(|a| Cells::Numbers(places.col_as_slice(a).to_vec())).collect();
            cells.extend(columns(&expected));
            near += known.iter().filter(|&&known| known == Known::Well).count();
            if let Some(picture) = &mut self.picture {
                (0..count).for_each(|i| picture.add(&expected.values, i, "", known[i] == Known::Well));
            }
            cells.push(Cells::Numbers(nearest));
            writer.write(&cells)?;
            rows += count;
            interrupted = bar(rows);
        }
        drop(bar);
        writer.finish()?;
        if let Some(picture) = &mut self.picture {
            picture.turn_upwards(sizes[0]);
        }
        let line = format!(
            "{rows} reconstructions on a grid over the coordinates; {near} of them have a training point nearer than a typical edge ({:.3}), trust only these",
            grid.typical_step
        );
        Ok(Done { rows, predicts, interrupted, line, columns: sizes[0], calibrated: extension.spread_is_calibrated() })
    }

    /// One view of rows, placed by their other features.
    fn view(&mut self, path: &Path, name: &str) -> Result<Done> {
        let views = &self.model.fit.views;
        let Some(view) = views.iter().find(|view| view.name == name) else {
            let names: Vec<String> = views.iter().map(|view| view.name.clone()).collect();
            let but = match names.len() {
                0 => "the model was fitted without views".to_owned(),
                _ => format!("the views of the model are {}", listed(&names)),
            };
            return Err(Error::setting("view", format!("\"{}\"", shown(name)), but, [Remedy::Change("view")]));
        };
        let asked = TableOptions { gaps: true, ..options(&self.args.reading) };
        let mut rows = NewRows::new(path, TableStream::open(path, &asked)?, self.model)?;
        if rows.features().iter().all(|f| view.features.contains(f)) {
            let problem = message![file(path), " has no feature outside of the view ", given(name)];
            return Err(Error::unfit("view", problem, [Remedy::act("give a table with columns of another view")]));
        }
        let extension = self.extension()?;
        interrupt::listen();
        let names = || view.features.iter().map(|&f| &self.model.feature_names[f]);
        let mut header = vec![("id".to_owned(), ColumnKind::Text)];
        header.extend(names().map(|name| (name.clone(), ColumnKind::Number)));
        header.extend(names().map(|name| (format!("sd_{name}"), ColumnKind::Number)));
        let mut writer = TableWriter::create(self.out, &header)?;
        let (mut bar, mut done, mut interrupted) = (progress::rows(self.say, rows.rows()), 0, false);
        while let Some(mut block) = rows.next_rows(self.model)?.filter(|_| !interrupted) {
            // what the table has of the view itself does not count
            for i in 0..block.values.ncols() {
                view.features.iter().for_each(|&f| block.values[(f, i)] = f64::NAN);
            }
            let found =
                extension.predict_columns(block.values.as_ref()).map_err(|error| of_table(error, block.first))?;
            let of = |matrix: &Matrix| -> Vec<Cells> {
                view.features.iter().map(|&f| Cells::Numbers(matrix.col_as_slice(f).to_vec())).collect()
            };
            let mut cells = vec![Cells::Text(ids(&block))];
            cells.extend(of(&found.values));
            cells.extend(of(&found.deviations));
            writer.write(&cells)?;
            done += block.values.ncols();
            interrupted = bar(done);
        }
        drop(bar);
        writer.finish()?;
        let line = format!("{} of the view {name}, expected from the other features", counted(done, "row"));
        let predicts = Predicts::Measurement;
        Ok(Done { rows: done, predicts, interrupted, line, columns: 10, calibrated: extension.spread_is_calibrated() })
    }

    /// The entries that the table lacked, one per row.
    fn missing(&mut self) -> Result<Done> {
        let Some(found) = &self.model.fit.imputed else {
            let problem =
                message![Piece::Setting("missing"), " was given, but the table of this model lacked no entry"];
            return Err(Error::unfit("missing", problem, [Remedy::act("reconstruct coordinates, or a grid")]));
        };
        let text = |name: &str| (name.to_owned(), ColumnKind::Text);
        let number = |name: &str| (name.to_owned(), ColumnKind::Number);
        let columns = [text("id"), text("feature"), number("value"), number("sd")];
        let mut writer = TableWriter::create(self.out, &columns)?;
        writer.write(&[
            Cells::Text(found.entries.iter().map(|&(i, _)| self.model.id(i as usize)).collect()),
            Cells::Text(found.entries.iter().map(|&(_, f)| self.model.feature_names[f as usize].clone()).collect()),
            Cells::Numbers(found.values.clone()),
            Cells::Numbers(found.deviations.clone()),
        ])?;
        writer.finish()?;
        let rows = found.entries.len();
        let line = format!("{} that the table lacked, with standard deviations", counted(rows, "entry"));
        let predicts = Predicts::Measurement;
        Ok(Done { rows, predicts, interrupted: false, line, columns: 10, calibrated: false })
    }

    fn training_points(&mut self) -> Result<Done> {
        if self.predicts == Some(Predicts::Measurement) {
            let problem = message![
                "with ",
                Piece::Setting("leave_one_out"),
                " training points are placed by their own measurements, so they cannot be predicted as measurements"
            ];
            return Err(Error::unfit("predicts", problem, [Remedy::Set("predicts", "placed-row".into())]));
        }
        let extension = self.extension()?;
        let all = extension.left_out();
        let kept: Vec<(usize, _)> = all.iter().enumerate().filter_map(|(i, seen)| Some((i, seen.as_ref()?))).collect();
        let mut before = vec![("id".to_owned(), ColumnKind::Text)];
        before.extend(numbered("x", self.d_x()));
        let mut writer = self.writer(before, &["strain"])?;
        let d_y = self.model.feature_names.len();
        let found = Reconstruction {
            values: Matrix::from_fn(kept.len(), d_y, |r, f| kept[r].1.values[f]),
            deviations: Matrix::from_fn(kept.len(), d_y, |r, f| kept[r].1.deviations[f]),
        };
        let ids: Vec<String> = kept.iter().map(|(i, _)| self.model.id(*i)).collect();
        if let Some(picture) = &mut self.picture {
            (0..ids.len()).for_each(|r| picture.add(&found.values, r, &ids[r], true));
        }
        let mut cells = vec![Cells::Text(ids)];
        cells.extend((0..self.d_x()).map(|a| Cells::Numbers(kept.iter().map(|(_, seen)| seen.mean[a]).collect())));
        cells.extend(columns(&found));
        cells.push(Cells::Numbers(kept.iter().map(|(_, seen)| seen.strain).collect()));
        writer.write(&cells)?;
        writer.finish()?;

        let mut worst = kept.clone();
        worst.sort_by(|p, q| q.1.strain.total_cmp(&p.1.strain));
        let named: Vec<String> =
            worst.iter().take(5).map(|(i, seen)| format!("{} ({:.1})", self.model.id(*i), seen.strain)).collect();
        let mut line = format!(
            "{} training points, each from the others; worst, in predicted deviations: {}",
            kept.len(),
            named.join(", ")
        );
        if kept.len() < all.len() {
            let apart = all.len() - kept.len();
            line += &format!("; left out {apart} without which the graph would be in pieces");
        }
        let calibrated = extension.spread_is_calibrated();
        Ok(Done { rows: kept.len(), predicts: Predicts::PlacedRow, interrupted: false, line, columns: 20, calibrated })
    }
}

fn columns(found: &Reconstruction) -> Vec<Cells> {
    let of = |matrix: &Matrix| -> Vec<Cells> {
        (0..matrix.ncols()).map(|f| Cells::Numbers(matrix.col_as_slice(f).to_vec())).collect()
    };
    let mut cells = of(&found.values);
    cells.extend(of(&found.deviations));
    cells
}

/// `20x20` as numbers, each at least 1.
pub fn counts(text: &str) -> Option<Vec<usize>> {
    text.split('x').map(|part| part.trim().parse().ok().filter(|&count: &usize| count > 0)).collect()
}

/// Reconstructions to be drawn as images.
struct Picture {
    output: Output,
    png: bool,
    shape: TileShape,
    images: Vec<(Vec<f64>, String)>,
    /// Images that there was no room for.
    dropped: usize,
    n_features: usize,
}

impl Picture {
    fn new(args: &ReconstructArgs, claims: &mut Claims) -> Result<Option<Self>> {
        let Some(path) = &args.figure else { return Ok(None) };
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        if !["svg", "png"].contains(&extension.as_str()) {
            let problem =
                message![Piece::Setting("figure"), " is ", file(path), ", whose ending is not that of a picture"];
            return Err(Error::unfit("figure", problem, [Remedy::act("give a name that ends in .svg or .png")]));
        }
        let (rows, columns) = image_shape(args.image.as_deref().unwrap_or_default())?;
        let shape = TileShape { rows, columns };
        Ok(Some(Self {
            output: claims.claim(path)?,
            png: extension == "png",
            shape,
            images: vec![],
            dropped: 0,
            n_features: 0,
        }))
    }

    fn checked(mut self, model: &Model) -> Result<Self> {
        let (TileShape { rows, columns }, features) = (self.shape, model.feature_names.len());
        if rows.checked_mul(columns) != Some(features) {
            return Err(other_image(rows, columns, features));
        }
        self.n_features = features;
        Ok(self)
    }

    /// Adds an image, or an empty place.
    fn add(&mut self, values: &Matrix, row: usize, caption: &str, shown: bool) {
        if self.images.len() < MOST_IMAGES {
            let pixel = |f: usize| if shown { values[(row, f)] } else { f64::NAN };
            self.images.push(((0..self.n_features).map(pixel).collect(), caption.to_owned()));
        } else {
            self.dropped += 1;
        }
    }

    /// Rows of a grid, this many images each, come from below and are drawn from above.
    fn turn_upwards(&mut self, width: usize) {
        let rows: Vec<_> = self.images.chunks(width).rev().flat_map(<[_]>::to_vec).collect();
        self.images = rows;
    }

    fn draw(&self, columns: usize) -> Result<()> {
        let images: Vec<Tile> =
            self.images.iter().map(|(values, caption)| Tile { values, caption, mark: None }).collect();
        let failed = |error: tangency_report::FigureError| cannot_be_drawn(self.output.path(), &error);
        let figure = tiles(&images, self.shape, columns, &[], "Reconstructions").map_err(failed)?;
        let bytes = if self.png { figure.png(2.0).map_err(failed)? } else { figure.svg().as_bytes().to_vec() };
        self.output.write(|file| file.write_all(&bytes))
    }
}
