//! Changes of shares under one key (`spec/owners.md`, section 5): sharings of zero that refresh them, and pieces of a lost one.

use isopod_linear::{Factors, Machine, Ring};
use isopod_wire::codes::{hash_label, size};
use isopod_wire::ChangeStep;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::{Digest as _, Sha3_256, Shake256};
use zeroize::Zeroizing;

use crate::contribution::Answering;
use crate::mask::add_mask;
use crate::polynomial::{uniform, Polynomial};
use crate::Result;

type Digest = [u8; size::DIGEST];
type Seed = [u8; size::HOLDER_SEED];

/// A holder in a change, who deals from a fresh seed.
pub struct Dealer<'a> {
    /// Digest of all files of the ceremony.
    pub fingerprint: &'a Digest,
    /// How often the shares were refreshed before.
    pub generation: u32,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// The seed.
    pub seed: &'a Seed,
}

/// The digest that binds a step: `data` says what it is about.
pub fn change_digest(
    step: ChangeStep,
    (fingerprint, generation): (&Digest, u32),
    data: &[u8],
) -> Digest {
    Sha3_256::new()
        .chain_update(hash_label::OWNERS_CHANGE)
        .chain_update([step as u8])
        .chain_update(fingerprint)
        .chain_update(generation.to_le_bytes())
        .chain_update(data)
        .finalize()
        .into()
}

/// The digest that binds a replacement: the newcomer's announcement, and the helpers.
pub fn replacement_session(
    key: (&Digest, u32),
    announcement: &[u8],
    helpers: &Answering,
) -> Digest {
    let announced: Digest = Sha3_256::digest(announcement).into();
    let data = [&announced[..], helpers.numbers()].concat();
    change_digest(ChangeStep::Masked, key, &data)
}

impl Dealer<'_> {
    /// The commitment to a sharing of zero.
    pub fn commitment(&self) -> Digest {
        let data = Zeroizing::new([&[self.holder], &self.seed[..]].concat());
        let key = (self.fingerprint, self.generation);
        change_digest(ChangeStep::Dealt, key, &data)
    }

    /// The sharing of zero that holder `receiver` gets.
    ///
    /// # Errors
    /// [`crate::OwnersError::Linear`].
    pub fn zero(&self, ring: &Ring, threshold: u8, receiver: u8) -> Result<Polynomial> {
        let mut share = zeros(ring);
        let commitment = self.commitment();
        let each = ring.moduli().iter().zip(share.iter_mut());
        for (prime, (&modulus, share)) in each.enumerate() {
            let point = Factors::scalar(modulus, receiver.into(), Machine::best());
            // Horner's rule, from the highest coefficient down to zero.
            for power in (1..threshold).rev() {
                let place = [self.holder, power, prime as u8];
                let coefficients = stream(&commitment, place, self.seed);
                let coefficients = uniform(coefficients, modulus, ring.degree());
                for (value, &coefficient) in share.iter_mut().zip(coefficients.iter()) {
                    *value = modulus.add(*value, coefficient);
                }
                point.multiply(share)?;
            }
        }
        Ok(share)
    }

    /// The seed of the mask between this helper and one with a higher number.
    pub fn pair_seed(&self, session: &Digest, other: u8) -> Zeroizing<Seed> {
        let mut hash = Shake256::default();
        hash.update(hash_label::OWNERS_PAIR);
        hash.update(session);
        hash.update(&[self.holder, other]);
        hash.update(self.seed);
        let mut seed = Zeroizing::new([0; size::HOLDER_SEED]);
        hash.finalize_xof().read(seed.as_mut());
        seed
    }
}

/// A helper in the replacement of a lost holder.
pub struct Helper<'a> {
    /// The digest that binds the replacement.
    pub session: &'a Digest,
    /// All helpers.
    pub helpers: &'a Answering,
    /// Number of this one.
    pub holder: u8,
    /// Number of the lost holder.
    pub lost: u8,
}

impl Helper<'_> {
    /// The piece of the lost share, which all pieces together are: the own share, weighed for the lost number, and a mask with
    /// each other helper. `seeds` are those of the masks by the numbers of the others; the lower of a pair adds its mask.
    ///
    /// # Errors
    /// [`crate::OwnersError::Linear`].
    pub fn piece(
        &self,
        ring: &Ring,
        share: &Polynomial,
        seeds: &[(u8, Zeroizing<Seed>)],
    ) -> Result<Polynomial> {
        let mut piece = share.clone();
        for (prime, (&modulus, piece)) in ring.moduli().iter().zip(piece.iter_mut()).enumerate() {
            let weight = self.helpers.factor_at(modulus, self.holder, self.lost) as i64;
            Factors::scalar(modulus, weight, Machine::best()).multiply(piece)?;
            for (other, seed) in seeds {
                let (low, high) = (self.holder.min(*other), self.holder.max(*other));
                let mask = stream(self.session, [low, high, prime as u8], seed);
                let mask = uniform(mask, modulus, ring.degree());
                add_mask(modulus, (self.holder, *other), piece, &mask);
            }
        }
        Ok(piece)
    }
}

fn stream(binding: &Digest, place: [u8; 3], seed: &Seed) -> impl XofReader {
    let mut hash = Shake256::default();
    hash.update(hash_label::OWNERS_CHANGE);
    hash.update(binding);
    hash.update(&place);
    hash.update(seed);
    hash.finalize_xof()
}

fn zeros(ring: &Ring) -> Polynomial {
    Zeroizing::new(vec![vec![0; ring.degree()]; ring.moduli().len()])
}
