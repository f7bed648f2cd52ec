//! Jobs whose results linear tags prove (`spec/verify.md`, section 5).

use isopod_linear::Proof;
use isopod_wire::AnySet;

use crate::request::job::{Job, Request};
use crate::{Error, Result};

impl Request {
    /// The tags of frames that, folded, prove the result under a set.
    pub(crate) fn proof(&self, set: AnySet) -> Proof {
        let takes_some_rows = self
            .job
            .rows()
            .is_some_and(|rows| rows.entries().contains(&false));
        match (&self.job, set) {
            (Job::Weighed(_), _) => Proof::Nothing,
            _ if takes_some_rows => Proof::Nothing,
            (job, AnySet::Rns(set)) if set.plain_modulus.is_some() => job.name().proof(),
            // Readings on a grid have a tag of places alone.
            (Job::Sum, AnySet::Rns(_)) => Proof::Places,
            _ => Proof::Nothing,
        }
    }

    /// Refuses a job whose result no linear tag proves, by its reason and what may be asked in its place.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check_verifiable(&self, set: AnySet) -> Result<()> {
        if self.proof(set) != Proof::Nothing {
            return Ok(());
        }
        let name = self.job.name().name();
        let problem = match (set, self.job.rows()) {
            (AnySet::Rns(set), Some(_)) if set.plain_modulus.is_some() => format!(
                "no linear tag proves the job {name} of some rows; allowed are all rows, or sum, whose rows the owner adds up"
            ),
            (AnySet::Rns(set), _) if set.plain_modulus.is_some() => format!(
                "no linear tag proves the job {name}; allowed are sum, weighted, column-sum and histogram, and from a verified \
                 sum the owner computes the rest"
            ),
            _ => format!(
                "no linear tag proves the job {name} under {}; allowed are sets of integers (bfv-...), and under sets of \
                 CKKS the sum of readings on a grid",
                set.name()
            ),
        };
        Err(Error::parameter("verifiable", problem))
    }

    /// The weights of a weighted sum of integers, in the order of device, epoch and sequence; None for other jobs and weights.
    pub(crate) fn integer_weights(&self) -> Option<Vec<i64>> {
        let Job::Weighted(weights) = &self.job else {
            return None;
        };
        let integer = |weight: &f64| {
            let is_exact = weight.fract() == 0.0 && weight.abs() <= 9_007_199_254_740_992.0;
            is_exact.then_some(*weight as i64)
        };
        weights.iter().map(integer).collect()
    }
}
