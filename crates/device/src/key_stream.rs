//! A key pair as a device makes it: entropy once, then payloads in pieces, then headers.

use crate::encryptor::{words_of, EntropySource};
use crate::key_pair::SecretBlob;
use crate::tables::SetTables;
use crate::{ffi, ffi_key_pair, DeviceError, Result};
use isopod_wire::{BlobKind, KeyId, ParameterSet, BLOB_HEADER_BYTES};
use std::ffi::c_int;
use zeroize::Zeroizing;

/// Bytes of a piece.
const PIECE: usize = 4096;
const ENTROPY: c_int = -10;

/// The generation of one pair. Its workspace holds the secret key until it is dropped.
pub(crate) struct KeyStream {
    set: &'static ParameterSet,
    calls: &'static ffi_key_pair::Calls,
    pair: ffi_key_pair::Pair,
    /// What the pair's configuration points to, none of which moves.
    config: Box<ffi_key_pair::Config>,
    _tables: Box<SetTables>,
    _entropy: Box<EntropySource>,
    _workspace: Vec<u64>,
}

#[allow(unsafe_code)]
impl KeyStream {
    pub(crate) fn new(set: &'static ParameterSet) -> Result<Self> {
        let n = set.ring_degree;
        let tables = Box::new(SetTables::build(set)?);
        let mut entropy = Box::new(EntropySource::new());
        let mut workspace = vec![0u64; (n * 5 / 4 + 2 * set.word_bytes() * n).div_ceil(8)];
        let config = Box::new(ffi_key_pair::Config {
            params: tables.params,
            tables: &tables.tables,
            entropy: entropy.get(),
            workspace: workspace.as_mut_ptr().cast(),
            workspace_bytes: workspace.len() * 8,
            chunks: 1,
        });
        let mut stream = Self {
            set,
            calls: if set.is_wide() {
                &ffi_key_pair::WIDE
            } else {
                &ffi_key_pair::NARROW
            },
            // SAFETY: plain data, for which zeroes are a valid value.
            pair: unsafe { std::mem::zeroed() },
            config,
            _tables: tables,
            _entropy: entropy,
            _workspace: workspace,
        };
        // SAFETY: everything that the configuration points to is on the heap and lives in the stream.
        checked(unsafe { (stream.calls.begin)(&mut stream.pair, &*stream.config) })?;
        Ok(stream)
    }

    /// The whole payload of a blob of this kind.
    fn payload(&mut self, kind: BlobKind) -> Result<SecretBlob> {
        let mut payload = Zeroizing::new(vec![0; kind.payload_bytes(self.set)]);
        let mut buffer = Zeroizing::new([0; PIECE]);
        let number = kind.number() as c_int;
        // SAFETY: a pair that begun.
        checked(unsafe { (self.calls.payload)(&mut self.pair, number) })?;
        loop {
            let mut piece = ffi_key_pair::Piece::default();
            let (out, capacity) = (buffer.as_mut_ptr(), buffer.len());
            // SAFETY: the buffer's own capacity is given.
            let status = unsafe { (self.calls.next)(&mut self.pair, out, capacity, &mut piece) };
            if status == ffi::DONE {
                return Ok(payload);
            }
            checked(status)?;
            let (at, length) = (piece.offset as usize, piece.length as usize);
            payload[at..at + length].copy_from_slice(&buffer[..length]);
        }
    }

    /// The name of the pair, which follows from its public payload.
    pub(crate) fn key_id(&mut self) -> Result<KeyId> {
        let mut key_id = KeyId::default();
        let kind = BlobKind::SeededPublic;
        let payload = words_of(&self.payload(kind)?);
        // SAFETY: 16 bytes of output; a payload of its kind, 8-byte aligned; a seed of 32 bytes.
        checked(unsafe {
            (self.calls.identify)(
                key_id.as_mut_ptr(),
                self.config.params,
                kind.number() as c_int,
                payload.as_ptr(),
                self.pair.mask_seed.as_ptr(),
            )
        })?;
        Ok(key_id)
    }

    /// A blob: header, digest and payload.
    pub(crate) fn blob(&mut self, kind: BlobKind, key_id: &KeyId) -> Result<SecretBlob> {
        let payload = self.payload(kind)?;
        let words = words_of(&payload);
        let mut blob = Zeroizing::new(vec![0; BLOB_HEADER_BYTES + payload.len()]);
        blob[BLOB_HEADER_BYTES..].copy_from_slice(&payload);
        // SAFETY: 80 bytes of output; a payload of its kind, 8-byte aligned; an identity of 16 bytes.
        checked(unsafe {
            (self.calls.header)(
                blob.as_mut_ptr(),
                self.config.params,
                kind.number() as c_int,
                words.as_ptr(),
                key_id.as_ptr(),
            )
        })?;
        Ok(blob)
    }
}

#[allow(unsafe_code)]
impl Drop for KeyStream {
    fn drop(&mut self) {
        // SAFETY: a pair that begun, or failed to; its configuration still stands.
        unsafe { (self.calls.close)(&mut self.pair) }
    }
}

fn checked(status: c_int) -> Result<()> {
    match status {
        ffi::OK => Ok(()),
        ENTROPY => Err(DeviceError::Entropy),
        other => Err(DeviceError::Internal(other)),
    }
}
