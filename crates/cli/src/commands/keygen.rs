//! `isopod keygen`: a key pair, and a folder each for owner, server and devices.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Result};
use clap::Args;
use isopod_device::KeyPair;
use isopod_keys::{DeviceBlobs, NewFolder, OwnerKeys, Protection, EVALUATION_KEYS_FILE};
use isopod_seal::{Context, EvaluationKeys, SecretKey};
use isopod_wire::ParameterSet;
use serde::Serialize;
use zeroize::Zeroizing;

use crate::answer::Answer;
use crate::commands::params::find;
use crate::jobs::JobName;
use crate::label::LabelChoice;
use crate::passphrase::PassphraseSource;
use crate::table::{hex, Table};
use crate::{progress, secret};

/// Arguments of `isopod keygen`.
#[derive(Debug, Args)]
pub struct Keygen {
    /// Parameter set, one of `isopod params`
    #[arg(long, default_value = "ckks-4096x2-linear")]
    pub set: String,
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
    /// Give the only device the secret key too: half the bytes, but whoever opens it reads all it sent
    #[arg(long)]
    pub allow_device_secret_key: bool,
    #[command(flatten)]
    pub label: LabelChoice,
}

/// Which evaluation keys the server gets.
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
    #[arg(long = "for", value_name = "JOB")]
    pub purpose: Option<JobName>,
    /// Slots from row to row for --for [default: all slots]
    #[arg(long, requires = "purpose")]
    pub stride: Option<usize>,
    /// The key for products of ciphertexts
    #[arg(long)]
    pub relinearization: bool,
}

impl EvaluationChoice {
    fn steps(&self, set: &ParameterSet) -> Vec<i32> {
        if let Some(steps) = &self.rotations {
            return steps.clone();
        }
        let rotates = self.purpose.map_or(set.key_switching, JobName::rotates);
        let stride = if rotates {
            self.stride.unwrap_or(set.ring_degree / 2)
        } else {
            1
        };
        (0..stride.max(1).ilog2())
            .map(|bit| 1 << bit)
            .filter(|&step| (step as usize) < set.ring_degree / 2)
            .collect()
    }

    fn relinearizes(&self) -> bool {
        self.relinearization || self.purpose.is_some_and(JobName::multiplies)
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
}

impl Keygen {
    /// Makes the folder, whole or not at all.
    pub fn run(&self) -> Result<Answer> {
        let set = find(&self.set)?;
        self.label.check(set)?;
        self.check_devices()?;
        let protection = self.protection()?;
        let new = NewFolder::new(&self.out)?;
        let bar = progress::bar("making keys", 3);
        let pair = KeyPair::generate(set)?;
        let owner = OwnerKeys::new(Zeroizing::new(pair.secret_blob.to_vec()))?;
        bar.inc(1);
        let evaluation = self.evaluation_keys(&owner)?;
        bar.inc(1);
        self.write(&new, &owner, &protection, evaluation.as_deref())?;
        self.write_devices(&new, &owner, &pair)?;
        new.publish()?;
        bar.finish_and_clear();
        self.answer(&owner, &pair, evaluation.map_or(0, |bytes| bytes.len()))
    }

    fn check_devices(&self) -> Result<()> {
        let distinct: BTreeSet<_> = self.devices.iter().collect();
        ensure!(
            distinct.len() == self.devices.len(),
            "--device: a number occurs twice; allowed is each once"
        );
        ensure!(
            !self.allow_device_secret_key || self.devices.len() == 1,
            "--allow-device-secret-key: {} devices; allowed is one, since each needs a key pair of its own",
            self.devices.len()
        );
        Ok(())
    }

    fn protection(&self) -> Result<Protection> {
        if self.insecure_plaintext_key {
            return Ok(Protection::InsecurePlaintext);
        }
        Ok(Protection::Passphrase(self.passphrase.fresh()?))
    }

