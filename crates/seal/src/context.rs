//! Contexts: checked parameter sets inside SEAL, and encoding under them.

use crate::border::{ffi, named};
use crate::{image, Ciphertext, Error, Parameters, Residues};
use cxx::UniquePtr;
use std::fmt;

/// One parameter set with SEAL's tables. Making it takes up to a second and tens of megabytes at ring degree 16384, more at
/// 32768, so make it once.
pub struct Context {
    parameters: Parameters,
    native: UniquePtr<ffi::Native>,
}

/// An encoded vector: real slots at a level and scale, or integers modulo t.
pub struct Plaintext(pub(crate) UniquePtr<ffi::Plaintext>);

impl Context {
    /// Checks the set here and in SEAL, which also applies its own 128-bit limit (`sec_level_type::tc128`), unless
    /// the last prime of the chain is below 2^20 and carries no key.
    ///
    /// # Errors
    /// The errors of [`Parameters::check`]; [`Error::Refused`] if SEAL does not accept the set.
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        parameters.check()?;
        let native = ffi::make_native(
            parameters.ring_degree,
            &parameters.chain(),
            parameters.plain_modulus.unwrap_or(0),
        );
        let native = native.map_err(|exception| Error::Refused {
            set: parameters.name.clone(),
            reason: exception.what().to_owned(),
        })?;
        Ok(Context {
            parameters: parameters.clone(),
            native,
        })
    }

    /// The set that was given.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Makes a ciphertext from residues: `c0[j]` and `c1[j]` are canonical modulo data prime j, in NTT order, which SEAL turns
    /// into coefficients in BFV. The number of primes chooses the level; the scale is 1 in BFV. SEAL loads an image that is
    /// written here from checked numbers.
    ///
    /// # Errors
    /// [`Error::Level`], [`Error::Length`], [`Error::Residue`], [`Error::Scale`]; [`Error::Seal`] if SEAL refuses.
    pub fn ciphertext(
        &self,
        c0: &[Vec<u64>],
        c1: &[Vec<u64>],
        scale: f64,
    ) -> Result<Ciphertext, Error> {
        self.load(&image::image(&self.parameters, c0, c1, scale)?)
    }

    /// Makes a ciphertext whose c1 SEAL expands from a seed.
    ///
    /// # Errors
    /// The errors of [`Context::ciphertext`].
    pub fn seeded_ciphertext(
        &self,
        c0: &[Vec<u64>],
        mask: image::MaskSeed<'_>,
        scale: f64,
    ) -> Result<Ciphertext, Error> {
        self.load(&image::seeded_image(&self.parameters, c0, mask, scale)?)
    }

    fn load(&self, image: &[u8]) -> Result<Ciphertext, Error> {
        let loaded = ffi::load_ciphertext(self.native(), image);
        let mut ciphertext = Ciphertext(named("load a ciphertext", loaded)?);
        if self.parameters.plain_modulus.is_some() {
            named(
                "transform to coefficients",
                ffi::from_ntt(self.native(), ciphertext.pin()),
            )?;
        }
        Ok(ciphertext)
    }

    /// The residues of a ciphertext of two polynomials, in NTT order also in BFV.
    ///
    /// # Errors
    /// [`Error::NotRelinearized`]; [`Error::Seal`] for a ciphertext of another context.
    pub fn residues(&self, ciphertext: &Ciphertext) -> Result<Residues, Error> {
        if self.parameters.plain_modulus.is_none() {
            return ciphertext.residues();
        }
        let mut transformed = ciphertext.clone();
        named(
            "transform to values",
            ffi::to_ntt(self.native(), transformed.pin()),
        )?;
        transformed.residues()
    }

    /// Encodes 1 to n/2 real values, the other slots zero, at `scale` for ciphertexts with `primes` data primes.
    ///
    /// # Errors
    /// [`Error::Values`], [`Error::NotFinite`], [`Error::Level`], [`Error::Scale`]; [`Error::Seal`] if the scaled
    /// values do not fit the modulus.
    pub fn encode(&self, values: &[f64], scale: f64, primes: usize) -> Result<Plaintext, Error> {
        let most = self.parameters.slots();
        if values.is_empty() || values.len() > most {
            return Err(Error::Values {
                got: values.len(),
                most,
            });
        }
        self.check_encoding(values, scale, primes)?;
        named(
            "encode values",
            ffi::encode(self.native(), values, scale, primes),
        )
        .map(Plaintext)
    }

    /// Encodes one value into all slots.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn encode_constant(
        &self,
        value: f64,
        scale: f64,
        primes: usize,
    ) -> Result<Plaintext, Error> {
        self.check_encoding(&[value], scale, primes)?;
        named(
            "encode a constant",
            ffi::encode_constant(self.native(), value, scale, primes),
        )
        .map(Plaintext)
    }

    /// Decodes the n/2 real slots of a plaintext.
    ///
    /// # Errors
    /// [`Error::Seal`] for a plaintext of another context.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<f64>, Error> {
        named(
            "decode a plaintext",
            ffi::decode(self.native(), &plaintext.0),
        )
    }

    fn check_encoding(&self, values: &[f64], scale: f64, primes: usize) -> Result<(), Error> {
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite {
                index,
                value: values[index],
            });
        }
        self.check_level(primes)?;
        image::check_scale(&self.parameters, primes, scale)
    }

    pub(crate) fn check_level(&self, primes: usize) -> Result<(), Error> {
        let most = self.parameters.data_primes.len();
        if (1..=most).contains(&primes) {
            Ok(())
        } else {
            Err(Error::Level { got: primes, most })
        }
    }

    pub(crate) fn check_key_switching(&self) -> Result<(), Error> {
        if self.parameters.can_switch_keys() {
            Ok(())
        } else {
            Err(Error::NoKeySwitching {
                set: self.parameters.name.clone(),
            })
        }
    }

    pub(crate) fn native(&self) -> &ffi::Native {
        &self.native
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("Context")
            .field(&self.parameters.name)
            .finish()
    }
}

impl fmt::Debug for Plaintext {
    /// Formats without the content.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Plaintext")
    }
}
