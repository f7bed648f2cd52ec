//! The passphrase from a file, the environment, or the terminal.

use std::io::IsTerminal;
use std::path::PathBuf;

use anyhow::{bail, Context, Result};
use clap::Args;
use isopod_keys::Passphrase;

/// The environment variable that may hold the passphrase.
const VARIABLE: &str = "ISOPOD_PASSPHRASE";

/// The passphrase of the owner's key file.
#[derive(Debug, Clone, Default, Args)]
pub struct PassphraseSource {
    /// Read the passphrase from the first line of this file [else: ISOPOD_PASSPHRASE, else: ask]
    #[arg(long, value_name = "FILE")]
    passphrase_file: Option<PathBuf>,
}

impl PassphraseSource {
    /// The passphrase of an existing key.
    pub fn existing(&self) -> Result<Passphrase> {
        match self.given()? {
            Some(text) => Ok(Passphrase::new(text)?),
            None => Ok(Passphrase::new(ask("Passphrase of the owner's key: ")?)?),
        }
    }

    /// A passphrase for a new key; typed ones are asked twice.
    pub fn fresh(&self) -> Result<Passphrase> {
        if let Some(text) = self.given()? {
            return Ok(Passphrase::new(text)?);
        }
        let text = ask("New passphrase for the owner's key: ")?;
        if text != ask("Once more: ")? {
            bail!("passphrase: the two entries differ; nothing was written");
        }
        Ok(Passphrase::new(text)?)
    }

    fn given(&self) -> Result<Option<String>> {
        let Some(path) = &self.passphrase_file else {
            return Ok(std::env::var(VARIABLE).ok());
        };
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
    }
}

fn ask(prompt: &str) -> Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!(
            "passphrase: none given and no terminal to ask on; use --passphrase-file or {VARIABLE}"
        );
    }
    Ok(rpassword::prompt_password(prompt)?)
}
