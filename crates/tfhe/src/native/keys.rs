//! Conversion of keys between devices and tfhe-rs, both ways.

use isopod_wire::{SecretDistribution, TfheParams};
use tfhe::core_crypto::prelude::{GlweSecretKeyOwned, LweSecretKeyOwned, PolynomialSize};
use tfhe::integer::compression_keys::CompressionPrivateKeys;
use tfhe::shortint::client_key::atomic_pattern::{
    AtomicPatternClientKey, StandardAtomicPatternClientKey,
};
use tfhe::shortint::list_compression::CompressionPrivateKeys as BlockCompressionKeys;
use tfhe::{ClientKey, CompactPublicKey, Tag};
use zeroize::Zeroizing;

use super::parameters::{BLOCK_PARAMETERS, RESULT_PARAMETERS};
use crate::{Error, OwnerSecrets, Result};

fn words(bits: &[u8]) -> Vec<u64> {
    bits.iter().map(|&bit| u64::from(bit)).collect()
}

/// The owner's key as tfhe-rs holds it, with that of result packing: a function of the device's key. tfhe-rs does not wipe it.
pub fn client_key(secrets: &OwnerSecrets) -> ClientKey {
    let degree = BLOCK_PARAMETERS.polynomial_size;
    let long = GlweSecretKeyOwned::from_container(words(secrets.device_key()), degree);
    let short = secrets.short_key(BLOCK_PARAMETERS.lwe_dimension.0);
    let short = LweSecretKeyOwned::from_container(words(&short));
    let blocks =
        StandardAtomicPatternClientKey::from_raw_parts(long, short, BLOCK_PARAMETERS.into(), None);
    let key = tfhe::shortint::ClientKey {
        atomic_pattern: AtomicPatternClientKey::Standard(blocks),
    };
    let packing = CompressionPrivateKeys::from_raw_parts(packing_key(secrets));
    ClientKey::from_raw_parts(
        key.into(),
        None,
        Some(packing),
        None,
        None,
        None,
        None,
        None,
        Tag::default(),
    )
}

/// Key under which results are packed.
pub(super) fn packing_key(secrets: &OwnerSecrets) -> BlockCompressionKeys {
    let size = PolynomialSize(RESULT_PARAMETERS.packing_ks_polynomial_size().0);
    BlockCompressionKeys {
        post_packing_ks_key: GlweSecretKeyOwned::from_container(words(&secrets.result_key()), size),
        params: RESULT_PARAMETERS,
    }
}

/// Coefficients with which a device encrypts under a key that tfhe-rs made, for a blob of the device library.
///
/// Errors: a key of other parameters than [`BLOCK_PARAMETERS`].
pub fn device_key(key: &ClientKey) -> Result<Zeroizing<Vec<i8>>> {
    let refused = Error::Key(
        "made under other parameters than tfhe-rs's default, which devices encrypt under",
    );
    if key.computation_parameters() != BLOCK_PARAMETERS.into() {
        return Err(refused);
    }
    let key: &tfhe::integer::ClientKey = key.as_ref();
    let blocks: &tfhe::shortint::ClientKey = key.as_ref();
    let bits = blocks.encryption_key();
    let bits = bits.as_ref().iter().map(|&bit| bit as i8);
    Ok(Zeroizing::new(bits.collect()))
}

/// Polynomials p0 and p1 of a device's public key, from a compact public key (`[JOYE23]`) that tfhe-rs made.
///
/// Errors: a key of other parameters, or a set that is not tfhe-rs's.
pub fn compact_public_key_words(
    key: CompactPublicKey,
    params: &TfheParams,
) -> Result<(Vec<u64>, Vec<u64>)> {
    let degree = params.ring_degree;
    let inner = key.into_raw_parts().0.into_raw_parts();
    let (words, parameters) = inner.into_raw_parts();
    let words = words.into_container();
    let fits = params.secret == SecretDistribution::Binary
        && words.len() == 2 * degree
        && parameters.encryption_lwe_dimension.0 == degree;
    if !fits {
        return Err(Error::Key(
            "a compact public key of another dimension; allowed is that of tfhe-rs's default",
        ));
    }
    let (mask, body) = words.split_at(degree);
    // p0 = -X * pa(1/X), p1 = pb(1/X): `spec/tfhe.md`, section 6.
    let p0 = [mask[1].wrapping_neg(), mask[0].wrapping_neg()];
    let p0 = p0.into_iter().chain(mask[2..].iter().rev().copied());
    let p1 = body[1..].iter().rev().map(|word| word.wrapping_neg());
    let p1 = std::iter::once(body[0]).chain(p1);
    Ok((p0.collect(), p1.collect()))
}
