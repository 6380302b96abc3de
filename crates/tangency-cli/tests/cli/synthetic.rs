//! Known manifolds: `generate` draws them, `demo` unrolls one.

use crate::command::{run, run_json};
use crate::files::{Columns, contents, folder};
use std::f64::consts::PI;

const SHAPES: [(&str, usize); 5] =
    [("swiss-roll", 2), ("s-curve", 2), ("punctured-sphere", 2), ("twin-peaks", 2), ("helix", 1)];

#[test]
fn every_shape_is_a_table_with_its_truth() {
    let folder = folder();
    for (shape, dimension) in SHAPES {
        let drawn = |more: &str| run(folder.path(), &format!("generate {shape} --n 37 {more}")).stdout;
        let table = Columns::parse(&drawn("--seed 4"));
        let truth = ["true1", "true2"].into_iter().take(dimension);
        assert_eq!(table.header, ["y1", "y2", "y3"].into_iter().chain(truth).collect::<Vec<_>>(), "{shape}");
        assert_eq!(table.rows.len(), 37, "{shape}");
        for name in &table.header {
            assert!(table.numbers(name).iter().all(|value| value.is_finite()), "{shape}, {name}");
        }
        assert_eq!(drawn("--seed 4"), drawn("--seed 4"), "{shape}: one seed, one table");
        assert_ne!(drawn("--seed 4"), drawn("--seed 5"), "{shape}");
        run(folder.path(), &format!("generate {shape} --n 37 --seed 4 --out {shape}.csv"));
        assert_eq!(
            std::fs::read_to_string(folder.path().join(format!("{shape}.csv"))).unwrap(),
            drawn("--seed 4"),
            "{shape}"
        );
    }
}

#[test]
fn noise_moves_the_points_and_not_the_truth() {
    let folder = folder();
    for (shape, _) in SHAPES {
        let drawn = |noise: &str| {
            Columns::parse(&run(folder.path(), &format!("generate {shape} --n 400 --noise {noise}")).stdout)
        };
        let (clean, noisy) = (drawn("0"), drawn("0.25"));
        assert_eq!(clean.numbers("true1"), noisy.numbers("true1"), "{shape}");
        let errors = ["y1", "y2", "y3"].map(|name| clean.numbers(name).into_iter().zip(noisy.numbers(name)));
        let squares: Vec<f64> = errors.into_iter().flatten().map(|(a, b)| (a - b).powi(2)).collect();
        let deviation = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
        assert!((deviation - 0.25).abs() < 0.03, "{shape}: {deviation}");
    }
}

/// t = 1.25π(1+2u), h = 10v, y = (0.35 t cos t, h, 0.35 t sin t); the truth is arc length and h.
#[test]
fn the_swiss_roll_is_that_of_the_paper() {
    let folder = folder();
    let roll = Columns::parse(&run(folder.path(), "generate swiss-roll --n 300 --seed 9").stdout);
    let [y1, y2, y3, arc, height] = ["y1", "y2", "y3", "true1", "true2"].map(|name| roll.numbers(name));
    let angles: Vec<f64> = y1.iter().zip(&y3).map(|(a, b)| a.hypot(*b) / 0.35).collect();
    for i in 0..300 {
        let t = angles[i];
        assert!((1.25 * PI..=3.75 * PI).contains(&t), "t = {t}");
        assert!((0.35 * t * t.cos() - y1[i]).abs() < 1e-9 && (0.35 * t * t.sin() - y3[i]).abs() < 1e-9);
        assert!((0.0..=10.0).contains(&y2[i]) && y2[i] == height[i]);
        assert!((arc[i] - arc[0] - arc_length(angles[0], t)).abs() < 1e-9, "point {i}");
    }
    let spread = |values: &[f64]| {
        values.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b)) - values.iter().fold(f64::INFINITY, |a, &b| a.min(b))
    };
    assert!(spread(&angles) > 0.95 * 2.5 * PI && spread(&height) > 9.5, "both coordinates fill their range");
}

/// ∫ 0.35 √(1+t²) dt by Simpson's rule.
fn arc_length(from: f64, to: f64) -> f64 {
    let steps = 2000;
    let width = (to - from) / f64::from(steps);
    let speed = |step: i32| 0.35 * (from + width * f64::from(step)).hypot(1.0);
    let inner: f64 = (1..steps).map(|step| speed(step) * if step % 2 == 1 { 4.0 } else { 2.0 }).sum();
    width / 3.0 * (speed(0) + inner + speed(steps))
}

#[test]
fn the_demo_unrolls_and_draws() {
    let folder = folder();
    let result = run_json(folder.path(), "demo");
    let r2 = result["affine_r2"].as_f64().unwrap();
    assert!(r2 >= 0.985, "affine R² {r2}");
    // what the README says of it, as near as it holds on any processor
    let readme = include_str!("../../../../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let (pairs, removed) = (&result["short_circuits"], &result["pruning"]["removed"]);
    assert_eq!(pairs.as_u64().unwrap(), removed.as_array().unwrap().len() as u64);
    assert!(readme.contains(&format!("{pairs} of the roll's neighbour pairs jump")), "{pairs}");
    assert!(
        readme.contains(&format!("the bound finds all {pairs}, and without them it is {:.0} %", 100.0 * r2)),
        "{r2}"
    );
    let folded = result["affine_r2_before_pruning"].as_f64().unwrap();
    assert!(readme.contains("explain 26 to 70 % of the truth") && (0.2..0.8).contains(&folded), "{folded}");
    let files = contents(folder.path());
    let expected = [
        "tangency-demo-embedding.csv",
        "tangency-demo.csv",
        "tangency-demo.html",
        "tangency-demo.png",
        "tangency-demo.safetensors",
        "tangency-demo.svg",
    ];
    assert_eq!(files.keys().collect::<Vec<_>>(), expected);
    assert!(files["tangency-demo.png"].starts_with(b"\x89PNG\r\n\x1a\n"));
    let svg = String::from_utf8(files["tangency-demo.svg"].clone()).unwrap();
    assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{}", svg.chars().take(80).collect::<String>());
    for name in ["tangency-demo.csv", "tangency-demo-embedding.csv"] {
        assert_eq!(Columns::read(&folder.path().join(name)).rows.len(), 400, "{name}");
    }
    assert_eq!(run_json(folder.path(), "info tangency-demo.safetensors")["bound"], result["bound"]);
}

#[test]
fn the_demo_says_what_to_do_next() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("here")).unwrap();
    let said = run(folder.path(), "demo --dir here --n 80 --seed 1").stdout;
    assert!(said.lines().last().unwrap().starts_with("next: "), "{said}");
    assert!(said.contains("tangency fit"), "{said}");
    assert_eq!(contents(&folder.path().join("here")).len(), 6);
    assert_eq!(contents(folder.path()).len(), 1, "nothing beside the folder asked for");
}
