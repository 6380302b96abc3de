//! Evidence about edges: scores, tests and pruning, on manifolds whose short-circuits are known.

use crate::{fit, paper};
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use tangency::evidence::{
    PruneOptions, PruneStep, Pruned, edge_scores, least_gain, prune, prune_from, test_edges, test_edges_from,
};
use tangency::fit::Caution;
use tangency::generate::{Edges, Synthetic};
use tangency::graph::pieces;
use tangency::inference::{EngineKind, Start};
use tangency::quality::affine_r2;
use tangency::{Config, Error, Fit, Fitter, Graph, Shape, Stop, generate};

fn pruned(fit: &Fit, options: PruneOptions) -> Pruned {
    prune(fit, &options, &mut |_| ControlFlow::Continue(())).unwrap()
}

/// A roll with short-circuits, its good edges and the false ones.
fn roll() -> (Synthetic, Edges, Edges) {
    let roll = generate(Shape::SwissRoll, 220, 0.0, 1);
    let (good, bad) = roll.neighbor_edges(9);
    assert!(bad.len() >= 5, "this roll should have short-circuits, not {}", bad.len());
    (roll, good, bad)
}

fn all(good: &[(u32, u32)], bad: &[(u32, u32)]) -> Vec<(u32, u32)> {
    good.iter().chain(bad).copied().collect()
}

/// Fits of the roll, made once: with the false edges, without them, and pruned.
static FOLDED: LazyLock<Fit> = LazyLock::new(|| {
    let (roll, good, bad) = roll();
    fit(paper(), &roll.points, &all(&good, &bad))
});
static CLEAN: LazyLock<Fit> = LazyLock::new(|| {
    let (roll, good, _) = roll();
    fit(paper(), &roll.points, &good)
});
static PRUNED: LazyLock<Pruned> = LazyLock::new(|| pruned(&FOLDED, PruneOptions::default()));

#[test]
fn short_circuits_of_a_roll_are_removed_and_only_they() {
    let (roll, _, bad) = roll();
    let (before, after, truth) = (&*FOLDED, &*PRUNED, &*CLEAN);
    let removed: HashSet<_> = after.removed.iter().map(|edge| edge.score.edge).collect();
    assert_eq!(removed, bad.iter().copied().collect());
    assert!(affine_r2(&before.coordinates, &roll.truth).unwrap() < 0.9);
    assert!(affine_r2(&after.fit.coordinates, &roll.truth).unwrap() > 0.99);
    assert!(after.fit.bound_scaled() > truth.bound_scaled() - 2.0);
    assert_eq!(after.fit.graph, truth.graph);
    assert_eq!(after.fit.removed.len(), bad.len());
    assert_eq!(after.fit.stop, Stop::Converged);
    assert!(after.removed.iter().all(|edge| edge.gain > 2.0));
    assert!(after.baseline.mean.abs() < 1.0 && after.baseline.deviation < 1.0, "{:?}", after.baseline);
}

