//! How time, memory and quality go with the number of points: one row of CSV for each fit.

use crate::{PEAK, root};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use tangency::inference::EngineKind;
use tangency::io::Output;
use tangency::message::{Remedy, shown};
use tangency::{Choice, Config, Error, Fitter, Result, Shape, generate, quality};

const HEADER: &str = "shape,n,noise,engine,stopped_at,iterations,graph_seconds,seconds,seconds_per_iteration,peak_gib,\
                      bound_per_point,r2,procrustes,short_circuits,stop";

/// What to fit.
#[derive(Args)]
pub struct ScalingOptions {
    /// Numbers of points
    #[arg(long, value_delimiter = ',', default_values_t = [1000, 10_000, 100_000])]
    n: Vec<usize>,
    /// Standard deviations of the noise
    #[arg(long, value_delimiter = ',', default_values_t = [0.0])]
    noise: Vec<f64>,
    /// swiss-roll or s-curve
    #[arg(long, value_delimiter = ',', default_values_t = ["swiss-roll".to_owned()])]
    shape: Vec<String>,
    /// exact or factorised
    #[arg(long, value_delimiter = ',', default_values_t = ["factorised".to_owned()])]
    engine: Vec<String>,
    /// Also fits that end after so many iterations: the layout along the run
    #[arg(long, value_delimiter = ',')]
    stop_after: Vec<usize>,
    /// Draws for the deviations; they are outside the times
    #[arg(long, default_value_t = 0)]
    draws: usize,
    /// Tolerance of runs from a coarser graph
    #[arg(long, default_value_t = Config::default().coarse_tol)]
    coarse_tol: f64,
    /// File to write
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Fits everything asked for, and writes the table after each fit.
pub fn run(options: &ScalingOptions) -> Result<()> {
    let path = options.out.clone().unwrap_or_else(|| root().join("experiments/scaling/ours.csv"));
    let mut lines = vec![HEADER.to_owned()];
    println!("{HEADER}");
    for shape in &options.shape {
        for &n in &options.n {
            for &noise in &options.noise {
                for engine in &options.engine {
                    let stops = options.stop_after.iter().map(|&most| Some(most));
                    for most in stops.chain([None]) {
                        let line = fit(options, shape, n, noise, engine, most)?;
                        println!("{line}");
                        lines.push(line);
                        let text = lines.join("\n") + "\n";
                        Output::claim(&path, true)?.write(|file| file.write_all(text.as_bytes()))?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// The member of a closed list with this word.
fn named<C: Choice>(name: &'static str, word: &str) -> Result<C> {
    C::named(word).ok_or_else(|| {
        let way_out = Remedy::act(format!("use one of {}", C::NAMES.join(", ")));
        Error::setting(name, format!("\"{}\"", shown(word)), "that is not known", [way_out])
    })
}

fn fit(
    options: &ScalingOptions,
    shape_name: &str,
    n: usize,
    noise: f64,
    engine_name: &str,
    most: Option<usize>,
) -> Result<String> {
    let shape: Shape = named("shape", shape_name)?;
    let engine: EngineKind = named("engine", engine_name)?;
    let data = generate(shape, n, noise, 1);
    let (_, crossing) = data.neighbor_edges(10);
    let config = Config {
        n_neighbors: 10,
        engine,
        draws: Some(options.draws),
        coarse_tol: options.coarse_tol,
        max_iter: most.unwrap_or(Config::default().max_iter),
        ..Config::default()
    };
    PEAK.reset_peak_usage();
    let before = PEAK.current_usage_as_gb();
    let began = Instant::now();
    let (mut first, mut last) = (None, (0, 0.0));
    let mut begun_at = 0.0;
    let fit = Fitter::new(config)
        .observer(|progress| {
            let now = began.elapsed().as_secs_f64();
            first.get_or_insert(now);
            // the last run that begins anew is the one that counts
            if progress.point.iteration == 1 {
                begun_at = now;
            }
            last = (progress.point.iteration, now);
            std::ops::ControlFlow::Continue(())
        })
        .fit(&data.points)?;
    let seconds = began.elapsed().as_secs_f64();
    let each = (last.1 - begun_at) / (last.0.max(2) - 1) as f64;
    let peak = f64::from(PEAK.peak_usage_as_gb() - before);
    Ok(format!(
        "{shape_name},{n},{noise},{engine_name},{},{},{:.2},{seconds:.2},{each:.3},{peak:.3},{:.4},{:.4},{:.4},{},{:?}",
        most.map_or(String::new(), |most| most.to_string()),
        fit.trace.len(),
        first.unwrap_or(0.0),
        fit.bound_scaled() / n as f64,
        quality::affine_r2(&fit.coordinates, &data.truth)?,
        quality::procrustes(&fit.coordinates, &data.truth)?,
        crossing.len(),
        fit.stop,
    ))
}
