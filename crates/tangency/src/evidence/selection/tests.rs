//! Racing drops only what cannot win, decisions depend on cells alone, and the ranking counts what it should.
#![allow(clippy::unwrap_used)]

use super::racing::{Job, Turn, deviation, hopeless, mean};
use super::summary::{ranked, summarise};
use super::*;
use crate::generate::{Shape, generate};
use crate::graph::NeighborSearch;
use crate::model::Prepared;
use std::sync::atomic::{AtomicUsize, Ordering};

fn cell(candidate: usize, seed: u64, bound: f64, stop: CellStop) -> Cell {
    Cell { bound: Some(bound), n_iter: Some(9), ..Cell::none(candidate, Some(seed), stop) }
}

#[test]
fn means_and_deviations() {
    assert_eq!((mean(&[]), deviation(&[]), deviation(&[3.0])), (None, None, None));
    assert_eq!((mean(&[0.1; 7]), deviation(&[0.1; 7])), (Some(0.1), Some(0.0)));
    assert_eq!((mean(&[1.0, 3.0]), deviation(&[1.0, 3.0])), (Some(2.0), Some(2f64.sqrt())));
}

#[test]
fn a_first_round_is_judged_leniently() {
    // 100 points: 10 nats while nothing is known of seeds
    let known = [vec![Some(0.0)], vec![Some(-9.9)], vec![Some(-10.1)], vec![None]];
    assert_eq!(hopeless(&known, 100.0), [false, false, true, false]);
}

#[test]
fn later_rounds_are_judged_by_the_spread_of_seeds() {
    // 2 nats for 100 points as long as seeds agree
    let agree = [vec![Some(0.0); 2], vec![Some(-1.9); 2], vec![Some(-2.1); 2], vec![None; 2]];
    assert_eq!(hopeless(&agree, 100.0), [false, false, true, true]);
    // four deviations once they do not; the best seed of a candidate counts
    let spread = [vec![Some(1.0), Some(-1.0)], vec![Some(-5.6)], vec![Some(-5.7)], vec![Some(-90.0), Some(-88.0)]];
    let limit = 4.0 * 2f64.sqrt();
    assert!((5.6..5.7).contains(&limit));
    assert_eq!(hopeless(&spread, 100.0), [false, false, true, true]);
}

#[test]
fn nobody_is_hopeless_where_nobody_leads() {
    assert_eq!(hopeless(&[vec![], vec![]], 100.0), [false, false]);
    assert_eq!(hopeless(&[vec![None], vec![None]], 100.0), [false, false]);
}

#[test]
fn a_collapsed_fit_is_never_the_best() {
    let (high, low) = (cell(0, 0, 1e6, CellStop::Collapsed), cell(1, 0, -5.0, CellStop::Converged));
    let ranking = ranked(vec![summarise(0, &[&high]), summarise(1, &[&low])]);
    assert_eq!(ranking.best().unwrap().candidate, 1);
    assert_eq!((ranking.0[1].mean, ranking.0[1].collapsed, ranking.0[1].behind), (None, 1, None));
    assert_eq!(ranked(vec![summarise(0, &[&high])]).best(), None);
}

#[test]
fn distances_in_nats_and_in_spreads() {
    let fits = |candidate, bounds: &[f64]| {
        let cells: Vec<Cell> = bounds.iter().map(|&b| cell(candidate, 0, b, CellStop::Converged)).collect();
        summarise(candidate, &cells.iter().collect::<Vec<_>>())
    };
    // both have variance 2, so the difference of means has 2/2 + 2/2
    let ranking = ranked(vec![fits(0, &[0.0, 2.0]), fits(1, &[10.0, 12.0]), fits(2, &[9.0])]);
    let order: Vec<usize> = ranking.0.iter().map(|summary| summary.candidate).collect();
    assert_eq!(order, [1, 2, 0]);
    let behind: Vec<Distance> = ranking.0.iter().map(|summary| summary.behind.unwrap()).collect();
    assert_eq!((behind[0].nats, behind[0].spreads), (0.0, None));
    assert_eq!(behind[1].nats, 2.0);
    assert!((behind[1].spreads.unwrap() - 2.0 / 3f64.sqrt()).abs() < 1e-12);
    assert_eq!(behind[2].nats, 10.0);
    assert!((behind[2].spreads.unwrap() - 10.0 / 2f64.sqrt()).abs() < 1e-12);
    // seeds that agree have no spread to measure by
    let exact = ranked(vec![fits(0, &[1.0, 1.0]), fits(1, &[0.0, 0.0])]);
    assert_eq!(exact.0[1].behind, Some(Distance { nats: 1.0, spreads: None }));
}

