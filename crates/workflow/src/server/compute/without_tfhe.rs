//! Stands in for [`super::tfhe`] in a build that computes under CKKS and BFV only.

use crate::progress::Report;
use crate::request::job::Request;
use crate::server::accumulate::tfhe::TfheAccumulator;
use crate::server::compute::packed_result::PackedResult;
use crate::{Error, Frame, Result, Server};

impl PackedResult {
    pub(crate) fn compute(
        request: &Request,
        _: &Server,
        (_, _): (Vec<Frame>, usize),
        _: &mut Report<'_>,
    ) -> Result<Self> {
        let job = request.job.name().name();
        Err(Error::WithoutTfhe { job })
    }

    pub(crate) fn conclude(
        accumulator: &TfheAccumulator,
        _: &Server,
        _: usize,
        _: &mut Report<'_>,
    ) -> Result<Self> {
        match *accumulator {}
    }
}
