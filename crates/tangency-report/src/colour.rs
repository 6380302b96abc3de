//! Colours: a continuous map, a map of places, and a categorical palette, all safe for colour-blind readers.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use crate::axes::{AxisRange, drawable};
use crate::figure::FigureError;
use crate::key::{Entry, Key, KeySign};
use crate::style::MarkerShape;

/// An opaque sRGB colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rgb(pub u8, pub u8, pub u8);

impl Display for Rgb {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        write!(out, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Rgb {
    /// The colour a share of the way to another.
    pub fn mixed(self, other: Self, share: f64) -> Self {
        let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
        Self(mix(self.0, other.0), mix(self.1, other.1), mix(self.2, other.2))
    }
}

/// The page.
pub(crate) const WHITE: Rgb = Rgb(255, 255, 255);
/// Titles, and what must stand out.
pub(crate) const INK: Rgb = Rgb(28, 30, 33);
/// Axes and their labels.
pub(crate) const SOFT: Rgb = Rgb(70, 74, 80);
/// Remarks.
pub(crate) const QUIET: Rgb = Rgb(112, 117, 124);
/// Grid lines.
pub(crate) const GRID: Rgb = Rgb(232, 234, 237);
/// Points without a value.
pub(crate) const MISSING: Rgb = Rgb(158, 163, 170);

/// Anchors spaced evenly in OKLab lightness from 0.30 to 0.86, so that order shows without hue
/// and the light end still stands out from the page.
const ANCHORS: [Rgb; 11] = [
    Rgb(61, 20, 94),
    Rgb(66, 40, 120),
    Rgb(66, 60, 145),
    Rgb(53, 86, 160),
    Rgb(23, 113, 166),
    Rgb(1, 137, 160),
    Rgb(2, 160, 152),
    Rgb(40, 182, 131),
    Rgb(118, 196, 100),
    Rgb(188, 202, 67),
    Rgb(247, 205, 58),
];

/// From a light to a dark red, as even in lightness, for what has to stand out among greys.
const WARM: [Rgb; 5] = [Rgb(249, 190, 92), Rgb(240, 138, 50), Rgb(214, 86, 32), Rgb(168, 40, 36), Rgb(104, 12, 40)];

/// The palette of Okabe and Ito, the colours that stand out on white first and the yellow a little deepened.
const PALETTE: [Rgb; 8] = [
    Rgb(0, 114, 178),
    Rgb(213, 94, 0),
    Rgb(0, 158, 115),
    Rgb(204, 121, 167),
    Rgb(230, 159, 0),
    Rgb(86, 180, 233),
    Rgb(0, 0, 0),
    Rgb(222, 205, 30),
];

const SHAPES: [MarkerShape; 4] =
    [MarkerShape::Circle, MarkerShape::Square, MarkerShape::Triangle, MarkerShape::Diamond];

/// The most categories told apart; rarer ones share one entry.
const MOST_CATEGORIES: usize = 24;

/// What the colour of the points means.
#[derive(Clone, Copy, Debug)]
pub enum Colour<'a> {
    /// All points alike.
    None,
    /// A number for each point; a value that is not finite is drawn grey.
    Continuous {
        /// One value per point.
        values: &'a [f64],
        /// What the values are.
        title: &'a str,
    },
    /// A label for each point; an empty label is drawn grey.
    Categorical {
        /// One label per point.
        labels: &'a [String],
        /// What the labels are.
        title: &'a str,
    },
    /// A place in a plane for each point, as hue across and lightness upwards; a place that is not finite is drawn grey.
    Place {
        /// One place per point, such as longitude and latitude.
        places: &'a [[f64; 2]],
        /// What the two numbers of a place are.
        titles: [&'a str; 2],
    },
}

/// The colour at a share from 0 to 1 along the continuous map.
pub(crate) fn continuous(share: f64) -> Rgb {
    between(&ANCHORS, share)
}

/// The colour at a share from 0 to 1 on the way to what stands out.
pub(crate) fn warm(share: f64) -> Rgb {
    between(&WARM, share)
}

/// The colour of a place at shares from 0 to 1 across and upwards. Hues run from blue through red to yellow, which readers
/// who cannot tell red from green still see as blue to yellow.
pub(crate) fn place(across: f64, upwards: f64) -> Rgb {
    if !across.is_finite() || !upwards.is_finite() {
        return MISSING;
    }
    let (across, upwards) = (across.clamp(0.0, 1.0), upwards.clamp(0.0, 1.0));
    let (sine, cosine) = (FIRST_HUE + across * (LAST_HUE - FIRST_HUE)).to_radians().sin_cos();
    let lightness = DARKEST + upwards * (LIGHTEST - DARKEST);
    // the most colourful that a screen can show
    let steps = (0..=CHROMA_STEPS).rev().map(|step| MOST_CHROMA * f64::from(step) / f64::from(CHROMA_STEPS));
    steps.filter_map(|chroma| oklab(lightness, chroma * cosine, chroma * sine)).next().unwrap_or(MISSING)
}

/// Hues in degrees, lightnesses and chroma of the map of places, in OKLab.
const FIRST_HUE: f64 = 255.0;
const LAST_HUE: f64 = 455.0;
const DARKEST: f64 = 0.40;
const LIGHTEST: f64 = 0.84;
const MOST_CHROMA: f64 = 0.17;
const CHROMA_STEPS: u32 = 34;

/// A colour of OKLab (Ottosson, 2020), if a screen can show it.
fn oklab(lightness: f64, a: f64, b: f64) -> Option<Rgb> {
    let cube = |root: f64| root * root * root;
    let l = cube(lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b);
    let m = cube(lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b);
    let s = cube(lightness - 0.089_484_177_5 * a - 1.291_485_548 * b);
    let part = |linear: f64| {
        let coded =
            if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.max(0.0).powf(1.0 / 2.4) - 0.055 };
        (-0.002..=1.002).contains(&coded).then(|| (255.0 * coded).round().clamp(0.0, 255.0) as u8)
    };
    Some(Rgb(
        part(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s)?,
        part(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s)?,
        part(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701 * s)?,
    ))
}

fn between(anchors: &[Rgb], share: f64) -> Rgb {
    if !share.is_finite() {
        return MISSING;
    }
    let place = share.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
    let below = (place as usize).min(anchors.len() - 2);
    anchors[below].mixed(anchors[below + 1], place - below as f64)
}

/// The colour of the category with this index.
pub(crate) fn categorical(index: usize) -> Rgb {
    PALETTE[index % PALETTE.len()]
}

/// A marker for the series with this index.
pub(crate) fn shape(index: usize) -> MarkerShape {
    SHAPES[index % SHAPES.len()]
}

/// How each point looks, and the key that explains it.
pub(crate) struct Paint {
    pub points: Vec<(Rgb, MarkerShape)>,
    pub key: Key,
}

impl Paint {
    /// The look of `count` points under a colouring.
    pub fn new(colour: Colour<'_>, count: usize) -> Result<Self, FigureError> {
        let matches = |what, found| match found == count {
            true => Ok(()),
            false => Err(FigureError::Length { what, expected: count, found }),
        };
        match colour {
            Colour::None => Ok(Self { points: vec![(categorical(0), MarkerShape::Circle); count], key: Key::None }),
            Colour::Continuous { values, title } => {
                matches("values that colour the points", values.len())?;
                Ok(Self::along(values, title))
            }
            Colour::Categorical { labels, title } => {
                matches("labels that colour the points", labels.len())?;
                Ok(Self::among(labels, title))
            }
            Colour::Place { places, titles } => {
                matches("places that colour the points", places.len())?;
                Ok(Self::across(places, titles))
            }
        }
    }

