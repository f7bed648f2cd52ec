//! Look-up of TFHE parameter sets by name and by identity.

pub use super::tfhe_generated::TFHE_SETS;
pub use super::tfhe_set::{Noise, Secret, TfheParams};

/// The set of that name, if any.
pub fn by_name(name: &str) -> Option<&'static TfheParams> {
    TFHE_SETS.iter().find(|set| set.name == name)
}

/// The set of that identity, if any.
pub fn by_id(id: &[u8; 8]) -> Option<&'static TfheParams> {
    TFHE_SETS.iter().find(|set| &set.set_id == id)
}
