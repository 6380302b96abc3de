#![allow(clippy::unwrap_used)]
use super::*;
use proptest::prelude::*;

fn literal(points: &Matrix, queries: &Matrix, k: usize, skips_itself: bool) -> Vec<Vec<u32>> {
    (0..queries.ncols())
        .map(|i| {
            let distance = |j: u32| squared_distance(queries.col_as_slice(i), points.col_as_slice(j as usize));
            let mut all: Vec<u32> = (0..points.ncols() as u32).filter(|&j| !skips_itself || j as usize != i).collect();
            all.sort_by(|&p, &q| distance(p).total_cmp(&distance(q)));
            all.truncate(k);
            all
        })
        .collect()
}

fn by_products(points: &Matrix) -> NeighborIndex {
    NeighborIndex {
        points: points.clone().into(),
        length: Length::Squared,
        search: SearchMethod::Products(Products::new(points)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn tree_and_products_agree_with_all_pairs(seed in 0u64..1000, d in 1usize..13, grid in any::<bool>()) {
        // a coarse grid makes ties and duplicates the rule
        let points = Matrix::from_fn(d, 300, |r, i| {
            let v = ((i * 7919 + r * 104_729 + seed as usize * 31) % 9973) as f64 / 997.3;
            if grid { v.floor() } else { v }
        });
        let expected = literal(&points, &points, 6, true);
        prop_assert_eq!(&by_products(&points).search(&points, 6, |i| Some(i as u32)), &expected);
        prop_assert_eq!(&nearest_neighbors(&points, 6), &expected);

        let queries = Matrix::from_fn(d, 40, |r, i| points[(r, 3 * i)] + if i % 2 == 0 { 0.3 } else { 50.0 * r as f64 });
        let expected = literal(&points, &queries, 6, false);
        let index = NeighborIndex::new(points.clone());
        prop_assert_eq!(&by_products(&points).nearest(&queries, 6), &expected);
        prop_assert_eq!(&index.nearest(&queries, 6), &expected);
        for i in 0..queries.ncols() {
            let alone = Matrix::from_fn(d, 1, |r, _| queries[(r, i)]);
            prop_assert_eq!(&index.nearest(&alone, 6)[0], &expected[i]);
        }
    }
}

#[test]
fn identical_points_are_harmless() {
    for d in [1, 3, 40] {
        let points = Matrix::from_fn(d, 400, |_, i| if i < 390 { 1.0 } else { i as f64 });
        assert_eq!(nearest_neighbors(&points, 5), literal(&points, &points, 5, true), "d = {d}");
    }
}

#[test]
fn mutual_is_a_part_of_or() {
    let points = Matrix::from_fn(2, 300, |r, i| ((i * (r + 3) * 7919) % 1009) as f64);
    let either = neighbor_graph(&points, 5, Symmetry::Or);
    let mutual = neighbor_graph(&points, 5, Symmetry::Mutual);
    assert!(mutual.edges().len() < either.edges().len());
    assert!(mutual.edges().iter().all(|edge| either.edges().binary_search(edge).is_ok()));
}

#[test]
fn a_radius_finds_the_pairs_of_all_pairs() {
    // on a grid many pairs are exactly at the radius
    for d in [1, 3, 7, 12, 14] {
        let points = Matrix::from_fn(d, 400, |r, i| ((i * 7919 + r * 104_729) % 9973 / 2500) as f64);
        for radius in [0.0, 1.0, 2.0, 1e3] {
            let near = |&(i, j): &(usize, usize)| {
                squared_distance(points.col_as_slice(i), points.col_as_slice(j)) <= radius * radius
            };
            let pairs = (0..400).flat_map(|i| (i + 1..400).map(move |j| (i, j))).filter(near);
            let expected: Vec<(u32, u32)> = pairs.map(|(i, j)| (i as u32, j as u32)).collect();
            assert_eq!(
                within_length(&points, Length::Squared, radius * radius).edges(),
                &expected,
                "d = {d}, radius = {radius}"
            );
        }
    }
}
