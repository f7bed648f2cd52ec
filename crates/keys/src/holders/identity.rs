//! Identities of age: what holders send each other is encrypted to one or several of them.

use std::io::{Read, Write};
use std::str::FromStr;

use age::secrecy::ExposeSecret;
use age::x25519::{Identity, Recipient};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::secret::SecretBytes;

/// The identity of one holder. Not Debug, not Clone.
pub struct HolderIdentity(Identity);

impl HolderIdentity {
    /// Draws a fresh identity from the system's entropy.
    pub fn random() -> Self {
        Self(Identity::generate())
    }

    /// Reads an identity that [`HolderIdentity::text`] wrote.
    ///
    /// Errors: [`KeysError::Identity`].
    pub fn parse(text: &str) -> Result<Self> {
        let identity = Identity::from_str(text);
        identity.map(Self).map_err(|_| KeysError::Identity)
    }

    /// The identity as text, to be written to a file of its holder.
    pub fn text(&self) -> Zeroizing<String> {
        Zeroizing::new(self.0.to_string().expose_secret().to_owned())
    }

    /// The recipient, as text, for everybody.
    pub fn recipient(&self) -> String {
        self.0.to_public().to_string()
    }

    /// Opens what was encrypted to this identity.
    ///
    /// Errors: [`KeysError::NotForHolder`].
    pub fn open(&self, sealed: &[u8]) -> Result<SecretBytes> {
        let refused = |_| KeysError::NotForHolder;
        let decryptor = age::Decryptor::new_buffered(sealed).map_err(refused)?;
        let identity: &dyn age::Identity = &self.0;
        let mut reader = decryptor
            .decrypt(std::iter::once(identity))
            .map_err(refused)?;
        // Capacity beyond the plaintext's length, so that growth leaves no copy behind.
        let mut opened = Zeroizing::new(Vec::with_capacity(sealed.len()));
        let read = reader.read_to_end(&mut opened);
        read.map_err(|_| KeysError::NotForHolder)?;
        Ok(opened)
    }
}

/// Encrypts to recipients; each of them can open it.
///
/// Errors: [`KeysError::Recipient`] for a text that is none; [`KeysError::Encrypt`].
pub fn seal_to(recipients: &[&str], plaintext: &[u8]) -> Result<Vec<u8>> {
    let recipients: Vec<Recipient> = recipients
        .iter()
        .map(|text| Recipient::from_str(text).map_err(|_| KeysError::Recipient))
        .collect::<Result<_>>()?;
    let each = recipients.iter().map(|one| one as &dyn age::Recipient);
    let encryptor = age::Encryptor::with_recipients(each);
    let encryptor = encryptor.map_err(|error| KeysError::Encrypt(error.to_string()))?;
    let mut sealed = Vec::with_capacity(plaintext.len() + 4096);
    let written = encryptor.wrap_output(&mut sealed).and_then(|mut writer| {
        writer.write_all(plaintext)?;
        writer.finish()
    });
    written.map_err(|error| KeysError::Encrypt(error.to_string()))?;
    Ok(sealed)
}
