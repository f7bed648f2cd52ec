//! Secrets of groups and devices: they follow from the owner's key, and each period's from the one before.

use isopod_wire::codes::{hash_label, size};
use isopod_wire::LinearTag;
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;
use zeroize::Zeroizing;

use crate::secret::SecretKey;

/// The owner's key of linear tags. Not Debug, not Clone.
pub struct LinearMaster(SecretKey);

/// Secrets of a device in one period: that of its group, and its own. Not Debug, not Clone.
pub struct LinearSecrets {
    /// The period.
    pub period: u32,
    /// Number among the secrets of the device, from 1: the point of the first counts, and the pads of all.
    pub part: u8,
    /// Secrets of the device: one, or one of each holder who answers.
    pub parts: u8,
    /// Secret of all devices of the group.
    pub group: SecretKey,
    /// Secret of this device.
    pub device: SecretKey,
}

impl LinearMaster {
    /// The key that follows from the payload of the secret key's blob.
    pub(crate) fn of_payload(payload: &[u8]) -> Self {
        Self(derived(hash_label::LINEAR_MASTER, payload, &[]))
    }

    /// The secret of a group in a period.
    pub fn group(&self, group: u32, period: u32) -> SecretKey {
        let first = derived(
            hash_label::LINEAR_GROUP,
            self.0.expose(),
            &group.to_le_bytes(),
        );
        advanced(first, period)
    }

    /// The secret of a device in a period.
    pub fn device(&self, device: u64, period: u32) -> SecretKey {
        let first = derived(
            hash_label::LINEAR_DEVICE,
            self.0.expose(),
            &device.to_le_bytes(),
        );
        advanced(first, period)
    }

    /// The secrets of a device of a group in a period.
    pub fn secrets(&self, group: u32, device: u64, period: u32) -> LinearSecrets {
        LinearSecrets {
            period,
            part: 1,
            parts: 1,
            group: self.group(group, period),
            device: self.device(device, period),
        }
    }
}

/// The point r of a group's secret.
pub fn linear_point(group: &SecretKey) -> Zeroizing<u64> {
    let mut bytes = Zeroizing::new([0; 8]);
    hash(
        hash_label::LINEAR_POINT,
        group.expose(),
        &[],
        &mut bytes[..],
    );
    Zeroizing::new(u64::from_le_bytes(*bytes) % LinearTag::MODULUS)
}

/// The key of a device's pads.
pub fn linear_pad_key(device: &SecretKey) -> SecretKey {
    derived(hash_label::LINEAR_PAD, device.expose(), &[])
}

fn advanced(mut secret: SecretKey, periods: u32) -> SecretKey {
    for _ in 0..periods {
        secret = derived(hash_label::LINEAR_NEXT, secret.expose(), &[]);
    }
    secret
}

fn derived(label: &[u8], key: &[u8], tail: &[u8]) -> SecretKey {
    let mut bytes = Zeroizing::new([0; size::LINEAR_SECRET]);
    hash(label, key, tail, &mut bytes[..]);
    SecretKey::from_bytes(&bytes)
}

fn hash(label: &[u8], key: &[u8], tail: &[u8], output: &mut [u8]) {
    let mut hash = Shake256::default();
    for part in [label, key, tail] {
        hash.update(part);
    }
    hash.finalize_xof().read(output);
}
