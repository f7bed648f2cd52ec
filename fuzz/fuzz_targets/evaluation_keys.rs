//! Fuzz target of the evaluation keys' parser. The head is given, so that the fuzzer starts after it.
#![no_main]

#[path = "../../crates/wire/tests/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::item(&[&[0x89, 1, 0x18, 32][..], bytes].concat());
});
