//! q(x*) and q(C*) of one new point, with everything else held at its posterior mean: steps until it rests.

use super::Placement;
use super::creep::Creep;
use super::frozen::Frozen;
use super::new_star::NewStar;
use super::on_graph::settle_on_graph;
use super::surroundings::Surroundings;
use crate::linalg::{Matrix, dot, small};

/// A placement is done when a step moves it by less than this many of its standard deviations,
const STILL: f64 = 1e-11;
/// or by less than this share of its distance from its neighbours, where digits end.
const ROUNDING: f64 = 1e-14;
/// Most steps.
const MOST_STEPS: usize = 1000;

/// Places an observation given in scaled units; `None` if it is so far away that numbers overflow.
pub(super) fn place(frozen: &Frozen, y: &[f64], around: &Surroundings) -> Option<Placement> {
    let star = NewStar::new(frozen, y, around)?;
    let d_x = frozen.d_x();
    let d_y = frozen.d_y() as f64;
    let mut x = star.update_coordinates(&star.first_maps())?;
    let mut maps = star.update_maps(&x)?;
    let mut creep = Creep::new(&x);
    let mut steps = 0;
    loop {
        let next = star.update_coordinates(&maps)?;
        steps += 1;
        let moved: Vec<f64> = next.mean.iter().zip(&x.mean).map(|(new, old)| new - old).collect();
        let distance = dot(&moved, &small::times(&next.precision, &moved));
        let whole = dot(&next.mean, &small::times(&next.precision, &next.mean));
        let still = STILL * STILL + ROUNDING * ROUNDING * whole;
        if distance <= still || distance.is_nan() || steps == MOST_STEPS {
            x = next;
            break;
        }
        // an end that is not possible is no end
        (x, maps) = match creep.end(&x, &next).and_then(|end| star.update_maps(&end).map(|maps| (end, maps))) {
            Some(end) => end,
            None => {
                let maps = star.update_maps(&next)?;
                (next, maps)
            }
        };
    }
    let bound_change = star.bound_change(&x, &maps, d_y) + star.normaliser(y, d_y);
    let mut settled = steps < MOST_STEPS;
    if let Some(graph) = &frozen.graph {
        (x, maps, settled) = settle_on_graph(graph, &star, frozen, y, around, x, maps)?;
    }
    bound_change.is_finite().then(|| Placement {
        point: None,
        neighbors: around.points.clone(),
        mean: x.mean.iter().zip(&star.center).map(|(x, center)| x + center).collect(),
        covariance: Matrix::from_fn(d_x, d_x, |a, b| x.covariance[a * d_x + b]),
        map: star.map(&maps),
        map_covariance: Matrix::from_fn(d_x, d_x, |a, b| maps.covariance[a * d_x + b]),
        bound_change,
        steps,
        settled,
    })
}
