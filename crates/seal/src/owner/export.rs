//! Files for other programs that use SEAL, which an `isopod` owner or server hands over by choice.

use crate::{image, Ciphertext, Context, Error};

impl Context {
    /// SEAL's bytes of the set (`EncryptionParameters`) in version 3.7, which every SEAL from 3.7 to 4.4 loads.
    pub fn export_parameters(&self) -> Vec<u8> {
        image::encryption_parameters(self.parameters())
    }

    /// SEAL's bytes of a ciphertext, at its level.
    ///
    /// # Errors
    /// [`Error::Seal`] for a ciphertext of another context or of three polynomials.
    pub fn export(&self, ciphertext: &Ciphertext) -> Result<Vec<u8>, Error> {
        let residues = ciphertext.residues()?;
        image::native_image(self.parameters(), &residues)
    }

    /// SEAL's bytes of a secret key from its n coefficients in -1, 0, 1. Whoever has them decrypts everything.
    ///
    /// # Errors
    /// The errors of [`crate::SecretKey::new`].
    #[cfg(feature = "owner")]
    pub fn export_secret_key(
        &self,
        coefficients: &[i8],
    ) -> Result<zeroize::Zeroizing<Vec<u8>>, Error> {
        crate::owner::secret_key::secret_key_image(self, coefficients)
    }
}
