//! Figure 4: what a few edges that jump between the layers of a roll do to bound and layout.

use crate::Options;
use crate::fits::row;
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

/// Runs the experiment.
pub fn run(mut page: ResultPage, options: &Options) -> Result<()> {
    let Options { n, seeds, .. } = *options;
    page.say(&format!(
        "Rolls of {n} points without noise, {NEIGHBORS} neighbours each. An edge whose ends are more than three times as far apart on \
         the sheet as in space is a short-circuit; a graph with only the shortest of them is fitted too. A roll that has none is \
         given one: the nearest pair of points that are so and no neighbours. All graphs are fitted with the default settings; bounds are in nats."
    ));
    let heads = [
        "seed",
        "short-circuits",
        "bound with all",
        "with one",
        "without",
        "gain",
        "R² with all",
        "with one",
        "without",
    ];
    let mut rows = vec![row(heads)];
    let (mut panels, mut colours, mut higher) = (Vec::new(), Vec::new(), 0);
    for seed in 0..seeds {
        let roll = generate(Shape::SwissRoll, n, 0.0, seed);
        let (good, mut bad) = roll.neighbor_edges(NEIGHBORS);
        let added = bad.is_empty();
        if added {
            bad.extend(nearest_false_pair(&roll, &good));
        }
        let joined = |bad: &[(u32, u32)]| good.iter().chain(bad).copied().collect();
        bad.sort_by(|a, b| length(&roll.points, *a).total_cmp(&length(&roll.points, *b)));
        let with = fitted(&roll, joined(&bad))?;
        let one = fitted(&roll, joined(&bad[..bad.len().min(1)]))?;
        let without = fitted(&roll, good)?;
        let r2 = |fit: &Fit| affine_r2(&fit.coordinates, &roll.truth);
        higher += usize::from(without.bound() > with.bound() && without.bound() > one.bound());
        rows.push(vec![
            seed.to_string(),
            format!("{}{}", bad.len(), if added { " (added)" } else { "" }),
            format!("{:.1}", with.bound()),
            format!("{:.1}", one.bound()),
            format!("{:.1}", without.bound()),
            format!("{:+.1}, {:+.1}", without.bound() - with.bound(), without.bound() - one.bound()),
            format!("{:.3}", r2(&with)?),
            format!("{:.3}", r2(&one)?),
            format!("{:.3}", r2(&without)?),
        ]);
        eprintln!("{}", rows[rows.len() - 1].join("  "));
        if panels.len() < 2 * SHOWN {
            for (name, fit) in [("with", &with), ("without", &without)] {
                panels.push(Multiple {
                    name: format!("Roll {seed}, {name}"),
                    note: format!("bound {:.0} · R² {:.3}", fit.bound(), r2(fit)?),
                    coordinates: places(&align(&fit.coordinates, &roll.truth)?),
                });
            }
            colours.push(roll.truth.col_as_slice(0).to_vec());
        }
    }
    page.table(&rows);
    page.say(&format!(
        "Without the short-circuits the bound is higher than with all and than with one for {higher} of {seeds} rolls."
    ));
    // colours must be one list for all panels: the share of the way along the sheet is that of the first roll, so that each
    // roll is sorted by it
    let sorted = sorted_alike(&mut panels, &colours);
    let colour = Colour::Continuous { values: &sorted, title: "arc length" };
    let figure = multiples(&panels, colour, Some(4), "Layouts with and without short-circuits");
    page.figure("layouts", "Layouts of four rolls with and without short-circuits", figure)?;
    page.finish()
}

fn fitted(roll: &Synthetic, edges: Vec<(u32, u32)>) -> Result<Fit> {
    let config = Config { n_neighbors: NEIGHBORS, connect: true, ..Config::default() };
    Fitter::new(config).edges(edges).fit(&roll.points)
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
