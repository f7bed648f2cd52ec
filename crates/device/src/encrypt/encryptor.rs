//! Encoding, encryption and framing of CKKS and BFV values by the C library (`spec/ckks.md`, `spec/bfv.md`).

use crate::encrypt::encryption::{encrypt, workspace_of, Context, Encryption, Job};
use crate::encrypt::linear_key::{LinearKey, LinearSecrets};
use crate::entropy::EntropySource;
use crate::error::{DeviceError, Result};
use crate::key::OpenedKey;
use crate::profile;
use crate::sender::Sender;
use crate::tables::SetTables;
use crate::values::Values;
use crate::word::Word;
use isopod_sys::*;
use isopod_wire::{
    BlobKind, KeyBlob, Label, Layout, PackingId, ParameterSet, Rounding, Scheme, Suite,
};
use std::ffi::c_int;

/// Claims of a frame about its values beside their scale and number; the server refuses to combine what does not match. The
/// default claims the least.
#[derive(Debug, Clone, Copy, Default)]
pub struct FrameClaims {
    /// BFV: the bound on every value's magnitude; 0 stands for the largest, floor(t/2). 0 in CKKS.
    pub bound: u32,
    /// Places from row to row; 0 stands for one row. Value c of row r is number stride * r + c.
    pub stride: u32,
    /// Places of one reading, a power of two that divides the columns; 0 stands for 1.
    pub buckets: u32,
    /// Names and standardisation of the columns.
    pub packing: Option<PackingId>,
}

/// Parameters of encoding and encryption.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    /// log2 of the scale, within the set's range; 0 in BFV.
    pub log2_scale: u8,
    /// log2 of the bound on every value's magnitude, -20 to 40; 0 in BFV.
    pub log2_bound: i8,
    /// Arrangement and meaning of the values.
    pub claims: FrameClaims,
    /// Number of chunks in which the NTT is computed, 1, 2, 4 or 8; more chunks need less memory.
    pub chunks: u8,
    /// Randomness suite.
    pub suite: Suite,
    /// Label that is accepted: `Label::Bits128`, or `Label::Compat2018` by explicit choice.
    pub accept_label: Label,
}

impl Encoding {
    /// Encoding of BFV, which has no scale; the bound is among the claims.
    pub fn integers(chunks: u8, suite: Suite, accept_label: Label) -> Self {
        Self {
            log2_scale: 0,
            log2_bound: 0,
            claims: FrameClaims::default(),
            chunks,
            suite,
            accept_label,
        }
    }
}

/// Rows and rounding of [`Layout::CoefficientsRounded`]. Values are whole rows, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundedRows {
    /// Values of a row, at most the stride; 0 stands for one row of all values.
    pub columns: u32,
    /// Coefficients sent of each row, columns to stride, and low bits dropped of c0 and, by public key, of c1.
    pub rounding: Rounding,
}

/// Encryptor under one key. Holds the key, the set's tables and, for ring degree n, 19n bytes of workspace (27n for 64-bit
/// words), which is wiped after every encryption; not `Sync`, since one encryption runs at a time.
pub struct Encryptor {
    pub(super) set: &'static ParameterSet,
    pub(super) tables: SetTables,
    pub(super) key: OpenedKey<isopod_key>,
    pub(super) workspace: Vec<u64>,
    pub(super) encoding: Encoding,
    level: u8,
    layout: Layout,
    pub(super) rows: Option<RoundedRows>,
    rounds_to_nearest: bool,
    is_secret: bool,
    pub(super) entropy: EntropySource,
    linear_key: Option<LinearKey>,
    /// log2 of the unit of integers of CKKS.
    log2_unit: Option<i8>,
}

