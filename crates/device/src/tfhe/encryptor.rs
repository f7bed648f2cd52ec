//! Encoding, encryption and framing of TFHE booleans and integers by the C library (`spec/tfhe.md`, section 5).

use super::set::{find_set, TfheTables};
use crate::encrypt::encryption::{encrypt, workspace_of, Encryption, Job};
use crate::encrypt::encryptor::pointer_to;
use crate::entropy::EntropySource;
use crate::error::{DeviceError, Result};
use crate::key::OpenedKey;
use crate::profile;
use crate::sender::Sender;
use isopod_sys::*;
use isopod_wire::{
    Label, PackingId, Run, Schema, TfheBlob, TfheBlobKind, TfheParams, TfheSuite, ValueType,
};
use std::ffi::{c_int, c_void};

/// Parameters of encryption.
#[derive(Debug, Clone, Copy)]
pub struct TfheEncoding {
    /// Randomness suite.
    pub suite: TfheSuite,
    /// Whether bodies are sent whole, by choice: twice the bytes, less noise than a bootstrap can use.
    pub whole_bodies: bool,
    /// Whether to encrypt without a polynomial in memory, under a plain secret key; time grows with the number of coefficients.
    pub streaming: bool,
    /// Values of a row, which divide those of the message; 0 stands for one row.
    pub columns: u16,
    /// Names and standardisation of the columns.
    pub packing: Option<PackingId>,
    /// Label that is accepted: `Label::Bits128`, or another by explicit choice.
    pub accept_label: Label,
}

/// Encryptor under one key. Holds the key, the set's twiddles (4 bytes for each of N coefficients) and a workspace, which is
/// wiped after every encryption; not `Sync`, since one encryption runs at a time.
pub struct TfheEncryptor {
    pub(super) set: &'static TfheParams,
    pub(super) params: &'static isopod_tfhe_params,
    tables: TfheTables,
    pub(super) key: OpenedKey<isopod_tfhe_key>,
    pub(super) workspace: Vec<u64>,
    pub(super) encoding: TfheEncoding,
    pub(super) entropy: EntropySource,
}

