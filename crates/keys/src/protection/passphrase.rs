//! Encryption of key files under a passphrase, in the format of age.

use std::io::Read;
use std::iter;
use std::path::Path;

use age::scrypt::{Identity, Recipient};
use age::secrecy::{ExposeSecret, SecretString};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::secret::SecretBytes;

/// log2 of scrypt's cost when writing: 128 MiB and about a second.
const WORK_FACTOR: u8 = 17;
/// Largest log2 of scrypt's cost that a file may ask of its reader: 1 GiB.
const MOST_WORK_FACTOR: u8 = 20;

/// The passphrase that encrypts the owner's key file. Not Debug, not Clone.
pub struct Passphrase(SecretString);

impl Passphrase {
    /// Takes ownership of a passphrase.
    ///
    /// Errors: [`KeysError::EmptyPassphrase`].
    pub fn new(text: String) -> Result<Self> {
        let secret = SecretString::from(text);
        if secret.expose_secret().is_empty() {
            return Err(KeysError::EmptyPassphrase);
        }
        Ok(Self(secret))
    }

    /// A copy, to compare another one with.
    pub fn duplicate(&self) -> Self {
        Self(self.0.clone())
    }

    /// Whether both are the same text.
    pub fn same_as(&self, other: &Self) -> bool {
        let (one, other) = (self.0.expose_secret(), other.0.expose_secret());
        let pairs = one.bytes().zip(other.bytes());
        one.len() == other.len() && pairs.fold(0, |sum, (one, other)| sum | (one ^ other)) == 0
    }

    pub(crate) fn encrypt(&self, plaintext: &[u8]) -> Result<Vec<u8>> {
        let mut recipient = Recipient::new(self.0.clone());
        recipient.set_work_factor(WORK_FACTOR);
        age::encrypt(&recipient, plaintext).map_err(|error| KeysError::Encrypt(error.to_string()))
    }

    pub(crate) fn decrypt(&self, path: &Path, ciphertext: &[u8]) -> Result<SecretBytes> {
        let refused = |reason: String| KeysError::Passphrase {
            path: path.to_owned(),
            reason,
        };
        let mut identity = Identity::new(self.0.clone());
        identity.set_max_work_factor(MOST_WORK_FACTOR);
        let decryptor =
            age::Decryptor::new_buffered(ciphertext).map_err(|error| refused(error.to_string()))?;
        let mut reader = decryptor
            .decrypt(iter::once(&identity as &dyn age::Identity))
            .map_err(|error| refused(error.to_string()))?;
        // Capacity beyond the plaintext's length, so that growth leaves no copy behind.
        let mut plaintext = Zeroizing::new(Vec::with_capacity(ciphertext.len()));
        reader
            .read_to_end(&mut plaintext)
            .map_err(|error| refused(error.to_string()))?;
        Ok(plaintext)
    }
}
