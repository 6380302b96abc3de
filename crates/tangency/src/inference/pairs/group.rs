//! A group of points in lanes, and what the parts of h make of its distances from sources.

use super::cells::{Seeing, Sources};
use super::kernel::exp_negative;
use super::{Depth, Field, MOST_COMPONENTS, Spreads, packed, place};

/// Points of a group.
pub(super) const GROUP: usize = 16;
const MOST_PACKED: usize = MOST_COMPONENTS * (MOST_COMPONENTS + 1) / 2;

type Lane = [f64; GROUP];

/// A point or a cell as others see it.
#[derive(Clone, Copy, Default)]
pub(super) struct Source {
    pub mass: f64,
    mean: [f64; MOST_COMPONENTS],
    /// Packed.
    spread: [f64; MOST_PACKED],
}

impl Source {
    /// A point that varies by itself.
    pub fn point(field: &Field, j: usize) -> Self {
        let d = field.d();
        let mut source = Self { mass: field.sociability[j], ..Self::default() };
        source.mean[..d].copy_from_slice(&field.x[j * d..(j + 1) * d]);
        if let Spreads::Independent(blocks) = field.spreads {
            for a in 0..d {
                for b in 0..=a {
                    source.spread[place(a, b)] = blocks[(j * d + a) * d + b];
                }
            }
        }
        source
    }

    /// The moments of this and another together.
    pub fn with(&self, other: &Self, d: usize) -> Self {
        let mass = self.mass + other.mass;
        let (own, its) = (self.mass / mass, other.mass / mass);
        let mut sum = Self { mass, ..Self::default() };
        for a in 0..d {
            sum.mean[a] = own * self.mean[a] + its * other.mean[a];
            for b in 0..=a {
                let p = place(a, b);
                let apart = (self.mean[a] - other.mean[a]) * (self.mean[b] - other.mean[b]);
                sum.spread[p] = own * self.spread[p] + its * other.spread[p] + own * its * apart;
            }
        }
        sum
    }
}

/// Points in lanes, and the sums that they get from their sources.
pub(super) struct Group {
    d: usize,
    /// The place of its first point.
    first: usize,
    mass: Lane,
    x: [Lane; MOST_COMPONENTS],
    spread: [Lane; MOST_PACKED],
    sums: GroupSums,
}

/// What the points of a group have got; lanes beyond the last point have no meaning.
#[derive(Clone, Copy)]
pub(super) struct GroupSums {
    pub around: Lane,
    pub push: [Lane; MOST_COMPONENTS],
    pub curvature: [Lane; MOST_PACKED],
}

impl Group {
    /// These points, the first of them at this place in the order of the tree.
    pub fn new(d: usize, first: usize, points: &[Source]) -> Self {
        let zeros = [0.0; GROUP];
        let sums = GroupSums { around: zeros, push: [zeros; MOST_COMPONENTS], curvature: [zeros; MOST_PACKED] };
        let mut group = Self { d, first, mass: zeros, x: [zeros; MOST_COMPONENTS], spread: [zeros; MOST_PACKED], sums };
        for (l, own) in points.iter().enumerate().take(GROUP) {
            group.mass[l] = own.mass;
            (0..d).for_each(|a| group.x[a][l] = own.mean[a]);
            (0..packed(d)).for_each(|p| group.spread[p][l] = own.spread[p]);
        }
        group
    }

    /// Adds what all that is seen does by the parts of h for which it is seen.
    pub fn add(&mut self, seeing: &[Seeing], sources: &Sources, parts: &[(f64, f64)], depth: Depth) {
        pulp::Arch::new().dispatch(Addition { group: self, seeing, sources, parts, depth, totals: None });
    }

    /// Adds Σ ρ_iρ_j e^(−s|x_i − x_j|²) for each part, without its weight, to `totals`.
    pub fn by_part(&mut self, seeing: &[Seeing], sources: &Sources, parts: &[(f64, f64)], totals: &mut [f64]) {
        let addition = Addition { group: self, seeing, sources, parts, depth: Depth::Value, totals: Some(totals) };
        pulp::Arch::new().dispatch(addition);
    }

