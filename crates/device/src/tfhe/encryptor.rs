//! Encrypt + frame booleans and integers, as a device does it.

use std::ffi::{c_int, c_void};

use super::{ffi, find_set, twiddles};
use crate::encryptor::{words_of, EntropySource};
use crate::{DeviceError, Identity, Result};
use isopod_wire::{Label, Schema, TfheBlob, TfheBlobKind, TfheParams, TfheSuite, ValueType};
use zeroize::Zeroizing;

/// How values become ciphertexts.
#[derive(Debug, Clone, Copy)]
pub struct TfheEncoding {
    /// Randomness suite.
    pub suite: TfheSuite,
    /// Send half of each body: fewer bytes, more noise.
    pub rounded: bool,
    /// With a plain secret key: no polynomial is ever held, and time grows with the number of coefficients.
    pub streaming: bool,
    /// `Label::Bits128`, or another label by explicit choice.
    pub accept_label: Label,
}

/// Encrypts under one key. Holds the key, the set's twiddles and a workspace, which is wiped after every encryption.
pub struct TfheEncryptor {
    set: &'static TfheParams,
    params: *const ffi::Params,
    twiddles: Vec<i32>,
    /// Leads into `blob`, which never moves on the heap.
    key: ffi::Key,
    blob: Zeroizing<Vec<u64>>,
    blob_bytes: usize,
    workspace: Vec<u64>,
    encoding: TfheEncoding,
    is_public: bool,
    entropy: EntropySource,
}

/// Values of one run as the C type of their name.
enum Column {
    Bytes(Vec<u8>),
    Halves(Vec<u16>),
    Words(Vec<u32>),
    Doubles(Vec<u64>),
}

impl Column {
    fn new(of: ValueType, values: &[i128]) -> Self {
        let values = values.iter();
        match of.bits() {
            16 => Self::Halves(values.map(|&value| value as u16).collect()),
            32 => Self::Words(values.map(|&value| value as u32).collect()),
            64 => Self::Doubles(values.map(|&value| value as u64).collect()),
            _ => Self::Bytes(values.map(|&value| value as u8).collect()),
        }
    }

    fn data(&self) -> *const c_void {
        match self {
            Self::Bytes(values) => values.as_ptr().cast(),
            Self::Halves(values) => values.as_ptr().cast(),
            Self::Words(values) => values.as_ptr().cast(),
            Self::Doubles(values) => values.as_ptr().cast(),
        }
    }
}

impl TfheEncryptor {
    /// Opens a key blob, public or secret.
    ///
    /// Errors: a malformed or damaged blob, an unknown set; `streaming` with any other than a plain secret key.
    pub fn new(blob: &[u8], encoding: TfheEncoding) -> Result<Self> {
        let read = TfheBlob::read(blob)?;
        let params = find_set(read.params)?;
        let mut encryptor = Self {
            set: read.params,
            params,
            twiddles: twiddles(params, read.params.ring_degree)?,
            key: ffi::Key {
                params: std::ptr::null(),
                method: std::ptr::null(),
                blob: std::ptr::null(),
                prepared: std::ptr::null(),
                kind: 0,
            },
            blob: words_of(blob),
            blob_bytes: blob.len(),
            workspace: Vec::new(),
            encoding,
            is_public: matches!(read.kind, TfheBlobKind::Public | TfheBlobKind::SeededPublic),
            entropy: EntropySource::new(),
        };
        encryptor.open_key()?;
        Ok(encryptor)
    }

    /// Takes entropy from `bytes` from now on, and fails when they are used up.
    #[cfg(feature = "testing")]
    pub fn with_fixed_entropy(mut self, bytes: Vec<u8>) -> Self {
        self.entropy.fix(bytes);
        self
    }

