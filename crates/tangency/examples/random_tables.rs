//! Does a fit collapse, or end below principal components, on tables of all kinds? 98 seeded ones, and any others that are given.
//!
//! `cargo run --release -p tangency --example random_tables [-- TABLE …]` prints two Markdown tables: one row a table, and one
//! row a kind. A TABLE is a file of numbers.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{StandardNormal, StudentT};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::path::Path;
use tangency::fit::Caution;
use tangency::io::table::read_matrix;
use tangency::linalg::Matrix;
use tangency::{Config, Fit, Fitter, Shape, Stop, generate};

/// A lower trustworthiness than this is a worse map; the library's own caution counts thousandths.
const WORSE: f64 = 0.002;

struct Table {
    kind: String,
    what: String,
    points: Matrix,
}

fn main() {
    let mut tables = all();
    for path in std::env::args().skip(1) {
        let points = read_matrix(Path::new(&path), "table").unwrap();
        let what = Path::new(&path).file_stem().unwrap().to_string_lossy().into_owned();
        tables.push(Table { kind: "real tables".into(), what, points });
    }
    let rows: Vec<(&Table, Outcome)> = tables
        .par_iter()
        .map(|table| {
            let outcome = Outcome::of(&table.points);
            eprintln!("{}, {}", table.kind, table.what);
            (table, outcome)
        })
        .collect();
    println!(
        "| kind | table | n | d_y | ended | axes used | spreads | trustworthiness | PCA | start | weight | cautions |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (table, outcome) in &rows {
        let (n, d_y) = (table.points.nrows(), table.points.ncols());
        println!("| {} | {} | {n} | {d_y} | {} |", table.kind, table.what, outcome.cells());
    }
    println!();
    by_kind(&rows);
}

/// What became of a table.
enum Outcome {
    Failed(String),
    Fitted { fit: Box<Fit>, cautions: Vec<Caution>, finite: bool },
}

impl Outcome {
    fn of(points: &Matrix) -> Self {
        match Fitter::new(Config { connect: true, ..Config::default() }).fit(points) {
            Err(error) => Self::Failed(error.to_string()),
            Ok(fit) => {
                let cautions = fit.cautions(|i| i.to_string());
                let finite = finite(&fit);
                Self::Fitted { fit: Box::new(fit), cautions, finite }
            }
        }
    }

    fn cells(&self) -> String {
        match self {
            Self::Failed(error) => format!("error: {error} | | | | | | |"),
            Self::Fitted { fit, cautions, finite } => {
                let quality = fit.quality.unwrap();
                let spreads: Vec<String> = fit.axis_spreads().iter().map(|spread| format!("{spread:.3}")).collect();
                let weight = fit.features.as_ref().and_then(|choice| choice.weight());
                let said: Vec<String> = cautions.iter().map(name).collect();
                format!(
                    "{:?}{} | {} of {} | {} | {:.4} | {:.4} | {} | {} | {}",
                    fit.stop,
                    if *finite { "" } else { ", NOT FINITE" },
                    fit.used_components(),
                    fit.coordinates.ncols(),
                    spreads.join(", "),
                    quality.trustworthiness,
                    quality.pca,
                    quality.start.map_or_else(String::new, |start| format!("{start:.4}")),
                    weight.map_or_else(|| "paper's".to_owned(), |weight| weight.to_string()),
                    said.join(", ")
                )
            }
        }
    }
}

/// The name of a caution alone; bridges can be many.
fn name(caution: &Caution) -> String {
    let whole = format!("{caution:?}");
    match caution {
        Caution::Bridges(bridges) => format!("{} bridges", bridges.len()),
        _ => whole.replace(['{', '}', '"'], "").trim().to_owned(),
    }
}

/// Whether all numbers of a fit are finite.
fn finite(fit: &Fit) -> bool {
    let quality = fit.quality.unwrap();
    let density = fit.density.unwrap();
    let single = [
        fit.bound(),
        quality.trustworthiness,
        quality.pca,
        quality.explained.unwrap(),
        quality.continuity.unwrap(),
        density.log_density,
        density.kernel_log_density,
        fit.hyper.gamma,
        fit.hyper.lambda,
        fit.hyper.nu,
    ];
    let all = |matrix: &Matrix| (0..matrix.ncols()).all(|c| matrix.col_as_slice(c).iter().all(|v| v.is_finite()));
    let matrices = [&fit.coordinates, &fit.coordinate_covariances, &fit.maps, &fit.map_covariances];
    single.iter().all(|v| v.is_finite()) && matrices.into_iter().all(all) && all(&fit.standard_deviations())
}

