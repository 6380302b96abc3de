//! Two densities by the same rows.

use serde::{Deserialize, Serialize};

/// How far the scores of rows are behind those by another density, on the rows that have both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Paired {
    /// Mean difference, in nats per row.
    pub behind: f64,
    /// Its standard error.
    pub error: f64,
    /// Rows that have both.
    pub rows: usize,
}

impl Paired {
    /// How far scores are behind those of the best.
    pub fn new(scores: &[f64], best: &[f64]) -> Self {
        let differences: Vec<f64> = best.iter().zip(scores).map(|(best, score)| best - score).collect();
        let (behind, count) = (mean(&differences), differences.len().max(1) as f64);
        let squares: f64 = differences.iter().map(|difference| (difference - behind).powi(2)).sum();
        Self { behind, error: (squares / (count - 1.0).max(1.0) / count).sqrt(), rows: differences.len() }
    }

    /// Whether they are more than so many standard errors behind.
    pub fn is_behind(&self, errors: f64) -> bool {
        self.rows > 1 && self.behind > errors * self.error
    }

    /// Whether they are within one standard error of the best.
    pub fn is_level(&self) -> bool {
        self.behind <= self.error
    }
}

/// The mean of some scores; 0 of none.
pub(crate) fn mean(scores: &[f64]) -> f64 {
    scores.iter().sum::<f64>() / scores.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_taken_row_by_row() {
        let paired = Paired::new(&[1.0, 2.0, 3.0], &[2.0, 4.0, 6.0, 100.0]);
        assert_eq!((paired.behind, paired.rows), (2.0, 3));
        assert!((paired.error - (1.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(paired.is_behind(2.0) && !paired.is_level());
        let same = Paired::new(&[1.0, 5.0], &[1.0, 5.0]);
        assert!(same.is_level() && !same.is_behind(0.0));
        assert!(!Paired::new(&[], &[1.0]).is_behind(0.0), "nothing is known yet");
    }
}