    /// What the points have got.
    pub fn into_sums(self) -> GroupSums {
        self.sums
    }

    /// What a source counts for each point, which is nothing for itself.
    #[inline(always)]
    fn masses(&self, seen: &Seeing, mass: f64) -> Lane {
        let mut masses = [mass; GROUP];
        if !seen.cell && (self.first..self.first + GROUP).contains(&(seen.id as usize)) {
            masses[seen.id as usize - self.first] = 0.0;
        }
        masses
    }

    #[inline(always)]
    fn add_all<const D: usize, const DEPTH: u8>(
        &mut self,
        seeing: &[Seeing],
        sources: &Sources,
        parts: &[(f64, f64)],
        totals: Option<&mut [f64]>,
    ) {
        if let Some(totals) = totals {
            for seen in seeing {
                let source = sources.of(seen);
                let masses = self.masses(seen, source.mass);
                for q in seen.parts() {
                    self.sums.around = [0.0; GROUP];
                    self.add_one::<D, DEPTH>(source, parts[q].0, 1.0, &masses);
                    let total: f64 = self.sums.around.iter().zip(&self.mass).map(|(sum, own)| sum * own).sum();
                    totals[q] += total;
                }
            }
            return;
        }
        for seen in seeing {
            let source = sources.of(seen);
            let masses = self.masses(seen, source.mass);
            for &(rate, weight) in &parts[seen.parts()] {
                self.add_one::<D, DEPTH>(source, rate, weight, &masses);
            }
        }
    }

    #[inline(always)]
    fn add_one<const D: usize, const DEPTH: u8>(&mut self, source: &Source, rate: f64, weight: f64, masses: &Lane) {
        match D {
            1 => self.add_in_one::<DEPTH>(source, rate, weight, masses),
            2 => self.add_in_two::<DEPTH>(source, rate, weight, masses),
            _ => self.add_in_three::<DEPTH>(source, rate, weight, masses),
        }
    }

    #[inline(always)]
    fn add_in_one<const DEPTH: u8>(&mut self, source: &Source, rate: f64, weight: f64, masses: &Lane) {
        let twice = 2.0 * rate;
        let Self { x: [xs, ..], spread: [s0, ..], sums, .. } = self;
        for l in 0..GROUP {
            let x = xs[l] - source.mean[0];
            let m = 1.0 / (1.0 + twice * (s0[l] + source.spread[0]));
            let u = m * x;
            let value = weight * masses[l] * m.sqrt() * exp_negative(-rate * u * x);
            sums.around[l] += value;
            let slope = twice * value;
            if DEPTH >= 1 {
                sums.push[0][l] += slope * u;
            }
            if DEPTH >= 2 {
                sums.curvature[0][l] += slope * (twice * u * u - m);
            }
        }
    }

    #[inline(always)]
    fn add_in_two<const DEPTH: u8>(&mut self, source: &Source, rate: f64, weight: f64, masses: &Lane) {
        let twice = 2.0 * rate;
        let (mean, of) = (source.mean, source.spread);
        let Self { x: [xs, ys, _], spread: [s0, s1, s2, ..], sums, .. } = self;
        let GroupSums { around, push: [push_x, push_y, _], curvature: [xx, yx, yy, ..] } = sums;
        for l in 0..GROUP {
            let (x, y) = (xs[l] - mean[0], ys[l] - mean[1]);
            let a = 1.0 + twice * (s0[l] + of[0]);
            let b = twice * (s1[l] + of[1]);
            let c = 1.0 + twice * (s2[l] + of[2]);
            let m = 1.0 / (a * c - b * b);
            let (p, q, r) = (c * m, -b * m, a * m);
            let (u, v) = (p * x + q * y, q * x + r * y);
            let value = weight * masses[l] * m.sqrt() * exp_negative(-rate * (u * x + v * y));
            around[l] += value;
            let slope = twice * value;
            if DEPTH >= 1 {
                push_x[l] += slope * u;
                push_y[l] += slope * v;
            }
            if DEPTH >= 2 {
                xx[l] += slope * (twice * u * u - p);
                yx[l] += slope * (twice * u * v - q);
                yy[l] += slope * (twice * v * v - r);
            }
        }
    }

