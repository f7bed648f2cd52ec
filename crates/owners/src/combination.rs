//! From contributions to an answer that decodes like any other (`spec/owners.md`, section 3).

use isopod_linear::{Machine, Ring};
use isopod_wire::{Contribution, EncryptedResult};

use crate::circuit::Plan;
use crate::fraction::fractions;
use crate::{OwnersError, Result};

/// The result whose phase is in c0 and whose c1 is zero, so that any key of its name decrypts it.
///
/// # Errors
/// [`OwnersError::Contribution`] for one that does not fit result and plan; [`OwnersError::Unopened`] if values of BFV do not
/// come near integers.
pub fn combine(
    result: &EncryptedResult,
    plan: &Plan,
    contributions: &[&Contribution],
) -> Result<EncryptedResult> {
    let ring = Ring::new(result.params, plan.primes, Machine::best())?;
    for contribution in contributions {
        check(plan, &ring, contribution)?;
    }
    let mut constant = result.c0[..plan.primes].to_vec();
    for (transform, residues) in ring.transforms().iter().zip(&mut constant) {
        transform.inverse(residues)?;
    }
    let mut sums = fractions(&ring, &constant, plan.bits);
    for contribution in contributions {
        for (sum, value) in sums.iter_mut().zip(&contribution.values) {
            *sum = sum.wrapping_add(*value);
        }
    }
    let shift = u128::BITS - plan.bits;
    let centred = sums.iter().map(|&sum| ((sum << shift) as i128) >> shift);
    let mut phase = match result.params.plain_modulus {
        Some(plain) => exact(&ring, centred, (plan.bits, plain)).ok_or(OwnersError::Unopened {
            index: result.provenance.index,
        })?,
        None => approximate(&ring, centred, plan.bits),
    };
    for (transform, residues) in ring.transforms().iter().zip(&mut phase) {
        transform.forward(residues)?;
    }
    Ok(EncryptedResult {
        error: plan.error,
        c0: phase,
        c1: vec![vec![0; ring.degree()]; plan.primes],
        linear_tag: result.linear_tag,
        provenance: result.provenance.clone(),
        ..*result
    })
}

fn check(plan: &Plan, ring: &Ring, contribution: &Contribution) -> Result<()> {
    let found = (
        usize::from(contribution.primes),
        u32::from(contribution.bits),
        contribution.values.len(),
    );
    let wanted = (plan.primes, plan.bits, ring.degree());
    if found == wanted {
        return Ok(());
    }
    Err(OwnersError::Contribution {
        holder: contribution.holder,
        problem: format!(
            "primes, bits and values are {found:?}; allowed are {wanted:?}, by what the invitation says"
        ),
    })
}

/// The residues of round(p Q / t) for the integers p next to t Y / 2^bits; None if one is further than 7/16 from all integers.
fn exact(
    ring: &Ring,
    sums: impl Iterator<Item = i128>,
    (bits, plain): (u32, u64),
) -> Option<Vec<Vec<u64>>> {
    let t = i128::from(plain);
    let modulus = ring.moduli().iter().fold(1, |product, modulus| {
        product * i128::from(modulus.prime()) % t
    });
    let inverses: Vec<u64> = ring
        .moduli()
        .iter()
        .map(|modulus| modulus.invert(plain % modulus.prime()))
        .collect();
    let mut phase = vec![Vec::with_capacity(ring.degree()); inverses.len()];
    for sum in sums {
        let scaled = t * sum;
        let nearest = (scaled + (1 << (bits - 1))) >> bits;
        let distance = scaled - (nearest << bits);
        if distance.abs() << 4 > 7 << bits {
            return None;
        }
        // round(p Q / t) = (p Q - r) / t for the centred remainder r, and p Q is zero modulo each prime.
        let remainder = (nearest.rem_euclid(t) * modulus).rem_euclid(t);
        let remainder = if 2 * remainder > t {
            remainder - t
        } else {
            remainder
        };
        for ((modulus, inverse), phase) in ring.moduli().iter().zip(&inverses).zip(&mut phase) {
            phase.push(modulus.multiply(modulus.reduce(-remainder as i64), *inverse));
        }
    }
    Some(phase)
}

/// The residues of Y Q / 2^bits, rounded down in magnitude. Q is below 2^126.
fn approximate(ring: &Ring, sums: impl Iterator<Item = i128>, bits: u32) -> Vec<Vec<u64>> {
    let primes = ring.moduli().iter().map(|modulus| modulus.prime());
    let modulus: u128 = primes.map(u128::from).product();
    let mut phase = vec![Vec::with_capacity(ring.degree()); ring.moduli().len()];
    for sum in sums {
        // |Y| is at most 2^(bits - 1), so the quotient is at most Q / 2.
        let (high, low) = product(sum.unsigned_abs(), modulus);
        let scaled = (high << (u128::BITS - bits)) | (low >> bits);
        for (modulus, phase) in ring.moduli().iter().zip(&mut phase) {
            let residue = (scaled % u128::from(modulus.prime())) as u64;
            phase.push(match sum < 0 {
                true => modulus.subtract(0, residue),
                false => residue,
            });
        }
    }
    phase
}

/// The upper and the lower half of a product.
fn product(a: u128, b: u128) -> (u128, u128) {
    let half = |value: u128| (value >> 64, value & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (half(a), half(b));
    let (middle, carry) = (a1 * b0).overflowing_add(a0 * b1);
    let (low, carried) = (a0 * b0).overflowing_add(middle << 64);
    let high = a1 * b1 + (middle >> 64) + (u128::from(carry) << 64) + u128::from(carried);
    (high, low)
}

#[cfg(test)]
mod tests {
    use super::product;

    #[test]
    fn products_have_all_their_bits() {
        let all = u128::MAX;
        assert_eq!(product(all, all), (all - 1, 1));
        assert_eq!(product(1 << 100, 1 << 100), (1 << 72, 0));
        assert_eq!(product(all, 2), (1, all - 1));
        assert_eq!(product(12345, 678), (0, 12345 * 678));
    }
}
