//! Fuzz target of the parser of partial states. The head is given, so that the fuzzer starts after it.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

use isopod_wire::codes::{fields, kind};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::behind_head((kind::PARTIAL, fields::PARTIAL), bytes);
    reread::behind_head((kind::PAD_PARTIAL, fields::PAD_PARTIAL), bytes);
});
