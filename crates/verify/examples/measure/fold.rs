//! The cost of tags at a server: frames with and without, read, authenticated, parsed and added up, in turns.

use std::time::Instant;

use isopod_device::{
    Encoding, Encryptor, FrameClaims, KeyPair, LinearSecrets, RoundedRows, Sender, Values,
};
use isopod_linear::{Machine, Sum};
use isopod_wire::{
    by_name, Authenticator, Envelope, Label, PackedFrame, Relation, Rounding, Suite, Tag,
};

const SET: &str = "bfv-2048x2-air";
const COLUMNS: u32 = 1024;
const KEY: [u8; 32] = [4; 32];
/// Frames of one sum.
const FRAMES: u64 = 64;
/// Sums of each kind; the fastest of each counts.
const ROUNDS: usize = 60;

/// The cost of tags.
pub struct Fold {
    /// Bytes that a tag adds to a frame.
    pub bytes_per_frame: usize,
    /// Microseconds for a frame without a tag.
    pub microseconds: f64,
    /// Time of a sum with tags, divided by that of one without.
    pub ratio: f64,
}

/// The device's key.
struct Device;

impl Authenticator for Device {
    fn verify(&self, _: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        isopod_tag::verify(&KEY, nonce, message, tag)
    }
}

/// Frames of one device, with or without tags.
fn frames(pair: &KeyPair, has_tags: bool) -> Vec<Vec<u8>> {
    let encoding = Encoding {
        log2_scale: 0,
        log2_bound: 0,
        claims: FrameClaims {
            bound: 1000,
            stride: COLUMNS,
            ..FrameClaims::default()
        },
        chunks: 1,
        suite: Suite::Chacha20,
        accept_label: Label::Bits128,
    };
    let rounding = Rounding {
        run: COLUMNS,
        dropped: [0; 2],
    };
    let rows = RoundedRows {
        columns: COLUMNS,
        rounding,
    };
    let encryptor = Encryptor::new(&pair.public_blob, encoding).unwrap();
    let mut encryptor = encryptor.with_rounded_rows(rows);
    if has_tags {
        encryptor = encryptor.with_linear_secrets(&LinearSecrets {
            others: Vec::new(),
            group: &[1; 32],
            device: &[2; 32],
            period: 0,
            has_column_tag: false,
        });
    }
    let mut sender = Sender {
        device: 1,
        epoch: 1,
        sequence: 0,
        key: &KEY,
    };
    let values: Vec<i32> = (0..COLUMNS as i32).map(|at| at % 1000).collect();
    (0..FRAMES)
        .map(|_| {
            let items = encryptor.encrypt_values(Values::Signed(&values), &mut sender);
            items.unwrap().concat()
        })
        .collect()
}

fn parsed(item: &[u8]) -> PackedFrame<'_> {
    let envelope = Envelope::read_only(item).unwrap();
    let part = envelope.authenticate(&Device).unwrap().packed_part();
    PackedFrame::new(vec![part.unwrap()]).unwrap()
}

/// Seconds of one sum.
fn seconds(items: &[Vec<u8>], has_tags: bool) -> f64 {
    let start = Instant::now();
    let first = parsed(&items[0]);
    let mut sum = Sum::new(first.header(), "sum", [0; 32], Machine::best()).unwrap();
    for item in items {
        sum.fold(&parsed(item), None, 1).unwrap();
    }
    let seconds = start.elapsed().as_secs_f64();
    let state = sum.finish([0; 16]).unwrap();
    assert_eq!(state.linear_tag.is_some(), has_tags);
    seconds
}

/// Measures both kinds in turns, so that both see the same machine.
pub fn measured() -> Fold {
    let pair = KeyPair::generate(by_name(SET).unwrap()).unwrap();
    let kinds = [false, true].map(|has_tags| frames(&pair, has_tags));
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        for (at, items) in kinds.iter().enumerate() {
            best[at] = best[at].min(seconds(items, at == 1));
        }
    }
    Fold {
        bytes_per_frame: kinds[1][0].len() - kinds[0][0].len(),
        microseconds: best[0] / FRAMES as f64 * 1e6,
        ratio: best[1] / best[0],
    }
}
