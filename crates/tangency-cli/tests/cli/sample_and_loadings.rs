//! Samples are drawn beside training points and look like them; loadings are what the local maps say.

use crate::command::{run, run_json};
use crate::files::{Columns, model_arrays};
use crate::fitted::{TRAINED, apart, assert_finite, mean, numbers, rms, table, text, with_model};
use std::path::Path;

const FEATURES: [&str; 3] = ["y1", "y2", "y3"];

#[test]
fn samples_have_a_seed_and_no_end() {
    let folder = with_model();
    let drawn = |more: &str| {
        run(folder.path(), &format!("sample m.safetensors --out s.csv --force {more}"));
        text(folder.path(), "s.csv")
    };
    assert_eq!(drawn("").lines().count(), 101);
    assert_eq!(drawn("--n 30 --seed 8"), drawn("--n 30 --seed 8"));
    assert_ne!(drawn("--n 30 --seed 8"), drawn("--n 30 --seed 9"));
    assert_eq!(drawn("--n 1").lines().count(), 2);
    // more than a block; few samples are the first of many
    let many = drawn("--n 4200 --seed 8");
    assert_eq!(many.lines().count(), 4201);
    assert!(many.starts_with(&drawn("--n 30 --seed 8")));
}

#[test]
fn samples_lie_on_the_sheet() {
    let folder = with_model();
    run(folder.path(), "sample m.safetensors --n 300 --out s.csv");
    run(folder.path(), "transform m.safetensors s.csv --out t.csv");
    let (drawn, train) = (table(folder.path(), "s.csv"), table(folder.path(), "train.csv"));
    assert_eq!(drawn.header, ["beside", "x1", "x2", "y1", "y2", "y3"]);
    assert_finite(&drawn, &["beside"], "samples");
    let names = train.texts("name");
    let beside: Vec<usize> =
        drawn.texts("beside").iter().map(|name| names.iter().position(|other| other == name).unwrap()).collect();
    let (y, fitted) = (numbers(&drawn, FEATURES), numbers(&train, FEATURES));
    let (x, coordinates) =
        (numbers(&drawn, ["x1", "x2"]), numbers(&table(folder.path(), "embedding.csv"), ["x1", "x2"]));
    for (i, &j) in beside.iter().enumerate() {
        let nearest = (0..TRAINED).map(|j| apart(&y, i, &fitted, j)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.6, "sample {i} is {nearest} from every training point");
        assert!(apart(&x, i, &coordinates, j) < 2.0, "sample {i} is not beside point {j}");
    }
    for (f, feature) in FEATURES.into_iter().enumerate() {
        let spread = |values: &[f64]| {
            let center = mean(values.iter().copied());
            rms(values.iter().map(|value| value - center))
        };
        let ratio = spread(&y[f]) / spread(&fitted[f]);
        assert!((0.8..1.25).contains(&ratio), "{feature} spreads {ratio} as much as in the table");
    }
    // what was drawn at a place is placed there
    let placed = table(folder.path(), "t.csv");
    let back = numbers(&placed, ["x1", "x2"]);
    for a in 0..2 {
        let moved = rms((0..300).map(|i| back[a][i] - x[a][i]));
        assert!(moved < 0.3, "x{} moves by {moved}", a + 1);
    }
    assert!(mean(placed.numbers("novelty")) < 0.9);
}

/// The loadings that are written for some of the points.
fn loadings(folder: &Path, more: &str) -> Columns {
    run(folder, &format!("loadings m.safetensors --out l.csv --force {more}"));
    table(folder, "l.csv")
}

/// The mean of the maps of these points, by direction and feature.
fn expected(folder: &Path, points: &[usize]) -> [[f64; 3]; 2] {
    let arrays = model_arrays(&folder.join("m.safetensors"));
    let (maps, scale) = (&arrays["maps"].1, &arrays["scale"].1);
    [0, 1].map(|a| [0, 1, 2].map(|f| scale[f] * mean(points.iter().map(|i| maps[(i * 2 + a) * 3 + f]))))
}

fn assert_near(found: &Columns, expected: [[f64; 3]; 2], what: &str) {
    for (a, column) in ["x1", "x2"].into_iter().enumerate() {
        for (f, value) in found.numbers(column).into_iter().enumerate() {
            assert!((value - expected[a][f]).abs() < 1e-9, "{what}: {column} of y{}", f + 1);
        }
    }
}

