//! Figure 5: handwritten digits, the bound against k, and five methods by their 1-NN error.

use crate::DataOptions;
use crate::fits::{Ladder, MODELS, digits, row, run_each, weight_taken, with_settings};
use crate::page::ResultPage;
use tangency::compare::{Entrant, Measures, Trial};
use tangency::io::table::{TableOptions, read_table};
use tangency::linalg::Matrix;
use tangency::peers::Method;
use tangency::quality::knn_error;
use tangency::{Config, Fitter, Init, Result, Rule};
use tangency_report::comparison::panels;
use tangency_report::{Colour, multiples};

/// Neighbours that are tried.
const NEIGHBORS: std::ops::RangeInclusive<usize> = 3..=10;
/// Methods whose layouts are shown.
const SHOWN: usize = 7;
/// Iterations of a fit in the grid.
const ITERATIONS: usize = 60;

/// Runs the experiment.
pub fn run(mut page: ResultPage, data: &DataOptions) -> Result<()> {
    let path = data.table("usps_0to4_80each.csv")?;
    let table = read_table(&path, &TableOptions { label_column: Some("digit".into()), ..TableOptions::default() })?;
    let labels = table.labels.clone().unwrap_or_default();
    let pixels = &table.values;
    page.say(&format!(
        "{} images of the digits 0–4 (USPS), {} pixels. 1-NN errors are over ten stratified folds and ten draws of them, ± the \
         standard deviation from fold to fold.",
        pixels.nrows(),
        pixels.ncols()
    ));

    // with many features the learned λ goes to zero and every layout is that of its start: the paper's prior
    let paper = Config {
        lambda: Rule::Fixed(1.0),
        nu: Rule::Fixed(0.0),
        connect: true,
        graph_likelihood: false,
        max_iter: ITERATIONS,
        ..Config::default()
    };
    let ladder = Ladder::climb(pixels, &paper, NEIGHBORS, 1)?;
    let chosen = ladder.best().map_or(5, |(k, _)| k);
    page.say(&format!(
        "The bound of the paper's model against k with the paper's prior (λ = 1, ν = 0) and our starts (`auto`), at most {ITERATIONS} iterations, is highest at \
         **k = {chosen}**; the paper has n/80 = 5."
    ));
    page.table(&ladder.table());
    page.figure("bound", "The bound against the number of neighbours", ladder.figure("Digits: the bound against k"))?;

    let on_graphs = Ladder::climb_on_graphs(pixels, &Config::default(), NEIGHBORS)?;
    page.say(&format!(
        "The same under the graph's likelihood, as it is: weight 1 of the features, learned λ and ν. To its own likelihood the graph is \
         data, so that these bounds of different k **do not compare**, nor do they with those above. The highest is at k = {}.",
        on_graphs.best().map_or(0, |(k, _)| k)
    ));
    page.table(&on_graphs.table());
    let figure = on_graphs.figure("Digits: the bound against k, graph's likelihood");
    page.figure("bound_default", "The bound under the graph's likelihood against the number of neighbours", figure)?;

    let config = |k: usize| Config { n_neighbors: k, connect: true, ..Config::default() };
    let entrants = [
        (Entrant::LlLvm, Config { n_neighbors: chosen, ..paper.clone() }),
        (Entrant::LlLvm, config(chosen)),
        (Entrant::LlLvm, config(Config::default().n_neighbors)),
        (Entrant::Peer(Method::Gplvm), config(chosen)),
        (Entrant::Peer(Method::BayesianGplvm), config(chosen)),
        (Entrant::Peer(Method::Isomap), config(30)),
        (Entrant::Peer(Method::Lle), config(40)),
        (Entrant::Peer(Method::Isomap), config(chosen)),
        (Entrant::Peer(Method::Lle), config(chosen)),
        (Entrant::Peer(Method::Ltsa), config(chosen)),
        (Entrant::Peer(Method::LaplacianEigenmaps), config(chosen)),
        (Entrant::Peer(Method::Pca), config(chosen)),
    ];
    let (comparison, mut trials) = run_each(pixels, None, Some(&labels), &entrants)?;
    page.table(&errors(&trials));
    let raw = knn_error(pixels, &labels, 1, 10, 10, 0)?;
    page.say(&format!(
        "All {} pixels without any embedding: {:.3} ± {:.3}.",
        pixels.ncols(),
        raw.mean,
        raw.fold_deviation
    ));
    if let Some(comparison) = &comparison {
        trials.truncate(SHOWN);
        let colour = Colour::Categorical { labels: &labels, title: "digit" };
        let figure = multiples(&with_settings(panels(comparison, &trials), &trials), colour, Some(4), "Digits 0–4");
        page.figure("layouts", "Layouts of the digits by both models and the methods of the paper", figure)?;
    }
    starts(&mut page, pixels, &labels, chosen)?;
    page.finish()
}

