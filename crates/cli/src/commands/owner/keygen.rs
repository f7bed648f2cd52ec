//! `isopod keygen`: a key pair, and a folder each for owner, server and devices.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Result};
use clap::Args;
use isopod_keys::Protection;
use isopod_wire::AnySet;
use isopod_workflow::{Error, EvaluationKeyChoice, JobName, NewDevice, NewKeys, USUAL_SET};
use serde::Serialize;

use crate::commands::parameters::sets::find;
use crate::input::jobs::job_name;
use crate::input::passphrase::PassphraseSource;
use crate::keys::label::LabelChoice;
use crate::keys::set_choice::{Cost, Wishes};
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::progress::Bars;
use crate::output::report::Output;
use crate::output::table::{hex, TextTable};

/// Arguments of `isopod keygen`.
#[derive(Debug, Default, Args)]
pub struct Keygen {
    /// Parameter set, one of `isopod params` [default: one that computes the job of --for, as --precision asks for, or
    /// ckks-4096x2-linear]
    #[arg(long)]
    pub set: Option<String>,
    /// Error that a reading may have: picks the set with the fewest bytes for the job of --for
    #[arg(
        long,
        value_name = "ERROR",
        requires = "purpose",
        conflicts_with = "set"
    )]
    pub precision: Option<f64>,
    /// log2 of the bound on readings, for --precision
    #[arg(
        long,
        default_value_t = 4,
        allow_hyphen_values = true,
        requires = "precision"
    )]
    pub bound_bits: i8,
    /// Folder to make
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Number of a device; repeat for several
    #[arg(long = "device", value_name = "ID", default_values_t = [1])]
    pub devices: Vec<u64>,
    #[command(flatten)]
    pub evaluation: EvaluationChoice,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
    /// Write the owner's key without a passphrase: whoever reads the file reads all results
    #[arg(long)]
    pub insecure_plaintext_key: bool,
    /// Give devices half the public key; they expand the other half from its seed
    #[arg(long)]
    pub seeded_public_key: bool,
    /// Give the server no evaluation keys: it can check and store frames, not compute
    #[arg(long, conflicts_with_all = ["rotations", "purpose", "relinearization"])]
    pub no_evaluation_keys: bool,
    /// Give the only device the secret key too: half the bytes, but whoever opens it reads all it sent
    #[arg(long)]
    pub allow_device_secret_key: bool,
    #[command(flatten)]
    pub label: LabelChoice,
}

/// Evaluation keys of the server.
#[derive(Debug, Clone, Default, Args)]
pub struct EvaluationChoice {
    /// Rotations by these steps, comma separated [default: those of --for]
    #[arg(
        long,
        value_delimiter = ',',
        allow_hyphen_values = true,
        conflicts_with = "purpose"
    )]
    pub rotations: Option<Vec<i32>>,
    /// The keys that this job needs [default: all powers of two, if the set can rotate]
    #[arg(long = "for", value_name = "JOB", value_parser = job_name())]
    pub purpose: Option<JobName>,
    /// Slots from row to row for --for, a power of two [default: all slots]
    #[arg(long, requires = "purpose")]
    pub stride: Option<usize>,
    /// The key for products of ciphertexts
    #[arg(long)]
    pub relinearization: bool,
}

impl EvaluationChoice {
    /// The shape of a server's keys under a set.
    pub fn shape(&self, set: AnySet) -> Result<EvaluationKeyChoice> {
        let of_job = EvaluationKeyChoice::of_job(set, self.purpose, self.stride)?;
        Ok(EvaluationKeyChoice {
            rotations: match (&self.rotations, set) {
                (Some(steps), AnySet::Rns(_)) => steps.clone(),
                _ => of_job.rotations,
            },
            relinearization: self.relinearization || of_job.relinearization,
        })
    }
}

#[derive(Serialize)]
struct Facts {
    folder: String,
    set: &'static str,
    label: &'static str,
    key: String,
    devices: Vec<u64>,
    rotations: Vec<i32>,
    relinearization: bool,
    evaluation_key_bytes: usize,
    public_key_bytes: usize,
    owner_key_encrypted: bool,
    secret_key_on_device: bool,
    secret_key_devices: Vec<u64>,
}

