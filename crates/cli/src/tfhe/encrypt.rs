//! Whole numbers to TFHE frames, with the code that runs on devices.

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_device::{Identity, TfheEncoding, TfheEncryptor};
use isopod_wire::{AnySet, Schema, TfheBlob, TfheSuite, ValueType};
use serde::Serialize;

use super::values::Integers;
use crate::answer::Answer;
use crate::commands::encrypt::{Encrypt, SuiteName};
use crate::new_file::NewFile;
use crate::progress;

/// How whole numbers are encrypted, under a TFHE set.
#[derive(Debug, Clone, Default, Args)]
pub struct IntegerChoice {
    /// Type of the values under a TFHE set: bool, u8, u16, u32, u64, i8, i16, i32 or i64 [default: u8]
    #[arg(long = "type", value_name = "TYPE", value_parser = value_type)]
    pub of: Option<ValueType>,
    /// Send half of each body under a TFHE set: fewer bytes, more noise
    #[arg(long)]
    pub rounded: bool,
}

fn value_type(name: &str) -> Result<ValueType, String> {
    let names = ValueType::ALL.map(ValueType::name).join(", ");
    ValueType::from_name(name).ok_or_else(|| format!("allowed is one of {names}"))
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
    of: &'static str,
    rows_per_frame: usize,
    rounded: bool,
    frames: usize,
    bytes: usize,
}

/// Checks every value, then encrypts and writes the file, whole or not at all.
pub fn run(arguments: &Encrypt, blob: &[u8], identity: &Identity<'_>) -> Result<Answer> {
    let set = TfheBlob::read(blob)?.params;
    let choice = &arguments.integers;
    let of = choice.of.unwrap_or(ValueType::U8);
    let encoding = TfheEncoding {
        suite: suite(arguments.encoding.suite)?,
        rounded: choice.rounded,
        streaming: false,
        accept_label: arguments.label.check(AnySet::Tfhe(set))?,
    };
    let mut encryptor = TfheEncryptor::new(blob, encoding)?;
    ensure!(
        arguments.model.is_none(),
        "--model: standardises real numbers; allowed with CKKS sets only"
    );
    let values = Integers::read(&arguments.values, of)?;
    let fit = set.ring_degree / of.blocks(set.message_bits) / values.columns.len();
    let rows_per_frame = arguments.rows_per_frame.unwrap_or(fit.max(1));
    ensure!(
        (1..=fit).contains(&rows_per_frame),
        "--rows-per-frame: {rows_per_frame} rows of {} values of type {}; allowed is 1 to {fit} in a frame of {}",
        values.columns.len(),
        of.name(),
        set.name
    );
    let (frames, bytes) = write(
        arguments,
        &mut encryptor,
        identity,
        &rows(&values, rows_per_frame, of)?,
    )?;
    let facts = Facts {
        file: arguments.out.display().to_string(),
        set: set.name,
        label: set.label.name(),
        device: identity.device,
        epoch: identity.epoch,
        columns: values.columns,
        rows: values.rows.len(),
        of: of.name(),
        rows_per_frame,
        rounded: choice.rounded,
        frames,
        bytes,
    };
    Answer::new(text(&facts), &facts)
}

fn suite(name: SuiteName) -> Result<TfheSuite> {
    match name {
        SuiteName::Chacha20 => Ok(TfheSuite::Chacha20),
        SuiteName::Shake256 => Ok(TfheSuite::Shake256),
        SuiteName::Aes128 => Ok(TfheSuite::Aes128),
        SuiteName::SealShake256 => {
            anyhow::bail!("--suite: seal-shake256 is SEAL's; allowed with TFHE sets are chacha20, shake256 and aes128")
        }
    }
}

type Message = (Schema, Vec<i128>);

fn rows(values: &Integers, rows_per_frame: usize, of: ValueType) -> Result<Vec<Message>> {
    let message = |rows: &[Vec<i128>]| {
        let values = rows.concat();
        Ok((Schema::of_values(vec![of; values.len()])?, values))
    };
    values.rows.chunks(rows_per_frame).map(message).collect()
}

/// Number of frames and of bytes.
fn write(
    arguments: &Encrypt,
    encryptor: &mut TfheEncryptor,
    identity: &Identity<'_>,
    messages: &[Message],
) -> Result<(usize, usize)> {
    let sequence = arguments.sequence;
    let last = sequence.checked_add(messages.len() as u64);
    last.with_context(|| format!("--sequence: {sequence} is out of range; allowed is up to 2^64 less the number of frames"))?;
    let mut file = NewFile::new(&arguments.out, arguments.force)?;
    let bar = progress::bar("encrypting", messages.len() as u64);
    let mut bytes = 0;
    for ((schema, values), sequence) in messages.iter().zip(sequence..) {
        let frame = encryptor.encrypt(schema, values, identity, sequence)?;
        file.write(&frame)?;
        bytes += frame.len();
        bar.inc(1);
    }
    bar.finish_and_clear();
    file.publish().map(|()| (messages.len(), bytes))
}

fn text(facts: &Facts) -> String {
    let rounded = if facts.rounded {
        ", bodies rounded"
    } else {
        ""
    };
    format!(
        "{}: {} rows of {} values of type {} in {} frame(s) of up to {} rows, {} bytes{rounded}\n\
         set {} (label {}), device {}, epoch {}\n",
        facts.file,
        facts.rows,
        facts.columns.len(),
        facts.of,
        facts.frames,
        facts.rows_per_frame,
        facts.bytes,
        facts.set,
        facts.label,
        facts.device,
        facts.epoch,
    )
}
