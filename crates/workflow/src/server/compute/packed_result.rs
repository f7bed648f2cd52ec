//! Results of TFHE jobs, packed under the owner's key of results.

use isopod_wire::Schema;

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
