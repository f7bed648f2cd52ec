//! The log of a table: appended once, by several writers, whatever was interrupted.
// The support of the workflow's tests asks for a feature of that crate.
#![allow(clippy::unwrap_used, unexpected_cfgs)]

#[path = "../../../workflow/tests/suite/support/mod.rs"]
mod support;

mod checkpoints;
mod damage;
mod faults;
mod steps;

use std::path::Path;
use std::time::Duration;

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

/// Names and files of a table.
fn rows(table: &Table) -> (u64, usize) {
    let snapshot = table.snapshot().unwrap();
    (snapshot.rows, snapshot.files.len())
}

fn data_files(table: &Path) -> usize {
    let entries = std::fs::read_dir(table).unwrap();
    entries
        .filter(|entry| {
            entry
                .as_ref()
                .is_ok_and(|entry| entry.path().extension().is_some())
        })
        .count()
}

/// A table whose files have both devices, at these times in days.
fn mixed(place: &Place, days: &[i64]) -> Table {
    let table = Table::create(&place.path("table")).unwrap();
    for (sequence, day) in (0..).zip(days) {
        let frames = [1, 2].map(|device| {
            let frame = stored(place, device, sequence)?;
            let time = day * 86_400_000_000;
            Ok(Stored { time, ..frame })
        });
        table.append(&place.server(), frames, None).unwrap();
    }
    table
}

#[test]
fn a_deleted_device_is_gone_from_log_and_disk() {
    let place = Place::new(SET, &[]);
    let table = mixed(&place, &[0, 0, 0]);
    let secret = frame(&place, 1, 1);
    let holds = |bytes: &[u8]| {
        let entries = std::fs::read_dir(place.path("table")).unwrap();
        let mut files = entries.filter_map(|entry| std::fs::read(entry.unwrap().path()).ok());
        files.any(|file| file.windows(64).any(|window| window == &bytes[100..164]))
    };
    // Encryption draws anew, so the frame is one that the table has.
    let last = [Ok(Stored {
        time: 0,
        bytes: secret.clone(),
    })];
    table.append(&place.server(), last, None).unwrap();
    assert!(holds(&secret));
    let server = place.server();
    assert_eq!(table.delete_device(&server, 1).unwrap(), 4);
    assert_eq!(table.delete_device(&server, 1).unwrap(), 0);
    assert!(!holds(&secret));
    assert_eq!(
        (rows(&table), data_files(&place.path("table"))),
        ((3, 3), 3)
    );
}

#[test]
fn retention_takes_what_is_old_and_at_most_a_day_later() {
    let place = Place::new(SET, &[]);
    let table = mixed(&place, &[1, 5, 9]);
    let server = place.server();
    let day = |day: f64| (day * 86_400e6) as i64;
    for (time, removed, left) in [
        (day(1.0), 0, 6),
        (day(1.5), 2, 4),
        (day(5.0), 0, 4),
        (day(20.0), 4, 0),
    ] {
        assert_eq!(table.retain_since(&server, time).unwrap(), removed);
        assert_eq!(rows(&table).0, left);
    }
    let table = {
        std::fs::remove_dir_all(place.path("table")).unwrap();
        mixed(&place, &[1])
    };
    let later = stored(&place, 1, 7).map(|frame| Stored {
        time: day(8.0),
        ..frame
    });
    table.append(&server, [later], None).unwrap();
    for sequence in 20..40 {
        table
            .append(&server, [stored(&place, 1, sequence)], None)
            .unwrap();
    }
    // One file with rows of days 0, 1 and 8.
    assert_eq!(table.merge(&server).unwrap(), 22);
    assert_eq!(table.retain_since(&server, day(0.5)).unwrap(), 0);
    assert_eq!(table.retain_since(&server, day(1.5)).unwrap(), 22);
    assert_eq!(rows(&table), (1, 1));
}

#[test]
fn small_files_become_one_with_the_same_frames() {
    let place = Place::new(SET, &[]);
    let table = mixed(&place, &[0; 20]);
    let server = place.server();
    let transaction = Transaction {
        writer: "log".to_owned(),
        version: 7,
    };
    table.append(&server, [], Some(&transaction)).unwrap();
    assert_eq!(table.merge(&server).unwrap(), 20);
    assert_eq!(table.merge(&server).unwrap(), 0);
    assert_eq!(table.version_of("log").unwrap(), Some(7));
}