fn errors(trials: &[Trial]) -> Vec<Vec<String>> {
    let head = row(["method", "settings", "seconds", "1-NN error", "±", "trust", "continuity", "note"]);
    let rows = trials.iter().map(|trial| {
        let found = trial.outcome.as_ref().ok();
        let of = |pick: fn(&Measures) -> Option<f64>| digits(found.and_then(|found| pick(&found.measures)), 3);
        vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            format!("{:.2}", trial.seconds),
            of(|m| m.knn_error),
            of(|m| m.knn_error_deviation),
            of(|m| m.trustworthiness),
            of(|m| m.continuity),
            match &trial.outcome {
                Ok(outcome) => outcome.note.clone().unwrap_or_default(),
                Err(reason) => reason.clone(),
            },
        ]
    });
    std::iter::once(head).chain(rows).collect()
}

/// What the start, and stopping early, do to bound and error.
fn starts(page: &mut ResultPage, pixels: &Matrix, labels: &[String], chosen: usize) -> Result<()> {
    page.say(&format!("Starts of LL-LVM at k = {chosen}, at most 200 iterations, and a start that is stopped early. Bounds compare within one model \
         and prior; of the default model only where the same weight of the features was taken."));
    let mut rows = vec![row([
        "model",
        "prior",
        "start",
        "weight taken",
        "iterations",
        "bound (nats)",
        "λ",
        "1-NN error",
        "±",
        "ended",
    ])];
    let learned = ("learned", Rule::Learned, Rule::Learned);
    let paper = ("λ = 1, ν = 0", Rule::Fixed(1.0), Rule::Fixed(0.0));
    let inits =
        [Init::Random, Init::Isomap, Init::Spectral, Init::LaplacianEigenmaps, Init::Gplvm, Init::BayesianGplvm];
    let [old, new] = MODELS;
    let settings = [(old, paper), (old, learned), (new, learned)];
    let whole = settings.into_iter().flat_map(|(model, prior)| inits.map(|init| (model, prior, init, 200)));
    let early = [5, 15, 50].map(|max_iter| (old, paper, Init::Spectral, max_iter));
    for ((model, graph_likelihood), (prior, lambda, nu), init, max_iter) in whole.chain(early) {
        let plain = Config { graph_likelihood, connect: true, max_iter, ..Config::default() };
        let config = Config { n_neighbors: chosen, lambda, nu, init, ..plain };
        let fit = Fitter::new(config).fit(pixels)?;
        let error = knn_error(&fit.coordinates, labels, 1, 10, 10, 0)?;
        rows.push(vec![
            model.to_owned(),
            prior.to_owned(),
            format!("{init:?}").to_lowercase(),
            weight_taken(&fit),
            fit.trace.len().to_string(),
            format!("{:.1}", fit.bound()),
            format!("{:.2e}", fit.hyper.lambda),
            format!("{:.3}", error.mean),
            format!("{:.3}", error.fold_deviation),
            format!("{:?}", fit.stop).to_lowercase(),
        ]);
        eprintln!("{}", rows[rows.len() - 1].join("  "));
    }
    page.table(&rows);
    Ok(())
}
