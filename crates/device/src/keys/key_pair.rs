//! Key generation of CKKS and BFV by the C library (`spec/ckks.md`, section 7): entropy, payloads in pieces, headers.

use crate::encrypt::encryption::workspace_of;
use crate::entropy::EntropySource;
use crate::error::{DeviceError, Result};
use crate::key::{aligned, SecretBlob};
use crate::pull::{pull, PIECE};
use crate::tables::SetTables;
use crate::word::Word;
use isopod_sys::*;
use isopod_wire::{BlobKind, KeyId, ParameterSet, BLOB_HEADER_BYTES};
use std::ffi::c_int;
use std::marker::PhantomData;
use zeroize::Zeroizing;

/// A fresh key pair of one set, in all forms that devices hold (spec/wire.md, section 5).
pub struct KeyPair {
    /// Name of the pair on the wire.
    pub key_id: KeyId,
    /// The seed of pk1, then pk0 and pk1 of each prime.
    pub public_blob: Vec<u8>,
    /// The seed of pk1, then pk0 of each prime: half the flash for a little more time.
    pub seeded_public_blob: Vec<u8>,
    /// The secret key, two bits per coefficient.
    pub secret_blob: SecretBlob,
    /// -NTT(s) of each prime: more flash, less time.
    pub secret_ntt_blob: SecretBlob,
}

impl KeyPair {
    /// Generates a pair from the system's entropy.
    ///
    /// Errors: [`DeviceError::Entropy`]; [`DeviceError::Parameters`] for a set unknown to the C library.
    pub fn generate(set: &'static ParameterSet) -> Result<Self> {
        match set.word_bytes() {
            8 => generate::<u64>(set),
            _ => generate::<u32>(set),
        }
    }
}

fn generate<W: Word>(set: &'static ParameterSet) -> Result<KeyPair> {
    let n = set.ring_degree;
    let tables = SetTables::build(set)?;
    let mut entropy = EntropySource::system();
    // ISOPOD_KEY_PAIR_WORKSPACE bytes, for one chunk.
    let bytes = ISOPOD_WORKSPACE_OWNER_BYTES + n * 5 / 4 + 2 * size_of::<W>() * n;
    let mut memory = vec![0u64; bytes.div_ceil(8)];
    let workspace = workspace_of(&mut memory);
    let config = isopod_key_pair_config {
        params: tables.params,
        tables: &tables.tables,
        chunks: 1,
    };
    let mut pair = isopod_key_pair::default();
    let mut generation = Generation::<W> {
        pair: &mut pair,
        config: &config,
        set,
        word: PhantomData,
    };
    generation.begin(&workspace, &mut entropy)?;
    let key_id = generation.key_id()?;
    Ok(KeyPair {
        key_id,
        public_blob: generation.blob(BlobKind::Public, &key_id)?.to_vec(),
        seeded_public_blob: generation.blob(BlobKind::SeededPublic, &key_id)?.to_vec(),
        secret_blob: generation.blob(BlobKind::SecretTernary, &key_id)?,
        secret_ntt_blob: generation.blob(BlobKind::SecretNtt, &key_id)?,
    })
}

/// The generation of one pair. Its workspace holds the secret key; dropping it wipes pair and workspace.
struct Generation<'a, W: Word> {
    pair: &'a mut isopod_key_pair,
    config: &'a isopod_key_pair_config,
    set: &'static ParameterSet,
    word: PhantomData<W>,
}

#[allow(unsafe_code)]
impl<'a, W: Word> Generation<'a, W> {
    /// Takes entropy and makes the secret key. The workspace stays alive and unmoved as long as the generation.
    fn begin(
        &mut self,
        workspace: &'a isopod_workspace,
        entropy: &mut EntropySource,
    ) -> Result<()> {
        let begin = W::CALLS.key_pair_begin;
        // SAFETY: what configuration and workspace point to outlives the generation.
        checked(unsafe { begin(self.pair, self.config, workspace, entropy.pointer()) })
    }

    /// Generates the whole payload of a blob of this kind.
    fn payload(&mut self, kind: BlobKind) -> Result<SecretBlob> {
        let mut payload = Zeroizing::new(vec![0; kind.payload_bytes(self.set)]);
        // SAFETY: a pair that has begun.
        checked(unsafe { (W::CALLS.key_pair_payload)(self.pair, kind.number() as c_int) })?;
        pull(
            &mut Zeroizing::new([0; PIECE]),
            // SAFETY: a payload that has begun; at most the capacity is written.
            |out, capacity, piece| unsafe {
                (W::CALLS.key_pair_next)(self.pair, out, capacity, piece)
            },
            |piece: isopod_key_piece, bytes| {
                let (at, length) = (piece.offset as usize, piece.length as usize);
                payload[at..at + length].copy_from_slice(&bytes[..length]);
            },
        )?;
        Ok(payload)
    }

    /// Computes the name of the pair, which follows from its public payload.
    fn key_id(&mut self) -> Result<KeyId> {
        let mut key_id = KeyId::default();
        let kind = BlobKind::SeededPublic;
        let payload = aligned(&self.payload(kind)?);
        // SAFETY: 16 bytes of output; a payload of its kind, 8-byte aligned.
        checked(unsafe {
            (W::CALLS.key_identify)(
                key_id.as_mut_ptr(),
                self.config.params,
                kind.number() as c_int,
                payload.as_ptr().cast(),
            )
        })?;
        Ok(key_id)
    }

    /// Generates a blob: header with digest, then payload.
    fn blob(&mut self, kind: BlobKind, key_id: &KeyId) -> Result<SecretBlob> {
        let payload = self.payload(kind)?;
        let words = aligned(&payload);
        let mut blob = Zeroizing::new(vec![0; BLOB_HEADER_BYTES + payload.len()]);
        blob[BLOB_HEADER_BYTES..].copy_from_slice(&payload);
        // SAFETY: 80 bytes of output; a payload of its kind, 8-byte aligned; an identity of 16 bytes.
        checked(unsafe {
            (W::CALLS.key_header)(
                blob.as_mut_ptr(),
                self.config.params,
                kind.number() as c_int,
                words.as_ptr().cast(),
                key_id.as_ptr(),
            )
        })?;
        Ok(blob)
    }
}

#[allow(unsafe_code)]
impl<W: Word> Drop for Generation<'_, W> {
    fn drop(&mut self) {
        // SAFETY: a pair that has begun or failed to; its configuration is still alive.
        unsafe { (W::CALLS.key_pair_close)(self.pair) }
    }
}

fn checked(status: c_int) -> Result<()> {
    match status {
        ISOPOD_OK => Ok(()),
        ISOPOD_ERROR_ENTROPY => Err(DeviceError::Entropy),
        other => Err(DeviceError::Internal(other)),
    }
}
