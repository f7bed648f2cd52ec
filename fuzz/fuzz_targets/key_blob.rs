//! Fuzz target of the parser of key blobs, as devices hold them in flash.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::blob(bytes);
});
