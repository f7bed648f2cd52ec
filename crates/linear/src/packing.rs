//! Packed residues of one prime: unpacked, checked and multiplied into words in one pass.

use crate::arch;
use crate::loops::pairs::{Pairs, GROUP};
use crate::machine::Machine;
use crate::{Error, Modulus, Result};
use isopod_wire::unpack;

/// Bytes of the last groups, whose loads would reach beyond the end, and zeros behind them.
const TAIL: usize = 256;

/// The form in which residues of one prime travel: `spec/wire.md`, section 1.
#[derive(Debug, Clone, Copy)]
pub struct Packing {
    modulus: Modulus,
    /// None where a value and the bits before it do not fit eight bytes: widths of 59 and 61 bits.
    pairs: Option<Pairs>,
    machine: Machine,
}

impl Packing {
    /// The packing of residues below a prime.
    pub fn new(modulus: Modulus, machine: Machine) -> Self {
        Self {
            modulus,
            pairs: Pairs::new(modulus),
            machine,
        }
    }

    /// The prime.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }

    /// Bytes of as many residues, a multiple of eight.
    pub fn bytes(&self, residues: usize) -> usize {
        residues / GROUP * self.modulus.bits() as usize
    }

    /// Unpacks into words.
    ///
    /// # Errors
    /// [`Error::Residue`], and then some words are replaced; [`Error::Length`].
    pub fn unpack(&self, bytes: &[u8], words: &mut [u64]) -> Result<()> {
        words.fill(0);
        self.add_times(bytes, 1, words)
    }

    /// Adds weight times residue to words of two's complement, modulo 2^64.
    ///
    /// # Errors
    /// [`Error::Residue`], and then the words have changed: adding the same bytes with the opposite weight restores them;
    /// [`Error::Length`] for a number of words that is not that of the bytes or no multiple of eight.
    pub fn add_times(&self, bytes: &[u8], weight: i64, words: &mut [u64]) -> Result<()> {
        if !words.len().is_multiple_of(GROUP) {
            let allowed = format!("a multiple of {GROUP}");
            return Err(Error::length("words", words.len(), allowed));
        }
        let wanted = self.bytes(words.len());
        if bytes.len() != wanted {
            return Err(Error::length("residues", bytes.len(), wanted));
        }
        if self.add(bytes, weight, words) {
            return Ok(());
        }
        let prime = self.modulus.prime();
        let outside = unpack(self.modulus.bits(), bytes).position(|value| value >= prime);
        let position = outside.unwrap_or(0);
        Err(Error::Residue { prime, position })
    }

    /// Adds, and tells whether all residues are canonical.
    fn add(&self, bytes: &[u8], weight: i64, words: &mut [u64]) -> bool {
        let Some(pairs) = self.pairs.filter(|_| self.has_vectors(weight)) else {
            return portable(self.modulus, bytes, weight, words);
        };
        let (width, reach) = (pairs.width, pairs.reach());
        let groups = words.len() / GROUP;
        let whole = match (bytes.len() + width).checked_sub(reach) {
            Some(room) => (room / width).min(groups),
            None => 0,
        };
        let (words, last) = words.split_at_mut(whole * GROUP);
        let rest = &bytes[whole * width..];
        let mut tail = [0; TAIL];
        tail[..rest.len()].copy_from_slice(rest);
        let first = arch::add_packed(self.machine, &pairs, bytes, weight, words);
        first & arch::add_packed(self.machine, &pairs, &tail, weight, last)
    }

    /// Whether vectors multiply the residues: by one at any width, by others up to 31 bits.
    fn has_vectors(&self, weight: i64) -> bool {
        let narrow = self.modulus.bits() < 32 && i32::try_from(weight).is_ok();
        self.machine != Machine::PORTABLE && (weight == 1 || narrow)
    }
}

fn portable(modulus: Modulus, bytes: &[u8], weight: i64, words: &mut [u64]) -> bool {
    let mut canonical = true;
    for (word, value) in words.iter_mut().zip(unpack(modulus.bits(), bytes)) {
        canonical &= value < modulus.prime();
        *word = word.wrapping_add(value.wrapping_mul(weight as u64));
    }
    canonical
}
