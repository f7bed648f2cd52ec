//! Packed residues of one prime: unpacked, checked and multiplied into words in one pass.

use crate::arch;
use crate::machine::Machine;
use crate::{Error, Modulus, Result};
use isopod_wire::unpack;

/// Values that fill whole bytes, whatever their width.
pub(crate) const GROUP: usize = 8;
/// Bytes that one vector load takes.
pub(crate) const LOAD: usize = 16;
/// Bytes of the last groups, whose loads would reach beyond the end, and zeros behind them.
const TAIL: usize = 256;

/// Places of the values of one width, for kernels that load 16 bytes for two values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs {
    /// Width of a value in bits, and of a group in bytes.
    pub width: usize,
    /// First byte of each pair in its group.
    pub offsets: [usize; GROUP / 2],
    /// The eight bytes that hold each value of a pair, counted from the first byte of the pair.
    pub shuffles: [[u8; LOAD]; GROUP / 2],
    /// First bit of each value in those bytes.
    pub shifts: [u64; GROUP],
    /// The prime.
    pub prime: u64,
}

/// The form in which residues of one prime travel: `spec/wire.md`, section 1.
#[derive(Debug, Clone, Copy)]
pub struct Packing {
    modulus: Modulus,
    /// None where a value and the bits before it do not fit eight bytes: widths of 59 and 61 bits.
    pairs: Option<Pairs>,
    machine: Machine,
}

impl Pairs {
    fn new(modulus: Modulus) -> Option<Self> {
        let width = modulus.bits() as usize;
        let mut pairs = Self {
            width,
            offsets: [0; GROUP / 2],
            shuffles: [[0; LOAD]; GROUP / 2],
            shifts: [0; GROUP],
            prime: modulus.prime(),
        };
        for value in 0..GROUP {
            let (byte, bit) = (value * width / 8, value * width % 8);
            if bit + width > 64 {
                return None;
            }
            let (pair, second) = (value / 2, value % 2);
            if second == 0 {
                pairs.offsets[pair] = byte;
            }
            // At most 8: a pair's second value begins at most 7 + 61 bits behind the first byte.
            let from = byte - pairs.offsets[pair];
            for at in 0..8 {
                pairs.shuffles[pair][8 * second + at] = (from + at) as u8;
            }
            pairs.shifts[value] = bit as u64;
        }
        Some(pairs)
    }

    /// Bytes from the begin of a group to the end of its last load.
    pub fn reach(&self) -> usize {
        self.offsets[GROUP / 2 - 1] + LOAD
    }
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
    /// [`Error::Residue`], with words of which some are replaced; [`Error::Length`].
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
