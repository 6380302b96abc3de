//! The logarithm of the gamma function and its derivative.

/// log Γ(x), x > 0.
pub fn log_gamma(mut x: f64) -> f64 {
    let mut shifted = 0.0;
    while x < 10.0 {
        shifted -= x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    // Stirling's series
    let series =
        1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * (1.0 / 1260.0 - inverse * (1.0 / 1680.0 - inverse / 1188.0)));
    shifted + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series / x
}

/// ψ(x), x > 0.
pub fn digamma(mut x: f64) -> f64 {
    let mut shifted = 0.0;
    while x < 10.0 {
        shifted -= 1.0 / x;
        x += 1.0;
    }
    let inverse = 1.0 / (x * x);
    let series = inverse
        * (1.0 / 12.0 - inverse * (1.0 / 120.0 - inverse * (1.0 / 252.0 - inverse * (1.0 / 240.0 - inverse / 132.0))));
    shifted + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    //! Both functions at places where they are known.
    use super::*;

    #[test]
    fn known_values() {
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0));
        close(log_gamma(1.0), 0.0);
        close(log_gamma(0.5), 0.5 * std::f64::consts::PI.ln());
        close(log_gamma(11.0), (3628800.0f64).ln());
        close(digamma(1.0), -0.577_215_664_901_532_9);
        close(digamma(0.5), -1.963_510_026_021_423_5);
        for x in [0.3, 2.7, 14.0] {
            close(digamma(x + 1.0), digamma(x) + 1.0 / x);
            close(log_gamma(x + 1.0), log_gamma(x) + x.ln());
        }
    }
}
