//! Identities of age: what holders send each other is encrypted to one or several of them.

use std::io::{Read, Write};
use std::str::FromStr;

use age::secrecy::ExposeSecret;
use age::x25519::{Identity, Recipient};
use x25519_dalek::{PublicKey, SharedSecret, StaticSecret};
use zeroize::Zeroizing;

use crate::error::{KeysError, Result};
use crate::secret::SecretBytes;

/// Bytes of a scalar and of a point of X25519.
const POINT: usize = 32;

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

    /// The secret of X25519 that this identity shares with that of a recipient.
    ///
    /// Errors: [`KeysError::Recipient`] for a text that is none, and for a point of small order, with which every identity shares
    /// zero.
    pub(crate) fn agree(&self, recipient: &str) -> Result<SharedSecret> {
        let own = StaticSecret::from(*scalar(&self.text())?);
        let shared = own.diffie_hellman(&PublicKey::from(point(recipient)?));
        match shared.was_contributory() {
            true => Ok(shared),
            false => Err(KeysError::Recipient),
        }
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

/// The scalar of an identity.
fn scalar(text: &str) -> Result<Zeroizing<[u8; POINT]>> {
    let (prefix, bytes) = bech32::decode(text).map_err(|_| KeysError::Identity)?;
    let bytes = Zeroizing::new(bytes);
    let scalar = <[u8; POINT]>::try_from(&bytes[..]).map_err(|_| KeysError::Identity)?;
    match prefix.as_str() {
        "AGE-SECRET-KEY-" => Ok(Zeroizing::new(scalar)),
        _ => Err(KeysError::Identity),
    }
}

/// The point of a recipient.
pub(crate) fn point(text: &str) -> Result<[u8; POINT]> {
    let (prefix, bytes) = bech32::decode(text).map_err(|_| KeysError::Recipient)?;
    match (prefix.as_str(), bytes.try_into()) {
        ("age", Ok(point)) => Ok(point),
        _ => Err(KeysError::Recipient),
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
