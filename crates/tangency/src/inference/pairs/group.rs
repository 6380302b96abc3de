//! A group of points in lanes, and what one part of h makes of its distances from a source.

use super::field::Seen;
use super::kernel::exp_negative;
use super::{Depth, Field, MOST_COMPONENTS, Spreads, packed, place};

/// Points of a group.
pub(super) const GROUP: usize = 16;
const MOST_PACKED: usize = MOST_COMPONENTS * (MOST_COMPONENTS + 1) / 2;
const NOBODY: u32 = u32::MAX;

type Lane = [f64; GROUP];

/// A point or a cell as others see it.
#[derive(Clone, Copy)]
pub(super) struct Source {
    id: u32,
    pub mass: f64,
    pub mean: [f64; MOST_COMPONENTS],
    /// Packed.
    pub spread: [f64; MOST_PACKED],
}

impl Source {
    /// A cell of this mass, at 0.
    pub fn cell(mass: f64) -> Self {
        Self { id: NOBODY, mass, mean: [0.0; MOST_COMPONENTS], spread: [0.0; MOST_PACKED] }
    }

    /// A point that varies by itself.
    pub fn point(field: &Field, j: usize) -> Self {
        let d = field.d();
        let mut source = Self { id: j as u32, ..Self::cell(field.sociability[j]) };
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
}

/// Points in lanes, and the sums that they get from their sources.
pub(super) struct Group {
    d: usize,
    ids: [u32; GROUP],
    x: [Lane; MOST_COMPONENTS],
    spread: [Lane; MOST_PACKED],
    around: Lane,
    push: [Lane; MOST_COMPONENTS],
    curvature: [Lane; MOST_PACKED],
}

impl Group {
    pub fn new(field: &Field, points: &[u32]) -> Self {
        let mut group = Self {
            d: field.d(),
            ids: [NOBODY - 1; GROUP],
            x: [[0.0; GROUP]; MOST_COMPONENTS],
            spread: [[0.0; GROUP]; MOST_PACKED],
            around: [0.0; GROUP],
            push: [[0.0; GROUP]; MOST_COMPONENTS],
            curvature: [[0.0; GROUP]; MOST_PACKED],
        };
        for (l, &i) in points.iter().enumerate().take(GROUP) {
            let own = Source::point(field, i as usize);
            group.ids[l] = i;
            (0..group.d).for_each(|a| group.x[a][l] = own.mean[a]);
            (0..packed(group.d)).for_each(|p| group.spread[p][l] = own.spread[p]);
        }
        group
    }

    /// Adds what these sources do by the part weight·e^(−rate·t) of h.
    pub fn add(&mut self, sources: &[Source], rate: f64, weight: f64, depth: Depth) {
        pulp::Arch::new().dispatch(Addition { group: self, sources, rate, weight, depth });
    }

    /// What is around the first points so far.
    pub fn around(&self, points: usize) -> impl Iterator<Item = f64> + '_ {
        self.around[..points].iter().copied()
    }

    /// What the first points have got.
    pub fn seen(&self, points: usize, depth: Depth) -> Vec<Seen> {
        let slopes = if depth >= Depth::Slope { self.d } else { 0 };
        let bends = if depth == Depth::Curvature { packed(self.d) } else { 0 };
        (0..points)
            .map(|l| Seen {
                around: self.around[l],
                push: (0..slopes).map(|a| self.push[a][l]).collect(),
                curvature: (0..bends).map(|p| self.curvature[p][l]).collect(),
                squares: 0.0,
            })
            .collect()
    }

    #[inline(always)]
    fn add_all<const D: usize, const DEPTH: u8>(&mut self, sources: &[Source], rate: f64, weight: f64) {
        let twice = 2.0 * rate;
        let mut part = Part::new();
        for source in sources {
            self.weigh(source, weight, &mut part.mass);
            match D {
                1 => self.fill_one(source, rate, &mut part),
                2 => self.fill_two(source, rate, &mut part),
                _ => self.fill_three(source, rate, &mut part),
            }
            for l in 0..GROUP {
                self.around[l] += part.value[l];
            }
            if DEPTH >= 1 {
                for a in 0..D {
                    let (push, image) = (&mut self.push[a], &part.image[a]);
                    for l in 0..GROUP {
                        push[l] += twice * part.value[l] * image[l];
                    }
                }
            }
            if DEPTH >= 2 {
                for a in 0..D {
                    for b in 0..=a {
                        let (curvature, inverse) = (&mut self.curvature[place(a, b)], &part.inverse[place(a, b)]);
                        let (p, q) = (&part.image[a], &part.image[b]);
                        for l in 0..GROUP {
                            curvature[l] += twice * part.value[l] * (twice * p[l] * q[l] - inverse[l]);
                        }
                    }
                }
            }
        }
    }

    /// What a source counts for each point, which is nothing for itself.
    #[inline(always)]
    fn weigh(&self, source: &Source, weight: f64, masses: &mut Lane) {
        let mass = weight * source.mass;
        *masses = [mass; GROUP];
        if source.id != NOBODY {
            for l in 0..GROUP {
                masses[l] = if self.ids[l] == source.id { 0.0 } else { mass };
            }
        }
    }

