//! `isopod owner begin`, `join` and `finish`: the ceremony that makes a key of several owners.

use std::path::{Path, PathBuf};

use anyhow::{bail, Context as _, Result};
use clap::Args;
use isopod_eval::rounded_up;
use isopod_keys::{random, read_bounded, Protection};
use isopod_wire::{AnySet, Invitation};
use isopod_workflow::{continue_ceremony, join_ceremony, spoken, CeremonyStep, INVITATION_FILE};
use serde_json::json;

use crate::commands::owner::holders::purpose::Purpose;
use crate::commands::parameters::sets::find;
use crate::input::passphrase::PassphraseSource;
use crate::keys::label::LabelChoice;
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;
use crate::output::table::hex;

/// Most bytes of a file of a ceremony.
const MOST_BYTES: u64 = 16 << 20;

/// The set where nobody asks for another, nor says what the key is for.
const USUAL_SET: &str = "bfv-4096x3-sum";

const NEXT: &str = "Send `invitation` and your announcement to the others, by any way. Nothing in these files is secret.";

/// Arguments of `isopod owner begin`.
#[derive(Debug, Args)]
#[command(after_help = NEXT)]
pub struct Begin {
    /// Names of all holders, 2 to 10, you first
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', required = true)]
    holders: Vec<String>,
    /// How many of them open an answer together: 2, or all
    #[arg(long, value_name = "NUMBER")]
    threshold: u8,
    /// Parameter set [default: the one with the shortest frames for --for, or bfv-4096x3-sum]
    #[arg(long)]
    set: Option<String>,
    /// Most frames that enter an answer
    #[arg(long, default_value_t = 1000)]
    frames: u32,
    #[command(flatten)]
    purpose: Purpose,
    /// How many answers the key will ever open
    #[arg(long, default_value_t = 64)]
    queries: u64,
    /// Bits of statistical security of all answers together, 30 to 64
    #[arg(long, default_value_t = 40)]
    statistical_bits: u8,
    #[command(flatten)]
    label: LabelChoice,
    #[command(flatten)]
    own: OwnFolder,
}

/// Arguments of `isopod owner join`.
#[derive(Debug, Args)]
pub struct Join {
    /// The invitation that the first holder sent
    #[arg(long, value_name = "FILE")]
    invitation: PathBuf,
    /// Your name in it
    #[arg(long = "as", value_name = "NAME")]
    name: String,
    #[command(flatten)]
    label: LabelChoice,
    #[command(flatten)]
    own: OwnFolder,
}

/// The folder of a holder.
#[derive(Debug, Args)]
struct OwnFolder {
    /// Folder to make, for you alone
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    passphrase: PassphraseSource,
    /// Write your key without a passphrase: whoever reads the file has your share
    #[arg(long)]
    insecure_plaintext_key: bool,
}

/// Arguments of `isopod owner finish`.
#[derive(Debug, Args)]
pub struct Finish {
    /// Your folder
    #[arg(long, value_name = "DIR")]
    keys: PathBuf,
    /// Announcements and openings that the other holders sent
    #[arg(long = "in", value_name = "FILE", num_args = 1..)]
    input: Vec<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

impl Begin {
    /// Makes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let name = self.set.as_deref().unwrap_or(USUAL_SET);
        let set = find(name)?;
        let AnySet::Rns(params) = set else {
            bail!("--set: {name}; allowed for several owners are sets of CKKS and BFV of at most 3 data primes");
        };
        let mut invitation = Invitation {
            params,
            ceremony: random()?,
            holders: self.holders.clone(),
            threshold: self.threshold,
            frames: self.purpose.frames(self.frames)?,
            statistical_bits: self.statistical_bits,
            queries: self.queries,
        };
        invitation.check()?;
        self.purpose.choose(&mut invitation, self.set.is_some())?;
        self.label.check(AnySet::Rns(invitation.params))?;
        self.own.make(invitation, 1)
    }
}

