//! `tangency edges`: which edges strain a model, and what the bound says of single ones.

use crate::args::EdgesArgs;
use crate::report::Page;
use crate::say::{self, Say};
use crate::{info, interrupt, progress};
use serde_json::{Value, json};
use std::path::PathBuf;
use tangency::evidence::{EdgeScore, EdgeTest, edge_scores, test_edges};
use tangency::io::{Claims, Model, load_model, write_edge_scores};
use tangency::{Error, Result};
use tangency_report::page::Report;

/// Runs the command.
pub fn run(args: &EdgesArgs, say: Say) -> Result<()> {
    if args.seeds == 0 {
        return Err(Error::too_small("seeds", 0, 1));
    }
    let mut claims = Claims::new(args.force, [&args.model]);
    let (out, page) = (claims.claim_if(&args.out)?, Page::claim(&args.page, &mut claims)?);
    let model = load_model(&args.model)?;
    Page::check(&page, model.feature_names.len())?;
    let named = args
        .test
        .iter()
        .map(|pair| info::two_points(&model, pair, "test").map(|(i, j)| (i as u32, j as u32)))
        .collect::<Result<Vec<_>>>()?;
    let scores = edge_scores(&model.fit)?;
    let tests = if named.is_empty() {
        vec![]
    } else {
        interrupt::listen();
        test_edges(&model.fit, &named, args.seeds, &mut progress::graphs(say))?
    };
    say.line(&format!("{} edges; residuals and lengths are in the scaled units of the fit", scores.len()));
    table(&model, &scores[..args.top.min(scores.len())]).iter().for_each(|line| say.line(line));
    for test in &tests {
        describe(&model, test).iter().for_each(|line| say.line(line));
    }
    if let Some(out) = &out {
        write_edge_scores(out, &model.fit, &[], scores.iter().map(|&score| (score, vec![])))?;
        say.line(&format!("wrote {}", out.path().display()));
    }
    let mut written: Vec<PathBuf> = out.iter().map(|out| out.path().to_owned()).collect();
    if let Some(page) = &page {
        let path = page.make(&model, Report { tests: tests.clone(), ..Report::default() })?;
        say.line(&format!("wrote {}", path.display()));
        written.push(path);
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    if tests.iter().any(|test| !test.converged) {
        say.warn("a fit behind the tests collapsed or did not converge, so read small changes with care");
    }
    say.result(&json!({
        "edges": scores.iter().map(|score| as_json(&model, score)).collect::<Vec<_>>(),
        "tests": tests.iter().map(|test| test_json(&model, test)).collect::<Vec<_>>(),
        "written": say::names(written.iter().map(PathBuf::as_path)),
    }));
    Ok(())
}

/// An edge by the names of its points.
pub fn name(model: &Model, (i, j): (u32, u32)) -> String {
    format!("{},{}", model.id(i as usize), model.id(j as usize))
}

/// Edges as a table in text.
pub fn table(model: &Model, scores: &[EdgeScore]) -> Vec<String> {
    let names: Vec<String> = scores.iter().map(|score| name(model, score.edge)).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let header = format!("{:width$}  {:>8}  {:>10}  {:>8}  {:>8}", "edge", "length", "resistance", "residual", "score");
    let rows = scores.iter().zip(&names).map(|(score, name)| {
        format!(
            "{name:width$}  {:8.4}  {:10.4}  {:8.4}  {:8.4}",
            score.length, score.resistance, score.residual, score.score
        )
    });
    std::iter::once(header).chain(rows).collect()
}

fn describe(model: &Model, test: &EdgeTest) -> Vec<String> {
    let listed = |edges: &[(u32, u32)]| edges.iter().map(|&edge| name(model, edge)).collect::<Vec<_>>().join(" and ");
    let action = match (test.removed.is_empty(), test.added.is_empty()) {
        (false, true) => format!("without {}", listed(&test.removed)),
        (true, _) => format!("with {} added", listed(&test.added)),
        (false, false) => format!("without {}, with {} added", listed(&test.removed), listed(&test.added)),
    };
    let spread = match test.seeds {
        1 => "one seed".to_owned(),
        seeds => format!("± {:.2} over {seeds} seeds", test.spread),
    };
    let parts = &test.parts;
    vec![
        format!("{action}: the bound changes by {:+.2} nats ({spread})", test.change),
        format!(
            "  likelihood {:+.2}, log-determinant {:+.2}, maps {:+.2}, coordinates {:+.2}",
            parts.likelihood, parts.log_determinant, parts.maps, parts.coordinates
        ),
    ]
}

/// An edge for machines.
pub fn as_json(model: &Model, score: &EdgeScore) -> Value {
    let (i, j) = score.edge;
    json!({
        "i": model.fit.rows[i as usize], "j": model.fit.rows[j as usize],
        "ids": [model.id(i as usize), model.id(j as usize)],
        "length": score.length, "resistance": score.resistance, "residual": score.residual, "score": score.score,
    })
}

fn test_json(model: &Model, test: &EdgeTest) -> Value {
    let listed = |edges: &[(u32, u32)]| -> Vec<[usize; 2]> {
        edges.iter().map(|&(i, j)| [i, j].map(|point| model.fit.rows[point as usize])).collect()
    };
    json!({
        "removed": listed(&test.removed), "added": listed(&test.added), "seeds": test.seeds,
        "change": test.change, "spread": test.spread, "parts": test.parts, "converged": test.converged,
    })
}
