//! Ranges of data, linear scales, and ticks at round numbers.

/// Values beyond this magnitude count as missing: their differences would overflow.
const LARGEST: f64 = 1e300;
/// Spans below this are lost in rounding, absolutely and relative to the values.
const SMALLEST: f64 = 1e-280;
const RELATIVE_RESOLUTION: f64 = 1e-9;

/// More powers of ten than this are not labelled along one axis.
const MOST_DECADES: f64 = 4.0;

/// Whether a value can be placed in a figure.
pub(crate) fn drawable(value: f64) -> bool {
    value.abs() <= LARGEST
}

/// An interval of data values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AxisRange {
    pub lo: f64,
    pub hi: f64,
}

impl AxisRange {
    /// The extent of the drawable values, if there are any.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut kept = values.into_iter().filter(|&value| drawable(value));
        let first = kept.next()?;
        let start = Self { lo: first, hi: first };
        Some(kept.fold(start, |range, value| Self { lo: range.lo.min(value), hi: range.hi.max(value) }))
    }

    pub fn span(&self) -> f64 {
        self.hi - self.lo
    }

    pub fn centre(&self) -> f64 {
        0.5 * self.lo + 0.5 * self.hi
    }

    /// The same interval, or a wider one about it where all values are as good as equal.
    pub fn opened(self) -> Self {
        let magnitude = self.lo.abs().max(self.hi.abs());
        if self.span() > SMALLEST.max(RELATIVE_RESOLUTION * magnitude) {
            return self;
        }
        let half = if magnitude > SMALLEST { 0.1 * magnitude } else { 1.0 };
        Self { lo: self.centre() - half, hi: self.centre() + half }
    }

    /// The interval with a share of its span added at either end.
    pub fn padded(self, share: f64) -> Self {
        let open = self.opened();
        let more = share * open.span();
        Self { lo: open.lo - more, hi: open.hi + more }
    }

    /// An interval of at least this span about the same centre.
    pub fn widened(self, span: f64) -> Self {
        if span <= self.span() {
            return self;
        }
        Self { lo: self.centre() - span / 2.0, hi: self.centre() + span / 2.0 }
    }
}

/// Two ranges drawn at one number of pixels to the unit, and the width and height they take.
pub(crate) struct EqualAspect {
    pub x: AxisRange,
    pub y: AxisRange,
    pub width: f64,
    pub height: f64,
}

/// Fits both ranges into `most` pixels, and widens a range that would take less than `least`.
pub(crate) fn equal_aspect(x: AxisRange, y: AxisRange, most: (f64, f64), least: (f64, f64)) -> EqualAspect {
    let (x, y) = (x.opened(), y.opened());
    let per_unit = (most.0 / x.span()).min(most.1 / y.span());
    let width = (x.span() * per_unit).max(least.0);
    let height = (y.span() * per_unit).max(least.1);
    EqualAspect { x: x.widened(width / per_unit), y: y.widened(height / per_unit), width, height }
}

/// A linear map from data values to pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub range: AxisRange,
    start: f64,
    end: f64,
}

impl Scale {
    pub fn new(range: AxisRange, start: f64, end: f64) -> Self {
        Self { range: range.opened(), start, end }
    }

    /// The same range over other pixels.
    pub fn moved_to(self, start: f64, end: f64) -> Self {
        Self { start, end, ..self }
    }

    pub fn at(&self, value: f64) -> f64 {
        self.start + (value - self.range.lo) * self.per_unit()
    }

    /// Pixels to one unit of data, negative where the values run upwards.
    pub fn per_unit(&self) -> f64 {
        (self.end - self.start) / self.range.span()
    }
}

/// Round values along an axis with their labels.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    pub values: Vec<f64>,
    pub labels: Vec<String>,
    /// The power of ten that the labels are to be multiplied by; 0 for none.
    pub exponent: i32,
}

