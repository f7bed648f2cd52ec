//! TFHE: encryption and keys by the C library.

mod encryptor;
mod key_pair;
mod packet;
mod set;

pub use encryptor::{TfheEncoding, TfheEncryptor};
pub use key_pair::{tfhe_blobs, TfheKeyPair};
