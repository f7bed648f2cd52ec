//! tfhe-rs: native ciphertexts from frames, keys both ways, packed results.
//!
//! One set: tfhe-rs's default, `PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`. Nothing here deserializes what a device
//! sent: words are checked by `isopod-wire` and become ciphertexts through constructors, then tfhe-rs's own conformance check.

mod frame;
mod keys;
mod pack;
mod parameters;
mod server;
mod value;

pub use frame::RingCiphertext;
pub use keys::{client_key, compact_public_key_words, device_key};
pub use pack::pack_result;
pub use parameters::{BLOCK_PARAMETERS, RESULT_PARAMETERS};
pub use server::{ServerKeyBytes, ServerKeys, PACKING_KEY_BYTES, SERVER_KEY_BYTES};
pub use value::Native;
