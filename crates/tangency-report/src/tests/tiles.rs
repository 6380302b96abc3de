//! Small images: what is drawn, what is left blank, and inputs at the edge of sense.

use super::{check, texts};
use crate::*;

const SHAPE: TileShape = TileShape { rows: 16, columns: 16 };

/// A ring that opens as `turn` grows, a little like a digit, with soft edges.
fn digit(turn: f64) -> Vec<f64> {
    let pixel = |index: usize| {
        let (x, y) = ((index % 16) as f64 - 7.5, (index / 16) as f64 - 7.5);
        let radius = (x * x + (0.6 + 0.4 * turn) * y * y).sqrt();
        let stroke = (-0.5 * ((radius - 4.2) / 1.1).powi(2)).exp();
        if y.atan2(x).abs() < turn { 0.0 } else { stroke }
    };
    (0..256).map(pixel).collect()
}

fn named<'a>(values: &'a [f64], caption: &'a str) -> Tile<'a> {
    Tile { values, caption, mark: None }
}

#[test]
fn images_with_captions_rows_and_marks() {
    let images: Vec<Vec<f64>> = (0..12).map(|index| digit(f64::from(index) / 6.0)).collect();
    let mut shown: Vec<Tile<'_>> = images.iter().map(|values| named(values, "")).collect();
    for tile in &mut shown[9..] {
        tile.caption = "0 < 1 & 2";
    }
    shown[4].mark = Some("novel");
    shown[5].mark = Some("");
    let rows = ["true", "reconstructed", "mean of neighbours", "PCA"];
    let figure = tiles(&shown, SHAPE, 3, &rows, "Digits").unwrap();
    check(&figure);
    let texts = texts(&figure);
    for expected in rows.iter().chain(&["novel", "Digits"]) {
        assert!(texts.iter().any(|text| text == expected), "{expected} is not among {texts:?}");
    }
    assert_eq!(texts.iter().filter(|text| *text == "0 < 1 & 2").count(), 3);
    assert_eq!(figure.svg().matches("crispEdges").count(), 12);
    assert_eq!(figure.svg().matches("stroke-width=\"2\"").count(), 2);
    assert!(figure.svg().matches("<path").count() <= 12 * 24);
}

#[test]
fn a_hundred_digits_stay_small() {
    let images: Vec<Vec<f64>> = (0..100).map(|index| digit(f64::from(index) / 50.0)).collect();
    let shown: Vec<Tile<'_>> = images.iter().map(|values| named(values, "")).collect();
    let figure = tiles(&shown, SHAPE, 10, &[], "A hundred").unwrap();
    check(&figure);
    assert!(figure.svg().len() < 400_000, "{}", figure.svg().len());
}

#[test]
fn pixels_without_a_value_stay_blank() {
    let mut values = digit(0.0);
    let whole = tiles(&[named(&values, "")], SHAPE, 1, &[], "").unwrap();
    values[0] = f64::NAN;
    values[255] = f64::INFINITY;
    let holed = tiles(&[named(&values, "")], SHAPE, 1, &[], "").unwrap();
    check(&holed);
    let note = "2 pixels without a finite value left blank";
    let joined = texts(&holed).join(" ");
    assert!(joined.contains(note), "{joined}");
    assert!(!texts(&whole).join(" ").contains("blank"));
    assert_ne!(whole.png(1.0).unwrap(), holed.png(1.0).unwrap());
}

#[test]
fn images_that_do_not_match_are_refused() {
    let values = digit(0.5);
    let tile = named(&values, "");
    let nothing = |result| matches!(result, Err(FigureError::NothingToDraw(_)));
    assert!(nothing(tiles(&[], SHAPE, 3, &[], "")));
    assert!(nothing(tiles(&[tile], SHAPE, 0, &[], "")));
    assert!(nothing(tiles(&[tile], TileShape { rows: 0, columns: 16 }, 1, &[], "")));
    assert!(nothing(tiles(&[named(&[f64::NAN; 256], "")], SHAPE, 1, &[], "")));
    let length = |result| matches!(result, Err(FigureError::Length { .. }));
    assert!(length(tiles(&[tile, named(&values[1..], "")], SHAPE, 2, &[], "")));
    assert!(length(tiles(&[tile], TileShape { rows: usize::MAX, columns: 2 }, 1, &[], "")));
    assert!(length(tiles(&[tile, tile], SHAPE, 1, &["only one"], "")));
}

#[test]
fn images_at_the_edge_of_sense() {
    let draw = |values: &[f64], rows: usize, columns: usize| {
        let shown = [named(values, "a caption that is far too long for its image"), named(values, "")];
        tiles(&shown, TileShape { rows, columns }, 7, &["a long caption of a row that is broken into lines"], "Title")
    };
    for value in [0.0, 1.0, -1e299, 1e299, 1e-310] {
        check(&draw(&[value], 1, 1).unwrap());
        check(&draw(&[value, -value, f64::NAN], 3, 1).unwrap());
    }
    let wide: Vec<f64> = (0..600).map(f64::from).collect();
    check(&draw(&wide, 2, 300).unwrap());
    check(&draw(&wide, 300, 2).unwrap());
    let many = vec![named(&wide, ""); 90];
    check(&tiles(&many, TileShape { rows: 20, columns: 30 }, 45, &[], "").unwrap());
}
