//! Compiles the C library of `device/`, every source, as a firmware would.

use std::path::Path;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../device");
    let sources = std::fs::read_dir(root.join("src")).expect("device/src lies beside crates/");
    let mut build = cc::Build::new();
    build
        .std("c11")
        .opt_level(3)
        .warnings(true)
        .include(root.join("include"))
        .define("ISOPOD_ALLOW_DEVICE_SECRET_KEY", "1");
    for source in sources {
        let path = source.expect("device/src is readable").path();
        if path.extension().is_some_and(|extension| extension == "c") {
            build.file(&path);
        }
    }
    build.file("src/sizes.c");
    build.compile("isopod");
    println!("cargo:rerun-if-changed=src/sizes.c");
    println!("cargo:rerun-if-changed={}", root.join("src").display());
    println!("cargo:rerun-if-changed={}", root.join("include").display());
}
