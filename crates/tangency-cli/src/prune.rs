//! `tangency prune`: the edges that the bound speaks against; `fit --prune` ends in the same way.

use crate::args::{PruneArgs, PruningArgs};
use crate::report::ReportPage;
use crate::say::{self, Say};
use crate::{edges, fit, info, interrupt, progress};
use serde_json::json;
use std::path::PathBuf;
use tangency::evidence::{PruneOptions, Pruned, prune_from};
use tangency::fit::FullPosterior;
use tangency::io::table::{TableOptions, read_table};
use tangency::io::{Claims, Model, Output, load_model, save_model, write_edges, write_embedding};
use tangency::message;
use tangency::message::{Piece, Remedy};
use tangency::view::PruningView;
use tangency::{Config, Error, Fitter, Result};
use tangency_report::page::Report;

/// How many removed edges are shown.
const SHOWN: usize = 20;

/// Runs the command.
pub fn run(args: &PruneArgs, say: Say) -> Result<()> {
    let config = args.settings.config()?;
    options(&args.pruning).validate()?;
    let given = [&args.out, &args.embedding, &args.pruning.out_edges, &args.pruning.removed, &args.page.report];
    if !args.apply && given.iter().any(|path| path.is_some()) {
        let apply = Piece::Setting("apply");
        let problem =
            message!["files are named, but without ", apply, " the plan is only shown and nothing is written"];
        return Err(Error::unfit("apply", problem, [Remedy::TurnOn("apply")]));
    }
    let mut claims = crate::rows::claims(args.force, fit::inputs(&args.table, &args.graph, &args.start));
    let outputs = if args.apply {
        let out = args.out.clone().unwrap_or_else(|| "pruned.safetensors".into());
        let files = EdgeFiles::claim(&args.pruning, &mut claims)?;
        Some((
            claims.claim(&out)?,
            claims.claim_if(&args.embedding)?,
            files,
            ReportPage::claim(&args.page, &mut claims)?,
        ))
    } else {
        None
    };

    let (model, posterior) = model(args, config, say)?;
    if let Some((.., page)) = &outputs {
        ReportPage::check(page, model.feature_names.len())?;
    }
    if interrupt::asked() {
        return Err(Error::Interrupted { what: "the fit before the search" });
    }
    // a search has no result half done
    interrupt::keep(false);
    let (model, pruned) = prune_model(model, posterior, &options(&args.pruning), say)?;
    interrupt::keep(true);
    if pruned.interrupted {
        return Err(Error::Interrupted { what: "the search for short-circuits" });
    }
    let view = PruningView::new(&model, &pruned);
    plan(&model, &view).iter().for_each(|line| say.line(line));
    let mut written = Vec::new();
    if let Some((out, embedding, files, page)) = &outputs {
        save_model(out, &model)?;
        written.push(out.path().to_owned());
        if let Some(output) = embedding {
            write_embedding(output, &model)?;
            written.push(output.path().to_owned());
        }
        written.extend(files.write(&model, &view)?);
        if let Some(page) = page {
            written.push(page.write(&model, &args.table, Report::default())?);
        }
        info::summary(&model, say.verbose).iter().for_each(|line| say.line(line));
        written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    } else {
        say.line("this was a dry run and nothing was written; --apply writes the model, and --out-edges, --removed and --embedding what they name");
    }
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    let mut result = info::as_json(&model);
    result["pruning"] = json!(view);
    result["written"] = say::names(written.iter().map(PathBuf::as_path));
    say.result(&result);
    Ok(())
}

/// The model to prune: the one named, or the fit of the table named.
fn model(args: &PruneArgs, config: Config, say: Say) -> Result<(Model, Option<FullPosterior>)> {
    let path = &args.table.table;
    let options = fit::table_options(&args.table);
    if path.extension().is_some_and(|extension| extension == "safetensors") {
        let plain = config == Config::default() && args.graph.edges.is_none() && options == TableOptions::default();
        if !plain || fit::has_start(&args.start) {
            let problem = "settings of the table, the graph or the fit were given, but a model has its own";
            return Err(Error::unfit(
                "table",
                problem,
                [Remedy::act("leave them out"), Remedy::act("give the table instead of the model to fit it again")],
            ));
        }
        return Ok((load_model(path)?, None));
    }
    let options = fit::with_gaps(&args.table, &config);
    let table = read_table(&args.table.table, &options)?;
    let fitter = fit::fitter(Fitter::new(config), &args.graph, &args.start, &table)?;
    let (mut model, posterior) = fit::fit_to_prune(fitter, table, say)?;
    model.table = fit::table_name(&args.table);
    model.reading = model.table.is_some().then_some(options);
    Ok((model, posterior))
}

