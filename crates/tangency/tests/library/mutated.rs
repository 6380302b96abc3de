//! Whatever is done to a file that we read, there is a table or a model of finite numbers, or one clear sentence; never a panic.
//!
//! The changes are seeded. `TANGENCY_FUZZ_SECONDS=600 cargo test --release --workspace --test library mutated` goes on for so long
//! with each kind of file, from another seed each time (`TANGENCY_FUZZ_SEED` repeats one).

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::io::{Cursor, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::{Duration, Instant};
use tangency::extend::{Extension, Predicts};
use tangency::io::table::{TableOptions, TableStream, read_cells, read_matrix, read_table};
use tangency::io::{Cells, ColumnKind, Model, Output, TableWriter, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::model::MissingRule;
use tangency::view::{EdgesView, LoadingsView, Summary};
use tangency::{Config, Error, Fitter, Init, Shape, generate};

/// Changes of each file where no time is given.
const CHANGES: usize = 120;

/// Numbers that break things.
const ODD: [u64; 12] = [0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 1 << 40, 1 << 63, u64::MAX];
const ODD_TEXT: [&str; 16] = [
    "",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-320",
    "NaN",
    "inf",
    "99999999999999999999",
    "\"",
    ",",
    "\n",
    "\u{0}",
    "é",
    "{",
    "[[[[",
];

fn changed(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..rng.random_range(1..4) {
        if bytes.is_empty() {
            return bytes;
        }
        let at = rng.random_range(0..bytes.len());
        let length = rng.random_range(1..=(bytes.len() - at).min(64));
        match rng.random_range(0..9) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = ODD[rng.random_range(0..ODD.len())] as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..at + length)),
            4 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                let word = ODD_TEXT[rng.random_range(0..ODD_TEXT.len())];
                bytes.splice(at..at + length.min(8), word.bytes());
            }
            6 => {
                let from = rng.random_range(0..bytes.len() - length + 1);
                let part = bytes[from..from + length].to_vec();
                bytes[at..at + length].copy_from_slice(&part);
            }
            size => {
                let size = if size == 7 { 4 } else { 8 };
                let odd = ODD[rng.random_range(0..ODD.len())].to_le_bytes();
                let end = (at + size).min(bytes.len());
                bytes[at..end].copy_from_slice(&odd[..end - at]);
            }
        }
    }
    bytes
}

/// The same inside an archive: one of its files is changed, and all are packed again.
fn changed_inside(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let one = rng.random_range(0..archive.len());
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for number in 0..archive.len() {
        let mut entry = archive.by_index(number).unwrap();
        let name = entry.name().unwrap().into_owned();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        out.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        out.write_all(&if number == one { changed(&content, rng) } else { content }).unwrap();
    }
    out.finish().unwrap().into_inner()
}

/// Calls `try_one` with changes of a file, each named by its seed.
fn each_change(bytes: &[u8], is_archive: bool, mut try_one: impl FnMut(&[u8], u64)) {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let patience = number("TANGENCY_FUZZ_SECONDS").map(Duration::from_secs);
    let clock =
        || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |time| time.as_micros() as u64);
    let first = number("TANGENCY_FUZZ_SEED").unwrap_or_else(|| if patience.is_some() { clock() } else { 0 });
    let begin = Instant::now();
    for change in 0.. {
        if patience.map_or(change as usize >= CHANGES, |patience| begin.elapsed() >= patience) {
            println!("{change} changes from seed {first}");
            return;
        }
        let seed = first.wrapping_add(change);
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let inside = is_archive && rng.next_u32() % 4 > 0;
        let bytes = if inside { changed_inside(bytes, &mut rng) } else { changed(bytes, &mut rng) };
        try_one(&bytes, seed);
    }
}

/// What came of one change: nothing but an error may be wrong with it.
fn without_panic<T>(what: &str, bytes: &[u8], seed: u64, work: impl FnOnce() -> Result<T, Error>) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(found)) => Some(found),
        Ok(Err(error)) => {
            let sentence = error.to_string();
            assert!(!sentence.is_empty() && !sentence.contains('\n'), "{what}, seed {seed}: {sentence:?}");
            None
        }
        Err(_) => {
            let kept = std::env::temp_dir().join(format!("tangency-panic-{seed}"));
            std::fs::write(&kept, bytes).unwrap();
            panic!("{what}: seed {seed} is a panic; the file is {}", kept.display());
        }
    }
}

