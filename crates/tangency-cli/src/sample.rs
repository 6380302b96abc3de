//! `tangency sample`: new coordinates and observations from a fitted model.

use crate::args::SampleArgs;
use crate::rows::{beside_features, extension};
use crate::say::{self, Say};
use crate::{info, interrupt, progress};
use serde_json::json;
use tangency::io::{Cells, ColumnKind, TableWriter, block_rows, load_model, numbered};
use tangency::linalg::Matrix;
use tangency::message::counted;
use tangency::{Error, Result};

/// Runs the command.
pub fn run(args: &SampleArgs, say: Say) -> Result<()> {
    if args.n == 0 {
        return Err(Error::too_small("n", 0, 1));
    }
    TableWriter::check(&args.out)?;
    let out = crate::rows::claims(args.force, [&args.model]).claim(&args.out)?;
    let model = load_model(&args.model)?;
    let d_x = model.fit.coordinates.ncols();
    let mut before = vec![("beside".to_owned(), ColumnKind::Text)];
    before.extend(numbered("x", d_x));
    interrupt::listen();
    let mut writer = TableWriter::create(&out, &beside_features(&model, before, vec![]))?;
    let extension = extension(&model, None)?;
    let mut bar = progress::rows(say, Some(args.n));
    let mut done = 0;
    while done < args.n {
        let drawn = extension.sample(done, block_rows(&model).min(args.n - done), args.seed)?;
        let columns = |matrix: &Matrix| -> Vec<Cells> {
            (0..matrix.ncols()).map(|c| Cells::Numbers(matrix.col_as_slice(c).to_vec())).collect()
        };
        let mut cells = vec![Cells::Text(drawn.beside.iter().map(|&i| model.id(i as usize)).collect())];
        cells.extend(columns(&drawn.coordinates));
        cells.extend(columns(&drawn.values));
        writer.write(&cells)?;
        done += drawn.beside.len();
        if bar(done) {
            break;
        }
    }
    drop(bar);
    writer.finish()?;
    say.line(&format!("{} in {}", counted(done, "sample"), out.path().display()));
    if done < args.n {
        say.warn(&format!("interrupted after {done} of {} samples; the file has no more", args.n));
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    say.result(&json!({
        "n": done,
        "seed": args.seed,
        "interrupted": done < args.n,
        "warnings": info::warnings(&model),
        "written": say::names([out.path()]),
    }));
    Ok(())
}
