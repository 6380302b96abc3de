//! `tangency fit`: typed arguments to a validated job, the job to files.

use crate::args::{FitArgs, GraphArgs, ModelArgs, PresetArg, TableArgs};
use crate::{info, interrupt, progress, say::Say};
use tangency::inference::Start;
use tangency::io::table::{Table, TableOptions, read_cells, read_matrix, read_table};
use tangency::io::{Claims, Model, save_model, write_embedding, write_trace};
use tangency::linalg::Matrix;
use tangency::{Config, Fitter, Result};

/// Runs the command.
pub fn run(args: &FitArgs, say: Say) -> Result<()> {
    let config = config(&args.graph, &args.model);
    config.validate()?;
    let mut claims = Claims::new(
        args.force,
        [&args.table.table]
            .into_iter()
            .chain(&args.graph.edges)
            .chain(&args.model.init_coordinates)
            .chain(&args.model.init_maps),
    );
    let out = claims.claim(&args.out)?;
    let embedding = claims.claim_if(&args.embedding)?;
    let trace = claims.claim_if(&args.trace)?;

    let table = read_table(&args.table.table, &table_options(&args.table))?;
    let mut fitter = Fitter::new(config);
    if let Some(edges) = edges(&args.graph, &table)? {
        fitter = fitter.edges(edges);
    }
    if let Some(start) = start(&args.model, &table)? {
        fitter = fitter.start(start);
    }
    let model = fit_table(fitter, table, say)?;

    save_model(&out, &model)?;
    let mut written = vec![out.path().to_owned()];
    if let Some(output) = embedding {
        write_embedding(&output, &model)?;
        written.push(output.path().to_owned());
    }
    if let Some(output) = trace {
        write_trace(&output, &model.fit)?;
        written.push(output.path().to_owned());
    }
    info::summary(&model).iter().for_each(|line| say.line(line));
    written.iter().for_each(|path| say.line(&format!("wrote {}", path.display())));
    info::warnings(&model).iter().for_each(|text| say.warn(text));
    let mut result = info::as_json(&model);
    result["written"] = serde_json::json!(written);
    say.result(&result);
    Ok(())
}

/// Fits a table with progress and Ctrl-C, and keeps the names of the rows that are in the model.
pub fn fit_table(fitter: Fitter, table: Table, say: Say) -> Result<Model> {
    interrupt::listen();
    let fit = fitter.observer(progress::observer(say)).fit(&table.values)?;
    let kept = |names: Vec<String>| fit.rows.iter().map(|&row| names[row].clone()).collect::<Vec<_>>();
    let (ids, labels) = (table.ids.map(&kept), table.labels.map(&kept));
    Ok(Model { fit, feature_names: table.feature_names, ids, labels })
}

/// The settings of the preset, with what was typed in their place.
pub fn config(graph: &GraphArgs, model: &ModelArgs) -> Config {
    let mut config = match model.preset {
        PresetArg::Default => Config::default(),
        PresetArg::Authors => Config::authors(),
    };
    macro_rules! take {
        ($($from:ident . $field:ident => $target:ident),+ $(,)?) => {
            $(if let Some(value) = $from.$field { config.$target = value.into(); })+
        };
    }
    take!(
        graph.n_neighbors => n_neighbors,
        graph.symmetry => symmetry,
        model.n_components => n_components,
        model.scaling => scaling,
        model.init => init,
        model.n_init => n_init,
        model.max_iter => max_iter,
        model.tol => tol,
        model.seed => random_state,
        model.epsilon => epsilon,
        model.gamma0 => gamma0,
        model.alpha0 => alpha0,
        model.alpha => alpha,
        model.lambda => lambda,
        model.nu => nu,
    );
    config.radius = graph.radius;
    config.connect = graph.connect;
    config.largest = graph.largest;
    config.accelerate &= !model.no_acceleration;
    config.full_covariance = model.full_covariance;
    config
}

/// What `read_table` is told.
pub fn table_options(args: &TableArgs) -> TableOptions {
    let header = match (args.header, args.no_header) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    TableOptions {
        header,
        id_column: args.id_column.clone(),
        label_column: args.label_column.clone(),
        columns: (!args.columns.is_empty()).then(|| args.columns.clone()),
        exclude: args.exclude.clone(),
        array: args.array.clone(),
    }
}

/// The user's edge list, if there is one.
pub fn edges(args: &GraphArgs, table: &Table) -> Result<Option<Vec<(u32, u32)>>> {
    let Some(path) = &args.edges else { return Ok(None) };
    let names = args.edges_by.map(Into::into).unwrap_or_default();
    let cells = read_cells(path)?;
    tangency::graph::edges_from_cells(&cells, table.values.nrows(), table.ids.as_deref(), names).map(Some)
}

fn start(args: &ModelArgs, table: &Table) -> Result<Option<Start>> {
    if let Some(path) = &args.init_coordinates {
        return Ok(Some(Start::Coordinates(read_matrix(path, "start coordinates")?)));
    }
    let Some(path) = &args.init_maps else { return Ok(None) };
    let given = read_matrix(path, "start maps")?;
    // from point by point, as users write it, to component by component, as the engine has it
    let n = table.values.nrows();
    let d_x = given.ncols() / n.max(1);
    if d_x == 0 || given.ncols() != n * d_x {
        return Ok(Some(Start::Maps(given))); // the fit tells what is wrong with its shape
    }
    let by_component = Matrix::from_fn(given.nrows(), given.ncols(), |f, p| given[(f, (p % n) * d_x + p / n)]);
    Ok(Some(Start::Maps(by_component)))
}
