//! Parameters of tfhe-rs for blocks and for packed results.

use tfhe::shortint::parameters::{
    ClassicPBSParameters, CompressionParameters,
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
    PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128,
};

/// Parameters under which devices encrypt and the server computes.
pub const BLOCK_PARAMETERS: ClassicPBSParameters = PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
/// Parameters under which results are packed.
pub const RESULT_PARAMETERS: CompressionParameters =
    COMP_PARAM_MESSAGE_2_CARRY_2_KS_PBS_TUNIFORM_2M128;
