//! Key pairs, and the folders of owner, server and devices.

use std::collections::BTreeSet;

use isopod_device::{KeyPair, TfheKeyPair};
use isopod_keys::{
    save_public_key, DeviceSecret, NewFolder, OwnerKeys, PadMaster, Protection, Register,
    EVALUATION_KEYS_FILE, PUBLIC_FOLDER,
};
use isopod_seal::{Context, EvaluationKeys, SecretKey};
use isopod_wire::{AnySet, KeyId, ParameterSet, TfheParams};
use zeroize::Zeroizing;

use crate::owner::decryption::{coefficients, Owner};
use crate::progress::{Report, Stage, Steps};
use crate::request::descriptor::JobName;
use crate::{Error, Result};

/// Evaluation keys of CKKS and BFV; those of TFHE have one shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct EvaluationKeyChoice {
    /// Rotations by these steps.
    pub rotations: Vec<i32>,
    /// The key for products of ciphertexts.
    pub relinearization: bool,
}

impl EvaluationKeyChoice {
    /// Keys that a job needs whose rows lie a stride apart, a power of two; all slots without one. Without a job all rotations
    /// by powers of two, if the set can rotate.
    ///
    /// # Errors
    /// [`Error::SetWithoutJob`] for a job that the set does not have; [`Error::Parameter`] for a stride that rows never have.
    pub fn of_job(set: AnySet, job: Option<JobName>, stride: Option<usize>) -> Result<Self> {
        if let Some(job) = job {
            job.check_keys(set)?;
        }
        check_stride(set, job, stride)?;
        Ok(Self {
            rotations: match set {
                AnySet::Rns(set) => rotations(set, job, stride),
                AnySet::Tfhe(_) | AnySet::Pads => Vec::new(),
            },
            relinearization: job.is_some_and(JobName::multiplies),
        })
    }
}

/// Refuses a stride that rows never have.
fn check_stride(set: AnySet, job: Option<JobName>, stride: Option<usize>) -> Result<()> {
    let Some(stride) = stride else {
        return Ok(());
    };
    let problem = match set {
        AnySet::Tfhe(_) | AnySet::Pads => {
            format!("{stride}; of slots, allowed with CKKS and BFV sets only")
        }
        AnySet::Rns(_) if job == Some(JobName::Histogram) => format!(
            "{stride}; a histogram folds the whole row of slots, so that no stride is allowed for it"
        ),
        AnySet::Rns(set) => {
            let most = set.ring_degree / 2;
            if stride.is_power_of_two() && stride <= most {
                return Ok(());
            }
            format!(
                "{stride}; allowed is a power of two from 1 to {most}, and rows of {stride} readings lie {} slots apart",
                stride.clamp(1, most).next_power_of_two()
            )
        }
    };
    Err(Error::parameter("stride", problem))
}

fn rotations(set: &ParameterSet, job: Option<JobName>, stride: Option<usize>) -> Vec<i32> {
    // Rows in coefficients need no rotations.
    let rotates = job.map_or(set.key_switching, JobName::rotates) && !set.name.ends_with("-air");
    // Rows lie a stride apart: columns are added up by steps from it on, values of a row by steps below it.
    let steps = match job.is_some_and(JobName::is_of_columns) {
        true => stride.unwrap_or(1)..set.ring_degree / 2,
        false => 1..stride.unwrap_or(set.ring_degree / 2),
    };
    let every = std::iter::successors(Some(1usize), |step| step.checked_mul(2));
    every
        .take_while(|&step| rotates && step < set.ring_degree / 2)
        .filter(|step| steps.contains(step))
        .map(|step| step as i32)
        .collect()
}

/// A key pair to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeys {
    /// Parameter set.
    pub set: AnySet,
    /// Devices expand half of the public key from its seed.
    pub seeded_public_key: bool,
    /// Devices, each number once.
    pub devices: Vec<NewDevice>,
    /// Evaluation keys of the server; None if it only checks and stores.
    pub evaluation: Option<EvaluationKeyChoice>,
}

/// The keys that one device gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDevice {
    /// Its number.
    pub number: u64,
    /// It gets the secret key too, and whoever opens it reads what was sent under the key pair by any device.
    pub secret_key: bool,
}

impl From<u64> for NewDevice {
    /// A device without the secret key.
    fn from(number: u64) -> Self {
        Self {
            number,
            secret_key: false,
        }
    }
}

