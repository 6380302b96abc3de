//! Sums over the eigenvalues of the Laplacian: what the priors' log-determinants and their slopes are made of.

/// The non-zero eigenvalues ω of L, or points that stand for them in sums.
pub struct Spectrum {
    values: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Spectrum {
    /// All eigenvalues but the zero one.
    pub fn exact(values: Vec<f64>) -> Self {
        Self { values, weights: None }
    }

    /// Points and weights of a quadrature.
    pub fn estimated(values: Vec<f64>, weights: Vec<f64>) -> Self {
        Self { values, weights: Some(weights) }
    }

    /// Whether sums over it are exact.
    pub fn is_exact(&self) -> bool {
        self.weights.is_none()
    }

    /// Σ f(ω) over the non-zero eigenvalues.
    pub fn sum(&self, f: impl Fn(f64) -> f64) -> f64 {
        match &self.weights {
            None => self.values.iter().map(|&w| f(w)).sum(),
            Some(weights) => self.values.iter().zip(weights).map(|(&w, &weight)| weight * f(w)).sum(),
        }
    }

    /// The log-determinants for these hyper-parameters by sums over the spectrum.
    pub fn log_determinants(&self, alpha: f64, ratio: f64) -> LogDeterminants {
        LogDeterminants {
            laplacian: self.sum(f64::ln),
            coordinates: self.sum(|w| (alpha + 2.0 * w).ln()),
            maps: self.sum(|w| (ratio + 2.0 * w).ln()),
        }
    }
}

/// Sums over the non-zero eigenvalues ω of L.
#[derive(Clone, Copy, Debug)]
pub struct LogDeterminants {
    /// Σ log ω = log pdet(L).
    pub laplacian: f64,
    /// Σ log(α + 2ω).
    pub coordinates: f64,
    /// Σ log(ν/λ + 2ω).
    pub maps: f64,
}
