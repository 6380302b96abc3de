//! Observations from coordinates: near what was measured, with deviations that fit the misses, from a table, for the
//! training points and over a grid.

use crate::command::{run, run_json};
use crate::files::{Columns, npy};
use crate::fitted::{NEW, TRAINED, apart, assert_finite, numbers, put, rms, table, text, with_model};

const FEATURES: [&str; 3] = ["y1", "y2", "y3"];
const DEVIATIONS: [&str; 3] = ["sd_y1", "sd_y2", "sd_y3"];

/// What was measured less what was expected, in predicted deviations, a feature after the other.
fn misses(measured: &Columns, expected: &Columns) -> [Vec<f64>; 3] {
    let (y, seen, sd) = (numbers(measured, FEATURES), numbers(expected, FEATURES), numbers(expected, DEVIATIONS));
    [0, 1, 2].map(|f| (0..y[f].len()).map(|i| (y[f][i] - seen[f][i]) / sd[f][i]).collect())
}

#[test]
fn what_was_placed_is_reconstructed_as_it_was_measured() {
    let folder = with_model();
    run(folder.path(), "transform m.safetensors new.csv --id-column name --label-column side --out t.csv");
    let result = run_json(folder.path(), "reconstruct m.safetensors t.csv --out r.csv");
    assert_eq!((&result["predicts"], &result["rows"]), (&"placed-row".into(), &NEW.into()));
    let (new, found) = (table(folder.path(), "new.csv"), table(folder.path(), "r.csv"));
    assert_eq!(found.header, ["id", "y1", "y2", "y3", "sd_y1", "sd_y2", "sd_y3"]);
    assert_eq!(found.texts("id"), new.texts("name"));
    assert_finite(&found, &["id"], "reconstruction");
    run(folder.path(), "reconstruct m.safetensors t.csv --label-column label --out labelled.csv");
    assert_eq!(table(folder.path(), "labelled.csv").texts("label"), new.texts("side"));
    for (name, deviation) in FEATURES.into_iter().zip(DEVIATIONS) {
        let missed = rms(new.numbers(name).into_iter().zip(found.numbers(name)).map(|(y, seen)| y - seen));
        assert!(missed < 0.06, "{name} is missed by {missed}");
        assert!(found.numbers(deviation).iter().all(|&sd| (0.005..0.2).contains(&sd)), "{deviation}");
    }
    let strain = rms(misses(&new, &found).concat());
    assert!((0.5..2.0).contains(&strain), "misses are {strain} predicted deviations");
}

#[test]
fn deviations_are_for_a_placed_row_or_for_a_measurement() {
    let folder = with_model();
    let reconstructed = |arguments: &str| {
        let result = run_json(folder.path(), &format!("reconstruct m.safetensors {arguments} --out r.csv --force"));
        (result["predicts"].as_str().unwrap().to_owned(), table(folder.path(), "r.csv"))
    };
    // as `fit --embedding` writes it, with and without its deviations
    let embedding = table(folder.path(), "embedding.csv");
    let [x1, x2] = ["x1", "x2"].map(|name| embedding.texts(name));
    let bare: String = x2.iter().zip(&x1).map(|(second, first)| format!("{second},{first}\n")).collect();
    put(folder.path(), "bare.csv", format!("x2,x1\n{bare}"));
    let (placed, narrow) = reconstructed("embedding.csv");
    let (measured, wide) = reconstructed("bare.csv");
    assert_eq!((placed.as_str(), measured.as_str()), ("placed-row", "measurement"));
    assert_eq!(
        (embedding.texts("id"), wide.texts("id")[..2].to_vec()),
        (narrow.texts("id"), vec!["0".into(), "1".into()])
    );
    for (name, deviation) in FEATURES.into_iter().zip(DEVIATIONS) {
        assert_eq!(narrow.texts(name), wide.texts(name));
        let pairs = || narrow.numbers(deviation).into_iter().zip(wide.numbers(deviation));
        assert!(pairs().all(|(narrow, wide)| narrow <= wide), "{deviation}");
        assert!(pairs().any(|(narrow, wide)| narrow < 0.9 * wide), "{deviation}");
    }
    for (table, told, expected) in [("embedding.csv", "measurement", &wide), ("bare.csv", "placed-row", &narrow)] {
        let (answer, found) = reconstructed(&format!("{table} --predicts {told}"));
        assert_eq!(answer, told);
        for deviation in DEVIATIONS {
            assert_eq!(found.texts(deviation), expected.texts(deviation), "{table} {told}");
        }
    }
}

