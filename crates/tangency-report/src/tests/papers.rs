//! Figures for paper: as wide as they are asked to be in every format, with their typeface inside, the same bytes each time.

use super::{check, rows, spiral, texts};
use crate::*;

fn paper(width: f64) -> Format<'static> {
    Format { title: "On paper", width: Some(width) }
}

fn map(format: Format<'_>) -> Figure {
    let (_, plane, angles) = spiral(40);
    let covariances = vec![vec![0.04, 0.01, 0.01, 0.03]; 40];
    let colour = Colour::Continuous { values: &angles, title: "angle" };
    embedding(&rows(&plane), PointUncertainty::Covariances(&covariances), colour, format).unwrap()
}

/// Whether a run of bytes is somewhere in others.
fn holds(bytes: &[u8], run: &[u8]) -> bool {
    bytes.windows(run.len()).any(|window| window == run)
}

#[test]
fn a_pdf_has_its_typeface_inside_and_no_outlines_of_letters() {
    let pdf = map(paper(120.0)).pdf().unwrap();
    assert!(pdf.starts_with(b"%PDF-1."));
    assert!(holds(&pdf, b"/FontFile2") || holds(&pdf, b"/FontFile3"), "no font is embedded");
    assert!(holds(&pdf, b"OpenSans"));
    assert!(holds(&pdf, b"/ToUnicode"), "text cannot be copied");
    // a subset: the whole typeface is more than 200 kB
    assert!(pdf.len() < 100_000, "{} bytes", pdf.len());
}

#[test]
fn the_page_is_as_wide_as_was_asked() {
    for width in [50.0, 85.0, 120.0, 180.0, 300.0] {
        let figure = map(paper(width));
        let (across, _) = figure.size();
        assert!((across - width * 96.0 / 25.4).abs() < 1e-9);
        assert!(figure.svg().contains(&format!("width=\"{width}mm\"")));
        let png = figure.png(2.0).unwrap();
        let number = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
        assert_eq!(f64::from(number(16)), (2.0 * across).round());
        assert_eq!(&png[37..41], b"pHYs");
        assert_eq!(number(41), 7559, "pixels to a metre");
        check(&figure);
    }
    assert!(!holds(&map("On a screen".into()).png(1.0).unwrap(), b"pHYs"));
}

/// From 85 mm on, the width of one column, type has its own size.
#[test]
fn letters_keep_their_size() {
    for width in [85.0, 120.0, 180.0] {
        let figure = map(paper(width));
        let view = figure.svg().split("viewBox=\"0 0 ").nth(1).unwrap();
        let across: f64 = view.split(' ').next().unwrap().parse().unwrap();
        let scale = width * 96.0 / 25.4 / across;
        assert!((0.97..=1.01).contains(&scale), "{width} mm: {scale}");
    }
}

#[test]
fn the_same_figure_has_the_same_bytes() {
    let (one, other) = (map(paper(120.0)), map(paper(120.0)));
    assert_eq!(one.svg(), other.svg());
    assert_eq!(one.pdf().unwrap(), other.pdf().unwrap());
    assert_eq!(one.png(1.0).unwrap(), other.png(1.0).unwrap());
}

#[test]
fn letters_that_the_typeface_lacks_do_no_harm() {
    let labels: Vec<String> = ["東京", "שלום", "<b>", "\u{1F600}", "e\u{301}"].map(String::from).to_vec();
    let points: Vec<Vec<f64>> = (0..5).map(|i| vec![f64::from(i), f64::from(i * i)]).collect();
    let colour = Colour::Categorical { labels: &labels, title: "label" };
    let figure = embedding(&points, PointUncertainty::None, colour, paper(120.0)).unwrap();
    check(&figure);
    assert!(texts(&figure).contains(&"<b>".to_owned()));
}

#[test]
fn three_coordinates_are_drawn_in_space() {
    let (space, _, angles) = spiral(50);
    let points: Vec<Vec<f64>> = space.iter().map(|point| point.to_vec()).collect();
    let covariances = vec![vec![0.05, 0.0, 0.0, 0.0, 0.05, 0.01, 0.0, 0.01, 0.02]; 50];
    let colour = Colour::Continuous { values: &angles, title: "angle" };
    let figure = embedding(&points, PointUncertainty::Covariances(&covariances), colour, paper(120.0)).unwrap();
    check(&figure);
    assert_eq!(figure.svg().matches("<ellipse").count(), 50);
    assert!(texts(&figure).contains(&"x3".to_owned()));
}
