//! Tangents, histories, bars, graphs and grids: what is drawn, what is refused, and inputs at the edge of sense.

use super::{check, spiral, texts};
use crate::*;
use tangency::view::Known;

const PAPER: Format<'static> = Format { title: "", width: Some(120.0) };

fn count(figure: &Figure, what: &str) -> usize {
    figure.svg().matches(what).count()
}

fn nothing(result: Result<Figure, FigureError>) -> bool {
    matches!(result, Err(FigureError::NothingToDraw(_)))
}

fn length(result: Result<Figure, FigureError>) -> bool {
    matches!(result, Err(FigureError::Length { .. }))
}

#[test]
fn a_square_at_each_point() {
    let (space, _, angles) = spiral(30);
    let tangent = |t: &f64| [t.cos() - t * t.sin(), 0.0, t.sin() + t * t.cos()];
    let planes: Vec<Vec<[f64; 3]>> = angles.iter().map(|t| vec![tangent(t), [0.0, 1.0, 0.0]]).collect();
    let lines: Vec<Vec<[f64; 3]>> = angles.iter().map(|t| vec![tangent(t)]).collect();
    let colour = Colour::Continuous { values: &angles, title: "angle" };
    let all = Tangents { points: &space, directions: &planes, side: 0.8, ..Tangents::default() };
    let draw = |what: &Tangents<'_>| tangents(what, colour, PAPER).unwrap();
    let faces = 3;
    let figure = draw(&all);
    check(&figure);
    assert_eq!(count(&figure, "Z\""), 30 + faces);
    assert_eq!(count(&draw(&Tangents { every: 4, ..all }), "Z\""), 8 + faces);
    let along = draw(&Tangents { directions: &lines, ..all });
    check(&along);
    assert_eq!((count(&along, "Z\""), count(&along, "<circle")), (faces, 30));
    for view in [(0.0, 0.0), (90.0, 90.0), (-45.0, -90.0), (360.0, 30.0)] {
        check(&draw(&Tangents { view, ..all }));
    }
    assert!(length(tangents(&Tangents { directions: &planes[1..], ..all }, colour, PAPER)));
    assert!(length(tangents(&all, Colour::Continuous { values: &angles[1..], title: "" }, PAPER)));
}

#[test]
fn tangents_at_the_edge_of_sense() {
    let nan = f64::NAN;
    let draw = |points: &[[f64; 3]], directions: &[Vec<[f64; 3]>], side: f64| {
        let what = Tangents { points, directions, side, ..Tangents::default() };
        tangents(&what, Colour::None, PAPER)
    };
    assert!(nothing(draw(&[], &[], 1.0)));
    assert!(nothing(draw(&[[nan; 3]], &[vec![[1.0; 3]]], 1.0)));
    let points = [[0.0, 0.0, 0.0], [1.0, nan, 0.0], [2.0, 0.0, 0.0]];
    let figure = draw(&points, &[vec![], vec![[1.0; 3]], vec![[nan; 3], [1.0; 3]]], 1.0).unwrap();
    check(&figure);
    assert!(texts(&figure).iter().any(|text| text.contains("left out")));
    for side in [0.0, -1.0, nan, 1e300, f64::INFINITY] {
        check(&draw(&[[1.0; 3]], &[vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]], side).unwrap());
    }
}

#[test]
fn a_history_of_three_tracks() {
    let times: Vec<f64> = (1..=40).map(f64::from).collect();
    let line = |shift: f64| times.iter().map(|t| shift - 100.0 / t).collect::<Vec<f64>>();
    let tracks = [
        Track { title: "bound", lines: vec![("bound", line(0.0))], logarithmic: false },
        Track { title: "parts", lines: vec![("one", line(1.0)), ("two", line(9.0))], logarithmic: false },
        Track {
            title: "precision",
            lines: vec![("gamma", times.clone()), ("zero", vec![0.0; 40]), ("odd", vec![-1.0; 40])],
            logarithmic: true,
        },
        Track { title: "empty", lines: vec![("none", vec![f64::NAN; 40])], logarithmic: false },
    ];
    let figure = history(&times, &tracks, "iteration", &["a note".to_owned()], PAPER).unwrap();
    check(&figure);
    let texts = texts(&figure);
    for expected in ["bound", "one", "two", "gamma", "iteration", "101"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among {texts:?}");
    }
    assert!(texts.iter().any(|text| text.contains("a note; the beginning")), "{texts:?}");
    assert!(!texts.iter().any(|text| ["zero", "odd", "empty", "none"].contains(&text.as_str())), "{texts:?}");
}

