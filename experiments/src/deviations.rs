//! Marginal standard deviations of the factorised engine beside those of the exact one.

use clap::Args;
use tangency::inference::EngineKind;
use tangency::{Config, Fit, Fitter, Init, Result, Shape, generate};

/// What to compare.
#[derive(Args)]
pub struct DeviationOptions {
    /// Points of the roll
    #[arg(long, default_value_t = 1000)]
    n: usize,
    /// Standard deviation of its noise
    #[arg(long, default_value_t = 0.05)]
    noise: f64,
    /// Draws
    #[arg(long, value_delimiter = ',', default_values_t = [64, 400])]
    draws: Vec<usize>,
}

/// Prints how the deviations of one relate to those of the other.
pub fn run(options: &DeviationOptions) -> Result<()> {
    let roll = generate(Shape::SwissRoll, options.n, options.noise, 1);
    let fit = |engine, draws| -> Result<Fit> {
        let config = Config { n_neighbors: 10, engine, draws: Some(draws), init: Init::Isomap, ..Config::default() };
        Fitter::new(config).fit(&roll.points)
    };
    let exact = all(&fit(EngineKind::Exact, 0)?);
    println!(
        "| deviations | draws | median ratio to exact | 5 % | 95 % | rank correlation |\n|---|---|---|---|---|---|"
    );
    for draws in std::iter::once(0).chain(options.draws.iter().copied()) {
        let found = all(&fit(EngineKind::Factorised, draws)?);
        let mut ratios: Vec<f64> = found.iter().zip(&exact).map(|(found, exact)| found / exact).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let quantile = |share: f64| ratios[(share * (ratios.len() - 1) as f64).round() as usize];
        let (low, middle, high) = (quantile(0.05), quantile(0.5), quantile(0.95));
        let kind = if draws == 0 { "conditional" } else { "sampled" };
        println!("| {kind} | {draws} | {middle:.3} | {low:.3} | {high:.3} | {:.3} |", spearman(&found, &exact));
    }
    Ok(())
}

/// The deviation of each point: root of the sum of its components' variances, which no rotation changes.
fn all(fit: &Fit) -> Vec<f64> {
    let deviations = fit.standard_deviations();
    (0..fit.n()).map(|i| (0..deviations.ncols()).map(|a| deviations[(i, a)].powi(2)).sum::<f64>().sqrt()).collect()
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&p, &q| values[p].total_cmp(&values[q]));
    let mut ranks = vec![0.0; values.len()];
    order.iter().enumerate().for_each(|(rank, &i)| ranks[i] = rank as f64);
    ranks
}

fn spearman(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (ranks(a), ranks(b));
    let middle = 0.5 * (a.len() - 1) as f64;
    let product: f64 = a.iter().zip(&b).map(|(p, q)| (p - middle) * (q - middle)).sum();
    let spread: f64 = a.iter().map(|p| (p - middle).powi(2)).sum();
    product / spread
}
