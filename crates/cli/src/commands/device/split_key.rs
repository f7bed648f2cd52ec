//! `isopod split-key`: a device's public key in one file per prime.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use clap::Args;
use isopod_keys::split_public_key;
use serde::Serialize;

use crate::keys::public_key::PublicKey;
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;

const USE: &str = "For boards that cannot hold a whole public key: each file is one blob, which the loader of \
isopod_split_key_open brings when its prime begins. Files lie wherever the board can read them; each has a digest of its own, \
and all have the identity of the key. They are as public as the key, and as important: a board that loads another's key \
encrypts for another.";

/// Arguments of `isopod split-key`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct SplitKey {
    /// A device's folder, or the folder of the public key
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Folder to make, with public-key-<prime>.key
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
}

#[derive(Serialize)]
struct Facts {
    folder: String,
    set: &'static str,
    key: String,
    /// In the order of the primes.
    files: Vec<String>,
    bytes_each: usize,
}

impl SplitKey {
    /// Writes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let PublicKey {
            path,
            blob,
            set,
            key,
        } = PublicKey::find(&self.keys)?;
        let parts = split_public_key(&blob).with_context(|| path.display().to_string())?;
        let (_unfinished, new) = new_folder(&self.out)?;
        let mut files = Vec::new();
        for (prime, part) in parts.iter().enumerate() {
            let file = format!("public-key-{prime}.key");
            new.write(&file, part)?;
            files.push(file);
        }
        new.publish()?;
        let facts = Facts {
            folder: self.out.display().to_string(),
            set,
            key,
            files,
            bytes_each: parts[0].len(),
        };
        let text = format!(
            "{}: {} file(s) of {} bytes, one per prime; key {} of set {}\n",
            escaped::text(&facts.folder),
            facts.files.len(),
            facts.bytes_each,
            facts.key,
            facts.set
        );
        Output::new(text, &facts)
    }
}