#[test]
fn pruning_and_tests_go_on_from_the_posterior_of_the_fit() {
    let (roll, good, bad) = roll();
    for engine in [EngineKind::Exact, EngineKind::Factorised] {
        let fitter = Fitter::new(Config { engine, ..paper() }).edges(all(&good, &bad));
        let (before, posterior) = fitter.fit_with_posterior(roll.points.as_ref()).unwrap();
        let posterior = posterior.unwrap();
        let mut done = 0;
        test_edges_from(&before, Some(&posterior), &[bad[0]], 1, &mut |graphs, _| {
            done = graphs;
            ControlFlow::Break(())
        })
        .unwrap_err();
        let mut first = None;
        let after = prune_from(&before, Some(posterior), &PruneOptions::default(), &mut |now| {
            first.get_or_insert(now.step);
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!((done, first), (0, Some(PruneStep::Removing(1))), "the fit was made again");
        let removed: HashSet<_> = after.removed.iter().map(|edge| edge.score.edge).collect();
        let own;
        let again = if engine == EngineKind::Exact {
            assert!(before.engine.kind == FOLDED.engine.kind && before.coordinates == FOLDED.coordinates);
            &*PRUNED
        } else {
            own = pruned(&before, PruneOptions::default());
            &own
        };
        assert_eq!(removed, again.removed.iter().map(|edge| edge.score.edge).collect());
        assert_eq!(removed, bad.iter().copied().collect());
        assert!((after.fit.bound_scaled() - again.fit.bound_scaled()).abs() < 0.5);
        assert!(after.iterations < again.iterations);
    }
}

#[test]
fn the_posterior_of_another_fit_is_not_used() {
    let curve = generate(Shape::SCurve, 110, 0.0, 4);
    let (good, _) = curve.neighbor_edges(7);
    let by_place = |p: &u32, q: &u32| curve.truth[(*p as usize, 0)].total_cmp(&curve.truth[(*q as usize, 0)]);
    let (first, last) = ((0..110).min_by(by_place).unwrap(), (0..110).max_by(by_place).unwrap());
    let config = Config { max_iter: 40, ..paper() };
    let before = fit(config.clone(), &curve.points, &all(&good, &[(first, last)]));
    let other = Fitter::new(config).edges(good).fit_with_posterior(curve.points.as_ref()).unwrap().1;
    let options = PruneOptions { max_rounds: 1, ..PruneOptions::default() };
    let found = prune_from(&before, other, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    let plain = pruned(&before, options);
    assert!(!plain.removed.is_empty());
    assert!(found.fit.coordinates == plain.fit.coordinates && found.iterations == plain.iterations);
}

#[test]
fn a_graph_without_short_circuits_keeps_its_edges_and_its_fit() {
    for (shape, noise) in [(Shape::SCurve, 0.0), (Shape::SwissRoll, 0.1)] {
        let data = generate(shape, 170, noise, 2);
        let (good, _) = data.neighbor_edges(9);
        let before = fit(Config { connect: true, ..paper() }, &data.points, &good);
        let after = pruned(&before, PruneOptions::default());
        assert!(after.removed.len() * 200 <= before.graph.edges().len(), "{} removed", after.removed.len());
        assert!(after.fit.bound_scaled() >= before.bound_scaled());
        if after.removed.is_empty() {
            assert!(after.fit.coordinates == before.coordinates);
        }
    }
}

#[test]
fn where_no_good_edge_can_be_spared_nothing_is_removed_on_weak_evidence() {
    // nearly a chain: most edges hold it together, so there is nothing to compare with
    let helix = generate(Shape::Helix, 40, 0.0, 0);
    let config = Config { n_neighbors: 2, n_components: 1, connect: true, ..paper() };
    let before = tangency::Fitter::new(config).fit(&helix.points).unwrap();
    let after = pruned(&before, PruneOptions { max_removed: Some(100_000), ..Default::default() });
    assert!(after.removed.is_empty(), "{:?}", after.removed);
}

#[test]
fn pruning_keeps_to_its_limits() {
    let before = &*FOLDED;
    let few = pruned(before, PruneOptions { max_removed: Some(2), ..Default::default() });
    assert!(few.removed.len() <= 2 && few.fit.bound_scaled() >= before.bound_scaled());
    assert_eq!(pieces(&few.fit.graph).len(), 1);
    for options in [
        PruneOptions { max_removed: Some(0), ..Default::default() },
        PruneOptions { min_gain: f64::NAN, ..Default::default() },
        PruneOptions { min_gain: -1.0, ..Default::default() },
    ] {
        let refused = prune(before, &options, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(refused, Err(Error::Setting { .. })));
    }
}

#[test]
fn pruning_that_is_stopped_has_decided_nothing() {
    let before = &*FOLDED;
    for most in [3, 60, 260] {
        let mut left = most;
        let stopped = prune(before, &PruneOptions::default(), &mut |_| {
            left -= 1;
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert!(stopped.interrupted);
        assert!(stopped.iterations <= most + 2, "{} iterations after {most}", stopped.iterations);
        assert!(stopped.removed.is_empty() && stopped.fit.removed.is_empty());
        assert!(stopped.fit.graph == before.graph && stopped.fit.coordinates == before.coordinates);
        // and the model says so, wherever it goes
        assert_eq!(stopped.fit.stop, Stop::Interrupted);
        assert!(stopped.fit.cautions(|i| i.to_string()).contains(&Caution::NotPruned));
    }
}

#[test]
fn every_edge_that_stays_out_gains_enough_by_itself() {
    let curve = generate(Shape::SCurve, 100, 0.02, 1);
    let before = Fitter::new(Config::default()).fit(&curve.points).unwrap();
    let after = pruned(&before, PruneOptions::default());
    let least = least_gain(2.0, before.graph.edges().len());
    assert!(after.removed.iter().all(|edge| edge.gain > least), "{:?}, at least {least}", after.removed);
    let (_, bad) = curve.neighbor_edges(9);
    assert!(after.removed.len() == 4 && after.removed.iter().all(|edge| bad.contains(&edge.score.edge)), "{bad:?}");
}

#[test]
fn pruning_has_the_same_bits_on_one_thread_and_on_two() {
    let (roll, good, bad) = roll();
    let config = Config { max_iter: 40, ..paper() };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| pruned(&fit(config.clone(), &roll.points, &all(&good, &bad)), PruneOptions::default()))
    };
    let (one, two) = (run(1), run(2));
    assert!(!one.removed.is_empty() && one.removed == two.removed && one.fit.coordinates == two.fit.coordinates);
    assert!(one.fit.parts == two.fit.parts && one.iterations == two.iterations);
}

#[test]
fn resistances_sum_to_the_number_of_points_less_one() {
    let (roll, good, bad) = roll();
    let found = fit(Config { max_iter: 5, ..paper() }, &roll.points, &all(&good, &bad));
    let scores = edge_scores(&found).unwrap();
    assert_eq!(scores.len(), good.len() + bad.len());
    let sum: f64 = scores.iter().map(|score| score.resistance).sum();
    assert!((sum - 219.0).abs() < 1e-6, "{sum}");
    assert!(scores.windows(2).all(|pair| pair[0].score >= pair[1].score));
    // one of them by hand
    let score = scores[7];
    let (i, j) = (score.edge.0 as usize, score.edge.1 as usize);
    let y = found.scaled_observations();
    let (mut length, mut residual) = (0.0f64, 0.0f64);
    for f in 0..3 {
        let step: f64 = (0..2)
            .map(|a| {
                0.5 * (found.maps[(f, 2 * i + a)] + found.maps[(f, 2 * j + a)])
                    * (found.coordinates[(j, a)] - found.coordinates[(i, a)])
            })
            .sum();
        length += (y[(f, j)] - y[(f, i)]).powi(2);
        residual += (y[(f, j)] - y[(f, i)] - step).powi(2);
    }
    assert!((score.length - length.sqrt()).abs() < 1e-12);
    assert!((score.residual - residual.sqrt()).abs() < 1e-12);
    assert!((score.score - score.residual * score.resistance).abs() < 1e-12);
}

#[test]
fn a_test_tells_a_short_circuit_from_a_good_edge_and_its_parts_add_up() {
    let (_, good, bad) = roll();
    let mut go_on = |_, _| ControlFlow::Continue(());
    // a right layout: the false edge is added
    let tests = test_edges(&CLEAN, &[bad[0], good[5]], 2, &mut go_on).unwrap();
    assert_eq!(tests.len(), 3, "jointly, then one by one");
    assert!(tests[0].added == [bad[0]] && tests[0].removed == [good[5]]);
    let of = |edge| tests[1..].iter().find(|test| test.added == [edge] || test.removed == [edge]).unwrap();
    assert!(of(bad[0]).change < -20.0, "{}", of(bad[0]).change);
    assert!(of(good[5]).change.abs() < 5.0, "{}", of(good[5]).change);
    for test in &tests {
        assert!((test.parts.total() - test.change).abs() < 1e-9 && test.spread >= 0.0);
    }
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let curve = generate(Shape::SCurve, 60, 0.0, 1);
    let chain: Vec<(u32, u32)> = (0..59).map(|i| (i, i + 1)).collect();
    let found = fit(Config { max_iter: 3, ..paper() }, &curve.points, &chain);
    let mut go_on = |_, _| ControlFlow::Continue(());
    let message =
        |edges: &[(u32, u32)], seeds| match test_edges(&found, edges, seeds, &mut |_, _| ControlFlow::Continue(())) {
            Err(error) => error.to_string(),
            Ok(_) => String::new(),
        };
    assert!(message(&[(3, 4)], 1).contains("falls apart"), "{}", message(&[(3, 4)], 1));
    assert!(message(&[(3, 3)], 1).contains("two different points"));
    assert!(message(&[(3, 60)], 1).contains("from 0 to 59"));
    assert!(message(&[(3, 5)], 0).contains("at least 1"));
    assert!(test_edges(&found, &[(3, 5)], 1, &mut go_on).is_ok());
    assert!(matches!(
        test_edges(&found, &[(3, 5)], 1, &mut |_, _| ControlFlow::Break(())),
        Err(Error::Interrupted { .. })
    ));
}

#[test]
fn bridges_between_pieces_are_compared_by_the_bound() {
    // two halves of a sheet, cut across; the nearest pair is one way to join them, the bound compares the others
    let curve = generate(Shape::SCurve, 160, 0.0, 3);
    let (good, _) = curve.neighbor_edges(7);
    let side = |i: u32| curve.truth[(i as usize, 0)] > 0.0;
    let cut: Vec<(u32, u32)> = good.into_iter().filter(|&(i, j)| side(i) == side(j)).collect();
    assert_eq!(pieces(&Graph::from_edges(160, cut.clone())).len(), 2);
    let found = fit(Config { connect: true, ..paper() }, &curve.points, &cut);
    assert_eq!(found.bridges.len(), 1);
    let after = pruned(&found, PruneOptions::default());
    assert!(!after.bridges.is_empty());
    for bridge in &after.bridges {
        assert!(side(bridge.edge.0) != side(bridge.edge.1) && bridge.change.is_finite());
        assert!(bridge.in_place_of.is_some() && (bridge.change > 2.0 || !bridge.taken));
    }
    assert!(after.fit.bound_scaled() >= found.bound_scaled());
    assert_eq!(pieces(&after.fit.graph).len(), 1);
    assert_eq!(after.fit.bridges.len(), 1);
}

#[test]
fn a_false_edge_stands_out_of_a_right_layout_and_none_of_a_clean_one() {
    let (roll, good, bad) = roll();
    let standing_out = |fit: &Fit| -> Vec<(u32, u32)> {
        let scores = edge_scores(fit).unwrap();
        let least = least_gain(PruneOptions::default().min_gain, scores.len());
        let gains = scores.iter().filter(|score| score.expected_gain.unwrap() > least);
        gains.map(|score| score.edge).collect()
    };
    assert_eq!(standing_out(&CLEAN), []);
    let fitter = Fitter::new(paper()).edges(all(&good, &bad[..1])).start(Start::Coordinates(CLEAN.coordinates.clone()));
    assert_eq!(standing_out(&fitter.fit(&roll.points).unwrap()), &bad[..1]);
}
