//! Conversion of a device's bytes to a frame, through tags and parser.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isopod_keys::SecretKey as MasterKey;
use isopod_wire::{
    Assembler, Authenticator, Envelope, Frame, Limits, Relation, Tag, BLOB_HEADER_BYTES,
};

pub const DEVICE: u64 = 7;

struct Verifier<'a>(&'a MasterKey);

impl Authenticator for Verifier<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        matches!(relation, Relation::Device(DEVICE)) && self.0.verify(nonce, message, tag)
    }
}

pub fn receive(parts: &[Vec<u8>], key: &MasterKey) -> Frame {
    let limits = Limits {
        open_frames: 1,
        remembered_frames: 1,
    };
    let mut assembler = Assembler::new(limits);
    let mut id = None;
    for bytes in parts.iter().rev() {
        let (envelope, rest) = Envelope::read(bytes).unwrap();
        assert!(rest.is_empty());
        let part = envelope
            .authenticate(&Verifier(key))
            .unwrap()
            .part()
            .unwrap();
        id = Some(part.header.id);
        assembler.accept(part).unwrap();
    }
    assembler.complete(id.unwrap()).unwrap()
}

/// Coefficients of a ternary blob.
pub fn ternary(blob: &[u8]) -> Vec<i8> {
    let symbols = |byte: &u8| [0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1);
    blob[BLOB_HEADER_BYTES..].iter().flat_map(symbols).collect()
}