/// Ticks along a scale at multiples of 1, 2, 2.5 or 5 times a power of ten, at least `spacing` pixels apart.
pub(crate) fn ticks(scale: Scale, spacing: f64, whole: bool) -> Ticks {
    let range = scale.range;
    // A step beyond half the range could leave the axis without any tick.
    let least = (spacing / scale.per_unit().abs()).min(range.span() / 2.0);
    let step = round_step(least, whole);
    let slack = RELATIVE_RESOLUTION * range.span() / step;
    let first = (range.lo / step - slack).ceil();
    let count = (range.hi / step + slack).floor() - first;
    let values: Vec<f64> =
        (0..=count.clamp(0.0, 1000.0) as u32).map(|index| (first + f64::from(index)) * step).collect();
    let magnitude = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
    let exponent = exponent_of(magnitude);
    let unit = 10f64.powi(exponent);
    let decimals = decimals_of(step / unit);
    let labels = values.iter().map(|value| fixed(value / unit, decimals)).collect();
    Ticks { values, labels, exponent }
}

/// Ticks that are at least `spacing` pixels apart, or only `closest` where there would be hardly any.
pub(crate) fn enough_ticks(scale: Scale, spacing: f64, closest: f64) -> Ticks {
    let closer = std::iter::successors(Some(spacing), |spacing| Some(0.8 * spacing));
    let tried = closer.take_while(|&spacing| spacing > closest).map(|spacing| ticks(scale, spacing, false));
    tried.into_iter().find(|found| found.values.len() >= 3).unwrap_or_else(|| ticks(scale, closest, false))
}

/// Ticks at whole values themselves, for axes that hold few of them.
pub(crate) fn ticks_at(values: &[f64]) -> Ticks {
    let labels = values.iter().map(|value| fixed(*value, 0)).collect();
    Ticks { values: values.to_vec(), labels, exponent: 0 }
}

/// Ticks at powers of ten for a range of decimal logarithms, which is widened until it holds one, and for few at a time.
pub(crate) fn decade_ticks(range: AxisRange) -> (AxisRange, Ticks) {
    let open = range.padded(0.06);
    let (first, last) = (open.lo.ceil(), open.hi.floor());
    let open = if first > last { AxisRange { lo: last - 0.1, hi: first + 0.1 } } else { open };
    let (first, last) = (open.lo.ceil(), open.hi.floor());
    let step = ((last - first) / MOST_DECADES).ceil().max(1.0);
    let count = ((last - first) / step).floor() as u32;
    let values: Vec<f64> = (0..=count).map(|index| first + f64::from(index) * step).collect();
    let labels = values.iter().map(|&value| if value == 0.0 { "1".to_owned() } else { raised(value as i32) }).collect();
    (open, Ticks { values, labels, exponent: 0 })
}

fn round_step(least: f64, whole: bool) -> f64 {
    let magnitude = 10f64.powf(least.log10().floor());
    let enough = least * (1.0 - RELATIVE_RESOLUTION);
    let allowed = |step: &f64| *step >= enough && (!whole || step.fract() == 0.0 && *step >= 1.0);
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * magnitude);
    steps.into_iter().find(allowed).unwrap_or(if whole { least.ceil().max(1.0) } else { least })
}

/// The power of ten taken out of labels whose largest magnitude would be long to write.
fn exponent_of(magnitude: f64) -> i32 {
    if magnitude == 0.0 || (1e-3..1e6).contains(&magnitude) { 0 } else { magnitude.log10().floor() as i32 }
}

fn decimals_of(step: f64) -> usize {
    let exact = |decimals: &usize| {
        let shifted = step * 10f64.powi(*decimals as i32);
        (shifted - shifted.round()).abs() < 1e-6 * shifted
    };
    (0..15).find(exact).unwrap_or(15)
}

/// A number in a line of text: about five significant digits, or a power of ten.
pub(crate) fn number(value: f64) -> String {
    let exponent = exponent_of(value.abs());
    let scaled = value / 10f64.powi(exponent);
    let whole_digits = scaled.abs().max(1.0).log10().floor() as usize + 1;
    let text = fixed(scaled, 5usize.saturating_sub(whole_digits));
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{short}{}", power_of_ten(exponent))
}

/// “×10⁶” for an exponent, nothing for 0.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    if exponent == 0 { String::new() } else { format!("×{}", raised(exponent)) }
}

/// “10⁶”.
fn raised(exponent: i32) -> String {
    let raise = |digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        _ => digit.to_digit(10).and_then(|value| char::from_u32(0x2070 + value)).unwrap_or(digit),
    };
    let digits: String = exponent.to_string().chars().map(raise).collect();
    format!("10{digits}")
}

