//! The measures are those of scikit-learn and scipy on the same numbers, equal what is written down literally where ties
//! are the rule, know a perfect embedding, and have the same bits on one thread and on two. The numbers of
//! scikit-learn 1.9.1 and scipy were made on `table`, which is exact in any language.
#![allow(clippy::unwrap_used)]

use super::classification::{stratified, vote, wrong_in_folds};
use super::geodesics::sources;
use super::*;
use crate::graph::{Graph, Symmetry, geodesic_distances, nearest_neighbors, neighbor_graph, neighbor_ranks};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

const N: usize = 350;

fn table(n: usize, columns: usize, shift: usize) -> Matrix {
    Matrix::from_fn(n, columns, |i, c| {
        let mixed = i * (c + 1) * 7919 + i * i * (c * c * 31 + 13) + i * i * i * (c + 2) + shift * 31;
        (mixed % 9973) as f64 / 9973.0
    })
}

/// [N, 5], and an embedding of it that loses much. [N, 2]
fn reference_and_embedding() -> (Matrix, Matrix) {
    let reference = table(N, 5, 3);
    let embedding =
        Matrix::from_fn(N, 2, |i, c| reference[(i, c)] + if c == 1 { 0.3 * reference[(i, 2)] } else { 0.0 });
    (reference, embedding)
}

fn texts(classes: &[usize]) -> Vec<String> {
    classes.iter().map(|class| format!("class {class}")).collect()
}

fn first_columns(table: &Matrix, columns: usize) -> Matrix {
    Matrix::from_fn(table.nrows(), columns, |i, c| table[(i, c)])
}

fn transposed(table: &Matrix) -> Matrix {
    table.transpose().to_owned()
}

fn literal_trustworthiness(reference: &Matrix, embedding: &Matrix, k: usize) -> f64 {
    let n = reference.nrows();
    let order = |table: &Matrix, i: usize| {
        let apart = |j: usize| (0..table.ncols()).map(|c| (table[(i, c)] - table[(j, c)]).powi(2)).sum::<f64>();
        let mut others: Vec<usize> = (0..n).filter(|&j| j != i).collect();
        others.sort_by(|&p, &q| apart(p).total_cmp(&apart(q)));
        others
    };
    let mut beyond = 0;
    for i in 0..n {
        let in_reference = order(reference, i);
        for j in &order(embedding, i)[..k] {
            let rank = 1 + in_reference.iter().position(|p| p == j).unwrap();
            beyond += rank.saturating_sub(k);
        }
    }
    1.0 - 2.0 * beyond as f64 / (n * k * (2 * n - 3 * k - 1)) as f64
}

