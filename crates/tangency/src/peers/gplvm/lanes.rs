//! Eight numbers at a time: the exponential and the packing that the kernels need. Nothing here depends on threads, and
//! products are never fused with additions, so the bits do not depend on the processor either.

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
pub(super) fn exp(mut x: Lane) -> Lane {
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

/// Adds up a lane.
pub(super) fn total(lane: &Lane) -> f64 {
    lane.iter().sum()
}

/// `columns` columns of `rows` numbers as lanes, entry [block·columns + a] has eight rows of column a; `fill` stands in
/// the rows that are not there.
pub(super) fn pack(values: &[f64], rows: usize, columns: usize, fill: f64, out: &mut Vec<Lane>) {
    out.clear();
    for block in 0..rows.div_ceil(WIDTH) {
        for a in 0..columns {
            out.push(std::array::from_fn(|l| {
                let i = block * WIDTH + l;
                if i < rows { values[a * rows + i] } else { fill }
            }));
        }
    }
}

/// Eight numbers from a slice, zeros behind its end.
#[inline(always)]
pub(super) fn load(values: &[f64], block: usize) -> Lane {
    let rest = &values[block * WIDTH..];
    match rest.first_chunk::<WIDTH>() {
        Some(lane) => *lane,
        None => {
            let mut lane = ZERO;
            lane[..rest.len()].copy_from_slice(rest);
            lane
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
