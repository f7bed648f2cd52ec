//! Fuzz target of the parser of results. The head is given, so that the fuzzer starts after it.
#![no_main]

#[path = "../../crates/wire/tests/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::item(&[&[0x8e, 1, 16][..], bytes].concat());
});