#[test]
fn trustworthiness_is_that_of_scikit_learn() {
    let (reference, embedding) = reference_and_embedding();
    let wider = table(N, 20, 7);
    let wide = Matrix::from_fn(N, 25, |i, c| if c < 5 { reference[(i, c)] } else { 0.4 * wider[(i, c - 5)] });
    for (k, trust, back, from_wide) in [
        (1, 0.7485139573070607, 0.9532840722495894, 0.7367898193760263),
        (5, 0.7539916457811194, 0.9272514619883041, 0.7459966583124478),
        (12, 0.7604646986999928, 0.9051109674639086, 0.7523112834877541),
        (100, 0.8076985320443967, 0.8607839598997493, 0.802911851056212),
        (174, 0.7884810701993636, 0.8196728915606765, 0.7828990750790867),
    ] {
        let near = |found: Result<f64>, expected: f64| assert!((found.unwrap() - expected).abs() < 1e-12, "k = {k}");
        near(trustworthiness(&reference, &embedding, k), trust);
        near(continuity(&reference, &embedding, k), back);
        near(trustworthiness(&wide, &embedding, k), from_wide);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn neighbourhoods_are_the_literal_ones(n in 5usize..60, k in 1usize..8, shift in 0usize..99, ties in any::<bool>()) {
        prop_assume!(2 * k < n);
        // a coarse grid makes ties and duplicates the rule; an outlier takes digits from the fast distances
        let coarse = |table: Matrix| {
            Matrix::from_fn(n, table.ncols(), |i, c| match (i, ties) {
                (0, false) => 1e6 * table[(i, c)],
                (_, true) => (3.0 * table[(i, c)]).floor(),
                _ => table[(i, c)],
            })
        };
        let (reference, embedding) = (coarse(table(n, 4, shift)), coarse(table(n, 2, shift + 1)));
        let expected = literal_trustworthiness(&reference, &embedding, k);
        prop_assert!((trustworthiness(&reference, &embedding, k).unwrap() - expected).abs() < 1e-12);
        let expected = literal_trustworthiness(&embedding, &reference, k);
        prop_assert!((continuity(&reference, &embedding, k).unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn folds_are_even_and_so_is_every_class_in_them(n in 4usize..80, folds in 2usize..12, seed in 0u64..50) {
        prop_assume!(folds <= n);
        let members: Vec<Vec<usize>> =
            (0..3).map(|class| (0..n).filter(|i| i * i % 7 % 3 == class).collect()).collect();
        let fold_of = stratified(&members, n, folds, &mut ChaCha8Rng::seed_from_u64(seed));
        let even = |points: &[usize]| {
            let sizes: Vec<usize> = (0..folds).map(|f| points.iter().filter(|&&i| fold_of[i] == f).count()).collect();
            sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1
        };
        prop_assert!(even(&(0..n).collect::<Vec<_>>()));
        prop_assert!(members.iter().all(|points| even(points)));
    }
}

#[test]
fn ranks_count_from_the_nearest() {
    let points = transposed(&table(300, 30, 1));
    let lists = nearest_neighbors(&points, 299);
    for (list, ranks) in lists.iter().zip(neighbor_ranks(&points, &lists)) {
        assert_eq!(list.len(), 299);
        assert!(ranks.into_iter().eq(1..=299));
    }
}

#[test]
fn a_perfect_embedding_is_known() {
    let (reference, _) = reference_and_embedding();
    let (sine, cosine) = 0.7f64.sin_cos();
    let turned = Matrix::from_fn(N, 2, |i, c| {
        let (x, y) = (reference[(i, 0)], reference[(i, 1)]);
        3.0 * if c == 0 { cosine * x - sine * y } else { -sine * x - cosine * y } + 10.0
    });
    let plane = first_columns(&reference, 2);
    assert_eq!(trustworthiness(&plane, &turned, 9).unwrap(), 1.0);
    assert_eq!(continuity(&plane, &turned, 9).unwrap(), 1.0);
    assert!(procrustes(&turned, &plane).unwrap().abs() < 1e-12);
    assert!((affine_r2(&turned, &plane).unwrap() - 1.0).abs() < 1e-12);
    assert!((align(&turned, &plane).unwrap() - &plane).norm_max() < 1e-12);

    let complete = Graph::from_edges(N, (0..N as u32).flat_map(|i| (0..i).map(move |j| (i, j))));
    assert!((geodesic_correlation(&complete, &transposed(&plane), &turned).unwrap() - 1.0).abs() < 1e-12);

    let sides: Vec<usize> = (0..N).map(|i| i % 2).collect();
    let apart = Matrix::from_fn(N, 2, |i, c| plane[(i, c)] + if i % 2 == 0 { 5.0 } else { 0.0 });
    let error = knn_error(&apart, &texts(&sides), 5, 10, 3, 0).unwrap();
    assert_eq!(error, KnnError { mean: 0.0, deviation: 0.0, fold_deviation: 0.0 });
}

#[test]
fn procrustes_is_that_of_scipy_and_alignment_attains_it() {
    let (reference, embedding) = reference_and_embedding();
    let plane = first_columns(&reference, 2);
    let disparity = procrustes(&embedding, &plane).unwrap();
    assert!((disparity - 0.038766607274935215).abs() < 1e-12);
    let spread = |table: &Matrix| {
        let mean = |c: usize| table.col_as_slice(c).iter().sum::<f64>() / table.nrows() as f64;
        (0..table.ncols())
            .map(|c| table.col_as_slice(c).iter().map(|v| (v - mean(c)).powi(2)).sum::<f64>())
            .sum::<f64>()
    };
    let residual = |table: &Matrix| (align(table, &plane).unwrap() - &plane).squared_norm_l2() / spread(&plane);
    assert!((residual(&embedding) - disparity).abs() < 1e-12);
    // other numbers of columns too, and what has no extent goes to the middle
    let line = first_columns(&embedding, 1);
    assert!((residual(&line) - procrustes(&line, &plane).unwrap()).abs() < 1e-12);
    let onto_line = align(&embedding, &line).unwrap();
    let left = (onto_line - &line).squared_norm_l2() / spread(&line);
    // of what does not match, a part is in the column that is left out
    assert!(left < procrustes(&embedding, &line).unwrap(), "{left}");
    assert!((residual(&Matrix::zeros(N, 2)) - 1.0).abs() < 1e-12);
}

#[test]
fn the_error_of_nearest_neighbours_is_that_of_scikit_learn() {
    let (_, embedding) = reference_and_embedding();
    let points = transposed(&embedding);
    let fold_of: Vec<usize> = (0..N).map(|i| i % 5).collect();
    let wrong = |classes: &[usize], k: usize| -> Vec<usize> {
        wrong_in_folds(&points, classes, &fold_of, 5, k).into_iter().map(|(wrong, _)| wrong).collect()
    };
    let two: Vec<usize> = (0..N).map(|i| usize::from(embedding[(i, 0)] >= 0.35) ^ usize::from(i % 11 == 0)).collect();
    assert_eq!(wrong(&two, 1), [12, 17, 11, 10, 16]);
    assert_eq!(wrong(&two, 3), [8, 10, 9, 8, 9]);
    assert_eq!(wrong(&two, 7), [7, 10, 9, 7, 9]);
    // three classes and four votes: ties are common
    let third = |i: usize| (3.0 * embedding[(i, 0)]) as usize;
    let three: Vec<usize> = (0..N).map(|i| if i % 7 == 0 { (third(i) + 1) % 3 } else { third(i) }).collect();
    assert_eq!(wrong(&three, 4), [13, 17, 19, 15, 14]);

    let labels = texts(&three);
    let error = knn_error(&embedding, &labels, 4, 5, 8, 3).unwrap();
    assert!((0.15..0.3).contains(&error.mean) && error.deviation > 0.0 && error.deviation < error.fold_deviation);
    assert_eq!(error, knn_error(&embedding, &labels, 4, 5, 8, 3).unwrap());
    assert_ne!(error, knn_error(&embedding, &labels, 4, 5, 8, 4).unwrap());
    assert_eq!(knn_error(&embedding, &labels, 4, 5, 1, 3).unwrap().deviation, 0.0);
    assert_eq!(vote([2, 1, 1, 2, 0].into_iter()), Some(2));
    assert_eq!(vote(std::iter::empty()), None);
}

#[test]
fn the_rarest_class_may_be_smaller_than_the_number_of_folds() {
    let (_, embedding) = reference_and_embedding();
    let classes: Vec<usize> = (0..N).map(|i| usize::from(i == 7)).collect();
    let error = knn_error(&embedding, &texts(&classes), 3, 10, 2, 0).unwrap();
    assert!((error.mean - 1.0 / N as f64).abs() < 1e-15, "{error:?}");
}

#[test]
fn geodesic_correlation_is_that_of_scipy() {
    let (reference, embedding) = reference_and_embedding();
    let points = transposed(&first_columns(&reference, 3));
    let graph = neighbor_graph(&points, 8, Symmetry::Or);
    assert!((geodesic_correlation(&graph, &points, &embedding).unwrap() - 0.8033670806257248).abs() < 1e-12);
}

#[test]
fn of_many_points_a_sample_stands_for_all() {
    let n = 2300;
    let sampled = sources(n, 2000);
    assert!(sampled.len() == 2000 && sampled.is_sorted() && sampled != (0..2000).collect::<Vec<_>>());
    let (reference, embedding) = (table(n, 2, 3), table(n, 2, 3));
    let points = transposed(&reference);
    let graph = neighbor_graph(&points, 10, Symmetry::Or);
    let found = geodesic_correlation(&graph, &points, &embedding).unwrap();
    let along = geodesic_distances(&graph, &points);
    let apart = |i: usize, j: usize| {
        ((embedding[(i, 0)] - embedding[(j, 0)]).powi(2) + (embedding[(i, 1)] - embedding[(j, 1)]).powi(2)).sqrt()
    };
    let pairs: Vec<(f64, f64)> =
        (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| (along[(i, j)], apart(i, j))).collect();
    let mean = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).sum::<f64>() / pairs.len() as f64;
    let (p, q) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut pp, mut qq, mut pq) = (0.0, 0.0, 0.0);
    for pair in &pairs {
        pp += (pair.0 - p).powi(2);
        qq += (pair.1 - q).powi(2);
        pq += (pair.0 - p) * (pair.1 - q);
    }
    let all = pq / (pp * qq).sqrt();
    assert!(found != all && (found - all).abs() < 1e-3, "{found} {all}");
}

#[test]
fn what_cannot_be_measured_is_an_error_of_one_sentence() {
    let (reference, embedding) = reference_and_embedding();
    let said = |found: Result<f64>| found.unwrap_err().to_string();
    let half = said(trustworthiness(&reference, &embedding, 175));
    assert!(half.starts_with("n_neighbors is 175, but less than half of the 350 points"), "{half}");
    said(trustworthiness(&reference, &embedding, 0));
    said(continuity(&reference, &embedding, 175));
    let short = first_columns(&table(20, 2, 1), 2);
    let rows = said(trustworthiness(&reference, &short, 3));
    assert!(rows.starts_with("the embedding has 20 rows, but 350 rows are needed"), "{rows}");
    assert_eq!(rows, said(continuity(&reference, &short, 3)));
    let mut broken = embedding.clone();
    broken[(4, 1)] = f64::NAN;
    assert!(said(procrustes(&broken, &reference)).starts_with("row 4, column 1 is NaN"));
    align(&short, &reference).unwrap_err();

    let labels = texts(&(0..N).map(|i| i % 2).collect::<Vec<_>>());
    let knn = |labels: &[String], k, folds, shuffles| {
        knn_error(&embedding, labels, k, folds, shuffles, 0).unwrap_err().to_string()
    };
    assert!(knn(&texts(&[0; N]), 1, 10, 1).starts_with("all labels are the same"));
    for (k, folds, shuffles, field) in [
        (1, 1, 1, "folds"),
        (1, 351, 1, "folds"),
        (0, 10, 1, "n_neighbors"),
        (316, 10, 1, "n_neighbors"),
        (1, 10, 0, "shuffles"),
    ] {
        let error = knn(&labels, k, folds, shuffles);
        assert!(error.starts_with(field), "{error}");
    }
    knn(&labels[1..], 1, 10, 1);

    let points = transposed(&reference);
    let apart = Graph::from_edges(N, [(0, 1)]);
    assert!(said(geodesic_correlation(&apart, &points, &embedding)).contains("pieces"));
    let graph = neighbor_graph(&points, 20, Symmetry::Or);
    assert!(said(geodesic_correlation(&graph, &points, &Matrix::zeros(N, 2))).contains("equally far apart"));
    said(geodesic_correlation(&graph, &embedding, &embedding));
}

#[test]
fn the_same_bits_on_one_thread_and_on_two() {
    let measured = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (reference, embedding) = (table(900, 30, 5), table(900, 2, 5));
            let points = transposed(&reference);
            let graph = neighbor_graph(&points, 9, Symmetry::Or);
            let labels = texts(&(0..900).map(|i| i * i % 5).collect::<Vec<_>>());
            (
                trustworthiness(&reference, &embedding, 11).unwrap(),
                continuity(&reference, &embedding, 11).unwrap(),
                geodesic_correlation(&graph, &points, &embedding).unwrap(),
                knn_error(&embedding, &labels, 4, 10, 3, 1).unwrap(),
                align(&embedding, &reference).unwrap(),
            )
        })
    };
    assert!(measured(1) == measured(2));
}

