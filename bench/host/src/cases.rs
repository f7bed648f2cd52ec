//! What is measured.

use anyhow::{bail, Result};
use isopod_wire::{by_name, ParameterSet};

/// A set with one kind of key.
pub struct Case {
    pub name: String,
    pub set: &'static ParameterSet,
    pub is_secret: bool,
    /// Pairs of encryptions whose medians are compared.
    pub rounds: usize,
    /// Whether both sides are run under callgrind, too.
    pub is_counted: bool,
}

const SETS: [(&str, &str, usize, bool); 4] = [
    ("ckks-4096x2", "ckks-4096x2-linear", 201, true),
    ("ckks-4096x3", "ckks-4096x3-multiply", 201, true),
    ("ckks-8192x6", "ckks-8192x6-multiply", 51, false),
    ("ckks-16384x13", "ckks-16384x13-multiply", 21, false),
];

/// Every set with a secret and with a public key.
pub fn all() -> Vec<Case> {
    let of_set = |&(prefix, set, rounds, is_counted): &(&str, &str, usize, bool)| {
        let set = by_name(set)?;
        Some(
            [("sym", true), ("pk", false)].map(|(kind, is_secret)| Case {
                name: format!("{prefix}-{kind}"),
                set,
                is_secret,
                rounds,
                is_counted,
            }),
        )
    };
    SETS.iter().filter_map(of_set).flatten().collect()
}

impl Case {
    /// The case of this name.
    pub fn find(name: &str) -> Result<Self> {
        match all().into_iter().find(|case| case.name == name) {
            Some(case) => Ok(case),
            None => bail!("no case {name}; bench-host without arguments measures all"),
        }
    }

    /// The set's default scale.
    pub fn scale(&self) -> f64 {
        f64::from(self.set.log2_scale.default).exp2()
    }

    /// n/2 values in [-1, 1], the same in every run.
    pub fn values(&self) -> Vec<f64> {
        let mut state = 12345u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state as i32) / f64::from(1u32 << 31)
        };
        (0..self.set.ring_degree / 2).map(|_| next()).collect()
    }
}
