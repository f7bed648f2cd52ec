//! `isopod owner refresh`, `replace`, `take-over` and `end`: holders of one key change.

use std::path::PathBuf;

use anyhow::{bail, Result};
use clap::Args;
use isopod_workflow::{
    end_share, note_ended, refresh_shares, replace_holder, spoken, take_over, RefreshStep,
    Replacement, ReplacementStep,
};
use serde_json::{json, Value};

use crate::commands::owner::holders::ceremony::read;
use crate::commands::owner::share::anchors;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::report::Output;
use crate::output::table::hex;

/// Files of a change, and the folder of a holder.
#[derive(Debug, Args)]
struct Files {
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Files of this change that the other holders sent
    #[arg(long = "in", value_name = "FILE", num_args = 1..)]
    input: Vec<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

/// Arguments of `isopod owner refresh`.
#[derive(Debug, Args)]
pub struct Refresh {
    #[command(flatten)]
    files: Files,
    /// Wipe the old share: all holders confirmed, and see the same fingerprint of the refresh
    #[arg(long)]
    agree: bool,
}

/// Arguments of `isopod owner replace`.
#[derive(Debug, Args)]
pub struct Replace {
    #[command(flatten)]
    files: Files,
    /// Announcement of the newcomer, who ran `isopod owner join` under the lost holder's name
    #[arg(long, value_name = "FILE")]
    newcomer: PathBuf,
    /// Holders who help, as many as the threshold
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    with: Vec<String>,
    /// The newcomer told you the fingerprint of the announcement
    #[arg(long)]
    agree: bool,
}

/// Arguments of `isopod owner take-over`.
#[derive(Debug, Args)]
pub struct TakeOver {
    #[command(flatten)]
    files: Files,
    /// The public key, of any holder or device
    #[arg(long, value_name = "FILE")]
    public: PathBuf,
}

/// Arguments of `isopod owner end`.
#[derive(Debug, Args)]
pub struct End {
    #[command(flatten)]
    files: Files,
    /// Wipe your share, for good
    #[arg(long, conflicts_with = "input")]
    agree: bool,
}

impl Files {
    fn received(&self) -> Result<Vec<(String, Vec<u8>)>> {
        self.input.iter().map(|path| read(path)).collect()
    }

    /// A file of this folder that is to be sent.
    fn path(&self, name: &str) -> String {
        escaped::path(&self.keys.join(name)).to_string()
    }
}

impl Refresh {
    /// Goes on as far as the files allow.
    pub fn run(&self) -> Result<Output> {
        let files = &self.files;
        let passphrase = || files.passphrase.existing();
        let step = refresh_shares(&files.keys, &files.received()?, self.agree, passphrase)?;
        let (text, facts): (String, Value) = match step {
            RefreshStep::Dealt(name, missing) => (
                format!(
                    "send {} to the others; waiting for refresh-* of {}\n",
                    files.path(&name),
                    missing.join(", ")
                ),
                json!({"send": name, "waiting_for": "refresh", "holders": missing}),
            ),
            RefreshStep::Confirmed(name, missing, digest) => {
                let groups = spoken(&digest);
                let next = match missing.is_empty() {
                    true => "compare it with the others, by voice, and give --agree to wipe the old share".to_owned(),
                    false => format!("waiting for refreshed-* of {}", missing.join(", ")),
                };
                (
                    format!(
                        "send {} to the others; the old share is valid still\nfingerprint of the refresh {groups}: {next}\n",
                        files.path(&name)
                    ),
                    json!({"send": name, "waiting_for": "refreshed", "holders": missing, "fingerprint": groups}),
                )
            }
            RefreshStep::Refreshed(generation) => (
                format!("generation {generation}: the old share is wiped, and opens nothing with the new ones\n"),
                json!({"generation": generation}),
            ),
        };
        Output::new(text, &facts)
    }
}

impl Replace {
    /// Goes on as far as the files allow.
    pub fn run(&self) -> Result<Output> {
        let files = &self.files;
        let (_, announcement) = read(&self.newcomer)?;
        let replacement = Replacement {
            announcement: &announcement,
            helpers: &self.with,
            is_agreed: self.agree,
        };
        let passphrase = || files.passphrase.existing();
        let step = replace_holder(&files.keys, &replacement, &files.received()?, passphrase)?;
        let (text, facts): (String, Value) = match step {
            ReplacementStep::Asked(name, digest) => {
                let groups = spoken(&digest);
                (
                    format!(
                        "fingerprint {groups}: call {name}, compare it, and give --agree; whoever wrote the announcement gets \
                         {name}'s share\n"
                    ),
                    json!({"holder": name, "fingerprint": groups}),
                )
            }
            ReplacementStep::Noted(name) => (
                format!("contributions are sealed for the new {name} from now on\n"),
                json!({"holder": name}),
            ),
            ReplacementStep::Masked(name, missing) => (
                format!(
                    "send {} to those who help; waiting for masks-* of {}\n",
                    files.path(&name),
                    missing.join(", ")
                ),
                json!({"send": name, "waiting_for": "masks", "holders": missing}),
            ),
            ReplacementStep::Given(name) => (
                format!(
                    "send {} to the newcomer; refresh all shares afterwards\n",
                    files.path(&name)
                ),
                json!({"send": name}),
            ),
        };
        Output::new(text, &facts)
    }
}

impl TakeOver {
    /// Makes the newcomer's keys.
    pub fn run(&self) -> Result<Output> {
        let files = &self.files;
        let passphrase = || files.passphrase.existing();
        let (key, generation) = take_over(
            &files.keys,
            &self.public,
            &files.received()?,
            &anchors()?,
            passphrase,
        )?;
        let text = format!(
            "share of key {}, generation {generation}: refresh all shares now, so that the lost one opens nothing\n",
            hex(&key)
        );
        Output::new(text, &json!({"key": hex(&key), "generation": generation}))
    }
}

impl End {
    /// Wipes the share, or takes notices of others.
    pub fn run(&self) -> Result<Output> {
        let files = &self.files;
        let passphrase = || files.passphrase.existing();
        if self.agree {
            let name = end_share(&files.keys, passphrase)?;
            let text = format!(
                "the share is wiped, and this folder opens nothing more; send {} to the others\n",
                files.path(&name)
            );
            return Output::new(text, &json!({"send": name}));
        }
        if files.input.is_empty() {
            bail!("--agree: missing; allowed is --agree to wipe your share, or --in with notices of others");
        }
        let current = note_ended(&files.keys, &files.received()?, passphrase)?;
        let text = format!("who holds the key still: {}\n", current.join(", "));
        Output::new(text, &json!({"holders": current}))
    }
}
