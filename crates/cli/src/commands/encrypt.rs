//! `isopod encrypt`: values to frames, with the code that runs on devices.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{ensure, Context as _, Result};
use clap::{Args, ValueEnum};
use isopod_device::{Encoding, Encryptor, Identity, Values as Plain};
use isopod_keys::DeviceKeys;
use isopod_wire::{KeyBlob, Layout, ParameterSet, Scheme, Suite};
use serde::Serialize;

use crate::answer::Answer;
use crate::jobs::read_model;
use crate::label::LabelChoice;
use crate::new_file::NewFile;
use crate::packing::Packing;
use crate::progress;
use crate::values::Values;

/// Arguments of `isopod encrypt`.
#[derive(Debug, Args)]
pub struct Encrypt {
    /// A device's folder
    #[arg(long, alias = "key", value_name = "DIR")]
    pub keys: PathBuf,
    /// CSV with a header row, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub values: PathBuf,
    /// Where the frames go
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Take the features of this model, in its order, standardised
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    #[command(flatten)]
    pub encoding: EncodingChoice,
    /// Count readings: each value becomes a block of slots with a 1 in its bucket; the edges between buckets, ascending,
    /// comma separated; integers only
    #[arg(
        long,
        value_name = "EDGES",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub buckets: Vec<f64>,
    /// Rows in one frame; 1 for jobs over frames, such as sum and mean [default: all that fit]
    #[arg(long)]
    pub rows_per_frame: Option<usize>,
    /// Counts the device's restarts [default: the time in seconds]
    #[arg(long)]
    pub epoch: Option<u32>,
    /// Number of the first frame; never repeats within an epoch
    #[arg(long, default_value_t = 0)]
    pub sequence: u64,
    #[command(flatten)]
    pub label: LabelChoice,
}

/// How values are encoded and encrypted.
#[derive(Debug, Clone, Args)]
pub struct EncodingChoice {
    /// The scale is 2 to this [default: the set's]
    #[arg(long)]
    pub scale_bits: Option<u8>,
    /// No value is larger than 2 to this
    #[arg(long, default_value_t = 4, allow_hyphen_values = true)]
    pub bound_bits: i8,
    /// How randomness is expanded
    #[arg(long, default_value = "chacha20")]
    pub suite: SuiteName,
    /// Encrypt with the secret key, if the device has it: half the bytes
    #[arg(long)]
    pub by_secret_key: bool,
    /// Primes to encrypt under, the first ones of the set: fewer make smaller frames for smaller jobs [default: 0, all]
    #[arg(long, default_value_t = 0)]
    pub level: u8,
    /// Where values go
    #[arg(long, value_enum, default_value_t = LayoutName::Slots)]
    pub layout: LayoutName,
}

/// Where the values of a row go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutName {
    /// Into the first slots
    Slots,
    /// Into all slots, over and over; one value fills every slot; their number is a power of two
    Repeated,
    /// Into the first coefficients; jobs do not take these frames
    Coefficients,
}

impl From<LayoutName> for Layout {
    fn from(name: LayoutName) -> Self {
        match name {
            LayoutName::Slots => Self::Slots,
            LayoutName::Repeated => Self::SlotsRepeated,
            LayoutName::Coefficients => Self::Coefficients,
        }
    }
}

/// A randomness suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SuiteName {
    /// The fastest
    Chacha20,
    /// Keccak only
    Shake256,
    /// The mask as SEAL makes it
    SealShake256,
}

impl From<SuiteName> for Suite {
    fn from(name: SuiteName) -> Self {
        match name {
            SuiteName::Chacha20 => Self::Chacha20,
            SuiteName::Shake256 => Self::Shake256,
            SuiteName::SealShake256 => Self::SealShake256,
        }
    }
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    label: &'static str,
    device: u64,
    epoch: u32,
    columns: Vec<String>,
    rows: usize,
    rows_per_frame: usize,
    stride: usize,
    frames: usize,
    bytes: usize,
}

impl Encrypt {
    /// Checks every value, then encrypts and writes the file, whole or not at all.
    pub fn run(&self) -> Result<Answer> {
        let device = DeviceKeys::open(&self.keys)?;
        let mut encryptor = self.encryptor()?;
        let set = encryptor.params();
        let values = self.read(set)?;
        let packing = self.packing(set, &values)?;
        let identity = Identity {
            device: device.device(),
            epoch: self.epoch()?,
            key: device.key().expose(),
        };
        let bytes = self.write(&mut encryptor, &identity, packing.frames(values.rows()))?;
        let facts = Facts {
            file: self.out.display().to_string(),
            set: set.name,
            label: set.label.name(),
            device: identity.device,
            epoch: identity.epoch,
            columns: values.columns().to_vec(),
            rows: values.rows().len(),
            rows_per_frame: packing.rows,
            stride: packing.stride,
            frames: packing.frames(values.rows()).len(),
            bytes,
        };
        Answer::new(text(&facts), &facts)
    }

