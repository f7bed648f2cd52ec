//! `isopod pads grant`: the pads of a range of packets, for a reader.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::Args;
use isopod_workflow::{Owner, PadSpan};
use serde_json::json;

use crate::input::pad_span::span;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;

/// Bytes that hold the first element of a file, if it is a context.
const CONTEXT_BYTES: u64 = 1024;

const READING: &str = "The server seals a sum for the reader with `isopod evaluate --reader`, of packets of the range alone; the \
reader opens it with `isopod decrypt --grant`. Whoever has the grant also opens every other sum of these packets.";

/// Arguments of `isopod pads grant`.
#[derive(Debug, Args)]
#[command(after_help = READING)]
pub struct Grant {
    /// The owner's folder, of pads
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Whose packets, and which: DEVICE:EPOCH:FIRST-LAST
    #[arg(long, value_name = "RANGE", value_parser = span)]
    pub packets: PadSpan,
    /// The context of these packets, as the device sends it: a file that begins with it
    #[arg(long, value_name = "FILE")]
    pub context: PathBuf,
    /// File of the grant to write, which is as secret as the readings in the range
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

/// The first bytes of a file, which hold its first element if that is a context.
pub fn first_element(path: &Path) -> Result<Vec<u8>> {
    let name = || path.display().to_string();
    let mut first = Vec::new();
    let bytes = File::open(path).with_context(name)?;
    let read = bytes.take(CONTEXT_BYTES).read_to_end(&mut first);
    read.with_context(name)?;
    Ok(first)
}

impl Grant {
    /// Writes the grant, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        check_apart(&self.out, [&self.keys, &self.context].map(PathBuf::as_path))?;
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        let file = NewFile::new(&self.out, None)?;
        let context = first_element(&self.context)?;
        let grant = owner.grant(&context, &self.packets);
        let grant = grant.with_context(|| self.context.display().to_string())?;
        file.publish_with(&grant)?;
        let PadSpan {
            device,
            epoch,
            first,
            last,
        } = self.packets;
        let last = last - 1;
        let text = format!(
            "{}: opens sums of packets {first} to {last} of device {device}, epoch {epoch}, {} bytes; for its reader alone\n",
            escaped::path(&self.out),
            grant.len()
        );
        let facts = json!({"file": self.out, "device": device, "epoch": epoch, "first": first,
            "last": last, "bytes": grant.len()});
        Output::new(text, &facts)
    }
}
