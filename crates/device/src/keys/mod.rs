//! Key pairs, secret keys and masks.

#[cfg(feature = "std")]
pub(crate) mod key_pair;
#[cfg(feature = "std")]
pub(crate) mod mask;
