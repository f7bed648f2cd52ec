//! Requests on TFHE frames, with tfhe-rs.

use isopod_eval::bits::{BitsInput, Session};
use isopod_tfhe::native::pack_result;
use isopod_wire::{TfheFrame, ValueType};

use crate::progress::{counter, Stage};
use crate::server::accumulate::pads::PadPackets;
use crate::server::accumulate::tfhe::{server_keys, TfheAccumulator, TfheOutput};
use crate::server::compute::packed_result::PackedResult;
use crate::server::compute::task::Task;
use crate::{Frame, Result};

impl PackedResult {
    /// Computes a job that depends on the order of frames.
    pub(crate) fn compute(
        task: Task<'_, '_>,
        frames: Vec<Frame>,
        packets: Option<&PadPackets>,
        threads: usize,
    ) -> Result<Self> {
        let job = task.request.bits_job()?;
        let frames: Vec<TfheFrame> = frames.into_iter().map(Frame::tfhe).collect::<Result<_>>()?;
        let types = frames.iter().flat_map(|frame| frame.header.schema.types());
        let types: Vec<ValueType> = types.collect();
        job.check(&types)?;
        // Frames that differ in it were refused.
        let columns = frames.first().map_or(1, |frame| frame.header.columns);
        let inputs = frames.into_iter().map(|frame| {
            let added = packets.map(|packets| packets.integers(&frame.header));
            let added = added.transpose()?.unwrap_or_default();
            Ok(BitsInput { frame, added })
        });
        let inputs: Vec<BitsInput> = inputs.collect::<Result<_>>()?;
        let keys = server_keys(task.server, task.request)?;
        let mut progress = counter(task.report, Stage::Computing, types.len());
        let mut session = Session {
            keys: &keys,
            threads,
            progress: &mut progress,
        };
        let values = job.run(&mut session, &inputs)?;
        Self::new(TfheOutput {
            keys: keys.into(),
            values,
            inputs: types.len(),
            frame_columns: columns,
        })
    }

    /// Ends a job that took the frames as they came.
    pub(crate) fn conclude(
        task: Task<'_, '_>,
        accumulator: &TfheAccumulator,
        threads: usize,
    ) -> Result<Self> {
        Self::new(accumulator.conclude(task.server, threads, task.report)?)
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
