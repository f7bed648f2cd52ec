//! TFHE: the same C code, encryption and keys.

mod encryptor;
mod key_pair;
mod set;

pub use encryptor::{TfheEncoding, TfheEncryptor};
pub use key_pair::{tfhe_blobs, TfheKeyPair};