/// Counts over the tables of each kind.
fn by_kind(rows: &[(&Table, Outcome)]) {
    println!(
        "| kind | tables | failed | not finite | collapsed | an axis not used | below PCA | of them with a caution | below the start | of them with a caution | not converged |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let mut kinds: Vec<&str> = rows.iter().map(|(table, _)| table.kind.as_str()).collect();
    kinds.dedup();
    for kind in kinds.into_iter().chain(["**all**"]) {
        let mut counts = [0; 10];
        for (_, outcome) in rows.iter().filter(|(table, _)| table.kind == kind || kind == "**all**") {
            counts[0] += 1;
            let Outcome::Fitted { fit, cautions, finite } = outcome else {
                counts[1] += 1;
                continue;
            };
            let quality = fit.quality.unwrap();
            // two coordinates of two features: principal components keep everything, and a caution says that nothing is reduced
            let whole = cautions.contains(&Caution::NothingReduced);
            let says = |pick: fn(&Caution) -> bool| whole || cautions.iter().any(pick);
            let below_pca = quality.trustworthiness + WORSE < quality.pca;
            let below_start = quality.start.is_some_and(|start| quality.trustworthiness + WORSE < start);
            let ticks = [
                !finite,
                fit.stop == Stop::Collapsed,
                fit.used_components() < fit.coordinates.ncols(),
                below_pca,
                below_pca && says(|caution| matches!(caution, Caution::WorseThanPca { .. })),
                below_start,
                below_start && says(|caution| matches!(caution, Caution::WorseThanStart { .. })),
                fit.stop == Stop::MaxIterations,
            ];
            for (count, tick) in counts[2..].iter_mut().zip(ticks) {
                *count += usize::from(tick);
            }
        }
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        println!("| {kind} | {} |", counts.join(" | "));
    }
}

/// Draws for one table.
struct Draw(ChaCha8Rng);

impl Draw {
    fn normal(&mut self) -> f64 {
        self.0.sample(StandardNormal)
    }

    fn uniform(&mut self) -> f64 {
        self.0.random()
    }

    fn matrix(&mut self, n: usize, d: usize, mut value: impl FnMut(&mut Self) -> f64) -> Matrix {
        Matrix::from_fn(n, d, |_, _| value(self))
    }

    /// Points of two or three dimensions turned into `d`, with noise.
    fn embedded(&mut self, flat: &Matrix, d: usize, noise: f64) -> Matrix {
        let turn = self.matrix(flat.ncols(), d, Self::normal);
        let noise = self.matrix(flat.nrows(), d, |draw| noise * draw.normal());
        flat * turn + noise
    }
}

/// A list of tables of one kind; the seed is their place in the whole list.
fn add(tables: &mut Vec<Table>, kind: &str, what: String, make: impl FnOnce(&mut Draw) -> Matrix) {
    let mut draw = Draw(ChaCha8Rng::seed_from_u64(tables.len() as u64));
    tables.push(Table { kind: kind.to_owned(), what, points: make(&mut draw) });
}

fn all() -> Vec<Table> {
    let mut tables = Vec::new();
    for n in [30, 60, 120, 300] {
        for d in [2, 3, 5, 10, 30] {
            add(&mut tables, "Gaussian noise", "standard normal".into(), |draw| draw.matrix(n, d, Draw::normal));
        }
    }
    for (count, n) in [(2, 60), (3, 150), (4, 200), (6, 300)] {
        for (apart, d) in [(1.5, 2), (3.0, 5), (8.0, 10), (50.0, 20)] {
            let what = format!("{count} blobs, centres {apart} apart");
            add(&mut tables, "blobs", what, |draw| blobs(draw, count, n, d, apart));
        }
    }
    for (n, d, noise) in [
        (40, 2, 0.0),
        (100, 2, 0.1),
        (100, 3, 0.0),
        (100, 10, 0.05),
        (200, 10, 0.3),
        (300, 3, 0.1),
        (300, 20, 0.0),
        (300, 20, 0.5),
    ] {
        add(&mut tables, "a ring", format!("noise {noise}"), |draw| {
            let flat = ring(draw, n, 0.0);
            if d == 2 { flat + draw.matrix(n, 2, |draw| noise * draw.normal()) } else { draw.embedded(&flat, d, noise) }
        });
    }
    for (n, d, gap, noise) in [
        (100, 3, 0.5, 0.0),
        (200, 3, 3.0, 0.05),
        (200, 10, 1.0, 0.1),
        (300, 5, 0.2, 0.05),
        (300, 20, 5.0, 0.1),
        (60, 3, 2.0, 0.0),
    ] {
        add(&mut tables, "two rings", format!("gap {gap}, noise {noise}"), |draw| {
            let (left, right) = (ring(draw, n / 2, 0.0), ring(draw, n / 2, 2.0 + gap));
            let flat = Matrix::from_fn(n, 2, |i, c| if i < n / 2 { left[(i, c)] } else { right[(i - n / 2, c)] });
            draw.embedded(&flat, d, noise)
        });
    }
    for (n, noise) in [(60, 0.0), (100, 0.05), (200, 0.1), (200, 0.3), (300, 0.05), (300, 0.2)] {
        add(&mut tables, "a helix", format!("noise {noise}"), |_| generate(Shape::Helix, n, noise, n as u64).points);
    }
    for (n, d, noise) in [(30, 2, 0.0), (100, 3, 0.0), (100, 10, 1e-6), (200, 5, 0.01), (300, 20, 0.1), (300, 3, 0.5)] {
        add(&mut tables, "a line", format!("noise {noise}"), |draw| {
            let along = draw.matrix(n, 1, Draw::uniform);
            draw.embedded(&along, d, noise)
        });
    }
    for (n, d) in [(30, 3), (60, 5), (100, 2), (100, 10), (200, 3), (200, 20), (300, 5), (300, 30)] {
        add(&mut tables, "a cube", "uniform".into(), |draw| draw.matrix(n, d, Draw::uniform));
    }
    for (n, d, freedom) in [
        (50, 3, 1.0),
        (100, 5, 1.0),
        (200, 10, 1.0),
        (300, 3, 1.0),
        (100, 3, 2.0),
        (200, 20, 2.0),
        (100, 10, 3.0),
        (300, 5, 3.0),
    ] {
        add(&mut tables, "heavy tails", format!("Student's t, {freedom} degrees of freedom"), |draw| {
            let tail = StudentT::new(freedom).unwrap();
            draw.matrix(n, d, |draw| draw.0.sample(tail))
        });
    }
    for (n, d, distinct) in [(60, 3, 30), (100, 5, 50), (200, 3, 40), (200, 10, 190), (300, 5, 100)] {
        add(&mut tables, "repeated rows", format!("{distinct} distinct"), |draw| {
            let rows = draw.matrix(distinct, d, Draw::normal);
            Matrix::from_fn(n, d, |i, f| rows[(i % distinct, f)])
        });
    }
    for (n, d, most) in [(60, 4, 10.0), (100, 6, 5.0), (200, 8, 3.0), (300, 10, 2.0), (300, 4, 100.0)] {
        add(&mut tables, "whole numbers", format!("below {most}"), |draw| {
            draw.matrix(n, d, |draw| (most * draw.uniform()).floor())
        });
    }
    for (n, d) in [(60, 3), (100, 5), (200, 10), (300, 4)] {
        add(&mut tables, "one column a million times the others", "standard normal".into(), |draw| {
            let plain = draw.matrix(n, d, Draw::normal);
            Matrix::from_fn(n, d, |i, f| if f == 0 { 1e6 * plain[(i, f)] } else { plain[(i, f)] })
        });
    }
    let sheets = [
        (Shape::SCurve, 200, 0.0),
        (Shape::SCurve, 300, 0.1),
        (Shape::TwinPeaks, 300, 0.05),
        (Shape::PuncturedSphere, 200, 0.0),
        (Shape::SwissRoll, 300, 0.0),
        (Shape::SwissRoll, 300, 0.3),
    ];
    for (shape, n, noise) in sheets {
        let what = format!("{shape:?}, noise {noise}");
        add(&mut tables, "sheets", what, |_| generate(shape, n, noise, n as u64).points);
    }
    tables
}

fn blobs(draw: &mut Draw, count: usize, n: usize, d: usize, apart: f64) -> Matrix {
    // two centres drawn so are about that far apart
    let centres = draw.matrix(count, d, |draw| apart * draw.normal() / (2.0 * d as f64).sqrt());
    let noise = draw.matrix(n, d, Draw::normal);
    Matrix::from_fn(n, d, |i, f| centres[(i % count, f)] + noise[(i, f)])
}

/// A circle of radius 1 whose middle is moved along the first axis.
fn ring(draw: &mut Draw, n: usize, moved: f64) -> Matrix {
    let angles: Vec<f64> = (0..n).map(|_| TAU * draw.uniform()).collect();
    Matrix::from_fn(n, 2, |i, c| if c == 0 { moved + angles[i].cos() } else { angles[i].sin() })
}
