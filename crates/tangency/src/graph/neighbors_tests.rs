#![allow(clippy::unwrap_used)]
use super::*;
use proptest::prelude::*;

fn literal(points: &Matrix, k: usize) -> Vec<Vec<u32>> {
    (0..points.ncols()).map(|i| choose(points, i, 0..points.ncols() as u32, k)).collect()
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
        let expected = literal(&points, 6);
        prop_assert_eq!(&by_products(&points, 6), &expected);
        prop_assert_eq!(&nearest_neighbors(&points, 6), &expected);
    }
}

#[test]
fn identical_points_are_harmless() {
    for d in [1, 3, 40] {
        let points = Matrix::from_fn(d, 400, |_, i| if i < 390 { 1.0 } else { i as f64 });
        assert_eq!(nearest_neighbors(&points, 5), literal(&points, 5), "d = {d}");
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