impl Encryptor {
    /// Opens a key blob, public or secret, and builds the tables of its set.
    ///
    /// Errors: [`DeviceError::Wire`] and [`DeviceError::KeyFormat`] for a malformed or damaged blob;
    /// [`DeviceError::Parameters`] for a set unknown to the C library.
    pub fn new(blob: &[u8], encoding: Encoding) -> Result<Self> {
        let read = KeyBlob::read(blob)?;
        let set = read.params;
        let tables = SetTables::build(set)?;
        let key = match set.word_bytes() {
            8 => open_key::<u64>(tables.params, read.kind, blob),
            _ => open_key::<u32>(tables.params, read.kind, blob),
        };
        Ok(Self {
            set,
            tables,
            key: key.map_err(|status| of_set(status, set))?,
            workspace: vec![0; workspace_bytes(set).div_ceil(8)],
            encoding,
            level: 0,
            layout: Layout::Slots,
            rows: None,
            rounds_to_nearest: false,
            is_secret: matches!(read.kind, BlobKind::SecretTernary | BlobKind::SecretNtt),
            entropy: EntropySource::system(),
            linear_key: None,
            log2_unit: None,
        })
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

    /// Encodes slots without a dither from now on, as the hardware engine does: deterministic, and a server adds the errors of
    /// all frames up at their worst.
    pub fn with_rounding_to_nearest(mut self) -> Self {
        self.rounds_to_nearest = true;
        self
    }

    /// Places values in this layout from now on.
    pub fn with_layout(mut self, layout: Layout) -> Self {
        (self.layout, self.rows) = (layout, None);
        self
    }

    /// Places values in coefficients that travel rounded from now on.
    pub fn with_rounded_rows(mut self, rows: RoundedRows) -> Self {
        (self.layout, self.rows) = (Layout::CoefficientsRounded, Some(rows));
        self
    }

    /// Gives frames linear tags from now on: of integers of BFV, in every layout.
    pub fn with_linear_secrets(mut self, secrets: &LinearSecrets<'_>) -> Self {
        self.linear_key = Some(LinearKey::open(secrets));
        self
    }

    /// Takes signed integers under CKKS from now on, in units of 2^log2_unit, -31 to 31, in coefficients that travel rounded.
    pub fn with_unit(mut self, log2_unit: i8) -> Self {
        self.log2_unit = Some(log2_unit);
        self
    }

    /// The set of the key.
    pub fn params(&self) -> &'static ParameterSet {
        self.set
    }

    /// Encrypts up to n/2 real values as authenticated parts, one per prime, in order.
    ///
    /// Errors: those of [`Encryptor::encrypt_values`].
    pub fn encrypt(&mut self, values: &[f64], sender: &mut Sender<'_>) -> Result<Vec<Vec<u8>>> {
        self.encrypt_values(Values::Real(values), sender)
    }

    /// Encrypts values of any type as authenticated parts, one per prime, in order: at most as many values as the layout has
    /// places. Takes the sender's next sequence number.
    ///
    /// Errors: [`DeviceError::ValueType`] and [`DeviceError::Layout`] for values or a layout of the other scheme;
    /// [`DeviceError::NotFinite`], [`DeviceError::ValueRange`] and [`DeviceError::IntegerRange`] with the first such value;
    /// [`DeviceError::Count`]; those of the encoding; [`DeviceError::Sender`]; [`DeviceError::Entropy`].
    pub fn encrypt_values(
        &mut self,
        values: Values<'_>,
        sender: &mut Sender<'_>,
    ) -> Result<Vec<Vec<u8>>> {
        match self.rows {
            None => self.run(values, sender, framed),
            Some(rows) => self.run_rounded(values, rows, sender, framed),
        }
    }

    /// Appends the bit-packed residues of one ciphertext (spec/wire.md, section 1) to `out`, without frame, nonce and seed, to
    /// measure encryption alone. Nobody can decrypt a secret key's residues without their seed.
    ///
    /// Errors: those of [`Encryptor::encrypt_values`].
    pub fn encrypt_unframed(
        &mut self,
        values: Values<'_>,
        sender: &mut Sender<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self.rows {
            None => self.run(values, sender, |encryption| encryption.unframed(out)),
            Some(rows) => {
                let take = |encryption: &mut Encryption<isopod_rounded>| encryption.unframed(out);
                self.run_rounded(values, rows, sender, take)
            }
        }
    }

    /// Begins an encryption and passes it to `take`.
    fn run<T>(
        &mut self,
        values: Values<'_>,
        sender: &mut Sender<'_>,
        take: impl FnOnce(&mut Encryption<isopod_encryption>) -> Result<T>,
    ) -> Result<T> {
        self.check(values)?;
        let begin = match self.set.scheme() {
            Scheme::Ckks => isopod_ckks_begin,
            Scheme::Bfv => isopod_bfv_begin,
        };
        let config = self.config();
        let job = Job {
            begin,
            config: isopod_encryption_config {
                linear_key: self.linear_key(),
                ..config
            },
            workspace: workspace_of(&mut self.workspace),
            entropy: self.entropy.pointer(),
        };
        encrypt(job, sender, &values.input(), take).map_err(|status| self.error(status, values))?
    }

