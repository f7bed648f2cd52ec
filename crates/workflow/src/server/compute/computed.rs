//! The computation of a request by the evaluator of its set.

use isopod_wire::AnySet;

use crate::progress::Report;
use crate::request::job::Request;
use crate::server::accumulate::accumulator::Accumulated;
use crate::server::compute::coefficients::{check_layouts, CoefficientResults};
use crate::server::compute::packed_result::PackedResult;
use crate::server::compute::slots::SlotResults;
use crate::server::compute::summary::Summary;
use crate::server::compute::task::Task;
use crate::{Frame, Result, Server};

/// Results of a job, not sealed yet.
pub(crate) enum Computed {
    Slots(SlotResults),
    Coefficients(CoefficientResults),
    Packed(PackedResult),
}

impl Computed {
    pub(crate) fn summary(&self) -> Summary {
        match self {
            Self::Slots(results) => results.summary(),
            Self::Coefficients(results) => results.summary(),
            Self::Packed(results) => Summary::TfheRs {
                inputs: results.inputs,
                schema: results.schema.clone(),
            },
        }
    }
}

impl Request {
    /// Checks all that needs no frames: whether this build computes the job under the set, with these parameters.
    ///
    /// # Errors
    /// The errors of [`JobName::check`](crate::JobName::check); [`Error::Parameter`].
    pub fn check(&self, set: AnySet) -> Result<()> {
        self.job.name().check(set)?;
        match set {
            AnySet::Rns(_) if self.job.name().takes_coefficients_alone() => {
                CoefficientResults::check(self)
            }
            AnySet::Rns(set) => SlotResults::check(self, set),
            AnySet::Tfhe(_) => self.check_tfhe(),
        }
    }

    /// Computes on everything that was accumulated.
    pub(crate) fn compute(
        &self,
        server: &Server,
        accumulated: Accumulated,
        report: &mut Report<'_>,
    ) -> Result<Computed> {
        self.check_frames(&accumulated.frames)?;
        check_layouts(self, &accumulated.frames)?;
        let rounded = match &accumulated.sum {
            Some(sum) => sum.header.rounding.is_some(),
            None => matches!(accumulated.frames.first(), Some(Frame::Rounded(_))),
        };
        let task = Task {
            request: self,
            server,
            report,
        };
        match server.set() {
            AnySet::Rns(set) if rounded => {
                CoefficientResults::of(task, set, accumulated).map(Computed::Coefficients)
            }
            AnySet::Rns(set) => SlotResults::of(task, set, accumulated).map(Computed::Slots),
            AnySet::Tfhe(_) => PackedResult::of(task, accumulated).map(Computed::Packed),
        }
    }
}
