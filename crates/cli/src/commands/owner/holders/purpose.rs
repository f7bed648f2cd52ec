//! The purpose of a key of several owners, and the parameter set that has room for it.

use anyhow::{bail, ensure, Result};
use clap::Args;
use isopod_wire::Invitation;
use isopod_workflow::{check_for_several, least_set, Circuit, JobName, Wishes};

use crate::input::jobs::job_name;

/// Answers that the key will open.
#[derive(Debug, Args)]
pub struct Purpose {
    /// Job of the answers: the noise analysis picks the set, or refuses the one of --set
    #[arg(long = "for", value_name = "JOB", value_parser = job_name(), requires = "value_bits")]
    job: Option<JobName>,
    /// log2 of the bound on readings
    #[arg(
        long,
        value_name = "BITS",
        allow_hyphen_values = true,
        requires = "job"
    )]
    value_bits: Option<i8>,
    /// Readings that add up in a value, one of each frame, instead of --frames
    #[arg(long, value_name = "NUMBER", conflicts_with = "frames", value_parser = clap::value_parser!(u32).range(1..))]
    readings: Option<u32>,
    /// Largest magnitude of the weights of weighted, which are integers: a frame counts as its square
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    weights_bound: Option<u32>,
    /// Error that hiding the shares may add to real numbers; without it, values are integers
    #[arg(long, value_name = "ERROR", requires = "job")]
    error: Option<f64>,
}

impl Purpose {
    /// Frames of the invitation: readings, each with the square of its weight.
    pub fn frames(&self, frames: u32) -> Result<u32> {
        let weight = self.weights_bound.unwrap_or(1);
        let frames = self.readings.unwrap_or(frames);
        let all = weight
            .checked_mul(weight)
            .and_then(|square| square.checked_mul(frames));
        let Some(all) = all else {
            bail!("--weights-bound: {weight} for {frames} frames; allowed are squares below 2^32 together");
        };
        Ok(all)
    }

    /// Sets the set of an invitation to one with room for the values, unless it was chosen and has room itself.
    pub fn choose(&self, invitation: &mut Invitation, is_chosen: bool) -> Result<()> {
        let (Some(job), Some(bits)) = (self.job, self.value_bits) else {
            return Ok(());
        };
        check_for_several(job)?;
        ensure!(
            job == JobName::Weighted || self.weights_bound.is_none(),
            "--weights-bound: {} has no weights; allowed for weighted",
            job.name()
        );
        ensure!(
            self.error.is_none() || job != JobName::Weighted,
            "--error: weighted is of integers; allowed are sum and mean of real numbers"
        );
        let weight = f64::from(self.weights_bound.unwrap_or(1));
        let most = f64::from(bits).exp2() * f64::from(invitation.frames) / weight;
        let wishes = Wishes {
            bound: most,
            error: self.error,
        };
        if is_chosen {
            return Ok(Circuit::new(invitation)?.check_bound(most)?);
        }
        invitation.params = least_set(invitation, &wishes)?;
        Ok(())
    }
}
