//! Sums and products with a plaintext by the kernels that add up frames.

use anyhow::{ensure, Result};
use isopod_linear::{Factors, Machine, Packing, Ring};

use super::Bench;
use crate::operation::Operation;
use crate::pair::Pair;
use crate::timer::Clock;

const SIDE: &str = "isopod";
/// Coefficients of the plaintext, as those of integers that fill slots: anything within the smallest prime.
const MOST_COEFFICIENT: i64 = 1 << 13;

pub fn measure(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let (mut first, second) = (Ciphertext::fresh(pair)?, Ciphertext::fresh(pair)?);
    let plaintext: Vec<i64> = (0..first.ring.degree() as i64)
        .map(|at| at * 37 % (2 * MOST_COEFFICIENT) - MOST_COEFFICIENT)
        .collect();
    bench.record(SIDE, Operation::Add, |timer| {
        let sampled = timer.repeat(Clock::Processor, || first.add(&second))?;
        Ok((sampled, 0))
    })?;
    bench.record(SIDE, Operation::MultiplyPlain, |timer| {
        let sampled = timer.repeat(Clock::Processor, || first.multiply_plain(&plaintext))?;
        Ok((sampled, 0))
    })
}

/// A ciphertext as the server holds it: residues of each prime in NTT order, of c0 and c1 in turn.
struct Ciphertext {
    ring: Ring,
    machine: Machine,
    polynomials: Vec<[Vec<u64>; 2]>,
}

impl Ciphertext {
    /// The values of a pair by public key.
    fn fresh(pair: &Pair) -> Result<Self> {
        let (set, machine) = (pair.set, Machine::best());
        let ring = Ring::new(set, set.data_primes.len(), machine)?;
        let mut bytes = Vec::new();
        let mut encryptor = pair.encryptor(false)?;
        encryptor.encrypt_unframed(pair.values(), &mut pair.sender(), &mut bytes)?;
        let (mut rest, mut polynomials) = (bytes.as_slice(), Vec::new());
        for &modulus in ring.moduli() {
            let packing = Packing::new(modulus, machine);
            let mut sides = [(); 2].map(|()| vec![0; ring.degree()]);
            for side in &mut sides {
                let (piece, behind) = rest.split_at(packing.bytes(side.len()));
                packing.unpack(piece, side)?;
                rest = behind;
            }
            polynomials.push(sides);
        }
        ensure!(
            rest.is_empty(),
            "{}: {} bytes too many",
            set.name,
            rest.len()
        );
        Ok(Self {
            ring,
            machine,
            polynomials,
        })
    }

    /// Adds another ciphertext of the same ring.
    fn add(&mut self, other: &Self) -> Result<()> {
        for (at, &modulus) in self.ring.moduli().iter().enumerate() {
            for (mine, theirs) in self.polynomials[at].iter_mut().zip(&other.polynomials[at]) {
                for (a, &b) in mine.iter_mut().zip(theirs) {
                    *a = modulus.add(*a, b);
                }
            }
        }
        Ok(())
    }

    /// Multiplies by a plaintext of small coefficients, which is transformed each time.
    fn multiply_plain(&mut self, plaintext: &[i64]) -> Result<()> {
        for (at, &modulus) in self.ring.moduli().iter().enumerate() {
            let mut residues: Vec<u64> = plaintext
                .iter()
                .map(|&value| modulus.reduce(value))
                .collect();
            self.ring.transforms()[at].forward(&mut residues)?;
            let factors = Factors::new(modulus, residues, self.machine)?;
            for side in &mut self.polynomials[at] {
                factors.multiply(side)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pair::Slots;
    use isopod_device::Decryptor;

    /// Integers of a ciphertext.
    fn opened(pair: &Pair, ciphertext: &Ciphertext) -> Result<Vec<i32>> {
        let mut sides = [Vec::new(), Vec::new()];
        for (&modulus, polynomial) in ciphertext.ring.moduli().iter().zip(&ciphertext.polynomials) {
            for (side, residues) in sides.iter_mut().zip(polynomial) {
                side.extend(isopod_wire::pack(modulus.bits(), residues));
            }
        }
        let mut decryptor = Decryptor::new(&pair.keys.secret_ntt_blob)?;
        Ok(decryptor.decrypt_integers_unauthenticated(sides.each_ref().map(Vec::as_slice))?)
    }

    #[test]
    fn sums_and_products_decrypt_to_those_of_the_values() -> Result<()> {
        let pair = Pair::new("bfv-4096x2w-seal-default")?;
        let Slots::Integers(values) = &pair.slots else {
            anyhow::bail!("integers are expected");
        };
        let (mut sum, other) = (Ciphertext::fresh(&pair)?, Ciphertext::fresh(&pair)?);
        sum.add(&other)?;
        let times =
            |by: i32| -> Vec<i32> { values.iter().map(|&value| by * value as i32).collect() };
        assert_eq!(opened(&pair, &sum)?, times(2));
        let mut three = vec![0; sum.ring.degree()];
        three[0] = -3;
        sum.multiply_plain(&three)?;
        assert_eq!(opened(&pair, &sum)?, times(-6));
        Ok(())
    }
}