    fn along(values: &[f64], title: &str) -> Self {
        let missing = values.iter().any(|&value| !drawable(value));
        let range = AxisRange::of(values.iter().copied()).map(AxisRange::opened);
        let look = |&value: &f64| {
            let share = range.filter(|_| drawable(value));
            let share = share.map_or(f64::NAN, |range| (value - range.lo) / range.span());
            (continuous(share), MarkerShape::Circle)
        };
        let title = title.to_owned();
        let key = match range {
            Some(range) => Key::Bar { range, title, missing, map: continuous },
            None => {
                Key::Legend { title, entries: vec![Entry::new("missing", MISSING, KeySign::Dot(MarkerShape::Circle))] }
            }
        };
        Self { points: values.iter().map(look).collect(), key }
    }

    fn across(places: &[[f64; 2]], titles: [&str; 2]) -> Self {
        let known = |place: &&[f64; 2]| place.iter().all(|&value| drawable(value));
        let range =
            |axis: usize| AxisRange::of(places.iter().filter(known).map(|place| place[axis])).map(AxisRange::opened);
        let missing = places.iter().any(|place| !known(&place));
        let (Some(x), Some(y)) = (range(0), range(1)) else {
            // without a single place all points are grey, as they are without a value
            return Self::along(&vec![f64::NAN; places.len()], titles[0]);
        };
        let look = |at: &[f64; 2]| {
            let share = |axis: usize, range: AxisRange| (at[axis] - range.lo) / range.span();
            let colour = if known(&at) { place(share(0, x), share(1, y)) } else { MISSING };
            (colour, MarkerShape::Circle)
        };
        let key = Key::Square { ranges: [x, y], titles: titles.map(str::to_owned), missing };
        Self { points: places.iter().map(look).collect(), key }
    }

