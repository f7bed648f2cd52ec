//! Search for an installed SEAL by a small CMake project (`probe/`).

use crate::{cargo_variable, is_archive, Seal};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The installed SEAL; `None` if there is none of version 4 or if `SEAL_SYSTEM=0` refuses it.
pub fn find() -> Option<Seal> {
    if env::var("SEAL_SYSTEM").is_ok_and(|value| value == "0")
        || env::var_os("SEAL_SOURCE_DIR").is_some()
    {
        return None;
    }
    let report = probe()?;
    let field = |name: &str| {
        report.lines().find_map(|line| {
            line.strip_prefix(name)?
                .strip_prefix('=')
                .map(str::to_owned)
        })
    };
    let library = PathBuf::from(field("library")?);
    let seal = Seal {
        include: field("include")?
            .split(';')
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            .collect(),
        also: compression_libraries(&library, &field),
        version: field("version")?,
        library,
    };
    announce(&seal, field("gaussian")?.as_str());
    Some(seal)
}

fn probe() -> Option<String> {
    let folder = cargo_variable("OUT_DIR").join("probe");
    // A cached result would outlive the installation or removal of SEAL.
    let _ = fs::remove_dir_all(&folder);
    let done = Command::new(env::var_os("CMAKE").unwrap_or_else(|| "cmake".into()))
        .arg("-S")
        .arg(Path::new("build/probe"))
        .arg("-B")
        .arg(&folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if done {
        fs::read_to_string(folder.join("seal.txt")).ok()
    } else {
        None
    }
}

/// Compression libraries that a static SEAL without zlib and zstd of its own leaves to its user.
fn compression_libraries(library: &Path, field: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    let set =
        |name: &str| field(name).is_some_and(|value| matches!(value.as_str(), "ON" | "1" | "TRUE"));
    if !is_archive(library) || set("carries") {
        return Vec::new();
    }
    let wanted = [("zlib", "z"), ("zstd", "zstd")];
    wanted
        .iter()
        .filter(|(option, _)| set(option))
        .map(|(_, name)| (*name).to_owned())
        .collect()
}

fn announce(seal: &Seal, gaussian: &str) {
    println!("cargo:rerun-if-changed={}", seal.library.display());
    println!(
        "cargo:warning=using the installed SEAL {} ({}; Gaussian noise: {gaussian}); SEAL_SYSTEM=0 refuses it",
        seal.version,
        seal.library.display(),
    );
}
