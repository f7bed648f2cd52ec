//! Keys in the forms that firmware takes: C headers, flash images, and pieces of a public key that fit its RAM.

pub(crate) mod c_header;
pub(crate) mod split;
