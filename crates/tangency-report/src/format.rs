//! What every figure is given beside its data: a title, and how wide it is on paper.

/// CSS pixels to a millimetre.
pub(crate) const PER_MILLIMETRE: f64 = 96.0 / 25.4;

/// The title of a figure and its width on paper. A text alone is a title.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Format<'a> {
    /// Above the figure; may be empty.
    pub title: &'a str,
    /// How wide it is on paper, in millimetres. Type keeps its size and the plot takes what is left. Without it the
    /// figure has the size that suits a screen.
    pub width: Option<f64>,
}

impl<'a> From<&'a str> for Format<'a> {
    fn from(title: &'a str) -> Self {
        Self { title, width: None }
    }
}

impl Format<'_> {
    /// The blank around a figure: on paper the page has its own.
    pub(crate) fn margin(&self) -> f64 {
        if self.width.is_some() { 6.0 } else { 20.0 }
    }

    /// What is left for a plot on paper beside all else that is as wide as `taken`, or what it takes on a screen.
    ///
    /// Below `least` the whole figure is made smaller instead.
    pub(crate) fn room(&self, on_screen: f64, taken: f64, least: f64) -> f64 {
        match self.width {
            Some(millimetres) => (millimetres * PER_MILLIMETRE - 2.0 * self.margin() - taken).max(least),
            None => on_screen,
        }
    }
}
