//! Key pairs, from the C library's key generation.

use crate::key_stream::KeyStream;
use crate::{DeviceError, Result};
use isopod_wire::{BlobKind, KeyId, ParameterSet};
use zeroize::Zeroizing;

/// A blob with a secret in it, wiped when dropped; it has no `Debug`.
pub type SecretBlob = Zeroizing<Vec<u8>>;

/// A fresh key pair of one set, in all the forms that devices hold (spec/wire.md, section 5).
pub struct KeyPair {
    /// Names the pair on the wire.
    pub key_id: KeyId,
    /// pk0 and pk1 of each prime.
    pub public_blob: Vec<u8>,
    /// The seed of pk1, and pk0 of each prime: half the flash for a little more time.
    pub seeded_public_blob: Vec<u8>,
    /// The secret key, two bits per coefficient.
    pub secret_blob: SecretBlob,
    /// -NTT(s) of each prime: more flash, less time.
    pub secret_ntt_blob: SecretBlob,
}

pub(crate) fn random() -> Result<Zeroizing<[u8; 32]>> {
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(bytes.as_mut()).map_err(|_| DeviceError::Entropy)?;
    Ok(bytes)
}

impl KeyPair {
    /// A fresh pair from the system's entropy.
    ///
    /// Errors: no entropy, a set unknown to the C library.
    pub fn generate(set: &'static ParameterSet) -> Result<Self> {
        let mut stream = KeyStream::new(set)?;
        let key_id = stream.key_id()?;
        Ok(Self {
            key_id,
            public_blob: stream.blob(BlobKind::Public, &key_id)?.to_vec(),
            seeded_public_blob: stream.blob(BlobKind::SeededPublic, &key_id)?.to_vec(),
            secret_blob: stream.blob(BlobKind::SecretTernary, &key_id)?,
            secret_ntt_blob: stream.blob(BlobKind::SecretNtt, &key_id)?,
        })
    }
}
