//! Whole figures: well-formed and self-contained SVG, PNG of the right size, and inputs at the edge of sense.

use resvg::usvg::roxmltree::Document;

use crate::*;

mod curves;
mod model_figures;
mod multiples;
mod papers;
mod tiles;

fn check(figure: &Figure) {
    let svg = figure.svg();
    let document = Document::parse(svg).unwrap();
    for node in document.descendants().filter(|node| node.is_element()) {
        assert!(!matches!(node.tag_name().name(), "script" | "image" | "foreignObject" | "a" | "use"));
        for attribute in node.attributes() {
            assert!(!attribute.name().contains("href") && !attribute.name().starts_with("on"));
            assert!(!attribute.value().contains("NaN") && !attribute.value().contains("inf"));
        }
    }
    let outside = svg.replacen("http://www.w3.org/2000/svg", "", 1);
    assert!(!outside.contains("http"));
    for (start, _) in outside.match_indices("url(") {
        assert!(outside[start..].starts_with("url(data:font/ttf;base64,"));
    }
    let png = figure.png(1.0).unwrap();
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let side = |at: usize| u32::from_be_bytes([png[at], png[at + 1], png[at + 2], png[at + 3]]);
    let (width, height) = figure.size();
    assert_eq!((f64::from(side(16)), f64::from(side(20))), (width.round(), height.round()));
    assert!(figure.pdf().unwrap().starts_with(b"%PDF-"));
}

fn texts(figure: &Figure) -> Vec<String> {
    let document = Document::parse(figure.svg()).unwrap();
    let set = document.descendants().filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "text")));
    set.map(|node| node.descendants().filter_map(|part| part.text().filter(|_| part.is_text())).collect()).collect()
}

fn spiral(count: usize) -> (Vec<[f64; 3]>, Vec<[f64; 2]>, Vec<f64>) {
    let angles: Vec<f64> = (0..count).map(|i| 4.0 + 8.0 * i as f64 / count as f64).collect();
    let height = |i: usize| 10.0 * (i as f64 * 0.618).fract();
    let space = angles.iter().enumerate().map(|(i, t)| [0.35 * t * t.cos(), height(i), 0.35 * t * t.sin()]);
    let plane = angles.iter().enumerate().map(|(i, t)| [0.175 * t * t, height(i)]);
    (space.collect(), plane.collect(), angles)
}

fn rows(values: &[[f64; 2]]) -> Vec<Vec<f64>> {
    values.iter().map(|row| row.to_vec()).collect()
}

#[test]
fn a_roll_beside_its_embedding() {
    let (space, plane, angles) = spiral(60);
    let covariances = vec![[[0.04, 0.01], [0.01, 0.03]]; 60];
    let edges: Vec<(usize, usize)> = (1..60).map(|i| (i - 1, i)).collect();
    let captions = RollCaptions { title: "A roll", ..RollCaptions::default() };
    let figure = roll_and_embedding(&space, &plane, &covariances, &angles, "angle", &edges, captions).unwrap();
    check(&figure);
    assert_eq!(figure.svg().matches("<ellipse").count(), 60);
    assert_eq!(figure.svg().matches("<circle").count(), 120);
    let texts = texts(&figure);
    assert!(texts.iter().any(|text| text == "ellipses: 2 standard deviations"));
    assert!(texts.iter().any(|text| text == "angle"));
    assert!(figure.svg().len() < 250_000);
}

#[test]
fn a_roll_rejects_inputs_that_do_not_match() {
    let (space, plane, angles) = spiral(5);
    let draw = |covariances: &[[[f64; 2]; 2]], values: &[f64], edges: &[(usize, usize)]| {
        roll_and_embedding(&space, &plane, covariances, values, "", edges, RollCaptions::default())
    };
    assert!(matches!(draw(&[], &angles[1..], &[]), Err(FigureError::Length { .. })));
    assert!(matches!(draw(&[[[1.0; 2]; 2]], &angles, &[]), Err(FigureError::Length { .. })));
    assert!(matches!(draw(&[], &angles, &[(0, 5)]), Err(FigureError::Edge { to: 5, .. })));
    let empty = roll_and_embedding(&[], &[], &[], &[], "", &[], RollCaptions::default());
    assert!(matches!(empty, Err(FigureError::NothingToDraw(_))));
}