/// Files with the edges of a pruned graph.
pub struct EdgeFiles {
    edges: Option<Output>,
    removed: Option<Output>,
}

impl EdgeFiles {
    /// Claims what was named.
    pub fn claim(args: &PruningArgs, claims: &mut Claims) -> Result<Self> {
        Ok(Self { edges: claims.claim_if(&args.out_edges)?, removed: claims.claim_if(&args.removed)? })
    }

    /// Writes them and returns their names.
    pub fn write(&self, model: &Model, found: &PruningView) -> Result<Vec<std::path::PathBuf>> {
        if let Some(output) = &self.edges {
            write_edges(output, &model.fit)?;
        }
        if let Some(output) = &self.removed {
            found.write_removed(output)?;
        }
        Ok([&self.edges, &self.removed].into_iter().flatten().map(|output| output.path().to_owned()).collect())
    }
}

/// What was asked for.
pub fn options(args: &PruningArgs) -> PruneOptions {
    let default = PruneOptions::default();
    PruneOptions { max_removed: args.max_removed, min_gain: args.min_gain.unwrap_or(default.min_gain), ..default }
}

/// Prunes with progress and Ctrl-C, from the posterior of the fit where it is at hand. A model from a file has only a part of
/// it: the rest is found again, so that `fit` followed by `prune MODEL` ends in the same graph as `fit --prune`, but not in
/// the same bits.
pub fn prune_model(
    model: Model,
    posterior: Option<FullPosterior>,
    options: &PruneOptions,
    say: Say,
) -> Result<(Model, Pruned)> {
    interrupt::listen();
    let pruned = prune_from(&model.fit, posterior, options, &mut progress::pruning(say))?;
    Ok((Model { fit: pruned.fit.clone(), ..model }, pruned))
}

/// What pruning found, in words.
pub fn plan(model: &Model, pruned: &PruningView) -> Vec<String> {
    let removed = &pruned.removed;
    let edges = model.fit.graph.edges().len() + removed.len();
    let mut lines = Vec::new();
    for bridge in &pruned.bridges {
        let place = match bridge.in_place_of {
            Some(other) => format!("in place of {}", edges::name(model, other)),
            None => "added".to_owned(),
        };
        let verdict = if bridge.taken { "taken" } else { "not taken" };
        lines.push(format!(
            "bridge {} {place}: the bound changes by {:+.2} nats; {verdict}",
            edges::name(model, bridge.edge),
            bridge.change
        ));
    }
    if pruned.interrupted {
        lines.push(format!("nothing was decided about the {edges} edges: the search was interrupted"));
        return lines;
    }
    if removed.is_empty() {
        lines.push(format!("none of the {edges} edges is a short-circuit by the bound"));
    } else {
        lines.push(format!(
            "{} of {edges} edges {}; {}",
            removed.len(),
            if removed.len() == 1 { "is a short-circuit" } else { "are short-circuits" },
            match (pruned.gain > 0.0, if removed.len() == 1 { "it" } else { "them" }) {
                (true, they) => format!("without {they} the bound is higher by {:.2} nats", pruned.gain),
                // only a collapsed layout can have the higher bound and still give way
                (false, they) => format!("with {they} the fit collapses"),
            },
        ));
        let shown = &removed[..SHOWN.min(removed.len())];
        let mut table = edges::table(shown).into_iter();
        lines.extend(table.next().map(|header| format!("{header}  {:>8}", "gain")));
        lines.extend(table.zip(shown).map(|(row, edge)| format!("{row}  {:8.2}", edge.gain.unwrap_or(f64::NAN))));
        if removed.len() > SHOWN {
            lines.push(format!("… and {} more", removed.len() - SHOWN));
        }
    }
    if !removed.is_empty() && pruned.baseline.samples == 0 {
        lines.push("no good edge could be removed for comparison: nearly all hold the graph together".to_owned());
    }
    if pruned.baseline.samples > 0 {
        lines.push(format!(
            "for comparison, a random good edge gains {:+.2} ± {:.2} nats when it is removed",
            pruned.baseline.mean, pruned.baseline.deviation
        ));
    }
    lines
}
