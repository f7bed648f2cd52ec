//! `isopod pads encrypt`: the pads of packets as ciphertexts of TFHE, so that a server can compare what the packets hold.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::{Device, Owner, PadSpan};
use serde_json::json;

use crate::commands::owner::grant::first_element;
use crate::input::pad_span::span;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;

const USE: &str = "The server adds the packets to these frames: isopod evaluate --keys TFHE-SERVER --in FRAMES --packets PACKETS \
--packet-keys PAD-SERVER --job alarm --above 100. A frame has about 2 KB for 128 integers of 16 bits, whatever the packets take.";

/// Arguments of `isopod pads encrypt`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct EncryptPads {
    /// The owner's folder, of pads
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Whose packets, and which: DEVICE:EPOCH:FIRST-LAST
    #[arg(long, value_name = "RANGE", value_parser = span)]
    pub packets: PadSpan,
    /// The context of these packets, as the device sends it: a file that begins with it
    #[arg(long, value_name = "FILE")]
    pub context: PathBuf,
    /// The folder of the same device under a TFHE key, beside its public key
    #[arg(long, value_name = "DIR")]
    pub to: PathBuf,
    /// File of frames to write, one for each packet
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

impl EncryptPads {
    /// Writes the frames, all or none.
    pub fn run(&self) -> Result<Output> {
        check_apart(
            &self.out,
            [&self.keys, &self.context, &self.to].map(PathBuf::as_path),
        )?;
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        let device = Device::open(&self.to, false)?;
        let mut file = NewFile::new(&self.out, self.force)?;
        let (mut frames, mut bytes) = (0, 0);
        let context = first_element(&self.context)?;
        for frame in owner.encrypt_pads(&context, &self.packets, &device)? {
            let frame = frame?;
            (frames, bytes) = (frames + 1, bytes + frame.len());
            file.write(&frame)?;
        }
        file.publish()?;
        let text = format!(
            "{}: pads of {frames} packets under set {}, {bytes} bytes\n",
            escaped::path(&self.out),
            device.set().name()
        );
        let facts =
            json!({"file": self.out, "set": device.set().name(), "frames": frames, "bytes": bytes});
        Output::new(text, &facts)
    }
}
