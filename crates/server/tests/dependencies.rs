//! The server links no code that could read a result: a test of the dependency tree.
#![allow(clippy::unwrap_used, missing_docs)]

use std::process::Command;

/// The tree of the program as it is released, `cargo build -p isopod-server`, with the features of its crates; with SQL, where
/// this test is built with it.
fn tree(edges: &str) -> String {
    let cargo = std::env::var("CARGO").unwrap_or("cargo".to_owned());
    let arguments = [
        "tree",
        "--locked",
        "--prefix",
        "none",
        "-p",
        "isopod-server",
    ];
    let mut command = Command::new(cargo);
    // Without the feature its crates are not on this machine.
    if cfg!(feature = "sql") {
        command.args(arguments).args(["--features", "sql"]);
    } else {
        command.args(arguments);
    }
    let done = command.args(["-e", edges]).output().unwrap();
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    String::from_utf8(done.stdout).unwrap()
}

#[test]
fn the_server_depends_on_nothing_that_decrypts() {
    let tree = tree("normal,features");
    assert!(
        tree.contains("isopod-workflow v") && tree.contains("isopod-seal v"),
        "{tree}"
    );
    // Reading results and making keys stand behind this feature in workflow, seal and device; without it no type for a secret key
    // of a scheme exists there. Publishing is a crate of its own.
    for of_owners in [
        "feature \"owner\"",
        "isopod-share v",
        "isopod-cli v",
        "feature \"testing\"",
    ] {
        let found: Vec<_> = tree
            .lines()
            .filter(|line| line.contains(of_owners))
            .collect();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn one_version_of_the_cryptography_of_connections() {
    let tree = tree("normal");
    let count = |name: &str| {
        let mut found: Vec<_> = tree
            .lines()
            .filter(|line| line.starts_with(name))
            .map(|line| line.split(' ').nth(1))
            .collect();
        found.sort();
        found.dedup();
        found.len()
    };
    assert_eq!(
        (count("rustls v"), count("ring v"), count("tokio-rustls v")),
        (1, 1, 1)
    );
    assert_eq!((count("aws-lc-sys v"), count("openssl-sys v")), (0, 0));
}
