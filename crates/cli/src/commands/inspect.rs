//! `isopod inspect`: the contents of a file, and which of them are authenticated.

use std::path::{Path, PathBuf};

use anyhow::{anyhow, Context, Error, Result};
use clap::Args;
use isopod_keys::{read_bounded, verify_blob, OwnerKeys, ServerKeys, SERVER_FILE};
use isopod_wire::codes::key_blob::MAGIC_TEXT;
use isopod_wire::{
    Authentic, Authenticator, DeviceKeyFile, Envelope, ItemKind, KeyBlob, Kind, OwnerKeyFile,
    Relation, ServerKeyFile, Tag, WireError,
};
use serde::Serialize;
use serde_json::{json, Map, Value};

use crate::describe;
use crate::output::Output;
use crate::passphrase::PassphraseSource;
use crate::shown;
use crate::table::{hex, list, Table};

/// Most bytes of a file; those of the format are smaller.
const MOST_BYTES: u64 = 2 << 30;
/// Items shown to people; JSON has all.
const MOST_SHOWN: usize = 40;

/// Authenticity of an item whose tag does not verify.
const REFUSED: &str = "DOES NOT VERIFY";

/// Arguments of `isopod inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// Frames, results, evaluation keys, key blob or key file
    file: PathBuf,
    /// Verify the tags with the keys in this folder (of server or owner)
    #[arg(long, value_name = "DIR")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    bytes: usize,
    content: &'static str,
    items: Vec<Map<String, Value>>,
}

/// Accepts every tag, so that a header can be shown without its key; the output says that nothing was authenticated.
struct NotChecked;

impl Authenticator for NotChecked {
    fn verify(&self, _: Relation, _: &[u8; 24], _: &[u8], _: &Tag) -> bool {
        true
    }
}

impl Inspect {
    /// Reads the file and describes it.
    pub fn run(&self) -> Result<Output> {
        let bytes = read_bounded(&self.file, MOST_BYTES)?;
        let (content, items) = self
            .items(&bytes)
            .with_context(|| self.file.display().to_string())?;
        let facts = Facts {
            file: self.file.display().to_string(),
            bytes: bytes.len(),
            content,
            items,
        };
        let refusal = not_authentic(&facts);
        Ok(Output::new(text(&facts), &facts)?.refused(refusal))
    }

    fn items(&self, bytes: &[u8]) -> Result<(&'static str, Vec<Map<String, Value>>)> {
        if bytes.starts_with(b"age-encryption.org/") {
            let facts = json!({"item": "owner's key file", "authenticity": "under a passphrase, not opened"});
            return Ok(("age file", vec![object(facts)]));
        }
        if bytes.starts_with(MAGIC_TEXT) {
            return Ok(("key blob", vec![blob(bytes)?]));
        }
        if let Some(facts) = key_file(bytes) {
            return Ok(("key file", vec![object(facts)]));
        }
        Ok(("wire items", self.sequence(bytes)?))
    }

    fn sequence(&self, bytes: &[u8]) -> Result<Vec<Map<String, Value>>> {
        let keys = self
            .keys
            .as_deref()
            .map(|folder| open_keys(folder, &self.passphrase))
            .transpose()?;
        let (mut items, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() || items.is_empty() {
            let at = bytes.len() - rest.len();
            let (item, after) = one(rest, keys.as_deref())
                .with_context(|| format!("item {} at byte {at}", items.len()))?;
            items.push(item);
            rest = after;
        }
        Ok(items)
    }
}

/// The refusal of the first item whose tag does not verify.
fn not_authentic(facts: &Facts) -> Option<Error> {
    let refused = |item: &Map<String, Value>| item.get("authenticity") == Some(&REFUSED.into());
    let number = facts.items.iter().position(refused)?;
    let place = format!("{}: item {number}", facts.file);
    Some(anyhow!(WireError::Tag).context(place))
}

/// The first item and what follows it.
fn one<'a>(
    bytes: &'a [u8],
    keys: Option<&dyn Authenticator>,
) -> Result<(Map<String, Value>, &'a [u8])> {
    let (envelope, rest) = Envelope::read(bytes)?;
    let authenticity = match keys {
        None => "not checked",
        Some(keys) if Envelope::read(bytes)?.0.authenticate(keys).is_ok() => "verified",
        Some(_) => REFUSED,
    };
    let key = hex(&envelope.key_id());
    let mut facts = object(describe(&envelope.authenticate(&NotChecked)?)?);
    facts.insert("key".into(), key.into());
    facts.insert("bytes".into(), (bytes.len() - rest.len()).into());
    facts.insert("authenticity".into(), authenticity.into());
    Ok((facts, rest))
}

