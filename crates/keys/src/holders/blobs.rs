//! Blobs of a key that several owners hold: the public key, and the key of zeros that reads opened answers.

use isopod_wire::codes::size;
use isopod_wire::{BlobKind, BoardShare, KeyBlob, KeyId, ParameterSet};
use sha3::{Digest, Sha3_256};

use zeroize::Zeroizing;

use crate::key_id;
use crate::secret::SecretBytes;

/// The blob of a public key (pk0, pk1), given by canonical residues in NTT order, and its name. pk1 is the mask of the seed.
pub fn joint_public_blob(
    params: &'static ParameterSet,
    mask_seed: &[u8; size::MASK_SEED],
    [pk0, pk1]: [&[Vec<u64>]; 2],
) -> (Vec<u8>, KeyId) {
    let key_id = key_id::of_public(params, mask_seed, pk0);
    let words = |(residues, &prime): (&Vec<u64>, &u64)| words(params.word_bytes(), residues, prime);
    let primes = params.data_primes.iter();
    let pairs = pk0.iter().zip(pk1).zip(primes);
    let polynomials =
        pairs.flat_map(|((pk0, pk1), prime)| [words((pk0, prime)), words((pk1, prime))]);
    let payload = [mask_seed.to_vec(), polynomials.flatten().collect()].concat();
    (sealed(BlobKind::Public, params, &key_id, &payload), key_id)
}

/// The blob of a secret key of zeros. It decrypts what holders opened together, where nothing is left to decrypt.
pub fn zero_key_blob(params: &'static ParameterSet, key_id: &KeyId) -> Vec<u8> {
    let kind = BlobKind::SecretTernary;
    // A coefficient is its value and one, in two bits.
    let payload = vec![0b0101_0101; kind.payload_bytes(params)];
    sealed(kind, params, key_id, &payload)
}

/// The blob of a share for a board, given by canonical residues in NTT order.
pub fn board_share_blob(head: &BoardShare<'_>, share: &[Vec<u64>]) -> SecretBytes {
    let params = head.invitation.params;
    let (head, before) = head.head();
    let mut payload = Zeroizing::new(Vec::with_capacity(
        before.len() + 4 * share.len() * params.ring_degree,
    ));
    payload.extend_from_slice(&Zeroizing::new(before));
    for (residues, &prime) in share.iter().zip(params.data_primes) {
        payload.extend_from_slice(&Zeroizing::new(words(params.word_bytes(), residues, prime)));
    }
    Zeroizing::new(with_digest(&head, &payload))
}

/// Residues in Montgomery form, in words of `width` bytes. The division is that of the owner's machine.
fn words(width: usize, residues: &[u64], prime: u64) -> Vec<u8> {
    let word = |&residue: &u64| {
        let montgomery = (u128::from(residue) << (8 * width)) % u128::from(prime);
        montgomery.to_le_bytes().into_iter().take(width)
    };
    residues.iter().flat_map(word).collect()
}

fn sealed(
    kind: BlobKind,
    params: &'static ParameterSet,
    key_id: &KeyId,
    payload: &[u8],
) -> Vec<u8> {
    with_digest(&KeyBlob::head(kind, params, key_id), payload)
}

fn with_digest(head: &[u8], payload: &[u8]) -> Vec<u8> {
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize();
    [head, &digest[..], payload].concat()
}
