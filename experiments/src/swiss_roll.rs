//! Figure 3: a roll, its tangent planes, its coordinates, and the bound against k.

use crate::Options;
use crate::fits::{Ladder, MODELS, row, weight_taken};
use crate::page::ResultPage;
use tangency::quality::{affine_r2, procrustes};
use tangency::{Config, Fit, Fitter, Result, Shape, generate};
use tangency_report::{Colour, Tangents, tangents, unrolled};

/// A roll without short-circuits at 9 neighbours, as the paper's seems to be.
const ROLL: u64 = 13;
/// Neighbours that are tried.
const NEIGHBORS: std::ops::RangeInclusive<usize> = 4..=14;
/// Iterations of a fit with the paper's settings.
const ITERATIONS: usize = 100;

/// Runs the experiment.
pub fn run(mut page: ResultPage, options: &Options) -> Result<()> {
    let roll = generate(Shape::SwissRoll, options.n, 0.0, ROLL);
    let authors = Config { max_iter: ITERATIONS, ..Config::authors() };
    let ladder = Ladder::climb(&roll.points, &authors, NEIGHBORS, options.seeds as usize)?;
    let chosen = ladder.best().map_or(9, |(k, _)| k);
    page.say(&format!(
        "A roll of {} points (seed {ROLL}) without noise. The bound against k, with the settings of the paper's authors (λ = 1, \
         ν = 0, random starts, at most {ITERATIONS} iterations) and {} seeds, is highest at **k = {chosen}**; the paper has 9.",
        options.n, options.seeds
    ));
    page.table(&ladder.table());
    page.figure("bound", "The bound against the number of neighbours", ladder.figure("The bound against k"))?;

    let on_graphs = Ladder::climb_on_graphs(&roll.points, &Config::default(), NEIGHBORS)?;
    page.say(&format!(
        "The same under the graph's likelihood, as it is: weight 1 of the features, one fit for each k. To its own likelihood the \
         graph is data, so that these bounds of different k **do not compare**, nor do they with those above. The highest is at k = {}.",
        on_graphs.best().map_or(0, |(k, _)| k)
    ));
    page.table(&on_graphs.table());
    let figure = on_graphs.figure("The bound against k, graph's likelihood");
    page.figure("bound_default", "The bound under the graph's likelihood against the number of neighbours", figure)?;

    let mut rows = vec![row(["model", "k", "bound (nats)", "R²", "Procrustes", "iterations", "ended", "weight taken"])];
    let mut shown = Vec::new();
    let ours = MODELS.map(|(name, graph_likelihood)| (name, Config { graph_likelihood, ..Config::default() }));
    let all = std::iter::once(("the paper's model, the authors' settings", authors)).chain(ours);
    for (name, config) in all {
        let fit = Fitter::new(Config { n_neighbors: chosen, ..config }).fit(&roll.points)?;
        rows.push(vec![
            name.to_owned(),
            chosen.to_string(),
            format!("{:.1}", fit.bound()),
            format!("{:.4}", affine_r2(&fit.coordinates, &roll.truth)?),
            format!("{:.4}", procrustes(&fit.coordinates, &roll.truth)?),
            fit.trace.len().to_string(),
            format!("{:?}", fit.stop).to_lowercase(),
            weight_taken(&fit),
        ]);
        shown.push(fit);
    }
    page.say("Fits at the k of the paper's model. The iterations are those of the last run.");
    page.table(&rows);
    if let [_, paper, default] = &shown[..] {
        let figure = unrolled(paper, &roll, "What was found, the paper's model");
        page.figure("coordinates_paper", "The roll, and its coordinates by the paper's model", figure)?;
        pictures(&mut page, default, &roll)?;
    }
    page.finish()
}

fn pictures(page: &mut ResultPage, fit: &Fit, roll: &tangency::generate::Synthetic) -> Result<()> {
    let n = fit.n();
    let points: Vec<[f64; 3]> = (0..n).map(|i| [0, 1, 2].map(|c| roll.points[(i, c)])).collect();
    let arc = roll.truth.col_as_slice(0);
    let figure = unrolled(fit, roll, "What was found, default model");
    page.figure("coordinates", "The roll, and its coordinates with ellipses of two standard deviations", figure)?;

    // column a of C_i, in the units of the table
    let map = |i: usize, a: usize| [0, 1, 2].map(|f| fit.maps[(f, i * 2 + a)] * fit.scaling.scale[f]);
    let directions: Vec<Vec<[f64; 3]>> = (0..n).map(|i| vec![map(i, 0), map(i, 1)]).collect();
    let planes = Tangents { points: &points, directions: &directions, side: 1.0, every: 2, ..Tangents::default() };
    let colour = Colour::Continuous { values: arc, title: "arc length" };
    let figure = tangents(&planes, colour, "The posterior of C as tangent planes");
    page.figure("tangents", "Squares along the local maps at every second point", figure)
}
