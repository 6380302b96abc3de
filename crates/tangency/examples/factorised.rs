//! scratch
use std::time::Instant;
use tangency::inference::EngineKind;
use tangency::{Config, Fitter, Init, Shape, generate};
fn main() {
    let mut args = std::env::args().skip(1);
    let n: usize = args.next().unwrap().parse().unwrap();
    let noise: f64 = args.next().unwrap().parse().unwrap();
    let engine = args.next().unwrap();
    let init = args.next().unwrap();
    let max_iter: usize = args.next().unwrap().parse().unwrap();
    let roll = generate(Shape::SwissRoll, n, noise, 1);
    let (_, bad) = roll.neighbor_edges(10);
    let config = Config {
        n_neighbors: 10,
        engine: if engine == "exact" { EngineKind::Exact } else { EngineKind::Factorised },
        init: serde_json::from_str::<Init>(&format!("\"{init}\"")).unwrap(),
        max_iter,
        draws: Some(0),
        ..Config::default()
    };
    let begun = Instant::now();
    let mut last = f64::NEG_INFINITY;
    let fit = Fitter::new(config)
        .observer(|p| {
            let gain = p.point.bound_scaled - last;
            last = p.point.bound_scaled;
            let h = p.point.hyper;
            if p.point.iteration % 10 < 2 {
                println!(
                    "{:4} {:?} {:7.1}s bound {:.3} gain/n {:.2e} alpha {:.2e} gamma {:.3e} lambda {:.3e} nu {:.2e}",
                    p.point.iteration,
                    p.stage,
                    begun.elapsed().as_secs_f64(),
                    last,
                    gain / n as f64,
                    h.alpha,
                    h.gamma,
                    h.lambda,
                    h.nu
                );
            }
            std::ops::ControlFlow::Continue(())
        })
        .fit(&roll.points)
        .unwrap();
    let mut out = String::new();
    for i in (0..n).step_by((n / 5000).max(1)) {
        out += &format!(
            "{} {} {} {}\n",
            fit.coordinates[(i, 0)],
            fit.coordinates[(i, 1)],
            roll.truth[(i, 0)],
            roll.truth[(i, 1)]
        );
    }
    std::fs::write("/tmp/lab/xy.txt", out).unwrap();
    println!(
        "n {n} bad edges {} {:?} {:?} iterations {} total {:.1}s bound {:.3} R2 {:.4} procrustes {:.4}",
        bad.len(),
        fit.engine,
        fit.stop,
        fit.trace.len(),
        begun.elapsed().as_secs_f64(),
        fit.bound_scaled(),
        tangency::quality::affine_r2(&fit.coordinates, &roll.truth).unwrap(),
        tangency::quality::procrustes(&fit.coordinates, &roll.truth).unwrap()
    );
}