    #[inline(always)]
    fn fill_one(&self, source: &Source, rate: f64, part: &mut Part) {
        let Part { mass, value, image: [image_x, ..], inverse: [m_xx, ..] } = part;
        for l in 0..GROUP {
            let x = self.x[0][l] - source.mean[0];
            let m = 1.0 / (1.0 + 2.0 * rate * (self.spread[0][l] + source.spread[0]));
            let u = m * x;
            (m_xx[l], image_x[l]) = (m, u);
            value[l] = mass[l] * m.sqrt() * exp_negative(-rate * u * x);
        }
    }

    #[inline(always)]
    fn fill_two(&self, source: &Source, rate: f64, part: &mut Part) {
        let Part { mass, value, image: [image_x, image_y, _], inverse: [m_xx, m_yx, m_yy, ..] } = part;
        let ([xs, ys, _], [s0, s1, s2, ..]) = (&self.x, &self.spread);
        let twice = 2.0 * rate;
        for l in 0..GROUP {
            let (x, y) = (xs[l] - source.mean[0], ys[l] - source.mean[1]);
            let a = 1.0 + twice * (s0[l] + source.spread[0]);
            let b = twice * (s1[l] + source.spread[1]);
            let c = 1.0 + twice * (s2[l] + source.spread[2]);
            let m = 1.0 / (a * c - b * b);
            let (p, q, r) = (c * m, -b * m, a * m);
            let (u, v) = (p * x + q * y, q * x + r * y);
            (m_xx[l], m_yx[l], m_yy[l]) = (p, q, r);
            (image_x[l], image_y[l]) = (u, v);
            value[l] = mass[l] * m.sqrt() * exp_negative(-rate * (u * x + v * y));
        }
    }

    #[inline(always)]
    fn fill_three(&self, source: &Source, rate: f64, part: &mut Part) {
        let Part { mass, value, image: [image_x, image_y, image_z], inverse: [m0, m1, m2, m3, m4, m5] } = part;
        let ([xs, ys, zs], [s0, s1, s2, s3, s4, s5]) = (&self.x, &self.spread);
        let (twice, of) = (2.0 * rate, &source.spread);
        for l in 0..GROUP {
            let (x, y, z) = (xs[l] - source.mean[0], ys[l] - source.mean[1], zs[l] - source.mean[2]);
            let (a, b) = (1.0 + twice * (s0[l] + of[0]), twice * (s1[l] + of[1]));
            let (c, d) = (1.0 + twice * (s2[l] + of[2]), twice * (s3[l] + of[3]));
            let (e, f) = (twice * (s4[l] + of[4]), 1.0 + twice * (s5[l] + of[5]));
            let (first, second, third) = (c * f - e * e, d * e - b * f, b * e - c * d);
            let m = 1.0 / (a * first + b * second + d * third);
            let (p, q, r) = (first * m, second * m, (a * f - d * d) * m);
            let (t, u, v) = (third * m, (b * d - a * e) * m, (a * c - b * b) * m);
            let (i, j, k) = (p * x + q * y + t * z, q * x + r * y + u * z, t * x + u * y + v * z);
            (m0[l], m1[l], m2[l], m3[l], m4[l], m5[l]) = (p, q, r, t, u, v);
            (image_x[l], image_y[l], image_z[l]) = (i, j, k);
            value[l] = mass[l] * m.sqrt() * exp_negative(-rate * (i * x + j * y + k * z));
        }
    }
}

/// What one part of h makes of the differences from a source.
struct Part {
    mass: Lane,
    value: Lane,
    /// Mμ with M = (I + 2sΣ)⁻¹.
    image: [Lane; MOST_COMPONENTS],
    /// M, packed.
    inverse: [Lane; MOST_PACKED],
}

impl Part {
    fn new() -> Self {
        let zeros = [0.0; GROUP];
        Self { mass: zeros, value: zeros, image: [zeros; MOST_COMPONENTS], inverse: [zeros; MOST_PACKED] }
    }
}

/// An addition, compiled for each width of vectors.
struct Addition<'a> {
    group: &'a mut Group,
    sources: &'a [Source],
    rate: f64,
    weight: f64,
    depth: Depth,
}

impl pulp::WithSimd for Addition<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) {
        let Self { group, sources, rate, weight, depth } = self;
        match (group.d, depth) {
            (1, Depth::Value) => group.add_all::<1, 0>(sources, rate, weight),
            (1, Depth::Slope) => group.add_all::<1, 1>(sources, rate, weight),
            (1, Depth::Curvature) => group.add_all::<1, 2>(sources, rate, weight),
            (2, Depth::Value) => group.add_all::<2, 0>(sources, rate, weight),
            (2, Depth::Slope) => group.add_all::<2, 1>(sources, rate, weight),
            (2, Depth::Curvature) => group.add_all::<2, 2>(sources, rate, weight),
            (_, Depth::Value) => group.add_all::<3, 0>(sources, rate, weight),
            (_, Depth::Slope) => group.add_all::<3, 1>(sources, rate, weight),
            (_, Depth::Curvature) => group.add_all::<3, 2>(sources, rate, weight),
        }
    }
}
