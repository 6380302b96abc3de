//! The expectation of h between one point and many, with its slope and curvature.

/// Points at a time.
pub(super) const WIDTH: usize = 64;

/// How much is wanted of each expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Depth {
    /// E h.
    Value,
    /// And its slope in the mean of the difference.
    Slope,
    /// And its curvature there.
    Curvature,
}

/// Numbers of a symmetric matrix of this size.
pub fn packed(d: usize) -> usize {
    d * (d + 1) / 2
}

/// Place of an entry, row ≥ column, in a packed symmetric matrix.
pub fn place(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

/// Expectations for up to `WIDTH` differences N(μ, Σ): `means` and `spreads` hold them by component, `WIDTH` numbers each.
pub(super) struct Lanes {
    d: usize,
    pub means: Vec<[f64; WIDTH]>,
    /// Packed Σ.
    pub spreads: Vec<[f64; WIDTH]>,
    /// E h.
    pub value: [f64; WIDTH],
    /// −∂E h/∂μ.
    pub slope: Vec<[f64; WIDTH]>,
    /// ∂²E h/∂μ∂μᵀ, packed.
    pub curvature: Vec<[f64; WIDTH]>,
}

impl Lanes {
    pub fn new(d: usize) -> Self {
        let zeros = |count: usize| vec![[0.0; WIDTH]; count];
        Self {
            d,
            means: zeros(d),
            spreads: zeros(packed(d)),
            value: [0.0; WIDTH],
            slope: zeros(d),
            curvature: zeros(packed(d)),
        }
    }

    /// Fills in the expectations of parts of h, rates with their weights. Above three components the covariances count by their diagonals only.
    pub fn evaluate(&mut self, parts: &[(f64, f64)], depth: Depth) {
        pulp::Arch::new().dispatch(Evaluation { lanes: self, parts, depth });
    }

    /// Adds what the parts of h make of values, images Mμ and inverses M.
    #[inline(always)]
    fn with_matrices<const D: usize>(&mut self, parts: &[(f64, f64)], depth: Depth) {
        self.reset(depth);
        let mut part = Part::new();
        for &(s, weight) in parts {
            match D {
                1 => self.fill_one(s, weight, &mut part),
                2 => self.fill_two(s, weight, &mut part),
                _ => self.fill_three(s, weight, &mut part),
            }
            add(&mut self.value, &part.value);
            if depth >= Depth::Slope {
                for a in 0..D {
                    add_product(&mut self.slope[a], 2.0 * s, &part.value, &part.image[a]);
                }
            }
            if depth == Depth::Curvature {
                for a in 0..D {
                    for b in 0..=a {
                        let (images, inverse) = ((&part.image[a], &part.image[b]), &part.inverse[place(a, b)]);
                        add_bend(&mut self.curvature[place(a, b)], 2.0 * s, &part.value, images, inverse);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn fill_one(&self, s: f64, weight: f64, part: &mut Part) {
        let (x, spread) = (&self.means[0], &self.spreads[0]);
        for l in 0..WIDTH {
            let m = 1.0 / (1.0 + 2.0 * s * spread[l]);
            let image = m * x[l];
            part.inverse[0][l] = m;
            part.image[0][l] = image;
            part.value[l] = weight * m.sqrt() * exp_negative(-s * image * x[l]);
        }
    }

    #[inline(always)]
    fn fill_two(&self, s: f64, weight: f64, part: &mut Part) {
        let (x, y) = (&self.means[0], &self.means[1]);
        let (xx, yx, yy) = (&self.spreads[0], &self.spreads[1], &self.spreads[2]);
        let Part { value, image: [image_x, image_y, _], inverse: [m_xx, m_yx, m_yy, ..] } = part;
        for l in 0..WIDTH {
            let (a, b, c) = (1.0 + 2.0 * s * xx[l], 2.0 * s * yx[l], 1.0 + 2.0 * s * yy[l]);
            let m = 1.0 / (a * c - b * b);
            let (p, q, r) = (c * m, -b * m, a * m);
            let (u, v) = (p * x[l] + q * y[l], q * x[l] + r * y[l]);
            (m_xx[l], m_yx[l], m_yy[l]) = (p, q, r);
            (image_x[l], image_y[l]) = (u, v);
            value[l] = weight * m.sqrt() * exp_negative(-s * (u * x[l] + v * y[l]));
        }
    }

    #[inline(always)]
    fn fill_three(&self, s: f64, weight: f64, part: &mut Part) {
        let (x, y, z) = (&self.means[0], &self.means[1], &self.means[2]);
        let of = &self.spreads;
        let Part { value, image: [image_x, image_y, image_z], inverse: [m0, m1, m2, m3, m4, m5] } = part;
        for l in 0..WIDTH {
            let (a, b, c) = (1.0 + 2.0 * s * of[0][l], 2.0 * s * of[1][l], 1.0 + 2.0 * s * of[2][l]);
            let (d, e, f) = (2.0 * s * of[3][l], 2.0 * s * of[4][l], 1.0 + 2.0 * s * of[5][l]);
            let (first, second, third) = (c * f - e * e, d * e - b * f, b * e - c * d);
            let m = 1.0 / (a * first + b * second + d * third);
            let (p, q, r) = (first * m, second * m, (a * f - d * d) * m);
            let (t, u, v) = (third * m, (b * d - a * e) * m, (a * c - b * b) * m);
            let i = p * x[l] + q * y[l] + t * z[l];
            let j = q * x[l] + r * y[l] + u * z[l];
            let k = t * x[l] + u * y[l] + v * z[l];
            (m0[l], m1[l], m2[l], m3[l], m4[l], m5[l]) = (p, q, r, t, u, v);
            (image_x[l], image_y[l], image_z[l]) = (i, j, k);
            value[l] = weight * m.sqrt() * exp_negative(-s * (i * x[l] + j * y[l] + k * z[l]));
        }
    }

    /// For many components: each axis by itself.
    #[inline(always)]
    fn by_axes(&mut self, parts: &[(f64, f64)], depth: Depth) {
        self.reset(depth);
        let d = self.d;
        let mut value = [0.0; WIDTH];
        let mut scaled = vec![[0.0; WIDTH]; d];
        let mut inverse = vec![[0.0; WIDTH]; d];
        for &(s, weight) in parts {
            let (mut energy, mut width) = ([0.0; WIDTH], [1.0; WIDTH]);
            for a in 0..d {
                let spread = &self.spreads[place(a, a)];
                for l in 0..WIDTH {
                    let m = 1.0 / (1.0 + 2.0 * s * spread[l]);
                    width[l] *= m;
                    inverse[a][l] = m;
                    scaled[a][l] = m * self.means[a][l];
                    energy[l] += scaled[a][l] * self.means[a][l];
                }
            }
            for l in 0..WIDTH {
                value[l] = weight * width[l].sqrt() * exp_negative(-s * energy[l]);
                self.value[l] += value[l];
            }
            if depth >= Depth::Slope {
                for a in 0..d {
                    for l in 0..WIDTH {
                        self.slope[a][l] += 2.0 * s * value[l] * scaled[a][l];
                    }
                }
            }
            if depth == Depth::Curvature {
                for a in 0..d {
                    for b in 0..=a {
                        let own = if a == b { 2.0 * s } else { 0.0 };
                        for l in 0..WIDTH {
                            let bent = 4.0 * s * s * scaled[a][l] * scaled[b][l] - own * inverse[a][l];
                            self.curvature[place(a, b)][l] += value[l] * bent;
                        }
                    }
                }
            }
        }
    }

    fn reset(&mut self, depth: Depth) {
        self.value = [0.0; WIDTH];
        if depth >= Depth::Slope {
            self.slope.iter_mut().for_each(|lanes| *lanes = [0.0; WIDTH]);
        }
        if depth == Depth::Curvature {
            self.curvature.iter_mut().for_each(|lanes| *lanes = [0.0; WIDTH]);
        }
    }
}

/// The evaluation of lanes, compiled for each width of vectors.
struct Evaluation<'a> {
    lanes: &'a mut Lanes,
    parts: &'a [(f64, f64)],
    depth: Depth,
}

impl pulp::WithSimd for Evaluation<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { lanes, parts, depth } = self;
        match lanes.d {
            1 => lanes.with_matrices::<1>(parts, depth),
            2 => lanes.with_matrices::<2>(parts, depth),
            3 => lanes.with_matrices::<3>(parts, depth),
            _ => lanes.by_axes(parts, depth),
        }
    }
}

/// What one part of h makes of the differences.
struct Part {
    value: [f64; WIDTH],
    /// Mμ with M = (I + 2sΣ)⁻¹.
    image: [[f64; WIDTH]; 3],
    /// M, packed.
    inverse: [[f64; WIDTH]; 6],
}

impl Part {
    fn new() -> Self {
        Self { value: [0.0; WIDTH], image: [[0.0; WIDTH]; 3], inverse: [[0.0; WIDTH]; 6] }
    }
}

#[inline(always)]
fn add(out: &mut [f64; WIDTH], values: &[f64; WIDTH]) {
    for l in 0..WIDTH {
        out[l] += values[l];
    }
}

#[inline(always)]
fn add_product(out: &mut [f64; WIDTH], factor: f64, p: &[f64; WIDTH], q: &[f64; WIDTH]) {
    for l in 0..WIDTH {
        out[l] += factor * p[l] * q[l];
    }
}

#[inline(always)]
fn add_bend(
    out: &mut [f64; WIDTH],
    factor: f64,
    value: &[f64; WIDTH],
    (p, q): (&[f64; WIDTH], &[f64; WIDTH]),
    inverse: &[f64; WIDTH],
) {
    for l in 0..WIDTH {
        out[l] += value[l] * (factor * factor * p[l] * q[l] - factor * inverse[l]);
    }
}

/// e^x for x ≤ 0 to 1e-13, in operations that work on many numbers at a time.
#[inline(always)]
pub(super) fn exp_negative(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // 1.5·2⁵²: adding it rounds to a whole number, which stands in the low bits
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.max(-690.0);
    let shifted = x.mul_add(LOG2_E, ROUND);
    let whole = shifted - ROUND;
    let r = whole.mul_add(-LN2_LOW, whole.mul_add(-LN2_HIGH, x));
    let mut sum: f64 = 1.0 / 39_916_800.0;
    for factor in [3_628_800.0, 362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0] {
        sum = sum.mul_add(r, 1.0 / factor);
    }
    sum * f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52)
}

#[cfg(test)]
mod tests {
    //! Expectations against sums over a fine grid of the Gaussian; slopes and curvatures against differences.
    use super::*;
    use crate::model::Affinity;

    #[test]
    fn the_exponential_is_right() {
        for step in 0..4000 {
            let x = -0.17 * f64::from(step);
            let (ours, right) = (exp_negative(x), x.max(-690.0).exp());
            assert!((ours - right).abs() <= 1e-13 * right, "{x}: {ours} {right}");
        }
    }

    fn one(d: usize, affinity: &Affinity, mean: &[f64], spread: &[f64]) -> Lanes {
        let mut lanes = Lanes::new(d);
        (0..d).for_each(|a| lanes.means[a] = [mean[a]; WIDTH]);
        (0..packed(d)).for_each(|p| lanes.spreads[p] = [spread[p]; WIDTH]);
        lanes.evaluate(&affinity.parts, Depth::Curvature);
        lanes
    }

    #[test]
    fn expectations_are_those_of_a_sum_over_a_grid() {
        let affinity = Affinity::new(0.5, 100.0);
        // x = L z with z on a grid
        let (l, mean) = ([0.4, 0.25, 0.3], [0.9, -0.7]);
        let spread = [l[0] * l[0], l[1] * l[0], l[1] * l[1] + l[2] * l[2]];
        let (mut sum, mut total) = (0.0, 0.0);
        let steps: Vec<f64> = (-60..=60).map(|k| 0.1 * f64::from(k)).collect();
        for &p in &steps {
            for &q in &steps {
                let weight = (-0.5 * (p * p + q * q)).exp();
                let (x, y) = (mean[0] + l[0] * p, mean[1] + l[1] * p + l[2] * q);
                sum += weight * affinity.log(x * x + y * y).exp();
                total += weight;
            }
        }
        let found = one(2, &affinity, &mean, &spread).value[3];
        // six deviations leave out 2e-9
        assert!((found - sum / total).abs() < 1e-8, "{found} {}", sum / total);
    }

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        for d in 1..=5 {
            let affinity = Affinity::new(0.4, 100.0);
            let mean: Vec<f64> = (0..d).map(|a| 0.6 - 0.35 * a as f64).collect();
            let spread: Vec<f64> = (0..d)
                .flat_map(|a| {
                    (0..=a).map(move |b| if a == b { 0.1 + 0.03 * a as f64 } else { 0.02 * (1 + a - b) as f64 })
                })
                .collect();
            let here = one(d, &affinity, &mean, &spread);
            let step = 1e-4;
            for a in 0..d {
                let moved = |by: f64| {
                    let mut mean = mean.clone();
                    mean[a] += by;
                    one(d, &affinity, &mean, &spread)
                };
                let (up, down) = (moved(step), moved(-step));
                let slope = (up.value[0] - down.value[0]) / (2.0 * step);
                assert!((slope + here.slope[a][0]).abs() < 1e-7, "{d} {a}");
                for b in 0..=a {
                    let bent = -(up.slope[b][0] - down.slope[b][0]) / (2.0 * step);
                    assert!((bent - here.curvature[place(a, b)][0]).abs() < 1e-6, "{d} {a} {b}");
                }
            }
        }
    }
}
