//! Measured cases: parameter sets, and the work done with each.

use anyhow::{bail, Result};
use isopod_wire::{by_name, ParameterSet};

/// The work measured on values or on a ciphertext of them.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Work {
    EncryptSecret,
    EncryptPublic,
    /// Decryption at all primes of the set.
    Decrypt,
}

/// A set and the work done with it.
pub struct Case {
    pub name: String,
    pub set: &'static ParameterSet,
    pub work: Work,
    /// Pairs of runs whose medians are compared.
    pub rounds: usize,
    /// True if both sides also run under callgrind.
    pub is_counted: bool,
}

type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, Work)],
    usize,
    bool,
);

const ENCRYPTIONS: &[(&str, Work)] = &[("sym", Work::EncryptSecret), ("pk", Work::EncryptPublic)];
const EVERYTHING: &[(&str, Work)] = &[
    ("sym", Work::EncryptSecret),
    ("pk", Work::EncryptPublic),
    ("decrypt", Work::Decrypt),
];

const SETS: [Row; 7] = [
    ("ckks-4096x2", "ckks-4096x2-linear", ENCRYPTIONS, 201, true),
    (
        "ckks-4096x3",
        "ckks-4096x3-multiply",
        ENCRYPTIONS,
        201,
        true,
    ),
    (
        "ckks-8192x6",
        "ckks-8192x6-multiply",
        ENCRYPTIONS,
        51,
        false,
    ),
    (
        "ckks-16384x13",
        "ckks-16384x13-multiply",
        ENCRYPTIONS,
        21,
        false,
    ),
    ("ckks-8192x3w", "ckks-8192x3w-aloha", EVERYTHING, 51, true),
    (
        "bfv-8192",
        "bfv-8192x4w-seal-default",
        &[("pk", Work::EncryptPublic)],
        51,
        true,
    ),
    (
        "bfv-4096x3",
        "bfv-4096x3-sum",
        &[("decrypt", Work::Decrypt)],
        201,
        true,
    ),
];

/// Every measured case.
pub fn all() -> Vec<Case> {
    let of_set = |&(prefix, set, works, rounds, is_counted): &Row| {
        let set = by_name(set)?;
        Some(works.iter().map(move |&(kind, work)| Case {
            name: format!("{prefix}-{kind}"),
            set,
            work,
            rounds,
            is_counted,
        }))
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

    /// One value in [-1, 1] for each slot, repeatable.
    pub fn values(&self) -> Vec<f64> {
        let mut state = 12345u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(state as i32) / f64::from(1u32 << 31)
        };
        (0..self.set.slots()).map(|_| next()).collect()
    }

    /// One integer modulo t for each slot, repeatable, over the whole signed range.
    pub fn integers(&self, modulus: u64) -> Vec<i32> {
        let most = (modulus - 1) as f64 / 2.0;
        let integer = |value: f64| (value * most) as i32;
        self.values().into_iter().map(integer).collect()
    }
}
