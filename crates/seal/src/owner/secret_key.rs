//! The owner's side: the secret key, key generation and decryption. Absent without the feature `owner`.

use crate::border::{ffi, named};
use crate::keys::galois;
use crate::{image, residues, Ciphertext, Context, Error, EvaluationKeys, Plaintext};
use cxx::UniquePtr;
use isopod_share::Private;
use std::collections::BTreeSet;
use std::fmt;
use zeroize::Zeroizing;

/// A ternary secret key in SEAL, which clears its memory when it is dropped.
pub struct SecretKey(pub(crate) UniquePtr<ffi::SecretKey>);

impl SecretKey {
    /// Makes a key from n coefficients in -1, 0, 1. All copies made here are cleared; the caller clears its own.
    ///
    /// # Errors
    /// [`Error::Length`], [`Error::Ternary`].
    pub fn new(context: &Context, coefficients: &[i8]) -> Result<Self, Error> {
        let image = secret_key_image(context, coefficients)?;
        named(
            "load the secret key",
            ffi::load_secret_key(context.native(), &image),
        )
        .map(SecretKey)
    }

    /// Decrypts the n/2 real slots of a ciphertext, with all its noise: for their owner only.
    ///
    /// # Errors
    /// [`Error::Seal`] for a ciphertext of another context.
    pub fn decrypt(
        &self,
        context: &Context,
        ciphertext: &Ciphertext,
    ) -> Result<Private<Vec<f64>>, Error> {
        let plaintext = named(
            "decrypt",
            ffi::decrypt(context.native(), &self.0, &ciphertext.0),
        )?;
        context.decode(&Plaintext(plaintext)).map(Private::new)
    }
}

/// SEAL's bytes of a secret key.
pub(crate) fn secret_key_image(
    context: &Context,
    coefficients: &[i8],
) -> Result<Zeroizing<Vec<u8>>, Error> {
    let parameters = context.parameters();
    residues::length("secret key", coefficients.len(), parameters.ring_degree)?;
    if let Some(index) = coefficients
        .iter()
        .position(|value| !(-1..=1).contains(value))
    {
        return Err(Error::Ternary { index });
    }
    let mut words = Zeroizing::new(vec![0; parameters.chain().len() * parameters.ring_degree]);
    named(
        "transform the secret key",
        ffi::transform_ternary(context.native(), coefficients, &mut words),
    )?;
    Ok(image::secret_key(parameters, &words))
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretKey")
    }
}

impl EvaluationKeys {
    /// Makes keys for products (`relinearization`) and for the rotations `steps`, with SEAL's generator and randomness.
    /// Steps of one rotation, such as -1 and n/2 - 1, give one key.
    ///
    /// # Errors
    /// [`Error::NoKeySwitching`], [`Error::Step`].
    pub fn generate(
        context: &Context,
        secret: &SecretKey,
        relinearization: bool,
        steps: &[i32],
    ) -> Result<Self, Error> {
        let ring_degree = context.parameters().ring_degree;
        let elements = steps
            .iter()
            .map(|&step| galois::galois_element(ring_degree, step))
            .collect::<Result<BTreeSet<_>, _>>()?;
        Self::generate_for(context, secret, relinearization, elements)
    }

    /// Makes keys for products and for the automorphisms of these Galois elements.
    ///
    /// # Errors
    /// [`Error::NoKeySwitching`], [`Error::GaloisElement`].
    pub fn generate_for(
        context: &Context,
        secret: &SecretKey,
        relinearization: bool,
        elements: BTreeSet<u32>,
    ) -> Result<Self, Error> {
        context.check_key_switching()?;
        let ring_degree = context.parameters().ring_degree;
        elements
            .iter()
            .try_for_each(|&element| galois::check_element(ring_degree, element))?;
        let list: Vec<u32> = elements.iter().copied().collect();
        let native = context.native();
        let relinearization = relinearization.then(|| {
            named(
                "make the relinearization key",
                ffi::make_relinearization_key(native, &secret.0),
            )
        });
        let galois = (!list.is_empty()).then(|| {
            named(
                "make the Galois keys",
                ffi::make_galois_keys(native, &secret.0, &list),
            )
        });
        Ok(EvaluationKeys {
            relinearization: relinearization.transpose()?,
            galois: galois.transpose()?,
            elements,
        })
    }
}
