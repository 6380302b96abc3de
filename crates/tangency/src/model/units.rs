//! Whether the features of a table are measured in one unit, or each in its own.

use super::ScalingRule;
use super::scaling::{deviation, mean};
use crate::linalg::{Matrix, View, product, transposed_product};
use serde::{Deserialize, Serialize};

/// Units differ where the variance of the middle feature is a smaller share of the mean than this: half of the features would
/// hardly count.
const HARDLY: f64 = 0.03;
/// By chance squared correlations are 1/n in the mean, and squared means, in deviations, too; as many times that is still chance.
const CHANCE: f64 = 3.0;
/// Rows that correlations are found from; of more they are evenly spread over the table.
const ROWS: usize = 1000;
/// So many features whose variance falls from each to the next are no chance.
const IN_ORDER: usize = 5;

crate::choice! {
    /// Why features were scaled as they were.
    pub enum ScalingReason {
        /// The features vary by amounts of one size, as measurements in one unit do.
        Alike = "alike",
        /// Half of the features vary so little next to the others that they would not count.
        Units = "units",
        /// They do, but features are centred and uncorrelated, or in order of their variance, as principal components are.
        Axes = "axes",
    }
}

/// How the scaling was found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScalingChoice {
    /// The rule that was taken.
    pub taken: ScalingRule,
    /// Why.
    pub reason: ScalingReason,
    /// Variance of the middle feature, in units of the mean variance of a feature.
    pub middle: f64,
    /// The feature that varies most, counted from 0.
    pub largest: usize,
    /// Its share of the variance.
    pub share: f64,
}

/// The rule that is followed, and how it was found if it was left to the data.
pub(crate) fn settled(values: View, rule: ScalingRule) -> (ScalingRule, Option<ScalingChoice>) {
    if rule != ScalingRule::Auto {
        return (rule, None);
    }
    let choice = choose(values);
    (choice.map_or(ScalingRule::MaxAbs, |choice| choice.taken), choice)
}

/// None where nothing varies, or numbers are too large to say.
fn choose(values: View) -> Option<ScalingChoice> {
    // features that do not vary say nothing of units
    let varying: Vec<(usize, f64)> =
        (0..values.ncols()).filter_map(|f| Some((f, deviation(values, f, mean(values, f))?))).collect();
    let &(largest, most) = varying.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    let variances: Vec<f64> = varying.iter().map(|(_, deviation)| (deviation / most).powi(2)).collect();
    let total: f64 = variances.iter().sum();
    let mut sorted = variances.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted[(sorted.len() - 1) / 2] * sorted.len() as f64 / total;
    let reason = match () {
        () if !total.is_finite() => return None,
        () if middle >= HARDLY => ScalingReason::Alike,
        () if variances.len() >= IN_ORDER && variances.is_sorted_by(|a, b| a >= b) => ScalingReason::Axes,
        () if are_axes(values, &varying) => ScalingReason::Axes,
        () => ScalingReason::Units,
    };
    let taken = if reason == ScalingReason::Units { ScalingRule::PerFeature } else { ScalingRule::MaxAbs };
    Some(ScalingChoice { taken, reason, middle, largest, share: 1.0 / total })
}

/// Whether features, given with their deviations, are centred, and no more correlated than independent ones would be.
fn are_axes(values: View, varying: &[(usize, f64)]) -> bool {
    let step = values.nrows().div_ceil(ROWS);
    let rows: Vec<usize> = (0..values.nrows()).step_by(step).collect();
    let (n, d) = (rows.len(), varying.len());
    let mut standard = Matrix::from_fn(n, d, |i, c| {
        let (f, deviation) = varying[c];
        values[(rows[i], f)] / deviation
    });
    let mut squared_means = 0.0;
    for c in 0..d {
        let column = standard.col_as_slice_mut(c);
        let known = column.iter().filter(|value| !value.is_nan());
        let (sum, count) = known.fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
        let center = sum / count.max(1) as f64;
        squared_means += center.powi(2);
        // what is missing is taken to be in the middle
        column.iter_mut().for_each(|value| *value = if value.is_nan() { 0.0 } else { *value - center });
        let norm = column.iter().map(|value| value * value).sum::<f64>().sqrt();
        column.iter_mut().for_each(|value| *value /= norm.max(f64::MIN_POSITIVE));
    }
    // |ZᵀZ|² = |ZZᵀ|², of which the smaller is made; the diagonal of the first is 1
    let gram = match d <= n {
        true => transposed_product(&standard, &standard),
        false => product(&standard, &standard.transpose().to_owned()),
    };
    let pairs = (d * (d - 1)) as f64;
    let mean_square = (gram.squared_norm_l2() - d as f64) / pairs.max(1.0);
    let chance = CHANCE / (n as f64 - 1.0);
    mean_square <= chance && squared_means / d as f64 <= chance
}

