//! Results of TFHE jobs, packed under the owner's key of results.

use isopod_wire::Schema;

use crate::server::accumulate::accumulator::Accumulated;
use crate::server::compute::task::Task;
use crate::Result;

/// Results of a job.
pub(crate) struct PackedResult {
    /// Number of input values.
    pub inputs: usize,
    /// Contents of the blocks.
    pub schema: Schema,
    /// Values of a row of the frames.
    pub frame_columns: u32,
    /// The blocks.
    pub bytes: Vec<u8>,
}

impl PackedResult {
    /// Ends the job if it took the frames as they came, otherwise computes on all of them.
    pub(crate) fn of(task: Task<'_, '_>, accumulated: Accumulated) -> Result<Self> {
        let threads = accumulated.threads.get();
        match accumulated.tfhe {
            Some(accumulator) => Self::conclude(task, &accumulator, threads),
            None => {
                let packets = accumulated.packets.as_deref();
                Self::compute(task, accumulated.frames, packets, threads)
            }
        }
    }
}