/// A number with a true minus sign and, from five digits on, thin spaces between the thousands.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text.as_str(), None),
    };
    let mut written = String::new();
    if value < 0.0 && text.bytes().any(|byte| (b'1'..=b'9').contains(&byte)) {
        written.push('\u{2212}');
    }
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && whole.len() > 4 && (whole.len() - index).is_multiple_of(3) {
            written.push('\u{2009}');
        }
        written.push(digit);
    }
    if let Some(fraction) = fraction {
        written.push('.');
        written.push_str(fraction);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks_of(lo: f64, hi: f64, most: u32) -> Ticks {
        ticks(Scale::new(AxisRange { lo, hi }, 0.0, f64::from(most)), 1.0, false)
    }

    fn labels(lo: f64, hi: f64, most: u32) -> Vec<String> {
        ticks_of(lo, hi, most).labels
    }

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(labels(0.0, 10.0, 5), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(labels(-0.13, 0.42, 6), ["\u{2212}0.1", "0.0", "0.1", "0.2", "0.3", "0.4"]);
        assert_eq!(labels(0.0, 10.0, 4), ["0.0", "2.5", "5.0", "7.5", "10.0"]);
    }

    #[test]
    fn large_and_small_magnitudes_stay_legible() {
        let wide = ticks_of(-12345.6, 987_654.0, 6);
        assert_eq!((wide.labels[1].as_str(), wide.exponent), ("200\u{2009}000", 0));
        let large = ticks_of(-3.2e7, 1.1e8, 6);
        assert_eq!((large.labels[0].as_str(), large.exponent), ("\u{2212}0.25", 8));
        let small = ticks_of(0.0, 2e-7, 4);
        assert_eq!((small.labels[2].as_str(), small.exponent), ("1.0", -7));
        for extreme in [1e299, -1e299, 1e-299, 0.0] {
            assert!(!labels(extreme, extreme, 5).is_empty());
        }
    }

    #[test]
    fn every_range_gets_between_one_and_most_ticks() {
        for exponent in -20..20 {
            for factor in [1.0, 1.3, 2.2, 4.9, 7.7] {
                let span = factor * 10f64.powi(exponent);
                let found = ticks_of(-0.3 * span, 0.7 * span, 6).values;
                assert!((3..=7).contains(&found.len()), "{span}: {found:?}");
            }
        }
    }

    #[test]
    fn whole_ticks_skip_fractions() {
        let whole = |lo, hi, most| ticks(Scale::new(AxisRange { lo, hi }, 0.0, most), 1.0, true);
        assert_eq!(whole(1.0, 3.0, 8.0).labels, ["1", "2", "3"]);
        assert!(whole(5.0, 15.0, 4.0).values.iter().all(|value| value.fract() == 0.0));
    }

    #[test]
    fn decades_are_few_and_there_is_always_one() {
        let labels = |lo, hi| decade_ticks(AxisRange { lo, hi }).1.labels;
        assert_eq!(labels(-2.2, 2.1), ["10⁻²", "10⁻¹", "1", "10¹", "10²"]);
        assert_eq!(labels(-8.0, 2.0), ["10⁻⁸", "10⁻⁵", "10⁻²", "10¹"]);
        for (lo, hi) in [(0.2, 0.3), (-7.5, -7.5), (2.0, 2.0), (0.0, 0.0)] {
            let (range, ticks) = decade_ticks(AxisRange { lo, hi });
            assert!(ticks.values.iter().all(|value| (range.lo..=range.hi).contains(value)) && !ticks.values.is_empty());
            assert!(range.lo <= lo && hi <= range.hi);
        }
    }

    #[test]
    fn numbers_in_text() {
        assert_eq!(number(-12345.67), "\u{2212}12\u{2009}346");
        assert_eq!(number(12.0), "12");
        assert_eq!(number(100.0), "100");
        assert_eq!(number(2.5e-7), "2.5×10⁻⁷");
    }

    #[test]
    fn equal_aspect_keeps_one_scale() {
        let wide = AxisRange { lo: 0.0, hi: 20.0 };
        let flat = AxisRange { lo: 0.0, hi: 1.0 };
        let fit = equal_aspect(wide, flat, (400.0, 300.0), (200.0, 150.0));
        assert_eq!((fit.width, fit.height), (400.0, 150.0));
        assert!((fit.width / fit.x.span() - fit.height / fit.y.span()).abs() < 1e-9);
    }
}
