//! Raw decryptions, marked by type as private.

/// A raw decryption, for its owner only. It has no Debug, no Display and no Clone: values to be published go through
/// [`Flooding::publish`](crate::Flooding::publish).
pub struct Private<T>(T);

impl<T> Private<T> {
    /// Marks a decryption.
    pub fn new(decryption: T) -> Self {
        Self(decryption)
    }

    /// The raw value. It must not be published, sent to the server, or told to anybody who chose the ciphertext.
    pub fn for_owner_only(&self) -> &T {
        &self.0
    }

    /// Takes the raw value out, otherwise like [`Private::for_owner_only`].
    pub fn into_owner_only(self) -> T {
        self.0
    }
}
