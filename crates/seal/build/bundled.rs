//! SEAL built once from source into `<target>/seal-<key>/`, shared by all profiles and kept until `cargo clean`.

use crate::{cargo_variable, source, Seal};
use std::collections::hash_map::DefaultHasher;
use std::env;
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// CMake options: without the C export nothing is downloaded; without compression no foreign bytes reach a decompressor.
const OPTIONS: &[(&str, &str)] = &[
    ("SEAL_BUILD_DEPS", "OFF"),
    ("SEAL_BUILD_SEAL_C", "OFF"),
    ("SEAL_USE_MSGSL", "OFF"),
    ("SEAL_USE_ZLIB", "OFF"),
    ("SEAL_USE_ZSTD", "OFF"),
    ("SEAL_USE_INTEL_HEXL", "OFF"),
    ("SEAL_USE_GAUSSIAN_NOISE", "OFF"),
    ("SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT", "ON"),
    ("BUILD_SHARED_LIBS", "OFF"),
    ("CMAKE_INSTALL_LIBDIR", "lib"),
];

/// Builds SEAL unless an earlier build with the same key is complete.
pub fn build() -> Seal {
    let sources = source::find();
    let folder = cache_folder().join(format!("seal-{}", key(&sources)));
    fs::create_dir_all(&folder).expect("the build cache can be written");
    let lock = File::create(folder.join("lock")).expect("the build cache can be written");
    lock.lock().expect("the build cache can be locked");
    let marker = folder.join("complete");
    if !marker.exists() {
        compile(&sources, &folder);
        fs::write(&marker, b"").expect("the build cache can be written");
    }
    installed(&folder)
}

/// Answers to SEAL's checks that run a program, for a build by a toolchain file, under which CMake 3.25 runs none: it crashes.
/// Every x86-64 adds and subtracts with carry.
fn answers() -> Vec<(&'static str, &'static str)> {
    let by_toolchain = env::vars_os().any(|(name, _)| {
        let name = name.to_string_lossy();
        name.starts_with("CMAKE_TOOLCHAIN_FILE")
    });
    if !by_toolchain && cargo_variable("TARGET") == cargo_variable("HOST") {
        return Vec::new();
    }
    let carry = match cargo_variable("CARGO_CFG_TARGET_ARCH").to_str() {
        Some("x86_64") => "ON",
        _ => "OFF",
    };
    vec![
        ("SEAL_MEMSET_S_FOUND", "OFF"),
        ("SEAL__ADDCARRY_U64_FOUND", carry),
        ("SEAL__SUBBORROW_U64_FOUND", carry),
        ("SEAL___BUILTIN_CLZLL_FOUND", "ON"),
    ]
}

fn compile(sources: &Path, folder: &Path) {
    let mut project = cmake::Config::new(sources);
    project.out_dir(folder).profile("Release");
    for (name, value) in OPTIONS.iter().chain(&answers()) {
        project.define(name, value);
    }
    project.build();
}

/// Locates the installation, whose version is part of its names: include/SEAL-4.0 and lib/libseal-4.0.a.
fn installed(folder: &Path) -> Seal {
    let include = fs::read_dir(folder.join("include"))
        .expect("SEAL installs its headers")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.join("seal/seal.h").is_file())
        .expect("SEAL installs seal/seal.h");
    let name = include
        .file_name()
        .expect("a folder has a name")
        .to_string_lossy();
    let version = name.trim_start_matches("SEAL-").to_owned();
    let library = folder.join(format!("lib/libseal-{version}.a"));
    assert!(
        library.is_file(),
        "{} was not built; SEAL 4.x is wanted",
        library.display()
    );
    Seal {
        include: vec![include],
        library,
        also: Vec::new(),
        version,
    }
}

/// Folder of builds: `SEAL_BUILD_CACHE`, else cargo's target folder, which cargo marks with CACHEDIR.TAG.
fn cache_folder() -> PathBuf {
    if let Some(folder) = env::var_os("SEAL_BUILD_CACHE") {
        return folder.into();
    }
    let out = cargo_variable("OUT_DIR");
    let target = out
        .ancestors()
        .skip(1)
        .find(|folder| folder.join("CACHEDIR.TAG").is_file());
    target.unwrap_or(&out).to_path_buf()
}

fn key(sources: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    if env::var_os("SEAL_SOURCE_DIR").is_some() {
        sources.hash(&mut hasher);
    }
    (source::CARRIER, OPTIONS, answers(), compiler()).hash(&mut hasher);
    for name in ["TARGET", "CXX", "CXXFLAGS"] {
        env::var_os(name).hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn compiler() -> Option<Vec<u8>> {
    let name = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    Command::new(name)
        .arg("--version")
        .output()
        .ok()
        .map(|output| output.stdout)
}
