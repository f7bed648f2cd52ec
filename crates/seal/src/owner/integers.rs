//! Integers modulo t in BFV: encoding, operations, and the owner's decryption.

use crate::border::{ffi, named};
use crate::{Ciphertext, Context, Error, Evaluator, Plaintext};

impl Context {
    /// The plaintext modulus t of a BFV set.
    ///
    /// # Errors
    /// [`Error::NoIntegers`] for a CKKS set.
    pub fn plain_modulus(&self) -> Result<u64, Error> {
        self.parameters().plain_modulus.ok_or(Error::NoIntegers {
            set: self.parameters().name.clone(),
        })
    }

    /// Encodes 1 to n integers from -(t-1)/2 to (t-1)/2 into the first slots, the others zero.
    ///
    /// # Errors
    /// [`Error::NoIntegers`], [`Error::Values`], [`Error::Integer`].
    pub fn encode_integers(&self, values: &[i64]) -> Result<Plaintext, Error> {
        let most = self.parameters().slots();
        if values.is_empty() || values.len() > most {
            let got = values.len();
            return Err(Error::Values { got, most });
        }
        self.check_integers(values)?;
        named("encode integers", ffi::encode_slots(self.native(), values)).map(Plaintext)
    }

    /// Encodes one integer into all slots, which is the constant polynomial.
    ///
    /// # Errors
    /// [`Error::NoIntegers`], [`Error::Integer`].
    pub fn encode_integer(&self, value: i64) -> Result<Plaintext, Error> {
        self.check_integers(&[value])?;
        let modulus = self.plain_modulus()? as i64;
        let residue = value.rem_euclid(modulus) as u64;
        Ok(Plaintext(ffi::encode_coefficients(&[residue])))
    }

    /// Decodes the n slots of a plaintext to integers from -(t-1)/2 to (t-1)/2.
    ///
    /// # Errors
    /// [`Error::NoIntegers`]; [`Error::Seal`] for a plaintext of another context.
    pub fn decode_integers(&self, plaintext: &Plaintext) -> Result<Vec<i64>, Error> {
        self.plain_modulus()?;
        named(
            "decode integers",
            ffi::decode_slots(self.native(), &plaintext.0),
        )
    }

    /// Decodes the n coefficients of a plaintext to integers from -(t-1)/2 to (t-1)/2.
    ///
    /// # Errors
    /// [`Error::NoIntegers`].
    pub fn decode_coefficients(&self, plaintext: &Plaintext) -> Result<Vec<i64>, Error> {
        let modulus = self.plain_modulus()? as i64;
        let centred = |residue: u64| {
            let residue = residue as i64;
            residue - if residue > modulus / 2 { modulus } else { 0 }
        };
        let mut coefficients: Vec<i64> = ffi::decode_coefficients(&plaintext.0)
            .into_iter()
            .map(centred)
            .collect();
        coefficients.resize(self.parameters().ring_degree, 0);
        Ok(coefficients)
    }

    fn check_integers(&self, values: &[i64]) -> Result<(), Error> {
        let most = (self.plain_modulus()? as i64 - 1) / 2;
        match values
            .iter()
            .position(|value| value.unsigned_abs() > most as u64)
        {
            None => Ok(()),
            Some(index) => Err(Error::Integer {
                index,
                value: values[index],
                most,
            }),
        }
    }
}

impl Evaluator<'_> {
    /// Adds 1 to n integers to the first slots.
    ///
    /// # Errors
    /// The errors of [`Context::encode_integers`].
    pub fn add_integers(&self, a: &mut Ciphertext, values: &[i64]) -> Result<(), Error> {
        let plaintext = self.context().encode_integers(values)?;
        let added = ffi::add_plain(self.context().native(), a.pin(), &plaintext.0);
        named("add integers", added)
    }

    /// Multiplies the first slots by 1 to n integers, the other slots by zero.
    ///
    /// # Errors
    /// The errors of [`Context::encode_integers`]; [`Error::Seal`] if all are zero.
    pub fn multiply_integers(&self, a: &mut Ciphertext, values: &[i64]) -> Result<(), Error> {
        let plaintext = self.context().encode_integers(values)?;
        self.multiply_integers_encoded(a, &plaintext)
    }

    /// Multiplies all slots by one integer, and the noise by its magnitude.
    ///
    /// # Errors
    /// The errors of [`Context::encode_integer`]; [`Error::Seal`] if it is zero.
    pub fn multiply_integer(&self, a: &mut Ciphertext, value: i64) -> Result<(), Error> {
        self.context().check_integers(&[value])?;
        // SEAL multiplies by t - |value| where a constant is negative, and the noise with it.
        let plaintext = self.context().encode_integer(value.abs())?;
        self.multiply_integers_encoded(a, &plaintext)?;
        if value < 0 {
            self.negate(a)?;
        }
        Ok(())
    }

    /// Negates every slot and the noise: x - 2x.
    fn negate(&self, a: &mut Ciphertext) -> Result<(), Error> {
        let mut twice = a.clone();
        self.add(&mut twice, a)?;
        self.subtract(a, &twice)
    }

    fn multiply_integers_encoded(
        &self,
        a: &mut Ciphertext,
        plaintext: &Plaintext,
    ) -> Result<(), Error> {
        let multiplied = ffi::multiply_plain(self.context().native(), a.pin(), &plaintext.0);
        named("multiply by integers", multiplied)
    }
}

#[cfg(feature = "owner")]
impl crate::SecretKey {
    /// Decrypts a BFV ciphertext if its noise certainly permits. The outcome, and how long it took, is for the owner only:
    /// failures and noise budgets betray the key to whoever chooses ciphertexts.
    ///
    /// # Errors
    /// [`Error::NoIntegers`]; [`Error::NoiseBudget`] if less than one bit of the budget is left; [`Error::Seal`].
    pub fn decrypt_integers(
        &self,
        context: &Context,
        ciphertext: &Ciphertext,
    ) -> Result<Plaintext, Error> {
        context.plain_modulus()?;
        let budget = ffi::noise_budget(context.native(), &self.0, &ciphertext.0);
        if named("measure the noise", budget)? < 1 {
            return Err(Error::NoiseBudget);
        }
        named(
            "decrypt",
            ffi::decrypt(context.native(), &self.0, &ciphertext.0),
        )
        .map(Plaintext)
    }
}
