//! Blobs of any content with a valid digest.
#![allow(missing_docs)]

use isopod_wire::{by_name, BlobKind, KeyBlob};
use sha3::{Digest, Sha3_256};

pub fn blob(set: &str, kind: BlobKind, payload: &[u8]) -> Vec<u8> {
    let head = KeyBlob::head(kind, by_name(set).expect("a known set"), &[5; 16]);
    let digest = Sha3_256::new()
        .chain_update(head)
        .chain_update(payload)
        .finalize();
    [&head[..], &digest, payload].concat()
}