#[test]
fn histories_at_the_edge_of_sense() {
    let track = |values: &[f64], logarithmic: bool| {
        [Track { title: "value", lines: vec![("a", values.to_vec()), ("b", values.to_vec())], logarithmic }]
    };
    assert!(nothing(history(&[], &[], "t", &[], PAPER)));
    assert!(nothing(history(&[1.0], &track(&[f64::NAN], false), "t", &[], PAPER)));
    assert!(nothing(history(&[1.0], &track(&[0.0], true), "t", &[], PAPER)));
    assert!(length(history(&[1.0, 2.0], &track(&[0.0], false), "t", &[], PAPER)));
    for value in [1.0, 1e-300, 1e299, 3e-8] {
        for logarithmic in [false, true] {
            check(&history(&[1.0], &track(&[value], logarithmic), "t", &[], PAPER).unwrap());
            check(&history(&[1.0, 2.0, 3.0], &track(&[value, f64::NAN, 1.0], logarithmic), "t", &[], "").unwrap());
        }
    }
}

#[test]
fn bars_side_by_side() {
    let bar = |name: &'static str, value: f64| Bar { name, value, deviation: 0.1 };
    let group = |heading: &'static str| BarGroup {
        heading,
        bars: vec![bar("first & last", 1.0), bar("second", -0.5), bar("missing", f64::NAN)],
    };
    let groups = [group("x1"), group("x2"), group("x3")];
    for width in [None, Some(85.0), Some(120.0), Some(250.0)] {
        let figure = bars(&groups, "change", &["a note".to_owned()], Format { title: "Bars", width }).unwrap();
        check(&figure);
        // the page and two bars a group
        assert_eq!(count(&figure, "<rect"), 1 + 2 * 3);
        let texts = texts(&figure);
        assert_eq!(texts.iter().filter(|text| *text == "first & last").count(), 3);
    }
    assert!(nothing(bars(&[], "change", &[], PAPER)));
    assert!(nothing(bars(&[BarGroup::default()], "change", &[], PAPER)));
    let odd = |value: f64, deviation: f64| {
        bars(&[BarGroup { heading: "", bars: vec![Bar { name: "", value, deviation }] }], "", &[], PAPER).unwrap()
    };
    for (value, deviation) in [(0.0, 0.0), (1e299, 1e299), (-1e-300, f64::NAN), (1.0, -5.0), (2.0, f64::INFINITY)] {
        check(&odd(value, deviation));
    }
}

