//! The same points many times over: one grid, one key, one size of points, and what failed keeps its place.

use super::{check, spiral, texts};
use crate::*;

/// So many embeddings of `count` points: a spiral turned, stretched and bent.
fn panels(many: usize, count: usize) -> Vec<Multiple> {
    let (_, plane, _) = spiral(count);
    let panel = |index: usize| {
        let (sine, cosine) = (0.4 * index as f64).sin_cos();
        let place = |&[x, y]: &[f64; 2]| [cosine * x - sine * y, (1.0 + index as f64) * (sine * x + cosine * y)];
        Multiple {
            name: format!("Method {index}"),
            note: format!("Procrustes .{index}0 · trust .87"),
            coordinates: plane.iter().map(place).collect(),
        }
    };
    (0..many).map(panel).collect()
}

#[test]
fn every_number_of_embeddings_makes_a_figure() {
    for many in 1..=17 {
        let figure = multiples(&panels(many, 12), Colour::None, None, "Many").unwrap();
        check(&figure);
        assert_eq!(figure.svg().matches("<circle").count(), 12 * many);
        let texts = texts(&figure);
        assert!((0..many).all(|index| texts.contains(&format!("Method {index}"))));
        assert!((350.0..1200.0).contains(&figure.size().0), "{many}: {:?}", figure.size());
    }
}

#[test]
fn all_panels_share_one_key_and_one_size_of_points() {
    let shown = panels(6, 40);
    let labels: Vec<String> = (0..40).map(|i| format!("class {}", i % 3)).collect();
    let values: Vec<f64> = (0..40).map(f64::from).collect();
    let places: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i % 7), f64::from(i / 7)]).collect();
    let count = |figure: &Figure, text: &str| texts(figure).iter().filter(|found| *found == text).count();

    let figure = multiples(&shown, Colour::Categorical { labels: &labels, title: "kind" }, None, "").unwrap();
    check(&figure);
    assert_eq!(["kind", "class 0", "class 1", "class 2"].map(|text| count(&figure, text)), [1; 4]);
    let radii: std::collections::BTreeSet<&str> = figure
        .svg()
        .split("<circle")
        .skip(1)
        .filter_map(|circle| circle.split(" r=\"").nth(1)?.split('"').next())
        .collect();
    assert_eq!(radii.len(), 2, "one for points and one for the key: {radii:?}");

    let figure = multiples(&shown, Colour::Continuous { values: &values, title: "time" }, Some(2), "").unwrap();
    check(&figure);
    assert_eq!(count(&figure, "time"), 1);

    let titles = ["longitude", "latitude"];
    let figure = multiples(&shown, Colour::Place { places: &places, titles }, None, "Stations").unwrap();
    check(&figure);
    assert_eq!(titles.map(|text| count(&figure, text)), [1; 2]);
    assert_eq!(count(&figure, "6"), 1);
    let colour = |index: usize| {
        let at = figure.svg().split("<circle").nth(1 + index).unwrap();
        at.split("fill=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert!((0..40).all(|i| colour(i) == colour(40 + i)), "a point has its colour in every panel");
    assert!(colour(0) != colour(6) && colour(0) != colour(35));
}

#[test]
fn what_failed_keeps_its_place_and_says_why() {
    let mut shown = panels(5, 30);
    shown[2] = Multiple { name: "Method 2".into(), note: "did not converge".into(), coordinates: vec![] };
    shown[3].coordinates[4][1] = f64::NAN;
    shown[4].coordinates.iter_mut().for_each(|place| place[0] = f64::INFINITY);
    let figure = multiples(&shown, Colour::None, None, "Some").unwrap();
    check(&figure);
    assert_eq!(figure.svg().matches("<circle").count(), 30 + 30 + 29);
    let texts = texts(&figure).join(" ");
    for expected in ["did not converge", "1 point of Method 3 without", "Method 4 without finite", "Method 2"] {
        assert!(texts.contains(expected), "{expected} is not in {texts}");
    }
}

#[test]
fn embeddings_that_do_not_match_are_refused() {
    let shown = panels(3, 20);
    let nothing = |result| matches!(result, Err(FigureError::NothingToDraw(_)));
    assert!(nothing(multiples(&[], Colour::None, None, "")));
    assert!(nothing(multiples(&shown, Colour::None, Some(0), "")));
    let failed = Multiple { name: "none".into(), ..Multiple::default() };
    assert!(nothing(multiples(&[failed.clone(), failed.clone()], Colour::None, None, "")));
    let nowhere = Multiple { coordinates: vec![[f64::NAN; 2]; 20], ..failed };
    assert!(nothing(multiples(&[nowhere], Colour::None, None, "")));
    let length = |result| matches!(result, Err(FigureError::Length { .. }));
    let mut shorter = shown.clone();
    shorter[1].coordinates.pop();
    assert!(length(multiples(&shorter, Colour::None, None, "")));
    let places = [[0.0; 2]; 19];
    assert!(length(multiples(&shown, Colour::Place { places: &places, titles: [""; 2] }, None, "")));
}

#[test]
fn embeddings_at_the_edge_of_sense_side_by_side() {
    let make = |coordinates: &[[f64; 2]]| Multiple {
        name: "a name that is far too long for the width of its panel & <b>markup</b>".into(),
        note: "a note that is far too long for the width of its panel, whatever it may be".into(),
        coordinates: coordinates.to_vec(),
    };
    for value in [0.0, 1.0, -1e299, 1e299, 1e-310] {
        let same = make(&[[value; 2]; 3]);
        let line = make(&[[value, 0.0], [0.0, 0.0], [-value, 0.0]]);
        let lost = make(&[[f64::NAN, value], [1.0, 2.0], [value, f64::INFINITY]]);
        let places = [[value, 1.0], [f64::NAN, 0.0], [0.0, value]];
        let colour = Colour::Place { places: &places, titles: ["across", "a title too long for the square"] };
        check(&multiples(&[same, line, lost], colour, None, "Title").unwrap());
    }
    let (nan, points) = ([[f64::NAN; 2]; 3], make(&[[0.0, 1.0], [1.0, 0.0], [2.0, 5.0]]));
    check(&multiples(&[points], Colour::Place { places: &nan, titles: ["", ""] }, Some(9), "").unwrap());
}

#[test]
fn many_points_are_thinned_alike_in_all_panels() {
    let figure = multiples(&panels(10, 8000), Colour::None, None, "").unwrap();
    assert_eq!(figure.svg().matches("<circle").count(), 10 * 8000_usize.div_ceil(3));
    assert!(texts(&figure).contains(&"one point in 3 drawn".to_owned()));
}

#[test]
fn on_paper_they_are_as_wide_as_was_asked() {
    let labels: Vec<String> = (0..40).map(|i| format!("class {}", i % 12)).collect();
    let colour = Colour::Categorical { labels: &labels, title: "kind" };
    for width in [60.0, 85.0, 180.0] {
        let figure = multiples(&panels(9, 40), colour, None, Format { title: "On paper", width: Some(width) }).unwrap();
        check(&figure);
        assert!((figure.size().0 - width * 96.0 / 25.4).abs() < 1e-9);
    }
}
