//! `isopod export-tfhepp`: frames of TFHEpp's ring, and their key, as the arrays that TFHEpp's types fill from.

use std::path::PathBuf;

use anyhow::{bail, ensure, Context as _, Result};
use clap::{Args, ValueEnum};
use isopod_tfhe::{secret_coefficients, Tfhepp};
use isopod_wire::TfheBlob;
use isopod_workflow::{Owner, Server};
use serde::Serialize;
use zeroize::Zeroizing;

use crate::input::files;
use crate::input::passphrase::PassphraseSource;
use crate::keys::label::LabelChoice;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::report::Output;

/// Arguments of `isopod export-tfhepp`.
#[derive(Debug, Args)]
pub struct ExportTfhepp {
    /// The server's folder; the owner's for --what key
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Arrays to write
    #[arg(long)]
    pub what: What,
    /// Files of frames
    #[arg(long = "in", value_name = "FILE", num_args = 1..)]
    pub input: Vec<PathBuf>,
    /// File of arrays to write; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
    #[command(flatten)]
    pub label: LabelChoice,
}

/// Arrays of TFHEpp, little endian, without header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum What {
    /// TRLWE<lvl1param>, one per frame: 8192 bytes
    Trlwe,
    /// TLWE<lvl1param>, one per bit: 4100 bytes
    Tlwe,
    /// The lvl1 key: 4096 bytes, secret
    Key,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    arrays: usize,
    bytes: usize,
}

impl ExportTfhepp {
    /// Writes the file, whole or not at all; it can be read by its owner only.
    pub fn run(&self) -> Result<Output> {
        let inputs = self.input.iter().chain([&self.keys]);
        check_apart(&self.out, inputs.map(PathBuf::as_path))?;
        let (set, arrays, bytes) = match self.what {
            What::Key => self.key()?,
            What::Trlwe | What::Tlwe => self.frames()?,
        };
        let file = NewFile::new(&self.out, self.force)?;
        file.publish_with(&bytes)?;
        let facts = Facts {
            file: self.out.display().to_string(),
            set,
            arrays,
            bytes: bytes.len(),
        };
        let text = format!(
            "{}: {arrays} array(s), {} bytes; set {set}\n",
            escaped::text(&facts.file),
            facts.bytes
        );
        Ok(Output::new(text, &facts)?.beside(&self.out))
    }

    fn key(&self) -> Result<(&'static str, usize, Zeroizing<Vec<u8>>)> {
        ensure!(
            self.input.is_empty(),
            "--in: frames have no key in them; allowed with trlwe and tlwe only"
        );
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        self.label.check(owner.set())?;
        let key = Tfhepp::key(&secret_coefficients(&TfheBlob::read(
            owner.keys().secret_blob(),
        )?)?)?;
        Ok((owner.set().name(), 1, Zeroizing::new(key)))
    }

    fn frames(&self) -> Result<(&'static str, usize, Zeroizing<Vec<u8>>)> {
        let server = Server::open(&self.keys)?;
        self.label.check(server.set())?;
        if self.input.is_empty() {
            bail!("--in: missing; trlwe and tlwe need files of frames");
        }
        server.set().tfhe()?;
        let (mut arrays, mut bytes) = (0, Vec::new());
        for frame in files::frames(&self.input, &server)? {
            let ring = Tfhepp::from_frame(&frame.tfhe()?).context("frame")?;
            arrays += self.append(&ring, &mut bytes)?;
        }
        Ok((server.set().name(), arrays, Zeroizing::new(bytes)))
    }

    /// Appends the arrays of a frame and gives their number.
    fn append(&self, ring: &Tfhepp, bytes: &mut Vec<u8>) -> Result<usize> {
        if self.what == What::Trlwe {
            bytes.extend(ring.trlwe());
            return Ok(1);
        }
        bytes.extend(ring.tlwe(0..ring.used())?);
        Ok(ring.used())
    }
}
