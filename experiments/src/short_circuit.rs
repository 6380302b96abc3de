//! Figure 4: what a few edges that jump between the layers of a roll do to bound and layout.

use crate::Options;
use crate::fits::{row, weight_one};
use crate::page::ResultPage;
use tangency::generate::Synthetic;
use tangency::linalg::Matrix;
use tangency::quality::{affine_r2, align};
use tangency::{Config, Fit, Fitter, Result, Shape, generate};
use tangency_report::{Colour, Multiple, multiples};

/// Neighbours of a point.
const NEIGHBORS: usize = 9;
/// Rolls of which the layouts are shown.
const SHOWN: usize = 4;

/// Fits of one model: with all short-circuits, with one, and without.
type Three = [Fit; 3];

/// Runs the experiment.
pub fn run(mut page: ResultPage, options: &Options) -> Result<()> {
    let Options { n, seeds, .. } = *options;
    page.say(&format!(
        "Rolls of {n} points without noise, {NEIGHBORS} neighbours each. An edge whose ends are more than three times as far apart on \
         the sheet as in space is a short-circuit; a graph with only the shortest of them is fitted too. A roll that has none is \
         given one: the nearest pair of points that are so and no neighbours. All graphs are fitted with the paper's model and with \
         the default one; settings are the defaults."
    ));
    let rolls = (0..seeds).map(|seed| Roll::fitted(n, seed)).collect::<Result<Vec<_>>>()?;

    let mut rows = vec![row([
        "seed",
        "short-circuits",
        "R² with all, paper's",
        "default",
        "with one, paper's",
        "default",
        "without, paper's",
        "default",
    ])];
    for roll in &rolls {
        let mut cells = vec![roll.seed.to_string(), roll.count.clone()];
        for graph in 0..3 {
            for fits in [&roll.paper, &roll.default] {
                cells.push(format!("{:.3}", roll.r2(&fits[graph])?));
            }
        }
        rows.push(cells);
    }
    page.say("How well the coordinates explain the truth:");
    page.table(&rows);
    page.say(
        "The bound in nats. That of the paper's model compares graphs. The other is that of the graph's likelihood with weight 1 of \
         the features, as it is: to it the graph is data, so that bounds of different graphs **do not compare**, although the number of \
         edges hardly differs here.",
    );
    let heads = [
        "seed",
        "paper's, with all",
        "with one",
        "without",
        "gain",
        "graph's likelihood, with all",
        "with one",
        "without",
        "gain",
    ];
    let mut rows = vec![row(heads)];
    for roll in &rolls {
        let mut cells = vec![roll.seed.to_string()];
        for [with, one, without] in [roll.paper.each_ref().map(Fit::bound), roll.weight_one] {
            cells.extend([with, one, without].map(|bound| format!("{bound:.1}")));
            cells.push(format!("{:+.1}, {:+.1}", without - with, without - one));
        }
        rows.push(cells);
    }
    page.table(&rows);
    let higher = |bounds: fn(&Roll) -> [f64; 3]| {
        let is = |roll: &&Roll| matches!(bounds(roll), [with, one, without] if without > with && without > one);
        rolls.iter().filter(is).count()
    };
    page.say(&format!(
        "Without the short-circuits the bound is higher than with all and than with one for {} of {seeds} rolls by the paper's model, \
         and for {} of {seeds} under the graph's likelihood.",
        higher(|roll| roll.paper.each_ref().map(Fit::bound)),
        higher(|roll| roll.weight_one)
    ));
    for (model, name) in [("the paper's model", "layouts"), ("the default model", "layouts_default")] {
        let (mut panels, mut colours) = (Vec::new(), Vec::new());
        for roll in rolls.iter().take(SHOWN) {
            let [with, _, without] = if name == "layouts" { &roll.paper } else { &roll.default };
            for (words, fit) in [("with", with), ("without", without)] {
                panels.push(Multiple {
                    name: format!("Roll {}, {words}", roll.seed),
                    note: format!("R² {:.3}", roll.r2(fit)?),
                    coordinates: places(&align(&fit.coordinates, &roll.data.truth)?),
                });
            }
            colours.push(roll.data.truth.col_as_slice(0).to_vec());
        }
        // colours must be one list for all panels: the share of the way along the sheet is that of the first roll, so that each
        // roll is sorted by it
        let sorted = sorted_alike(&mut panels, &colours);
        let colour = Colour::Continuous { values: &sorted, title: "arc length" };
        let figure = multiples(&panels, colour, Some(4), format!("With and without short-circuits, {model}").as_str());
        let what = format!("Layouts of four rolls with and without short-circuits by {model}");
        page.figure(name, &what, figure)?;
    }
    page.finish()
}

