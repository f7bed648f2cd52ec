//! The owner's key of pads, from which those of all devices follow (`spec/pad.md`, section 2).

use isopod_wire::codes::{hash_label, size};
use isopod_wire::KeyId;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;
use zeroize::Zeroizing;

use crate::error::Result;
use crate::secret::SecretKey;

/// The owner's key of pads.
pub struct PadMaster(SecretKey);

impl PadMaster {
    /// Draws a fresh key.
    ///
    /// Errors: [`crate::KeysError::Entropy`].
    pub fn random() -> Result<Self> {
        SecretKey::random().map(Self)
    }

    /// Takes the owner's key.
    pub fn new(key: SecretKey) -> Self {
        Self(key)
    }

    /// The key in a secret key's blob, which is the key alone; None for other blobs.
    pub fn of_blob(blob: &[u8]) -> Option<Self> {
        let key = blob.try_into().ok()?;
        Some(Self(SecretKey::from_bytes(key)))
    }

    /// The bytes, for the owner's file.
    pub fn expose(&self) -> &[u8; size::PAD_KEY] {
        self.0.expose()
    }

    /// The identity that contexts say.
    pub fn key_id(&self) -> KeyId {
        let mut id = KeyId::default();
        self.hash(hash_label::PAD_KEY_ID, &[], &mut id);
        id
    }

    /// The pad key of one device.
    pub fn device(&self, device: u64) -> SecretKey {
        let mut key = Zeroizing::new([0; size::PAD_KEY]);
        let number = device.to_le_bytes();
        self.hash(hash_label::PAD_DEVICE, &number, &mut key[..]);
        SecretKey::from_bytes(&key)
    }

    fn hash(&self, label: &[u8], tail: &[u8], output: &mut [u8]) {
        let mut hash = Shake256::default();
        for part in [label, self.0.expose(), tail] {
            hash.update(part);
        }
        hash.finalize_xof().read(output);
    }
}