/// Two graphs in two dimensions, three seeds, on few points.
fn small(values: &Matrix) -> Selection {
    let config = Config { max_iter: 25, ..Config::default() };
    let graphs = [5, 9].map(GraphChoice::neighbors).to_vec();
    Selection::new(values, config, graphs, vec![1, 2]).unwrap().by(Judge::Bound).unwrap().seeds(3).unwrap()
}

#[test]
fn rounds_are_found_again_from_any_part_of_their_cells() {
    let curve = generate(Shape::SCurve, 50, 0.02, 1);
    let selection = small(&curve.points);
    let jobs = |cells: &[Cell]| selection.open_jobs(&selection.by_job(cells));
    let job = |candidate, seed| Job { candidate, turn: Turn::Seed(seed) };
    // dimension 2 first
    assert_eq!(jobs(&[]), [job(1, 0), job(3, 0), job(0, 0), job(2, 0)]);
    let mut cells = vec![cell(1, 0, 0.0, CellStop::Converged), cell(0, 0, -90.0, CellStop::Converged)];
    assert_eq!(jobs(&cells), [job(3, 0), job(2, 0)]);
    // a later seed that is there already, as after a crash, decides nothing before its round
    cells.extend([cell(3, 0, -1.0, CellStop::Converged), cell(2, 0, -91.0, CellStop::Converged)]);
    cells.push(cell(3, 1, -1.0, CellStop::Converged));
    assert_eq!(jobs(&cells), [job(1, 1)]);
    // a leader that falls back brings those it left behind into play again
    cells.push(cell(1, 1, -170.0, CellStop::Converged));
    cells.push(cell(3, 2, -1.0, CellStop::Converged));
    cells.push(cell(1, 2, 0.0, CellStop::Converged));
    assert_eq!(jobs(&cells), [job(0, 1), job(2, 1)]);
    assert_eq!(selection.all_jobs_without_a_race(), 12);
}

impl Selection {
    fn all_jobs_without_a_race(&self) -> usize {
        let all = Selection {
            table: self.table.clone(),
            dropped: self.dropped.clone(),
            views: self.views.clone(),
            config: self.config.clone(),
            asked: self.asked.clone(),
            choices: self.choices.clone(),
            graphs: self.graphs.clone(),
            candidates: self.candidates.clone(),
            seeds: self.seeds,
            parts: self.parts,
            race: false,
            words: self.words,
        };
        all.open_jobs(&BTreeMap::new()).len()
    }
}