#[test]
fn coordinates_come_from_every_kind_of_table() {
    let folder = with_model();
    let embedding = table(folder.path(), "embedding.csv");
    let x = numbers(&embedding, ["x1", "x2"]);
    let cells = (0..TRAINED).flat_map(|i| [x[0][i], x[1][i]]);
    put(folder.path(), "x.npy", npy(&[TRAINED as u64, 2], cells));
    let rows: String = (0..TRAINED).map(|i| format!("{},{}\n", x[0][i], x[1][i])).collect();
    put(folder.path(), "x.csv", rows);
    for name in ["x.npy", "x.csv", "embedding.csv"] {
        run(folder.path(), &format!("reconstruct m.safetensors {name} --predicts measurement --out {name}.out.csv"));
    }
    let nameless = |name: &str| {
        let lines = text(folder.path(), name);
        lines.lines().map(|line| line.split_once(',').unwrap().1.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(nameless("x.npy.out.csv"), nameless("x.csv.out.csv"));
    assert_eq!(nameless("x.npy.out.csv"), nameless("embedding.csv.out.csv"));
}

#[test]
fn each_training_point_is_reconstructed_from_the_others() {
    let folder = with_model();
    let told = run(folder.path(), "reconstruct m.safetensors --leave-one-out --out l.csv").stdout;
    let (train, found) = (table(folder.path(), "train.csv"), table(folder.path(), "l.csv"));
    assert_eq!(found.header.join(","), "id,x1,x2,y1,y2,y3,sd_y1,sd_y2,sd_y3,strain");
    assert_eq!(found.texts("id"), train.texts("name"));
    assert_finite(&found, &["id"], "leave one out");

    let (misses, strain) = (misses(&train, &found), found.numbers("strain"));
    for (i, &strain) in strain.iter().enumerate() {
        let expected = rms(misses.iter().map(|feature| feature[i]));
        assert!((strain - expected).abs() < 1e-9 * expected.max(1.0), "row {i}: {strain} and {expected}");
    }
    assert!((rms(strain.iter().copied()) - 1.0).abs() < 1e-6, "without a calibration these points set the scale");
    let worst = (0..TRAINED).max_by(|&i, &j| strain[i].total_cmp(&strain[j])).unwrap();
    assert!(told.contains(&format!("p{worst} ({:.1})", strain[worst])), "{told}");
    let embedding = table(folder.path(), "embedding.csv");
    for (x, sd) in [("x1", "sd1"), ("x2", "sd2")] {
        let moved = embedding.numbers(x).into_iter().zip(found.numbers(x)).map(|(a, b)| a - b);
        let in_deviations = rms(moved.zip(embedding.numbers(sd)).map(|(moved, sd)| moved / sd));
        assert!(in_deviations < 1.5, "{x} moves by {in_deviations} deviations");
    }
}

#[test]
fn a_grid_covers_the_coordinates_the_first_running_fastest() {
    let folder = with_model();
    let told = run(folder.path(), "reconstruct m.safetensors --grid 4x3 --out g.csv").stdout;
    let (grid, embedding) = (table(folder.path(), "g.csv"), table(folder.path(), "embedding.csv"));
    assert_eq!(grid.header.join(","), "x1,x2,y1,y2,y3,sd_y1,sd_y2,sd_y3,nearest");
    assert_eq!(grid.rows.len(), 12);
    assert_finite(&grid, &[], "grid");
    let (at, fitted) = (numbers(&grid, ["x1", "x2"]), numbers(&embedding, ["x1", "x2"]));
    for (a, size) in [(0, 4), (1, 3)] {
        let low = fitted[a].iter().copied().fold(f64::INFINITY, f64::min);
        let high = fitted[a].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        for i in 0..12 {
            let step = if a == 0 { i % 4 } else { i / 4 };
            let expected = low + (high - low) * step as f64 / f64::from(size - 1);
            assert!((at[a][i] - expected).abs() < 1e-9, "row {i}, x{}", a + 1);
        }
    }
    for (i, &nearest) in grid.numbers("nearest").iter().enumerate() {
        let expected = (0..TRAINED).map(|j| apart(&at, i, &fitted, j)).fold(f64::INFINITY, f64::min);
        assert!((nearest - expected).abs() < 1e-9, "row {i}");
    }
    assert!(told.contains("12 reconstructions"), "{told}");

    run(folder.path(), "reconstruct m.safetensors --grid 1x1 --out one.csv");
    let middle = numbers(&table(folder.path(), "one.csv"), ["x1", "x2"]).concat();
    assert!((0..2).all(|a| (middle[a] - 0.5 * (at[a][0] + at[a][11])).abs() < 1e-9), "{middle:?}");
}

#[test]
fn reconstructions_are_drawn_as_images() {
    let folder = with_model();
    for (more, rows) in [("--grid 5x4", 20), ("embedding.csv", TRAINED), ("--leave-one-out", TRAINED)] {
        for figure in ["f.png", "f.svg", "F.PNG"] {
            let arguments =
                format!("reconstruct m.safetensors {more} --image 1x3 --figure {figure} --out r.csv --force");
            let result = run_json(folder.path(), &arguments);
            assert_eq!(result["written"], serde_json::json!(["r.csv", figure]), "{more}");
            assert_eq!(table(folder.path(), "r.csv").rows.len(), rows, "{more}");
            let drawn = std::fs::read(folder.path().join(figure)).unwrap();
            let right =
                if figure == "f.svg" { drawn.starts_with(b"<svg") } else { drawn.starts_with(b"\x89PNG\r\n\x1a\n") };
            assert!(right && drawn.len() > 1000, "{more}, {figure}: {} bytes", drawn.len());
            std::fs::remove_file(folder.path().join(figure)).unwrap();
        }
    }
}
