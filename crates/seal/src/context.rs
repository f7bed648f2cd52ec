//! A checked parameter set inside SEAL.

use crate::border::{ffi, named};
use crate::{image, Ciphertext, Error, Parameters};
use cxx::UniquePtr;
use std::fmt;

/// One parameter set with SEAL's tables. Costs up to a second and tens of megabytes at ring degree 16384: make it once.
pub struct Context {
    parameters: Parameters,
    engine: UniquePtr<ffi::Engine>,
}

/// An encoded vector of real slots at some level and scale.
pub struct Plaintext(pub(crate) UniquePtr<ffi::Plaintext>);

impl Context {
    /// Checks the set here and in SEAL, which also holds it against its own 128-bit limit (`sec_level_type::tc128`).
    ///
    /// # Errors
    /// Those of [`Parameters::check`]; [`Error::Refused`] if SEAL does not accept the set.
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        parameters.check()?;
        let engine = ffi::make_engine(parameters.ring_degree, &parameters.chain());
        let engine = engine.map_err(|exception| Error::Refused {
            set: parameters.name.clone(),
            reason: exception.what().to_owned(),
        })?;
        Ok(Context {
            parameters: parameters.clone(),
            engine,
        })
    }

    /// The set, as given.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// A ciphertext from residues: `c0[j]` and `c1[j]` are canonical modulo data prime j, in NTT order. The number of
    /// primes chooses the level. SEAL loads an image that is written here from checked numbers.
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

    /// A ciphertext whose c1 SEAL expands from a seed.
    ///
    /// # Errors
    /// As [`Context::ciphertext`].
    pub fn seeded_ciphertext(
        &self,
        c0: &[Vec<u64>],
        mask: image::MaskSeed<'_>,
        scale: f64,
    ) -> Result<Ciphertext, Error> {
        self.load(&image::seeded_image(&self.parameters, c0, mask, scale)?)
    }

    fn load(&self, image: &[u8]) -> Result<Ciphertext, Error> {
        named(
            "load a ciphertext",
            ffi::load_ciphertext(self.engine(), image),
        )
        .map(Ciphertext)
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
            ffi::encode(self.engine(), values, scale, primes),
        )
        .map(Plaintext)
    }

    /// Encodes one value into all slots.
    ///
    /// # Errors
    /// As [`Context::encode`].
    pub fn encode_constant(
        &self,
        value: f64,
        scale: f64,
        primes: usize,
    ) -> Result<Plaintext, Error> {
        self.check_encoding(&[value], scale, primes)?;
        named(
            "encode a constant",
            ffi::encode_constant(self.engine(), value, scale, primes),
        )
        .map(Plaintext)
    }

    /// The n/2 real slots of a plaintext.
    ///
    /// # Errors
    /// [`Error::Seal`] for a plaintext of another context.
    pub fn decode(&self, plaintext: &Plaintext) -> Result<Vec<f64>, Error> {
        named(
            "decode a plaintext",
            ffi::decode(self.engine(), &plaintext.0),
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

    pub(crate) fn engine(&self) -> &ffi::Engine {
        &self.engine
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
    /// Without the content.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Plaintext")
    }
}
