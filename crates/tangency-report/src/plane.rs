//! A plane drawn at one scale, with a header above it and a key beside it.

use crate::axes::{AxisRange, equal_aspect};
use crate::canvas::Canvas;
use crate::figure::Figure;
use crate::format::Format;
use crate::header::FigureHeader;
use crate::key::Key;
use crate::panel::{Panel, TITLE};

const KEY_GAP: f64 = 24.0;
/// The most and the least that the frame takes on a screen.
const MOST: (f64, f64) = (540.0, 430.0);
const LEAST: (f64, f64) = (340.0, 260.0);
/// On paper: the least width of the frame, and its height as shares of its width.
const LEAST_ROOM: f64 = 180.0;
const HEIGHTS: (f64, f64) = (0.3, 0.85);

/// Where everything stands.
pub(crate) struct Plane<'a> {
    pub panel: Panel,
    key: &'a Key,
    format: Format<'a>,
    header: FigureHeader,
    width: f64,
}

impl<'a> Plane<'a> {
    /// Fits the ranges at one scale into what the key leaves of the width.
    pub fn new(ranges: (AxisRange, AxisRange), key: &'a Key, notes: &[String], format: Format<'a>) -> Self {
        let (least_height, margin) = (key.least_height(), format.margin());
        let make = |labels: f64, key_width: f64| {
            let beside = if key_width > 0.0 { KEY_GAP + key_width } else { 0.0 };
            let (most, least) = match format.width {
                None => ((MOST.0, MOST.1.max(least_height)), (LEAST.0, LEAST.1.max(least_height))),
                Some(_) => {
                    let room = format.room(0.0, Panel::LEFT + labels + beside, LEAST_ROOM);
                    let height = |share: f64| (share * room).max(least_height);
                    ((room, height(HEIGHTS.1)), (room, height(HEIGHTS.0)))
                }
            };
            let fit = equal_aspect(ranges.0, ranges.1, most, least);
            let header = FigureHeader::new(format.title, TITLE, notes, fit.width + beside);
            let top = margin + header.height().max(4.0);
            let panel = Panel::new(margin, top, (fit.width, fit.height), (fit.x, fit.y), false);
            let width = panel.frame.right() + beside + margin;
            Self { panel, key, format, header, width }
        };
        // How wide labels and key are is known only when the height is, and the height follows from the width.
        let draft = make(20.0, key.width(MOST.1));
        make(draft.panel.labels(), key.width(draft.panel.frame.height))
    }

    /// A canvas with the header and the grid on it.
    pub fn begin(&self) -> Canvas {
        let mut canvas = Canvas::new();
        self.header.draw(&mut canvas, self.panel.frame.x, self.format.margin());
        self.panel.grid(&mut canvas);
        canvas
    }

    /// The figure, with axes and key drawn over the data.
    pub fn finish(&self, mut canvas: Canvas, x_title: &str, y_title: &str) -> Figure {
        let frame = self.panel.frame;
        self.panel.axes(&mut canvas, x_title, y_title);
        self.key.draw(&mut canvas, frame.right() + KEY_GAP, frame.y, frame.height);
        canvas.finish(self.width, frame.bottom() + Panel::BELOW + 6.0, self.format)
    }
}
