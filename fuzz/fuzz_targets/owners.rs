//! Fuzz target of the parsers of files of several owners.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::owners(bytes);
});