#[test]
fn a_selection_stopped_anywhere_ends_the_same() {
    let curve = generate(Shape::SCurve, 50, 0.02, 1);
    let selection = small(&curve.points);
    let whole = selection.run(&[], &|| false, |_| ControlFlow::Continue(())).unwrap();
    assert!(whole.complete && selection.is_complete(&whole.cells));
    for stop_after in [1, 4] {
        let mut kept = Vec::new();
        let first = selection.run(&[], &|| false, |cell| {
            kept.push(cell.clone());
            if kept.len() >= stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(!first.unwrap().complete);
        let mut repeated = 0;
        let rest = selection.run(&kept, &|| false, |cell| {
            repeated += usize::from(kept.contains(cell));
            ControlFlow::Continue(())
        });
        assert_eq!((rest.unwrap(), repeated), (whole.clone(), 0));
    }
    // asked to stop at the first iteration, no fit counts as finished
    let asked = AtomicUsize::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) > 3;
    let none = selection.run(&[], &stop, |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(none, Selected { cells: vec![], complete: false });
}

#[test]
fn little_memory_means_fewer_workers_and_the_same_cells() {
    let curve = generate(Shape::SCurve, 50, 0.02, 1);
    let selection = small(&curve.points);
    let jobs = selection.open_jobs(&BTreeMap::new());
    let fits = |available: u64| selection.fit_all(&jobs, available, &|| false, &mut |_| ControlFlow::Continue(()));
    let needed = match fits(0) {
        Err(Error::TooLarge { needed, .. }) => needed,
        _ => panic!("a fit without memory"),
    };
    let sorted = |cells: Result<Vec<Cell>>| selection.by_job(&cells.unwrap());
    assert_eq!(sorted(fits(needed)), sorted(fits(u64::MAX)));
}

#[test]
fn what_decides_a_result_is_in_the_fingerprint() {
    let (curve, other) = (generate(Shape::SCurve, 50, 0.02, 1), generate(Shape::SCurve, 50, 0.02, 2));
    let made = |values, config: Config, edges: Vec<(u32, u32)>, dimensions, seeds| {
        let graphs = vec![GraphChoice::neighbors(6), GraphChoice::Edges { name: "a".into(), edges }];
        Selection::new(values, config, graphs, dimensions).unwrap().seeds(seeds).unwrap().fingerprint()
    };
    let (config, edges) = (Config::default, || vec![(0, 1), (1, 2)]);
    let base = made(&curve.points, config(), edges(), vec![1, 2], 5);
    assert_eq!(base, made(&curve.points, config(), edges(), vec![1, 2], 5));
    for changed in [
        made(&other.points, config(), edges(), vec![1, 2], 5),
        made(&curve.points, Config { tol: 1e-5, ..config() }, edges(), vec![1, 2], 5),
        made(&curve.points, config(), vec![(0, 1), (1, 3)], vec![1, 2], 5),
        made(&curve.points, config(), edges(), vec![1, 3], 5),
        made(&curve.points, config(), edges(), vec![1, 2], 4),
    ] {
        assert_ne!(base, changed);
    }
}

#[test]
fn fits_made_elsewhere_are_the_same() {
    let curve = generate(Shape::SCurve, 50, 0.02, 1);
    let selection = small(&curve.points);
    let whole = selection.run(&[], &|| false, |_| ControlFlow::Continue(())).unwrap();
    let mut done = Vec::new();
    loop {
        let next = selection.next_fits(&done);
        if next.is_empty() {
            break;
        }
        // in another order than they are asked for
        done.extend(
            next.into_iter().rev().map(|fit| fit.run(curve.points.as_ref(), &|| false, &Fields).unwrap().unwrap()),
        );
    }
    assert_eq!(selection.cells(&done), whole.cells);
    let stopped = selection.next_fits(&[]).remove(0).run(curve.points.as_ref(), &|| true, &Fields).unwrap();
    assert_eq!(stopped, None);
    assert!(selection.most_at_once(2).unwrap() <= 2);
}

#[test]
fn neighbours_are_searched_as_the_settings_say() {
    // in many dimensions without structure an approximate search misses some neighbours
    let points = Matrix::from_fn(2000, 60, |i, f| (((i * 60 + f + 1) as f64 * 12.9898).sin() * 43_758.545_3).fract());
    let edges = |neighbor_search, random_state| {
        let config = Config { neighbor_search, random_state, connect: true, ..Config::default() };
        let grid = Selection::new(&points, config.clone(), vec![GraphChoice::neighbors(5)], vec![1]).unwrap();
        let found = Prepared::new(points.as_ref(), &Config { n_neighbors: 5, ..config }, None).unwrap();
        assert_eq!(grid.graphs[0].prepared.as_ref().unwrap().graph(), found.graph());
        grid.graphs[0].edges.clone()
    };
    let [exact, nearly] = [NeighborSearch::Exact, NeighborSearch::Approximate].map(|search| edges(search, 1));
    assert!(exact == edges(NeighborSearch::Exact, 2) && exact != nearly);
}

#[test]
fn a_fit_on_the_graph_that_is_ready_is_the_fit_of_its_edges() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { max_iter: 20, connect: true, ..Config::default() };
    let grid = Selection::new(&curve.points, config, vec![GraphChoice::neighbors(2)], vec![2]).unwrap();
    assert!(grid.candidates[0].pieces > 1);
    let job = Job { candidate: 0, turn: Turn::Seed(1) };
    let here = grid.run_job(job, &|| false).unwrap().unwrap();
    let there = grid.cell_fit(job).run(curve.points.as_ref(), &|| false, &Fields).unwrap().unwrap();
    assert_eq!(here, there);
    assert!(here.bound.is_some());
}

/// A cell of a part with these scores.
fn scored(candidate: usize, part: usize, scores: &[f64]) -> Cell {
    let log_density = Some(crate::density::mean(scores));
    let of = Cell::none(candidate, None, CellStop::Converged);
    Cell { part: Some(part), n_iter: Some(9), log_density, scores: scores.to_vec(), ..of }
}

#[test]
fn rows_held_out_rank_and_the_fewest_dimensions_win_a_tie() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { max_iter: 25, ..Config::default() };
    let graphs = [5, 9].map(GraphChoice::neighbors).to_vec();
    // candidates: (5, d 1), (5, d 2), (9, d 1), (9, d 2)
    let selection = Selection::new(&curve.points, config, graphs, vec![1, 2]).unwrap().seeds(1).unwrap();
    assert_eq!(selection.judge(), Judge::HeldOut, "the default where graphs are compared");
    let all = |values: [[f64; 2]; 4]| -> Vec<Cell> {
        let bounds = (0..4).map(|c| cell(c, 0, -(c as f64), CellStop::Converged));
        let parts = (0..4).flat_map(|c| (0..3).map(move |part| scored(c, part, &values[c])));
        bounds.chain(parts).collect()
    };
    let order = |cells: &[Cell]| -> Vec<usize> { selection.ranking(cells).0.iter().map(|row| row.candidate).collect() };
    // the bound prefers the first, the rows the last by far
    assert_eq!(order(&all([[0.0, 0.1], [0.5, 0.6], [0.2, 0.3], [1.0, 1.1]])), [3, 1, 2, 0]);
    // (9, d 1) is behind by less than a standard error, and simpler
    let level = all([[0.0, 0.1], [0.5, 0.6], [1.2, 0.8], [1.0, 1.1]]);
    assert_eq!(order(&level), [2, 3, 1, 0]);
    let best = selection.ranking(&level).best().unwrap().held_out.unwrap();
    assert!(best.level && best.behind > 0.0 && best.rows == 6, "{best:?}");
    // with the settings that were asked for, not those of the bounds
    let again = selection.best_fit(&level).unwrap();
    assert!(again.config.graph_likelihood && again.config.n_neighbors == 9 && again.config.n_components == 1);
    assert_eq!(selection.by(Judge::Bound).unwrap().ranking(&level).0[0].candidate, 0);
}

