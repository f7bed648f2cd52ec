//! Public keys in one blob per prime, for boards that cannot hold a whole one.

use isopod_wire::codes::size::MASK_SEED;
use isopod_wire::{BlobKind, KeyBlob, WireError};
use sha3::{Digest, Sha3_256};

use crate::blob::verify_blob;
use crate::error::{KeysError, Result};
use crate::key_id;

/// Splits a public key's blob, plain or seeded, into one blob per prime, in order.
///
/// Errors: [`KeysError::Blob`] for a blob of another kind, and those of [`verify_blob`].
pub fn split_public_key(bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let blob = KeyBlob::read(bytes).map_err(KeysError::Blob)?;
    let kind: fn(u16) -> BlobKind = match blob.kind {
        BlobKind::Public => BlobKind::PublicPrime,
        BlobKind::SeededPublic => BlobKind::SeededPublicPrime,
        other => {
            return Err(KeysError::Blob(WireError::UnknownKind {
                found: other.number().into(),
                allowed: "1 or 2, a whole public key",
            }))
        }
    };
    verify_blob(&blob)?;
    let (seed, residues) = blob.payload.split_at(MASK_SEED);
    let prefix = [seed, &key_id::digests(&blob).concat()].concat();
    let each = residues.len() / blob.params.data_primes.len();
    let parts = residues.chunks_exact(each).zip(0..);
    Ok(parts
        .map(|(part, prime)| seal(&blob, kind(prime), [&prefix, part]))
        .collect())
}

fn seal(whole: &KeyBlob<'_>, kind: BlobKind, payload: [&[u8]; 2]) -> Vec<u8> {
    let head = KeyBlob::head(kind, whole.params, &whole.key_id);
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload[0])
        .chain_update(payload[1])
        .finalize();
    [&head, &digest[..], payload[0], payload[1]].concat()
}
