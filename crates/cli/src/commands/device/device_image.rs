//! `isopod device image`: a public key as data for a device's flash.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, bail, ensure, Result};
use clap::Args;
use isopod_keys::{family_number, image, sealed_key, ImageFormat, FAMILIES};
use serde::Serialize;

use crate::keys::public_key::PublicKey;
use crate::output::escaped;
use crate::output::new_file::NewFile;
use crate::output::report::Output;

const USE: &str = "One firmware image then serves all keys: it opens the key at that address with \
isopod_sealed_public_key_open, which notices a key that is half written or changed. To replace a key, program the new one, with \
a larger --generation, into another slot; isopod_sealed_public_key_newest takes the newest whole one. uf2conv, picotool, \
objcopy, OpenOCD, esptool and the makers' programmers take these files.";

/// Arguments of `isopod device image`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct DeviceImage {
    /// A device's folder, or the folder of the public key
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Address of the key in the device's flash, such as 0x10180000
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    address: u32,
    /// File to write; its ending names the format: .bin, .hex (Intel HEX) or .uf2
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Replace --out if it exists
    #[arg(long)]
    force: bool,
    /// Family of chips that the boot loader asks for in a .uf2 file, by name or number
    #[arg(long, value_name = "FAMILY", value_parser = family)]
    family: Option<u32>,
    /// Number of this key on the devices; of several keys in flash the largest counts
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..0xFFFF_FFFF))]
    generation: u32,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    key: String,
    address: String,
    bytes: usize,
    generation: u32,
}

impl DeviceImage {
    /// Writes the file, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let format = self.format()?;
        let PublicKey { blob, set, key, .. } = PublicKey::find(&self.keys)?;
        let sealed = sealed_key(&blob, self.generation);
        let bytes = image(format, self.address, &sealed)
            .map_err(|reason| anyhow!("--address: {reason}"))?;
        NewFile::new(&self.out, self.force)?.publish_with(&bytes)?;
        let facts = Facts {
            file: self.out.display().to_string(),
            set,
            key,
            address: format!("{:#010x}", self.address),
            bytes: sealed.len(),
            generation: self.generation,
        };
        let text = format!(
            "{}: {} bytes for the flash from {} on; generation {} of key {} of set {}\n",
            escaped::text(&facts.file),
            facts.bytes,
            facts.address,
            facts.generation,
            facts.key,
            facts.set
        );
        Output::new(text, &facts)
    }

    fn format(&self) -> Result<ImageFormat> {
        let format = match ending(&self.out).as_str() {
            "bin" => ImageFormat::Binary,
            "hex" => ImageFormat::IntelHex,
            "uf2" => ImageFormat::Uf2 {
                family: self.family,
            },
            _ => bail!(
                "--out: {}: its ending names no format; allowed are .bin, .hex and .uf2",
                self.out.display()
            ),
        };
        ensure!(
            self.family.is_none() || matches!(format, ImageFormat::Uf2 { .. }),
            "--family: only .uf2 files have one"
        );
        Ok(format)
    }
}

fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}

fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn address(text: &str) -> Result<u32, String> {
    number(text).ok_or_else(|| "allowed are 0 to 0xffffffff".to_owned())
}

fn family(text: &str) -> Result<u32, String> {
    let known = || FAMILIES.map(|(name, _)| name).join(", ");
    let found = family_number(text).or_else(|| number(text));
    found.ok_or_else(|| format!("allowed are {}, or a number such as 0xe48bff59", known()))
}
