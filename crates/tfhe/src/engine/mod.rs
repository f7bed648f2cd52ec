//! tfhe-rs: native ciphertexts from frames, keys both ways, packed results.
//!
//! One set: tfhe-rs's default, `PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128`. Nothing here deserializes what a device
//! sent: words are checked by `isopod-wire` and become ciphertexts through constructors, then tfhe-rs's own conformance check.

mod answer;
mod frame;
mod keys;
mod native;
mod server;

use tfhe::shortint::parameters::{
    ClassicPBSParameters, CompressionParameters,
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
    PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
};

pub use answer::pack_answer;
pub use frame::RingCiphertext;
pub use keys::{client_key, compact_public_key_words, device_key};
pub use native::Native;
pub use server::{ServerKeyBytes, ServerKeys, PACKING_KEY_BYTES, SERVER_KEY_BYTES};

/// The set that devices encrypt under and the server computes under.
pub const BLOCK_PARAMETERS: ClassicPBSParameters = PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
/// How results are packed.
pub const RESULT_PARAMETERS: CompressionParameters =
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
