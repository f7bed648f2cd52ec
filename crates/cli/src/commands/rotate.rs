//! `isopod rotate`: fresh keys of the same shape.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context as _, Error, Result};
use clap::Args;
use isopod_keys::{read_bounded, DeviceKeys, OwnerKeys, Protection, EVALUATION_KEYS_FILE};
use isopod_seal::rotation_step;
use isopod_wire::{AnySet, BlobKind, Envelope, KeyBlob, ParameterSet, TfheBlob, TfheBlobKind};
use isopod_workflow::{NewDevice, NewKeys, Shape};

use crate::commands::keygen::make;
use crate::label::LabelChoice;
use crate::output::Output;
use crate::passphrase::{NewPassphraseSource, PassphraseSource};

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
        let server = self.keys.join("server").join(EVALUATION_KEYS_FILE);
        let keys = NewKeys {
            set: owner.params(),
            evaluation: evaluation(&server, &owner)?,
            devices: devices(&self.keys)?
                .into_iter()
                .map(|number| self.device(number, owner.params()))
                .collect::<Result<_>>()?,
        };
        let protection = match self.insecure_plaintext_key {
            true => Protection::InsecurePlaintext,
            false => Protection::Passphrase(self.new_passphrase.fresh(old.as_ref())?),
        };
        let secret = keys.devices.iter().filter(|device| device.secret_key);
        let shared = keys.devices.len() > 1 && secret.count() > 0;
        let output = make(keys, &self.out, &protection)?;
        let output = match shared {
            true => output.followed_by(SHARED),
            false => output,
        };
        Ok(output.followed_by(AFTERWARDS))
    }

    /// A device as it was: a seeded public key or a whole one, and the secret key if it had it.
    fn device(&self, number: u64, set: AnySet) -> Result<NewDevice> {
        let folder = self.keys.join(format!("device-{number}"));
        let secret_key = DeviceKeys::has_secret_key(&folder);
        if secret_key {
            DeviceKeys::secret_blob(&folder)?;
        }
        Ok(NewDevice {
            number,
            seeded_public_key: is_seeded(&folder, set)?,
            secret_key,
        })
    }
}

/// The numbers of the devices in a folder of keys.
fn devices(keys: &Path) -> Result<Vec<u64>> {
    let name = || keys.display().to_string();
    let mut devices = Vec::new();
    for entry in std::fs::read_dir(keys).with_context(name)? {
        let file_name = entry.with_context(name)?.file_name();
        let number = file_name
            .to_string_lossy()
            .strip_prefix("device-")
            .map(str::parse);
        if let Some(Ok(number)) = number {
            devices.push(number);
        }
    }
    ensure!(
        !devices.is_empty(),
        "{}: no folder device-<number>; allowed is a folder that keygen wrote, whole",
        name()
    );
    devices.sort_unstable();
    Ok(devices)
}

/// Evaluation keys of the same kinds for the new pair; those of TFHE have one shape.
fn evaluation(path: &Path, owner: &OwnerKeys) -> Result<Option<Shape>> {
    match owner.params() {
        _ if !path.exists() => Ok(None),
        AnySet::Rns(set) => rotations(path, owner, set).map(Some),
        AnySet::Tfhe(_) => {
            ensure!(
                cfg!(feature = "tfhe"),
                "{}: server keys are made by tfhe-rs, which this program was built without; build it with --features tfhe",
                path.display()
            );
            Ok(Some(Shape::default()))
        }
    }
}

fn rotations(path: &Path, owner: &OwnerKeys, set: &ParameterSet) -> Result<Shape> {
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
    Ok(Shape {
        rotations: steps.collect::<Result<_>>()?,
        relinearization: header.relinearization,
    })
}

fn is_seeded(device: &Path, set: AnySet) -> Result<bool> {
    let blob = DeviceKeys::public_blob(device)?;
    let name = || device.display().to_string();
    Ok(match set {
        AnySet::Rns(_) => KeyBlob::read(&blob).with_context(name)?.kind == BlobKind::SeededPublic,
        AnySet::Tfhe(_) => {
            TfheBlob::read(&blob).with_context(name)?.kind == TfheBlobKind::SeededPublic
        }
    })
}
