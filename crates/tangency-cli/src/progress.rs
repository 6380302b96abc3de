//! The progress bar: bound, iteration, rate and time left on a terminal, nothing in a pipe.

use crate::interrupt;
use crate::say::Say;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::ops::ControlFlow;
use tangency::inference::{Progress, Stage};

/// An observer that draws the bar and passes Ctrl-C on.
pub fn observer(say: Say) -> impl FnMut(&Progress) -> ControlFlow<()> {
    // indicatif hides itself where standard error is not a terminal
    let target = if say.quiet || say.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    if let Ok(style) = ProgressStyle::with_template(
        "{prefix} {bar:24} {pos}/{len} iterations at most, {per_sec}, {eta} left at most | {msg}",
    ) {
        bar.set_style(style);
    }
    let mut run = (0, false);
    move |progress| {
        if run != (progress.start, progress.trial) {
            run = (progress.start, progress.trial);
            bar.reset();
            bar.set_length(progress.max_iter as u64);
            bar.set_prefix(match (progress.trial, progress.starts) {
                (true, starts) => format!("trial {}/{starts}", progress.start),
                (false, 1) => "fit".to_owned(),
                (false, starts) => format!("start {}/{starts}", progress.start),
            });
        }
        bar.set_position(progress.point.iteration as u64);
        let stage = match progress.stage {
            Stage::FittingMaps => "fitting maps",
            Stage::Growing => "growing",
            Stage::Climbing => "climbing",
        };
        bar.set_message(format!("{stage}, bound {:.2} (scaled)", progress.point.bound_scaled));
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
