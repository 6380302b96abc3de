//! The progress bar: bound, iteration, rate and time left on a terminal, nothing in a pipe.

use crate::interrupt;
use crate::say::Say;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::ops::ControlFlow;
use tangency::compare::Entrant;
use tangency::evidence::{PruneProgress, PruneStep};
use tangency::fit::{Plan, expected_seconds};
use tangency::inference::Progress;
use tangency::io::table::Table;
use tangency::{Choice, Config};

/// How often a bar is drawn that counts the time.
const TICK: std::time::Duration = std::time::Duration::from_millis(500);

/// Steps from which a rate can be told.
const STEPS_TO_KNOW: u64 = 2;

/// Fits that take no longer, in seconds, are not announced.
const SHORT: f64 = 10.0;

/// Says how long a fit takes, more or less, where that is long.
pub fn tell_how_long(table: &Table, config: &Config, say: Say) {
    let (n, d_y) = (table.values.nrows(), table.values.ncols());
    // what is refused takes no time
    if Plan::new(n, d_y, config).check_memory().is_err() {
        return;
    }
    let in_turns = !table.views.is_empty() || !table.values.is_all_finite();
    let seconds = expected_seconds(n, d_y, in_turns, config);
    if seconds > SHORT {
        let about = HumanDuration(std::time::Duration::from_secs_f64(seconds.min(1e9)));
        say.note(&format!("a fit like this takes about {about}, more or less; --max-iter makes it end sooner"));
    }
}

/// An observer that draws the bar and passes Ctrl-C on.
pub fn observer(say: Say) -> impl FnMut(&Progress) -> ControlFlow<()> {
    // a large graph takes its time before the first iteration
    let bar = bar(say, "neighbours, graph and start: {elapsed} so far");
    bar.enable_steady_tick(TICK);
    let style = "{prefix} {bar:24} {pos}/{len} iterations at most{rate}{left_at_most} | {msg}";
    let mut runs = RunsSeen::default();
    move |progress| {
        interrupt::keep(true);
        if let Some(name) = runs.begun(progress) {
            set_style(&bar, style);
            bar.reset();
            bar.set_length(progress.max_iter as u64);
            bar.set_prefix(name);
        }
        bar.set_position(progress.point.iteration as u64);
        let stage = progress.stage.name().replace('-', " ");
        bar.set_message(format!("{stage}, bound {:.2} (scaled)", progress.point.bound_scaled));
        go_on()
    }
}

/// Tells the runs of a fit apart.
#[derive(Default)]
struct RunsSeen {
    start: usize,
    trial: bool,
    iteration: usize,
    /// Runs of this start so far.
    count: usize,
}

impl RunsSeen {
    /// The name of the run, if this is the first that is heard of it. A start that is found from coarser graphs has several,
    /// each of which counts its iterations from 1.
    fn begun(&mut self, progress: &Progress) -> Option<String> {
        let iteration = progress.point.iteration;
        let another = (self.start, self.trial) != (progress.start, progress.trial);
        let again = !another && iteration <= self.iteration;
        self.count = if another { 1 } else { self.count + usize::from(again) };
        (self.start, self.trial, self.iteration) = (progress.start, progress.trial, iteration);
        (another || again).then(|| match (progress.trial, progress.starts, self.count) {
            (false, 1, 1) => "fit".to_owned(),
            (_, 1, run) => format!("coarse to fine, run {run}"),
            (true, starts, _) => format!("trial {}/{starts}", progress.start),
            (false, starts, _) => format!("start {}/{starts}", progress.start),
        })
    }
}

/// The observer of pruning. How long it takes is not known beforehand; four to seven fits are usual.
pub fn pruning(say: Say) -> impl FnMut(&PruneProgress) -> ControlFlow<()> {
    let bar = bar(say, "prune: {elapsed} (usually as long as 4 to 7 fits), {pos} iterations{rate} | {msg}");
    move |progress| {
        bar.set_position(progress.iterations as u64);
        let step = match progress.step {
            PruneStep::Preparing => "preparing".to_owned(),
            PruneStep::Bridging => "trying bridges".to_owned(),
            PruneStep::Removing(round) => format!("round {round} without {} edges", progress.removed),
            PruneStep::Baseline => "removing random good edges".to_owned(),
            PruneStep::Restoring => format!("putting edges back, {} are out", progress.removed),
        };
        bar.set_message(format!("{step}, best bound {:.2} (scaled)", progress.best));
        go_on()
    }
}

