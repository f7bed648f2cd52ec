//! SEAL's own encryption and serialization, for comparison with Isopod. Time is measured around the calls.

use crate::border::{ffi, named};
use crate::{Ciphertext, Context, Error, Plaintext, SecretKey};
use cxx::UniquePtr;
use std::fmt;

/// SEAL as an encrypting device would use it, with a public key made from the secret key.
pub struct Peer<'context> {
    context: &'context Context,
    encryptor: UniquePtr<ffi::Peer>,
}

/// Bytes of SEAL's serialized ciphertexts, uncompressed, at the level of all data primes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerSizes {
    /// Bytes under the public key: two polynomials.
    pub public_key: usize,
    /// Bytes under the secret key: one polynomial and a seed.
    pub secret_key_seeded: usize,
}

impl<'context> Peer<'context> {
    /// Makes a public key.
    ///
    /// # Errors
    /// [`Error::Seal`] for a key of another context.
    pub fn new(context: &'context Context, secret: &SecretKey) -> Result<Self, Error> {
        let encryptor = named(
            "make a public key",
            ffi::make_peer(context.native(), &secret.0),
        )?;
        Ok(Peer { context, encryptor })
    }

    /// Encodes and encrypts with the public key, without serialization.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn encrypt(&self, values: &[f64], scale: f64) -> Result<Ciphertext, Error> {
        let plaintext = self.encode(values, scale)?;
        named("encrypt", ffi::peer_encrypt(&self.encryptor, &plaintext.0)).map(Ciphertext)
    }

    /// Encodes integers into slots and encrypts with the public key, without serialization.
    ///
    /// # Errors
    /// The errors of [`Context::encode_integers`].
    pub fn encrypt_integers(&self, values: &[i64]) -> Result<Ciphertext, Error> {
        let plaintext = self.context.encode_integers(values)?;
        named("encrypt", ffi::peer_encrypt(&self.encryptor, &plaintext.0)).map(Ciphertext)
    }

    /// Decrypts and decodes integers without a look at the noise budget, whose measurement costs more than decryption.
    ///
    /// # Errors
    /// The errors of [`Context::decode_integers`].
    #[cfg(feature = "owner")]
    pub fn decrypt_integers(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext,
    ) -> Result<Vec<i64>, Error> {
        let native = self.context.native();
        let plaintext = named("decrypt", ffi::decrypt(native, &secret.0, &ciphertext.0))?;
        self.context.decode_integers(&Plaintext(plaintext))
    }

    /// Encodes and encrypts with the secret key, without serialization.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn encrypt_symmetric(&self, values: &[f64], scale: f64) -> Result<Ciphertext, Error> {
        let plaintext = self.encode(values, scale)?;
        named(
            "encrypt with the secret key",
            ffi::peer_encrypt_symmetric(&self.encryptor, &plaintext.0),
        )
        .map(Ciphertext)
    }

    /// Encodes, encrypts with the public key and serializes to SEAL's own bytes.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn serialize_public(&self, values: &[f64], scale: f64) -> Result<Vec<u8>, Error> {
        let plaintext = self.encode(values, scale)?;
        named(
            "encrypt and serialize",
            ffi::peer_serialize_public(&self.encryptor, &plaintext.0),
        )
        .map(bytes)
    }

    /// Encodes, encrypts with the secret key and serializes, with a seed for the second polynomial.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn serialize_seeded(&self, values: &[f64], scale: f64) -> Result<Vec<u8>, Error> {
        let plaintext = self.encode(values, scale)?;
        named(
            "encrypt and serialize",
            ffi::peer_serialize_seeded(&self.encryptor, &plaintext.0),
        )
        .map(bytes)
    }

    /// Encrypts a plaintext with the public key, without serialization.
    ///
    /// # Errors
    /// [`Error::Seal`] for a plaintext of another context.
    pub fn encrypt_encoded(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        named("encrypt", ffi::peer_encrypt(&self.encryptor, &plaintext.0)).map(Ciphertext)
    }

    /// Encrypts a plaintext with the secret key, without serialization.
    ///
    /// # Errors
    /// [`Error::Seal`] for a plaintext of another context.
    pub fn encrypt_encoded_symmetric(&self, plaintext: &Plaintext) -> Result<Ciphertext, Error> {
        named(
            "encrypt with the secret key",
            ffi::peer_encrypt_symmetric(&self.encryptor, &plaintext.0),
        )
        .map(Ciphertext)
    }

    /// Encrypts a plaintext and serializes, with the public key to two polynomials, or with the secret key to one and a seed.
    ///
    /// # Errors
    /// [`Error::Seal`] for a plaintext of another context.
    pub fn serialize_encoded(
        &self,
        plaintext: &Plaintext,
        is_secret: bool,
    ) -> Result<Vec<u8>, Error> {
        let serialize = match is_secret {
            true => ffi::peer_serialize_seeded,
            false => ffi::peer_serialize_public,
        };
        let saved = serialize(&self.encryptor, &plaintext.0);
        named("encrypt and serialize", saved).map(bytes)
    }

    /// Decrypts without decoding, and without a look at the noise budget.
    ///
    /// # Errors
    /// [`Error::Seal`] for a ciphertext of another context.
    #[cfg(feature = "owner")]
    pub fn decrypt_encoded(
        &self,
        secret: &SecretKey,
        ciphertext: &Ciphertext,
    ) -> Result<Plaintext, Error> {
        let native = self.context.native();
        named("decrypt", ffi::decrypt(native, &secret.0, &ciphertext.0)).map(Plaintext)
    }

    /// Serializes a ciphertext to SEAL's own bytes.
    ///
    /// # Errors
    /// [`Error::Seal`].
    pub fn serialize(&self, ciphertext: &Ciphertext) -> Result<Vec<u8>, Error> {
        named("serialize", ffi::peer_serialize(&ciphertext.0)).map(bytes)
    }

    /// SEAL's own loader, on bytes of this process that SEAL can load; bytes from outside go through [`Context::ciphertext`].
    ///
    /// # Errors
    /// [`Error::Seal`].
    pub fn load(&self, bytes: &[u8]) -> Result<Ciphertext, Error> {
        let native = self.context.native();
        named("load a ciphertext", ffi::load_ciphertext(native, bytes)).map(Ciphertext)
    }

    fn encode(&self, values: &[f64], scale: f64) -> Result<crate::Plaintext, Error> {
        self.context
            .encode(values, scale, self.context.parameters().data_primes.len())
    }
}

fn bytes(saved: UniquePtr<cxx::CxxVector<u8>>) -> Vec<u8> {
    saved.as_slice().to_vec()
}

impl fmt::Debug for Peer<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Peer")
    }
}

/// Counts the bytes of one ciphertext each way, encrypted under a key of no further use.
///
/// # Errors
/// [`Error::Seal`].
pub fn serialized_sizes(context: &Context) -> Result<PeerSizes, Error> {
    let mut coefficients = vec![0; context.parameters().ring_degree];
    coefficients[0] = 1;
    let peer = Peer::new(context, &SecretKey::new(context, &coefficients)?)?;
    let scale = 1024.0;
    Ok(PeerSizes {
        public_key: peer.serialize_public(&[1.0], scale)?.len(),
        secret_key_seeded: peer.serialize_seeded(&[1.0], scale)?.len(),
    })
}
