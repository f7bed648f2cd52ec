//! The passphrase from a file, the environment, or the terminal.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context, Result};
use clap::Args;
use isopod_keys::{read_private, Passphrase};
use zeroize::Zeroizing;

use crate::input::text::utf8;

/// The environment variable that may hold the passphrase.
const VARIABLE: &str = "ISOPOD_PASSPHRASE";
/// The environment variable that may hold the passphrase of a key that takes the place of another.
const NEW_VARIABLE: &str = "ISOPOD_NEW_PASSPHRASE";
/// Most bytes of a file with a passphrase.
const MOST_BYTES: u64 = 4096;

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
            None => {
                let prompt = "Passphrase of the owner's key: ";
                Ok(Passphrase::new(ask(
                    prompt,
                    "--passphrase-file",
                    VARIABLE,
                )?)?)
            }
        }
    }

    /// A passphrase for a new key; typed ones are asked twice.
    pub fn fresh(&self) -> Result<Passphrase> {
        match self.given()? {
            Some(text) => Ok(Passphrase::new(text)?),
            None => ask_twice("--passphrase-file", VARIABLE),
        }
    }

    fn given(&self) -> Result<Option<String>> {
        given(self.passphrase_file.as_deref(), VARIABLE)
    }
}

/// The passphrase of a key that takes the place of another.
#[derive(Debug, Clone, Default, Args)]
pub struct NewPassphraseSource {
    /// Read the new key's passphrase from the first line of this file [else: ISOPOD_NEW_PASSPHRASE, else: ask]
    #[arg(long, value_name = "FILE", conflicts_with = "insecure_plaintext_key")]
    new_passphrase_file: Option<PathBuf>,
}

impl NewPassphraseSource {
    /// A passphrase that is not the old key's, if that had one; typed ones are asked twice.
    pub fn fresh(&self, old: Option<&Passphrase>) -> Result<Passphrase> {
        let text = given(self.new_passphrase_file.as_deref(), NEW_VARIABLE)?;
        let new = match text {
            Some(text) => Passphrase::new(text)?,
            None => ask_twice("--new-passphrase-file", NEW_VARIABLE)?,
        };
        ensure!(
            !old.is_some_and(|old| old.same_as(&new)),
            "new passphrase: the old key's; allowed is another one, since whoever knows the old would open the new key too"
        );
        Ok(new)
    }
}

/// The first line of the file, or else the variable.
fn given(file: Option<&Path>, variable: &str) -> Result<Option<String>> {
    let Some(path) = file else {
        return Ok(std::env::var(variable).ok());
    };
    let name = || path.display().to_string();
    let text = utf8(read_private(path, MOST_BYTES)?).with_context(name)?;
    let text = Zeroizing::new(text);
    Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
}

fn ask_twice(option: &str, variable: &str) -> Result<Passphrase> {
    let text = ask("New passphrase for the owner's key: ", option, variable)?;
    if text != ask("Once more: ", option, variable)? {
        bail!("passphrase: the two entries differ; nothing was written");
    }
    Ok(Passphrase::new(text)?)
}

fn ask(prompt: &str, option: &str, variable: &str) -> Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!("passphrase: none given and no terminal to ask on; use {option} or {variable}");
    }
    Ok(rpassword::prompt_password(prompt)?)
}
