//! Location of SEAL's sources: named by the user, or the MIT folder `SEAL/` in the locked crate sealy.

use crate::cargo_variable;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate that carries SEAL's sources. Its own Rust is never compiled.
pub const CARRIER: (&str, &str) = ("sealy", "0.2.0");

/// The folder with SEAL's CMakeLists.txt.
pub fn find() -> PathBuf {
    let folder = match env::var_os("SEAL_SOURCE_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => carried(),
    };
    assert!(
        folder.join("native/src/seal/seal.h").is_file(),
        "{} holds no SEAL sources (native/src/seal/seal.h is missing); set SEAL_SOURCE_DIR to a SEAL 4.x source tree",
        folder.display(),
    );
    folder
}

fn carried() -> PathBuf {
    let manifest = metadata(&["--offline"])
        .or_else(|| metadata(&[]))
        .and_then(|json| carrier_manifest(&json));
    let manifest = manifest.unwrap_or_else(|| {
        panic!("crate {} {} is not available; run `cargo fetch` (without --target), or set SEAL_SOURCE_DIR", CARRIER.0, CARRIER.1)
    });
    Path::new(&manifest).with_file_name("SEAL")
}

fn metadata(also: &[&str]) -> Option<String> {
    let output = Command::new(cargo_variable("CARGO"))
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--manifest-path",
        ])
        .arg(cargo_variable("CARGO_MANIFEST_DIR").join("Cargo.toml"))
        .args(also)
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The carrier's manifest, found by name and version in cargo's metadata: a vendored folder has no version in its name.
fn carrier_manifest(json: &str) -> Option<String> {
    let answer: serde_json::Value = serde_json::from_str(json).ok()?;
    let package = answer["packages"]
        .as_array()?
        .iter()
        .find(|package| package["name"] == CARRIER.0 && package["version"] == CARRIER.1)?;
    Some(package["manifest_path"].as_str()?.to_owned())
}
