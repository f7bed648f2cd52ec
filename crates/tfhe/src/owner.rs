//! The owner's keys, all derived from the secret key of the devices, so that one 256-byte key is all there is to keep.

use isopod_wire::{SecretDistribution, TfheBlob, TfheBlobKind};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;
use zeroize::Zeroizing;

use crate::error::{Error, Result};

/// Ring degree of tfhe-rs's set.
const DEGREE: usize = 2048;
/// Bits of the key under which results are packed: four polynomials of 256.
const RESULT_KEY_BITS: usize = 1024;

/// The coefficients of the secret key in a blob of kind 19, each -1, 0 or 1.
///
/// Errors: another kind of blob.
pub fn secret_coefficients(blob: &TfheBlob<'_>) -> Result<Zeroizing<Vec<i8>>> {
    if blob.kind != TfheBlobKind::Secret {
        return Err(Error::Key("not a blob of an untransformed secret key"));
    }
    let mut coefficients = Zeroizing::new(Vec::with_capacity(blob.params.ring_degree));
    for byte in blob.payload {
        match blob.params.secret {
            SecretDistribution::Binary => {
                coefficients.extend((0..8).map(|bit| (byte >> bit & 1) as i8));
            }
            SecretDistribution::Ternary => {
                coefficients.extend([0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1));
            }
        }
    }
    Ok(coefficients)
}

/// The owner's binary keys, derived from the devices' secret key. Not Debug, not Clone.
///
/// Each derived key is the bits of SHAKE256("isopod-v2-tfhe-" || name || payload), the lowest of a byte first, where payload is
/// that of the secret key's blob.
pub struct OwnerSecrets {
    bits: Zeroizing<Vec<u8>>,
}

impl OwnerSecrets {
    /// Derives the keys from the 2048 coefficients of the secret key, each 0 or 1.
    ///
    /// Errors: another number of coefficients, or one that is not binary.
    pub fn new(coefficients: &[i8]) -> Result<Self> {
        if coefficients.len() != DEGREE {
            return Err(Error::Length {
                field: "secret key",
                found: coefficients.len(),
                allowed: format!("{DEGREE} coefficients"),
            });
        }
        // Reads all of them, so that the time depends on no value.
        if coefficients
            .iter()
            .fold(0, |found, &bit| found | (bit & !1))
            != 0
        {
            return Err(Error::Key(
                "a coefficient is not binary; tfhe-rs takes keys of 0 and 1",
            ));
        }
        let bits = coefficients.iter().map(|&bit| bit as u8);
        Ok(Self {
            bits: Zeroizing::new(bits.collect()),
        })
    }

    /// Coefficients of the device's key, each 0 or 1.
    pub fn device_key(&self) -> &[u8] {
        &self.bits
    }

    /// Key under which results are packed.
    pub fn result_key(&self) -> Zeroizing<Vec<u8>> {
        self.derive(b"result", RESULT_KEY_BITS)
    }

    /// Short key that tfhe-rs switches to before each bootstrap.
    pub fn short_key(&self, bits: usize) -> Zeroizing<Vec<u8>> {
        self.derive(b"short", bits)
    }

    fn derive(&self, name: &[u8], bits: usize) -> Zeroizing<Vec<u8>> {
        let byte = |byte: &[u8]| byte.iter().rev().fold(0, |sum, bit| sum << 1 | bit);
        let packed: Zeroizing<Vec<u8>> = Zeroizing::new(self.bits.chunks(8).map(byte).collect());
        let mut hash = Shake256::default();
        hash.update(isopod_wire::codes::hash_label::TFHE);
        hash.update(name);
        hash.update(&packed);
        let mut bytes = Zeroizing::new(vec![0; bits.div_ceil(8)]);
        hash.finalize_xof().read(&mut bytes);
        Zeroizing::new((0..bits).map(|at| bytes[at / 8] >> (at % 8) & 1).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{OwnerSecrets, DEGREE};

    #[test]
    fn derived_keys_are_balanced_and_distinct() {
        let secrets = OwnerSecrets::new(&vec![1; DEGREE]).unwrap();
        let key = secrets.result_key();
        let ones: usize = key.iter().map(|&bit| usize::from(bit)).sum();
        // Six standard deviations of 1024 fair bits.
        assert!((512 - 96..=512 + 96).contains(&ones), "{ones}");
        assert_ne!(
            secrets.derive(b"result", 64)[..],
            secrets.derive(b"short", 64)[..]
        );
    }

    #[test]
    fn other_keys_are_refused() {
        assert!(OwnerSecrets::new(&vec![0; DEGREE - 1]).is_err());
        let mut ternary = vec![0; DEGREE];
        ternary[7] = -1;
        assert!(OwnerSecrets::new(&ternary).is_err());
        ternary[7] = 2;
        assert!(OwnerSecrets::new(&ternary).is_err());
    }
}
