//! How well classes can be told apart in an embedding.

use super::same_points;
use crate::error::{Error, Result};
use crate::graph::NeighborIndex;
use crate::linalg::Matrix;
use crate::message::Remedy;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// The error of a classifier, as shares of points given the wrong class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KnnError {
    /// Share of all points given the wrong class by the points outside their fold; the mean over shuffles.
    pub mean: f64,
    /// Standard deviation of that share over shuffles; 0 if there is one.
    pub deviation: f64,
    /// Standard deviation of the error of a single fold, over the folds of all shuffles.
    pub fold_deviation: f64,
}

/// Error of classification by the `k` nearest neighbours in `embedding` [n, d], cross-validated: each class is spread
/// evenly over `folds`, each point gets the most frequent class among its nearest points outside its fold (of equally
/// frequent ones that of the nearest), and all is repeated with `shuffles` draws of the folds.
///
/// A class may have fewer members than there are folds; then some folds have none of it.
pub fn knn_error(
    embedding: &Matrix,
    labels: &[String],
    k: usize,
    folds: usize,
    shuffles: usize,
    seed: u64,
) -> Result<KnnError> {
    let n = labels.len();
    same_points(embedding, n)?;
    let members = members(labels);
    if members.len() < 2 {
        let problem = if n == 0 { "there are no labels" } else { "all labels are the same" };
        let remedies = vec![Remedy::act("give labels of at least two classes")];
        return Err(Error::Setting { name: "labels", problem: problem.into(), remedies });
    }
    if folds < 2 || folds > n {
        return Err(match folds {
            0 | 1 => Error::too_small("folds", folds, 2),
            _ => Error::too_large("folds", folds, format!("there are only {n} points")),
        });
    }
    let others = n - n.div_ceil(folds);
    if k == 0 || k > others {
        return Err(match k {
            0 => Error::too_small("n_neighbors", k, 1),
            _ => Error::too_large("n_neighbors", k, format!("only {others} points are outside a fold")),
        });
    }
    if shuffles == 0 {
        return Err(Error::too_small("shuffles", shuffles, 1));
    }
    let classes = class_of_each(&members, n);
    let points = embedding.transpose().to_owned();
    let (mut of_shuffles, mut of_folds) = (Vec::with_capacity(shuffles), Vec::with_capacity(shuffles * folds));
    for shuffle in 0..shuffles {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(shuffle as u64);
        let wrong = wrong_in_folds(&points, &classes, &stratified(&members, n, folds, &mut rng), folds, k);
        let all: usize = wrong.iter().map(|&(wrong, _)| wrong).sum();
        of_shuffles.push(all as f64 / n as f64);
        of_folds.extend(wrong.iter().map(|&(wrong, size)| wrong as f64 / size as f64));
    }
    let (mean, deviation) = mean_and_deviation(&of_shuffles);
    Ok(KnnError { mean, deviation, fold_deviation: mean_and_deviation(&of_folds).1 })
}

/// The points of each class, classes in alphabetical order.
fn members(labels: &[String]) -> Vec<Vec<usize>> {
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (i, label) in labels.iter().enumerate() {
        members.entry(label).or_default().push(i);
    }
    members.into_values().collect()
}

fn class_of_each(members: &[Vec<usize>], n: usize) -> Vec<usize> {
    let mut classes = vec![0; n];
    for (class, points) in members.iter().enumerate() {
        points.iter().for_each(|&i| classes[i] = class);
    }
    classes
}

/// The fold of each point: the members of each class, shuffled, are dealt out in turn, and the next class goes on where
/// the last one ended, so that classes and folds are both even up to one point.
pub(super) fn stratified(members: &[Vec<usize>], n: usize, folds: usize, rng: &mut ChaCha8Rng) -> Vec<usize> {
    let mut fold_of = vec![0; n];
    let mut dealt = 0;
    for points in members {
        let mut points = points.clone();
        points.shuffle(rng);
        for i in points {
            fold_of[i] = dealt % folds;
            dealt += 1;
        }
    }
    fold_of
}

/// How many points of each fold get the wrong class, and how many it has; `points` is d × n.
pub(super) fn wrong_in_folds(
    points: &Matrix,
    classes: &[usize],
    fold_of: &[usize],
    folds: usize,
    k: usize,
) -> Vec<(usize, usize)> {
    let pick = |rows: &[usize]| Matrix::from_fn(points.nrows(), rows.len(), |r, c| points[(r, rows[c])]);
    (0..folds)
        .map(|fold| {
            let (inside, outside): (Vec<usize>, Vec<usize>) = (0..classes.len()).partition(|&i| fold_of[i] == fold);
            let found = NeighborIndex::new(pick(&outside)).nearest(&pick(&inside), k);
            let given = found.iter().map(|list| vote(list.iter().map(|&j| classes[outside[j as usize]])));
            let wrong = given.zip(&inside).filter(|&(class, &i)| class != Some(classes[i])).count();
            (wrong, inside.len())
        })
        .collect()
}

/// The most frequent class; of equally frequent ones the one met first, which is that of the nearest.
pub(super) fn vote(nearest_first: impl Iterator<Item = usize>) -> Option<usize> {
    let mut votes: Vec<(usize, usize)> = Vec::new();
    for class in nearest_first {
        match votes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, count)) => *count += 1,
            None => votes.push((class, 1)),
        }
    }
    votes.into_iter().rev().max_by_key(|&(_, count)| count).map(|(class, _)| class)
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}
