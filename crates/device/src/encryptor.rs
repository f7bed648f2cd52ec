//! Encode + encrypt + frame, as a device does it.

use crate::mask::suite_of;
use crate::tables::SetTables;
use crate::{ffi, DeviceError, Result, Values};
use isopod_wire::{BlobKind, KeyBlob, Label, Layout, ParameterSet, Scheme, Suite};
use std::ffi::{c_int, c_void};
use zeroize::Zeroizing;

/// How values become ciphertexts.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// The scale is 2 to this, within the set's range; 0 in BFV.
    pub log2_scale: u8,
    /// Every value's magnitude is at most 2 to this; 0 in BFV.
    pub log2_bound: i8,
    /// 1, 2, 4 or 8: pieces in which the transform is computed; more pieces need less memory.
    pub chunks: u8,
    /// Randomness suite.
    pub suite: Suite,
    /// `Label::Bits128`, or `Label::Compat2018` by explicit choice.
    pub accept_label: Label,
}

impl Encoding {
    /// The encoding of BFV: without scale and bound.
    pub fn integers(chunks: u8, suite: Suite, accept_label: Label) -> Self {
        Self {
            log2_scale: 0,
            log2_bound: 0,
            chunks,
            suite,
            accept_label,
        }
    }
}

/// Who sends: the device's number, its restart count and its 32-byte frame key.
pub struct Identity<'a> {
    /// Device number.
    pub device: u64,
    /// Counts restarts.
    pub epoch: u32,
    /// The device key that authenticates frames.
    pub key: &'a [u8; 32],
}

/// Encrypts under one key. Holds the key, the set's tables and 19n bytes of workspace (27n for wide sets), which is wiped after every
/// encryption; not `Sync`, since one encryption runs at a time.
pub struct Encryptor {
    set: &'static ParameterSet,
    tables: SetTables,
    /// Leads into `blob`, which never moves on the heap.
    key: ffi::Key,
    blob: Zeroizing<Vec<u64>>,
    blob_bytes: usize,
    workspace: Vec<u64>,
    encoding: Encoding,
    level: u8,
    layout: Layout,
    is_public: bool,
    entropy: EntropySource,
}

/// The C library's entropy source, and what stands behind its callback.
pub(crate) struct EntropySource {
    entropy: ffi::Entropy,
    state: Box<EntropyState>,
}

impl EntropySource {
    /// The system's.
    pub(crate) fn new() -> Self {
        Self {
            entropy: ffi::Entropy {
                fill: Some(fill),
                state: std::ptr::null_mut(),
                hedge: std::ptr::null(),
                counter: 0,
                fingerprint: [0; 8],
                poisoned: 0,
            },
            state: Box::new(EntropyState::System),
        }
    }

    /// Takes entropy from `bytes` from now on, and fails when they are used up.
    #[cfg(feature = "testing")]
    pub(crate) fn fix(&mut self, bytes: Vec<u8>) {
        *self.state = EntropyState::Fixed(bytes);
    }

    /// For a configuration; valid as long as self stays.
    pub(crate) fn get(&mut self) -> *mut ffi::Entropy {
        self.entropy.state = (&raw mut *self.state).cast();
        &mut self.entropy
    }
}

/// What stands behind the C callback.
enum EntropyState {
    System,
    #[cfg(feature = "testing")]
    Fixed(Vec<u8>),
}

#[allow(unsafe_code)]
extern "C" fn fill(state: *mut c_void, out: *mut u8, length: usize) -> c_int {
    // SAFETY: the C library hands back the state it was given, and `length` writable bytes.
    let (state, out) = unsafe {
        (
            &mut *state.cast::<EntropyState>(),
            std::slice::from_raw_parts_mut(out, length),
        )
    };
    match state {
        EntropyState::System => c_int::from(getrandom::fill(out).is_err()),
        #[cfg(feature = "testing")]
        EntropyState::Fixed(bytes) if bytes.len() >= length => {
            out.copy_from_slice(&bytes[..length]);
            bytes.drain(..length);
            0
        }
        #[cfg(feature = "testing")]
        EntropyState::Fixed(_) => 1,
    }
}