    /// The set of the key.
    pub fn params(&self) -> &'static TfheParams {
        self.set
    }

    #[allow(unsafe_code)]
    fn open_key(&mut self) -> Result<()> {
        let open = match (self.is_public, self.encoding.streaming) {
            (true, false) => ffi::isopod_tfhe_public_key_open,
            (false, false) => ffi::isopod_tfhe_secret_key_open,
            (false, true) => ffi::isopod_tfhe_stream_key_open,
            (true, true) => return Err(DeviceError::KeyKind("plain secret")),
        };
        // SAFETY: the blob's words live in self, as long as the key, and are never changed.
        let status = unsafe {
            open(
                &mut self.key,
                self.params,
                self.blob.as_ptr().cast(),
                self.blob_bytes,
            )
        };
        match status {
            crate::ffi::OK => Ok(()),
            other => Err(self.error(other)),
        }
    }

    /// One message as an authenticated frame.
    ///
    /// Errors: a value outside of its type; more coefficients than the ring has; every documented one of the C library.
    pub fn encrypt(
        &mut self,
        schema: &Schema,
        values: &[i128],
        identity: &Identity<'_>,
        sequence: u64,
    ) -> Result<Vec<u8>> {
        let sender = crate::ffi::Identity {
            device: identity.device,
            epoch: identity.epoch,
            key: identity.key.as_ptr(),
        };
        self.run(schema, values, |context| {
            collect_frame(context, &sender, sequence)
        })
    }

    /// The bodies of one frame (spec/wire.md, section 6) appended to `out`, without frame and nonce: what encryption itself
    /// costs. Nobody can decrypt a secret key's bodies without their nonce.
    ///
    /// Errors: those of [`TfheEncryptor::encrypt`].
    pub fn encrypt_unframed(
        &mut self,
        schema: &Schema,
        values: &[i128],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.run(schema, values, |context| collect_bodies(context, out))
    }

    /// Begins an encryption, takes what it gives and ends it, however that ended.
    #[allow(unsafe_code)]
    fn run<T>(
        &mut self,
        schema: &Schema,
        values: &[i128],
        collect: impl FnOnce(&mut ffi::Tfhe) -> Result<T>,
    ) -> Result<T> {
        let columns = self.columns(schema, values)?;
        let runs: Vec<ffi::Run> = schema
            .runs()
            .iter()
            .zip(&columns)
            .map(|(run, column)| ffi::Run {
                data: column.data(),
                count: run.count,
                of: run.of.number(),
            })
            .collect();
        let input = ffi::Values {
            runs: runs.as_ptr(),
            count: runs.len() as u8,
        };
        let config = self.config(schema);
        // SAFETY: plain data, for which zeroes are a valid value.
        let mut context: ffi::Tfhe = unsafe { std::mem::zeroed() };
        // SAFETY: every pointer in `config` and `input` outlives the call and the context.
        let status = unsafe { ffi::isopod_tfhe_begin(&mut context, &config, &input) };
        if status != crate::ffi::OK {
            return Err(self.error(status));
        }
        let collected = collect(&mut context);
        // SAFETY: a context that begun; harmless after its end.
        unsafe { ffi::isopod_tfhe_abort(&mut context) };
        collected
    }

    /// One array per run, every value within its type.
    fn columns(&self, schema: &Schema, values: &[i128]) -> Result<Vec<Column>> {
        let (found, max) = (schema.blocks(self.set.message_bits), self.set.ring_degree);
        if found > max {
            let set = self.set.name;
            return Err(DeviceError::Coefficients { found, set, max });
        }
        schema.encode(values, self.set.message_bits)?;
        let mut rest = values;
        let column = |run: &isopod_wire::Run| {
            let (head, tail) = rest.split_at(usize::from(run.count));
            rest = tail;
            Column::new(run.of, head)
        };
        Ok(schema.runs().iter().map(column).collect())
    }

    #[allow(unsafe_code)]
    fn config(&mut self, schema: &Schema) -> ffi::Config {
        let whole = self.set.word_bytes() as u8;
        let mut config = ffi::Config {
            params: self.params,
            twiddles: self.twiddles.as_ptr(),
            suite: match self.encoding.suite {
                TfheSuite::Chacha20 => &raw const ffi::isopod_tfhe_chacha20,
                TfheSuite::Shake256 => &raw const ffi::isopod_tfhe_shake256,
                TfheSuite::Aes128 => &raw const ffi::isopod_tfhe_aes128,
            },
            key: &self.key,
            entropy: self.entropy.get(),
            workspace: std::ptr::null_mut(),
            workspace_bytes: 0,
            width: if self.encoding.rounded {
                whole / 2
            } else {
                whole
            },
            accept_label: crate::encryptor::label_number(self.encoding.accept_label),
        };
        let coefficients = schema.blocks(self.set.message_bits) as u32;
        // SAFETY: the key of the configuration is open.
        let bytes = unsafe { ffi::isopod_tfhe_workspace_bytes(&config, coefficients) };
        if self.workspace.len() * 8 < bytes {
            self.workspace.resize(bytes.div_ceil(8), 0);
        }
        config.workspace = self.workspace.as_mut_ptr().cast();
        config.workspace_bytes = self.workspace.len() * 8;
        config
    }

    fn error(&self, status: c_int) -> DeviceError {
        let set = self.set;
        match status {
            -1 => DeviceError::Parameters,
            -2 => DeviceError::Label {
                set: set.name,
                label: set.label.name(),
            },
            -10 => DeviceError::Entropy,
            -11 => DeviceError::KeyFormat,
            -12 => DeviceError::KeySet(set.name),
            -13 => DeviceError::KeyKind(if self.encoding.streaming {
                "plain secret"
            } else {
                "public or secret"
            }),
            other => DeviceError::Internal(other),
        }
    }
}

