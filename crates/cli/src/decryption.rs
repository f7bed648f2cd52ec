//! Results to values, by the C code of devices.

use anyhow::Result;
use isopod_device::Decryptor;
use isopod_keys::OwnerKeys;
use isopod_share::Private;
use isopod_wire::{EncryptedResult, Scheme};

/// Reads results with the owner's key.
pub struct Decryption(Decryptor);

impl Decryption {
    /// With the owner's key.
    pub fn new(owner: &OwnerKeys) -> Result<Self> {
        Ok(Self(Decryptor::new(owner.secret_blob())?))
    }

    /// The values of the slots of an authenticated result's answer; integers are exact as floats, being below 2^30.
    pub fn values(&mut self, result: &EncryptedResult) -> Result<Private<Vec<f64>>> {
        if result.params.scheme() == Scheme::Ckks {
            return Ok(self.0.decrypt(result, None)?);
        }
        let integers = self.0.decrypt_integers(result)?;
        Ok(Private::new(integers.into_iter().map(f64::from).collect()))
    }
}