#[cfg(test)]
mod tests {
    //! Tables in several units are told from those in one, and principal components are left as they are.
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::generate::{Shape, generate};

    fn found(values: &Matrix) -> ScalingChoice {
        choose(values.as_ref()).unwrap()
    }

    fn in_units(values: &Matrix, units: &[f64]) -> Matrix {
        Matrix::from_fn(values.nrows(), values.ncols(), |i, f| values[(i, f)] * units[f] + 3.0 * units[f])
    }

    #[test]
    fn units_are_noticed_whatever_they_are() {
        for shape in [Shape::SCurve, Shape::SwissRoll] {
            let points = generate(shape, 200, 0.05, 1).points;
            assert_eq!(found(&points).reason, ScalingReason::Alike, "{shape}");
            for units in [[1.0, 1e6, 1.0], [1e-150, 1.0, 1e3], [1e120, 1e-120, 1.0]] {
                let choice = found(&in_units(&points, &units));
                assert_eq!((choice.reason, choice.taken), (ScalingReason::Units, ScalingRule::PerFeature), "{units:?}");
                assert_eq!(choice.largest, (0..3).max_by(|&a, &b| units[a].total_cmp(&units[b])).unwrap());
                assert!(choice.share > 0.99);
            }
        }
    }

    #[test]
    fn one_unit_for_all_changes_nothing() {
        let points = generate(Shape::SCurve, 200, 0.05, 1).points;
        for unit in [1e-140, 1e140] {
            let scaled = found(&in_units(&points, &[unit; 3]));
            assert_eq!(scaled.taken, ScalingRule::MaxAbs);
            assert!((scaled.middle - found(&points).middle).abs() < 1e-9);
        }
    }

    #[test]
    fn principal_components_are_not_whitened() {
        // waves on a grid are centred and uncorrelated, and each here varies less than the one before
        let wave = |i: usize, f: usize| {
            (std::f64::consts::TAU * ((f / 2 + 1) * i) as f64 / 300.0 + (f % 2) as f64 * std::f64::consts::FRAC_PI_2)
                .sin()
        };
        let axes = Matrix::from_fn(300, 8, |i, f| 0.2_f64.powi(f as i32) * wave(i, f));
        assert_eq!(found(&axes).reason, ScalingReason::Axes);
        let turned = Matrix::from_fn(300, 8, |i, f| axes[(i, 7 - f)]);
        assert_eq!(found(&turned).reason, ScalingReason::Axes, "in another order");
        let some = Matrix::from_fn(60, 8, |i, f| axes[(i * i % 97, f)]);
        assert_eq!(found(&some).reason, ScalingReason::Axes, "some rows, in which they are a little correlated");
        let mixed = Matrix::from_fn(300, 8, |i, f| 0.2_f64.powi(f as i32) * (wave(i, f) + wave(i, 0)));
        let mixed = Matrix::from_fn(300, 8, |i, f| mixed[(i, 7 - f)]);
        assert_eq!(found(&mixed).reason, ScalingReason::Units);
    }

    #[test]
    fn features_that_do_not_vary_do_not_count() {
        let points = generate(Shape::SCurve, 100, 0.0, 1).points;
        let more = Matrix::from_fn(100, 9, |i, f| if f < 3 { points[(i, f)] } else { 7.0 });
        assert_eq!(found(&more), found(&points));
        assert!(choose(Matrix::from_fn(5, 3, |_, f| f as f64).as_ref()).is_none());
    }
}
