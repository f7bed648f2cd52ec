//! `isopod inspect` on TFHE items and blobs.

use anyhow::{anyhow, Result};
use isopod_keys::verify_tfhe_blob;
use isopod_wire::{
    Authentic, Envelope, FrameRange, ItemKind, Kind, Manifest, PackingId, Provenance, Run, Schema,
    TfheBlob, TfheFrame, TfheHeader, TFHE_SETS,
};
use serde_json::{json, Value};

use crate::output::table::hex;

/// The facts of an item.
pub fn describe(item: &Authentic<Envelope<'_>>) -> Result<Value> {
    Ok(match item.kind() {
        ItemKind::TfheResult => {
            let result = item.tfhe_result()?;
            let own = json!({"item": "TFHE result", "set": result.params.name, "label": result.params.label.name(),
                "holds": schema(&result.schema), "columns": result.columns,
                "frame_columns": result.frame_columns, "packed_bytes": result.packed.len()});
            with_provenance(own, &result.provenance)
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
    let sets: Vec<&str> = fits.iter().map(|frame| frame.header.params.name).collect();
    Ok(of_frame(header, &sets.join(", ")))
}

/// The facts of a frame by its header.
pub fn of_frame(header: &TfheHeader, sets: &str) -> Value {
    let encrypted = match header.kind {
        Kind::PublicKey => "public key",
        Kind::SecretKey => "secret key",
    };
    json!({"item": "TFHE frame", "fits_sets": sets, "encrypted_by": encrypted,
        "suite": header.suite.name(), "device": header.id.device, "epoch": header.id.epoch,
        "sequence": header.id.sequence, "holds": schema(&header.schema),
        "coefficients": header.coefficients(), "bytes_per_body": header.width,
        "rounded": header.is_rounded(), "rows": header.rows(), "columns": header.columns,
        "packing": packing(header.packing)})
}

/// Facts of a result, with those that results of every scheme have.
pub fn with_provenance(mut own: Value, provenance: &Provenance) -> Value {
    let challenge = provenance.challenge;
    let common = json!({"job": provenance.job, "run": hex(&provenance.run), "sequence": provenance.sequence,
        "index": provenance.index, "total": provenance.total, "request": hex(&provenance.request),
        "challenge": challenge.map_or_else(|| "none".to_owned(), |bytes| hex(&bytes)),
        "frames": provenance.frames, "origin": hex(&provenance.origin),
        "manifest": provenance.manifest.as_ref().map(manifest), "packing": packing(provenance.packing)});
    if let (Value::Object(own), Value::Object(common)) = (&mut own, common) {
        own.extend(common);
    }
    own
}

/// The ranges of frames: device, epoch, first and last sequence, rows of each.
fn manifest(manifest: &Manifest) -> Value {
    let range = |range: &FrameRange| {
        json!({"device": range.device, "epoch": range.epoch, "first": range.first, "last": range.last,
            "rows": range.rows})
    };
    manifest.ranges().iter().map(range).collect()
}

/// A packing, or that there is none.
pub fn packing(packing: Option<PackingId>) -> String {
    packing.map_or_else(|| "not said".to_owned(), |id| hex(&id))
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
