//! Polynomials of the ring in NTT order, which wipe themselves, and their packed form.

use isopod_linear::{Modulus, Ring};
use isopod_wire::{pack, unpack};
use sha3::digest::XofReader;
use zeroize::Zeroizing;

use crate::{OwnersError, Result};

/// n residues in NTT order for each prime.
pub type Polynomial = Zeroizing<Vec<Vec<u64>>>;

/// Packs the residues of each prime in order (`spec/wire.md`, section 1).
pub fn pack_polynomial(ring: &Ring, polynomial: &[Vec<u64>]) -> Zeroizing<Vec<u8>> {
    let moduli = ring.moduli();
    let bits: usize = moduli.iter().map(|modulus| modulus.bits() as usize).sum();
    let mut bytes = Zeroizing::new(Vec::with_capacity(bits * ring.degree() / 8));
    for (modulus, residues) in moduli.iter().zip(polynomial) {
        bytes.extend_from_slice(&Zeroizing::new(pack(modulus.bits(), residues)));
    }
    bytes
}

/// Unpacks a polynomial. What is out of range is not told, since it may be a share.
///
/// # Errors
/// [`OwnersError::Field`].
pub fn unpack_polynomial(ring: &Ring, field: &'static str, bytes: &[u8]) -> Result<Polynomial> {
    let length = |bits: u32| bits as usize * ring.degree() / 8;
    let wanted: usize = ring.moduli().iter().map(|one| length(one.bits())).sum();
    if bytes.len() != wanted {
        let problem = format!("{} bytes; allowed are {wanted}", bytes.len());
        return Err(OwnersError::Field { field, problem });
    }
    let mut polynomial = Zeroizing::new(Vec::with_capacity(ring.moduli().len()));
    let mut rest = bytes;
    for modulus in ring.moduli() {
        let (these, others) = rest.split_at(length(modulus.bits()));
        let residues: Vec<u64> = unpack(modulus.bits(), these).collect();
        polynomial.push(residues);
        rest = others;
    }
    let beyond = ring.moduli().iter().zip(polynomial.iter());
    let beyond = beyond.fold(0, |found, (modulus, residues)| {
        let most = modulus.prime() - 1;
        residues.iter().fold(found, |found, &residue| {
            found | most.wrapping_sub(residue) >> 63
        })
    });
    if beyond == 0 {
        return Ok(polynomial);
    }
    Err(OwnersError::Field {
        field,
        problem: "a residue is out of range; allowed are residues below their prime".to_owned(),
    })
}

/// Adds a polynomial of the same ring.
pub fn add(ring: &Ring, sum: &mut Polynomial, other: &[Vec<u64>]) {
    for ((modulus, sum), other) in ring.moduli().iter().zip(sum.iter_mut()).zip(other) {
        for (sum, &other) in sum.iter_mut().zip(other) {
            *sum = modulus.add(*sum, other);
        }
    }
}

/// The residues of small integers, in NTT order.
pub(crate) fn transformed(ring: &Ring, integers: &[i64]) -> Result<Polynomial> {
    let mut polynomial = Zeroizing::new(Vec::with_capacity(ring.moduli().len()));
    for (modulus, transform) in ring.moduli().iter().zip(ring.transforms()) {
        let mut residues: Vec<u64> = integers
            .iter()
            .map(|&value| modulus.reduce(value))
            .collect();
        transform.forward(&mut residues)?;
        polynomial.push(residues);
    }
    Ok(polynomial)
}

/// Uniform residues modulo one prime that follow from a stream.
pub(crate) fn uniform(
    mut stream: impl XofReader,
    modulus: Modulus,
    count: usize,
) -> Zeroizing<Vec<u64>> {
    let mask = u64::MAX >> (u64::BITS - modulus.bits());
    let mut residues = Zeroizing::new(Vec::with_capacity(count));
    let mut word = Zeroizing::new([0; 8]);
    while residues.len() < count {
        stream.read(word.as_mut());
        let residue = u64::from_le_bytes(*word) & mask;
        // Numbers that are skipped are independent of those that are kept.
        if residue < modulus.prime() {
            residues.push(residue);
        }
    }
    residues
}
