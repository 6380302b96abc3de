//! `tangency edges`: which edges strain a model, and what the bound says of single ones.

use crate::args::EdgesArgs;
use crate::report::ReportPage;
use crate::say::{self, Say};
use crate::{info, interrupt, progress};
use serde_json::json;
use std::path::PathBuf;
use tangency::evidence::{EdgeTest, test_edges};
use tangency::io::{Model, load_model};
use tangency::message::counted;
use tangency::view::{EdgeRow, EdgeTestRow, EdgesView};
use tangency::{BoundParts, Error, Result};
use tangency_report::page::Report;

/// Runs the command.
pub fn run(args: &EdgesArgs, say: Say) -> Result<()> {
    if args.seeds == 0 {
        return Err(Error::too_small("seeds", 0, 1));
    }
    let mut claims = crate::rows::claims(args.force, [&args.model]);
    let (out, page) = (claims.claim_if(&args.out)?, ReportPage::claim(&args.page, &mut claims)?);
    let model = load_model(&args.model)?;
    ReportPage::check(&page, model.feature_names.len())?;
    let named = args
        .test
        .iter()
        .map(|pair| info::two_points(&model, pair, "test").map(|(i, j)| (i as u32, j as u32)))
        .collect::<Result<Vec<_>>>()?;
    let view = EdgesView::new(&model)?;
    let tests = if named.is_empty() {
        vec![]
    } else {
        interrupt::listen();
        test_edges(&model.fit, &named, args.seeds, &mut progress::graphs(say))?
    };
    for test in &tests {
        describe(&model, test).iter().for_each(|line| say.line(line));
    }
    say.line(&format!(
        "{}; residuals and lengths are in the scaled units of the fit",
        counted(view.edges.len(), "edge")
    ));
    table(&view.edges[..args.top.min(view.edges.len())]).iter().for_each(|line| say.line(line));
    if let Some(out) = &out {
        view.write(out)?;
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
        "edges": view.edges,
        "n_suspects": view.n_suspects,
        "least_gain": view.least_gain,
        "tests": tests.iter().map(|test| EdgeTestRow::new(&model, test)).collect::<Vec<_>>(),
        "written": say::names(written.iter().map(PathBuf::as_path)),
    }));
    Ok(())
}

/// An edge by the names of its points.
pub fn name(model: &Model, (i, j): (u32, u32)) -> String {
    format!("{},{}", model.id(i as usize), model.id(j as usize))
}

/// Edges as a table in text.
pub fn table(edges: &[EdgeRow]) -> Vec<String> {
    let names: Vec<String> = edges.iter().map(|edge| edge.ids.join(",")).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
    let [length, resistance, residual, score, surprise] = EdgeRow::NUMBERS;
    let numbers = format!("{length:>8}  {resistance:>10}  {residual:>8}  {score:>8}  {surprise:>8}");
    let header = format!("{:width$}  {numbers}", "edge");
    let rows = edges.iter().zip(&names).map(|(edge, name)| {
        let [length, resistance, residual, score, surprise] = edge.numbers();
        let surprise = if surprise.is_nan() { "-".into() } else { format!("{surprise:.2}") };
        format!("{name:width$}  {length:8.4}  {resistance:10.4}  {residual:8.4}  {score:8.4}  {surprise:>8}")
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
    let parts = BoundParts::LABELS.iter().zip(test.parts.values());
    let parts: Vec<String> = parts.map(|(label, change)| format!("{label} {change:+.2}")).collect();
    vec![
        format!("{action}: the bound changes by {:+.2} nats ({spread})", test.change),
        format!("  {}", parts.join(", ")),
    ]
}
