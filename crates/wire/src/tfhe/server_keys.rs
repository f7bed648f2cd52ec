//! Server keys of TFHE for one evaluator, sent by the owner (`spec/wire.md`, section 9). Their content is in the evaluator's
//! own format; whoever loads it checks it again, against the evaluator's parameters.

use super::blob::set;
use crate::cbor::codec::Writer;
use crate::codes::{allowed, domain, fields, kind, limit, VERSION};
use crate::{
    Authentic, Envelope, ItemKind, KeyId, Nonce, Relation, Result, TfheParams, Unsealed, WireError,
};

/// The only evaluator whose keys are accepted.
const ENGINE: &str = "tfhe-rs 1.8";

/// Keys with which a server computes. They hold no secret.
#[derive(Clone, PartialEq, Eq)]
pub struct TfheServerKeys<'a> {
    /// Parameter set.
    pub params: &'static TfheParams,
    /// Key pair.
    pub key_id: KeyId,
    /// Nonce, fresh per item.
    pub nonce: Nonce,
    /// Compressed server key, in the evaluator's versioned form.
    pub server: &'a [u8],
    /// Compressed key that packs results, in the same form.
    pub packing: &'a [u8],
}

impl TfheServerKeys<'_> {
    /// Most bytes of `server`.
    pub const SERVER_BYTES: usize = limit::TFHE_SERVER_BYTES;
    /// Most bytes of `packing`.
    pub const PACKING_BYTES: usize = limit::TFHE_SERVER_BYTES;

    /// Encodes the keys up to their tag, made under the link key.
    ///
    /// Errors: a key beyond its cap.
    pub fn encode(&self) -> Result<Unsealed> {
        for (field, bytes, most) in [
            ("server", self.server, Self::SERVER_BYTES),
            ("packing", self.packing, Self::PACKING_BYTES),
        ] {
            if bytes.len() > most {
                return Err(WireError::length(
                    field,
                    bytes.len(),
                    format!("0 to {most}"),
                ));
            }
        }
        let mut writer = Writer::with_capacity(self.server.len() + self.packing.len() + 256);
        writer
            .array(fields::TFHE_SERVER_KEYS)
            .uint(VERSION)
            .uint(kind::TFHE_SERVER_KEYS);
        writer
            .bytes(&self.params.set_id)
            .bytes(&self.key_id)
            .bytes(&self.nonce)
            .text(ENGINE);
        writer.bytes(self.server).bytes(self.packing);
        let message = writer.into_bytes();
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::EVALUATION_KEYS,
            message,
        ))
    }
}

impl<'a> Authentic<Envelope<'a>> {
    /// Parses server keys; the content of the two keys is not parsed.
    ///
    /// Errors: another evaluator, or a field outside of what is allowed.
    pub fn tfhe_server_keys(&self) -> Result<TfheServerKeys<'a>> {
        let (mut reader, _) = self.body(ItemKind::TfheServerKeys, allowed::TFHE_SERVER_KEYS)?;
        let (params, key_id) = (set(reader.fixed("set")?)?, *reader.fixed("key")?);
        let nonce = *reader.fixed("nonce")?;
        let engine = reader.text(ENGINE.len(), "engine")?;
        if engine != ENGINE {
            return Err(WireError::out_of_range(
                "engine",
                engine.escape_default(),
                ENGINE,
            ));
        }
        let server = reader.bytes(TfheServerKeys::SERVER_BYTES, "server")?;
        let packing = reader.bytes(TfheServerKeys::PACKING_BYTES, "packing")?;
        Ok(TfheServerKeys {
            params,
            key_id,
            nonce,
            server,
            packing,
        })
    }
}
