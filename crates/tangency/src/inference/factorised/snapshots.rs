//! Beliefs kept for a step back: all of them, they are small.

use super::{Beliefs, Factorised};
use crate::error::Result;
use crate::inference::engine::Snapshots;
use crate::inference::state::State;
use crate::model::Problem;
use rayon::prelude::*;

impl Snapshots for Factorised {
    type Kept = Beliefs;

    fn keep(&self, beliefs: &Beliefs, _: bool) -> Beliefs {
        beliefs.clone()
    }

    fn extrapolate(&self, beliefs: &mut Beliefs, kept: &Beliefs, share: f64) {
        beliefs.c.par_iter_mut().zip(&kept.c).for_each(|(now, then)| *now += share * (*now - then));
    }

    fn restore(&mut self, beliefs: &mut Beliefs, kept: Beliefs, _: f64) {
        *beliefs = kept;
    }

    fn park(&self, _: &mut Beliefs) {}

    fn resume(&mut self, _: &Problem, _: bool, _: &mut State<Beliefs>) -> Result<bool> {
        Ok(false)
    }
}