#[test]
fn files_that_were_merged_stay_for_readers_that_have_begun() {
    let place = Place::new(SET, &[]);
    let folder = place.path("table");
    let table = mixed(&place, &[0; 16]);
    let begun = table.snapshot().unwrap().files;
    assert_eq!(table.merge(&place.server()).unwrap(), 16);
    assert_eq!((rows(&table), data_files(&folder)), ((32, 1), 17));
    // Neither the keeper's next start nor a vacuum within the time removes one.
    let again = Table::open(&folder).unwrap();
    assert_eq!(again.sweep().unwrap(), 0);
    assert_eq!(again.vacuum(Duration::from_secs(3600)).unwrap(), 0);
    assert!(begun.iter().all(|path| path.exists()));
    assert_eq!(again.vacuum(Duration::ZERO).unwrap(), 16);
    assert_eq!(again.vacuum(Duration::ZERO).unwrap(), 0);
    assert_eq!((rows(&again), data_files(&folder)), ((32, 1), 1));
    assert_eq!(table.vacuum(Duration::ZERO).unwrap(), 0, "gone already");
}

#[test]
fn a_deletion_takes_files_that_were_merged_before_it() {
    let place = Place::new(SET, &[]);
    let table = mixed(&place, &[0; 16]);
    let server = place.server();
    table.merge(&server).unwrap();
    assert_eq!(table.delete_device(&server, 1).unwrap(), 16);
    assert_eq!(
        (rows(&table), data_files(&place.path("table"))),
        ((16, 1), 1)
    );
}

#[test]
fn what_a_crash_left_is_swept_and_a_table_begun_is_finished() {
    let place = Place::new(SET, &[]);
    let folder = place.path("table");
    std::fs::create_dir_all(folder.join("_delta_log")).unwrap();
    let table = Table::open_or_create(&folder).unwrap();
    table
        .append(&place.server(), [stored(&place, 1, 0)], None)
        .unwrap();
    for left in ["part-x.parquet", ".part-y.parquet", "_delta_log/.z.tmp"] {
        std::fs::write(folder.join(left), "half").unwrap();
    }
    std::fs::write(folder.join("notes.txt"), "of a person").unwrap();
    assert_eq!(table.sweep().unwrap(), 3);
    assert_eq!(
        (rows(&table), rows(&Table::open_or_create(&folder).unwrap())),
        ((1, 1), (1, 1))
    );
    assert!(folder.join("notes.txt").exists());
    assert!(Table::open_or_create(&place.path("keys")).is_err());
}

#[test]
fn files_that_no_entry_names_for_long_are_removed_while_others_write() {
    let place = Place::new(SET, &[]);
    let (folder, hour) = (place.path("table"), Duration::from_secs(3600));
    let table = mixed(&place, &[0; 16]);
    table.merge(&place.server()).unwrap();
    for left in ["part-x.parquet", "notes.txt"] {
        std::fs::write(folder.join(left), "half").unwrap();
    }
    for _ in 0..2 {
        assert_eq!(table.sweep_unnamed(hour).unwrap(), 0);
    }
    // One more writer ends between two looks: its files have an entry.
    table
        .append(&place.server(), [stored(&place, 1, 99)], None)
        .unwrap();
    assert_eq!(table.sweep_unnamed(Duration::ZERO).unwrap(), 1);
    assert_eq!(table.sweep_unnamed(Duration::ZERO).unwrap(), 0);
    // Files that were merged are named still, for readers that have begun; and the notes are not ours.
    assert_eq!(
        (rows(&table), data_files(&folder)),
        ((33, 2), 16 + 1 + 1 + 1)
    );
    assert!(folder.join("notes.txt").exists());
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
        cargo.args(["tree", "--offline", "--locked", "--edges", "normal"]);
        // Without the feature its crates are not on this machine.
        if cfg!(feature = "sql") {
            cargo.arg("--all-features");
        }
        let tree = cargo.args(["--package", package]).output().unwrap();
        let text = String::from_utf8(tree.stdout).unwrap();
        assert!(
            text.contains("isopod-workflow") && tree.status.success(),
            "{text}"
        );
        assert!(!text.contains("isopod-share"), "{package}");
    }
}