#[test]
fn parts_are_raced_by_the_rows_that_all_have_scored() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { max_iter: 25, ..Config::default() };
    let graphs = [5, 9].map(GraphChoice::neighbors).to_vec();
    let selection = Selection::new(&curve.points, config, graphs, vec![2]).unwrap().seeds(1).unwrap();
    let parts = |cells: &[Cell]| -> Vec<(usize, usize)> {
        let jobs = selection.open_jobs(&selection.by_job(cells));
        jobs.iter()
            .filter_map(|job| if let Turn::Part(part) = job.turn { Some((job.candidate, part)) } else { None })
            .collect()
    };
    assert_eq!(parts(&[]), [(0, 0), (1, 0)]);
    let mut cells: Vec<Cell> = (0..2).map(|c| cell(c, 0, 0.0, CellStop::Converged)).collect();
    cells.push(scored(0, 0, &[1.0, 2.0, 3.0]));
    assert_eq!(parts(&cells), [(1, 0)], "a round is waited for");
    cells.push(scored(1, 0, &[0.0, 1.01, 1.99]));
    assert_eq!(parts(&cells), [(0, 1)], "the other is clearly behind");
    cells[3] = scored(1, 0, &[0.0, 2.1, 2.9]);
    assert_eq!(parts(&cells), [(0, 1), (1, 1)]);
    // a fit that failed is not tried again
    cells[3] = Cell { part: Some(0), ..Cell::none(1, None, CellStop::Failed) };
    assert_eq!(parts(&cells), [(0, 1)]);
}

