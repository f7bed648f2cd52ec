//! Facts of whatever a file may hold; secrets are none of them.

use anyhow::Result;
use isopod_keys::{digest_of, verify_blob};
use isopod_wire::codes::key_blob::MAGIC_TEXT;
use isopod_wire::{
    Authentic, DeviceKeyFile, Digested, EncryptedResult, Envelope, ItemKind, KeyBlob, Kind,
    LinearKeyFile, LinearTag, OwnerKeyFile, PackedPart, Partial, ServerKeyFile, WireError,
};
use serde_json::{json, Map, Value};

use crate::inspect::{owners, pads, tfhe_facts};
use crate::output::table::hex;

/// A file that is no sequence of items: its content, and the facts of it.
pub fn alone(bytes: &[u8]) -> Result<Option<(&'static str, Map<String, Value>)>> {
    if bytes.starts_with(b"age-encryption.org/") {
        let facts = json!({"item": "key file of an owner or a holder, or a contribution",
            "authenticity": "encrypted, not opened"});
        return Ok(Some(("age file", object(facts))));
    }
    if let Some(facts) = owners::facts(bytes) {
        return Ok(Some(("file of several owners", object(facts))));
    }
    if bytes.starts_with(MAGIC_TEXT) {
        return Ok(Some(("key blob", blob(bytes)?)));
    }
    Ok(key_file(bytes).map(|facts| ("key file", object(facts))))
}

/// The facts of an item.
pub fn of_item(item: &Authentic<Envelope<'_>>) -> Result<Value> {
    match item.kind() {
        ItemKind::Part => of_part(item.packed_part()?),
        ItemKind::Result => Ok(of_result(&item.result()?)),
        ItemKind::Partial => Ok(of_partial(&item.partial()?)),
        ItemKind::EvaluationKeys => {
            let keys = item.evaluation_keys()?;
            let header = keys.header();
            Ok(
                json!({"item": "evaluation keys", "set": header.params.name, "label": header.params.label.name(),
                "relinearization": header.relinearization, "galois": header.galois}),
            )
        }
        ItemKind::PadResult => Ok(pads::result(&item.pad_result()?)),
        ItemKind::PadPartial => Ok(pads::partial(&item.pad_partial()?)),
        // Opened by its context.
        ItemKind::Packet => Err(WireError::Tag.into()),
        ItemKind::TfheFrame | ItemKind::TfheResult | ItemKind::TfheServerKeys => {
            tfhe_facts::describe(item)
        }
    }
}

fn of_result(result: &EncryptedResult) -> Value {
    let own = json!({"item": "result", "set": result.params.name, "label": result.params.label.name(),
        "primes": result.c0.len(), "scale": result.scale, "bound": result.bound, "error": result.error,
        "first": result.first, "rows": result.grid.rows, "columns": result.grid.columns,
        "stride": result.grid.stride, "linear_tag": linear_tag(result.linear_tag)});
    tfhe_facts::with_provenance(own, &result.provenance)
}

fn of_partial(state: &Partial) -> Value {
    let header = &state.header;
    json!({"item": "partial state", "set": header.params.name, "label": header.params.label.name(),
        "job": header.job, "frames": state.manifest.count(), "parts": header.parts,
        "log2_scale": header.log2_scale, "layout": header.layout.name(), "columns": header.columns,
        "stride": header.stride, "buckets": header.buckets, "packing": tfhe_facts::packing(header.packing),
        "linear_tag": linear_tag(state.linear_tag)})
}

/// All that a tag shows: its number is hidden by pads.
fn linear_tag(tag: Option<LinearTag>) -> Value {
    match tag {
        Some(tag) => format!("period {} modulo {}", tag.period(), LinearTag::PERIODS).into(),
        None => "none".into(),
    }
}

/// The facts of a part, all of whose residues or coefficients are in range.
pub fn of_part(packed: PackedPart<'_>) -> Result<Value> {
    let (part, tag) = (packed.part, packed.linear_tag);
    let dropped = packed.header.rounding.map(|by| by.dropped);
    let header = match dropped {
        Some(_) => packed.rounded()?.header,
        None => packed.unpack()?.header,
    };
    let encrypted = match header.kind {
        Kind::PublicKey => "public key",
        Kind::SecretKey => "secret key",
    };
    let mut facts = json!({"item": "part", "set": header.params.name, "label": header.params.label.name(),
        "encrypted_by": encrypted, "suite": header.suite.name(), "device": header.id.device,
        "epoch": header.id.epoch, "sequence": header.id.sequence, "part": part,
        "parts": header.items(), "interleave": header.interleave,
        "log2_scale": header.log2_scale, "count": header.count, "layout": header.layout.name(),
        "dithered": header.dithered,
        "bound": header.claims.largest(header.params), "rows": header.grid().rows,
        "columns": header.grid().columns, "stride": header.claims.stride,
        "buckets": header.claims.buckets, "packing": tfhe_facts::packing(header.claims.packing)});
    if let Some([c0, c1]) = dropped {
        facts["dropped_0"] = c0.into();
        facts["dropped_1"] = c1.into();
        facts["linear_tag"] = linear_tag(tag);
    }
    Ok(facts)
}

fn blob(bytes: &[u8]) -> Result<Map<String, Value>> {
    if let Some(facts) = tfhe_facts::blob(bytes)? {
        return Ok(object(facts));
    }
    let blob = KeyBlob::read(bytes)?;
    verify_blob(&blob)?;
    isopod_workflow::check_mask(&blob)?;
    Ok(object(
        json!({"item": "key blob", "blob": format!("{:?}", blob.kind), "set": blob.params.name,
        "label": blob.params.label.name(), "key": hex(&blob.key_id), "bytes": bytes.len(),
        "authenticity": "digest verified, no key involved"}),
    ))
}

fn key_file(bytes: &[u8]) -> Option<Value> {
    let stated = "not authenticated";
    if let Ok(file) = OwnerKeyFile::read(bytes) {
        return Some(
            json!({"item": "owner's key file", "set": file.params.name(), "key": hex(&file.key_id),
            "holds": "secret key, link key, device master", "authenticity": stated}),
        );
    }
    if let Ok(file) = ServerKeyFile::read(bytes) {
        return Some(
            json!({"item": "server's key file", "set": file.params.name(), "key": hex(&file.key_id),
            "holds": "link key, device master", "authenticity": stated}),
        );
    }
    if let Ok(file) = LinearKeyFile::read(bytes) {
        return Some(
            json!({"item": "keys of linear tags", "device": file.device, "key": hex(&file.key_id),
            "period": file.period, "part": format!("{} of {}", file.part, file.parts),
            "holds": "secrets of a group and of a device in this period",
            "authenticity": digested(&file)}),
        );
    }
    let file = DeviceKeyFile::read(bytes).ok()?;
    Some(
        json!({"item": "device's key file", "device": file.device, "key": hex(&file.key_id),
            "holds": "device key", "authenticity": digested(&file)}),
    )
}

fn digested(file: &impl Digested) -> &'static str {
    match digest_of(file) == *file.digest() {
        true => "digest verified, no key involved",
        false => "DOES NOT VERIFY: the digest is another",
    }
}

/// Facts as a map.
pub fn object(facts: Value) -> Map<String, Value> {
    match facts {
        Value::Object(map) => map,
        other => Map::from_iter([("item".to_owned(), other)]),
    }
}
