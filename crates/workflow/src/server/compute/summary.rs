//! Size and error of results.

use isopod_wire::Schema;

/// Size and error of the results.
#[derive(Debug, Clone, PartialEq)]
pub enum Summary {
    /// Results of Microsoft SEAL.
    Seal {
        /// Number of results, one ciphertext each.
        results: usize,
        /// Values in all of them.
        values: usize,
        /// Primes of the largest.
        remaining_primes: usize,
        /// Distance that no value of the least precise result is off by; 0 for integers.
        error: f64,
        /// The share of it that is a worst case, and grows in step with the number of frames.
        in_step: f64,
    },
    /// The result of pads: integers, exact.
    Pads {
        /// Number of sums.
        values: usize,
        /// Runs of packets, two pads each.
        runs: usize,
    },
    /// The result of a bootstrapping by Lattigo.
    Lattigo {
        /// Readings of all frames, or rows of a model.
        readings: usize,
        /// Ciphertexts that the frames were merged into.
        ciphertexts: usize,
        /// Number of results, one ciphertext each.
        results: usize,
        /// Distance from a threshold within which a reading may be taken for one of the other side; 0 without thresholds.
        gap: f64,
        /// Distance that no result is off by, beside readings within the gap.
        error: f64,
        /// Whether each reading or row has a value of its own.
        each: bool,
        /// Security of the keys, as far as it is known.
        label: String,
    },
    /// The result of tfhe-rs.
    TfheRs {
        /// Number of input values.
        inputs: usize,
        /// Contents of the one result.
        schema: Schema,
    },
}
