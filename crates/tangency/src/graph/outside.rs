//! The shortest way from each piece of a graph to a point outside it.
//!
//! A tree of balls, in any dimension: halves of the points, halves of those, each in a ball. A search passes over a ball
//! that holds only the piece it starts from, and over one that lies farther off than the best way that any point of the
//! piece has found yet. It passes over nothing that could be as short, so the answer is that of all pairs.

use super::Length;
use super::neighbors::{SLACK, squared_distance};
use super::table::DistanceTable;
use crate::linalg::Matrix;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Points in a ball that is not divided, at most.
const LEAF: usize = 64;

/// Points that search together.
const TOGETHER: usize = 32;

/// Squared length and the two ends, the smaller number first.
type WayAcross = (f64, u32, u32);

/// By length first, then by the smaller numbers: the same bridges in every run, and no cycle among equal lengths.
fn shorter(way: Option<WayAcross>, other: WayAcross) -> Option<WayAcross> {
    let by_length = |p: &WayAcross, q: &WayAcross| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2)));
    way.into_iter().chain([other]).min_by(by_length)
}

/// Points prepared for the search.
pub(super) struct OutsideSearch<'a> {
    points: &'a Matrix,
    /// All points, ball by ball. A place is a number in this order.
    order: Vec<u32>,
    /// The points in this order, which propose what the exact distance decides.
    table: DistanceTable,
    root: ReachedBall,
}

impl<'a> OutsideSearch<'a> {
    /// Of points d × n, at least one.
    pub(super) fn new(points: &'a Matrix) -> Self {
        let mut order: Vec<u32> = (0..points.ncols() as u32).collect();
        let root = ReachedBall::around(points, &mut order, 0);
        let table = DistanceTable::new(points, Length::Squared).in_order(&order);
        Self { points, order, table, root }
    }

    /// The shortest way out of each piece but one, given the piece of each point. Among equal lengths it is that of the
    /// smallest numbers.
    pub(super) fn shortest_ways_out(&mut self, piece_of: &[u32], without: u32) -> Vec<(u32, u32)> {
        let pieces: Vec<u32> = self.order.iter().map(|&i| piece_of[i as usize]).collect();
        self.root.label(&pieces);
        // Lengths are not negative, and their bits as whole numbers are in the same order.
        let shortest: Vec<AtomicU64> = pieces.iter().map(|_| AtomicU64::new(f64::INFINITY.to_bits())).collect();
        let looking: Vec<usize> = (0..pieces.len()).filter(|&place| pieces[place] != without).collect();
        let ways: Vec<(u32, WayAcross)> = looking
            .par_chunks(TOGETHER)
            .flat_map_iter(|places| {
                let best = vec![None; places.len()];
                let mut party =
                    Party { search: self, pieces: &pieces, shortest: &shortest, places, distances: vec![], best };
                party.enter(&self.root, &(0..places.len()).collect::<Vec<_>>());
                let ways = places.iter().zip(party.best);
                ways.filter_map(|(&place, way)| Some((pieces[place], way?))).collect::<Vec<_>>()
            })
            .collect();
        let mut chosen: Vec<Option<WayAcross>> = vec![None; pieces.len()];
        for (piece, way) in ways {
            let slot = &mut chosen[piece as usize];
            *slot = shorter(*slot, way);
        }
        chosen.into_iter().flatten().map(|(_, i, j)| (i, j)).collect()
    }

    fn point(&self, place: usize) -> &[f64] {
        self.points.col_as_slice(self.order[place] as usize)
    }
}

/// The search from some points, which enter a ball together: its points are then read from memory once for all.
struct Party<'a> {
    search: &'a OutsideSearch<'a>,
    /// The piece of each place.
    pieces: &'a [u32],
    /// For each piece the shortest way out of it that any of its points has found.
    shortest: &'a [AtomicU64],
    /// The places of the members.
    places: &'a [usize],
    /// The shortest way that each has found.
    best: Vec<Option<WayAcross>>,
    distances: Vec<f32>,
}

