//! Fuzz target of the parsers of TFHE frames, results and server keys. The head up to the kind is given.
#![no_main]

#[path = "../../crates/wire/tests/support/reread.rs"]
mod reread;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let heads: [&[u8]; 4] = [&[0x8c, 1, 5], &[0x8c, 1, 6], &[0x89, 1, 17], &[0x89, 1, 0x18, 33]];
    for head in heads {
        reread::item(&[head, bytes].concat());
    }
});
