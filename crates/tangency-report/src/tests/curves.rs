//! Curves, and what every figure shares: its PNG and its font.

use super::{check, texts};
use crate::*;

fn line(name: &str, values: &[(f64, f64, f64)]) -> Series {
    let points = values.iter().map(|&(x, mean, spread)| Point { x, mean, spread, marker: None });
    Series { name: name.to_owned(), points: points.collect() }
}

#[test]
fn curves_with_gaps_marks_and_a_best_point() {
    let nan = f64::NAN;
    let mut first = line("d = 1", &[(5.0, -10.0, 1.0), (10.0, nan, 1.0), (15.0, -8.0, nan), (20.0, -9.0, 2.0)]);
    first.points[3].marker = Some("not converged".to_owned());
    let second = line("d = 2", &[(20.0, -3.0, 1.0), (5.0, -4.0, 1.0)]);
    let figure = curves(&[first, second], "k", "bound", "Bound", Some((20.0, -3.0))).unwrap();
    check(&figure);
    let texts = texts(&figure);
    for expected in ["d = 1", "d = 2", "not converged", "best: \u{2212}3 at 20", "5", "15", "20"] {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among {texts:?}");
    }
}

#[test]
fn curves_at_the_edge_of_sense() {
    let draw = |series: &[Series]| curves(series, "x", "y", "", None);
    assert!(matches!(draw(&[]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(draw(&[line("a", &[])]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(
        draw(&[line("a", &[(f64::NAN, 1.0, 0.0), (1.0, f64::NAN, 0.0)])]),
        Err(FigureError::NothingToDraw(_))
    ));
    check(&draw(&[line("a", &[(3.0, 5.0, 0.0)])]).unwrap());
    check(&draw(&[line("a", &[(1.0, 5.0, 0.0), (2.0, 5.0, 0.0)]), line("empty", &[])]).unwrap());
    check(&draw(&[line("a", &[(1.0, -12345.6, 10.0), (2.0, 987_654.0, 10.0)])]).unwrap());
    check(&draw(&[line("a", &[(1e-9, 1e-12, 1e-13), (2e-9, 3e-12, f64::INFINITY)])]).unwrap());
    check(&draw(&[line("a", &[(1e20, 1e299, 1e300), (2e20, -1e299, -5.0)])]).unwrap());
    check(&draw(&[line("a", &[(0.0, 987_654.25, 0.0), (1.0, 987_654.250_1, 0.0)])]).unwrap());
    let many: Vec<Series> =
        (0..30).map(|i| line(&format!("{i}"), &[(0.0, f64::from(i), 1.0), (1.0, 0.0, 1.0)])).collect();
    check(&draw(&many).unwrap());
}

#[test]
fn a_png_scales_with_its_figure() {
    let figure = curves(&[line("a", &[(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)])], "x", "y", "t", None).unwrap();
    let png = figure.png(2.0).unwrap();
    let width = u32::from_be_bytes([png[16], png[17], png[18], png[19]]);
    assert_eq!(f64::from(width), 2.0 * figure.size().0);
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e6] {
        assert!(matches!(figure.png(scale), Err(FigureError::Scale(_))));
    }
}

#[test]
fn text_is_rendered_with_the_embedded_font() {
    let draw = |name: &str| {
        let series = [line(name, &[(0.0, 0.0, 0.0), (1.0, 1.0, 0.0)])];
        curves(&series, "x", "y", "t", None).unwrap().png(1.0).unwrap()
    };
    // Names of one width leave all else in place, so that only glyphs can make the pictures differ.
    assert_ne!(draw("12"), draw("34"));
}