/// Encodes messages of any length in this layout.
#[allow(unsafe_code)]
fn encoder_of(layout: Layout) -> *const ffi::Suite {
    match layout {
        Layout::Slots | Layout::SlotsRepeated => &raw const ffi::isopod_encoder_slots64,
        Layout::Complex | Layout::ComplexRepeated => &raw const ffi::isopod_encoder_complex64,
        Layout::Coefficients => &raw const ffi::isopod_encoder_coefficients64,
    }
}

/// isopod_label of the C library.
pub(crate) fn label_number(label: Label) -> u8 {
    match label {
        Label::Bits128 => 1,
        Label::Compat2018 => 2,
        Label::CompatTfhepp => 3,
        Label::Research => 4,
    }
}

pub(crate) fn words_of(blob: &[u8]) -> Zeroizing<Vec<u64>> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, byte| word << 8 | u64::from(*byte))
    };
    Zeroizing::new(blob.chunks(8).map(word).collect())
}

/// Of the largest message, under a public key, in one chunk.
fn workspace_bytes(set: &ParameterSet) -> usize {
    let n = set.ring_degree;
    8 * n + 9 * n / 4 + 2 * set.word_bytes() * n
}

impl Encryptor {
    /// Opens a key blob, public or secret, and builds the tables of its set.
    ///
    /// Errors: a malformed or damaged blob, an unknown set.
    pub fn new(blob: &[u8], encoding: Encoding) -> Result<Self> {
        let read = KeyBlob::read(blob)?;
        let mut encryptor = Self {
            set: read.params,
            tables: SetTables::build(read.params)?,
            key: ffi::Key {
                params: std::ptr::null(),
                method: std::ptr::null(),
                blob: std::ptr::null(),
                kind: 0,
            },
            blob: words_of(blob),
            blob_bytes: blob.len(),
            workspace: vec![0; workspace_bytes(read.params).div_ceil(8)],
            encoding,
            level: 0,
            layout: Layout::Slots,
            is_public: matches!(read.kind, BlobKind::Public | BlobKind::SeededPublic),
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

    /// Encrypts under the first `level` primes of the set from now on; 0 stands for all.
    pub fn with_level(mut self, level: u8) -> Self {
        self.level = level;
        self
    }

    /// Places values in this layout from now on.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// The set of the key.
    pub fn params(&self) -> &'static ParameterSet {
        self.set
    }

    #[allow(unsafe_code)]
    fn open_key(&mut self) -> Result<()> {
        let (params, bytes) = (self.tables.params, self.blob_bytes);
        let (key, wide) = (&mut self.key, self.blob.as_ptr());
        let narrow = wide.cast();
        // SAFETY: the blob's words live in self, as long as the key, and are never changed.
        let status = unsafe {
            match (self.set.is_wide(), self.is_public) {
                (true, true) => ffi::isopod_wide_public_key_open(key, params, wide, bytes),
                (true, false) => ffi::isopod_wide_secret_key_open(key, params, wide, bytes),
                (false, true) => ffi::isopod_public_key_open(key, params, narrow, bytes),
                (false, false) => ffi::isopod_secret_key_open(key, params, narrow, bytes),
            }
        };
        match status {
            ffi::OK => Ok(()),
            other => Err(self.error(other, Values::Real(&[]))),
        }
    }

    /// One ciphertext of up to n/2 real values as authenticated parts, one per prime, in order.
    ///
    /// Errors: every documented one of the C library, with the first offending value.
    pub fn encrypt(
        &mut self,
        values: &[f64],
        identity: &Identity<'_>,
        sequence: u64,
    ) -> Result<Vec<Vec<u8>>> {
        self.encrypt_values(Values::Real(values), identity, sequence)
    }

    /// As [`Encryptor::encrypt`], of values of any type: as many as the layout has places.
    ///
    /// Errors: as there; values or a layout of the other scheme.
    pub fn encrypt_values(
        &mut self,
        values: Values<'_>,
        identity: &Identity<'_>,
        sequence: u64,
    ) -> Result<Vec<Vec<u8>>> {
        let sender = ffi::Identity {
            device: identity.device,
            epoch: identity.epoch,
            key: identity.key.as_ptr(),
        };
        self.run(values, |context| collect_parts(context, &sender, sequence))
    }

    /// The bit-packed residues of one ciphertext (spec/wire.md, section 1) appended to `out`, without frame, nonce and
    /// seed: what encryption itself costs. Nobody can decrypt a secret key's residues without their seed.
    ///
    /// Errors: those of [`Encryptor::encrypt`].
    pub fn encrypt_unframed(&mut self, values: Values<'_>, out: &mut Vec<u8>) -> Result<()> {
        self.run(values, |context| collect_residues(context, out))
    }

    /// Begins an encryption, takes what it gives and ends it, however that ended.
    #[allow(unsafe_code)]
    fn run<T>(
        &mut self,
        values: Values<'_>,
        collect: impl FnOnce(&mut ffi::Encryption) -> Result<T>,
    ) -> Result<T> {
        self.check(values)?;
        let config = self.config();
        let input = values.input();
        let begin = match self.set.scheme() {
            Scheme::Ckks => ffi::isopod_ckks_begin,
            Scheme::Bfv => ffi::isopod_bfv_begin,
        };
        // SAFETY: plain data, for which zeroes are a valid value.
        let mut context: ffi::Encryption = unsafe { std::mem::zeroed() };
        // SAFETY: every pointer in `config` and `input` outlives the call and the context.
        let status = unsafe { begin(&mut context, &config, &input) };
        if status != ffi::OK {
            return Err(self.error(status, values));
        }
        let collected = collect(&mut context);
        // SAFETY: a context that begun; harmless after its end.
        unsafe { ffi::isopod_encryption_abort(&mut context) };
        collected
    }

    /// What the C library cannot see: which values these are.
    fn check(&self, values: Values<'_>) -> Result<()> {
        let scheme = self.set.scheme();
        if values.is_integer() != (scheme == Scheme::Bfv) {
            return Err(DeviceError::ValueType {
                set: self.set.name,
                scheme: scheme.name(),
                takes: match scheme {
                    Scheme::Ckks => "real or complex numbers",
                    Scheme::Bfv => "signed or unsigned integers",
                },
            });
        }
        if matches!(values, Values::Complex(_)) != self.layout.is_complex() {
            return Err(self.wrong_layout());
        }
        Ok(())
    }

    fn wrong_layout(&self) -> DeviceError {
        DeviceError::Layout {
            layout: self.layout.name(),
            set: self.set.name,
        }
    }

    fn config(&mut self) -> ffi::Config {
        let encoding = self.encoding;
        ffi::Config {
            params: self.tables.params,
            tables: &self.tables.tables,
            suite: suite_of(encoding.suite).cast(),
            key: &self.key,
            encoder: encoder_of(self.layout).cast(),
            entropy: self.entropy.get(),
            workspace: self.workspace.as_mut_ptr().cast(),
            workspace_bytes: self.workspace.len() * 8,
            chunks: encoding.chunks,
            log2_scale: encoding.log2_scale,
            log2_bound: encoding.log2_bound,
            accept_label: label_number(encoding.accept_label),
            level: self.level,
            layout: self.layout.number(),
            fault_check: std::ptr::null(),
        }
    }

    fn range_error(&self, values: Values<'_>) -> DeviceError {
        let log2_bound = self.encoding.log2_bound;
        match self.set.plain_modulus {
            Some(plain) => {
                let (index, least, most) = values.first_outside(plain);
                DeviceError::IntegerRange { index, least, most }
            }
            None => DeviceError::ValueRange {
                index: values.first_number(|value| value.abs() > f64::from(log2_bound).exp2()),
                log2_bound,
            },
        }
    }

    fn error(&self, status: c_int, values: Values<'_>) -> DeviceError {
        let (set, encoding) = (self.set, &self.encoding);
        match status {
            -1 => DeviceError::Parameters,
            -2 => DeviceError::Label {
                set: set.name,
                label: set.label.name(),
            },
            -3 => DeviceError::Chunks(encoding.chunks),
            -4 => DeviceError::Scale {
                found: encoding.log2_scale,
                set: set.name,
                min: set.log2_scale.min,
                max: set.log2_scale.max,
            },
            -5 => DeviceError::Bound {
                found: i32::from(encoding.log2_scale) + i32::from(encoding.log2_bound),
                set: set.name,
                max: largest_encoded_bits(set, self.level),
            },
            -7 => DeviceError::Count {
                found: values.len(),
                set: set.name,
                max: set.places(self.layout),
            },
            -8 => DeviceError::NotFinite(values.first_number(|value| !value.is_finite())),
            -9 => self.range_error(values),
            -10 => DeviceError::Entropy,
            -11 => DeviceError::KeyFormat,
            -12 => DeviceError::KeySet(set.name),
            -13 => DeviceError::KeyKind(if self.is_public { "public" } else { "secret" }),
            -33 => DeviceError::Level {
                found: usize::from(self.level),
                set: set.name,
                most: set.data_primes.len(),
            },
            -43 => self.wrong_layout(),
            other => DeviceError::Internal(other),
        }
    }
}

fn largest_encoded_bits(set: &ParameterSet, level: u8) -> i32 {
    let primes = match usize::from(level) {
        0 => set.data_primes,
        level => &set.data_primes[..level.min(set.data_primes.len())],
    };
    let bits: u32 = primes.iter().map(|prime| 64 - prime.leading_zeros()).sum();
    (bits as i32 - 2).min(57)
}

#[allow(unsafe_code)]
fn collect_parts(
    context: &mut ffi::Encryption,
    sender: &ffi::Identity,
    sequence: u64,
) -> Result<Vec<Vec<u8>>> {
    // SAFETY: plain data, for which zeroes are a valid value.
    let mut frame: ffi::Frame = unsafe { std::mem::zeroed() };
    // SAFETY: context and sender outlive the frame.
    match unsafe { ffi::isopod_frame_begin(&mut frame, context, sender, sequence) } {
        ffi::OK => {}
        other => return Err(DeviceError::Internal(other)),
    }
    let mut parts = vec![Vec::new()];
    let mut buffer = [0u8; 4096];
    loop {
        let mut piece = ffi::Piece::default();
        // SAFETY: the buffer's own capacity is given.
        let status = unsafe {
            ffi::isopod_frame_next(&mut frame, buffer.as_mut_ptr(), buffer.len(), &mut piece)
        };
        match (status, parts.last_mut()) {
            (ffi::OK, Some(part)) => part.extend_from_slice(&buffer[..piece.length]),
            (ffi::DONE, _) => break,
            (other, _) => return Err(DeviceError::Internal(other)),
        }
        if piece.part_complete != 0 {
            parts.push(Vec::new());
        }
    }
    parts.pop();
    Ok(parts)
}

#[allow(unsafe_code)]
fn collect_residues(context: &mut ffi::Encryption, out: &mut Vec<u8>) -> Result<()> {
    const PIECE: usize = 16384;
    loop {
        out.reserve(PIECE);
        let room = out.spare_capacity_mut();
        let mut length = 0;
        // SAFETY: as many bytes may be written as there is room.
        let status = unsafe {
            ffi::isopod_encryption_next(context, room.as_mut_ptr().cast(), room.len(), &mut length)
        };
        match status {
            // SAFETY: the C library wrote `length` bytes into the room.
            ffi::OK => unsafe { out.set_len(out.len() + length) },
            ffi::DONE => return Ok(()),
            other => return Err(DeviceError::Internal(other)),
        }
    }
}