#[test]
fn rows_held_out_are_scored_the_same_when_stopped_anywhere() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { max_iter: 10, ..Config::default() };
    let edges = crate::graph::neighbor_graph(&curve.points.transpose().to_owned(), 8, crate::graph::Symmetry::Or);
    let given = GraphChoice::Edges { name: "mine".into(), edges: edges.edges().to_vec() };
    let graphs = vec![GraphChoice::neighbors(6), GraphChoice::Radius(1.0), given];
    let selection = Selection::new(&curve.points, config, graphs, vec![2]).unwrap().seeds(1).unwrap().all();
    let whole = selection.run(&[], &|| false, |_| ControlFlow::Continue(())).unwrap();
    assert!(whole.complete && whole.cells.len() == selection.n_fits());
    let mut rows = [0; 3];
    for cell in whole.cells.iter().filter(|cell| cell.part.is_some()) {
        assert!(cell.bound.is_none() && cell.scores.iter().all(|score| score.is_finite()), "{cell:?}");
        rows[cell.candidate] += cell.scores.len();
    }
    assert_eq!(rows, [60; 3], "each row is held out once");
    let mut kept = Vec::new();
    selection
        .run(&[], &|| false, |cell| {
            // as the journal keeps it
            kept.push(serde_json::from_str(&serde_json::to_string(cell).unwrap()).unwrap());
            if kept.len() >= 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!(selection.run(&kept, &|| false, |_| ControlFlow::Continue(())).unwrap(), whole);
}

#[test]
fn too_few_rows_are_not_held_out() {
    let curve = generate(Shape::SCurve, 24, 0.02, 1);
    let graphs = || [5, 9].map(GraphChoice::neighbors).to_vec();
    let selection = Selection::new(&curve.points, Config::default(), graphs(), vec![2]).unwrap();
    assert_eq!(selection.judge(), Judge::Bound);
    let refused = selection.by(Judge::HeldOut).err().unwrap().to_string();
    assert!(refused.contains("16 of the 24 rows"), "{refused}");
    let one = Selection::new(&curve.points, Config::default(), vec![GraphChoice::neighbors(5)], vec![1, 2]).unwrap();
    assert_eq!(one.judge(), Judge::Bound, "dimensions on one graph");
}

/// A curve with some entries missing.
fn with_gaps() -> Matrix {
    let curve = generate(Shape::SCurve, 90, 0.02, 1);
    let sum = |i: usize| curve.points[(i, 0)] + curve.points[(i, 1)];
    Matrix::from_fn(90, 5, |i, f| match (i % 9, f) {
        (4, 0) | (7, 2) => f64::NAN,
        (_, 3) => sum(i),
        (_, 4) => curve.points[(i, 1)] - curve.points[(i, 2)],
        _ => curve.points[(i, f)],
    })
}

#[test]
fn rows_with_gaps_are_scored_by_what_they_have() {
    let values = with_gaps();
    let select = |missing, judge| {
        let config = Config { max_iter: 15, missing, ..Config::default() };
        let graphs = [6, 9].map(GraphChoice::neighbors).to_vec();
        Selection::new(&values, config, graphs, vec![1, 2]).unwrap().by(judge).unwrap().seeds(1).unwrap().all()
    };
    let run = |selection: &Selection| selection.run(&[], &|| false, |_| ControlFlow::Continue(())).unwrap().cells;
    let held_out = select(MissingRule::Model, Judge::HeldOut);
    let cells = run(&held_out);
    let scored: usize = cells.iter().filter(|cell| cell.candidate == 1).map(|cell| cell.scores.len()).sum();
    assert_eq!(scored, 90, "{cells:?}");
    assert!(cells.iter().flat_map(|cell| &cell.scores).all(|score| score.is_finite()));
    let best = held_out.best_fit(&cells).unwrap();
    assert_eq!(best.clone().into_fitter().fit(&values).unwrap().imputed.unwrap().entries.len(), 20);
    // the bound of a cell is that of the same fit made elsewhere
    let by_bound = select(MissingRule::Model, Judge::Bound);
    let cells = run(&by_bound);
    for cell in &cells {
        let fit = by_bound.next_fits(&[]).into_iter().find(|fit| fit.candidate == cell.candidate);
        let again = fit.map(|fit| fit.run(values.as_ref(), &|| false, &Fields).unwrap().unwrap());
        assert!(again.is_none_or(|again| again.bound == cell.bound), "{cell:?}");
        assert!(cell.bound.is_some(), "{cell:?}");
    }
    let dropped = select(MissingRule::Drop, Judge::HeldOut);
    let cells = run(&dropped);
    assert_eq!((dropped.n(), cells.iter().filter(|cell| cell.bound.is_some()).count()), (70, 4), "{cells:?}");
    let scored: usize = cells.iter().filter(|cell| cell.candidate == 1).map(|cell| cell.scores.len()).sum();
    assert_eq!(scored, 70);
    let best = dropped.best_fit(&cells).unwrap();
    let bound = cells.iter().find(|cell| cell.candidate == best.candidate && cell.bound.is_some()).unwrap().bound;
    let again = best.run(values.as_ref(), &|| false, &Fields).unwrap().unwrap();
    assert!(again.bound.is_some() && bound.is_some());
    let refused = Config { missing: MissingRule::Error, ..Config::default() };
    assert!(Selection::new(&values, refused, vec![GraphChoice::neighbors(6)], vec![1]).is_err());
}

#[test]
fn views_have_a_noise_of_their_own_in_each_fit() {
    let curve = generate(Shape::SCurve, 60, 0.02, 1);
    let config = Config { max_iter: 10, ..Config::default() };
    let views = vec![TableView { name: "a".into(), features: vec![0, 2] }];
    let plain = Selection::new(&curve.points, config, vec![GraphChoice::neighbors(6)], vec![2]).unwrap();
    let fingerprint = plain.fingerprint();
    let selection = plain.views(views.clone()).unwrap();
    assert_ne!(selection.fingerprint(), fingerprint);
    let fits = selection.next_fits(&[]);
    assert!(fits.iter().all(|fit| fit.views == views));
    assert_eq!(fits[0].clone().into_fitter().fit(&curve.points).unwrap().views, views);
    let wrong = vec![TableView { name: "a".into(), features: vec![7] }];
    assert!(selection.views(wrong).is_err());
}