    fn evaluation_keys(&self, owner: &OwnerKeys) -> Result<Option<Vec<u8>>> {
        let set = owner.params();
        let (steps, relinearizes) = (self.evaluation.steps(set), self.evaluation.relinearizes());
        if steps.is_empty() && !relinearizes {
            return Ok(None);
        }
        let context = Context::for_set(set)?;
        let key = SecretKey::new(&context, &secret::coefficients(owner)?)?;
        let keys = EvaluationKeys::generate(&context, &key, relinearizes, &steps)?;
        let material = keys.material(&context)?;
        let unsealed = material.encode(set, owner.key_id(), isopod_keys::random()?)?;
        Ok(Some(owner.link().seal(unsealed)))
    }

    fn write(
        &self,
        new: &NewFolder,
        owner: &OwnerKeys,
        protection: &Protection,
        evaluation: Option<&[u8]>,
    ) -> Result<()> {
        new.folder("owner")?;
        owner.save(new, "owner", protection)?;
        new.folder("server")?;
        owner.server_keys().save(new, "server")?;
        if let Some(bytes) = evaluation {
            new.write(
                &Path::new("server")
                    .join(EVALUATION_KEYS_FILE)
                    .to_string_lossy(),
                bytes,
            )?;
        }
        Ok(())
    }

    fn write_devices(&self, new: &NewFolder, owner: &OwnerKeys, pair: &KeyPair) -> Result<()> {
        let blobs = DeviceBlobs {
            public: self.public_blob(pair),
            secret: self
                .allow_device_secret_key
                .then_some(&pair.secret_ntt_blob[..]),
        };
        for &device in &self.devices {
            let folder = format!("device-{device}");
            new.folder(&folder)?;
            owner.device_keys(device).save(new, &folder, &blobs)?;
        }
        Ok(())
    }

    fn public_blob<'a>(&self, pair: &'a KeyPair) -> &'a [u8] {
        if self.seeded_public_key {
            &pair.seeded_public_blob
        } else {
            &pair.public_blob
        }
    }

    fn answer(
        &self,
        owner: &OwnerKeys,
        pair: &KeyPair,
        evaluation_key_bytes: usize,
    ) -> Result<Answer> {
        let set = owner.params();
        let facts = Facts {
            folder: self.out.display().to_string(),
            set: set.name,
            label: set.label.name(),
            key: hex(&owner.key_id()),
            devices: self.devices.clone(),
            rotations: self.evaluation.steps(set),
            relinearization: self.evaluation.relinearizes(),
            evaluation_key_bytes,
            public_key_bytes: self.public_blob(pair).len(),
            owner_key_encrypted: !self.insecure_plaintext_key,
            secret_key_on_device: self.allow_device_secret_key,
        };
        Answer::new(text(&facts), &facts)
    }
}

fn text(facts: &Facts) -> String {
    let owner = if facts.owner_key_encrypted {
        "secret key, under the passphrase"
    } else {
        "secret key, IN THE CLEAR"
    };
    let device = if facts.secret_key_on_device {
        "public key, frame key, AND THE SECRET KEY"
    } else {
        "public key, frame key"
    };
    let mut table = Table::new(&["folder", "holds", "give it to"]);
    let mut row = |name: &str, holds: &str, to: &str| {
        table.row(vec![
            format!("{}/{name}", facts.folder),
            holds.to_owned(),
            to.to_owned(),
        ]);
    };
    row("owner", owner, "nobody; keep a copy in a safe place");
    row(
        "server",
        &format!(
            "evaluation keys ({} bytes), link key",
            facts.evaluation_key_bytes
        ),
        "the server",
    );
    for number in &facts.devices {
        row(
            &format!("device-{number}"),
            device,
            "this device; isopod_keys.h goes into its flash",
        );
    }
    format!(
        "key {} of set {} (label {})\n{}",
        facts.key,
        facts.set,
        facts.label,
        table.text()
    )
}