    /// Begins an encryption into rounded coefficients and passes it to `take`.
    fn run_rounded<T>(
        &mut self,
        values: Values<'_>,
        rows: RoundedRows,
        sender: &mut Sender<'_>,
        take: impl FnOnce(&mut Encryption<isopod_rounded>) -> Result<T>,
    ) -> Result<T> {
        self.check(values)?;
        let begin = match self.set.scheme() {
            Scheme::Ckks => isopod_ckks_rounded_begin,
            Scheme::Bfv => isopod_bfv_rounded_begin,
        };
        let rounding = isopod_rounding {
            method: match self.is_secret {
                true => &raw const isopod_rounded_secret,
                false => &raw const isopod_rounded_public,
            },
            columns: rows.columns,
            run: rows.rounding.run,
            dropped: rows.rounding.dropped,
        };
        let source = isopod_value_source {
            values: values.input(),
            log2_unit: self.log2_unit.unwrap_or(0),
            ..isopod_value_source::default()
        };
        let config = self.config();
        let job = Job {
            begin,
            config: isopod_encryption_config {
                encoder: std::ptr::null(),
                chunks: 0,
                rounding: &raw const rounding,
                linear_key: self.linear_key(),
                ..config
            },
            workspace: workspace_of(&mut self.workspace),
            entropy: self.entropy.pointer(),
        };
        encrypt(job, sender, &source, take).map_err(|status| self.error(status, values))?
    }

