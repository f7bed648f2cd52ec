//! Lattigo itself, in the small ring without security: keys, an interrupted generation, counts of real encryptions.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::device::Fleet;
use isopod_lattigo::{
    generate, Backend, Count, Error, KeySet, Options, Side, Stage, INSECURE, SIZES,
};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Whether there is Go 1.22 or newer, which Lattigo needs.
fn has_go() -> bool {
    let output = Command::new("go").arg("version").output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_default();
    let version = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix("go1."));
    let minor = version.and_then(|version| version.split('.').next()?.parse::<u32>().ok());
    minor.is_some_and(|minor| minor >= 22)
}

/// Both programs, built with the ring of tests; None without Go.
fn programs(place: &Path) -> Option<[PathBuf; 2]> {
    if !has_go() {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deep");
    let build = |name: &str| {
        let program = place.join(name);
        let mut go = Command::new("go");
        go.current_dir(&source)
            .args(["build", "-tags", "insecure", "-o"]);
        let done = go
            .arg(&program)
            .arg(format!("./cmd/{name}"))
            .output()
            .ok()?;
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
        Some(program)
    };
    Some([build("isopod-deep")?, build("isopod-deep-keys")?])
}

fn options(program: &Path, keys: &Path) -> Options {
    Options {
        program: program.into(),
        keys: keys.into(),
        size: INSECURE,
        memory: Some(3 << 30),
        threads: 1,
        patience: Duration::from_secs(300),
    }
}

#[test]
fn counts_are_within_their_promise() {
    let place = tempfile::tempdir().unwrap();
    let Some([deep, make]) = programs(place.path()) else {
        eprintln!("skipped: no Go");
        return;
    };
    let keys = place.path().join("keys");
    let missing = Backend::new(options(&deep, &keys)).start().unwrap_err();
    assert!(
        missing.to_string().contains("server-keys --size"),
        "{missing}"
    );
    let fleet = Fleet::new();
    let made = keys_of_owner(&make, &keys, &fleet.secret());
    check_refusals(&options(&deep, &keys));

    let mut backend = Backend::new(options(&deep, &keys));
    assert_eq!(backend.start().unwrap(), &made);
    check_count(&mut backend, &fleet, [128, 128], (3.0, Side::Above));
    check_count(&mut backend, &fleet, [3, 90], (3.0, Side::Below));
    check_counts_together(&mut backend, &fleet);
}

/// Makes keys, and refuses to mix them with those of another owner.
fn keys_of_owner(make: &Path, keys: &Path, secret: &[i8]) -> KeySet {
    let mut reports = 0;
    let made = generate(make, &INSECURE, keys, (secret, &[9; 32]), &mut |_, _| {
        reports += 1
    })
    .unwrap();
    assert!(reports > 5 && made.label == "insecure, for tests");
    let other = generate(make, &INSECURE, keys, (secret, &[8; 32]), &mut |_, _| {});
    assert!(matches!(other, Err(Error::Keys(_))), "{other:?}");
    made
}

/// Too little memory, and keys of another size.
fn check_refusals(options: &Options) {
    let small = Options {
        memory: Some(1 << 20),
        ..options.clone()
    };
    let foreign = Options {
        size: SIZES[0],
        ..options.clone()
    };
    for (options, wanted) in [
        (small, "memory: 1048576 bytes; allowed are"),
        (foreign, "keys: of insecure-12"),
    ] {
        let refusal = Backend::new(options).start().unwrap_err().to_string();
        assert!(refusal.starts_with(wanted), "{refusal}");
    }
}

fn check_count(backend: &mut Backend, fleet: &Fleet, rows: [u32; 2], asked: (f64, Side)) {
    let (threshold, side) = asked;
    let question = Count {
        threshold,
        side,
        gap: None,
    };
    let plan = question
        .plan(&[fleet.merged(rows, threshold, 0.0).0])
        .unwrap();
    assert!(plan.gap < 0.11 && plan.error < 0.5, "{plan:?}");
    let (merged, above) = fleet.merged(rows, threshold, plan.gap);
    let mut stages = Vec::new();
    let mut progress = |stage: Stage| stages.push(stage.name);
    let one = std::slice::from_ref(&merged);
    let answer = backend.count(one, &question, &mut progress).unwrap();
    let wanted = match side {
        Side::Above => above,
        Side::Below => plan.readings - above,
    };
    let found = fleet.read(&merged, &answer);
    let error = (found - wanted as f64).abs();
    assert!(error <= answer.plan.error, "{found} {wanted} {plan:?}");
    let last = ["reduction modulo q0", "polynomials", "answer"];
    assert!(stages.ends_with(&last), "{stages:?}");
}

/// Two ciphertexts, all of whose readings count, so that the answer is nearly as large as it can be.
fn check_counts_together(backend: &mut Backend, fleet: &Fleet) {
    let question = Count {
        threshold: -8.0,
        side: Side::Above,
        gap: None,
    };
    let both = [[128, 128], [128, 7]].map(|rows| fleet.merged(rows, -8.0, 0.2).0);
    let answer = backend.count(&both, &question, &mut |_| {}).unwrap();
    let (found, wanted) = (fleet.read(&both[0], &answer), answer.plan.readings as f64);
    assert_eq!(wanted, f64::from((3 * 128 + 7) * 16));
    assert!(
        (found - wanted).abs() <= answer.plan.error,
        "{found} {:?}",
        answer.plan
    );
}
