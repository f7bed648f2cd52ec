//! Jobs whose results several owners open: sums of frames, place by place, whose noise the invitation bounds
//! (`spec/owners.md`, section 4).

use isopod_wire::{Invitation, Scheme};

use crate::request::descriptor::JobName;
use crate::request::job::Job;
use crate::{Error, Result};

/// Refuses a job by its name, and says which one needs no evaluation keys.
///
/// # Errors
/// [`Error::Parameter`].
pub fn check_name(job: JobName) -> Result<()> {
    let instead = match job {
        _ if job.opens_for_several() => return Ok(()),
        JobName::ColumnSum | JobName::ColumnMean | JobName::Histogram => {
            "sum, whose rows holders fold in the clear: isopod owner combine --fold"
        }
        JobName::Dot
        | JobName::Total
        | JobName::Inner
        | JobName::Linear
        | JobName::Logistic
        | JobName::Sigmoid
        | JobName::Network => "weighted, with one feature of all rows in each frame",
        _ => "sum, mean and weighted",
    };
    let problem = format!(
        "{} needs evaluation keys, which nobody could make; allowed for a key of several owners in slots: {instead}",
        job.name()
    );
    Err(Error::parameter("job", problem))
}

/// Refuses a job that the invitation does not allow: by its name, or by its weights.
///
/// # Errors
/// [`Error::Parameter`].
pub(crate) fn check_job(invitation: &Invitation, job: &Job) -> Result<()> {
    check_name(job.name())?;
    let weights = match job {
        Job::Weighted(weights) => weights,
        Job::Weighed(_) => {
            let problem = "come with the frames; allowed for a key of several owners are weights in the request";
            return Err(Error::parameter("weights", problem));
        }
        _ => return Ok(()),
    };
    if invitation.params.scheme() != Scheme::Bfv {
        let problem =
            "weighted with real numbers; allowed for a key of several owners are sum and mean";
        return Err(Error::parameter("job", problem));
    }
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let most = invitation.frames;
    if squares <= f64::from(most) {
        return Ok(());
    }
    let problem = format!("have squares of {squares} together; allowed are at most {most}, the frames of the invitation");
    Err(Error::parameter("weights", problem))
}
