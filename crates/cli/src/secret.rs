//! The owner's secret key as coefficients, for SEAL.

use anyhow::Result;
use isopod_keys::OwnerKeys;
use isopod_wire::KeyBlob;
use zeroize::Zeroizing;

/// n coefficients in -1, 0, 1, from two bits each of a verified blob.
pub fn coefficients(owner: &OwnerKeys) -> Result<Zeroizing<Vec<i8>>> {
    let blob = KeyBlob::read(owner.secret_blob())?;
    let mut coefficients = Zeroizing::new(Vec::with_capacity(blob.params.ring_degree));
    for byte in blob.payload {
        coefficients.extend([0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1));
    }
    Ok(coefficients)
}