    /// The values, all of them within the bound.
    fn read(&self, set: &ParameterSet) -> Result<Values> {
        let model = self.model.as_deref().map(read_model).transpose()?;
        let values = Values::read(&self.values, model.as_ref())?;
        values
            .check_bound(self.encoding.bound_bits)
            .with_context(|| self.values.display().to_string())?;
        if self.buckets.is_empty() && set.scheme() == Scheme::Ckks {
            return Ok(values);
        }
        ensure!(
            set.scheme() == Scheme::Bfv,
            "--buckets: counts are integers; allowed are keys of sets that begin with bfv-"
        );
        let integers = if self.buckets.is_empty() {
            values.integers()
        } else {
            values.one_hot(&self.buckets)
        };
        integers.with_context(|| self.values.display().to_string())
    }

    /// Blocks of buckets stay within one row of the slots, half of them, where a histogram can fold them.
    fn packing(&self, set: &ParameterSet, values: &Values) -> Result<Packing> {
        let (slots, columns) = (set.slots(), values.columns().len());
        let slots = if self.buckets.is_empty() {
            slots
        } else {
            slots / 2
        };
        let rows = match self.encoding.layout {
            LayoutName::Slots => self.rows_per_frame,
            LayoutName::Repeated | LayoutName::Coefficients => Some(1),
        };
        Packing::new(columns, slots, rows)
    }

    /// Encrypts the slots of each frame into the file and gives its size.
    fn write(
        &self,
        encryptor: &mut Encryptor,
        identity: &Identity<'_>,
        frames: impl ExactSizeIterator<Item = Vec<f64>>,
    ) -> Result<usize> {
        ensure!(
            self.sequence.checked_add(frames.len() as u64).is_some(),
            "--sequence: {} is out of range; allowed is up to 2^64 less the number of frames",
            self.sequence
        );
        let mut file = NewFile::new(&self.out, self.force)?;
        let bar = progress::bar("encrypting", frames.len() as u64);
        let mut bytes = 0;
        for (slots, sequence) in frames.zip(self.sequence..) {
            for part in encrypt(encryptor, &slots, identity, sequence)? {
                file.write(&part)?;
                bytes += part.len();
            }
            bar.inc(1);
        }
        bar.finish_and_clear();
        file.publish().map(|()| bytes)
    }

    fn encryptor(&self) -> Result<Encryptor> {
        let blob = if self.encoding.by_secret_key {
            DeviceKeys::secret_blob(&self.keys)?
        } else {
            DeviceKeys::public_blob(&self.keys)?.into()
        };
        let set = KeyBlob::read(&blob)?.params;
        let log2_scale = self.encoding.scale_bits.unwrap_or(set.log2_scale.default);
        let range = set.log2_scale.min..=set.log2_scale.max;
        ensure!(
            range.contains(&log2_scale),
            "--scale-bits: {log2_scale} is out of range; allowed is {} to {} for {}",
            range.start(),
            range.end(),
            set.name
        );
        let encoding = Encoding {
            log2_scale,
            log2_bound: match set.scheme() {
                Scheme::Ckks => self.encoding.bound_bits,
                Scheme::Bfv => 0,
            },
            chunks: 1,
            suite: self.encoding.suite.into(),
            accept_label: self.label.check(set)?,
        };
        let encryptor = Encryptor::new(&blob, encoding)?;
        Ok(encryptor
            .with_level(self.encoding.level)
            .with_layout(self.encoding.layout.into()))
    }

    fn epoch(&self) -> Result<u32> {
        match self.epoch {
            Some(epoch) => Ok(epoch),
            None => Ok(u32::try_from(
                SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
            )?),
        }
    }
}

/// Values of a BFV set are integers already, checked when they were read.
fn encrypt(
    encryptor: &mut Encryptor,
    slots: &[f64],
    identity: &Identity<'_>,
    sequence: u64,
) -> Result<Vec<Vec<u8>>> {
    let parts = match encryptor.params().scheme() {
        Scheme::Ckks => encryptor.encrypt(slots, identity, sequence)?,
        Scheme::Bfv => {
            let integers: Vec<i32> = slots.iter().map(|&value| value as i32).collect();
            encryptor.encrypt_values(Plain::Signed(&integers), identity, sequence)?
        }
    };
    Ok(parts)
}

fn text(facts: &Facts) -> String {
    format!(
        "{}: {} rows of {} values in {} frame(s) of up to {} rows, {} bytes, {:.0} bytes per row\n\
         set {} (label {}), device {}, epoch {}; rows lie {} slots apart\n",
        facts.file,
        facts.rows,
        facts.columns.len(),
        facts.frames,
        facts.rows_per_frame,
        facts.bytes,
        facts.bytes as f64 / facts.rows as f64,
        facts.set,
        facts.label,
        facts.device,
        facts.epoch,
        facts.stride,
    )
}
