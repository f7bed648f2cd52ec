//! Key files and evaluation keys, and the sets that they name.

pub(crate) mod any_set;
pub(crate) mod evaluation;
pub(crate) mod key_file;
pub(crate) mod linear_key;