#[test]
fn an_embedding_on_a_line_explains_what_a_line_can() {
    let line = Matrix::from_fn(30, 2, |i, c| (i as f64 - 14.5) * if c == 0 { 1.0 } else { 2.0 });
    let truth = Matrix::from_fn(30, 2, |i, c| if c == 0 { i as f64 } else { (i as f64 * 2.7).sin() });
    let alone = Matrix::from_fn(30, 1, |i, _| i as f64);
    let (found, expected) = (affine_r2(&line, &truth).unwrap(), affine_r2(&alone, &truth).unwrap());
    assert!((found - expected).abs() < 1e-12 && found < 1.0, "{found} {expected}");
}

#[test]
fn the_trustworthiness_of_many_points_is_that_of_a_sample_by_itself() {
    let sheet = crate::generate(crate::Shape::SCurve, 3100, 0.0, 1);
    let points = sheet.points.transpose().to_owned();
    // folded: the two halves of the sheet lie on each other
    let middle = 0.5 * (0..3100).map(|i| sheet.truth[(i, 0)]).fold(f64::NEG_INFINITY, f64::max);
    let folded =
        Matrix::from_fn(
            3100,
            2,
            |i, a| if a == 0 { (sheet.truth[(i, 0)] - middle).abs() } else { sheet.truth[(i, 1)] },
        );
    let chosen: Vec<usize> = (0..3100).step_by(2).collect();
    let some = |of: &Matrix| Matrix::from_fn(chosen.len(), of.ncols(), |c, f| of[(chosen[c], f)]);
    let literal = trustworthiness(&some(&sheet.points), &some(&folded), 12).unwrap();
    let towards_points = |map: &Matrix| {
        quick_trustworthiness(Places::straight(&points), Places::straight(&map.transpose().to_owned()), 12)
    };
    let found = towards_points(&folded);
    assert!((found - literal).abs() < 1e-9, "{found} {literal}");
    assert!(found < 0.95 && towards_points(&sheet.truth) > 0.995);
}

#[test]
fn ranks_that_are_kept_give_the_same_trustworthiness() {
    // with many equal points, and with more than are looked at
    for (n, steps) in [(200, 5.0), (3200, 1e6)] {
        let fine = table(n, 3, 2);
        let reference = Matrix::from_fn(3, n, |c, i| (fine[(i, c)] * steps).floor() / steps);
        let kept = TableRanks::of(Places::straight(&reference));
        for shift in 0..2 {
            let map = transposed(&table(n, 2, shift));
            let at_once = quick_trustworthiness(Places::straight(&reference), Places::straight(&map), 12);
            assert_eq!(kept.trustworthiness(Places::straight(&map), 12), at_once);
        }
    }
}
