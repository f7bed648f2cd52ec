//! Compiles the C library of `device/`, every source, as a firmware would; the kernels of this machine replace the portable
//! ones of the same name, as `device/src/backend/backend.h` says.

use std::collections::BTreeMap;
use std::env;
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
        .files(sources(&root.join("src")))
        .file("src/sizes.c")
        .compile("isopod");
    println!("cargo:rerun-if-changed=src/sizes.c");
    println!("cargo:rerun-if-changed={}", root.join("src").display());
    println!("cargo:rerun-if-changed={}", root.join("include").display());
}

/// The folder of the target's kernels. The x86 ones choose at run time, and want a compiler that knows GNU attributes.
fn backend() -> &'static str {
    let target = |name: &str| env::var(name).unwrap_or_default();
    match (
        target("CARGO_CFG_TARGET_ARCH").as_str(),
        target("CARGO_CFG_TARGET_ENV").as_str(),
    ) {
        ("x86_64", "gnu" | "musl") => "x86",
        _ => "portable",
    }
}

fn sources(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let mut by_name = BTreeMap::new();
    let kernels = folder.join("backend");
    let rooms = c_files(folder)
        .into_iter()
        .filter(|file| !file.starts_with(&kernels));
    for file in rooms.chain(c_files(&kernels.join(backend()))) {
        by_name.insert(file.file_name().map(ToOwned::to_owned), file);
    }
    by_name.into_values()
}

/// All below a folder; none where there is no such folder.
fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.map(|entry| entry.expect("device/ is readable").path());
    paths
        .flat_map(|path| {
            if path.is_dir() {
                c_files(&path)
            } else {
                Vec::from_iter(
                    path.extension()
                        .is_some_and(|extension| extension == "c")
                        .then_some(path),
                )
            }
        })
        .collect()
}
