//! A holder's part of a key pair, and its shares for the other holders (`spec/owners.md`, section 2).

use isopod_linear::{Factors, Machine, Modulus, Ring};
use isopod_wire::codes::{hash_label, size};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

use crate::polynomial::{pack_polynomial, transformed, uniform, Polynomial};
use crate::Result;

type Digest = [u8; size::DIGEST];

/// Bits of each half of a draw of CBD(21).
const CENTRED_BITS: u32 = 21;

/// The secret of one holder. Its memory is wiped.
pub struct HolderPart<'a> {
    ring: &'a Ring,
    invitation: Digest,
    holder: u8,
    seed: &'a [u8; size::HOLDER_SEED],
    secret: Polynomial,
    error: Polynomial,
}

/// The seed of the mask that all parts share.
pub fn mask_seed(invitation: &Digest) -> [u8; size::MASK_SEED] {
    let mut seed = [0; size::MASK_SEED];
    let mut hash = Shake256::default();
    hash.update(hash_label::OWNERS_MASK);
    hash.update(invitation);
    hash.finalize_xof().read(&mut seed);
    seed
}

/// The commitment of a holder to a part of the public key.
pub fn commitment(
    (invitation, holder): (&Digest, u8),
    blind: &[u8; size::BLIND],
    packed: &[u8],
) -> Digest {
    Sha3_256::new()
        .chain_update(hash_label::OWNERS_COMMIT)
        .chain_update(invitation)
        .chain_update([holder])
        .chain_update(blind)
        .chain_update(packed)
        .finalize()
        .into()
}

/// The public key of all parts.
pub fn joint_public(ring: &Ring, parts: &[Polynomial]) -> Polynomial {
    let zeros = vec![vec![0; ring.degree()]; ring.moduli().len()];
    let mut sum = Zeroizing::new(zeros);
    for part in parts {
        crate::add(ring, &mut sum, part);
    }
    sum
}

impl<'a> HolderPart<'a> {
    /// Derives the part of a holder from its seed. The ring has all data primes of the set.
    ///
    /// # Errors
    /// [`crate::OwnersError::Linear`].
    pub fn derive(
        ring: &'a Ring,
        (invitation, holder): (&Digest, u8),
        seed: &'a [u8; size::HOLDER_SEED],
    ) -> Result<Self> {
        let hash = begin(hash_label::OWNERS_SECRET, (invitation, holder), seed);
        let mut reader = hash.finalize_xof();
        let secret = ternary(&mut reader, ring.degree());
        let error = centred(&mut reader, ring.degree());
        Ok(Self {
            ring,
            invitation: *invitation,
            holder,
            seed,
            secret: transformed(ring, &secret)?,
            error: transformed(ring, &error)?,
        })
    }

    /// pk0 of this part: e - a s, under the mask that all parts share.
    ///
    /// # Errors
    /// [`crate::OwnersError::Linear`] for a mask of another ring.
    pub fn public(&self, mask: &[Vec<u64>]) -> Result<Polynomial> {
        let mut public = self.secret.clone();
        let each = self.ring.moduli().iter().zip(mask);
        for (((&modulus, mask), public), error) in
            each.zip(public.iter_mut()).zip(self.error.iter())
        {
            Factors::new(modulus, mask.clone(), Machine::best())?.multiply(public)?;
            for (public, &error) in public.iter_mut().zip(error) {
                *public = modulus.subtract(error, *public);
            }
        }
        Ok(public)
    }

    /// The share of this part that holder `receiver` gets, for a threshold of at least 2: f(receiver).
    ///
    /// # Errors
    /// [`crate::OwnersError::Linear`].
    pub fn share(&self, threshold: u8, receiver: u8) -> Result<Polynomial> {
        let mut share = self.secret.clone();
        for (number, (&modulus, share)) in
            self.ring.moduli().iter().zip(share.iter_mut()).enumerate()
        {
            let point = Factors::scalar(modulus, receiver.into(), Machine::best());
            // Horner's rule, from the highest coefficient down to the secret.
            let mut value = Zeroizing::new(vec![0; self.ring.degree()]);
            for power in (1..threshold).rev() {
                let coefficients = self.coefficients(modulus, (power, number as u8));
                for (value, &coefficient) in value.iter_mut().zip(coefficients.iter()) {
                    *value = modulus.add(*value, coefficient);
                }
                point.multiply(&mut value)?;
            }
            for (share, &value) in share.iter_mut().zip(value.iter()) {
                *share = modulus.add(*share, value);
            }
        }
        Ok(share)
    }

    /// Link key and device master, of the first holder.
    pub fn link_and_master(&self) -> Zeroizing<[u8; 2 * size::LINK_KEY]> {
        let mut keys = Zeroizing::new([0; 2 * size::LINK_KEY]);
        let mut hash = Shake256::default();
        hash.update(hash_label::OWNERS_LINK);
        hash.update(&self.invitation);
        hash.update(self.seed);
        hash.finalize_xof().read(keys.as_mut());
        keys
    }

    /// The packed public part.
    ///
    /// # Errors
    /// Those of [`HolderPart::public`].
    pub fn packed_public(&self, mask: &[Vec<u64>]) -> Result<Vec<u8>> {
        Ok(pack_polynomial(self.ring, &self.public(mask)?).to_vec())
    }

    /// The residues of the coefficient of X^power of the sharing polynomial, modulo one prime.
    fn coefficients(&self, modulus: Modulus, (power, prime): (u8, u8)) -> Zeroizing<Vec<u64>> {
        let who = (&self.invitation, self.holder);
        let mut hash = begin(hash_label::OWNERS_SHARE, who, self.seed);
        hash.update(&[power, prime]);
        uniform(hash.finalize_xof(), modulus, self.ring.degree())
    }
}

fn begin(label: &[u8], (invitation, holder): (&Digest, u8), seed: &[u8]) -> Shake256 {
    let mut hash = Shake256::default();
    hash.update(label);
    hash.update(invitation);
    hash.update(&[holder]);
    hash.update(seed);
    hash
}

/// Uniform integers of -1, 0 and 1.
fn ternary(reader: &mut impl XofReader, count: usize) -> Zeroizing<Vec<i64>> {
    let mut values = Zeroizing::new(Vec::with_capacity(count));
    let mut byte = Zeroizing::new([0u8]);
    while values.len() < count {
        reader.read(byte.as_mut());
        if byte[0] < 255 {
            // The division by a constant is a multiplication.
            values.push(i64::from(byte[0] % 3) - 1);
        }
    }
    values
}

/// Draws of the centred binomial distribution CBD(21).
fn centred(reader: &mut impl XofReader, count: usize) -> Zeroizing<Vec<i64>> {
    let mut bytes = Zeroizing::new(vec![0; 6 * count]);
    reader.read(&mut bytes);
    let ones = |half: &[u8]| {
        let word = u32::from_le_bytes([half[0], half[1], half[2], 0]);
        i64::from((word & ((1 << CENTRED_BITS) - 1)).count_ones())
    };
    let draws = bytes.chunks_exact(6);
    Zeroizing::new(
        draws
            .map(|draw| ones(&draw[..3]) - ones(&draw[3..]))
            .collect(),
    )
}