#[allow(unsafe_code)]
fn collect_frame(
    context: &mut ffi::Tfhe,
    sender: &crate::ffi::Identity,
    sequence: u64,
) -> Result<Vec<u8>> {
    // SAFETY: plain data, for which zeroes are a valid value.
    let mut frame: ffi::Frame = unsafe { std::mem::zeroed() };
    // SAFETY: context and sender outlive the frame.
    match unsafe { ffi::isopod_tfhe_frame_begin(&mut frame, context, sender, sequence) } {
        crate::ffi::OK => {}
        other => return Err(DeviceError::Internal(other)),
    }
    // SAFETY: a frame that has begun.
    let bytes = unsafe { ffi::isopod_tfhe_frame_bytes(&frame) };
    // SAFETY: the function writes as many bytes as there is room, and says how many.
    collect(bytes, |out, room, length| unsafe {
        ffi::isopod_tfhe_frame_next(&mut frame, out, room, length)
    })
}

#[allow(unsafe_code)]
fn collect_bodies(context: &mut ffi::Tfhe, out: &mut Vec<u8>) -> Result<()> {
    // SAFETY: a context that has begun.
    let bytes = unsafe { ffi::isopod_tfhe_bytes(context) };
    // SAFETY: the function writes as many bytes as there is room, and says how many.
    let bodies = collect(bytes, |out, room, length| unsafe {
        ffi::isopod_tfhe_next(context, out, room, length)
    })?;
    out.extend_from_slice(&bodies);
    Ok(())
}

/// All that `next` gives, until it is done.
fn collect(
    bytes: usize,
    mut next: impl FnMut(*mut u8, usize, &mut usize) -> c_int,
) -> Result<Vec<u8>> {
    let (mut out, mut taken) = (vec![0; bytes + 1], 0);
    loop {
        let (room, mut length) = (&mut out[taken..], 0);
        match next(room.as_mut_ptr(), room.len(), &mut length) {
            crate::ffi::OK => taken += length,
            crate::ffi::DONE => break,
            other => return Err(DeviceError::Internal(other)),
        }
    }
    out.truncate(taken);
    Ok(out)
}
