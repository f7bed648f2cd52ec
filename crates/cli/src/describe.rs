//! `isopod inspect` on TFHE items and blobs.

use anyhow::{anyhow, Result};
use isopod_keys::verify_tfhe_blob;
use isopod_wire::{
    Authentic, Envelope, ItemKind, Kind, Run, Schema, TfheBlob, TfheFrame, TFHE_SETS,
};
use serde_json::{json, Value};

use crate::table::hex;

/// The facts of an item.
pub fn describe(item: &Authentic<Envelope<'_>>) -> Result<Value> {
    Ok(match item.kind() {
        ItemKind::TfheResult => {
            let result = item.tfhe_result()?;
            json!({"item": "TFHE result", "set": result.params.name, "label": result.params.label.name(),
                "job": result.job, "holds": schema(&result.schema), "packed_bytes": result.packed.len()})
        }
        ItemKind::TfheServerKeys => {
            let keys = item.tfhe_server_keys()?;
            json!({"item": "TFHE server keys", "set": keys.params.name, "label": keys.params.label.name(),
                "server_bytes": keys.server.len(), "packing_bytes": keys.packing.len()})
        }
        _ => frame(item)?,
    })
}

/// The facts of a frame, with all sets that it fits: it names its key, not its set.
fn frame(item: &Authentic<Envelope<'_>>) -> Result<Value> {
    let fits: Vec<TfheFrame> = TFHE_SETS
        .iter()
        .filter_map(|set| item.tfhe_frame(set).ok())
        .collect();
    let header = match fits.first() {
        Some(frame) => &frame.header,
        None => {
            let error = item.tfhe_frame(&TFHE_SETS[0]).err();
            return Err(error.map_or_else(|| anyhow!("TFHE frame: no set fits"), Into::into));
        }
    };
    let encrypted = match header.kind {
        Kind::PublicKey => "public key",
        Kind::SecretKey => "secret key",
    };
    let sets: Vec<&str> = fits.iter().map(|frame| frame.header.params.name).collect();
    Ok(
        json!({"item": "TFHE frame", "fits_sets": sets.join(", "), "encrypted_by": encrypted,
        "suite": header.suite.name(), "device": header.id.device, "epoch": header.id.epoch,
        "sequence": header.id.sequence, "holds": schema(&header.schema),
        "coefficients": header.coefficients(), "bytes_per_body": header.width,
        "rounded": header.is_rounded()}),
    )
}

/// `2 x u8, 1 x bool`.
pub fn schema(schema: &Schema) -> String {
    let run = |run: &Run| format!("{} x {}", run.count, run.of.name());
    schema.runs().iter().map(run).collect::<Vec<_>>().join(", ")
}

/// The facts of a key blob, if it is one of TFHE.
pub fn blob(bytes: &[u8]) -> Result<Option<Value>> {
    let Ok(blob) = TfheBlob::read(bytes) else {
        return Ok(None);
    };
    verify_tfhe_blob(&blob)?;
    Ok(Some(
        json!({"item": "key blob", "blob": format!("{:?}", blob.kind), "set": blob.params.name,
        "label": blob.params.label.name(), "key": hex(&blob.key_id), "bytes": bytes.len(),
        "authenticity": "digest verified, no key involved"}),
    ))
}
