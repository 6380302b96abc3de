//! Nearly all nearest neighbours, for many points of high dimension, where the exact search is slow.
//!
//! Random trees propose the first neighbours (see `forest`). Then, in rounds, every point looks at the neighbours of its
//! neighbours: who is near a point that is near to me is likely near to me (Dong, Moses and Li 2011). A point reads the
//! lists of the round before and writes only its own, so that the answer is the same on any number of threads.

use super::Length;
use super::forest::{Leaves, tree};
use super::neighbors::{NeighborIndex, Products, nearest_by};
use super::table::DistanceTable;
use crate::linalg::Matrix;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Number of trees.
const TREES: u64 = 4;
/// Neighbours kept in the search beyond those asked for: with them more roads lead to a neighbour.
const SPARE: usize = 10;
/// Neighbours kept in the search, at least.
const FEWEST_KEPT: usize = 20;
/// Neighbours whose neighbours are looked at, at most, and so many again of those that list the point.
const EXPLORED: usize = 40;
/// Rounds, at most.
const ROUNDS: usize = 12;
/// The search ends when a round changes less than this share of the lists.
const SETTLED: f64 = 1e-3;
/// Points that one task improves.
const BATCH: usize = 512;

/// Nearly the `k` nearest other points of each point, nearest first and the smaller number first between equal
/// lengths; `points` is d × n, one point a column, and k < n. The same for the same seed on any number of threads.
pub fn approximate_neighbors(points: &Matrix, length: Length, k: usize, seed: u64) -> Vec<Vec<u32>> {
    let kept = (k + SPARE).max(FEWEST_KEPT);
    // half a leaf, the smallest there is, fills a list
    let leaf = 2 * (kept + 1);
    if points.ncols() <= leaf {
        return NeighborIndex::by(length, points.clone()).search(points, k, |i| Some(i as u32));
    }
    let table = DistanceTable::new(points, length);
    // Points that share a leaf of one tree become neighbours in memory too, where the search reads them together.
    let order = tree(&table, leaf, seed, 0).into_order();
    let table = table.in_order(&order);
    let trees: Vec<Leaves> = (1..=TREES).into_par_iter().map(|number| tree(&table, leaf, seed, number)).collect();
    let mut search = Descent::start(&table, &trees, kept);
    for _ in 0..ROUNDS {
        if search.improve() < SETTLED {
            break;
        }
    }
    let mut lists: Vec<(u32, Vec<u32>)> = order
        .par_iter()
        .enumerate()
        .map(|(at, &i)| {
            let candidates = search.list(at).iter().map(|near| order[near.point as usize]);
            (i, nearest_by(length, points, points.col_as_slice(i as usize), candidates, k))
        })
        .collect();
    lists.par_sort_unstable_by_key(|&(i, _)| i);
    lists.into_iter().map(|(_, list)| list).collect()
}

/// The share of true neighbours in the lists, measured on a sample of points. A listed point counts if it is no farther
/// than the last of the truly nearest, so that it does not matter which of equally near points are listed.
pub fn recall(points: &Matrix, length: Length, lists: &[Vec<u32>], sample: usize, seed: u64) -> f64 {
    let n = points.ncols();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut sampled = rand::seq::index::sample(&mut rng, n, sample.min(n)).into_vec();
    sampled.sort_unstable();
    let queries = Matrix::from_fn(points.nrows(), sampled.len(), |r, q| points[(r, sampled[q])]);
    let among = |q: usize, candidates: Vec<u32>| {
        let (i, listed) = (sampled[q], &lists[sampled[q]]);
        let from = points.col_as_slice(i);
        let distance = |j: u32| length.between(from, points.col_as_slice(j as usize));
        let others = candidates.into_iter().filter(|&j| j as usize != i);
        let nearest = nearest_by(length, points, from, others, listed.len());
        let reach = nearest.last().map_or(0.0, |&j| distance(j));
        listed.iter().filter(|&&j| distance(j) <= reach).count()
    };
    let found: Vec<usize> = match length {
        Length::Squared => Products::new(points).candidates(&queries, |q| (lists[sampled[q]].len() + 1).min(n), among),
        Length::Absolute => (0..sampled.len()).into_par_iter().map(|q| among(q, (0..n as u32).collect())).collect(),
    };
    let listed: usize = sampled.iter().map(|&i| lists[i].len()).sum();
    if listed == 0 { 1.0 } else { found.into_iter().sum::<usize>() as f64 / listed as f64 }
}

/// A point in the list of another.
#[derive(Clone, Copy)]
struct Near {
    distance: f32,
    point: u32,
    /// Whether it came in the last round.
    new: bool,
}

impl Near {
    fn nearer(&self, other: &Self) -> std::cmp::Ordering {
        self.distance.total_cmp(&other.distance).then(self.point.cmp(&other.point))
    }
}

/// What fills a list at first. It is farther than any point, even if a distance overflows.
const NOBODY: Near = Near { distance: f32::NAN, point: u32::MAX, new: false };

/// The lists in their present state.
struct Descent<'a> {
    table: &'a DistanceTable,
    /// Neighbours in each list.
    kept: usize,
    /// List after list, each with the nearest first.
    lists: Vec<Near>,
}

impl<'a> Descent<'a> {
    /// The nearest among the points that share a leaf.
    fn start(table: &'a DistanceTable, trees: &[Leaves], kept: usize) -> Self {
        let lists = vec![NOBODY; table.n() * kept];
        let mut search = Self { table, kept, lists };
        let each_leaf = |i: u32, work: &mut Work| {
            trees.iter().for_each(|leaves| leaves.around(i).iter().for_each(|&j| work.propose(j)));
        };
        search.lists = search.next(each_leaf);
        search
    }

