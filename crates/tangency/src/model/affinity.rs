//! h, how readily points are neighbours at a distance: the shape of the rates of the graph's likelihood.

/// Ratio of neighbouring rates of the mixture.
const RATIO: f64 = std::f64::consts::E;
/// The largest rate is this power of the ratio.
const LARGEST: i32 = 2;
/// Weights below this are left out.
const SMALLEST_WEIGHT: f64 = 1e-12;

/// h(t) = Σ_q w_q e^(−s_q t) of a squared distance t, h(0) = 1.
///
/// The rates s_q are a geometric row through 1 and the weights those of a Gamma(b, b) distribution on it, so that h follows
/// (1 + t/b)^(−b): within 2.5 % for b up to 3 and distances up to half of the reach (a test says so). With 1/b = 0 it is e^(−t). As a mixture of Gaussians it has
/// exact expectations under a Gaussian, and it is the model's own h: no error of a quadrature is left in the bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Affinity {
    /// 1/b: 0 for e^(−t), 1 for the heaviest tail.
    pub heaviness: f64,
    /// Rates with their weights, the smallest rate first.
    pub parts: Vec<(f64, f64)>,
}

impl Affinity {
    /// Of this heaviness, for squared distances up to `reach`.
    pub fn new(heaviness: f64, reach: f64) -> Self {
        if heaviness <= 0.0 {
            return Self { heaviness: 0.0, parts: vec![(1.0, 1.0)] };
        }
        let b = 1.0 / heaviness;
        let smallest = -((8.0 * reach.max(1.0)).ln() / RATIO.ln()).ceil() as i32;
        let heights = (smallest..=LARGEST).map(|power| {
            let s = RATIO.powi(power);
            (s, (b * (s.ln() - s + 1.0)).exp())
        });
        let kept: Vec<(f64, f64)> = heights.filter(|(_, weight)| *weight > SMALLEST_WEIGHT).collect();
        let total: f64 = kept.iter().map(|(_, weight)| weight).sum();
        Self { heaviness, parts: kept.into_iter().map(|(s, weight)| (s, weight / total)).collect() }
    }

    /// e^(−st) alone.
    pub fn single(rate: f64) -> Self {
        Self { heaviness: 0.0, parts: vec![(rate, 1.0)] }
    }

    /// log h and −d log h / dt at a squared distance.
    pub fn log_and_slope(&self, t: f64) -> (f64, f64) {
        let least = self.parts.first().map_or(0.0, |(s, _)| *s);
        let (mut sum, mut slope) = (0.0, 0.0);
        for &(s, weight) in &self.parts {
            let value = weight * (-(s - least) * t).exp();
            sum += value;
            slope += s * value;
        }
        (sum.ln() - least * t, slope / sum)
    }

    /// log h at a squared distance.
    pub fn log(&self, t: f64) -> f64 {
        self.log_and_slope(t).0
    }
}

#[cfg(test)]
mod tests {
    //! h follows (1 + t/b)^(−b), and e^(−t) in the limit; its logarithm is convex, so that tangents are bounds.
    use super::*;

    #[test]
    fn it_follows_the_power_law() {
        for b in [1.0, 1.5, 2.0, 3.0] {
            let h = Affinity::new(1.0 / b, 1e4);
            for t in [0.0, 0.1, 1.0, 3.0, 10.0, 100.0, 1e3, 2.5e3] {
                let error = h.log(t) + b * (t / b).ln_1p();
                assert!(error.abs() < 0.025, "b = {b}, t = {t}: {error}");
            }
        }
    }

    #[test]
    fn without_heaviness_it_is_gaussian() {
        let h = Affinity::new(0.0, 100.0);
        assert_eq!(h.log(3.0), -3.0);
        let nearly = Affinity::new(1.0 / 60.0, 100.0);
        assert!((nearly.log(3.0) + 3.0).abs() < 0.2);
    }

    #[test]
    fn its_logarithm_is_convex_and_the_slope_is_its_derivative() {
        let h = Affinity::new(0.5, 1e4);
        for step in 0..200 {
            let t = 0.05 * f64::from(step) * f64::from(step).max(1.0);
            let (log, slope) = h.log_and_slope(t);
            let numeric = (h.log(t + 1e-5) - h.log((t - 1e-5).max(0.0))) / (1e-5 + t.min(1e-5));
            assert!((numeric + slope).abs() < 1e-4 * (1.0 + slope), "{t}: {numeric} {slope}");
            for other in [0.0, 0.3, 2.0, 50.0, 4000.0] {
                assert!(h.log(other) >= log - slope * (other - t) - 1e-9);
            }
        }
    }
}
