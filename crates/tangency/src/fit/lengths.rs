//! The last step of a fit: the map stretched until edges have the lengths that they have in the table, where it can be
//! (docs/decisions/0020-maps-keep-the-lengths-of-the-table.md).

use super::dimension::used_axes;
use super::path::{Candidate, EQUAL, FeatureChoice, Walk};
use crate::config::{FeatureWeight, KeepLengths};
use crate::error::Result;
use crate::inference::{Engine, Layout, StartObserver, Stop, layout_of, stretched, unit_and_misfit};
use serde::{Deserialize, Serialize};

/// Whether a map was stretched until edges had the lengths that they have in the table, and what that changed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthsChoice {
    /// Whether that map was taken.
    pub taken: bool,
    /// Σ(|Δx| − ℓ)² / Σℓ² over the edges, at the best scale, without it.
    pub misfit_before: f64,
    /// The same with it.
    pub misfit: f64,
    /// Trustworthiness towards the table without it.
    pub trustworthiness_before: f64,
    /// The same with it.
    pub trustworthiness: f64,
    /// The bound in scaled units without it: it is a bound of the same evidence, and the higher one.
    pub bound_before: f64,
    /// How long in the table a step of 1 on the map is that was taken: in scaled units.
    pub unit: f64,
}

/// Where that ended, if it was taken; and how it went, if it was looked at.
type Kept<B> = (Option<Candidate<B>>, Option<LengthsChoice>);

impl<E: Engine> Walk<'_, E> {
    /// From where a fit ended to the map with the lengths of the table, where neighbourhoods stay as good there; with how it
    /// went. The maps C and all covariances are found again for it.
    pub fn keep_lengths(
        &mut self,
        from: &Candidate<E::Beliefs>,
        choice: &FeatureChoice,
        observer: &mut StartObserver,
    ) -> Result<Kept<E::Beliefs>> {
        let (rule, problem) = (self.config.keep_lengths, self.problem);
        let left_to_data = !matches!(self.config.feature_weight, FeatureWeight::Fixed(_));
        // of rows that lack entries the lengths are those of what was filled in
        let known = left_to_data && problem.missing_entries().is_empty();
        let asked = rule == KeepLengths::Always || rule == KeepLengths::Auto && known;
        let ended_well = !matches!(from.stop, Some(Stop::Collapsed | Stop::Interrupted));
        let found = self.engine.coordinates(problem, &from.posterior.state.beliefs);
        // an axis that is not used would be filled with noise
        if !asked || !ended_well || used_axes(problem, &found) < problem.n_components {
            return Ok((None, None));
        }
        let map = stretched(problem, self.engine, &found);
        let trust = self.compared.trustworthiness(&map.coordinates);
        let mut lengths = LengthsChoice {
            taken: false,
            misfit_before: map.misfit.0,
            misfit: map.misfit.1,
            trustworthiness_before: from.trust,
            trustworthiness: trust,
            bound_before: from.posterior.parts.total(),
            unit: unit_and_misfit(problem, &found).0,
        };
        if rule == KeepLengths::Auto && trust < choice.best().max(from.trust) - EQUAL {
            return Ok((None, Some(lengths)));
        }
        let layout = layout_of(problem, self.engine, &from.posterior.state, true);
        let layout = Layout { coordinates: map.coordinates, held: true, ..layout };
        let config = self.to_the_end(choice.weight());
        let (posterior, stop) = self.run(layout, &config, f64::NEG_INFINITY, observer)?;
        if stop == Some(Stop::Collapsed) {
            return Ok((None, Some(lengths)));
        }
        let coordinates = self.engine.coordinates(problem, &posterior.state.beliefs);
        (lengths.taken, lengths.unit) = (true, unit_and_misfit(problem, &coordinates).0);
        Ok((Some(Candidate { posterior, stop, trust }), Some(lengths)))
    }
}
