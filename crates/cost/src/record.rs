//! Records of a run: what was measured, where, and what was left out.

use serde::{Deserialize, Serialize};

/// Version of the JSON form, `crates/cost/schema.json`.
pub const VERSION: u32 = 1;

/// Median and quartiles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The middle.
    pub median: f64,
    /// A quarter is below.
    pub lower: f64,
    /// A quarter is above.
    pub upper: f64,
}

impl Spread {
    /// The spread of samples, of which there is at least one.
    pub fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * (samples.len() - 1) as f64;
            let (below, above) = (
                samples[place.floor() as usize],
                samples[place.ceil() as usize],
            );
            below + (above - below) * place.fract()
        };
        Self {
            median: at(0.5),
            lower: at(0.25),
            upper: at(0.75),
        }
    }
}

/// One operation of one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Library: isopod, seal or tfhe-rs.
    pub side: String,
    /// Scheme: bfv, ckks, tfhe or air.
    pub scheme: String,
    /// Ring degree.
    pub degree: usize,
    /// Parameter set.
    pub set: String,
    /// Operation.
    pub operation: String,
    /// Milliseconds.
    pub ms: Spread,
    /// Samples.
    pub rounds: usize,
    /// Instructions in user space, where the machine counts them.
    pub instructions: Option<f64>,
    /// Bytes that the operation makes or moves.
    pub bytes: Option<u64>,
}

/// Peak memory of a process that sets one side up, encrypts and decrypts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Peak {
    /// Library.
    pub side: String,
    /// Scheme.
    pub scheme: String,
    /// Ring degree.
    pub degree: usize,
    /// Resident bytes at most.
    pub bytes: u64,
}

/// Something that was asked for and not measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Skipped {
    /// Name of the measurement.
    pub what: String,
    /// Reason.
    pub why: String,
}

/// The machine of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Processor.
    pub processor: String,
    /// Architecture and system.
    pub system: String,
    /// Threads of the processor.
    pub threads: usize,
    /// Source of instruction counts, or why there are none.
    pub instructions: String,
    /// Versions of the libraries.
    pub libraries: Vec<String>,
}

/// A run on one machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Version of this form.
    pub version: u32,
    /// The machine.
    pub machine: Machine,
    /// How it was measured.
    pub method: String,
    /// Measured operations.
    pub records: Vec<Record>,
    /// Measured peaks.
    pub peaks: Vec<Peak>,
    /// Measurements that were left out.
    pub skipped: Vec<Skipped>,
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn quartiles_interpolate() {
        let spread = Spread::of(vec![4.0, 1.0, 2.0, 3.0]);
        assert_eq!(
            (spread.median, spread.lower, spread.upper),
            (2.5, 1.75, 3.25)
        );
        assert_eq!(Spread::of(vec![7.0]).median, 7.0);
    }
}
