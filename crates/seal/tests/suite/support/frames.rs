//! Conversion of a device's bytes to a frame, through tags and parser.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isopod_keys::SecretKey as MasterKey;
use isopod_wire::{Authenticator, Envelope, Frame, PackedFrame, Relation, Tag, BLOB_HEADER_BYTES};

pub const DEVICE: u64 = 7;

struct Verifier<'a>(&'a MasterKey);

impl Authenticator for Verifier<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        matches!(relation, Relation::Device(DEVICE)) && self.0.verify(nonce, message, tag)
    }
}

pub fn receive(parts: &[Vec<u8>], key: &MasterKey) -> Frame {
    let part = |bytes| {
        let envelope = Envelope::read_only(bytes).unwrap();
        let authentic = envelope.authenticate(&Verifier(key)).unwrap();
        authentic.packed_part().unwrap()
    };
    let parts = parts.iter().rev().map(|bytes| part(bytes)).collect();
    PackedFrame::new(parts).unwrap().unpack().unwrap()
}

/// Coefficients of a ternary blob.
pub fn ternary(blob: &[u8]) -> Vec<i8> {
    let symbols = |byte: &u8| [0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1);
    blob[BLOB_HEADER_BYTES..].iter().flat_map(symbols).collect()
}
