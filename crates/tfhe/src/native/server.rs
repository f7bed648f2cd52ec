//! The server's keys: made by the owner, stored compressed, checked when they are loaded.

use tfhe::integer::compression_keys::CompressedCompressionKey;
use tfhe::safe_serialization::{safe_deserialize_conformant, safe_serialize};
use tfhe::shortint::list_compression::{CompressionKey, CompressionKeyConformanceParams};
use tfhe::{CompressedServerKey, ConfigBuilder, ServerKey};

use super::keys::{client_key, packing_key};
use super::parameters::{BLOCK_PARAMETERS, RESULT_PARAMETERS};
use crate::{Error, OwnerSecrets, Result};

/// Largest size of a stored server key, in bytes.
pub const SERVER_KEY_BYTES: u64 = 64 << 20;
/// Largest size of a stored packing key, in bytes.
pub const PACKING_KEY_BYTES: u64 = 64 << 20;

/// The server's keys in their stored form, tfhe-rs's versioned one.
pub struct ServerKeyBytes {
    /// A compressed server key.
    pub server: Vec<u8>,
    /// A compressed packing key.
    pub packing: Vec<u8>,
}

impl ServerKeyBytes {
    /// Makes fresh keys, which takes seconds.
    ///
    /// Errors: [`Error::ServerKey`].
    pub fn generate(secrets: &OwnerSecrets) -> Result<Self> {
        let key = client_key(secrets);
        let integers: &tfhe::integer::ClientKey = key.as_ref();
        let blocks: &tfhe::shortint::ClientKey = integers.as_ref();
        let packing = blocks
            .atomic_pattern
            .new_compressed_compression_key(&packing_key(secrets));
        let packing = CompressedCompressionKey::from_raw_parts(packing);
        let mut bytes = Self {
            server: Vec::new(),
            packing: Vec::new(),
        };
        safe_serialize(&server_key(integers), &mut bytes.server, SERVER_KEY_BYTES)
            .and_then(|()| safe_serialize(&packing, &mut bytes.packing, PACKING_KEY_BYTES))
            .map_err(|error| Error::ServerKey(error.to_string()))?;
        Ok(bytes)
    }
}

/// Compressed keys of bootstrapping and key switching, without those that Isopod's jobs do not use.
fn server_key(key: &tfhe::integer::ClientKey) -> CompressedServerKey {
    let key = tfhe::integer::CompressedServerKey::new_radix_compressed_server_key(key);
    let (packing, unpacking, tag) = (None, None, Default::default());
    CompressedServerKey::from_raw_parts(
        key, None, packing, unpacking, None, None, None, None, None, tag,
    )
}

/// The server's keys, ready for use. They hold no secret.
pub struct ServerKeys {
    server: ServerKey,
    packing: CompressionKey,
}

impl ServerKeys {
    /// Loads stored keys within the size limits that conform to tfhe-rs's parameters.
    ///
    /// Errors: [`Error::ServerKey`].
    pub fn load(server: &[u8], packing: &[u8]) -> Result<Self> {
        let config = ConfigBuilder::with_custom_parameters(BLOCK_PARAMETERS)
            .use_dedicated_oprf_key(false)
            .build();
        let server: CompressedServerKey =
            safe_deserialize_conformant(server, SERVER_KEY_BYTES, &config.into())
                .map_err(Error::ServerKey)?;
        let wanted =
            CompressionKeyConformanceParams::from((BLOCK_PARAMETERS.into(), RESULT_PARAMETERS));
        let packing: CompressedCompressionKey =
            safe_deserialize_conformant(packing, PACKING_KEY_BYTES, &wanted)
                .map_err(Error::ServerKey)?;
        Ok(Self {
            server: server.decompress(),
            packing: packing.decompress().into_raw_parts(),
        })
    }

    /// tfhe-rs's high-level key, for `set_server_key`.
    pub fn server(&self) -> &ServerKey {
        &self.server
    }

    /// tfhe-rs's key for integers of any number of blocks.
    pub fn integers(&self) -> &tfhe::integer::ServerKey {
        self.server.as_ref()
    }

    pub(super) fn packing(&self) -> &CompressionKey {
        &self.packing
    }
}