#[test]
fn a_roll_survives_missing_and_equal_values() {
    let nan = f64::NAN;
    let space = [[0.0, 1.0, 2.0], [nan, 0.0, 0.0], [0.0, 1.0, 2.0]];
    let plane = [[1.0, 1.0], [1.0, 1.0], [nan, 0.0]];
    let covariances = [[[nan; 2]; 2], [[0.0; 2]; 2], [[1.0, 0.0], [0.0, 1.0]]];
    let draw = |space: &[[f64; 3]], values: &[f64]| {
        roll_and_embedding(space, &plane, &covariances, values, "value", &[(0, 1), (0, 2)], RollCaptions::default())
    };
    let missing = draw(&space, &[nan, nan, nan]).unwrap();
    check(&missing);
    let note = "1 point without finite coordinates left out";
    assert_eq!(texts(&missing).iter().filter(|text| *text == note).count(), 2);
    check(&draw(&space, &[1.0, 1.0, f64::INFINITY]).unwrap());
    let nowhere = draw(&[[nan; 3]; 3], &[0.0; 3]);
    assert!(matches!(nowhere, Err(FigureError::NothingToDraw(_))));
}

#[test]
fn labels_are_text_and_never_markup() {
    let (_, plane, _) = spiral(6);
    let labels: Vec<String> =
        ["<script>alert(1)</script>", "a & b", "\"q\"", "]]>", "\u{0}\u{8}x", ""].map(String::from).to_vec();
    let colour = Colour::Categorical { labels: &labels, title: "<b>group</b>" };
    let figure = embedding(&rows(&plane), PointUncertainty::None, colour, "</title><script>").unwrap();
    check(&figure);
    let texts = texts(&figure);
    for label in &labels[..4] {
        assert!(texts.contains(label), "{label} is not among {texts:?}");
    }
    assert!(texts.contains(&"no label".to_owned()));
}

#[test]
fn embeddings_of_one_two_and_three_dimensions() {
    for dimension in 1..=3 {
        let points: Vec<Vec<f64>> =
            (0..40).map(|i| (0..dimension).map(|d| f64::from(i * (d + 3) % 17)).collect()).collect();
        let deviations = vec![vec![0.5; dimension as usize]; 40];
        let covariances = vec![vec![0.1; (dimension * dimension) as usize]; 40];
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let colour = Colour::Continuous { values: &values, title: "order" };
        check(&embedding(&points, PointUncertainty::StandardDeviations(&deviations), colour, "Points").unwrap());
        check(&embedding(&points, PointUncertainty::Covariances(&covariances), Colour::None, "").unwrap());
        let short = embedding(&points, PointUncertainty::Covariances(&covariances[1..]), Colour::None, "");
        assert!(matches!(short, Err(FigureError::Length { .. })));
    }
}

#[test]
fn embeddings_at_the_edge_of_sense() {
    let draw = |points: &[Vec<f64>]| embedding(points, PointUncertainty::None, Colour::None, "t");
    assert!(matches!(draw(&[]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(draw(&[vec![], vec![]]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(draw(&[vec![f64::NAN, 1.0]]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(draw(&[vec![f64::NAN]]), Err(FigureError::NothingToDraw(_))));
    assert!(matches!(draw(&[vec![1.0, 2.0], vec![1.0]]), Err(FigureError::Length { .. })));
    for value in [0.0, 1.0, -1e299, 1e299, 1e-310, 987_654.321] {
        check(&draw(&[vec![value]]).unwrap());
        check(&draw(&[vec![value], vec![-value], vec![f64::INFINITY]]).unwrap());
        check(&draw(&[vec![value, value]]).unwrap());
        check(&draw(&[vec![value, 0.0], vec![-value, 0.0], vec![0.0, f64::NAN]]).unwrap());
    }
    let odd = [vec![f64::NAN; 4], vec![1e308; 4], vec![-1.0; 4]];
    let points = [vec![0.0, 0.0], vec![1.0, 0.0], vec![0.0, 1.0]];
    check(&embedding(&points, PointUncertainty::Covariances(&odd), Colour::None, "").unwrap());
}

#[test]
fn many_points_are_thinned_and_the_figure_says_so() {
    let points: Vec<Vec<f64>> = (0..4000).map(|i| vec![f64::from(i % 61), f64::from(i % 53)]).collect();
    let deviations = vec![vec![0.5, 0.5]; 4000];
    let figure = embedding(&points, PointUncertainty::StandardDeviations(&deviations), Colour::None, "").unwrap();
    assert_eq!(figure.svg().matches("<ellipse").count(), 1334);
    let note = "ellipses: 2 standard deviations, drawn for one point in 3";
    assert!(texts(&figure).iter().any(|text| text == note));
}
