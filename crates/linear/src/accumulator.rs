//! Sums in signed words of 64 bits, reduced only when another term might not fit: after 2^33 terms of 30-bit primes.

use crate::arch;
use crate::factors::Factors;
use crate::machine::Machine;
use crate::modulus::check;
use crate::{Error, Modulus, Packing, Result};

/// Packed residues and the position of the first of them in the polynomial.
#[derive(Debug, Clone, Copy)]
pub struct Slice<'a> {
    /// Position in the polynomial, a multiple of eight.
    pub at: usize,
    /// Packed residues, a multiple of eight.
    pub bytes: &'a [u8],
}

/// Sum of polynomials modulo one prime.
#[derive(Debug, Clone)]
pub struct Accumulator {
    packing: Packing,
    machine: Machine,
    words: Vec<u64>,
    /// Residues that a word may hold the sum of, of either sign.
    load: u64,
}

impl Accumulator {
    /// A sum of nothing, of polynomials of `length` residues.
    pub fn new(modulus: Modulus, length: usize, machine: Machine) -> Self {
        Self {
            packing: Packing::new(modulus, machine),
            machine,
            words: vec![0; length],
            load: 0,
        }
    }

    /// The prime.
    pub fn modulus(&self) -> Modulus {
        self.packing.modulus()
    }

    /// Bytes of the words in memory.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }

    /// Adds weight times a polynomial that arrives in slices, each position in one of them.
    ///
    /// # Errors
    /// [`Error::Residue`], [`Error::Length`]; the sum is as before.
    pub fn add(&mut self, slices: &[Slice<'_>], weight: i64) -> Result<()> {
        if !self.make_room(weight) {
            let mut words = vec![0; self.words.len()];
            for slice in slices {
                let words = range(&mut words, &self.packing, slice)?;
                self.packing.add_times(slice.bytes, 1, words)?;
            }
            return self.add_words(words, weight);
        }
        for (done, slice) in slices.iter().enumerate() {
            let added = range(&mut self.words, &self.packing, slice)
                .and_then(|words| self.packing.add_times(slice.bytes, weight, words));
            if let Err(refusal) = added {
                let changed = match refusal {
                    Error::Residue { .. } => &slices[..=done],
                    _ => &slices[..done],
                };
                self.take_back(changed, weight);
                return Err(at(refusal, slice.at));
            }
        }
        Ok(())
    }

    /// Adds weight times a polynomial of canonical residues.
    ///
    /// # Errors
    /// [`Error::Residue`], [`Error::Length`]; the sum is as before.
    pub fn add_residues(&mut self, residues: &[u64], weight: i64) -> Result<()> {
        check(self.modulus(), self.words.len(), residues)?;
        self.add_words(residues.to_vec(), weight)
    }

    fn add_words(&mut self, mut residues: Vec<u64>, weight: i64) -> Result<()> {
        let mut weight = weight;
        if !self.make_room(weight) {
            Factors::scalar(self.modulus(), weight, self.machine).multiply(&mut residues)?;
            weight = 1;
            self.make_room(weight);
        }
        for (word, residue) in self.words.iter_mut().zip(residues) {
            *word = word.wrapping_add(residue.wrapping_mul(weight as u64));
        }
        Ok(())
    }

    /// Subtracts what was added, the residues beyond the prime among it: words are exact modulo 2^64.
    fn take_back(&mut self, slices: &[Slice<'_>], weight: i64) {
        for slice in slices {
            if let Ok(words) = range(&mut self.words, &self.packing, slice) {
                // A residue beyond the prime is why it is taken back.
                let _ = self.packing.add_times(slice.bytes, -weight, words);
            }
        }
    }

    /// Reduces if a term of this weight might not fit; false if it never does.
    fn make_room(&mut self, weight: i64) -> bool {
        let (room, weight) = (self.modulus().room(), weight.unsigned_abs());
        if self.load.saturating_add(weight) > room {
            self.reduce();
        }
        let fits = self.load.saturating_add(weight) <= room;
        if fits {
            self.load += weight;
        }
        fits
    }

    fn reduce(&mut self) {
        arch::reduce(self.machine, self.modulus(), &mut self.words);
        self.load = 1;
    }

    /// The canonical residues of the sum.
    pub fn residues(&mut self) -> &[u64] {
        self.reduce();
        &self.words
    }
}

/// The words of a slice.
fn range<'a>(words: &'a mut [u64], packing: &Packing, slice: &Slice<'_>) -> Result<&'a mut [u64]> {
    let residues = slice.bytes.len() * 8 / packing.modulus().bits() as usize;
    let length = words.len();
    let place = words.get_mut(slice.at..slice.at.saturating_add(residues));
    place.ok_or_else(|| Error::length("slice", slice.at.saturating_add(residues), length))
}

/// A refusal whose position counts from the begin of the polynomial.
fn at(refusal: Error, first: usize) -> Error {
    match refusal {
        Error::Residue { prime, position } => Error::Residue {
            prime,
            position: position + first,
        },
        other => other,
    }
}