fn describe(item: &Authentic<Envelope<'_>>) -> Result<Value> {
    Ok(match item.kind() {
        ItemKind::Part => {
            let part = item.part()?;
            let header = part.header;
            let encrypted = if header.kind == Kind::PublicKey {
                "public key"
            } else {
                "secret key"
            };
            json!({"item": "part", "set": header.params.name, "label": header.params.label.name(),
                "encrypted_by": encrypted, "suite": header.suite.name(), "device": header.id.device,
                "epoch": header.id.epoch, "sequence": header.id.sequence, "part": part.part,
                "parts": header.parts, "interleave": header.interleave,
                "log2_scale": header.log2_scale, "count": header.count, "layout": header.layout.name(),
                "bound": header.claims.largest(header.params), "rows": header.grid().rows,
                "columns": header.grid().columns, "stride": header.claims.stride,
                "buckets": header.claims.buckets, "packing": describe::packing(header.claims.packing)})
        }
        ItemKind::Result => {
            let result = item.result()?;
            let own = json!({"item": "result", "set": result.params.name, "label": result.params.label.name(),
                "primes": result.c0.len(), "scale": result.scale, "bound": result.bound, "error": result.error,
                "first": result.first, "rows": result.grid.rows, "columns": result.grid.columns,
                "stride": result.grid.stride});
            describe::with_provenance(own, &result.provenance)
        }
        ItemKind::Partial => {
            let state = item.partial()?;
            let alike = state.alike;
            json!({"item": "partial state", "set": alike.params.name, "label": alike.params.label.name(),
                "job": alike.job, "frames": state.manifest.count(), "parts": alike.parts,
                "log2_scale": alike.log2_scale, "layout": alike.layout.name(), "columns": alike.columns,
                "stride": alike.stride, "buckets": alike.buckets, "packing": describe::packing(alike.packing)})
        }
        ItemKind::EvaluationKeys => {
            let keys = item.evaluation_keys()?;
            let header = keys.header();
            json!({"item": "evaluation keys", "set": header.params.name, "label": header.params.label.name(),
                "relinearization": header.relinearization, "galois": header.galois})
        }
        ItemKind::TfheFrame | ItemKind::TfheResult | ItemKind::TfheServerKeys => {
            describe::describe(item)?
        }
    })
}

fn blob(bytes: &[u8]) -> Result<Map<String, Value>> {
    if let Some(facts) = describe::blob(bytes)? {
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
    let file = DeviceKeyFile::read(bytes).ok()?;
    Some(
        json!({"item": "device's key file", "device": file.device, "holds": "device key", "authenticity": stated}),
    )
}

fn object(facts: Value) -> Map<String, Value> {
    match facts {
        Value::Object(map) => map,
        other => Map::from_iter([("item".to_owned(), other)]),
    }
}

/// The keys of a server's folder, or of an owner's.
pub fn open_keys(folder: &Path, passphrase: &PassphraseSource) -> Result<Box<dyn Authenticator>> {
    if folder.join(SERVER_FILE).exists() {
        return Ok(Box::new(ServerKeys::open(folder)?));
    }
    Ok(Box::new(OwnerKeys::open(folder, || passphrase.existing())?))
}

/// One item as a list of fields, several as a table of the first one's fields.
fn text(facts: &Facts) -> String {
    let heading = format!(
        "{}: {}, {} bytes, {} item(s)\n",
        shown::text(&facts.file),
        facts.content,
        facts.bytes,
        facts.items.len()
    );
    let body = match &facts.items[..] {
        [item] => fields(item),
        items => rows(items),
    };
    heading + &body
}

fn fields(item: &Map<String, Value>) -> String {
    let pairs: Vec<_> = item
        .iter()
        .map(|(name, value)| (name.clone(), cell(value)))
        .collect();
    list(&pairs)
}

fn rows(items: &[Map<String, Value>]) -> String {
    let columns: Vec<&str> = items[0].keys().map(String::as_str).collect();
    let mut table = Table::new(&columns);
    for item in items.iter().take(MOST_SHOWN) {
        table.row(
            columns
                .iter()
                .map(|&column| item.get(column).map(cell).unwrap_or_default())
                .collect(),
        );
    }
    let more = items.len().saturating_sub(MOST_SHOWN);
    let note = if more > 0 {
        format!("... and {more} more; --json shows all\n")
    } else {
        String::new()
    };
    table.text() + &note
}

fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => shown::text(text),
        Value::Array(list) => format!("{} values", list.len()),
        other => other.to_string(),
    }
}
