//! Factors that are known before: scalars and plaintext polynomials, with the quotients that reduce a product `[SHOUP01]`.

use crate::arch;
use crate::loops::pointwise::{is_narrow, Narrow, Pointwise, Wide, Word};
use crate::machine::Machine;
use crate::modulus::check;
use crate::{Error, Modulus, Result};

/// Residues that others are multiplied by: one for all, or one for each.
#[derive(Debug, Clone)]
pub struct Factors {
    modulus: Modulus,
    machine: Machine,
    values: Vec<u64>,
    quotients: Vec<u64>,
}

impl Factors {
    /// One factor for each residue, such as a plaintext polynomial in NTT order.
    ///
    /// # Errors
    /// [`Error::Residue`].
    pub fn new(modulus: Modulus, values: Vec<u64>, machine: Machine) -> Result<Self> {
        check(modulus, values.len(), &values)?;
        let prime = modulus.prime();
        let quotient = match is_narrow(modulus) {
            true => Narrow::quotient,
            false => Wide::quotient,
        };
        let quotients = values.iter().map(|&value| quotient(value, prime));
        Ok(Self {
            modulus,
            machine,
            quotients: quotients.collect(),
            values,
        })
    }

    /// One factor for all residues: an integer of either sign.
    pub fn scalar(modulus: Modulus, value: i64, machine: Machine) -> Self {
        let value = modulus.reduce(value);
        let prime = modulus.prime();
        let quotient = match is_narrow(modulus) {
            true => Narrow::quotient(value, prime),
            false => Wide::quotient(value, prime),
        };
        Self {
            modulus,
            machine,
            values: vec![value],
            quotients: vec![quotient],
        }
    }

    /// Multiplies residues.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of residues than of factors, unless there is one factor.
    pub fn multiply(&self, residues: &mut [u64]) -> Result<()> {
        if self.values.len() != 1 && self.values.len() != residues.len() {
            return Err(Error::length("residues", residues.len(), self.values.len()));
        }
        let by = Pointwise {
            prime: self.modulus.prime(),
            values: &self.values,
            quotients: &self.quotients,
        };
        match is_narrow(self.modulus) {
            true => arch::multiply_narrow(self.machine, residues, by),
            false => arch::multiply_wide(self.machine, residues, by),
        }
        Ok(())
    }
}
