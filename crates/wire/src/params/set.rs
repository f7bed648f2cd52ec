//! Parameter sets of CKKS and BFV (`spec/ckks.md` and `spec/bfv.md`, section 1).

use crate::{Layout, Result, WireError};

/// Security label of a set, computed from all key material published under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// At least 128 bits within the limits of `[GUIDELINES24]`.
    Bits128,
    /// Within `[HESTD18]` only, about 126 bits by today's estimates; opt-in.
    Compat2018,
    /// The limits of TFHEpp's own keys, about 127.8 bits by today's estimates; opt-in.
    CompatTfhepp,
    /// Less than that, for experiments; opt-in.
    Research,
}

impl Label {
    /// The label as `spec/params.toml` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits128 => "128",
            Self::Compat2018 => "compat-2018",
            Self::CompatTfhepp => "compat-tfhepp",
            Self::Research => "research",
        }
    }
}

/// The powers of two allowed as a scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScaleRange {
    /// Smallest log2 of the scale.
    pub min: u8,
    /// Default log2 of the scale.
    pub default: u8,
    /// Largest log2 of the scale.
    pub max: u8,
}

/// Schemes of a [`ParameterSet`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Real or complex numbers, approximate.
    Ckks,
    /// Integers modulo the plaintext modulus, exact.
    Bfv,
}

impl Scheme {
    /// The scheme's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ckks => "ckks",
            Self::Bfv => "bfv",
        }
    }
}

/// One parameter set.
#[derive(Debug, PartialEq, Eq)]
pub struct ParameterSet {
    /// `<scheme>-<ring degree>x<data primes>-<purpose>`.
    pub name: &'static str,
    /// Identity on the wire, a hash of the numbers.
    pub set_id: [u8; 8],
    /// n, a power of two from 1024 to 32768.
    pub ring_degree: usize,
    /// Data primes in wire order, each below 2^30, or below 2^60 in sets of 64-bit primes.
    pub data_primes: &'static [u64],
    /// Special prime, the last of SEAL's chain, if any.
    pub special_prime: Option<u64>,
    /// Whether the special prime is large enough to carry relinearization and rotations.
    pub key_switching: bool,
    /// Security label.
    pub label: Label,
    /// Allowed scales; 2^0 only in BFV.
    pub log2_scale: ScaleRange,
    /// t of BFV, a prime = 1 mod 2n; None in CKKS.
    pub plain_modulus: Option<u64>,
    /// psi_j, the smallest primitive 2n-th root of unity of each data prime.
    pub roots: &'static [u64],
    /// Purpose in one sentence.
    pub purpose: &'static str,
}

impl ParameterSet {
    /// The scheme: BFV if there is a plaintext modulus.
    pub fn scheme(&self) -> Scheme {
        self.plain_modulus.map_or(Scheme::Ckks, |_| Scheme::Bfv)
    }

    /// Number of slots: n/2 in CKKS, n in BFV.
    pub fn slots(&self) -> usize {
        match self.scheme() {
            Scheme::Ckks => self.ring_degree / 2,
            Scheme::Bfv => self.ring_degree,
        }
    }

    /// Largest number of values in a layout.
    pub fn places(&self, layout: Layout) -> usize {
        match layout {
            Layout::Coefficients | Layout::CoefficientsRounded => self.ring_degree,
            _ => self.slots(),
        }
    }

    /// Refuses a scale that the set does not have.
    pub(crate) fn check_scale(&self, log2_scale: u8) -> Result<()> {
        let scale = self.log2_scale;
        if (scale.min..=scale.max).contains(&log2_scale) {
            return Ok(());
        }
        let allowed = format!("{} to {} for {}", scale.min, scale.max, self.name);
        Err(WireError::out_of_range("log2_scale", log2_scale, allowed))
    }

    /// Refuses a layout that the scheme does not have, and a number of values that does not fit.
    pub(crate) fn check_values(&self, layout: Layout, count: u32) -> Result<()> {
        if layout.is_complex() && self.scheme() == Scheme::Bfv {
            let allowed = "0, 1, 4 or 5 for a set of BFV";
            return Err(WireError::out_of_range("layout", layout.number(), allowed));
        }
        let most = self.places(layout);
        if count == 0 || count as usize > most {
            let allowed = format!("1 to {most}");
            return Err(WireError::out_of_range("count", count, allowed));
        }
        if layout.is_repeated() && !count.is_power_of_two() {
            let allowed = "a power of two for repeated values";
            return Err(WireError::out_of_range("count", count, allowed));
        }
        Ok(())
    }

    /// Whether a data prime needs 64-bit words; all residues are then held in them.
    pub fn has_primes64(&self) -> bool {
        self.data_primes.iter().any(|&prime| prime >> 30 != 0)
    }

    /// Bytes of the words that hold residues in key blobs.
    pub fn word_bytes(&self) -> usize {
        if self.has_primes64() {
            8
        } else {
            4
        }
    }

    /// Bytes of one packed polynomial modulo `prime`.
    pub fn packed_bytes(&self, prime: u64) -> usize {
        self.ring_degree * prime_bits(prime) as usize / 8
    }

    /// The chain: the data primes, then the special prime if there is one.
    pub fn chain(&self) -> impl Iterator<Item = u64> + '_ {
        self.data_primes.iter().copied().chain(self.special_prime)
    }
}

/// Bit length of a prime: the width of its packed residues.
pub(crate) fn prime_bits(prime: u64) -> u32 {
    u64::BITS - prime.leading_zeros()
}