fn reads_changes_of(name: &str, bytes: &[u8], is_archive: bool) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    each_change(bytes, is_archive, |changed, seed| {
        std::fs::write(&path, changed).unwrap();
        let gaps = seed % 2 == 1;
        let options = TableOptions { gaps, ..TableOptions::default() };
        let table = without_panic(name, changed, seed, || read_table(&path, &options));
        if let Some(table) = &table {
            let (n, d) = (table.values.nrows(), table.values.ncols());
            let is_right = |value: &f64| value.is_finite() || gaps && value.is_nan();
            assert!((0..d).all(|f| table.values.col_as_slice(f).iter().all(is_right)), "{name}, seed {seed}");
            assert!(table.carried.iter().all(|(_, cells)| cells.len() == n), "{name}, seed {seed}");
        }
        let features = table.map_or(vec!["x".to_owned(), "y".to_owned()], |table| table.feature_names);
        without_panic(name, changed, seed, || {
            let mut stream = TableStream::open(&path, &options)?;
            stream.choose(&features)?;
            while stream.next_block(7)?.is_some() {}
            Ok(())
        });
        without_panic(name, changed, seed, || read_matrix(&path, "the start"));
        if [".csv", ".tsv"].iter().any(|end| name.ends_with(end)) {
            without_panic(name, changed, seed, || read_cells(&path));
        }
    });
}

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/tables/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A small table as this library writes it.
fn written(name: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    let columns =
        [("id", ColumnKind::Text), ("x", ColumnKind::Number), ("y", ColumnKind::Number), ("count", ColumnKind::Whole)];
    let columns = columns.map(|(name, kind)| (name.to_owned(), kind));
    let mut writer = TableWriter::create(&Output::claim(&path, false).unwrap(), &columns).unwrap();
    let numbers = |scale: f64| {
        Cells::Numbers((0..40).map(|i| if i == 7 { f64::NAN } else { scale * f64::from(i).sin() }).collect())
    };
    let ids = Cells::Text((0..40).map(|i| format!("row \"{i}\", é")).collect());
    writer.write(&[ids, numbers(1.0), numbers(1e-3), Cells::Whole((0..40).collect())]).unwrap();
    writer.finish().unwrap();
    std::fs::read(&path).unwrap()
}

fn npy() -> Vec<u8> {
    let mut header = "{'descr': '<f8', 'fortran_order': False, 'shape': (30, 3), }".to_owned();
    header += &" ".repeat(117 - header.len());
    let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    bytes.extend(header.bytes().chain([b'\n']));
    bytes.extend((0..90).flat_map(|i| f64::from(i).sqrt().to_le_bytes()));
    bytes
}

#[test]
fn delimited_text() {
    reads_changes_of("t.csv", &written("t.csv"), false);
    let commas = "name;a;b\n".to_owned() + &(0..30).map(|i| format!("r{i};{i},5;{}\n", i * i)).collect::<String>();
    reads_changes_of("t.tsv", commas.replace(';', "\t").as_bytes(), false);
    let utf_16: Vec<u8> = "\u{feff}a,b\n1,2\n3,é\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    reads_changes_of("u.csv", &utf_16, false);
}

#[test]
fn packed_text() {
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gz.write_all(&written("t.csv")).unwrap();
    reads_changes_of("t.csv.gz", &gz.finish().unwrap(), false);
    reads_changes_of("t.csv.zst", &zstd::stream::encode_all(&written("t.csv")[..], 3).unwrap(), false);
}

#[test]
fn arrays() {
    reads_changes_of("t.npy", &npy(), false);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in ["X.npy", "other.npy"] {
        archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        archive.write_all(&npy()).unwrap();
    }
    reads_changes_of("t.npz", &archive.finish().unwrap().into_inner(), true);
}

#[cfg(feature = "parquet")]
#[test]
fn parquet() {
    reads_changes_of("t.parquet", &written("t.parquet"), false);
}

#[cfg(feature = "arrow")]
#[test]
fn arrow() {
    for name in ["mixed.arrow", "mixed.feather", "stream.arrows", "zstd.ipc", "delta.arrows", "hollow.arrow"] {
        reads_changes_of(name, &fixture(name), false);
    }
}

#[cfg(feature = "spreadsheets")]
#[test]
fn spreadsheets() {
    for name in ["book.xlsx", "formulas.xlsx", "book.ods"] {
        reads_changes_of(name, &fixture(name), true);
    }
}

fn model(config: Config) -> Model {
    let drawn = generate(Shape::SCurve, 60, 0.02, 3);
    let fit =
        Fitter::new(Config { init: Init::Pca, max_iter: 6, n_neighbors: 6, ..config }).fit(&drawn.points).unwrap();
    let names = |letter: &str, count: usize| (0..count).map(|i| format!("{letter}{i}")).collect::<Vec<_>>();
    let (ids, carried) = (Some(names("id", 60)), vec![("more".to_owned(), names("c", 60))]);
    Model {
        fit,
        feature_names: names("f", 3),
        ids,
        labels: Some(names("l", 60)),
        carried,
        table: Some("t".into()),
        label_name: None,
        reading: None,
    }
}

