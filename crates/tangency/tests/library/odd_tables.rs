//! A hundred tables that numbers do not like: each gives finite coordinates and deviations, with a caution where there is reason for one, or
//! one clear error; and what only turns, moves, scales or orders a table changes no more than that.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::f64::consts::TAU;
use std::path::Path;
use tangency::generate::Synthetic;
use tangency::io::{Model, model_from_bytes, model_to_bytes};
use tangency::linalg::Matrix;
use tangency::quality::procrustes;
use tangency::view::Summary;
use tangency::{Config, Error, Fit, Fitter, Init, ScalingRule, Shape, generate};

type Maker = fn(&mut ChaCha8Rng) -> Matrix;

fn uniform(rng: &mut ChaCha8Rng, n: usize, d: usize) -> Matrix {
    let numbers: Vec<f64> = (0..n * d).map(|_| rng.random::<f64>()).collect();
    Matrix::from_fn(n, d, |i, f| numbers[i * d + f])
}

fn scaled(table: Matrix, factor: f64) -> Matrix {
    Matrix::from_fn(table.nrows(), table.ncols(), |i, f| table[(i, f)] * factor)
}

fn along(n: usize, point: fn(f64) -> Vec<f64>) -> Matrix {
    let rows: Vec<Vec<f64>> = (0..n).map(|i| point(i as f64 / n as f64)).collect();
    Matrix::from_fn(n, rows[0].len(), |i, f| rows[i][f])
}

/// Twenty-five tables.
const TABLES: [(&str, Maker); 25] = [
    ("all rows equal", |_| Matrix::from_fn(20, 3, |_, f| f as f64)),
    ("all zero", |_| Matrix::zeros(20, 3)),
    ("one constant feature", |rng| {
        let table = uniform(rng, 20, 3);
        Matrix::from_fn(20, 3, |i, f| if f == 1 { 5.0 } else { table[(i, f)] })
    }),
    ("one feature that varies", |rng| {
        let table = uniform(rng, 20, 4);
        Matrix::from_fn(20, 4, |i, f| if f == 2 { table[(i, 0)] } else { 1.0 })
    }),
    ("on a line", |_| along(20, |t| vec![t, 2.0 * t, -t])),
    ("evenly on a line", |_| Matrix::from_fn(20, 2, |i, _| i as f64)),
    ("in a plane of five features", |rng| {
        let table = uniform(rng, 30, 2);
        Matrix::from_fn(30, 5, |i, f| table[(i, 0)] * f as f64 - table[(i, 1)])
    }),
    ("two places only", |_| Matrix::from_fn(20, 3, |i, _| (i % 2) as f64)),
    ("each row twice", |rng| {
        let table = uniform(rng, 15, 3);
        Matrix::from_fn(30, 3, |i, f| table[(i / 2, f)])
    }),
    ("half of the rows equal", |rng| {
        let table = uniform(rng, 24, 3);
        Matrix::from_fn(24, 3, |i, f| if i < 12 { 0.5 } else { table[(i, f)] })
    }),
    ("an outlier of 1e12", |rng| {
        let table = uniform(rng, 25, 3);
        Matrix::from_fn(25, 3, |i, f| if i == 7 { 1e12 } else { table[(i, f)] })
    }),
    ("an outlier in one feature", |rng| {
        let table = uniform(rng, 25, 3);
        Matrix::from_fn(25, 3, |i, f| if i == 7 && f == 1 { -1e9 } else { table[(i, f)] })
    }),
    ("1e150", |rng| scaled(uniform(rng, 20, 3), 1e150)),
    ("1e-150", |rng| scaled(uniform(rng, 20, 3), 1e-150)),
    ("1e300", |rng| scaled(uniform(rng, 20, 3), 1e300)),
    ("denormal", |rng| scaled(uniform(rng, 20, 3), 1e-310)),
    ("features from 1e-9 to 1e9", |rng| {
        let table = uniform(rng, 25, 4);
        Matrix::from_fn(25, 4, |i, f| table[(i, f)] * 10f64.powi(6 * f as i32 - 9))
    }),
    ("far from zero", |rng| {
        let table = uniform(rng, 25, 3);
        Matrix::from_fn(25, 3, |i, f| 1e8 + table[(i, f)])
    }),
    ("so far from zero that digits are lost", |rng| {
        let table = uniform(rng, 25, 3);
        Matrix::from_fn(25, 3, |i, f| 1e15 + table[(i, f)])
    }),
    ("three rows", |rng| uniform(rng, 3, 3)),
    ("four rows of fifty features", |rng| uniform(rng, 4, 50)),
    ("a circle", |_| along(30, |t| vec![(TAU * t).cos(), (TAU * t).sin()])),
    ("a torus", |rng| {
        let angles = uniform(rng, 40, 2);
        Matrix::from_fn(40, 3, |i, f| {
            let (u, v) = (TAU * angles[(i, 0)], TAU * angles[(i, 1)]);
            [(2.0 + v.cos()) * u.cos(), (2.0 + v.cos()) * u.sin(), v.sin()][f]
        })
    }),
    ("noise in ten features", |rng| uniform(rng, 30, 10)),
    ("two heaps far apart", |rng| {
        let table = uniform(rng, 24, 3);
        Matrix::from_fn(24, 3, |i, f| table[(i, f)] + if i < 12 { 0.0 } else { 1e6 })
    }),
];

