//! Verification of key blobs (`spec/wire.md`, section 5): digest, exact length, and range of every value.

use isopod_wire::codes::key_blob::HEAD_BYTES;
use isopod_wire::codes::size;
use isopod_wire::{
    AnySet, BlobKind, KeyBlob, KeyId, ParameterSet, SecretDistribution, TfheBlob, TfheBlobKind,
    WireError,
};
use sha3::{Digest, Sha3_256};

use crate::error::{KeysError, Result};
use crate::key_id::{self, word};
use crate::pad_master::PadMaster;

/// Verifies what parsing does not: the digest, the range of every value, and a public key's id.
///
/// Errors: [`KeysError::Digest`], [`KeysError::SecretRange`], [`KeysError::Residue`], [`KeysError::KeyId`].
pub fn verify_blob(blob: &KeyBlob<'_>) -> Result<()> {
    check_digest(blob.head, blob.payload, blob.digest)?;
    check_payload(blob.kind, blob.params, blob.payload)?;
    key_id::check(blob)
}

/// Verifies a TFHE blob like [`verify_blob`]; every word of a public key is in range.
///
/// Errors: [`KeysError::Digest`], [`KeysError::SecretRange`], [`KeysError::KeyId`].
pub fn verify_tfhe_blob(blob: &TfheBlob<'_>) -> Result<()> {
    check_digest(blob.head, blob.payload, blob.digest)?;
    match (blob.kind, blob.params.secret) {
        (TfheBlobKind::Secret, SecretDistribution::Ternary) => check_ternary(blob.payload),
        (TfheBlobKind::SecretTransformed, _) => check_below(blob.params.prime, blob.payload),
        _ => key_id::check_tfhe(blob),
    }
}

/// Verifies the blob in which an owner keeps the secret key, of any scheme. That of pads is verified by its identity alone.
///
/// Errors: [`KeysError::Blob`] for another kind of blob, and those of [`verify_blob`].
pub(crate) fn verify_secret(bytes: &[u8]) -> Result<(AnySet, KeyId)> {
    if let Some(master) = PadMaster::of_blob(bytes) {
        return Ok((AnySet::Pads, master.key_id()));
    }
    if let Ok(blob) = TfheBlob::read(bytes) {
        if blob.kind != TfheBlobKind::Secret {
            return Err(other_kind(blob.kind.number()));
        }
        verify_tfhe_blob(&blob)?;
        return Ok((AnySet::Tfhe(blob.params), blob.key_id));
    }
    let blob = KeyBlob::read(bytes).map_err(KeysError::Blob)?;
    if blob.kind != BlobKind::SecretTernary {
        return Err(other_kind(blob.kind.number()));
    }
    verify_blob(&blob)?;
    Ok((AnySet::Rns(blob.params), blob.key_id))
}

fn other_kind(number: u32) -> KeysError {
    KeysError::Blob(WireError::UnknownKind {
        found: number.into(),
        allowed: "3 or 19, a secret key that is not transformed",
    })
}

fn check_digest(
    head: &[u8; HEAD_BYTES],
    payload: &[u8],
    stated: &[u8; size::DIGEST],
) -> Result<()> {
    let computed = digest(head, payload);
    let difference = computed
        .iter()
        .zip(stated)
        .fold(0, |sum, (one, other)| sum | (one ^ other));
    if difference != 0 {
        return Err(KeysError::Digest);
    }
    Ok(())
}

/// Checks that the words of a secret key are below a prime; reads all of them and tells only whether all are.
fn check_below(prime: u64, payload: &[u8]) -> Result<()> {
    let outside = payload.chunks_exact(4).fold(0, |found, word| {
        let value = u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        found | (prime - 1).wrapping_sub(value) >> 63
    });
    if outside == 0 {
        return Ok(());
    }
    Err(KeysError::SecretRange)
}

fn digest(head: &[u8; HEAD_BYTES], payload: &[u8]) -> [u8; size::DIGEST] {
    Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize()
        .into()
}

fn check_payload(kind: BlobKind, params: &ParameterSet, payload: &[u8]) -> Result<()> {
    let one = |prime: u16| &params.data_primes[usize::from(prime)..][..1];
    let words = |primes, polynomials, secret| Words {
        primes,
        bytes: params.word_bytes(),
        count: polynomials * params.ring_degree,
        secret,
    };
    let polynomials = &payload[kind.prefix_bytes(params)..];
    let all = params.data_primes;
    match kind {
        BlobKind::SecretTernary => check_ternary(payload),
        BlobKind::SecretNtt => words(all, 1, true).check(polynomials),
        BlobKind::SeededPublic => words(all, 1, false).check(polynomials),
        BlobKind::Public => words(all, 2, false).check(polynomials),
        BlobKind::SeededPublicPrime(prime) => words(one(prime), 1, false).check(polynomials),
        BlobKind::PublicPrime(prime) => words(one(prime), 2, false).check(polynomials),
    }
}

/// Checks that no coefficient has the unused code 3; reads all of them, so that the time does not depend on the key.
fn check_ternary(payload: &[u8]) -> Result<()> {
    let invalid = payload
        .iter()
        .fold(0, |found, byte| found | (byte & (byte >> 1) & 0x55));
    if invalid == 0 {
        return Ok(());
    }
    Err(KeysError::SecretRange)
}

/// Shape of residues that are stored as words.
struct Words<'a> {
    primes: &'a [u64],
    /// Bytes of a word.
    bytes: usize,
    /// Words per prime.
    count: usize,
    secret: bool,
}

impl Words<'_> {
    /// Refuses words that are not below their prime. For a secret key it reads all words of a prime and tells only whether
    /// one is out of range.
    fn check(&self, payload: &[u8]) -> Result<()> {
        let polynomials = payload.chunks(self.bytes * self.count);
        for (&prime, polynomial) in self.primes.iter().zip(polynomials) {
            let values = polynomial.chunks_exact(self.bytes).map(word);
            let outside = values.clone().fold(0, |found, value| {
                found | (value >> 63) | (prime - 1).wrapping_sub(value) >> 63
            });
            if outside == 0 {
                continue;
            }
            let found = (!self.secret).then(|| values.clone().position(|value| value >= prime));
            let residue = |position| KeysError::Residue { prime, position };
            return Err(found.flatten().map_or(KeysError::SecretRange, residue));
        }
        Ok(())
    }
}