impl Keygen {
    /// Makes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let (set, cost) = self.choice()?;
        self.label.check(set)?;
        let shape = self.evaluation.shape(set)?;
        ensure!(
            !self.allow_device_secret_key || self.devices.len() == 1,
            "--allow-device-secret-key: {} devices; allowed is one, since each needs a key pair of its own",
            self.devices.len()
        );
        ensure!(
            set != AnySet::Pads || !(self.allow_device_secret_key || self.seeded_public_key),
            "--allow-device-secret-key, --seeded-public-key: not of pads, where each device has a key of its own; allowed with \
             sets of ciphertexts"
        );
        let keys = self.keys(set, shape);
        if let Err(error @ Error::ServerKeysWithoutTfhe { .. }) = keys.check() {
            bail!("{error}, or give --no-evaluation-keys and let such a build make them later: isopod server-keys");
        }
        let made = make(keys, &self.out, &self.protection()?)?;
        Ok(match cost {
            Some(cost) => made.followed_by(&cost.text()),
            None => made,
        })
    }

    /// The set, and the cost of a reading where a precision chose it.
    fn choice(&self) -> Result<(AnySet, Option<Cost>)> {
        let (Some(precision), Some(job)) = (self.precision, self.evaluation.purpose) else {
            let usual = self
                .evaluation
                .purpose
                .map_or(USUAL_SET, JobName::usual_set);
            return Ok((find(self.set.as_deref().unwrap_or(usual))?, None));
        };
        let (set, cost) = Cost::least(&Wishes {
            job,
            precision,
            bound_bits: self.bound_bits,
            by_secret_key: self.allow_device_secret_key,
        })?;
        Ok((AnySet::Rns(set), Some(cost)))
    }

    fn keys(&self, set: AnySet, shape: EvaluationKeyChoice) -> NewKeys {
        let device = |&number: &u64| NewDevice {
            number,
            secret_key: self.allow_device_secret_key,
        };
        NewKeys {
            set,
            seeded_public_key: self.seeded_public_key,
            devices: self.devices.iter().map(device).collect(),
            evaluation: (!self.no_evaluation_keys).then_some(shape),
        }
    }

    fn protection(&self) -> Result<Protection> {
        if self.insecure_plaintext_key {
            return Ok(Protection::InsecurePlaintext);
        }
        Ok(Protection::Passphrase(self.passphrase.fresh()?))
    }
}

/// Makes the keys and their folder, whole or not at all.
pub fn make(keys: NewKeys, out: &Path, protection: &Protection) -> Result<Output> {
    let (_unfinished, new) = new_folder(out)?;
    let mut bars = Bars::default();
    let made = keys.write(&new, protection, &mut |progress| bars.show(progress))?;
    new.publish()?;
    let secret = keys.devices.iter().filter(|device| device.secret_key);
    let facts = Facts {
        folder: out.display().to_string(),
        set: keys.set.name(),
        label: keys.set.label().name(),
        key: hex(&made.key_id),
        devices: keys.devices.iter().map(|device| device.number).collect(),
        relinearization: keys
            .evaluation
            .as_ref()
            .is_some_and(|shape| shape.relinearization),
        evaluation_key_bytes: made.evaluation_key_bytes,
        public_key_bytes: made.public_key_bytes,
        owner_key_encrypted: matches!(protection, Protection::Passphrase(_)),
        secret_key_on_device: secret.clone().next().is_some(),
        secret_key_devices: secret.map(|device| device.number).collect(),
        rotations: keys.evaluation.map_or(Vec::new(), |shape| shape.rotations),
    };
    Output::new(text(&facts), &facts)
}

fn is_pads(facts: &Facts) -> bool {
    facts.set == AnySet::Pads.name()
}

/// The keys that the server has, and why it has no evaluation keys.
fn evaluation_keys(facts: &Facts) -> String {
    match (facts.evaluation_key_bytes, facts.set.strip_prefix("tfhe-")) {
        (0, _) if is_pads(facts) => "link key".to_owned(),
        (0, Some(_)) => "link key; no evaluation keys".to_owned(),
        (0, None) => "link key; no evaluation keys, which sums need not".to_owned(),
        (bytes, _) => format!("evaluation keys ({bytes} bytes), link key"),
    }
}

/// Steps that follow where TFHEpp computes.
const TFHEPP_NEXT: &str =
    "TFHEpp makes its evaluation keys itself, of the key in `isopod export-tfhepp --keys OWNER --what key`; it takes frames as \
     `isopod export-tfhepp --keys SERVER --what tlwe --in FRAMES`\n";

fn text(facts: &Facts) -> String {
    let owner = if facts.owner_key_encrypted {
        "secret key, under the passphrase"
    } else {
        "secret key, IN THE CLEAR"
    };
    let device = |number| match facts.secret_key_devices.contains(number) {
        true => "frame key, AND THE SECRET KEY",
        false if is_pads(facts) => "frame key, key of its own pads",
        false => "frame key",
    };
    let mut table = TextTable::new(&["folder", "holds", "give it to"]);
    let mut row = |name: &str, holds: &str, to: &str| {
        table.row(vec![
            format!("{}/{name}", escaped::text(&facts.folder)),
            holds.to_owned(),
            to.to_owned(),
        ]);
    };
    row("owner", owner, "nobody; keep a copy in a safe place");
    row("server", &evaluation_keys(facts), "the server");
    if facts.public_key_bytes > 0 {
        row(
            "public",
            &format!("public key ({} bytes)", facts.public_key_bytes),
            "every device; isopod_public_key.h goes into its flash",
        );
    }
    for number in &facts.devices {
        row(
            &format!("device-{number}"),
            device(number),
            "this device; isopod_keys.h goes into its flash",
        );
    }
    let next = match facts.set.starts_with("tfhe-1024-") {
        true => TFHEPP_NEXT,
        false => "",
    };
    format!(
        "key {} of set {} (label {})\n{}{next}",
        facts.key,
        facts.set,
        facts.label,
        table.text()
    )
}
