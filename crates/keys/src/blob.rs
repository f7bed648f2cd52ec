//! Key blobs: digest, exact length, and every value in range.

use isopod_wire::{BlobKind, KeyBlob, ParameterSet, BLOB_HEAD_BYTES};
use sha3::{Digest, Sha3_256};

use crate::{KeysError, Result};

/// Checks what reading left open: the digest, and that every value is in range.
///
/// Errors: [`KeysError::Digest`], [`KeysError::SecretRange`], [`KeysError::Residue`].
pub fn verify_blob(blob: &KeyBlob<'_>) -> Result<()> {
    let computed = digest(blob.head, blob.payload);
    let difference = computed
        .iter()
        .zip(blob.digest)
        .fold(0, |sum, (one, other)| sum | (one ^ other));
    if difference != 0 {
        return Err(KeysError::Digest);
    }
    check_payload(blob.kind, blob.params, blob.payload)
}

fn digest(head: &[u8; BLOB_HEAD_BYTES], payload: &[u8]) -> [u8; 32] {
    Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize()
        .into()
}

fn check_payload(kind: BlobKind, params: &ParameterSet, payload: &[u8]) -> Result<()> {
    let degree = params.ring_degree;
    match kind {
        BlobKind::SecretTernary => check_ternary(payload),
        BlobKind::SecretNtt => check_words(params, payload, degree, true),
        BlobKind::SeededPublic => check_words(params, &payload[32..], degree, false),
        BlobKind::Public => check_words(params, payload, 2 * degree, false),
    }
}

/// Looks at every field, whatever it finds: the time does not depend on the key.
fn check_ternary(payload: &[u8]) -> Result<()> {
    let invalid = payload
        .iter()
        .fold(0, |found, byte| found | (byte & (byte >> 1) & 0x55));
    if invalid == 0 {
        return Ok(());
    }
    Err(KeysError::SecretRange)
}

/// Words below their prime; of a secret key only whether all are is told, and all are looked at.
fn check_words(params: &ParameterSet, payload: &[u8], words: usize, secret: bool) -> Result<()> {
    for (&prime, polynomial) in params.data_primes.iter().zip(payload.chunks(4 * words)) {
        let values = polynomial
            .chunks_exact(4)
            .map(|word| u64::from(u32::from_le_bytes([word[0], word[1], word[2], word[3]])));
        let outside = values.clone().fold(0, |found, value| {
            found | (prime - 1).wrapping_sub(value) >> 63
        });
        if outside == 0 {
            continue;
        }
        let position = if secret {
            None
        } else {
            values.clone().position(|value| value >= prime)
        };
        return Err(
            position.map_or(KeysError::SecretRange, |position| KeysError::Residue {
                prime,
                position,
            }),
        );
    }
    Ok(())
}