    fn list(&self, i: usize) -> &[Near] {
        &self.lists[i * self.kept..(i + 1) * self.kept]
    }

    /// One round; the share of all entries that are new after it.
    fn improve(&mut self) -> f64 {
        let links = Links::of(self);
        self.lists = self.next(|i, work| {
            for via in links.around(i as usize) {
                for to in links.around(via.point as usize) {
                    // two old links have met before
                    if via.new || to.new {
                        work.propose(to.point);
                    }
                }
            }
        });
        self.lists.par_iter().filter(|near| near.new).count() as f64 / self.lists.len() as f64
    }

    /// The lists with what is nearer among the proposals for each point.
    fn next(&self, proposals: impl Fn(u32, &mut Work) + Sync) -> Vec<Near> {
        let mut lists = self.lists.clone();
        // as few pieces of work as there are threads to do it, more or less: each needs room for all points
        let few = self.table.n().div_ceil(BATCH).div_ceil(4 * rayon::current_num_threads()).max(1);
        lists.par_chunks_mut(self.kept * BATCH).enumerate().with_min_len(few).for_each_init(
            || Work::new(self.table.n()),
            |work, (batch, lists)| {
                for (at, list) in lists.chunks_mut(self.kept).enumerate() {
                    let i = (batch * BATCH + at) as u32;
                    work.begin(i, list);
                    proposals(i, work);
                    work.finish(self.table, i, list);
                }
            },
        );
        lists
    }
}

/// Room for the proposals of one point after the other.
struct Work {
    /// For each point, the last turn in which it was proposed. The first turn is 1.
    seen: Vec<u32>,
    turn: u32,
    proposed: Vec<u32>,
    distances: Vec<f32>,
    ranked: Vec<Near>,
}

impl Work {
    fn new(n: usize) -> Self {
        Self { seen: vec![0; n], turn: 0, proposed: vec![], distances: vec![], ranked: vec![] }
    }

    fn begin(&mut self, i: u32, list: &[Near]) {
        self.turn += 1;
        self.proposed.clear();
        self.seen[i as usize] = self.turn;
        for near in list.iter().filter(|near| near.point != NOBODY.point) {
            self.seen[near.point as usize] = self.turn;
        }
    }

    fn propose(&mut self, j: u32) {
        let seen = &mut self.seen[j as usize];
        if *seen != self.turn {
            *seen = self.turn;
            self.proposed.push(j);
        }
    }

    /// Puts the nearest of list and proposals into the list.
    fn finish(&mut self, table: &DistanceTable, i: u32, list: &mut [Near]) {
        table.lengths(i, self.proposed.iter().copied(), &mut self.distances);
        let Some(last) = list.last().copied() else { return };
        self.ranked.clear();
        self.ranked.extend(list.iter().map(|near| Near { new: false, ..*near }));
        let proposed = self.proposed.iter().zip(&self.distances);
        let proposed = proposed.map(|(&point, &distance)| Near { distance, point, new: true });
        self.ranked.extend(proposed.filter(|near| near.nearer(&last).is_lt()));
        if self.ranked.len() > list.len() {
            self.ranked.sort_unstable_by(Near::nearer);
        }
        list.copy_from_slice(&self.ranked[..list.len()]);
    }
}

/// For each point the nearest of those it lists and of those that list it.
struct Links {
    offsets: Vec<usize>,
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    point: u32,
    new: bool,
}

impl Links {
    fn of(search: &Descent) -> Self {
        let listing = Listing::of(search);
        let explored = search.kept.min(EXPLORED);
        let both: Vec<Vec<Link>> = (0..search.table.n())
            .into_par_iter()
            .map(|i| {
                let own = &search.list(i)[..explored];
                let mut back: Vec<Near> = listing.back(i).to_vec();
                back.sort_unstable_by(Near::nearer);
                back.truncate(explored);
                let mut links: Vec<Link> =
                    own.iter().chain(&back).map(|near| Link { point: near.point, new: near.new }).collect();
                // a pair that lists each other is one link, new if either found it new
                links.sort_unstable_by_key(|link| (link.point, !link.new));
                links.dedup_by_key(|link| link.point);
                links
            })
            .collect();
        let mut offsets = vec![0];
        offsets.extend(both.iter().scan(0, |end, links| {
            *end += links.len();
            Some(*end)
        }));
        Self { offsets, links: both.concat() }
    }

    fn around(&self, i: usize) -> &[Link] {
        &self.links[self.offsets[i]..self.offsets[i + 1]]
    }
}

/// For each point those that list it.
struct Listing {
    offsets: Vec<usize>,
    back: Vec<Near>,
}

impl Listing {
    fn of(search: &Descent) -> Self {
        let n = search.table.n();
        let mut offsets = vec![0; n + 1];
        search.lists.iter().for_each(|near| offsets[near.point as usize + 1] += 1);
        for i in 0..n {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut back = vec![NOBODY; search.lists.len()];
        for (entry, near) in search.lists.iter().enumerate() {
            let slot = &mut next[near.point as usize];
            back[*slot] = Near { point: (entry / search.kept) as u32, ..*near };
            *slot += 1;
        }
        Self { offsets, back }
    }

    fn back(&self, i: usize) -> &[Near] {
        &self.back[self.offsets[i]..self.offsets[i + 1]]
    }
}

#[cfg(test)]
#[path = "approximate_tests.rs"]
mod tests;
