//! Draws square images from a CSV with the columns `row`, `caption` and one a pixel: each `row` is a row of the grid.
//!
//! `cargo run --release -p tangency-report --example tiles -- images.csv figure.svg "A title"`; `.png` works too.

use std::error::Error;
use std::{env, fs};

use tangency_report::{Tile, TileShape, tiles};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (input, output, title) = match &arguments[..] {
        [input, output] => (input, output, ""),
        [input, output, title] => (input, output, title.as_str()),
        _ => return Err("usage: tiles IMAGES.csv FIGURE.svg|FIGURE.png [TITLE]".into()),
    };
    let text = fs::read_to_string(input)?;
    let mut lines: Vec<(&str, &str, Vec<f64>)> = Vec::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split(',');
        let (Some(row), Some(caption)) = (cells.next(), cells.next()) else {
            return Err(format!("{input}: a line has no caption").into());
        };
        lines.push((row, caption, cells.map(str::parse).collect::<Result<_, _>>()?));
    }
    let pixels = lines.first().map_or(0, |line| line.2.len());
    let side = pixels.isqrt();
    if side * side != pixels {
        return Err(format!("{input}: {pixels} pixels make no square").into());
    }

    let rows: Vec<&[(&str, &str, Vec<f64>)]> = lines.chunk_by(|a, b| a.0 == b.0).collect();
    let columns = rows.first().map_or(0, |row| row.len());
    if rows.iter().any(|row| row.len() != columns) {
        return Err(format!("{input}: the rows differ in length").into());
    }
    let captions: Vec<&str> = rows.iter().map(|row| row[0].0).collect();
    let images: Vec<Tile<'_>> = lines.iter().map(|(_, caption, values)| Tile { values, caption, mark: None }).collect();
    let figure = tiles(&images, TileShape { rows: side, columns: side }, columns, &captions, title)?;
    if output.ends_with(".png") {
        fs::write(output, figure.png(2.0)?)?;
    } else {
        fs::write(output, figure.svg())?;
    }
    Ok(())
}
