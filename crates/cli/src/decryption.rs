//! Results to values: by the C code of devices, and by SEAL what that does not read.

use anyhow::Result;
use isopod_device::Decryptor;
use isopod_keys::OwnerKeys;
use isopod_seal::{Context, SecretKey};
use isopod_share::Private;
use isopod_wire::{EncryptedResult, Scheme};

use crate::secret;

/// Reads results with the owner's key.
pub enum Decryption {
    /// As a device does it.
    Device(Box<Decryptor>),
    /// Of the sets that the device library does not decrypt.
    Seal {
        /// SEAL's view of the set.
        context: Context,
        /// The secret key, in SEAL.
        key: SecretKey,
    },
}

impl Decryption {
    /// With the owner's key.
    pub fn new(owner: &OwnerKeys) -> Result<Self> {
        let set = owner.params().rns()?;
        if Decryptor::reads(set) {
            return Ok(Self::Device(Box::new(Decryptor::new(owner.secret_blob())?)));
        }
        let context = Context::for_set(set)?;
        let key = SecretKey::new(&context, &secret::coefficients(owner)?)?;
        Ok(Self::Seal { context, key })
    }

    /// The values of the slots of an authenticated result's answer; integers are exact as floats, being below 2^30.
    pub fn values(&mut self, result: &EncryptedResult) -> Result<Private<Vec<f64>>> {
        let (context, key) = match self {
            Self::Device(decryptor) => return Ok(decryptor.decrypt(result, None)?),
            Self::Seal { context, key } => (context, key),
        };
        let ciphertext = context.result(result)?;
        let slots = match result.params.scheme() {
            Scheme::Ckks => key.decrypt(context, &ciphertext)?.into_owner_only(),
            Scheme::Bfv => {
                let plaintext = key.decrypt_integers(context, &ciphertext)?;
                let integers = context.decode_integers(&plaintext)?;
                integers.into_iter().map(|value| value as f64).collect()
            }
        };
        Ok(Private::new(
            result.slots().map(|slot| slots[slot]).collect(),
        ))
    }
}
