//! Server keys of TFHE sets.

use anyhow::Result;
use isopod_keys::OwnerKeys;

/// The sealed server keys of tfhe-rs; None where nothing computes under the set.
#[cfg(feature = "tfhe")]
pub fn server_keys(owner: &OwnerKeys) -> Result<Option<Vec<u8>>> {
    let set = owner.params().tfhe()?;
    // The other sets are for TFHEpp, which makes its own.
    if set.message_bits != 2 {
        return Ok(None);
    }
    let secrets = isopod_tfhe::OwnerSecrets::new(&super::coefficients(owner)?)?;
    let keys = isopod_tfhe::engine::ServerKeyBytes::generate(&secrets)?;
    let item = isopod_wire::TfheServerKeys {
        params: set,
        key_id: owner.key_id(),
        nonce: isopod_keys::random()?,
        server: &keys.server,
        packing: &keys.packing,
    };
    Ok(Some(owner.link().seal(item.encode()?)))
}

/// None: this build has no engine.
#[cfg(not(feature = "tfhe"))]
pub fn server_keys(_: &OwnerKeys) -> Result<Option<Vec<u8>>> {
    Ok(None)
}