/// All that a model can give, every number of which is finite.
fn put_to_use(model: &Model) -> Result<(), Error> {
    let finite = |what: &str, values: &mut dyn Iterator<Item = f64>| {
        for value in values {
            assert!(value.is_finite(), "{what} are {value}");
        }
    };
    let all = |matrix: &Matrix| (0..matrix.ncols()).flat_map(|c| matrix.col_as_slice(c).to_vec()).collect::<Vec<_>>();
    let fit = &model.fit;
    finite("deviations", &mut all(&fit.standard_deviations()).into_iter());
    let summary = serde_json::to_value(Summary::new(model, vec![])).unwrap();
    assert!(summary.is_object());
    model.cautions();
    if let Ok(view) = EdgesView::new(model) {
        finite("edges", &mut view.edges.iter().flat_map(|edge| edge.numbers()));
    }
    if let Ok(view) = LoadingsView::new(model, &(0..fit.n()).collect::<Vec<_>>()) {
        finite("loadings", &mut view.mean.iter().chain(&view.deviation).flatten().copied());
    }
    let extension = Extension::new(fit)?;
    let d_y = fit.observations.ncols();
    let rows = Matrix::from_fn(8, d_y, |i, f| fit.observations[(i % 3, f)] + 0.01 * (i + f) as f64);
    if let Ok(placed) = extension.transform(&rows) {
        finite(
            "places",
            &mut placed.iter().flat_map(|p| p.mean.iter().copied().chain(all(&p.covariance)).chain(all(&p.map))),
        );
        let totals = placed.iter().map(|placement| extension.total_covariance(placement));
        finite("spreads", &mut totals.map(|total| total[(0, 0)].sqrt()).collect::<Vec<_>>().into_iter());
    }
    if let Ok(scores) = extension.score(&rows) {
        finite("densities", &mut scores.into_iter());
    }
    if let Ok(drawn) = extension.sample(0, 20, 1) {
        finite("samples", &mut all(&drawn.values).into_iter().chain(all(&drawn.coordinates)));
    }
    let grid = extension.grid(&vec![3; fit.coordinates.ncols()])?;
    if let Ok(found) = extension.reconstruct(&grid, Predicts::Measurement) {
        finite("reconstructions", &mut all(&found.values).into_iter().chain(all(&found.deviations)));
    }
    Ok(())
}

/// A number of an array or of the metadata becomes huge, tiny, negative or zero, so that the file is sound and the model is not.
fn changed_numbers(bytes: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
    const NUMBERS: [f64; 14] =
        [0.0, -1.0, 1e-300, 5e-324, 1e10, 1e19, 1e39, -1e59, 1e61, 1e100, -1e154, 1e155, 1.7e308, 1e-61];
    let length = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let mut bytes = bytes.to_vec();
    let odd = NUMBERS[rng.random_range(0..NUMBERS.len())];
    if rng.next_u32().is_multiple_of(4) {
        // one that stands in the metadata, written in as many letters
        let digits: Vec<usize> = (8..length).filter(|&at| bytes[at].is_ascii_digit()).collect();
        let at = digits[rng.random_range(0..digits.len())];
        bytes[at] = b"0123456789"[rng.random_range(0..10)];
        if at + 3 < length && bytes[at..at + 4].iter().all(u8::is_ascii_digit) {
            bytes[at..at + 4].copy_from_slice(b"1e99");
        }
        return bytes;
    }
    let count = (bytes.len() - length) / 8;
    let from = rng.random_range(0..count);
    let many = if rng.next_u32().is_multiple_of(2) { 1 } else { rng.random_range(1..=(count - from).min(400)) };
    for number in from..from + many {
        bytes[length + 8 * number..length + 8 * number + 8].copy_from_slice(&odd.to_le_bytes());
    }
    bytes
}

#[test]
fn models() {
    let kinds = [
        Config { graph_likelihood: false, full_covariance: true, ..Config::default() },
        Config { missing: MissingRule::Model, ..Config::default() },
    ];
    for config in kinds {
        let bytes = model_to_bytes(&model(config)).unwrap();
        each_change(&bytes, false, |by_bytes, seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let of_numbers = changed_numbers(&bytes, &mut rng);
            for changed in [by_bytes, of_numbers.as_slice()] {
                without_panic("m.safetensors", changed, seed, || {
                    put_to_use(&model_from_bytes(changed, Path::new("m.safetensors"))?)
                });
            }
        });
    }
}
