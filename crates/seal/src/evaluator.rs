//! Operations on ciphertexts. None needs or accepts a secret key.

use crate::border::{ffi, named};
use crate::keys::galois;
use crate::{image, Ciphertext, Context, Error, EvaluationKeys, Plaintext};

/// Operations under one context. All work in place; clone a ciphertext to keep it.
///
/// Every method may return [`Error::Seal`] for ciphertexts of another context, or if the result would be transparent
/// (readable by anyone), like a difference of equal ciphertexts or a product with zeros.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator<'context> {
    context: &'context Context,
}

/// Relative rounding difference that SEAL's own test for equal scales allows.
const SCALE_TOLERANCE: f64 = 1e-9;

impl<'context> Evaluator<'context> {
    /// Makes an evaluator under `context`.
    pub fn new(context: &'context Context) -> Self {
        Evaluator { context }
    }

    /// The context.
    pub fn context(&self) -> &'context Context {
        self.context
    }

    fn native(&self) -> &ffi::Native {
        self.context.native()
    }

    /// Adds b to a, slot by slot.
    ///
    /// # Errors
    /// [`Error::LevelMismatch`], [`Error::ScaleMismatch`].
    pub fn add(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        same_level(a, b)?;
        same_scale(a, b)?;
        named("add ciphertexts", ffi::add(self.native(), a.pin(), &b.0))
    }

    /// Subtracts b from a, slot by slot.
    ///
    /// # Errors
    /// [`Error::LevelMismatch`], [`Error::ScaleMismatch`].
    pub fn subtract(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        same_level(a, b)?;
        same_scale(a, b)?;
        named(
            "subtract ciphertexts",
            ffi::subtract(self.native(), a.pin(), &b.0),
        )
    }

    /// Adds 1 to n/2 values to the first slots.
    ///
    /// # Errors
    /// The errors of [`Context::encode`].
    pub fn add_plain(&self, a: &mut Ciphertext, values: &[f64]) -> Result<(), Error> {
        let plaintext = self.context.encode(values, a.scale(), a.primes())?;
        named(
            "add a plaintext",
            ffi::add_plain(self.native(), a.pin(), &plaintext.0),
        )
    }

    /// Adds one value to all slots.
    ///
    /// # Errors
    /// The errors of [`Context::encode_constant`].
    pub fn add_constant(&self, a: &mut Ciphertext, value: f64) -> Result<(), Error> {
        let plaintext = self.context.encode_constant(value, a.scale(), a.primes())?;
        named(
            "add a constant",
            ffi::add_plain(self.native(), a.pin(), &plaintext.0),
        )
    }

    /// Multiplies the first slots by 1 to n/2 values encoded at `scale`, the other slots by zero. Scales multiply.
    ///
    /// # Errors
    /// [`Error::Scale`] if the product of the scales does not fit; those of [`Context::encode`].
    pub fn multiply_plain(
        &self,
        a: &mut Ciphertext,
        values: &[f64],
        scale: f64,
    ) -> Result<(), Error> {
        let plaintext = self.context.encode(values, scale, a.primes())?;
        self.multiply_encoded(a, &plaintext, scale)
    }

    /// Multiplies all slots by one value encoded at `scale`. Scales multiply.
    ///
    /// # Errors
    /// The errors of [`Evaluator::multiply_plain`].
    pub fn multiply_constant(
        &self,
        a: &mut Ciphertext,
        value: f64,
        scale: f64,
    ) -> Result<(), Error> {
        let plaintext = self.context.encode_constant(value, scale, a.primes())?;
        self.multiply_encoded(a, &plaintext, scale)
    }

    /// Multiplies by an encoded plaintext at `scale` and at the level of `a`.
    ///
    /// # Errors
    /// [`Error::Scale`] if the product of the scales does not fit.
    pub fn multiply_encoded(
        &self,
        a: &mut Ciphertext,
        plaintext: &Plaintext,
        scale: f64,
    ) -> Result<(), Error> {
        self.check_scale(a, a.scale() * scale)?;
        named(
            "multiply by a plaintext",
            ffi::multiply_plain(self.native(), a.pin(), &plaintext.0),
        )
    }

    /// Multiplies a by b. The result has three polynomials; [`Evaluator::relinearize`] brings it back to two.
    ///
    /// # Errors
    /// [`Error::LevelMismatch`]; [`Error::Scale`] if the product of the scales does not fit.
    pub fn multiply(&self, a: &mut Ciphertext, b: &Ciphertext) -> Result<(), Error> {
        same_level(a, b)?;
        self.check_scale(a, a.scale() * b.scale())?;
        named(
            "multiply ciphertexts",
            ffi::multiply(self.native(), a.pin(), &b.0),
        )
    }

    /// Squares a, like [`Evaluator::multiply`] but cheaper.
    ///
    /// # Errors
    /// The errors of [`Evaluator::multiply`].
    pub fn square(&self, a: &mut Ciphertext) -> Result<(), Error> {
        self.check_scale(a, a.scale() * a.scale())?;
        named("square a ciphertext", ffi::square(self.native(), a.pin()))
    }

    /// Brings a ciphertext of three polynomials back to two.
    ///
    /// # Errors
    /// [`Error::MissingRelinearizationKey`].
    pub fn relinearize(&self, a: &mut Ciphertext, keys: &EvaluationKeys) -> Result<(), Error> {
        let key = keys
            .relinearization
            .as_ref()
            .ok_or(Error::MissingRelinearizationKey)?;
        named("relinearize", ffi::relinearize(self.native(), a.pin(), key))
    }

    /// Rotates the n/2 slots by `step` to the left, or to the right if it is negative.
    ///
    /// # Errors
    /// [`Error::Step`], [`Error::MissingGaloisKey`] (the key of exactly this step is used, never a chain of others),
    /// [`Error::NotRelinearized`].
    pub fn rotate(
        &self,
        a: &mut Ciphertext,
        step: i32,
        keys: &EvaluationKeys,
    ) -> Result<(), Error> {
        let element = galois::galois_element(self.context.parameters().ring_degree, step)?;
        if keys.galois(element).is_none() {
            return Err(Error::MissingGaloisKey { step, element });
        }
        self.apply(a, element, keys)
    }

    /// Applies the automorphism of a Galois element: a rotation, or with 2n - 1 a conjugation (CKKS) or a swap of rows (BFV).
    ///
    /// # Errors
    /// [`Error::GaloisElement`]; [`Error::MissingGaloisKey`] with step 0; [`Error::NotRelinearized`].
    pub fn apply(
        &self,
        a: &mut Ciphertext,
        element: u32,
        keys: &EvaluationKeys,
    ) -> Result<(), Error> {
        galois::check_element(self.context.parameters().ring_degree, element)?;
        if a.polynomials() != 2 {
            return Err(Error::NotRelinearized {
                polynomials: a.polynomials(),
            });
        }
        let key = keys
            .galois(element)
            .ok_or(Error::MissingGaloisKey { step: 0, element })?;
        named(
            "apply an automorphism",
            ffi::apply_galois(self.native(), a.pin(), element, key),
        )
    }

    /// Divides by the last remaining data prime and drops it; the scale is divided with it.
    ///
    /// # Errors
    /// [`Error::LastLevel`]; [`Error::Scale`] if the scale would fall below one.
    pub fn rescale(&self, a: &mut Ciphertext) -> Result<(), Error> {
        let primes = a.primes();
        if primes < 2 {
            return Err(Error::LastLevel);
        }
        let parameters = self.context.parameters();
        let last = parameters.data_primes.get(primes - 1).copied();
        let last = last.ok_or(Error::Level {
            got: primes,
            most: parameters.data_primes.len(),
        })?;
        image::check_scale(parameters, primes - 1, a.scale() / last as f64)?;
        named("rescale", ffi::rescale(self.native(), a.pin()))
    }

    /// Drops data primes until `primes` are left; values and scale do not change.
    ///
    /// # Errors
    /// [`Error::Level`] if `primes` is zero or more than `a` has; [`Error::Scale`] if the scale then does not fit.
    pub fn switch_to(&self, a: &mut Ciphertext, primes: usize) -> Result<(), Error> {
        if !(1..=a.primes()).contains(&primes) {
            return Err(Error::Level {
                got: primes,
                most: a.primes(),
            });
        }
        image::check_scale(self.context.parameters(), primes, a.scale())?;
        named(
            "switch the modulus",
            ffi::drop_primes(self.native(), a.pin(), primes),
        )
    }

    /// Divides every slot by `divisor` at no cost and without noise: the numbers stay, the scale grows.
    ///
    /// # Errors
    /// [`Error::Scale`] if the scale leaves the modulus, or `divisor` is zero, negative or not finite.
    pub fn divide(&self, a: &mut Ciphertext, divisor: f64) -> Result<(), Error> {
        let scale = a.scale() * divisor;
        self.check_scale(a, scale)?;
        ffi::set_scale(a.pin(), scale);
        Ok(())
    }

    fn check_scale(&self, a: &Ciphertext, scale: f64) -> Result<(), Error> {
        image::check_scale(self.context.parameters(), a.primes(), scale)
    }
}

fn same_level(a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
    let (left, right) = (a.primes(), b.primes());
    if left == right {
        Ok(())
    } else {
        Err(Error::LevelMismatch { left, right })
    }
}

fn same_scale(a: &Ciphertext, b: &Ciphertext) -> Result<(), Error> {
    let (left, right) = (a.scale(), b.scale());
    if (left - right).abs() <= SCALE_TOLERANCE * left {
        Ok(())
    } else {
        Err(Error::ScaleMismatch { left, right })
    }
}
