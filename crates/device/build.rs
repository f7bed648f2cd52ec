//! Compiles the C library of `device/`, every source, as a firmware would.

use std::path::{Path, PathBuf};

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../device");
    let mut build = cc::Build::new();
    build
        .std("c11")
        .opt_level(3)
        .warnings(true)
        .include(root.join("include"))
        .define("ISOPOD_ALLOW_DEVICE_SECRET_KEY", "1")
        .files(c_files(&root.join("src")))
        .files(c_files(&root.join("src/backend/portable")))
        .file("src/sizes.c")
        .compile("isopod");
    println!("cargo:rerun-if-changed=src/sizes.c");
    println!("cargo:rerun-if-changed={}", root.join("src").display());
    println!("cargo:rerun-if-changed={}", root.join("include").display());
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("device/ lies beside crates/");
    let paths = entries.map(|entry| entry.expect("device/ is readable").path());
    paths
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .collect()
}
