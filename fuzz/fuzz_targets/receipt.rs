//! Fuzz target of the parser of receipts.
#![no_main]

#[path = "../../crates/wire/tests/suite/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    reread::receipt(bytes);
});