/// The observer of fits on several graphs: how many of how many are done.
pub fn graphs(say: Say) -> impl FnMut(usize, usize) -> ControlFlow<()> {
    let bar = bar(say, "graph {pos}/{len} {bar:24} {elapsed} so far{left}");
    move |done, total| {
        bar.set_length(total as u64);
        if bar.position() != done as u64 {
            bar.set_position(done as u64);
        }
        bar.tick();
        go_on()
    }
}

/// The observer of a calibration: which of its fits is running.
pub fn parts(say: Say, total: usize) -> impl FnMut(usize, &Progress) -> ControlFlow<()> {
    let bar = bar(say, "calibrate {bar:24} part {pos}/{len}, {elapsed} so far{left} | {msg}");
    bar.set_length(total as u64);
    move |part, progress| {
        if bar.position() != part as u64 {
            bar.set_position(part as u64);
        }
        bar.set_message(format!(
            "iteration {}, bound {:.2} (scaled)",
            progress.point.iteration, progress.point.bound_scaled
        ));
        go_on()
    }
}

/// The observer of one of several methods: iterations and objective of those that have them.
pub fn method(say: Say, entrant: Entrant, place: usize, total: usize) -> impl FnMut(usize, f64) -> ControlFlow<()> {
    let bar = bar(say, "{prefix}, {elapsed} so far, {pos} iterations{rate} | {msg}");
    bar.set_prefix(format!("method {place}/{total}: {entrant}"));
    bar.tick();
    move |iterations, objective| {
        bar.set_position(iterations as u64);
        bar.set_message(format!("objective {objective:.2}"));
        go_on()
    }
}

/// A bar for rows, of which the number may not be known; `true` when Ctrl-C was pressed.
pub fn rows(say: Say, total: Option<usize>) -> impl FnMut(usize) -> bool {
    let template = match total {
        Some(_) => "{bar:24} {pos}/{len} rows{rate}{left}",
        None => "{pos} rows{rate}, {elapsed} so far",
    };
    let bar = bar(say, template);
    total.iter().for_each(|&total| bar.set_length(total as u64));
    interrupt::keep(true);
    move |done| {
        bar.set_position(done as u64);
        interrupt::asked()
    }
}

/// A bar on a terminal; indicatif hides itself where standard error is none.
fn bar(say: Say, template: &str) -> ProgressBar {
    let target = if say.quiet || say.json { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(None, target);
    set_style(&bar, template);
    bar
}

/// A bar of this template. What is only known after some steps, the rate and the time left, is not there before.
pub fn set_style(bar: &ProgressBar, template: &str) {
    if let Ok(style) = ProgressStyle::with_template(template) {
        let known = |state: &ProgressState| state.pos() >= STEPS_TO_KNOW && state.per_sec() > 0.0;
        let left = move |words: &'static str| {
            move |state: &ProgressState, out: &mut dyn Write| {
                if known(state) {
                    let _ = write!(out, ", {:#}{words}", HumanDuration(state.eta()));
                }
            }
        };
        let rate = move |state: &ProgressState, out: &mut dyn Write| {
            if known(state) {
                let _ = write!(out, ", {}", per_second(state.per_sec()));
            }
        };
        bar.set_style(
            style
                .with_key("rate", rate)
                .with_key("left", left(" left"))
                .with_key("left_at_most", left(" left at most")),
        );
    }
}

/// A rate with two digits.
fn per_second(rate: f64) -> String {
    match rate {
        rate if rate >= 10.0 => format!("{rate:.0}/s"),
        rate if rate >= 1.0 => format!("{rate:.1}/s"),
        rate => format!("{rate:.2}/s"),
    }
}

fn go_on() -> ControlFlow<()> {
    if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn rates_have_two_digits() {
        let shown = [0.0512, 1.26, 9.94, 12.7, 163.4].map(per_second);
        assert_eq!(shown, ["0.05/s", "1.3/s", "9.9/s", "13/s", "163/s"]);
    }
}
