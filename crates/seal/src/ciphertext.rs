//! SEAL's ciphertexts, and their conversion to residues.

use crate::border::ffi;
use crate::{residues, Error};
use cxx::UniquePtr;
use std::fmt;
use std::pin::Pin;

/// A ciphertext in SEAL. It belongs to the parameters under which it was made.
pub struct Ciphertext(pub(crate) UniquePtr<ffi::Ciphertext>);

/// A ciphertext of two polynomials as plain numbers, like a result on the wire.
#[derive(Debug, Clone, PartialEq)]
pub struct Residues {
    /// n canonical residues in NTT order for each remaining data prime.
    pub c0: Vec<Vec<u64>>,
    /// Residues of c1 likewise.
    pub c1: Vec<Vec<u64>>,
    /// Factor by which the encoded values are multiplied; 1 in BFV.
    pub scale: f64,
}

impl Ciphertext {
    /// Number of remaining data primes.
    pub fn primes(&self) -> usize {
        ffi::primes(&self.0)
    }

    /// Factor by which the encoded values are multiplied.
    pub fn scale(&self) -> f64 {
        ffi::scale(&self.0)
    }

    /// Number of polynomials: two, or three after a multiplication before relinearization.
    pub fn polynomials(&self) -> usize {
        ffi::polynomials(&self.0)
    }

    /// SEAL's words, unconverted, of a ciphertext of two polynomials.
    pub(crate) fn residues(&self) -> Result<Residues, Error> {
        if self.polynomials() != 2 {
            return Err(Error::NotRelinearized {
                polynomials: self.polynomials(),
            });
        }
        let words = ffi::words(&self.0);
        let (c0, c1) = words.split_at(words.len() / 2);
        let ring_degree = c0.len() / self.primes();
        Ok(Residues {
            c0: residues::split(c0, ring_degree),
            c1: residues::split(c1, ring_degree),
            scale: self.scale(),
        })
    }

    pub(crate) fn pin(&mut self) -> Pin<&mut ffi::Ciphertext> {
        self.0.pin_mut()
    }
}

impl Clone for Ciphertext {
    fn clone(&self) -> Self {
        Ciphertext(ffi::copy(&self.0))
    }
}

impl fmt::Debug for Ciphertext {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Ciphertext")
            .field("primes", &self.primes())
            .field("polynomials", &self.polynomials())
            .field("log2_scale", &self.scale().log2())
            .finish()
    }
}