fn write_server(into: &NewFolder, owner: &OwnerKeys, evaluation: Option<&[u8]>) -> Result<()> {
    into.folder("server")?;
    owner.server_keys().save(into, "server")?;
    if let Some(bytes) = evaluation {
        into.write(&format!("server/{EVALUATION_KEYS_FILE}"), bytes)?;
    }
    Ok(())
}

/// Name and sizes of new keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GeneratedKeys {
    /// Name of the key pair.
    pub key_id: KeyId,
    /// Bytes of the public key, 0 where there is none.
    pub public_key_bytes: usize,
    /// Bytes of the server's evaluation keys, 0 without.
    pub evaluation_key_bytes: usize,
}

/// A fresh key pair of any scheme, or the master of pads.
enum Pair {
    Rns(KeyPair),
    Tfhe(TfheKeyPair),
    Pads(PadMaster),
}

impl NewKeys {
    /// Refuses devices that occur twice, and server keys that this build cannot make.
    ///
    /// # Errors
    /// [`Error::Parameter`], [`Error::ServerKeysWithoutTfhe`].
    pub fn check(&self) -> Result<()> {
        if self.evaluation.is_some() {
            check_server_keys(self.set)?;
        }
        let mut numbers = BTreeSet::new();
        if self
            .devices
            .iter()
            .all(|device| numbers.insert(device.number))
        {
            return Ok(());
        }
        let problem = "a number occurs twice; allowed is each once";
        Err(Error::parameter("device", problem))
    }

    /// Makes the keys and writes the folders `owner`, `server`, `public` and `device-<number>`; the caller publishes
    /// the new folder.
    ///
    /// # Errors
    /// The errors of [`NewKeys::check`]; [`Error::Device`] and [`Error::Keys`] without entropy; [`Error::Seal`] for rotations
    /// that the set does not have.
    pub fn write(
        &self,
        into: &NewFolder,
        protection: &Protection,
        report: &mut Report<'_>,
    ) -> Result<GeneratedKeys> {
        self.check()?;
        let mut steps = Steps::new(report, Stage::MakingKeys, 3);
        let pair = Pair::generate(self.set)?;
        let owner = OwnerKeys::new(Zeroizing::new(pair.secret_blob().to_vec()))?;
        steps.step();
        let evaluation = match &self.evaluation {
            Some(shape) => evaluation_keys(&owner, shape)?,
            None => None,
        };
        steps.step();
        self.write_owner(into, &owner, protection)?;
        write_server(into, &owner, evaluation.as_deref())?;
        self.write_devices(into, &owner, &pair)?;
        Ok(GeneratedKeys {
            key_id: owner.key_id(),
            public_key_bytes: pair
                .public_blob(self.seeded_public_key)
                .map_or(0, <[u8]>::len),
            evaluation_key_bytes: evaluation.map_or(0, |bytes| bytes.len()),
        })
    }
}

impl NewKeys {
    fn write_owner(
        &self,
        into: &NewFolder,
        owner: &OwnerKeys,
        protection: &Protection,
    ) -> Result<()> {
        into.folder("owner")?;
        owner.save(into, "owner", protection)?;
        Ok(self.register(owner)?.save(into, "owner")?)
    }

    /// Writes the public key, and the folder of each device.
    fn write_devices(&self, into: &NewFolder, owner: &OwnerKeys, pair: &Pair) -> Result<()> {
        if let Some(blob) = pair.public_blob(self.seeded_public_key) {
            into.folder(PUBLIC_FOLDER)?;
            save_public_key(into, PUBLIC_FOLDER, blob)?;
        }
        for device in &self.devices {
            let folder = format!("device-{}", device.number);
            into.folder(&folder)?;
            let keys = owner.device_keys(device.number);
            let pad_key = owner.pad_key(device.number);
            let secret = match &pad_key {
                Some(key) => Some(DeviceSecret::Pad(key)),
                None => pair.device_secret().filter(|_| device.secret_key),
            };
            keys.save(into, &folder, secret)?;
        }
        Ok(())
    }

    fn register(&self, owner: &OwnerKeys) -> Result<Register> {
        let mut register = Register::new(owner.key_id());
        for device in &self.devices {
            register.give(device.number, device.secret_key)?;
        }
        Ok(register)
    }
}

impl Pair {
    fn generate(set: AnySet) -> Result<Self> {
        Ok(match set {
            AnySet::Rns(set) => Self::Rns(KeyPair::generate(set)?),
            AnySet::Tfhe(set) => Self::Tfhe(TfheKeyPair::generate(set)?),
            AnySet::Pads => Self::Pads(PadMaster::random()?),
        })
    }