impl Party<'_> {
    fn piece(&self, member: usize) -> u32 {
        self.pieces[self.places[member]]
    }

    /// The squared length above which a way is of no use, with room for rounding.
    fn limit(&self, member: usize) -> f64 {
        f64::from_bits(self.shortest[self.piece(member) as usize].load(Relaxed)) * (1.0 + SLACK)
    }

    fn enter(&mut self, ball: &ReachedBall, members: &[usize]) {
        match &ball.content {
            Content::Places(places) => members.iter().for_each(|&member| self.look_at(places.clone(), member)),
            Content::Halves(halves) => {
                let mut halves = halves.each_ref().map(|half| (self.distances_to(half, members), half));
                let nearest = |distances: &[f64]| distances.iter().copied().fold(f64::INFINITY, f64::min);
                halves.sort_by(|p, q| nearest(&p.0).total_cmp(&nearest(&q.0)));
                for (distances, half) in halves {
                    let entering = |&(&member, distance): &(&usize, f64)| {
                        half.piece != Some(self.piece(member)) && distance <= self.limit(member)
                    };
                    let entering: Vec<usize> =
                        members.iter().zip(distances).filter(entering).map(|(&member, _)| member).collect();
                    if !entering.is_empty() {
                        self.enter(half, &entering);
                    }
                }
            }
        }
    }

    fn distances_to(&self, ball: &ReachedBall, members: &[usize]) -> Vec<f64> {
        members.iter().map(|&member| ball.distance(self.search.point(self.places[member]))).collect()
    }

    fn look_at(&mut self, places: Range<usize>, member: usize) {
        let table = &self.search.table;
        let to = places.start as u32..places.end as u32;
        table.lengths(self.places[member] as u32, to, &mut self.distances);
        let mut reach = table.reach(self.limit(member));
        for (at, place) in places.enumerate() {
            // what overflows and cannot be compared is not passed over
            let far = self.distances[at].partial_cmp(&reach) == Some(Ordering::Greater);
            if !far && self.pieces[place] != self.piece(member) {
                self.meet(place, member);
                reach = table.reach(self.limit(member));
            }
        }
    }

    fn meet(&mut self, place: usize, member: usize) {
        let from = self.places[member];
        let (i, j) = (self.search.order[from], self.search.order[place]);
        let length = squared_distance(self.search.point(from), self.search.point(place));
        self.best[member] = shorter(self.best[member], (length, i.min(j), i.max(j)));
        self.shortest[self.piece(member) as usize].fetch_min(length.to_bits(), Relaxed);
    }
}

/// A ball around the points of places that follow each other.
struct ReachedBall {
    center: Vec<f64>,
    radius: f64,
    /// The piece of all points inside, if it is one.
    piece: Option<u32>,
    content: Content,
}

enum Content {
    Places(Range<usize>),
    Halves(Box<[ReachedBall; 2]>),
}

impl ReachedBall {
    /// Around these points, the first of which has the place `first`. Puts them in order: halves along the axis where
    /// they spread most, each in its order.
    fn around(points: &Matrix, inside: &mut [u32], first: usize) -> Self {
        let place = |i: &u32| points.col_as_slice(*i as usize);
        let mut center = vec![0.0; points.nrows()];
        for i in inside.iter() {
            center.iter_mut().zip(place(i)).for_each(|(sum, value)| *sum += value / inside.len() as f64);
        }
        let radius = inside.iter().map(|i| squared_distance(&center, place(i))).fold(0.0, f64::max).sqrt();
        let content = if inside.len() <= LEAF {
            Content::Places(first..first + inside.len())
        } else {
            let axis = widest_axis(points, inside);
            let half = inside.len() / 2;
            let along = |i: &u32| place(i)[axis];
            inside.select_nth_unstable_by(half, |p, q| along(p).total_cmp(&along(q)).then(p.cmp(q)));
            let (low, high) = inside.split_at_mut(half);
            let (low, high) =
                rayon::join(|| Self::around(points, low, first), || Self::around(points, high, first + half));
            Content::Halves(Box::new([low, high]))
        };
        Self { center, radius, piece: None, content }
    }

    /// Takes note of which balls hold one piece only, given the piece of each place.
    fn label(&mut self, pieces: &[u32]) {
        self.piece = match &mut self.content {
            Content::Places(places) => {
                let first = pieces[places.start];
                pieces[places.clone()].iter().all(|&piece| piece == first).then_some(first)
            }
            Content::Halves(halves) => {
                halves.iter_mut().for_each(|half| half.label(pieces));
                halves[0].piece.filter(|_| halves[0].piece == halves[1].piece)
            }
        };
    }

    /// A squared distance that no point inside goes below, with room for rounding.
    fn distance(&self, from: &[f64]) -> f64 {
        let to_center = squared_distance(from, &self.center).sqrt();
        let left = to_center * (1.0 - SLACK) - self.radius * (1.0 + SLACK);
        left.max(0.0).powi(2)
    }
}

/// The axis along which the points spread most.
fn widest_axis(points: &Matrix, inside: &[u32]) -> usize {
    let mut low = vec![f64::INFINITY; points.nrows()];
    let mut high = vec![f64::NEG_INFINITY; points.nrows()];
    for &i in inside {
        for ((low, high), &value) in low.iter_mut().zip(&mut high).zip(points.col_as_slice(i as usize)) {
            *low = low.min(value);
            *high = high.max(value);
        }
    }
    let spread = |&axis: &usize| high[axis] - low[axis];
    (0..points.nrows()).max_by(|p, q| spread(p).total_cmp(&spread(q))).unwrap_or(0)
}
