//! The negacyclic number-theoretic transform: natural order in, bit-reversed order out, as SEAL and the wire have it.

use crate::arch;
use crate::loops::butterflies::Tables;
use crate::loops::pointwise::{is_narrow, Narrow, Wide, Word};
use crate::machine::Machine;
use crate::modulus::check;
use crate::{Error, Modulus, Result};

/// Transform modulo one prime.
#[derive(Debug, Clone)]
pub struct Ntt {
    modulus: Modulus,
    tables: Tables,
    narrow: bool,
    machine: Machine,
}

impl Ntt {
    /// Tables of a ring degree n, a power of two, and a primitive root of unity of order 2n.
    ///
    /// # Errors
    /// [`Error::Length`] of a degree that is no power of two from 8; [`Error::Root`].
    pub fn new(modulus: Modulus, degree: usize, root: u64, machine: Machine) -> Result<Self> {
        if !degree.is_power_of_two() || degree < 8 {
            return Err(Error::length("degree", degree, "a power of two from 8"));
        }
        let prime = modulus.prime();
        if root >= prime || modulus.power(root, degree as u64) != prime - 1 {
            return Err(Error::Root {
                found: root,
                modulus: prime,
                order: 2 * degree,
            });
        }
        let narrow = is_narrow(modulus);
        let quotient = if narrow {
            Narrow::quotient
        } else {
            Wide::quotient
        };
        let with_quotient = |factor| (factor, quotient(factor, prime));
        let powers = |base: u64| {
            let mut table = vec![(0, 0); degree];
            let (mut power, bits) = (1, degree.ilog2());
            for exponent in 0..degree {
                table[exponent.reverse_bits() >> (usize::BITS - bits)] = with_quotient(power);
                power = modulus.multiply(power, base);
            }
            table
        };
        let tables = Tables {
            prime,
            forward: powers(root),
            inverse: powers(modulus.invert(root)),
            share: with_quotient(modulus.invert(degree as u64)),
        };
        Ok(Self {
            modulus,
            tables,
            narrow,
            machine,
        })
    }

    /// Transforms the coefficients of a polynomial.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Residue`].
    pub fn forward(&self, residues: &mut [u64]) -> Result<()> {
        check(self.modulus, self.tables.forward.len(), residues)?;
        match self.narrow {
            true => arch::forward_narrow(self.machine, residues, &self.tables),
            false => arch::forward_wide(self.machine, residues, &self.tables),
        }
        Ok(())
    }

    /// Transforms back to coefficients.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Residue`].
    pub fn inverse(&self, residues: &mut [u64]) -> Result<()> {
        check(self.modulus, self.tables.forward.len(), residues)?;
        match self.narrow {
            true => arch::inverse_narrow(self.machine, residues, &self.tables),
            false => arch::inverse_wide(self.machine, residues, &self.tables),
        }
        Ok(())
    }
}
