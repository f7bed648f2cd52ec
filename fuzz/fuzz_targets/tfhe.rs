//! Fuzz target of the parsers of TFHE frames, results and server keys. The head up to the kind is given.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

use isopod_wire::codes::{fields, kind};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let heads = [
        (kind::TFHE_PUBLIC, fields::TFHE_FRAME),
        (kind::TFHE_SECRET, fields::TFHE_FRAME),
        (kind::TFHE_RESULT, fields::TFHE_RESULT),
        (kind::TFHE_SERVER_KEYS, fields::TFHE_SERVER_KEYS),
    ];
    for head in heads {
        reread::behind_head(head, bytes);
    }
});
