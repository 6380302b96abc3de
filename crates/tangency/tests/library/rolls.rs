//! Swiss rolls: how well they unroll, and what would go wrong without the cures.

use super::{clean_roll, fit, paper};
use tangency::inference::Start;
use tangency::quality::affine_r2;
use tangency::{Config, Init, Rule, Stop};

#[test]
fn default_unrolls_stays_unrolled_and_beats_ten_starts_of_the_authors() {
    for (seed, noise) in [(0, 0.0), (1, 0.15)] {
        let (roll, edges) = clean_roll(280, noise, seed);
        let short = fit(paper(), &roll.points, &edges);
        let r2 = affine_r2(&short.coordinates, &roll.truth).unwrap();
        assert_eq!(short.stop, Stop::Converged);
        assert!(r2 >= 0.985, "seed {seed}, noise {noise}: R² {r2}");

        let longer = Config { max_iter: 3 * short.trace.len(), tol: 0.0, ..paper() };
        let long = fit(longer, &roll.points, &edges);
        let later = affine_r2(&long.coordinates, &roll.truth).unwrap();
        assert!((later - r2).abs() <= 0.005, "seed {seed}, noise {noise}: R² {r2} became {later}");

        let authors = Config { n_init: 10, max_iter: 40, tol: 0.0, ..Config::authors() };
        let theirs = fit(authors, &roll.points, &edges);
        assert!(short.bound() > theirs.bound(), "seed {seed}, noise {noise}");
    }
}

/// Collapse: priors learned from the first iteration of a random start explain the data as noise.
#[test]
fn a_random_start_grows_before_its_priors_are_learned() {
    let (roll, edges) = clean_roll(300, 0.0, 2);
    for random_state in 0..2 {
        let config = Config { init: Init::Random, random_state, max_iter: 80, ..paper() };
        let found = fit(config, &roll.points, &edges);
        assert_ne!(found.stop, Stop::Collapsed);
        assert!(affine_r2(&found.coordinates, &roll.truth).unwrap() > 0.6, "seed {random_state}");
    }
}

/// A collapsed fit is an outcome, and says so: at ν = 100 nothing but noise is left.
#[test]
fn a_collapsed_fit_says_so() {
    let (roll, edges) = clean_roll(200, 0.0, 2);
    let config = Config { lambda: Rule::Fixed(1.0), nu: Rule::Fixed(300.0), init: Init::Random, ..paper() };
    assert_eq!(fit(config, &roll.points, &edges).stop, Stop::Collapsed);
}

/// Twist: coordinates released before the maps fit them are folded by the first, blurred maps. Without the freeze these
/// reach R² 0.36 and 0.97.
#[test]
fn good_coordinates_are_not_twisted() {
    let (roll, edges) = clean_roll(800, 0.0, 4);
    let blurred = Config { gamma0: 0.05, max_iter: 25, ..paper() };
    let paper = Config { lambda: Rule::Fixed(1.0), nu: Rule::Fixed(0.0), accelerate: false, max_iter: 30, ..paper() };
    for config in [blurred, paper] {
        let found = tangency::Fitter::new(config)
            .edges(edges.clone())
            .start(Start::Coordinates(roll.truth.clone()))
            .fit(&roll.points)
            .unwrap();
        let r2 = affine_r2(&found.coordinates, &roll.truth).unwrap();
        assert!(r2 > 0.99, "R² {r2}");
    }
}

/// Soft mode: without the magnitude ν of the maps, noisy rolls are pinched as the bound creeps on; with it they stay.
#[test]
fn the_magnitude_of_the_maps_keeps_the_layout() {
    let (roll, edges) = clean_roll(400, 0.15, 0);
    let long = Config { init: Init::Isomap, max_iter: 70, tol: 0.0, ..paper() };
    let r2 = |config| affine_r2(&fit(config, &roll.points, &edges).coordinates, &roll.truth).unwrap();
    let (with, without) = (r2(long.clone()), r2(Config { nu: Rule::Fixed(0.0), ..long }));
    assert!(with > 0.985, "with ν: {with}");
    assert!(with > without + 0.01, "with ν: {with}, without: {without}");
}
