//! The library as Python loads it. That this test exists makes cargo build it with all others; the tests in `test/` use it.

#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

fn library() -> Vec<u8> {
    let program = std::env::current_exe().unwrap();
    let path: PathBuf = program.with_file_name("lib_isopod.so");
    std::fs::read(&path).unwrap()
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

#[test]
fn it_is_a_module_for_any_python() {
    let library = library();
    assert!(holds(&library, b"PyInit__isopod"));
    assert!(!holds(&library, b"libpython3"), "linked with one Python");
}
