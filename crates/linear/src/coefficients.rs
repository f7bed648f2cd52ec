//! Coefficients modulo the product of the primes: to residues in NTT order and back, and products by public polynomials
//! (`spec/coefficients.md`).

use crate::factors::Factors;
use crate::modulus::check;
use crate::{Error, Modulus, Result, Ring};
use isopod_wire::{EncryptedResult, MaskOrder, RoundedFrame};

/// A public polynomial that ciphertexts are multiplied by, ready for every prime.
#[derive(Debug, Clone)]
pub struct Weights(Vec<Factors>);

impl Weights {
    /// Multiplies a polynomial in NTT order.
    ///
    /// # Errors
    /// [`Error::Length`] for other primes or another degree.
    pub fn multiply(&self, polynomial: &mut [Vec<u64>]) -> Result<()> {
        let Self(factors) = self;
        if polynomial.len() != factors.len() {
            return Err(Error::length("polynomial", polynomial.len(), factors.len()));
        }
        let mut pairs = factors.iter().zip(polynomial);
        pairs.try_for_each(|(factors, residues)| factors.multiply(residues))
    }
}

impl Ring {
    /// The product of the primes, modulo which coefficients are numbers.
    ///
    /// # Errors
    /// [`Error::Length`] for more than two primes; [`Error::Modulus`] for more than 61 bits.
    pub fn modulus(&self) -> Result<Modulus> {
        let primes: Vec<u64> = self
            .moduli()
            .iter()
            .map(|modulus| modulus.prime())
            .collect();
        match primes[..] {
            [prime] => Modulus::new(prime),
            [one, other] => Modulus::new(one.saturating_mul(other)),
            _ => Err(Error::length("primes", primes.len(), "1 or 2")),
        }
    }

    /// The residues in NTT order of a polynomial of coefficients below the product of the primes.
    ///
    /// # Errors
    /// The errors of [`Ring::modulus`]; [`Error::Length`], [`Error::Residue`].
    pub fn transform(&self, coefficients: &[u64]) -> Result<Vec<Vec<u64>>> {
        check(self.modulus()?, self.degree(), coefficients)?;
        let each = self.transforms().iter().zip(self.moduli());
        let transformed = each.map(|(transform, modulus)| {
            // Below 2^61: a signed word.
            let residues = coefficients.iter().map(|&x| modulus.reduce(x as i64));
            let mut residues: Vec<u64> = residues.collect();
            transform.forward(&mut residues)?;
            Ok(residues)
        });
        transformed.collect()
    }

    /// The coefficients of a polynomial in NTT order: for two primes x_0 + q_0 * ((x_1 - x_0) / q_0 modulo q_1).
    ///
    /// # Errors
    /// The errors of [`Ring::modulus`]; [`Error::Length`], [`Error::Residue`].
    pub fn coefficients(&self, mut polynomial: Vec<Vec<u64>>) -> Result<Vec<u64>> {
        self.modulus()?;
        let primes = self.moduli().len();
        if polynomial.len() != primes {
            return Err(Error::length("polynomial", polynomial.len(), primes));
        }
        for (transform, residues) in self.transforms().iter().zip(&mut polynomial) {
            transform.inverse(residues)?;
        }
        let last = (primes == 2).then(|| polynomial.pop()).flatten();
        let first = polynomial.pop().unwrap_or_default();
        match last {
            Some(last) => self.join(first, last),
            None => Ok(first),
        }
    }

    fn join(&self, mut first: Vec<u64>, mut second: Vec<u64>) -> Result<Vec<u64>> {
        let (one, other) = (self.moduli()[0].prime(), self.moduli()[1]);
        for (x, &y) in second.iter_mut().zip(&first) {
            *x = other.subtract(*x, other.reduce(y as i64));
        }
        let inverse = other.invert(one % other.prime());
        Factors::scalar(other, inverse as i64, self.machine()).multiply(&mut second)?;
        for (x, quotient) in first.iter_mut().zip(second) {
            *x += one * quotient;
        }
        Ok(first)
    }