type Edges = Option<fn(u32) -> Vec<(u32, u32)>>;

/// Four ways to fit each: the default, the paper's model, other units with as many coordinates as features, and an odd graph.
fn ways(number: usize, n: usize, d: usize) -> [(&'static str, Config, Edges); 4] {
    let small = Config { max_iter: 6, n_neighbors: 5.min(n - 1), n_components: 2.min(d), ..Config::default() };
    let small = Config { connect: true, init: Init::Pca, ..small };
    let chain: Edges = Some(|n| (1..n).map(|i| (i - 1, i)).collect());
    let star: Edges = Some(|n| (1..n).map(|i| (0, i)).collect());
    let ring: Edges = Some(|n| (0..n).map(|i| (i.min((i + 1) % n), i.max((i + 1) % n))).collect());
    let complete: Edges = Some(|n| (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j))).collect());
    let graphs = [("a chain", chain), ("a star", star), ("a ring", ring), ("a complete graph", complete)];
    let (name, edges) = graphs[number % 4];
    [
        ("by default", Config { init: Init::Auto, ..small.clone() }, None),
        ("the paper's model", Config { graph_likelihood: false, scaling: ScalingRule::None, ..small.clone() }, None),
        (
            "as many coordinates as features, all neighbours",
            Config { n_components: d.min(4), n_neighbors: n - 1, scaling: ScalingRule::PerFeature, ..small.clone() },
            None,
        ),
        (name, small, edges),
    ]
}

fn fitted(config: Config, edges: Edges, table: &Matrix) -> Result<Fit, Error> {
    let fitter = Fitter::new(config);
    match edges {
        Some(edges) => fitter.edges(edges(table.nrows() as u32)).fit(table),
        None => fitter.fit(table),
    }
}

#[test]
fn a_hundred_tables_that_numbers_do_not_like() {
    let (mut fits, mut refusals) = (0, Vec::new());
    for (number, (name, make)) in TABLES.iter().enumerate() {
        let table = make(&mut ChaCha8Rng::seed_from_u64(number as u64));
        for (way, config, edges) in ways(number, table.nrows(), table.ncols()) {
            let what = format!("{name}, {way}");
            match fitted(config, edges, &table) {
                Err(error) => {
                    let said = error.to_string();
                    assert!(said.contains("; ") && !said.contains('\n'), "{what}: {said}");
                    refusals.push(format!("{what}: {said}"));
                }
                Ok(fit) => {
                    let all = |matrix: &Matrix| {
                        (0..matrix.ncols()).flat_map(|c| matrix.col_as_slice(c).to_vec()).collect::<Vec<_>>()
                    };
                    let numbers =
                        [all(&fit.coordinates), all(&fit.standard_deviations()), all(&fit.maps), vec![fit.bound()]]
                            .concat();
                    assert!(numbers.iter().all(|value| value.is_finite()), "{what}");
                    assert!(all(&fit.standard_deviations()).iter().all(|&deviation| deviation >= 0.0), "{what}");
                    let feature_names = (0..table.ncols()).map(|f| format!("f{f}")).collect();
                    let model = Model {
                        fit,
                        feature_names,
                        ids: None,
                        labels: None,
                        carried: vec![],
                        table: None,
                        label_name: None,
                        reading: None,
                    };
                    model.cautions();
                    let bytes = model_to_bytes(&model).unwrap();
                    let read = model_from_bytes(&bytes, Path::new("m.safetensors"));
                    assert!(read.is_ok(), "{what}: {}", read.err().unwrap());
                    assert!(serde_json::to_value(Summary::new(&model, vec![])).unwrap().is_object(), "{what}");
                    fits += 1;
                }
            }
        }
    }
    println!("{fits} fits, {} refusals:\n{}", refusals.len(), refusals.join("\n"));
    assert_eq!(fits + refusals.len(), 100);
    assert!(fits >= 80, "only {fits} fits");
}

fn curve() -> Synthetic {
    generate(Shape::SCurve, 150, 0.02, 5)
}

fn layout(points: &Matrix) -> Matrix {
    let config = Config { init: Init::Isomap, n_neighbors: 8, ..Config::default() };
    Fitter::new(config).fit(points).unwrap().coordinates
}