#[test]
fn loadings_are_the_mean_of_the_local_maps() {
    let folder = with_model();
    let here = folder.path();
    let (train, embedding) = (table(here, "train.csv"), table(here, "embedding.csv"));
    let x = numbers(&embedding, ["x1", "x2"]);
    let those = |keep: &dyn Fn(usize) -> bool| (0..TRAINED).filter(|&i| keep(i)).collect::<Vec<_>>();
    let sides = train.texts("side");

    let all = loadings(here, "");
    assert_eq!(all.header, ["feature", "x1", "x2", "sd1", "sd2"]);
    assert_eq!(all.texts("feature"), FEATURES);
    assert_finite(&all, &["feature"], "average");
    for (more, points) in [
        ("", those(&|_| true)),
        ("--point p7", vec![7]),
        ("--point p7 --point p7 --point p31", vec![7, 31]),
        ("--label low", those(&|i| sides[i] == "low")),
        ("--label low --label high", those(&|_| true)),
        ("--region x1=-1:0.5", those(&|i| (-1.0..=0.5).contains(&x[0][i]))),
        (
            "--region x1=-1:inf --region x2=-9:0.1 --label high",
            those(&|i| x[0][i] >= -1.0 && x[1][i] <= 0.1 && sides[i] == "high"),
        ),
    ] {
        assert!(!points.is_empty(), "{more}");
        assert_near(&loadings(here, more), expected(here, &points), more);
        assert_eq!(run_json(here, &format!("loadings m.safetensors {more}"))["n_points"], points.len(), "{more}");
    }
}

#[test]
fn each_point_has_its_own_loadings() {
    let folder = with_model();
    let each = loadings(folder.path(), "--each");
    assert_eq!(each.header, ["id", "feature", "x1", "x2", "sd1", "sd2"]);
    assert_eq!(each.rows.len(), 3 * TRAINED);
    assert_finite(&each, &["id", "feature"], "each");
    let names = table(folder.path(), "train.csv").texts("name");
    for i in [0, 42, TRAINED - 1] {
        let own = Columns { header: each.header.clone(), rows: each.rows[3 * i..3 * i + 3].to_vec() };
        assert_eq!(
            (own.texts("id"), own.texts("feature")),
            (vec![names[i].clone(); 3], FEATURES.map(str::to_owned).to_vec())
        );
        assert_near(&own, expected(folder.path(), &[i]), &names[i]);
        let alone = loadings(folder.path(), &format!("--point {}", names[i]));
        for column in ["x1", "x2", "sd1", "sd2"] {
            assert_eq!(alone.texts(column), own.texts(column), "{}", names[i]);
        }
    }
    let few = loadings(folder.path(), "--each --point p3 --point p1");
    assert_eq!(few.texts("id"), ["p1", "p1", "p1", "p3", "p3", "p3"]);
}

/// y2 is the height of the sheet, which the shorter of the coordinates follows.
#[test]
fn the_strongest_features_are_named_first() {
    let folder = with_model();
    let said = run(folder.path(), "loadings m.safetensors --top 1").stdout;
    let told: Vec<&str> = said.lines().collect();
    assert_eq!(
        (told[0], told[1], told[3]),
        (
            "average over all 160 points",
            "per unit of x1 (and per standard deviation, in those of the feature):",
            "per unit of x2 (and per standard deviation, in those of the feature):"
        )
    );
    assert!(told[4].trim().starts_with("y2 ") && told[4].contains('±'), "{said}");
    let result = run_json(folder.path(), "loadings m.safetensors --point p5");
    let directions = result["directions"].as_array().unwrap();
    assert_eq!(directions.len(), 2);
    for direction in directions {
        let strength: Vec<f64> = direction
            .as_array()
            .unwrap()
            .iter()
            .map(|feature| feature["standardised"].as_f64().unwrap().abs())
            .collect();
        assert!(strength.len() == 3 && strength.windows(2).all(|pair| pair[0] >= pair[1]), "{direction}");
    }
    assert_eq!(directions[1][0]["feature"], "y2");
    assert!(run(folder.path(), "loadings m.safetensors --point p5").stdout.starts_with("point p5\n"));
}