    fn secret_blob(&self) -> &[u8] {
        match self {
            Self::Rns(pair) => &pair.secret_blob,
            Self::Tfhe(pair) => &pair.secret_blob,
            Self::Pads(master) => master.expose(),
        }
    }

    /// The public key; None where there is none.
    fn public_blob(&self, seeded: bool) -> Option<&[u8]> {
        Some(match (self, seeded) {
            (Self::Rns(pair), false) => &pair.public_blob,
            (Self::Rns(pair), true) => &pair.seeded_public_blob,
            (Self::Tfhe(pair), false) => &pair.public_blob,
            (Self::Tfhe(pair), true) => &pair.seeded_public_blob,
            (Self::Pads(_), _) => return None,
        })
    }

    /// The secret key of ciphertexts as devices use it; None where each device has its own.
    fn device_secret(&self) -> Option<DeviceSecret<'_>> {
        let (transformed, compact) = match self {
            Self::Rns(pair) => (&pair.secret_ntt_blob, &pair.secret_blob),
            Self::Tfhe(pair) => (&pair.secret_transformed_blob, &pair.secret_blob),
            Self::Pads(_) => return None,
        };
        Some(DeviceSecret::Ciphertexts {
            transformed,
            compact,
        })
    }
}

/// Refuses a set whose server keys this build cannot make.
///
/// # Errors
/// [`Error::ServerKeysWithoutTfhe`].
pub fn check_server_keys(set: AnySet) -> Result<()> {
    match set {
        AnySet::Tfhe(set) if computes(set) && !cfg!(feature = "tfhe") => {
            Err(Error::ServerKeysWithoutTfhe { set: set.name })
        }
        _ => Ok(()),
    }
}

/// Whether tfhe-rs computes under the set; the other sets are for TFHEpp, which makes its own keys.
fn computes(set: &TfheParams) -> bool {
    set.message_bits == 2
}

impl Owner {
    /// Makes the sealed evaluation keys of a server anew, from the owner's key; None where nothing needs any.
    ///
    /// # Errors
    /// [`Error::ServerKeysWithoutTfhe`]; [`Error::Seal`] for rotations that the set does not have; [`Error::Keys`].
    pub fn evaluation_keys(&self, shape: &EvaluationKeyChoice) -> Result<Option<Vec<u8>>> {
        check_server_keys(self.set())?;
        evaluation_keys(self.keys(), shape)
    }
}

/// The sealed evaluation keys; None where nothing needs any.
fn evaluation_keys(owner: &OwnerKeys, shape: &EvaluationKeyChoice) -> Result<Option<Vec<u8>>> {
    match owner.params() {
        AnySet::Rns(_) if shape == &EvaluationKeyChoice::default() => Ok(None),
        AnySet::Rns(set) => seal_keys(owner, set, shape).map(Some),
        AnySet::Tfhe(_) => tfhe_keys(owner),
        AnySet::Pads => Ok(None),
    }
}

fn seal_keys(
    owner: &OwnerKeys,
    set: &'static ParameterSet,
    shape: &EvaluationKeyChoice,
) -> Result<Vec<u8>> {
    let context = Context::for_set(set)?;
    let key = SecretKey::new(&context, &coefficients(owner)?)?;
    let keys = EvaluationKeys::generate(&context, &key, shape.relinearization, &shape.rotations)?;
    let material = keys.material(&context)?;
    let unsealed = material.encode(set, owner.key_id(), isopod_keys::random()?)?;
    Ok(owner.link().seal(unsealed))
}

/// The server keys of tfhe-rs; None where nothing computes under the set.
#[cfg(feature = "tfhe")]
fn tfhe_keys(owner: &OwnerKeys) -> Result<Option<Vec<u8>>> {
    let set = owner.params().tfhe()?;
    if !computes(set) {
        return Ok(None);
    }
    let secrets = isopod_tfhe::OwnerSecrets::new(&coefficients(owner)?)?;
    let keys = isopod_tfhe::native::ServerKeyBytes::generate(&secrets)?;
    let item = isopod_wire::TfheServerKeys {
        params: set,
        key_id: owner.key_id(),
        nonce: isopod_keys::random()?,
        server: &keys.server,
        packing: &keys.packing,
    };
    Ok(Some(owner.link().seal(item.encode()?)))
}

/// None: nothing computes under the set, or this build has no tfhe-rs and refused the others before.
#[cfg(not(feature = "tfhe"))]
fn tfhe_keys(_: &OwnerKeys) -> Result<Option<Vec<u8>>> {
    Ok(None)
}