impl Join {
    /// Makes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let name = || self.invitation.display().to_string();
        let bytes = read_bounded(&self.invitation, MOST_BYTES)?;
        let invitation = Invitation::read(&bytes).with_context(name)?;
        self.label.check(AnySet::Rns(invitation.params))?;
        let Some(number) = invitation.number(&self.name) else {
            let all = invitation.holders.join(", ");
            bail!("--as: {} is not invited; allowed are {all}", self.name);
        };
        self.own.make(invitation, number)
    }
}

impl OwnFolder {
    fn make(&self, invitation: Invitation, holder: u8) -> Result<Output> {
        let protection = match self.insecure_plaintext_key {
            true => Protection::InsecurePlaintext,
            false => Protection::Passphrase(self.passphrase.fresh()?),
        };
        let (_unfinished, new) = new_folder(&self.out)?;
        let circuit = join_ceremony((invitation.clone(), holder), &new, &protection)?;
        new.publish()?;
        let name = invitation.name(holder);
        let (holders, set) = (invitation.holders.join(", "), invitation.params);
        let mut text = format!(
            "{}: key of set {} (label {}), {} of {holders} open an answer\nat most {} frames in an answer, {} answers, {} bits \
             of statistical security\n",
            escaped::path(&self.out),
            set.name,
            set.label.name(),
            invitation.threshold,
            invitation.frames,
            invitation.queries,
            invitation.statistical_bits,
        );
        let error = circuit.least_error();
        if error > 0.0 {
            text += &format!(
                "values are off by at most {} more, at scale 2^{}, the largest of the set\n",
                rounded_up(error, 3),
                set.log2_scale.max
            );
        }
        let invitation_too = if holder == 1 {
            format!("{INVITATION_FILE} and ")
        } else {
            String::new()
        };
        text += &format!(
            "send {invitation_too}announcement-{name} to the others; then: isopod owner finish\n"
        );
        let facts = json!({"folder": self.out, "holder": name, "holders": invitation.holders, "threshold": invitation.threshold,
            "set": set.name, "label": set.label.name(), "frames": invitation.frames, "queries": invitation.queries,
            "statistical_bits": invitation.statistical_bits, "added_error": error});
        Output::new(text, &facts)
    }
}

impl Finish {
    /// Goes on as far as the files allow.
    pub fn run(&self) -> Result<Output> {
        let received = self.input.iter().map(|path| read(path));
        let received: Vec<(String, Vec<u8>)> = received.collect::<Result<_>>()?;
        let step = continue_ceremony(&self.keys, &received, || self.passphrase.existing())?;
        let (text, facts) = match step {
            CeremonyStep::Announcements(names) => (
                format!("waiting for announcements of {}\n", names.join(", ")),
                json!({"waiting_for": "announcements", "holders": names}),
            ),
            CeremonyStep::Openings(file, names) => (
                format!(
                    "send {} to the others; waiting for openings of {}\n",
                    escaped::path(&self.keys.join(&file)),
                    names.join(", ")
                ),
                json!({"waiting_for": "openings", "holders": names, "send": file}),
            ),
            CeremonyStep::Finished(key_id, fingerprint) => {
                let groups = spoken(&fingerprint);
                let agreed = read(&self.keys.join(INVITATION_FILE))?;
                let Invitation {
                    params, queries, ..
                } = Invitation::read(&agreed.1)?;
                let label = params.label.name();
                (
                    format!(
                        "key {} of set {} (label {label}) is made; nobody holds it alone, and it opens {queries} answers\n\
                         fingerprint {groups}: compare it with the others, by voice\n",
                        hex(&key_id),
                        params.name
                    ),
                    json!({"key": hex(&key_id), "set": params.name, "label": label, "queries": queries, "fingerprint": groups}),
                )
            }
        };
        Output::new(text, &facts)
    }
}

/// A file that another holder sent.
pub(super) fn read(path: &Path) -> Result<(String, Vec<u8>)> {
    let bytes = read_bounded(path, MOST_BYTES)?;
    Ok((path.display().to_string(), bytes.to_vec()))
}
