//! Key pairs, and the folders of owner, server and devices.

use std::collections::BTreeSet;

use isopod_device::{KeyPair, TfheKeyPair};
use isopod_keys::{DeviceBlobs, NewFolder, OwnerKeys, Protection, EVALUATION_KEYS_FILE};
use isopod_seal::{Context, EvaluationKeys, SecretKey};
use isopod_wire::{AnySet, KeyId, ParameterSet};
use zeroize::Zeroizing;

use crate::owner::coefficients;
use crate::progress::{Report, Stage, Steps};
use crate::{Error, Result};

/// Evaluation keys of CKKS and BFV; those of TFHE have one shape.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    /// Rotations by these steps.
    pub rotations: Vec<i32>,
    /// The key for products of ciphertexts.
    pub relinearization: bool,
}

/// A key pair to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKeys {
    /// Parameter set.
    pub set: AnySet,
    /// Devices, each number once.
    pub devices: Vec<NewDevice>,
    /// Evaluation keys of the server; None if it only checks and stores.
    pub evaluation: Option<Shape>,
}

/// The keys that one device gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDevice {
    /// Its number.
    pub number: u64,
    /// It expands half of the public key from its seed.
    pub seeded_public_key: bool,
    /// It gets the secret key too, and whoever opens it reads what was sent under the key pair by any device.
    pub secret_key: bool,
}

impl From<u64> for NewDevice {
    /// A device with a whole public key.
    fn from(number: u64) -> Self {
        Self {
            number,
            seeded_public_key: false,
            secret_key: false,
        }
    }
}

/// Name and sizes of new keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made {
    /// Name of the key pair.
    pub key_id: KeyId,
    /// Bytes of the first device's public key.
    pub public_key_bytes: usize,
    /// Bytes of the server's evaluation keys, 0 without.
    pub evaluation_key_bytes: usize,
}

/// A fresh key pair of either kind.
enum Pair {
    Rns(KeyPair),
    Tfhe(TfheKeyPair),
}

impl NewKeys {
    /// Refuses devices that occur twice.
    ///
    /// # Errors
    /// [`Error::Parameter`].
    pub fn check(&self) -> Result<()> {
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

    /// Makes the keys and writes the folders `owner`, `server` and `device-<number>`; the caller publishes the new folder.
    ///
    /// # Errors
    /// Those of [`NewKeys::check`]; [`Error::Device`] and [`Error::Keys`] without entropy; [`Error::Seal`] for rotations
    /// that the set does not have.
    pub fn write(
        &self,
        into: &NewFolder,
        protection: &Protection,
        report: &mut Report<'_>,
    ) -> Result<Made> {
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
        into.folder("owner")?;
        owner.save(into, "owner", protection)?;
        into.folder("server")?;
        owner.server_keys().save(into, "server")?;
        if let Some(bytes) = &evaluation {
            into.write(&format!("server/{EVALUATION_KEYS_FILE}"), bytes)?;
        }
        for device in &self.devices {
            let folder = format!("device-{}", device.number);
            into.folder(&folder)?;
            let keys = owner.device_keys(device.number);
            keys.save(into, &folder, &pair.device_blobs(device))?;
        }
        let first = self.devices.first().map(|device| pair.device_blobs(device));
        Ok(Made {
            key_id: owner.key_id(),
            public_key_bytes: first.map_or(0, |blobs| blobs.public.len()),
            evaluation_key_bytes: evaluation.map_or(0, |bytes| bytes.len()),
        })
    }
}

impl Pair {
    fn generate(set: AnySet) -> Result<Self> {
        Ok(match set {
            AnySet::Rns(set) => Self::Rns(KeyPair::generate(set)?),
            AnySet::Tfhe(set) => Self::Tfhe(TfheKeyPair::generate(set)?),
        })
    }

    fn secret_blob(&self) -> &[u8] {
        match self {
            Self::Rns(pair) => &pair.secret_blob,
            Self::Tfhe(pair) => &pair.secret_blob,
        }
    }

    fn device_blobs(&self, device: &NewDevice) -> DeviceBlobs<'_> {
        let (public, seeded, secret) = match self {
            Self::Rns(pair) => (
                &pair.public_blob,
                &pair.seeded_public_blob,
                &pair.secret_ntt_blob,
            ),
            Self::Tfhe(pair) => (
                &pair.public_blob,
                &pair.seeded_public_blob,
                &pair.secret_transformed_blob,
            ),
        };
        DeviceBlobs {
            public: if device.seeded_public_key {
                seeded
            } else {
                public
            },
            secret: device.secret_key.then_some(&secret[..]),
        }
    }
}

/// The sealed evaluation keys; None where nothing needs any.
fn evaluation_keys(owner: &OwnerKeys, shape: &Shape) -> Result<Option<Vec<u8>>> {
    match owner.params() {
        AnySet::Rns(_) if shape == &Shape::default() => Ok(None),
        AnySet::Rns(set) => seal_keys(owner, set, shape).map(Some),
        AnySet::Tfhe(_) => tfhe_keys(owner),
    }
}

fn seal_keys(owner: &OwnerKeys, set: &'static ParameterSet, shape: &Shape) -> Result<Vec<u8>> {
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
    // The other sets are for TFHEpp, which makes its own.
    if set.message_bits != 2 {
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

/// None: this build has no tfhe-rs.
#[cfg(not(feature = "tfhe"))]
fn tfhe_keys(_: &OwnerKeys) -> Result<Option<Vec<u8>>> {
    Ok(None)
}
