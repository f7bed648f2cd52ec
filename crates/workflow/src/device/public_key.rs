//! Key blobs of devices, before anything is encrypted with them: what `isopod_keys` verifies, and the half of a public key that
//! follows from its seed, which only the device library expands.

use isopod_device::expand_mask;
use isopod_keys::{verify_blob, verify_tfhe_blob};
use isopod_wire::codes::size::MASK_SEED;
use isopod_wire::{AnySet, BlobKind, KeyBlob, Suite, TfheBlob};

use crate::{Error, Result};

/// Reads a blob of any kind and verifies it, with every residue of a whole public key.
///
/// # Errors
/// [`Error::Wire`], [`Error::Keys`], and those of [`check_mask`].
pub(crate) fn verified(bytes: &[u8]) -> Result<AnySet> {
    if let Ok(blob) = TfheBlob::read(bytes) {
        verify_tfhe_blob(&blob)?;
        return Ok(AnySet::Tfhe(blob.params));
    }
    let blob = KeyBlob::read(bytes)?;
    verify_blob(&blob)?;
    check_mask(&blob)?;
    Ok(AnySet::Rns(blob.params))
}

/// Refuses a public key, whole or split, whose pk1 is not the mask of its seed (`spec/wire.md`, section 5). The other kinds do
/// not hold a pk1.
///
/// # Errors
/// [`Error::Mask`].
pub fn check_mask(blob: &KeyBlob<'_>) -> Result<()> {
    let (params, width) = (blob.params, blob.params.word_bytes());
    let first = match blob.kind {
        BlobKind::Public => 0,
        BlobKind::PublicPrime(prime) => usize::from(prime),
        _ => return Ok(()),
    };
    let masks = expand_mask(params, Suite::Chacha20, &blob.payload[..MASK_SEED])?;
    let bytes = params.ring_degree * width;
    let pairs = blob.payload[blob.kind.prefix_bytes(params)..].chunks_exact(2 * bytes);
    for ((pair, mask), &prime) in pairs.zip(&masks[first..]).zip(&params.data_primes[first..]) {
        let stored = pair[bytes..].chunks_exact(width).map(word);
        let differs = |(stored, &residue)| stored != montgomery(residue, prime, width);
        if let Some(position) = stored.zip(mask).position(differs) {
            return Err(Error::Mask { prime, position });
        }
    }
    Ok(())
}

/// A little-endian word of 4 or 8 bytes.
fn word(bytes: &[u8]) -> u64 {
    let next = |word, &byte: &u8| word << 8 | u64::from(byte);
    bytes.iter().rev().fold(0, next)
}

fn montgomery(residue: u64, prime: u64, width: usize) -> u64 {
    ((u128::from(residue) << (8 * width)) % u128::from(prime)) as u64
}