    /// Coefficients of c0 and c1 of a frame; those of c0 that were not sent are zero. A frame by secret key needs the polynomials
    /// that its seed expands to, in the order that its header says.
    ///
    /// # Errors
    /// The errors of [`Ring::coefficients`]; [`Error::Length`] for a missing mask.
    pub fn lifted(&self, frame: &RoundedFrame, mask: Option<&[Vec<u64>]>) -> Result<[Vec<u64>; 2]> {
        let c1 = match (&frame.c1, mask) {
            (Some(c1), None) => {
                check(self.modulus()?, self.degree(), c1)?;
                c1.clone()
            }
            (None, Some(mask)) => self.coefficients(self.mask(frame.header.mask_order, mask)?)?,
            _ => {
                let allowed = "c1 of each prime for frames by secret key, none for others";
                return Err(Error::length("mask", mask.map_or(0, <[_]>::len), allowed));
            }
        };
        let sent = frame.header.sent().count();
        if frame.c0.len() != sent {
            return Err(Error::length("c0", frame.c0.len(), sent));
        }
        let c0 = self.spread(frame);
        check(self.modulus()?, self.degree(), &c0)?;
        Ok([c0, c1])
    }

    /// Coefficients of c0 at their places, zero elsewhere.
    fn spread(&self, frame: &RoundedFrame) -> Vec<u64> {
        let mut c0 = vec![0; self.degree()];
        for (place, &value) in frame.header.sent().zip(&frame.c0) {
            c0[place] = value;
        }
        c0
    }

    /// c0 and c1 of a frame in NTT order; coefficients of c0 that were not sent are zero, and mean nothing. A frame by secret key
    /// needs the polynomials that its seed expands to, in the order that its header says.
    ///
    /// # Errors
    /// The errors of [`Ring::transform`]; [`Error::Length`] for a missing mask.
    pub fn residues(
        &self,
        frame: &RoundedFrame,
        mask: Option<&[Vec<u64>]>,
    ) -> Result<[Vec<Vec<u64>>; 2]> {
        let c0 = self.spread(frame);
        let c1 = match (&frame.c1, mask) {
            (Some(c1), _) => self.transform(c1)?,
            (None, Some(mask)) => self.mask(frame.header.mask_order, mask)?,
            (None, None) => return Err(Error::length("mask", 0, "c1 of each prime")),
        };
        Ok([self.transform(&c0)?, c1])
    }

    /// A mask in NTT order.
    fn mask(&self, order: MaskOrder, mask: &[Vec<u64>]) -> Result<Vec<Vec<u64>>> {
        let mut mask = mask.to_vec();
        if order == MaskOrder::Coefficients {
            for (transform, residues) in self.transforms().iter().zip(&mut mask) {
                transform.forward(residues)?;
            }
        }
        Ok(mask)
    }

    /// c0 and c1 of a rounded result in NTT order; coefficients of c0 that were not sent are zero, and mean nothing.
    ///
    /// # Errors
    /// The errors of [`Ring::transform`]; [`Error::Length`] for a place beyond the degree.
    pub fn answer(&self, result: &EncryptedResult) -> Result<[Vec<Vec<u64>>; 2]> {
        let (mut c0, most) = (vec![0; self.degree()], self.degree() - 1);
        for (place, &value) in result.slots().zip(result.c0.iter().flatten()) {
            match c0.get_mut(place) {
                Some(coefficient) => *coefficient = value,
                None => return Err(Error::length("place", place, format!("0 to {most}"))),
            }
        }
        Ok([self.transform(&c0)?, self.transform(&result.c1.concat())?])
    }

    /// The public polynomial of these terms: exponents below the degree, each with an integer.
    ///
    /// # Errors
    /// [`Error::Length`] for an exponent beyond the degree.
    pub fn weights(&self, terms: &[(usize, i64)]) -> Result<Weights> {
        let mut factors = Vec::with_capacity(self.moduli().len());
        for (transform, &modulus) in self.transforms().iter().zip(self.moduli()) {
            let mut residues = vec![0; self.degree()];
            for &(exponent, integer) in terms {
                let most = self.degree() - 1;
                let Some(residue) = residues.get_mut(exponent) else {
                    return Err(Error::length("exponent", exponent, format!("0 to {most}")));
                };
                *residue = modulus.add(*residue, modulus.reduce(integer));
            }
            transform.forward(&mut residues)?;
            factors.push(Factors::new(modulus, residues, self.machine())?);
        }
        Ok(Weights(factors))
    }
}