#[test]
fn a_graph_in_one_two_and_three_dimensions() {
    let (space, _, _) = spiral(20);
    let edges: Vec<Edge> =
        (1..20).map(|i| Edge { ends: (i - 1, i), score: (i > 15).then_some(0.1 * i as f64) }).collect();
    for dimension in 1..=4 {
        let point = |row: &[f64; 3]| row.iter().copied().chain([1.0]).take(dimension).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = space.iter().map(point).collect();
        let figure = graph(&points, &edges, "score", PAPER).unwrap();
        check(&figure);
        assert!(texts(&figure).contains(&"score".to_owned()));
        let plain: Vec<Edge> = edges.iter().map(|edge| Edge { score: None, ..*edge }).collect();
        check(&graph(&points, &plain, "score", "on a screen").unwrap());
        assert!(nothing(graph(&vec![vec![f64::NAN; dimension]; 20], &edges, "score", PAPER)));
        check(&graph(&vec![vec![1.0; dimension]; 20], &edges, "score", PAPER).unwrap());
    }
    let points = vec![vec![0.0, 0.0], vec![1.0, f64::NAN], vec![1.0, 1.0]];
    let edge = |i, j, score| Edge { ends: (i, j), score: Some(score) };
    check(&graph(&points, &[edge(0, 1, 1.0), edge(0, 2, f64::NAN), edge(2, 0, 3.0)], "", PAPER).unwrap());
    assert!(matches!(graph(&points, &[edge(0, 3, 1.0)], "", PAPER), Err(FigureError::Edge { to: 3, .. })));
    assert!(nothing(graph(&[], &[], "", PAPER)));
    assert!(length(graph(&[vec![1.0], vec![1.0, 2.0]], &[], "", PAPER)));
}

fn cells(count: usize, values: usize, known: impl Fn(usize) -> Known) -> Vec<LatticeCell> {
    let value = |cell: usize, index: usize| ((cell + index) as f64).sin();
    (0..count)
        .map(|cell| LatticeCell {
            values: (0..values).map(|index| value(cell, index)).collect(),
            deviations: vec![0.1; values],
            known: known(cell),
        })
        .collect()
}

#[test]
fn a_grid_of_images_and_one_of_profiles() {
    let (x, y) = ([0.0, 1.0, 2.0, 3.0], [-1.0, 0.0, 1.0]);
    let known = |cell| [Known::Well, Known::Badly, Known::Not][cell % 3];
    let cells = cells(12, 6, known);
    let image = CellShape::Image(TileShape { rows: 3, columns: 2 });
    for (shape, sign) in [(image, "<g "), (CellShape::Profile, "stroke-width=\"1\"")] {
        let figure = lattice(&Lattice { x: &x, y: &y, cells: &cells, shape }, &[], PAPER).unwrap();
        check(&figure);
        let drawn = if shape == image { count(&figure, sign) } else { count(&figure, "fill-opacity=\"0.25\"") };
        assert_eq!(drawn, 8, "{shape:?}");
        let texts = texts(&figure);
        assert!(texts.contains(&"x2".to_owned()));
        let line = lattice(&Lattice { x: &x, y: &[0.0], cells: &cells[..4], shape }, &[], "on a screen").unwrap();
        check(&line);
    }
}

#[test]
fn grids_at_the_edge_of_sense() {
    let draw = |x: &[f64], y: &[f64], cells: &[LatticeCell], shape: CellShape| {
        lattice(&Lattice { x, y, cells, shape }, &[], PAPER)
    };
    let well = |count, values| cells(count, values, |_| Known::Well);
    let profile = CellShape::Profile;
    assert!(nothing(draw(&[], &[], &[], profile)));
    assert!(nothing(draw(&[0.0], &[0.0], &well(1, 0), profile)));
    assert!(nothing(draw(&[0.0], &[0.0], &cells(1, 3, |_| Known::Not), profile)));
    assert!(length(draw(&[0.0, 1.0], &[0.0], &well(1, 3), profile)));
    assert!(length(draw(&[0.0], &[0.0], &well(1, 3), CellShape::Image(TileShape { rows: 2, columns: 2 }))));
    check(&draw(&[0.0], &[0.0], &well(1, 1), profile).unwrap());
    check(&draw(&[5.0, 5.0], &[1.0, 1.0], &well(4, 2), profile).unwrap());
    let mut holed = well(2, 5);
    holed[0].values = vec![f64::NAN, 1.0, f64::INFINITY, 2.0, 3.0];
    holed[1].deviations = vec![];
    check(&draw(&[0.0, 1.0], &[0.0], &holed, profile).unwrap());
    check(&draw(&[0.0, 1.0], &[0.0], &holed, CellShape::Image(TileShape { rows: 1, columns: 5 })).unwrap());
}
