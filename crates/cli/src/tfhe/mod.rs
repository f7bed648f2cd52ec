//! TFHE sets behind the same commands. What computes needs the feature `tfhe`; the rest does not.

pub mod decrypt;
pub mod encrypt;
pub mod evaluate;
pub mod frames;
pub mod inspect;
pub mod jobs;
pub mod keygen;
pub mod params;
pub mod values;

use anyhow::Result;
use isopod_keys::OwnerKeys;
use isopod_tfhe::secret_coefficients;
use isopod_wire::TfheBlob;
use zeroize::Zeroizing;

/// The owner's secret key as coefficients, from a verified blob.
pub fn coefficients(owner: &OwnerKeys) -> Result<Zeroizing<Vec<i8>>> {
    Ok(secret_coefficients(&TfheBlob::read(owner.secret_blob())?)?)
}
