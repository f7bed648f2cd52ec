//! `bench-host-memory SET KEY_FILE KEY`: our side of the comparison of memory, a program without SEAL. Encrypts twice under the
//! key blob in the file; KEY is `secret` or `public`. `memory.c` does the work.

use anyhow::{bail, ensure, Result};
use isopod_device as _; // brings the C library
use std::ffi::{c_char, c_int, CString};

#[allow(unsafe_code)]
extern "C" {
    fn isopod_bench_encrypt_twice(
        set: *const c_char,
        key_file: *const c_char,
        is_secret: c_int,
    ) -> c_int;
}

#[allow(unsafe_code)]
fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [set, key_file, key] = &words[..] else {
        bail!("usage: bench-host-memory SET KEY_FILE secret|public");
    };
    let (set, key_file) = (
        CString::new(set.as_str())?,
        CString::new(key_file.as_str())?,
    );
    let is_secret = c_int::from(key == "secret");
    // SAFETY: both are terminated and outlive the call, which owns all other memory.
    let status = unsafe { isopod_bench_encrypt_twice(set.as_ptr(), key_file.as_ptr(), is_secret) };
    ensure!(status == 0, "the library refuses the set or the key");
    Ok(())
}
