//! Stands in for [`super::tfhe`] in a build that computes under CKKS and BFV only.

use crate::server::accumulate::pads::PadPackets;
use crate::server::accumulate::tfhe::TfheAccumulator;
use crate::server::compute::packed_result::PackedResult;
use crate::server::compute::task::Task;
use crate::{Error, Frame, Result};

impl PackedResult {
    pub(crate) fn compute(
        task: Task<'_, '_>,
        _: Vec<Frame>,
        _: Option<&PadPackets>,
        _: usize,
    ) -> Result<Self> {
        let job = task.request.job.name().name();
        Err(Error::WithoutTfhe { job })
    }

    pub(crate) fn conclude(
        _: Task<'_, '_>,
        accumulator: &TfheAccumulator,
        _: usize,
    ) -> Result<Self> {
        match *accumulator {}
    }
}
