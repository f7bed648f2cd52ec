//! Requests on TFHE frames, with tfhe-rs.

use isopod_eval::bits::Session;
use isopod_tfhe::native::pack_result;
use isopod_wire::{TfheFrame, ValueType};

use crate::progress::{counter, Report, Stage};
use crate::request::job::Request;
use crate::server::accumulate::tfhe::{server_keys, TfheAccumulator, TfheOutput};
use crate::server::compute::packed_result::PackedResult;
use crate::{Frame, Result, Server};

impl PackedResult {
    /// Computes a job that depends on the order of frames.
    pub(crate) fn compute(
        request: &Request,
        server: &Server,
        (frames, threads): (Vec<Frame>, usize),
        report: &mut Report<'_>,
    ) -> Result<Self> {
        let job = request.bits_job()?;
        let frames: Vec<TfheFrame> = frames.into_iter().map(Frame::tfhe).collect::<Result<_>>()?;
        let types = frames.iter().flat_map(|frame| frame.header.schema.types());
        let types: Vec<ValueType> = types.collect();
        job.check(&types)?;
        // Frames that differ in it were refused.
        let columns = frames.first().map_or(1, |frame| frame.header.columns);
        let keys = server_keys(server, request)?;
        let mut progress = counter(report, Stage::Computing, types.len());
        let mut session = Session {
            keys: &keys,
            threads,
            progress: &mut progress,
        };
        let values = job.run(&mut session, &frames)?;
        Self::new(TfheOutput {
            keys: keys.into(),
            values,
            inputs: types.len(),
            frame_columns: columns,
        })
    }

    /// Ends a job that took the frames as they came.
    pub(crate) fn conclude(
        accumulator: &TfheAccumulator,
        server: &Server,
        threads: usize,
        report: &mut Report<'_>,
    ) -> Result<Self> {
        Self::new(accumulator.conclude(server, threads, report)?)
    }

    fn new(output: TfheOutput) -> Result<Self> {
        let (schema, bytes) = pack_result(&output.keys, output.values)?;
        Ok(Self {
            inputs: output.inputs,
            schema,
            frame_columns: output.frame_columns,
            bytes,
        })
    }
}
