//! Fuzz target of the parsers of contexts, packets and whatever else devices send.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::submission(bytes);
});
