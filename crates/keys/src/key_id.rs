//! The key id of a public key, which binds all that devices encrypt with (`spec/wire.md`, section 5).

use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20::ChaCha20;
use isopod_wire::codes::{hash_label, size};
use isopod_wire::{
    pack, BlobKind, KeyBlob, KeyId, ParameterSet, TfheBlob, TfheBlobKind, TfheParams,
};
use sha3::{Digest, Sha3_256};

use crate::error::{KeysError, Result};

/// Domain of the stream that a seeded TFHE key's first polynomial is (`spec/tfhe.md`, section 5).
const MASK_DOMAIN: u32 = 1;

type Hash = [u8; size::DIGEST];

/// Refuses a public key under another key's id; secret keys do not have what the id is computed of.
pub(crate) fn check(blob: &KeyBlob<'_>) -> Result<()> {
    match blob.kind {
        BlobKind::SecretTernary | BlobKind::SecretNtt => Ok(()),
        BlobKind::Public | BlobKind::SeededPublic => {
            let (seed, _) = blob.payload.split_at(size::MASK_SEED);
            compare(&blob.key_id, &key_id(blob.params, seed, &digests(blob)))
        }
        BlobKind::PublicPrime(prime) | BlobKind::SeededPublicPrime(prime) => {
            check_part(blob, prime)
        }
    }
}

/// Refuses a part of a split key whose list of digests is not the key's, or whose polynomial is not in the list.
fn check_part(blob: &KeyBlob<'_>, prime: u16) -> Result<()> {
    let (seed, list) = prefix(blob).split_at(size::MASK_SEED);
    let list: Vec<Hash> = list.chunks_exact(size::DIGEST).map(hash).collect();
    compare(&blob.key_id, &key_id(blob.params, seed, &list))?;
    compare(&digests(blob)[0], &list[usize::from(prime)])
}

/// Refuses a public TFHE key under another key's id; secret keys do not have what the id is computed of.
pub(crate) fn check_tfhe(blob: &TfheBlob<'_>) -> Result<()> {
    let (first, rest) = match blob.kind {
        TfheBlobKind::Public => (Vec::new(), blob.payload),
        TfheBlobKind::SeededPublic => {
            let (seed, second) = blob.payload.split_at(size::MASK_SEED);
            (first_polynomial(blob.params, seed)?, second)
        }
        TfheBlobKind::Secret | TfheBlobKind::SecretTransformed => return Ok(()),
    };
    let digest = Sha3_256::new()
        .chain_update(hash_label::TFHE_KEY_ID)
        .chain_update(blob.params.set_id)
        .chain_update(first)
        .chain_update(rest)
        .finalize();
    compare(&blob.key_id, &digest[..size::KEY_ID])
}

/// The words of a seeded TFHE key's first polynomial.
fn first_polynomial(params: &TfheParams, seed: &[u8]) -> Result<Vec<u8>> {
    let mut nonce = [0; 12];
    nonce[..4].copy_from_slice(&MASK_DOMAIN.to_le_bytes());
    let mut stream = ChaCha20::new_from_slices(seed, &nonce).map_err(|_| KeysError::KeyId)?;
    let mut words = vec![0; params.ring_degree * params.word_bytes()];
    stream.apply_keystream(&mut words);
    Ok(words)
}

fn compare(found: &[u8], computed: &[u8]) -> Result<()> {
    if found == computed {
        return Ok(());
    }
    Err(KeysError::KeyId)
}

fn hash(bytes: &[u8]) -> Hash {
    let mut hash = Hash::default();
    hash.copy_from_slice(bytes);
    hash
}

fn key_id(params: &ParameterSet, seed: &[u8], digests: &[Hash]) -> KeyId {
    let digest = Sha3_256::new()
        .chain_update(hash_label::KEY_ID)
        .chain_update(params.set_id)
        .chain_update(seed)
        .chain_update(digests.concat())
        .finalize();
    let mut id = KeyId::default();
    id.copy_from_slice(&digest[..size::KEY_ID]);
    id
}

/// Start of a public key's payload, before its polynomials.
fn prefix<'a>(blob: &KeyBlob<'a>) -> &'a [u8] {
    &blob.payload[..blob.kind.prefix_bytes(blob.params)]
}

/// The digest of the packed canonical pk0 of each prime that the blob has.
pub(crate) fn digests(blob: &KeyBlob<'_>) -> Vec<Hash> {
    let (params, polynomials) = (blob.params, &blob.payload[prefix(blob).len()..]);
    let primes = match blob.kind.prime() {
        Some(prime) => &params.data_primes[prime..=prime],
        None => params.data_primes,
    };
    let each = polynomials.len() / primes.len();
    let pk0 = params.ring_degree * params.word_bytes();
    let of_prime =
        |(&prime, words): (&u64, &[u8])| digest(prime, params.word_bytes(), &words[..pk0]);
    primes
        .iter()
        .zip(polynomials.chunks_exact(each))
        .map(of_prime)
        .collect()
}

fn digest(prime: u64, width: usize, words: &[u8]) -> Hash {
    let factor = inverse_of_radix(prime, 8 * width as u32);
    let canonical =
        |bytes| (u128::from(word(bytes)) * u128::from(factor) % u128::from(prime)) as u64;
    let values: Vec<u64> = words.chunks_exact(width).map(canonical).collect();
    packed_digest(prime, &values)
}

fn packed_digest(prime: u64, canonical: &[u64]) -> Hash {
    let bits = u64::BITS - prime.leading_zeros();
    Sha3_256::digest(pack(bits, canonical)).into()
}

/// The key id of a public key, given by the canonical residues of pk0.
pub(crate) fn of_public(params: &ParameterSet, seed: &[u8], pk0: &[Vec<u64>]) -> KeyId {
    let primes = params.data_primes.iter();
    let digests: Vec<Hash> = primes
        .zip(pk0)
        .map(|(&prime, residues)| packed_digest(prime, residues))
        .collect();
    key_id(params, seed, &digests)
}

/// 2^-bits modulo an odd prime: half of an odd value is half of the value plus the prime.
fn inverse_of_radix(prime: u64, bits: u32) -> u64 {
    (0..bits).fold(1, |value: u64, _| (value + value % 2 * prime) / 2)
}

/// Reads a little-endian word of 4 or 8 bytes.
pub(crate) fn word(bytes: &[u8]) -> u64 {
    let next = |word, &byte: &u8| word << 8 | u64::from(byte);
    bytes.iter().rev().fold(0, next)
}

#[cfg(test)]
mod tests {
    use super::inverse_of_radix;

    #[test]
    fn the_inverse_undoes_the_radix() {
        for (prime, bits) in [(67_104_769, 32), (1_152_921_504_606_830_593, 64)] {
            let inverse = u128::from(inverse_of_radix(prime, bits));
            assert_eq!((inverse << bits) % u128::from(prime), 1);
        }
    }
}
