//! `tangency demo`: a Swiss roll, unrolled.

use crate::args::DemoArgs;
use crate::figure_file::cannot_be_drawn;
use crate::{fit, generate, info, prune, report, say::Say};
use std::io::IsTerminal;
use std::path::Path;
use tangency::evidence::PruneOptions;
use tangency::io::table::Table;
use tangency::io::{Model, Output, save_model, write_embedding, write_rows};
use tangency::message::{Remedy, counted};
use tangency::quality::affine_r2;
use tangency::view::PruningView;
use tangency::{Config, Error, Fitter, Result, Shape};
use tangency_report::page::Report;
use tangency_report::{Figure, unrolled};

/// Runs the command.
pub fn run(args: &DemoArgs, say: Say) -> Result<()> {
    let config = args.settings.over(Config { random_state: args.seed, ..Config::default() })?;
    if args.n <= config.n_neighbors {
        let but = format!("each point has {} neighbours", config.n_neighbors);
        return Err(Error::setting("n", args.n, but, [Remedy::Raise("n")]));
    }
    let mut claims = crate::rows::claims(args.force, []);
    let mut claim = |name: &str| claims.claim(&args.dir.join(name));
    let table_out = claim("tangency-demo.csv")?;
    let model_out = claim("tangency-demo.safetensors")?;
    let embedding_out = claim("tangency-demo-embedding.csv")?;
    let svg_out = claim("tangency-demo.svg")?;
    let png_out = claim("tangency-demo.png")?;
    let page_out = claim("tangency-demo.html")?;

    let roll = tangency::generate(Shape::SwissRoll, args.n, 0.0, args.seed);
    say.line(&format!("a Swiss roll of {} in three dimensions", counted(args.n, "point")));
    let table = Table {
        values: roll.points.clone(),
        feature_names: vec!["y1".into(), "y2".into(), "y3".into()],
        ids: None,
        labels: None,
        label_name: None,
        carried: vec![],
        views: vec![],
        notes: vec![],
    };
    let (_, shortcuts) = roll.neighbor_edges(config.n_neighbors);
    let (model, posterior) = fit::fit_to_prune(Fitter::new(Config { connect: true, ..config }), table, say)?;
    if crate::interrupt::asked() {
        return Err(Error::Interrupted { what: "the demo" });
    }
    let folded = affine_r2(&model.fit.coordinates, &roll.truth)?;
    say.line(&format!(
        "fitted on each point's nearest neighbours, the two coordinates explain {:.0} % of the true ones (arc length and height)",
        100.0 * folded
    ));
    let (model, pruned) = prune::prune_model(model, posterior, &PruneOptions::default(), say)?;
    if pruned.interrupted {
        return Err(Error::Interrupted { what: "the demo" });
    }
    let found = pruned.removed.iter().filter(|edge| shortcuts.contains(&edge.score.edge)).count();
    say.line(&format!(
        "the bound speaks against {} of {} neighbour pairs; {} jump between layers of the roll, and {found} of these are among them",
        pruned.removed.len(),
        model.fit.graph.edges().len() + pruned.removed.len(),
        shortcuts.len(),
    ));
    let r2 = affine_r2(&model.fit.coordinates, &roll.truth)?;
    let figure = figure(&model.fit, &roll)?;
    let png = figure.png(2.0).map_err(|error| drawing(&png_out, &error))?;

    let (header, rows) = generate::table(&roll);
    write_rows(&table_out, &header, rows.into_iter())?;
    save_model(&model_out, &model)?;
    write_embedding(&embedding_out, &model)?;
    svg_out.write(|file| file.write_all(figure.svg().as_bytes()))?;
    png_out.write(|file| file.write_all(&png))?;
    let title = "A Swiss roll, unrolled".to_owned();
    let command = Some(format!("tangency demo --n {} --seed {}", args.n, args.seed));
    // the page may colour the points by their true place, which the model does not know
    let arc = roll.truth.col_as_slice(0);
    let labels = Some(model.fit.rows.iter().map(|&row| format!("{:.2}", arc[row])).collect());
    let shown = Model {
        fit: model.fit.clone(),
        feature_names: model.feature_names.clone(),
        ids: None,
        labels,
        label_name: Some("along the roll".into()),
        carried: vec![],
        table: None,
        reading: None,
    };
    report::write(&page_out, Report { title, table: Some("tangency-demo.csv"), command, ..Report::default() }, &shown)?;

    info::warnings(&model).iter().for_each(|text| say.warn(text));
    info::summary(&model, say.verbose).iter().for_each(|line| say.line(line));
    say.line(&format!("without them the two coordinates explain {:.1} % of the true ones", 100.0 * r2));
    let written = [&table_out, &model_out, &embedding_out, &svg_out, &png_out, &page_out];
    written.iter().for_each(|output| say.line(&format!("wrote {}", output.path().display())));
    say.line("next: look at tangency-demo.html, then fit a table of your own: tangency fit TABLE.csv --prune --report report.html");
    if !args.no_open && !say.quiet && !say.json && std::io::stdout().is_terminal() {
        report::open(page_out.path(), say);
    }
    let mut result = info::as_json(&model);
    result["affine_r2"] = r2.into();
    result["affine_r2_before_pruning"] = folded.into();
    result["pruning"] = serde_json::json!(PruningView::new(&model, &pruned));
    result["short_circuits"] = shortcuts.len().into();
    result["written"] = crate::say::names(written.map(Output::path));
    say.result(&result);
    Ok(())
}

fn figure(fit: &tangency::Fit, roll: &tangency::generate::Synthetic) -> Result<Figure> {
    unrolled(fit, roll, "What tangency found").map_err(|error| cannot_be_drawn(Path::new("tangency-demo.svg"), &error))
}

fn drawing(output: &Output, error: &tangency_report::FigureError) -> Error {
    cannot_be_drawn(output.path(), error)
}
