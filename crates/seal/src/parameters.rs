//! Parameters of CKKS and BFV in plain numbers, and their checks.

use crate::Error;

/// A CKKS or BFV parameter set in plain numbers. Unchecked; [`crate::Context::new`] checks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameters {
    /// Name of the set in error messages, such as `ckks-4096x2-linear`.
    pub name: String,
    /// n, a power of two from 1024 to 32768.
    pub ring_degree: usize,
    /// Data primes in wire order; each at most 60 bits and = 1 mod 2n.
    pub data_primes: Vec<u64>,
    /// Special prime, the last of SEAL's chain; only a set with one data prime may lack it.
    pub special_prime: Option<u64>,
    /// t of BFV, a prime = 1 mod 2n; None in CKKS.
    pub plain_modulus: Option<u64>,
    /// Owners who hold the key together: its secret and its error are sums of as many; 1 for one.
    pub owners: u32,
}

impl Parameters {
    /// Checks degree, primes and special prime.
    ///
    /// # Errors
    /// [`Error::RingDegree`], [`Error::PrimeCount`], [`Error::SpecialPrimeMissing`], [`Error::Prime`].
    pub fn check(&self) -> Result<(), Error> {
        if !self.ring_degree.is_power_of_two() || !(1024..=32768).contains(&self.ring_degree) {
            return Err(Error::RingDegree {
                got: self.ring_degree,
            });
        }
        if !(1..=62).contains(&self.data_primes.len()) {
            return Err(Error::PrimeCount {
                got: self.data_primes.len(),
            });
        }
        if self.data_primes.len() > 1 && self.special_prime.is_none() {
            return Err(Error::SpecialPrimeMissing {
                data_primes: self.data_primes.len(),
            });
        }
        self.check_plain_modulus()?;
        let chain = self.chain();
        (0..chain.len()).try_for_each(|index| self.check_prime(&chain, index))
    }

    fn check_plain_modulus(&self) -> Result<(), Error> {
        let Some(prime) = self.plain_modulus else {
            return Ok(());
        };
        let reason = if prime >> 30 != 0 {
            "has more than 30 bits"
        } else if prime % (2 * self.ring_degree as u64) != 1 {
            "is not = 1 mod 2*ring_degree"
        } else if !is_prime(prime) {
            "is not prime"
        } else if self.chain().contains(&prime) {
            "is one of the moduli"
        } else {
            return Ok(());
        };
        let field = "plain_modulus";
        Err(Error::Prime {
            field,
            prime,
            reason,
        })
    }

    fn check_prime(&self, chain: &[u64], index: usize) -> Result<(), Error> {
        let prime = chain[index];
        let reason = if prime >> 60 != 0 {
            "has more than 60 bits"
        } else if prime % (2 * self.ring_degree as u64) != 1 {
            "is not = 1 mod 2*ring_degree"
        } else if !is_prime(prime) {
            "is not prime"
        } else if chain[..index].contains(&prime) {
            "occurs twice"
        } else {
            return Ok(());
        };
        let field = if index < self.data_primes.len() {
            "data_primes"
        } else {
            "special_prime"
        };
        Err(Error::Prime {
            field,
            prime,
            reason,
        })
    }

    /// The chain: the data primes, then the special prime; the modulus of keys.
    pub fn chain(&self) -> Vec<u64> {
        self.data_primes
            .iter()
            .copied()
            .chain(self.special_prime)
            .collect()
    }

    /// Number of slots: n/2 in CKKS, n in BFV.
    pub fn slots(&self) -> usize {
        match self.plain_modulus {
            None => self.ring_degree / 2,
            Some(_) => self.ring_degree,
        }
    }

    /// Whether rotations and relinearization work: the special prime has at least the bits of every data prime, so that the
    /// noise of key switching stays small.
    pub fn can_switch_keys(&self) -> bool {
        let bits = |prime: u64| u64::BITS - prime.leading_zeros();
        let largest = self.data_primes.iter().max();
        self.special_prime
            .is_some_and(|special| largest.is_some_and(|largest| bits(special) >= bits(*largest)))
    }

    /// log2 of the product of the first `primes` data primes.
    pub fn log2_modulus(&self, primes: usize) -> f64 {
        self.data_primes
            .iter()
            .take(primes)
            .map(|&prime| (prime as f64).log2())
            .sum()
    }
}

/// Whether a number is prime: Miller-Rabin with the first twelve primes as bases, exact below 2^64 (`[SW15]`).
pub(crate) fn is_prime(candidate: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if candidate < 2 {
        return false;
    }
    if let Some(&base) = BASES.iter().find(|&&base| candidate.is_multiple_of(base)) {
        return candidate == base;
    }
    let twos = (candidate - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut power = power_modulo(base, (candidate - 1) >> twos, candidate);
        let mut passed = power == 1;
        for _ in 0..twos {
            passed |= power == candidate - 1;
            power = multiply_modulo(power, power, candidate);
        }
        passed
    })
}

fn multiply_modulo(left: u64, right: u64, modulus: u64) -> u64 {
    (u128::from(left) * u128::from(right) % u128::from(modulus)) as u64
}

fn power_modulo(base: u64, exponent: u64, modulus: u64) -> u64 {
    (0..u64::BITS).rev().fold(1, |power, bit| {
        let square = multiply_modulo(power, power, modulus);
        if exponent >> bit & 1 == 1 {
            multiply_modulo(square, base, modulus)
        } else {
            square
        }
    })
}

#[cfg(test)]
mod tests {
    use super::is_prime;

    #[test]
    fn primality_is_exact_on_hard_cases() {
        let primes = [2, 37, 40961, 1_099_511_480_321, 18_446_744_073_709_551_557];
        let composites = [
            0,
            1,
            561,
            3_215_031_751,
            341_550_071_728_321,
            3_825_123_056_546_413_051,
            41_017 * 40_961,
        ];
        assert!(primes.into_iter().all(is_prime));
        assert!(!composites.into_iter().any(is_prime));
    }
}
