//! Masks that two holders share: the lower number adds one, the higher subtracts it.

use isopod_linear::Modulus;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::Invitation;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;
use zeroize::Zeroizing;

/// Whether contributions need masks: with a threshold of 3 or more that is less than all holders, several honest ones can answer
/// beside colluding ones who do not (`spec/owners.md`, section 6).
pub fn is_masked(invitation: &Invitation) -> bool {
    let (threshold, holders) = (invitation.threshold, invitation.holders.len());
    (3..holders).contains(&threshold.into())
}

/// One result of an answer, under one generation of shares.
#[derive(Debug, Clone, Copy)]
pub struct MaskedResult<'a> {
    /// Digest of the bytes of all results.
    pub answer: &'a [u8; size::DIGEST],
    /// Number of the result.
    pub index: u32,
    /// How often the shares were refreshed.
    pub generation: u32,
    /// Numbers of those who answer, ascending.
    pub answering: &'a [u8],
}

impl MaskedResult<'_> {
    /// The seed of the mask of two holders with this key (`spec/owners.md`, section 3).
    pub fn mask_seed(&self, pair_key: &[u8; size::PAIR_KEY]) -> Zeroizing<[u8; size::MASK_SEED]> {
        let mut hash = Shake256::default();
        hash.update(hash_label::OWNERS_ANSWER);
        hash.update(pair_key);
        hash.update(self.answer);
        hash.update(&self.index.to_le_bytes());
        hash.update(&self.generation.to_le_bytes());
        hash.update(self.answering);
        let mut seed = Zeroizing::new([0; size::MASK_SEED]);
        hash.finalize_xof().read(seed.as_mut());
        seed
    }
}

/// Adds the mask of a holder with another one, or subtracts it, so that the masks of both add up to zero.
pub(crate) fn add_mask(
    modulus: Modulus,
    (holder, other): (u8, u8),
    values: &mut [u64],
    mask: &[u64],
) {
    for (value, &mask) in values.iter_mut().zip(mask) {
        *value = match holder < other {
            true => modulus.add(*value, mask),
            false => modulus.subtract(*value, mask),
        };
    }
}
