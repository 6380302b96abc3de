//! Eight numbers at a time: the bumps h·exp(−Σ_a k_a (m_a − c_a)²) over many centres c, and their moments, that kernels
//! and their expectations are made of. Nothing here depends on threads, and products are never fused with additions, so
//! the bits do not depend on the processor either.

use pulp::NullaryFnOnce;

/// Eight numbers that are computed together.
pub(super) type Lane = [f64; WIDTH];

/// Numbers in a lane.
pub(super) const WIDTH: usize = 8;

/// A lane of zeros.
pub(super) const ZERO: Lane = [0.0; WIDTH];

/// 1.5·2⁵²: added to a number below 2⁵¹ it leaves the nearest integer in the last bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, the first with zeros at its end so that small multiples of it are exact.
const LN_2: (f64, f64) = (6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10);
/// Below this the exponential is taken for that of this: about 3e-308.
const LOWEST: f64 = -708.0;
/// 1/k! from k = 13 to 2; the rest of the series is below 1e-17 where |r| < ½ ln 2.
const SERIES: [f64; 12] = [
    1.605_904_383_682_161_3e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589_3e-7,
    2.755_731_922_398_589e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    1.666_666_666_666_666_6e-1,
    0.5,
];

/// exp of eight numbers that are not above 709: 2ᵏ times the series of exp r with x = k ln 2 + r.
#[inline(always)]
fn exp(mut x: Lane) -> Lane {
    for value in &mut x {
        // a NaN stays one
        *value = if *value < LOWEST { LOWEST } else { *value };
        let shifted = *value * std::f64::consts::LOG2_E + ROUND;
        let k = shifted - ROUND;
        let r = (*value - k * LN_2.0) - k * LN_2.1;
        // odd and even powers apart, so that one chain of additions does not wait for the other
        let square = r * r;
        let (mut odd, mut even) = (SERIES[0], SERIES[1]);
        for pair in SERIES[2..].chunks_exact(2) {
            odd = odd * square + pair[0];
            even = even * square + pair[1];
        }
        let tail = (odd * r + even) * square + r;
        *value = (1.0 + tail) * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    }
    x
}

/// `columns` columns of `rows` numbers as lanes, column by column, with zeros in the rows that are not there.
pub(super) fn pack(values: &[f64], rows: usize, out: &mut Vec<Lane>) {
    out.clear();
    for column in values.chunks_exact(rows) {
        let (lanes, rest) = column.as_chunks::<WIDTH>();
        out.extend_from_slice(lanes);
        if !rest.is_empty() {
            let mut lane = ZERO;
            lane[..rest.len()].copy_from_slice(rest);
            out.push(lane);
        }
    }
}

/// Runs work on the widest vectors that the processor has. A type instead of a closure: its code is then sure to be
/// compiled for them.
pub(super) fn vectorized<R>(work: impl NullaryFnOnce<Output = R>) -> R {
    pulp::Arch::new().dispatch(work)
}

/// Fills a row with factor·exp(height − Σ_a half_a (mean_a − c_a)²), `centers` component by component.
pub(super) struct FillRow<'a> {
    pub(super) row: &'a mut [Lane],
    pub(super) centers: &'a [Lane],
    pub(super) mean: &'a [f64],
    pub(super) half: &'a [f64],
    pub(super) height: f64,
    pub(super) factor: f64,
}

impl NullaryFnOnce for FillRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { row, centers, mean, half, height, factor } = self;
        let components = centers.chunks_exact(row.len()).zip(mean.iter().zip(half));
        for (a, (centers, (&mean, &half))) in components.enumerate() {
            for (slot, center) in row.iter_mut().zip(centers) {
                for l in 0..WIDTH {
                    let delta = mean - center[l];
                    let before = if a == 0 { height } else { slot[l] };
                    slot[l] = before - half * (delta * delta);
                }
            }
        }
        for slot in row {
            let value = exp(*slot);
            for l in 0..WIDTH {
                slot[l] = factor * value[l];
            }
        }
    }
}

/// Adds one row to another.
pub(super) struct AddRow<'a> {
    pub(super) sums: &'a mut [Lane],
    pub(super) row: &'a [Lane],
}

impl NullaryFnOnce for AddRow<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (sum, value) in self.sums.iter_mut().zip(self.row) {
            for l in 0..WIDTH {
                sum[l] += value[l];
            }
        }
    }
}

/// With t = weight·value and δ_a = mean_a − c_a: Σ t, then Σ t δ_a and Σ t δ_a² for each component go into `moments`
/// [1 + 2d]; half_a t δ_a is added to `of_centers`, laid out as the centres, unless that is empty.
pub(super) struct LaneMoments<'a> {
    pub(super) values: &'a [Lane],
    pub(super) weights: &'a [Lane],
    pub(super) centers: &'a [Lane],
    pub(super) mean: &'a [f64],
    pub(super) half: &'a [f64],
    /// As long as a row.
    pub(super) scratch: &'a mut [Lane],
    pub(super) moments: &'a mut [f64],
    pub(super) of_centers: &'a mut [Lane],
}

impl NullaryFnOnce for LaneMoments<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { values, weights, centers, mean, half, scratch: t, moments, of_centers } = self;
        let (d, blocks, mut zeroth) = (mean.len(), values.len(), ZERO);
        for ((t, value), weight) in t.iter_mut().zip(values).zip(weights) {
            for l in 0..WIDTH {
                t[l] = weight[l] * value[l];
                zeroth[l] += t[l];
            }
        }
        moments[0] = zeroth.iter().sum();
        for a in 0..d {
            let (mean, half, centers) = (mean[a], half[a], &centers[a * blocks..][..blocks]);
            let (mut first, mut second) = (ZERO, ZERO);
            if of_centers.is_empty() {
                for (t, center) in t.iter().zip(centers) {
                    for l in 0..WIDTH {
                        let delta = mean - center[l];
                        let moment = t[l] * delta;
                        first[l] += moment;
                        second[l] += moment * delta;
                    }
                }
            } else {
                for ((t, center), slot) in t.iter().zip(centers).zip(&mut of_centers[a * blocks..][..blocks]) {
                    for l in 0..WIDTH {
                        let delta = mean - center[l];
                        let moment = t[l] * delta;
                        first[l] += moment;
                        second[l] += moment * delta;
                        slot[l] += half * moment;
                    }
                }
            }
            (moments[1 + a], moments[1 + d + a]) = (first.iter().sum(), second.iter().sum());
        }
    }
}

#[cfg(test)]
mod tests {
    //! The exponential is that of the standard library to the last bits.
    use super::*;

    #[test]
    fn the_exponential() {
        for step in 0..200_000 {
            let x = -f64::from(step) * 3.5e-3;
            let lane = exp([x, 0.0, -1.0, -745.0, f64::NAN, -1e300, f64::NEG_INFINITY, 1e-9 * x]);
            assert!((lane[0] / x.exp() - 1.0).abs() < 6e-16, "{x}");
            assert!(lane[1] == 1.0 && lane[4].is_nan());
            assert!(lane[3] < 1e-300 && lane[5] < 1e-300 && lane[6] < 1e-300);
            assert!((lane[7] - (1e-9 * x).exp()).abs() < 3e-16);
        }
    }
}