/// How far two layouts are from each other, beyond what turning, moving and scaling one can mend.
fn apart(one: &Matrix, other: &Matrix) -> f64 {
    procrustes(one, other).unwrap()
}

/// The entries of a changed table.
type Change<'t> = Box<dyn Fn(usize, usize) -> f64 + 't>;

#[test]
fn what_only_moves_scales_or_turns_a_table_does_no_more_to_the_layout() {
    let points = curve().points;
    let first = layout(&points);
    let (c, s) = (0.8, 0.6);
    let changes: [(&str, Change); 4] = [
        ("scaled", Box::new(|i, f| 1000.0 * points[(i, f)])),
        ("moved", Box::new(|i, f| points[(i, f)] + [3.0, -50.0, 7.0][f])),
        (
            "turned",
            Box::new(|i, f| match f {
                0 => c * points[(i, 0)] - s * points[(i, 2)],
                2 => s * points[(i, 0)] + c * points[(i, 2)],
                _ => points[(i, f)],
            }),
        ),
        ("features in another order", Box::new(|i, f| points[(i, 2 - f)])),
    ];
    for (what, change) in changes {
        let changed = Matrix::from_fn(points.nrows(), points.ncols(), change);
        let apart = apart(&layout(&changed), &first);
        assert!(apart < 1e-3, "{what}: {apart}");
    }
}

#[test]
fn the_order_of_the_rows_is_the_order_of_the_layout() {
    let points = curve().points;
    let n = points.nrows();
    let order: Vec<usize> = (0..n).map(|i| i * 67 % n).collect();
    let changed = Matrix::from_fn(n, 3, |i, f| points[(order[i], f)]);
    let first = layout(&points);
    let expected = Matrix::from_fn(n, 2, |i, a| first[(order[i], a)]);
    let apart = apart(&layout(&changed), &expected);
    assert!(apart < 1e-3, "{apart}");
}

#[test]
fn rows_given_twice_stand_together() {
    let points = curve().points;
    let n = points.nrows();
    let twice = Matrix::from_fn(n + 30, 3, |i, f| points[(if i < n { i } else { 5 * (i - n) }, f)]);
    let found = layout(&twice);
    let spread =
        (0..2).map(|a| found.col_as_slice(a).iter().map(|x| x * x).sum::<f64>()).sum::<f64>() / (n + 30) as f64;
    for copy in 0..30 {
        let step: f64 = (0..2).map(|a| (found[(n + copy, a)] - found[(5 * copy, a)]).powi(2)).sum();
        assert!(step < 0.01 * spread, "row {}: {step} of {spread}", 5 * copy);
    }
    let expected = layout(&points);
    let first = Matrix::from_fn(n, 2, |i, a| found[(i, a)]);
    let apart = apart(&first, &expected);
    assert!(apart < 0.02, "{apart}");
}

/// A row is placed by itself: alone, in any company, in any order.
#[test]
fn rows_are_placed_the_same_in_blocks_of_any_size() {
    let config = Config { init: Init::Pca, max_iter: 10, ..Config::default() };
    let fit = Fitter::new(config).fit(&curve().points).unwrap();
    let extension = tangency::extend::Extension::new(&fit).unwrap();
    let new = generate(Shape::SCurve, 24, 0.02, 6).points;
    let part = |rows: &[usize]| Matrix::from_fn(rows.len(), 3, |i, f| new[(rows[i], f)]);
    let all = extension.transform(&new).unwrap();
    for size in [1, 5, 24] {
        let rows: Vec<usize> = (0..24).rev().collect();
        for block in rows.chunks(size) {
            let placed = extension.transform(&part(block)).unwrap();
            assert!(placed.iter().zip(block).all(|(placed, &row)| *placed == all[row]), "blocks of {size}");
        }
    }
}

/// A point that thousands of edges meet in takes no more than the others around it.
#[test]
fn a_hub_can_be_left_out() {
    let points = generate(Shape::SCurve, 900, 0.02, 7).points;
    let chain = (1..900_u32).flat_map(|i| [(i - 1, i), (i.saturating_sub(2), i)]);
    let edges = chain.chain((3..880).map(|j| (0, j))).filter(|(i, j)| i != j).collect();
    let config = Config { init: Init::Pca, max_iter: 2, graph_likelihood: false, ..Config::default() };
    let fit = Fitter::new(config).edges(edges).fit(&points).unwrap();
    let extension = tangency::extend::Extension::new(&fit).unwrap();
    let left_out = extension.left_out();
    assert!(
        left_out.iter().flatten().all(|point| point.mean.iter().chain(&point.values).all(|value| value.is_finite()))
    );
    assert!(left_out[0].is_some());
}
