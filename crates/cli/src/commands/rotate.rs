//! `isopod rotate`: fresh keys of the same shape.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_keys::{DeviceKeys, OwnerKeys, EVALUATION_KEYS_FILE};
use isopod_seal::rotation_step;
use isopod_wire::{AnySet, BlobKind, Envelope, KeyBlob, ParameterSet, TfheBlob, TfheBlobKind};

use crate::commands::keygen::{EvaluationChoice, Keygen};
use crate::label::LabelChoice;
use crate::output::Output;
use crate::passphrase::PassphraseSource;

const AFTERWARDS: &str = "Then: give each device its new folder and the server its new one; the server keeps the old one until \
the last frame under the old key is evaluated. Keep the old owner's folder as long as its results are to be read, and destroy it \
afterwards: whoever has it reads everything encrypted under the old key.\n";

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
    #[command(flatten)]
    pub passphrase: PassphraseSource,
    #[command(flatten)]
    pub label: LabelChoice,
}

impl Rotate {
    /// Reads the old folder, makes the new one whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let owner = OwnerKeys::open(&self.keys.join("owner"), || self.passphrase.existing())?;
        let devices = devices(&self.keys)?;
        let first = self.keys.join(format!("device-{}", devices[0]));
        let server = self.keys.join("server").join(EVALUATION_KEYS_FILE);
        let keygen = Keygen {
            set: owner.params().name().to_owned(),
            out: self.out.clone(),
            evaluation: evaluation(&server, &owner)?,
            passphrase: self.passphrase.clone(),
            insecure_plaintext_key: self.insecure_plaintext_key,
            seeded_public_key: is_seeded(&first, owner.params())?,
            no_evaluation_keys: !server.exists(),
            allow_device_secret_key: DeviceKeys::secret_blob(&first).is_ok(),
            label: self.label.clone(),
            devices,
        };
        Ok(keygen.run()?.followed_by(AFTERWARDS))
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
fn evaluation(path: &Path, owner: &OwnerKeys) -> Result<EvaluationChoice> {
    match owner.params() {
        _ if !path.exists() => Ok(EvaluationChoice::default()),
        AnySet::Rns(set) => rotations(path, owner, set),
        AnySet::Tfhe(_) => {
            ensure!(
                cfg!(feature = "tfhe"),
                "{}: server keys are made by tfhe-rs, which this program was built without; build it with --features tfhe",
                path.display()
            );
            Ok(EvaluationChoice::default())
        }
    }
}

fn rotations(path: &Path, owner: &OwnerKeys, set: &ParameterSet) -> Result<EvaluationChoice> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    let authentic = Envelope::read_only(&bytes)
        .and_then(|envelope| envelope.authenticate(owner))
        .with_context(name)?;
    let held = authentic.evaluation_keys().with_context(name)?;
    let header = held.header();
    let steps = header.galois.iter().map(|&element| {
        rotation_step(set.ring_degree, element)
            .with_context(|| format!("{}: galois: {element} is no rotation", path.display()))
    });
    Ok(EvaluationChoice {
        rotations: Some(steps.collect::<Result<_>>()?),
        relinearization: header.relinearization,
        ..EvaluationChoice::default()
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
