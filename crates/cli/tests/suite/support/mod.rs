//! A folder with keys in it, and the command.
#![allow(dead_code, missing_docs)]

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use isopod_keys::{KeysError, OwnerKeys, Passphrase, ServerKeys};
use isopod_wire::{EncryptedResult, Envelope};
use tempfile::TempDir;

pub struct Place(TempDir);

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    /// A place with plain keys of this set in `keys`.
    pub fn with_keys(set: &str, more: &[&str]) -> Self {
        Self::with_new_keys(&[&["--set", set], more].concat())
    }

    /// A place with the plain keys of these options in `keys`.
    pub fn with_new_keys(options: &[&str]) -> Self {
        let place = Self::new();
        let keygen = ["keygen", "--out", "keys", "--insecure-plaintext-key"];
        place.run(&[&keygen, options].concat()).success();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        std::fs::write(self.path(name), bytes).expect("written");
        self
    }

    /// Writes a file that only its owner may read.
    pub fn write_private(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        self.write(name, bytes);
        std::fs::set_permissions(self.path(name), Permissions::from_mode(0o600)).expect("set");
        self
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).expect("read")
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Names in the place but the commands' own state, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect();
        names.retain(|name| name != ".state");
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        let mut command = Command::cargo_bin("isopod").expect("built");
        command
            .current_dir(self.0.path())
            .env("XDG_STATE_HOME", self.0.path().join(".state"))
            .env_remove("ISOPOD_NEW_PASSPHRASE")
            .env_remove("ISOPOD_PASSPHRASE");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        self.command().args(arguments).assert()
    }

    /// Standard output of a success.
    pub fn output(&self, arguments: &[&str]) -> String {
        let assert = self.run(arguments).success();
        String::from_utf8(assert.get_output().stdout.clone()).expect("text")
    }

    /// JSON of a success.
    pub fn json(&self, arguments: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.output(&[arguments, &["--json"]].concat())).expect("JSON")
    }

    /// Standard error of a refusal with this exit code.
    pub fn refusal(&self, code: i32, arguments: &[&str]) -> String {
        let assert = self.run(arguments).failure();
        let output = assert.get_output();
        let message = String::from_utf8(output.stderr.clone()).expect("text");
        assert_eq!(output.status.code(), Some(code), "{message}");
        assert!(output.stdout.is_empty(), "nothing goes to standard output");
        message
    }

    /// Checks that a call is refused with this exit code and with these words.
    pub fn refused(&self, code: i32, arguments: &[&str], wanted: &str) {
        let message = self.refusal(code, arguments);
        assert!(message.contains(wanted), "{message}");
    }

    /// Encrypts `v.csv` into `f.bin` as the first device.
    pub fn encrypt(&self, more: &[&str]) {
        let encrypt = words("encrypt --keys keys/device-1 --values v.csv --out f.bin");
        self.run(&[&encrypt[..], more].concat()).success();
    }

    /// Computes on `f.bin` into `r.bin` as the server.
    pub fn evaluate(&self, job: &str, more: &[&str]) {
        let evaluate = words("evaluate --keys keys/server --in f.bin --out r.bin --force --job");
        self.run(&[&evaluate[..], &[job], more].concat()).success();
    }

    /// A result as its owner authenticates it.
    pub fn opened(&self, file: &str) -> EncryptedResult {
        let none = || -> Result<Passphrase, KeysError> { unreachable!("a plain file") };
        let owner = OwnerKeys::open(&self.path("keys/owner"), none).expect("an owner");
        let bytes = self.read(file);
        let envelope = Envelope::read_only(&bytes).expect("an item");
        let item = envelope.authenticate(&owner).expect("authentic");
        item.result().expect("a result")
    }

    /// Seals a result in `r.bin` as the server does.
    pub fn sealed(&self, result: &EncryptedResult) {
        let server = ServerKeys::open(&self.path("keys/server")).expect("a server");
        self.write(
            "r.bin",
            server.link().seal(result.encode().expect("encoded")),
        );
    }

    /// The values of `decrypt --json`.
    pub fn decrypted(&self, results: &str) -> Vec<f64> {
        let output = self.json(&["decrypt", "--keys", "keys/owner", "--in", results]);
        let values = output["values"].as_array().expect("values");
        values
            .iter()
            .map(|value| value["value"].as_f64().expect("a number"))
            .collect()
    }
}

/// The words of a command line.
pub fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

pub fn close(found: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((found - wanted).abs() < tolerance, "{found} / {wanted}");
    }
}

pub fn repository(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(name)
        .to_string_lossy()
        .into_owned()
}
