//! `isopod rotate`: fresh keys of the same shape.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Error, Result};
use clap::Args;
use isopod_keys::{
    find_public_key, read_bounded, read_public_key, DeviceKeys, OwnerKeys, Protection, Register,
    Revoked, EVALUATION_KEYS_FILE, PUBLIC_FOLDER, REVOKED_FILE,
};
use isopod_seal::rotation_step;
use isopod_wire::{AnySet, BlobKind, Envelope, KeyBlob, ParameterSet, TfheBlob, TfheBlobKind};
use isopod_workflow::{EvaluationKeyChoice, NewDevice, NewKeys};

use crate::commands::owner::keygen::make;
use crate::input::passphrase::{NewPassphraseSource, PassphraseSource};
use crate::keys::label::LabelChoice;
use crate::output::report::Output;

const AFTERWARDS: &str = "Then: give each device its new folder and the server its new one; the server keeps the old one until \
the last frame under the old key is evaluated. Keep the old owner's folder as long as its results are to be read, and destroy it \
afterwards: whoever has it reads everything encrypted under the old key.\n";

const SHARED: &str = "NOTE: a device has the SECRET KEY of this pair, as in the old folder, and other devices share the pair: \
whoever opens that device reads what all of them send. Give it a key pair of its own with `isopod keygen`.\n";

/// Most bytes of evaluation keys.
const MOST_BYTES: u64 = 2 << 30;

/// Arguments of `isopod rotate`.
#[derive(Debug, Args)]
#[command(after_help = AFTERWARDS)]
pub struct Rotate {
    /// The folder that keygen wrote, with owner, server and devices
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Folder to make
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Write the new owner's key without a passphrase: whoever reads the file reads all results
    #[arg(long)]
    pub insecure_plaintext_key: bool,
    /// The old key's passphrase
    #[command(flatten)]
    pub passphrase: PassphraseSource,
    #[command(flatten)]
    pub new_passphrase: NewPassphraseSource,
    #[command(flatten)]
    pub label: LabelChoice,
}

impl Rotate {
    /// Reads the old folder, makes the new one whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let mut old = None;
        let owner = OwnerKeys::open(&self.keys.join("owner"), || {
            let given = self.passphrase.existing()?;
            old = Some(given.duplicate());
            Ok::<_, Error>(given)
        })?;
        self.label.check(owner.params())?;
        let keys = self.new_keys(&owner)?;
        let protection = match self.insecure_plaintext_key {
            true => Protection::InsecurePlaintext,
            false => Protection::Passphrase(self.new_passphrase.fresh(old.as_ref())?),
        };
        let is_shared = is_shared(&keys.devices);
        let mut output = make(keys, &self.out, &protection)?;
        if is_shared {
            output = output.followed_by(SHARED);
        }
        Ok(output.followed_by(AFTERWARDS))
    }

    fn new_keys(&self, owner: &OwnerKeys) -> Result<NewKeys> {
        let server = self.keys.join("server").join(EVALUATION_KEYS_FILE);
        let register = Register::read(&self.keys.join("owner"))?;
        let devices = self.devices(&register, owner)?;
        Ok(NewKeys {
            set: owner.params(),
            seeded_public_key: is_seeded(&self.keys.join(PUBLIC_FOLDER), owner)?,
            evaluation: evaluation(&server, owner)?,
            devices,
        })
    }

    /// The devices in use, each as it was: with the secret key if it had it.
    fn devices(&self, register: &Register, owner: &OwnerKeys) -> Result<Vec<NewDevice>> {
        let server = self.keys.join("server");
        let revoked = match server.join(REVOKED_FILE).exists() {
            true => Some(Revoked::read(&server, owner.key_id())?),
            false => None,
        };
        let given = register.given().iter();
        let used = given.filter(|&number| {
            let list = revoked.as_ref();
            list.is_none_or(|list| list.get(number).is_none())
        });
        let devices = used.map(|number| {
            let folder = self.keys.join(format!("device-{number}"));
            let secret_key = register.with_secret_key().contains(&number);
            if secret_key && DeviceKeys::has_secret_key(&folder) {
                DeviceKeys::secret_blob(&folder)?;
            }
            Ok(NewDevice { number, secret_key })
        });
        devices.collect()
    }
}

/// Whether a device has the secret key of a pair that others send under, too.
fn is_shared(devices: &[NewDevice]) -> bool {
    devices.len() > 1 && devices.iter().any(|device| device.secret_key)
}

/// Evaluation keys of the same kinds for the new pair; those of TFHE have one shape.
fn evaluation(path: &Path, owner: &OwnerKeys) -> Result<Option<EvaluationKeyChoice>> {
    match owner.params() {
        _ if !path.exists() => Ok(None),
        AnySet::Rns(set) => rotations(path, owner, set).map(Some),
        AnySet::Tfhe(_) => Ok(Some(EvaluationKeyChoice::default())),
        AnySet::Pads => Ok(None),
    }
}

fn rotations(path: &Path, owner: &OwnerKeys, set: &ParameterSet) -> Result<EvaluationKeyChoice> {
    let name = || path.display().to_string();
    let bytes = read_bounded(path, MOST_BYTES)?;
    let authentic = Envelope::read_only(&bytes)
        .and_then(|envelope| envelope.authenticate(owner))
        .with_context(name)?;
    let held = authentic.evaluation_keys().with_context(name)?;
    let header = held.header();
    let steps = header.galois.iter().map(|&element| {
        rotation_step(set.ring_degree, element)
            .with_context(|| format!("{}: galois: {element} is no rotation", path.display()))
    });
    Ok(EvaluationKeyChoice {
        rotations: steps.collect::<Result<_>>()?,
        relinearization: header.relinearization,
    })
}

/// Whether devices get half of the public key; pads have none.
fn is_seeded(public: &Path, owner: &OwnerKeys) -> Result<bool> {
    if owner.params() == AnySet::Pads {
        return Ok(false);
    }
    let path = find_public_key(public)?;
    let blob = read_public_key(&path, Some(owner.key_id()))?;
    let name = || path.display().to_string();
    Ok(match owner.params() {
        AnySet::Rns(_) => KeyBlob::read(&blob).with_context(name)?.kind == BlobKind::SeededPublic,
        AnySet::Tfhe(_) => {
            TfheBlob::read(&blob).with_context(name)?.kind == TfheBlobKind::SeededPublic
        }
        AnySet::Pads => false,
    })
}