/// A roll and its fits.
struct Roll {
    seed: u64,
    /// How many short-circuits it has.
    count: String,
    data: Synthetic,
    paper: Three,
    default: Three,
    /// Bounds under the graph's likelihood with weight 1.
    weight_one: [f64; 3],
}

impl Roll {
    fn fitted(n: usize, seed: u64) -> Result<Self> {
        let data = generate(Shape::SwissRoll, n, 0.0, seed);
        let (good, mut bad) = data.neighbor_edges(NEIGHBORS);
        let added = bad.is_empty();
        if added {
            bad.extend(nearest_false_pair(&data, &good));
        }
        let count = format!("{}{}", bad.len(), if added { " (added)" } else { "" });
        bad.sort_by(|a, b| length(&data.points, *a).total_cmp(&length(&data.points, *b)));
        let joined = |bad: &[(u32, u32)]| -> Vec<(u32, u32)> { good.iter().chain(bad).copied().collect() };
        let graphs = [joined(&bad), joined(&bad[..bad.len().min(1)]), good.clone()];
        let fit = |config: &Config, edges: &Vec<(u32, u32)>| {
            let config = Config { n_neighbors: NEIGHBORS, connect: true, ..config.clone() };
            Fitter::new(config).edges(edges.clone()).fit(&data.points)
        };
        let three = |config: &Config| -> Result<Three> {
            let [all, one, none] = &graphs;
            Ok([fit(config, all)?, fit(config, one)?, fit(config, none)?])
        };
        let default = Config::default();
        let paper = three(&Config { graph_likelihood: false, ..default.clone() })?;
        let weight_one = three(&weight_one(&default))?.each_ref().map(Fit::bound);
        let default = three(&default)?;
        eprintln!("roll {seed}");
        Ok(Self { seed, count, data, paper, default, weight_one })
    }

    fn r2(&self, fit: &Fit) -> Result<f64> {
        affine_r2(&fit.coordinates, &self.data.truth)
    }
}

/// How far the ends of a pair are apart.
fn length(table: &Matrix, (i, j): (u32, u32)) -> f64 {
    let (i, j) = (i as usize, j as usize);
    (0..table.ncols()).map(|c| (table[(i, c)] - table[(j, c)]).powi(2)).sum::<f64>().sqrt()
}

/// The points nearest to each other in space of those more than three times as far apart on the sheet.
fn nearest_false_pair(roll: &Synthetic, edges: &[(u32, u32)]) -> Option<(u32, u32)> {
    let n = roll.points.nrows() as u32;
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    let open = pairs.filter(|&pair| length(&roll.truth, pair) > 3.0 * length(&roll.points, pair));
    open.map(|pair| (length(&roll.points, pair), pair))
        .filter(|(_, pair)| !edges.contains(pair))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, pair)| pair)
}

/// Puts the points of every panel in the order of their colours, whose sorted values are then one list for all.
fn sorted_alike(panels: &mut [Multiple], colours: &[Vec<f64>]) -> Vec<f64> {
    for (number, panel) in panels.iter_mut().enumerate() {
        let colour = &colours[number / 2];
        let mut order: Vec<usize> = (0..colour.len()).collect();
        order.sort_by(|&i, &j| colour[i].total_cmp(&colour[j]));
        panel.coordinates = order.iter().map(|&i| panel.coordinates[i]).collect();
    }
    let mut first = colours.first().cloned().unwrap_or_default();
    first.sort_by(f64::total_cmp);
    first
}

fn places(table: &Matrix) -> Vec<[f64; 2]> {
    (0..table.nrows()).map(|i| [table[(i, 0)], table[(i, 1)]]).collect()
}
