//! Fuzz target of the parser of results. The heads are given, so that the fuzzer starts after them.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

use isopod_wire::codes::{fields, kind};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::behind_head((kind::RESULT, fields::RESULT), bytes);
    reread::behind_head((kind::PAD_RESULT, fields::PAD_RESULT), bytes);
});
