//! The ring of a set: all primes of a level with their transforms, and the division by the last prime.

use crate::factors::Factors;
use crate::machine::Machine;
use crate::modulus::check;
use crate::{Error, Modulus, Ntt, Result};
use isopod_wire::ParameterSet;

/// Moduli and transforms of the primes of a level.
#[derive(Debug, Clone)]
pub struct Ring {
    degree: usize,
    moduli: Vec<Modulus>,
    transforms: Vec<Ntt>,
    machine: Machine,
}

impl Ring {
    /// The ring of the first `primes` data primes of a set.
    ///
    /// # Errors
    /// [`Error::Length`] for a level that the set does not have; those of [`Ntt::new`].
    pub fn new(set: &ParameterSet, primes: usize, machine: Machine) -> Result<Self> {
        let most = set.data_primes.len();
        if !(1..=most).contains(&primes) {
            return Err(Error::length("primes", primes, format!("1 to {most}")));
        }
        let moduli = set.data_primes[..primes].iter();
        let moduli: Vec<Modulus> = moduli
            .map(|&prime| Modulus::new(prime))
            .collect::<Result<_>>()?;
        let transforms = moduli
            .iter()
            .zip(set.roots)
            .map(|(&modulus, &root)| Ntt::new(modulus, set.ring_degree, root, machine));
        Ok(Self {
            degree: set.ring_degree,
            transforms: transforms.collect::<Result<_>>()?,
            moduli,
            machine,
        })
    }

    /// The ring degree.
    pub fn degree(&self) -> usize {
        self.degree
    }

    /// The instructions of its kernels.
    pub(crate) fn machine(&self) -> Machine {
        self.machine
    }

    /// The primes.
    pub fn moduli(&self) -> &[Modulus] {
        &self.moduli
    }

    /// The transform of each prime.
    pub fn transforms(&self) -> &[Ntt] {
        &self.transforms
    }

    /// Divides a polynomial in NTT order by its last prime, with rounding: the residues modulo the other primes. This is SEAL's
    /// rescale, and its switch of the modulus in BFV.
    ///
    /// # Errors
    /// [`Error::Length`] for other than this ring's primes and degree, or only one prime; [`Error::Residue`].
    pub fn divide_by_last(&self, polynomial: &[Vec<u64>]) -> Result<Vec<Vec<u64>>> {
        let primes = self.moduli.len();
        let (Some((last, others)), true) = (polynomial.split_last(), polynomial.len() == primes)
        else {
            return Err(Error::length("polynomial", polynomial.len(), primes));
        };
        if others.is_empty() {
            return Err(Error::length("polynomial", 1, "2 primes or more"));
        }
        let mut remainder = last.clone();
        self.transforms[primes - 1].inverse(&mut remainder)?;
        let divided = others.iter().enumerate();
        divided
            .map(|(prime, residues)| self.subtract_and_divide(prime, &remainder, residues))
            .collect()
    }

    /// (x - r) / q_last modulo another prime, for the remainder r modulo the last prime, as coefficients, centred.
    fn subtract_and_divide(&self, prime: usize, remainder: &[u64], x: &[u64]) -> Result<Vec<u64>> {
        let (modulus, divisor) = (self.moduli[prime], self.moduli[self.moduli.len() - 1]);
        check(modulus, self.degree, x)?;
        let other = modulus.prime();
        let half = divisor.prime() / 2;
        let centred = |&r: &u64| modulus.subtract(divisor.add(r, half) % other, half % other);
        let mut rest: Vec<u64> = remainder.iter().map(centred).collect();
        self.transforms[prime].forward(&mut rest)?;
        for (rest, &x) in rest.iter_mut().zip(x) {
            *rest = modulus.subtract(x, *rest);
        }
        let inverse = modulus.invert(divisor.prime() % other);
        // A residue of at most 61 bits is a signed word.
        Factors::scalar(modulus, inverse as i64, self.machine).multiply(&mut rest)?;
        Ok(rest)
    }
}