    #[inline(always)]
    fn add_in_three<const DEPTH: u8>(&mut self, source: &Source, rate: f64, weight: f64, masses: &Lane) {
        let twice = 2.0 * rate;
        let (mean, of) = (source.mean, source.spread);
        let Self { x: [xs, ys, zs], spread: [s0, s1, s2, s3, s4, s5], sums, .. } = self;
        let GroupSums { around, push: [push_x, push_y, push_z], curvature: [xx, yx, yy, zx, zy, zz] } = sums;
        for l in 0..GROUP {
            let (x, y, z) = (xs[l] - mean[0], ys[l] - mean[1], zs[l] - mean[2]);
            let (a, b) = (1.0 + twice * (s0[l] + of[0]), twice * (s1[l] + of[1]));
            let (c, d) = (1.0 + twice * (s2[l] + of[2]), twice * (s3[l] + of[3]));
            let (e, f) = (twice * (s4[l] + of[4]), 1.0 + twice * (s5[l] + of[5]));
            let (first, second, third) = (c * f - e * e, d * e - b * f, b * e - c * d);
            let m = 1.0 / (a * first + b * second + d * third);
            let (p, q, r) = (first * m, second * m, (a * f - d * d) * m);
            let (t, u, v) = (third * m, (b * d - a * e) * m, (a * c - b * b) * m);
            let (i, j, k) = (p * x + q * y + t * z, q * x + r * y + u * z, t * x + u * y + v * z);
            let value = weight * masses[l] * m.sqrt() * exp_negative(-rate * (i * x + j * y + k * z));
            around[l] += value;
            let slope = twice * value;
            if DEPTH >= 1 {
                push_x[l] += slope * i;
                push_y[l] += slope * j;
                push_z[l] += slope * k;
            }
            if DEPTH >= 2 {
                xx[l] += slope * (twice * i * i - p);
                yx[l] += slope * (twice * i * j - q);
                yy[l] += slope * (twice * j * j - r);
                zx[l] += slope * (twice * i * k - t);
                zy[l] += slope * (twice * j * k - u);
                zz[l] += slope * (twice * k * k - v);
            }
        }
    }
}

impl Sources {
    #[inline(always)]
    fn of(&self, seen: &Seeing) -> &Source {
        if seen.cell { &self.cells[seen.id as usize] } else { &self.points[seen.id as usize] }
    }
}

/// An addition, compiled for each width of vectors.
struct Addition<'a> {
    group: &'a mut Group,
    seeing: &'a [Seeing],
    sources: &'a Sources,
    parts: &'a [(f64, f64)],
    depth: Depth,
    totals: Option<&'a mut [f64]>,
}

impl pulp::WithSimd for Addition<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { group, seeing, sources, parts, depth, totals } = self;
        match (group.d, depth) {
            (1, Depth::Value) => group.add_all::<1, 0>(seeing, sources, parts, totals),
            (1, Depth::Slope) => group.add_all::<1, 1>(seeing, sources, parts, totals),
            (1, Depth::Curvature) => group.add_all::<1, 2>(seeing, sources, parts, totals),
            (2, Depth::Value) => group.add_all::<2, 0>(seeing, sources, parts, totals),
            (2, Depth::Slope) => group.add_all::<2, 1>(seeing, sources, parts, totals),
            (2, Depth::Curvature) => group.add_all::<2, 2>(seeing, sources, parts, totals),
            (_, Depth::Value) => group.add_all::<3, 0>(seeing, sources, parts, totals),
            (_, Depth::Slope) => group.add_all::<3, 1>(seeing, sources, parts, totals),
            (_, Depth::Curvature) => group.add_all::<3, 2>(seeing, sources, parts, totals),
        }
    }
}
