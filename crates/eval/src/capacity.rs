//! Capacity of a set: precision of a value, and the largest sum.

use crate::advice::default_scale;
use crate::claims::{Claims, Key};
use crate::noise::exact::Exact;
use crate::noise::real::Real;
use crate::plan::Shape;
use isopod_seal::Parameters;
use isopod_wire::{ParameterSet, Scheme};

const JOB: &str = "sum";

/// Precision and largest sum of a set, for full frames by one kind of key at the default scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capacity {
    /// Distance that no value of a frame is off by; 0 for integers.
    pub error: f64,
    /// Largest number of frames in a sum.
    pub frames: u64,
}

impl Capacity {
    /// Larger sums are not looked for.
    pub const MOST_FRAMES: u64 = 1 << 32;

    /// Capacity of a set by a kind of key for values up to `bound`; None if one frame of them does not fit already.
    pub fn of(set: &ParameterSet, key: Key, bound: f64) -> Option<Self> {
        let parameters = Parameters::from(set);
        let claims = Claims {
            bound,
            scale: default_scale(set),
            primes: set.data_primes.len(),
            key,
            dithered: set.scheme() == Scheme::Ckks,
            rows: 1,
            columns: set.slots(),
            stride: set.slots(),
            buckets: 1,
            frames: 1,
        };
        let shape = Shape::longest(&[claims]);
        let plan = |frames: u64| {
            let claims = Claims { frames, ..claims };
            match set.scheme() {
                Scheme::Ckks => Real::fresh(&parameters, &claims).plan(JOB, shape, 1.0),
                Scheme::Bfv => Exact::fresh(&parameters, &claims).plan(JOB, shape),
            }
        };
        let error = plan(1).ok()?.error;
        let (mut good, mut bad) = (1, Self::MOST_FRAMES + 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if plan(middle).is_ok() {
                good = middle;
            } else {
                bad = middle;
            }
        }
        let frames = good;
        Some(Self { error, frames })
    }
}