    fn among(labels: &[String], title: &str) -> Self {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for label in labels {
            *counts.entry(label.trim()).or_default() += 1;
        }
        let unlabelled = counts.remove("").is_some();
        let mut common: Vec<(&str, usize)> = counts.into_iter().collect();
        let distinct = common.len();
        if distinct > MOST_CATEGORIES {
            common.sort_by_key(|&(_, count)| Reverse(count));
            common.truncate(MOST_CATEGORIES - 1);
        }
        let mut shown: Vec<&str> = common.into_iter().map(|(label, _)| label).collect();
        order(&mut shown);

        // Past the palette's end colours repeat, so the marker has to tell the rounds apart.
        let look_of = |index: usize| (categorical(index), shape(index / PALETTE.len()));
        let looks: BTreeMap<&str, (Rgb, MarkerShape)> =
            shown.iter().enumerate().map(|(index, &label)| (label, look_of(index))).collect();
        let grey = (MISSING, MarkerShape::Circle);
        let look = |label: &String| looks.get(label.trim()).copied().unwrap_or(grey);
        let mut entries: Vec<Entry> = shown
            .iter()
            .filter_map(|&label| {
                looks.get(label).map(|&(colour, shape)| Entry::new(label, colour, KeySign::Dot(shape)))
            })
            .collect();
        if distinct > shown.len() {
            let rest = format!("{} others", distinct - shown.len());
            entries.push(Entry::new(&rest, MISSING, KeySign::Dot(MarkerShape::Circle)));
        } else if unlabelled {
            entries.push(Entry::new("no label", MISSING, KeySign::Dot(MarkerShape::Circle)));
        }
        let key = Key::Legend { title: title.to_owned(), entries };
        Self { points: labels.iter().map(look).collect(), key }
    }
}

/// Orders labels as numbers where all are numbers, else as text in which runs of digits count as numbers.
fn order(labels: &mut [&str]) {
    let number = |label: &&str| label.parse::<f64>().ok().filter(|value| value.is_finite());
    if labels.iter().all(|label| number(label).is_some()) {
        labels.sort_by(|a, b| number(a).partial_cmp(&number(b)).unwrap_or(Ordering::Equal));
    } else {
        labels.sort_by(|a, b| natural(a, b));
    }
}

fn natural(a: &str, b: &str) -> Ordering {
    let parts = |text: &str| {
        let alike = |x: &u8, y: &u8| x.is_ascii_digit() == y.is_ascii_digit();
        text.as_bytes().chunk_by(alike).map(<[u8]>::to_vec).collect::<Vec<_>>()
    };
    for (x, y) in parts(a).iter().zip(&parts(b)) {
        let digits = x[0].is_ascii_digit() && y[0].is_ascii_digit();
        let by_length = if digits { x.len().cmp(&y.len()) } else { Ordering::Equal };
        let order = by_length.then_with(|| x.cmp(y));
        if order.is_ne() {
            return order;
        }
    }
    a.cmp(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luminance(colour: Rgb) -> f64 {
        let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
        0.2126 * linear(colour.0) + 0.7152 * linear(colour.1) + 0.0722 * linear(colour.2)
    }

    #[test]
    fn the_continuous_map_grows_lighter_throughout() {
        let steps: Vec<f64> = (0..=50).map(|i| luminance(continuous(f64::from(i) / 50.0))).collect();
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]));
        assert!((0..50).all(|i| luminance(warm(f64::from(i) / 50.0)) > luminance(warm(f64::from(i + 1) / 50.0))));
        assert_eq!(continuous(f64::NAN), MISSING);
        assert_eq!((continuous(-3.0), continuous(7.0)), (ANCHORS[0], ANCHORS[10]));
    }

    #[test]
    fn places_grow_lighter_upwards_and_differ_across() {
        for across in (0..=10).map(|i| f64::from(i) / 10.0) {
            let column: Vec<f64> = (0..=20).map(|i| luminance(place(across, f64::from(i) / 20.0))).collect();
            assert!(column.windows(2).all(|pair| pair[0] < pair[1]), "{across}: {column:?}");
        }
        for upwards in [0.0, 0.5, 1.0] {
            let row: Vec<Rgb> = (0..=10).map(|i| place(f64::from(i) / 10.0, upwards)).collect();
            assert!((0..row.len()).all(|i| (0..i).all(|j| row[i] != row[j])), "{row:?}");
        }
        assert_eq!((place(f64::NAN, 0.0), place(0.0, f64::NAN)), (MISSING, MISSING));
        assert_eq!((place(-1.0, 9.0), place(2.0, -1.0)), (place(0.0, 1.0), place(1.0, 0.0)));
        assert_eq!(oklab(1.0, 0.0, 0.0), Some(WHITE));
        assert_eq!(oklab(0.5, 0.5, 0.5), None);
    }

    #[test]
    fn numeric_labels_are_ordered_as_numbers() {
        let mut labels = ["10", "9", "-1"];
        order(&mut labels);
        assert_eq!(labels, ["-1", "9", "10"]);
        let mut labels = ["batch 10", "batch 9", "alpha", "batch"];
        order(&mut labels);
        assert_eq!(labels, ["alpha", "batch", "batch 9", "batch 10"]);
    }

    #[test]
    fn rare_labels_share_an_entry() {
        let labels: Vec<String> = (0..100).map(|i| format!("label {}", i % 40)).collect();
        let paint = Paint::among(&labels, "group");
        let Key::Legend { entries, .. } = paint.key else { panic!("no legend") };
        assert_eq!(entries.len(), MOST_CATEGORIES);
        assert_eq!(entries.last().map(|entry| entry.label.as_str()), Some("17 others"));
    }
}
