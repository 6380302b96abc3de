//! Figure 6: where weather stations stand, from their precipitation alone.

use crate::DataOptions;
use crate::fits::{MODELS, digits, row, run_each, weight_taken, with_settings};
use crate::page::ResultPage;
use tangency::compare::{Entrant, Trial};
use tangency::io::table::{TableOptions, read_table};
use tangency::linalg::Matrix;
use tangency::quality::{procrustes, trustworthiness};
use tangency::{Config, Fitter, Init, Result, Rule};
use tangency_report::comparison::panels;
use tangency_report::{Colour, multiples};

/// Neighbours in the paper.
const NEIGHBORS: usize = 12;
/// Degrees of latitude at which a degree of longitude is measured.
const LATITUDE: f64 = 38.0;

/// Runs the experiment.
pub fn run(mut page: ResultPage, data: &DataOptions) -> Result<()> {
    let path = data.table("ushcn_precip_400.csv")?;
    let columns = |names: &[&str]| -> Result<Matrix> {
        let columns = Some(names.iter().map(|name| (*name).to_owned()).collect());
        Ok(read_table(&path, &TableOptions { columns, ..TableOptions::default() })?.values)
    };
    let months = columns(&["jan:dec"])?;
    let place = columns(&["longitude", "latitude"])?;
    let squeeze = LATITUDE.to_radians().cos();
    let truth = Matrix::from_fn(place.nrows(), 2, |i, c| place[(i, c)] * if c == 0 { squeeze } else { 1.0 });
    page.say(&format!(
        "{} US weather stations, mean precipitation of the twelve months of 2005–2014 (USHCN 2.5). The methods see the twelve numbers; \
         the truth is (longitude · cos {LATITUDE}°, latitude). k = {NEIGHBORS} for all, as in the paper. Settings are defaults, \
         except where λ and ν are named, which is the paper's prior.",
        months.nrows()
    ));

    let config = Config { n_neighbors: NEIGHBORS, ..Config::default() };
    let old = Config { graph_likelihood: false, ..config.clone() };
    let paper = Config { lambda: Rule::Fixed(1.0), nu: Rule::Fixed(0.0), ..old.clone() };
    let both = [(Entrant::LlLvm, paper), (Entrant::LlLvm, old.clone()), (Entrant::LlLvmPruned, old)];
    let entrants: Vec<(Entrant, Config)> =
        both.into_iter().chain(Entrant::all().map(|entrant| (entrant, config.clone()))).collect();
    let (comparison, trials) = run_each(&months, Some(&truth), None, &entrants)?;
    page.table(&table(&trials));
    if let Some(comparison) = &comparison {
        let places: Vec<[f64; 2]> = (0..place.nrows()).map(|i| [place[(i, 0)], place[(i, 1)]]).collect();
        let colour = Colour::Place { places: &places, titles: ["longitude", "latitude"] };
        let figure = multiples(
            &with_settings(panels(comparison, &trials), &trials),
            colour,
            Some(4),
            "Stations, coloured by place",
        );
        page.figure("layouts", "The true map and the layouts of all methods, coloured by place", figure)?;
    }
    settings(&mut page, &months, &truth)?;
    page.finish()
}

fn table(trials: &[Trial]) -> Vec<Vec<String>> {
    let head = row([
        "method",
        "settings",
        "seconds",
        "MiB",
        "Procrustes",
        "R²",
        "trust (map)",
        "continuity (map)",
        "trust (data)",
        "note",
    ]);
    let rows = trials.iter().map(|trial| {
        let found = trial.outcome.as_ref().ok();
        let of =
            |pick: fn(&tangency::compare::Measures) -> Option<f64>| digits(found.and_then(|f| pick(&f.measures)), 3);
        vec![
            trial.entrant.to_string(),
            trial.settings.clone(),
            format!("{:.2}", trial.seconds),
            digits(trial.peak_bytes.map(|bytes| bytes as f64 / (1024.0 * 1024.0)), 1),
            of(|m| m.procrustes),
            of(|m| m.affine_r2),
            of(|m| m.truth_trustworthiness),
            of(|m| m.truth_continuity),
            of(|m| m.trustworthiness),
            match &trial.outcome {
                Ok(outcome) => outcome.note.clone().unwrap_or_default(),
                Err(reason) => reason.clone(),
            },
        ]
    });
    std::iter::once(head).chain(rows).collect()
}

/// What the bound prefers, and which settings change the map.
fn settings(page: &mut ResultPage, months: &Matrix, truth: &Matrix) -> Result<()> {
    page.say(
        "What the bound prefers, and what changes the map (LL-LVM). Within one k the bounds of one model compare; those of the default \
         model only where the same weight of the features was taken.",
    );
    let mut rows = vec![row([
        "k",
        "model",
        "prior",
        "start",
        "weight taken",
        "bound (nats)",
        "λ",
        "Procrustes",
        "trust (map)",
        "ended",
    ])];
    let learned = ("learned", Rule::Learned, Rule::Learned);
    let paper = ("λ = 1, ν = 0", Rule::Fixed(1.0), Rule::Fixed(0.0));
    let [old, new] = MODELS;
    for n_neighbors in [5, 6, 9, 12, 15] {
        for ((model, graph_likelihood), (prior, lambda, nu)) in [(old, learned), (old, paper), (new, learned)] {
            // the starts of the default model are compared in experiments/starts
            let inits = [Init::Auto, Init::Isomap, Init::Ltsa, Init::BayesianGplvm];
            for init in inits.into_iter().take(if graph_likelihood { 1 } else { inits.len() }) {
                let config = Config { n_neighbors, lambda, nu, init, graph_likelihood, ..Config::default() };
                let fit = match Fitter::new(config).fit(months) {
                    Ok(fit) => fit,
                    Err(error) => {
                        page.say(&format!("k = {n_neighbors}, {init:?}: {error}"));
                        continue;
                    }
                };
                rows.push(vec![
                    n_neighbors.to_string(),
                    model.to_owned(),
                    prior.to_owned(),
                    format!("{init:?}").to_lowercase(),
                    weight_taken(&fit),
                    format!("{:.1}", fit.bound()),
                    format!("{:.3}", fit.hyper.lambda),
                    format!("{:.3}", procrustes(&fit.coordinates, truth)?),
                    format!("{:.3}", trustworthiness(truth, &fit.coordinates, 12)?),
                    format!("{:?}", fit.stop).to_lowercase(),
                ]);
                eprintln!("{}", rows[rows.len() - 1].join("  "));
            }
        }
    }
    page.table(&rows);
    Ok(())
}