    /// Checks that the values' type fits scheme and layout, which the C library cannot see.
    pub(super) fn check(&self, values: Values<'_>) -> Result<()> {
        let scheme = self.set.scheme();
        let has_unit = self.log2_unit.is_some() && self.rows.is_some();
        if values.is_integer() != (scheme == Scheme::Bfv || has_unit) {
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

    fn config(&mut self) -> isopod_encryption_config {
        let encoding = self.encoding;
        let claims = &self.encoding.claims;
        isopod_encryption_config {
            params: self.tables.params,
            tables: &self.tables.tables,
            suite: profile::suite(encoding.suite),
            key: self.key.pointer(),
            encoder: encoder_of(self.layout, self.rounds_to_nearest),
            chunks: encoding.chunks,
            log2_scale: encoding.log2_scale,
            log2_bound: encoding.log2_bound,
            accept_label: profile::label(encoding.accept_label),
            level: self.level,
            layout: self.layout.number(),
            hedge_without_values: 0,
            fault_check: std::ptr::null(),
            out_of_range: std::ptr::null(),
            bound: claims.bound,
            stride: claims.stride,
            buckets: claims.buckets,
            packing: pointer_to(&claims.packing),
            rounding: std::ptr::null(),
            linear_key: std::ptr::null(),
        }
    }

    fn linear_key(&self) -> *const isopod_linear_key {
        let key = self.linear_key.as_ref();
        key.map_or(std::ptr::null(), LinearKey::pointer)
    }

    fn rounding_error(&self) -> DeviceError {
        let rows = self.rows.unwrap_or(RoundedRows {
            columns: 0,
            rounding: Rounding {
                run: 0,
                dropped: [0; 2],
            },
        });
        DeviceError::Rounding {
            columns: rows.columns,
            run: rows.rounding.run,
            stride: self.encoding.claims.stride,
            dropped: rows.rounding.dropped,
            most: match self.set.scheme() {
                Scheme::Ckks => self.encoding.log2_scale.into(),
                Scheme::Bfv => largest_encoded_bits(self.set, self.level),
            },
            set: self.set.name,
        }
    }

    fn range_error(&self, values: Values<'_>) -> DeviceError {
        let log2_bound = self.encoding.log2_bound;
        match self.set.plain_modulus {
            Some(plain) => {
                let (index, least, most) = values.first_outside(self.bound_below(plain));
                DeviceError::IntegerRange { index, least, most }
            }
            None => DeviceError::ValueRange {
                index: values.first_number(|value| value.abs() > f64::from(log2_bound).exp2()),
                log2_bound,
            },
        }
    }

    /// The bound on integers modulo `plain`.
    fn bound_below(&self, plain: u64) -> i64 {
        match self.encoding.claims.bound {
            0 => plain as i64 / 2,
            bound => bound.into(),
        }
    }

    fn bound_error(&self) -> DeviceError {
        let (set, encoding) = (self.set, &self.encoding);
        match set.plain_modulus {
            Some(plain) => DeviceError::IntegerBound {
                found: encoding.claims.bound,
                set: set.name,
                max: plain / 2,
            },
            None => DeviceError::Bound {
                found: encoding.log2_bound,
                sum: i32::from(encoding.log2_scale) + i32::from(encoding.log2_bound),
                set: set.name,
                max: largest_encoded_bits(set, self.level),
            },
        }
    }

    pub(super) fn error(&self, status: c_int, values: Values<'_>) -> DeviceError {
        let (set, encoding) = (self.set, &self.encoding);
        match status {
            ISOPOD_ERROR_CHUNKS => DeviceError::Chunks(encoding.chunks),
            ISOPOD_ERROR_SCALE => DeviceError::Scale {
                found: encoding.log2_scale,
                set: set.name,
                min: set.log2_scale.min,
                max: set.log2_scale.max,
            },
            ISOPOD_ERROR_BOUND => self.bound_error(),
            ISOPOD_ERROR_STRIDE => DeviceError::Stride {
                found: encoding.claims.stride,
                max: set.places(self.layout),
                count: values.len(),
            },
            ISOPOD_ERROR_BUCKETS => DeviceError::Buckets(encoding.claims.buckets),
            ISOPOD_ERROR_COUNT => DeviceError::Count {
                found: values.len(),
                set: set.name,
                max: set.places(self.layout),
            },
            ISOPOD_ERROR_NOT_FINITE => {
                DeviceError::NotFinite(values.first_number(|value| !value.is_finite()))
            }
            ISOPOD_ERROR_VALUE_RANGE => self.range_error(values),
            ISOPOD_ERROR_LEVEL => DeviceError::Level {
                found: usize::from(self.level),
                set: set.name,
                most: set.data_primes.len(),
            },
            ISOPOD_ERROR_LAYOUT => self.wrong_layout(),
            ISOPOD_ERROR_ROUNDING => self.rounding_error(),
            other => of_set(other, set),
        }
    }
}

/// The parts of a frame.
fn framed<C: Context<Piece = isopod_piece>>(
    encryption: &mut Encryption<C>,
) -> Result<Vec<Vec<u8>>> {
    let mut parts = vec![Vec::new()];
    encryption.framed(|piece, bytes| {
        if let Some(part) = parts.last_mut() {
            part.extend_from_slice(&bytes[..piece.length]);
        }
        if piece.part_complete != 0 {
            parts.push(Vec::new());
        }
    })?;
    parts.pop();
    Ok(parts)
}

/// The error of a status that depends on neither encoding nor values.
fn of_set(status: c_int, set: &ParameterSet) -> DeviceError {
    DeviceError::of_status(status, set.name, set.label, "public or secret")
}

/// Opens a blob of a kind.
///
/// Errors: the C library's status.
fn open_key<W: Word>(
    params: &isopod_params,
    kind: BlobKind,
    blob: &[u8],
) -> Result<OpenedKey<isopod_key>, c_int> {
    let open = match kind {
        BlobKind::Public | BlobKind::SeededPublic => W::CALLS.public_key_open,
        _ => W::CALLS.secret_key_open,
    };
    OpenedKey::open(open, params, blob)
}

/// Address of a packing, or null; used before it moves.
pub(crate) fn pointer_to(packing: &Option<PackingId>) -> *const u8 {
    packing.as_ref().map_or(std::ptr::null(), |id| id.as_ptr())
}

/// Bytes of workspace for the largest message under a public key in one chunk: owner, message in 64-bit words, noise e0 and e1,
/// u, and two polynomials.
fn workspace_bytes(set: &ParameterSet) -> usize {
    let n = set.ring_degree;
    ISOPOD_WORKSPACE_OWNER_BYTES + 8 * n + 9 * n / 4 + 2 * set.word_bytes() * n
}

/// The encoder of a layout, for messages of any length.
fn encoder_of(layout: Layout, rounds_to_nearest: bool) -> *const isopod_encoder {
    match layout {
        Layout::Slots | Layout::SlotsRepeated if rounds_to_nearest => {
            &raw const isopod_encoder_slots64_nearest
        }
        Layout::Complex | Layout::ComplexRepeated if rounds_to_nearest => {
            &raw const isopod_encoder_complex64_nearest
        }
        Layout::Slots | Layout::SlotsRepeated => &raw const isopod_encoder_slots64,
        Layout::Complex | Layout::ComplexRepeated => &raw const isopod_encoder_complex64,
        Layout::Coefficients | Layout::CoefficientsRounded => {
            &raw const isopod_encoder_coefficients64
        }
    }
}

/// Most bits of log2_scale + log2_bound: below half the modulus, and within the encoder's 64-bit words.
fn largest_encoded_bits(set: &ParameterSet, level: u8) -> i32 {
    let primes = match usize::from(level) {
        0 => set.data_primes,
        level => &set.data_primes[..level.min(set.data_primes.len())],
    };
    let bits: u32 = primes.iter().map(|prime| 64 - prime.leading_zeros()).sum();
    (bits as i32 - 2).min(57)
}
