//! The log of a table: appended once, by several writers, whatever was interrupted.
// The support of the workflow's tests asks for a feature of that crate.
#![allow(clippy::unwrap_used, unexpected_cfgs)]

#[path = "../../workflow/tests/support/mod.rs"]
mod support;

use isopod_table::{Frames, Stored, Table, Transaction};
use isopod_workflow::Message;
use support::Place;

const SET: &str = "bfv-4096x3-sum";

fn frame(place: &Place, device: u64, sequence: u64) -> Vec<u8> {
    place
        .items(device, sequence, &Message::Integers(vec![1]))
        .concat()
}

fn stored(place: &Place, device: u64, sequence: u64) -> isopod_table::Result<Stored> {
    let bytes = frame(place, device, sequence);
    Ok(Stored { time: 0, bytes })
}

#[test]
fn a_repeated_append_adds_nothing() {
    let place = Place::new(SET, &[]);
    let table = Table::create(&place.path("table")).unwrap();
    let append = |version, sequence| {
        let transaction = Transaction {
            writer: "log".to_owned(),
            version,
        };
        let frames = [stored(&place, 1, sequence)];
        table
            .append(&place.server(), frames, Some(&transaction))
            .unwrap()
            .rows
    };
    assert_eq!(
        [append(1, 0), append(1, 0), append(2, 1), append(1, 0)],
        [1, 0, 1, 0]
    );
    let snapshot = table.snapshot().unwrap();
    assert_eq!(
        (snapshot.rows, snapshot.files.len(), snapshot.version),
        (2, 2, 2)
    );
    assert_eq!(table.version_of("log").unwrap(), Some(2));
    assert_eq!(table.version_of("other").unwrap(), None);
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let place = Place::new(SET, &[]);
    let table = Table::create(&place.path("table")).unwrap();
    std::thread::scope(|scope| {
        for device in [1, 2] {
            let (place, table) = (&place, &table);
            scope.spawn(move || {
                for sequence in 0..6 {
                    let frames = [stored(place, device, sequence)];
                    table.append(&place.server(), frames, None).unwrap();
                }
            });
        }
    });
    let snapshot = table.snapshot().unwrap();
    assert_eq!((snapshot.rows, snapshot.version), (12, 12));
}

#[test]
fn parts_of_frames_come_in_any_order() {
    let place = Place::new(SET, &[]);
    let [one, two] = [0, 1].map(|at| place.items(1, at, &Message::Integers(vec![1])));
    let mixed: Vec<u8> = one
        .iter()
        .zip(&two)
        .flat_map(|(a, b)| [&b[..], a].concat())
        .collect();
    let server = place.server();
    let frames: Vec<Stored> = Frames::new(&server, &mixed[..], 5)
        .map(Result::unwrap)
        .collect();
    assert_eq!(frames.len(), 2);
    assert!(frames
        .iter()
        .all(|frame| frame.time == 5 && frame.bytes.len() == one.concat().len()));
    let cut = &mixed[..mixed.len() - one.last().unwrap().len()];
    assert_eq!(
        Frames::new(&server, cut, 5)
            .filter(|frame| frame.is_err())
            .count(),
        1
    );
}

#[test]
fn another_format_is_refused() {
    let place = Place::new(SET, &[]);
    assert!(
        Table::create(&place.path("keys")).is_err(),
        "a folder that holds something"
    );
    let table = Table::create(&place.path("table")).unwrap();
    let entry = place.path("table/_delta_log/00000000000000000001.json");
    for (line, part) in [
        (
            r#"{"protocol":{"minReaderVersion":3}}"#,
            "minReaderVersion: 3; allowed is 1",
        ),
        (
            r#"{"add":{"path":"../../etc/passwd","size":1}}"#,
            "allowed is the name of a file",
        ),
        (r#"{"add":{}}"#, "path: missing"),
        ("{", "EOF"),
    ] {
        std::fs::write(&entry, line).unwrap();
        let refused = table.snapshot().unwrap_err().to_string();
        assert!(refused.contains(part), "{refused}");
    }
}

/// The features by which other crates decrypt bring `isopod-share` along.
#[test]
fn nothing_that_decrypts_is_a_dependency() {
    for package in ["isopod-table", "isopod-table-abi"] {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.args(["tree", "--locked", "--edges", "normal", "--all-features"]);
        let tree = cargo.args(["--package", package]).output().unwrap();
        let text = String::from_utf8(tree.stdout).unwrap();
        assert!(
            text.contains("isopod-workflow") && tree.status.success(),
            "{text}"
        );
        assert!(!text.contains("isopod-share"), "{package}");
    }
}
