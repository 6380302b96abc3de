//! Points in single precision, laid out for quick distances.

use super::Length;
use crate::linalg::Matrix;

/// Numbers that are worked on together.
const WIDTH: usize = 16;

type SingleLane = [f32; WIDTH];

/// Points one after the other, each filled up with zeros to whole lanes. They are centred and scaled to at most one, so
/// that single precision neither overflows nor spends its digits on the distance from zero.
pub(super) struct DistanceTable {
    lanes: Vec<SingleLane>,
    /// Lanes a point.
    width: usize,
    n: usize,
    /// What the points were multiplied by.
    scale: f64,
    length: Length,
}

impl DistanceTable {
    /// Of points d × n, one a column.
    pub(super) fn new(points: &Matrix, length: Length) -> Self {
        let (d, n) = (points.nrows(), points.ncols());
        let mut mean = vec![0.0; d];
        let mut largest = vec![0.0_f64; d];
        for i in 0..n {
            mean.iter_mut().zip(points.col_as_slice(i)).for_each(|(mean, value)| *mean += value / n as f64);
        }
        for i in 0..n {
            let off = mean.iter().zip(points.col_as_slice(i)).map(|(mean, value)| (value - mean).abs());
            largest.iter_mut().zip(off).for_each(|(largest, off)| *largest = largest.max(off));
        }
        let largest = largest.into_iter().fold(0.0, f64::max);
        let scale = Some(largest.recip()).filter(|scale| scale.is_finite()).unwrap_or(1.0);
        let width = d.div_ceil(WIDTH);
        let mut lanes = vec![[0.0; WIDTH]; width * n];
        for i in 0..n {
            let row = lanes[i * width..(i + 1) * width].as_flattened_mut();
            for ((slot, value), mean) in row.iter_mut().zip(points.col_as_slice(i)).zip(&mean) {
                *slot = ((value - mean) * scale) as f32;
            }
        }
        Self { lanes, width, n, scale, length }
    }

    /// The same points in another order.
    pub(super) fn in_order(&self, order: &[u32]) -> Self {
        Self { lanes: order.iter().flat_map(|&point| self.row(point)).copied().collect(), ..*self }
    }

    pub(super) fn n(&self) -> usize {
        self.n
    }

    #[inline(always)]
    fn row(&self, point: u32) -> &[SingleLane] {
        &self.lanes[point as usize * self.width..][..self.width]
    }

    /// The way from one point to another.
    pub(super) fn difference(&self, from: u32, to: u32) -> Vec<SingleLane> {
        let away = |(a, b): (&SingleLane, &SingleLane)| std::array::from_fn(|l| b[l] - a[l]);
        self.row(from).iter().zip(self.row(to)).map(away).collect()
    }

    /// Writes beside each point its projection on a direction.
    pub(super) fn project(&self, direction: &[SingleLane], points: &mut [(f32, u32)]) {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                for (projection, point) in points {
                    *projection = lane_sum(self.row(*point), direction, product);
                }
            },
        );
    }

    /// The lengths from a point to others, in their order and on the scale of the table.
    pub(super) fn lengths(&self, from: u32, to: impl Iterator<Item = u32>, distances: &mut Vec<f32>) {
        distances.clear();
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || {
                let from = self.row(from);
                match self.length {
                    Length::Squared => {
                        distances.extend(to.map(|j| lane_sum(from, self.row(j), squared_difference)));
                    }
                    Length::Absolute => {
                        distances.extend(to.map(|j| lane_sum(from, self.row(j), absolute_difference)));
                    }
                }
            },
        );
    }

    /// The largest of these squared distances of points that are truly no more than `limit` apart, squared: what the
    /// rounding of the points, of their differences and of the sum can add.
    pub(super) fn reach(&self, limit: f64) -> f32 {
        let rounding = f64::from(f32::EPSILON);
        let of_points = 2.0 * rounding * ((self.width * WIDTH) as f64).sqrt();
        let of_sums = 1.0 + rounding * (self.width + WIDTH) as f64;
        ((limit.sqrt() * self.scale + of_points) * of_sums).powi(2) as f32
    }
}

#[inline(always)]
fn product(a: f32, b: f32) -> f32 {
    a * b
}

#[inline(always)]
fn squared_difference(a: f32, b: f32) -> f32 {
    (a - b) * (a - b)
}

#[inline(always)]
fn absolute_difference(a: f32, b: f32) -> f32 {
    (a - b).abs()
}

/// Σ term(a, b), lane by lane and then across the lane.
#[inline(always)]
fn lane_sum(a: &[SingleLane], b: &[SingleLane], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0.0; WIDTH];
    for (a, b) in a.iter().zip(b) {
        for l in 0..WIDTH {
            sums[l] += term(a[l], b[l]);
        }
    }
    let mut width = WIDTH / 2;
    while width > 0 {
        for l in 0..width {
            sums[l] += sums[l + width];
        }
        width /= 2;
    }
    sums[0]
}
