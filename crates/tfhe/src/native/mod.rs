//! Interface to tfhe-rs (`[TFHERS18]`): native ciphertexts from frames, keys both ways, packed results.
//!
//! The only set is tfhe-rs's default, `PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`. Nothing here deserializes what a device
//! sent: `isopod-wire` checks words, constructors make them ciphertexts, and tfhe-rs checks these for conformance.

mod block;
mod frame;
mod keys;
mod lookup;
mod pack;
mod parameters;
mod server;
mod value;

pub use block::{Block, LookupTable};
pub use frame::RingCiphertext;
pub use keys::{client_key, compact_public_key_words, device_key};
pub use lookup::Query;
pub use pack::pack_result;
pub use parameters::{BLOCK_PARAMETERS, RESULT_PARAMETERS};
pub use server::{ServerKeyBytes, ServerKeys, PACKING_KEY_BYTES, SERVER_KEY_BYTES};
pub use value::Native;
