//! Build script: finds or builds Microsoft SEAL, compiles the shim, and links both. README.md lists what can be overridden.
#![allow(
    clippy::print_stdout,
    reason = "standard output is how a build script speaks to cargo"
)]

mod bundled;
mod source;
mod system;

use std::env;
use std::path::{Path, PathBuf};

/// An installed or built SEAL, as far as the shim depends on it.
struct Seal {
    include: Vec<PathBuf>,
    library: PathBuf,
    /// Names of libraries to link after SEAL itself.
    also: Vec<String>,
    version: String,
}

const SHIM: [&str; 2] = ["shim/shim.cpp", "shim/drop_primes.cpp"];
const BORDER: &str = "src/border.rs";

fn main() {
    for name in [
        "SEAL_SOURCE_DIR",
        "SEAL_BUILD_CACHE",
        "SEAL_SYSTEM",
        "SEAL_DIR",
        "CMAKE_PREFIX_PATH",
    ] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    for path in ["build", "shim", BORDER] {
        println!("cargo:rerun-if-changed={path}");
    }
    let seal = system::find().unwrap_or_else(bundled::build);
    compile_shim(&seal.include);
    link(&seal);
}

fn compile_shim(include: &[PathBuf]) {
    cxx_build::bridge(BORDER)
        .files(SHIM)
        .includes(include)
        .std("c++17")
        .opt_level(2)
        .flag_if_supported("-Wno-unused-parameter")
        .compile("isopod_seal_shim");
}

fn link(seal: &Seal) {
    let folder = seal.library.parent().expect("a library lies in a folder");
    println!("cargo:rustc-link-search=native={}", folder.display());
    let kind = if is_archive(&seal.library) {
        "static"
    } else {
        "dylib"
    };
    println!("cargo:rustc-link-lib={kind}={}", link_name(&seal.library));
    for name in &seal.also {
        println!("cargo:rustc-link-lib={name}");
    }
    println!("cargo:rustc-link-lib=pthread");
}

fn is_archive(library: &Path) -> bool {
    library
        .extension()
        .is_some_and(|extension| extension == "a")
}

/// Link name of a library: `seal-4.0` of `libseal-4.0.a`, `seal` of `libseal.so.4.4`.
fn link_name(library: &Path) -> String {
    let file = library
        .file_name()
        .expect("a library is a file")
        .to_string_lossy();
    let stem = file.strip_prefix("lib").unwrap_or(&file);
    let end = stem
        .find(".so")
        .or_else(|| stem.rfind(".a"))
        .unwrap_or(stem.len());
    stem[..end].to_owned()
}

/// Path in a variable that cargo promises to every build script.
fn cargo_variable(name: &str) -> PathBuf {
    env::var_os(name)
        .unwrap_or_else(|| panic!("cargo sets {name}"))
        .into()
}
