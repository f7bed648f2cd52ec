//! Sums and products with a plaintext by the kernels that add up frames.

use anyhow::Result;
use isopod_linear::{Accumulator, Factors, Machine, Packing, Ring, Slice};

use super::Bench;
use crate::operation::Operation;
use crate::pair::Pair;
use crate::timer::Clock;

const SIDE: &str = "isopod";
/// Bound of the coefficients of a plaintext: below half of the smallest prime.
const MOST_COEFFICIENT: i64 = 1 << 13;

pub fn measure(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let packed = Packed::fresh(pair)?;
    let mut sum = Ciphertext::zero(pair)?;
    let plaintext: Vec<i64> = (0..sum.ring.degree() as i64)
        .map(|at| at * 37 % (2 * MOST_COEFFICIENT) - MOST_COEFFICIENT)
        .collect();
    bench.record(SIDE, Operation::Add, |timer| {
        let sampled = timer.repeat(Clock::Processor, || sum.add(&packed))?;
        Ok((sampled, 0))
    })?;
    let mut polynomials = sum.polynomials();
    bench.record(SIDE, Operation::MultiplyPlain, |timer| {
        let sampled = timer.repeat(Clock::Processor, || {
            sum.multiply_plain(&mut polynomials, &plaintext)
        })?;
        Ok((sampled, 0))
    })
}

/// A ciphertext by public key as it arrives: packed residues of c0 and c1 for each prime.
struct Packed(Vec<u8>);

impl Packed {
    fn fresh(pair: &Pair) -> Result<Self> {
        let (mut encryptor, mut bytes) = (pair.encryptor(false)?, Vec::new());
        encryptor.encrypt_unframed(pair.values(), &mut pair.sender(), &mut bytes)?;
        Ok(Self(bytes))
    }
}

/// A ciphertext on the server: words of c0 and c1 in NTT order for each prime.
struct Ciphertext {
    ring: Ring,
    machine: Machine,
    words: Vec<[Accumulator; 2]>,
}

impl Ciphertext {
    fn zero(pair: &Pair) -> Result<Self> {
        let (set, machine) = (pair.set, Machine::best());
        let ring = Ring::new(set, set.data_primes.len(), machine)?;
        let of = |&modulus| [(); 2].map(|()| Accumulator::new(modulus, ring.degree(), machine));
        Ok(Self {
            words: ring.moduli().iter().map(of).collect(),
            ring,
            machine,
        })
    }

    /// Adds a ciphertext as it arrived; every residue is unpacked and checked.
    fn add(&mut self, other: &Packed) -> Result<()> {
        let mut rest = other.0.as_slice();
        for side in self.words.iter_mut().flatten() {
            let packing = Packing::new(side.modulus(), self.machine);
            let (bytes, behind) = rest.split_at(packing.bytes(self.ring.degree()));
            side.add(&[Slice { at: 0, bytes }], 1)?;
            rest = behind;
        }
        Ok(())
    }

    /// The residues of each prime, of c0 and c1.
    fn polynomials(&mut self) -> Vec<[Vec<u64>; 2]> {
        let of =
            |sides: &mut [Accumulator; 2]| sides.each_mut().map(|side| side.residues().to_vec());
        self.words.iter_mut().map(of).collect()
    }

    /// Multiplies residues by a plaintext of small coefficients, which is transformed each time.
    fn multiply_plain(&self, polynomials: &mut [[Vec<u64>; 2]], plaintext: &[i64]) -> Result<()> {
        let primes = self.ring.moduli().iter().zip(self.ring.transforms());
        for ((&modulus, transform), sides) in primes.zip(polynomials) {
            let mut residues: Vec<u64> = plaintext
                .iter()
                .map(|&value| modulus.reduce(value))
                .collect();
            transform.forward(&mut residues)?;
            let factors = Factors::new(modulus, residues, self.machine)?;
            for side in sides {
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
    fn opened(pair: &Pair, ring: &Ring, polynomials: &[[Vec<u64>; 2]]) -> Result<Vec<i32>> {
        let mut sides = [Vec::new(), Vec::new()];
        for (&modulus, polynomial) in ring.moduli().iter().zip(polynomials) {
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
        let times =
            |by: i32| -> Vec<i32> { values.iter().map(|&value| by * value as i32).collect() };
        let mut sum = Ciphertext::zero(&pair)?;
        sum.add(&Packed::fresh(&pair)?)?;
        sum.add(&Packed::fresh(&pair)?)?;
        let mut polynomials = sum.polynomials();
        assert_eq!(opened(&pair, &sum.ring, &polynomials)?, times(2));
        let mut three = vec![0; sum.ring.degree()];
        three[0] = -3;
        sum.multiply_plain(&mut polynomials, &three)?;
        assert_eq!(opened(&pair, &sum.ring, &polynomials)?, times(-6));
        Ok(())
    }
}
