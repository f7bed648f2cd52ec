//! tfhe-rs's parameters of blocks and of packed results.

use tfhe::shortint::parameters::{
    ClassicPBSParameters, CompressionParameters,
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
    PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
};

/// The set that devices encrypt under and the server computes under.
pub const BLOCK_PARAMETERS: ClassicPBSParameters = PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
/// How results are packed.
pub const RESULT_PARAMETERS: CompressionParameters =
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
