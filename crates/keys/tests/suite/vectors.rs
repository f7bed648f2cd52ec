//! The known answers of `spec/vectors/frame.json`, authenticated with the sender's real keys.
#![allow(clippy::unwrap_used)]

use isopod_keys::{NewFolder, SecretKey, ServerKeys};
use isopod_wire::{AnySet, Envelope, ServerKeyFile, Unsealed, WireError};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../../../spec/vectors/frame.json")).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes().chunks(2);
    digits
        .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
        .collect()
}

/// The 32 bytes start, start + 1, ...
fn counted(start: &Value) -> [u8; 32] {
    let start = start.as_u64().unwrap() as u8;
    std::array::from_fn(|at| start + at as u8)
}

/// A server that knows the sender of the vectors.
fn server(vectors: &Value) -> ServerKeys {
    let place = tempfile::tempdir().unwrap();
    let folder = NewFolder::new(&place.path().join("server")).unwrap();
    let file = ServerKeyFile {
        params: AnySet::by_name("ckks-1024x1-sum").unwrap(),
        key_id: [0; 16],
        link: &[0; 32],
        device_master: &counted(&vectors["sender"]["device_master_start"]),
    };
    folder.write("server.key", &file.write()).unwrap();
    folder.publish().unwrap();
    ServerKeys::open(&place.path().join("server")).unwrap()
}

/// Reads a part, and writes it again.
fn reread(bytes: &[u8], server: &ServerKeys) -> Result<Unsealed, WireError> {
    let part = Envelope::read_only(bytes)?
        .authenticate(server)?
        .packed_part()?;
    match part.header.rounding {
        None => part.unpack()?.encode(),
        Some(_) => part.rounded()?.encode(),
    }
}

#[test]
fn the_device_key_is_derived_as_specified() {
    let sender = &vectors()["sender"];
    let master = SecretKey::from_bytes(&counted(&sender["device_master_start"]));
    let key = master.device_key(sender["device"].as_u64().unwrap());
    assert_eq!(&key.expose()[..], bytes(&sender["device_key"]));
}

#[test]
fn good_parts_are_accepted_and_written_back_the_same() {
    let vectors = vectors();
    let server = server(&vectors);
    let sender = &vectors["sender"];
    let key = SecretKey::from_bytes(&bytes(&sender["device_key"]).try_into().unwrap());
    for good in vectors["good"].as_array().unwrap() {
        let bytes = bytes(&good["hex"]);
        let envelope = Envelope::read_only(&bytes).unwrap();
        let authentic = envelope.authenticate(&server).unwrap();
        let header = authentic.packed_part().unwrap().header;
        assert_eq!(header.params.name, good["set"].as_str().unwrap());
        let id = header.id;
        assert_eq!(Value::from(id.device), sender["device"]);
        assert_eq!(Value::from(id.epoch), sender["epoch"]);
        assert_eq!(Value::from(id.sequence), sender["sequence"]);
        assert_eq!(key.seal(reread(&bytes, &server).unwrap()), bytes);
    }
}

#[test]
fn malformed_parts_have_the_named_error() {
    let vectors = vectors();
    let server = server(&vectors);
    for malformed in vectors["malformed"].as_array().unwrap() {
        let error = reread(&bytes(&malformed["hex"]), &server)
            .map(drop)
            .expect_err("malformed");
        assert_eq!(
            error.name(),
            malformed["error"].as_str().unwrap(),
            "{}: {error}",
            malformed["defect"]
        );
    }
    assert!(vectors["malformed"].as_array().unwrap().len() >= 30);
}
