//! Fuzz target of the parser of key files of owner, server and device.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::key_file(bytes);
});