impl TfheEncryptor {
    /// Opens a key blob, public or secret.
    ///
    /// Errors: [`DeviceError::Wire`] and [`DeviceError::KeyFormat`] for a malformed or damaged blob;
    /// [`DeviceError::Parameters`] for a set unknown to the C library; [`DeviceError::KeyKind`] for `streaming` with another
    /// than a plain secret key.
    pub fn new(blob: &[u8], encoding: TfheEncoding) -> Result<Self> {
        let TfheBlob {
            kind, params: set, ..
        } = TfheBlob::read(blob)?;
        let params = find_set(set)?;
        let is_public = matches!(kind, TfheBlobKind::Public | TfheBlobKind::SeededPublic);
        let (open, needed) = match (is_public, encoding.streaming) {
            (true, false) => (isopod_tfhe_public_key_open as Open, "public"),
            (false, false) => (isopod_tfhe_secret_key_open as Open, "secret"),
            (false, true) => (isopod_tfhe_stream_key_open as Open, "plain secret"),
            (true, true) => return Err(DeviceError::KeyKind("plain secret")),
        };
        Ok(Self {
            set,
            params,
            tables: TfheTables::build(params)?,
            key: OpenedKey::open(open, params, blob)
                .map_err(|status| DeviceError::of_status(status, set.name, set.label, needed))?,
            workspace: Vec::new(),
            encoding,
            entropy: EntropySource::system(),
        })
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

    /// Encrypts one message as an authenticated frame: the schema's values, in order. Takes the sender's next sequence number.
    ///
    /// Errors: [`DeviceError::Wire`] for a value outside of its type; [`DeviceError::Coefficients`] for more than the ring has;
    /// [`DeviceError::Columns`]; [`DeviceError::Label`]; [`DeviceError::Sender`]; [`DeviceError::Entropy`].
    pub fn encrypt(
        &mut self,
        schema: &Schema,
        values: &[i128],
        sender: &mut Sender<'_>,
    ) -> Result<Vec<u8>> {
        let mut frame = Vec::new();
        self.run(schema, values, sender, |encryption| {
            encryption.framed(|length, bytes| {
                frame.extend_from_slice(&bytes[..length]);
            })
        })?;
        Ok(frame)
    }

    /// Appends the bodies of one frame (spec/wire.md, section 6) to `out`, without frame and nonce, to measure encryption
    /// alone. Nobody can decrypt a secret key's bodies without their nonce.
    ///
    /// Errors: those of [`TfheEncryptor::encrypt`].
    pub fn encrypt_unframed(
        &mut self,
        schema: &Schema,
        values: &[i128],
        sender: &mut Sender<'_>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.run(schema, values, sender, |encryption| {
            encryption.unframed(out)
        })
    }

    /// Begins an encryption and passes it to `take`.
    fn run(
        &mut self,
        schema: &Schema,
        values: &[i128],
        sender: &mut Sender<'_>,
        take: impl FnOnce(&mut Encryption<isopod_tfhe>) -> Result<()>,
    ) -> Result<()> {
        self.with_values(schema, values, |encryptor, input| {
            let job = Job {
                begin: isopod_tfhe_begin,
                config: encryptor.config(schema),
                workspace: workspace_of(&mut encryptor.workspace),
                entropy: encryptor.entropy.pointer(),
            };
            encrypt(job, sender, input, take)
        })?
    }

    /// Passes values to `call` as the C library takes them.
    pub(super) fn with_values<T>(
        &mut self,
        schema: &Schema,
        values: &[i128],
        call: impl FnOnce(&mut Self, &isopod_tfhe_values) -> std::result::Result<T, c_int>,
    ) -> Result<T> {
        let columns = self.columns(schema, values)?;
        let run = |(run, column): (&Run, &Column)| isopod_tfhe_run {
            data: column.data(),
            count: run.count,
            r#type: run.of.number(),
        };
        let runs: Vec<_> = schema.runs().iter().zip(&columns).map(run).collect();
        let input = isopod_tfhe_values {
            runs: runs.as_ptr(),
            count: runs.len() as u8,
        };
        call(self, &input).map_err(|status| match status {
            ISOPOD_ERROR_COLUMNS => DeviceError::Columns {
                found: self.encoding.columns,
                count: values.len(),
            },
            ISOPOD_ERROR_PACKET => DeviceError::Packet,
            other => {
                DeviceError::of_status(other, self.set.name, self.set.label, "public or secret")
            }
        })
    }

    /// Converts values to one array per run, each value within its type.
    fn columns(&self, schema: &Schema, values: &[i128]) -> Result<Vec<Column>> {
        let (found, max) = (schema.blocks(self.set.message_bits), self.set.ring_degree);
        if found > max {
            let set = self.set.name;
            return Err(DeviceError::Coefficients { found, set, max });
        }
        schema.encode(values, self.set.message_bits)?;
        let mut rest = values;
        let column = |run: &Run| {
            let (head, tail) = rest.split_at(usize::from(run.count));
            rest = tail;
            Column::new(run.of, head)
        };
        Ok(schema.runs().iter().map(column).collect())
    }

    /// Builds a configuration, and makes room in the workspace for a message of this schema.
    #[allow(unsafe_code)]
    fn config(&mut self, schema: &Schema) -> isopod_tfhe_config {
        let whole = self.set.word_bytes() as u8;
        let config = isopod_tfhe_config {
            params: self.params,
            tables: self.tables.pointer(),
            suite: profile::tfhe_suite(self.encoding.suite),
            key: self.key.pointer(),
            width: if self.encoding.whole_bodies {
                whole
            } else {
                whole / 2
            },
            accept_label: profile::label(self.encoding.accept_label),
            columns: self.encoding.columns,
            packing: pointer_to(&self.encoding.packing),
            ..isopod_tfhe_config::default()
        };
        let coefficients = schema.blocks(self.set.message_bits) as u32;
        // SAFETY: the key of the configuration is open.
        let bytes = unsafe { isopod_tfhe_workspace_bytes(&config, coefficients) };
        if self.workspace.len() * 8 < bytes {
            self.workspace.resize(bytes.div_ceil(8), 0);
        }
        config
    }
}

type Open = crate::word::Open<isopod_tfhe_key, isopod_tfhe_params, u32>;

/// Values of one run, as the C type of their name.
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
