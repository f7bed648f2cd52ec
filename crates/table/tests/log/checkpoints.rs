//! Checkpoints: the same table with them, without them, and with any of them damaged.

use std::fs;
use std::path::{Path, PathBuf};

use isopod_table::{Table, Transaction};

use super::support::Place;
use super::{stored, SET};

/// A table with a version for each number up to this one; every fiftieth adds a frame.
fn long(place: &Place, versions: i64) -> Table {
    let table = Table::create(&place.path("table")).unwrap();
    let server = place.server();
    for version in 1..=versions {
        let frames = (version % 50 == 0).then(|| stored(place, 1, version as u64));
        let writer = format!("writer {}", version % 3);
        let progress = Transaction { writer, version };
        table.append(&server, frames, Some(&progress)).unwrap();
    }
    table
}

/// All that a table says of itself.
fn state(table: &Table) -> (u64, u64, Vec<PathBuf>, Vec<Option<i64>>) {
    let snapshot = table.snapshot().unwrap();
    let writers = (0..4).map(|at| table.version_of(&format!("writer {at}")).unwrap());
    (
        snapshot.version,
        snapshot.rows,
        snapshot.files,
        writers.collect(),
    )
}

fn opened(place: &Place) -> (u64, u64, Vec<PathBuf>, Vec<Option<i64>>) {
    state(&Table::open(&place.path("table")).unwrap())
}

fn log(place: &Place) -> PathBuf {
    place.path("table/_delta_log")
}

fn checkpoint(place: &Place, version: u64) -> PathBuf {
    log(place).join(format!("{version:020}.checkpoint.parquet"))
}

fn remove_entries(place: &Place, before: u64) {
    for version in 0..before {
        fs::remove_file(log(place).join(format!("{version:020}.json"))).unwrap();
    }
}

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_table_begins_at_its_last_checkpoint() {
    let place = Place::new(SET, &[]);
    let wanted = state(&long(&place, 250));
    assert_eq!((wanted.0, wanted.1), (250, 5));
    assert_eq!(opened(&place), wanted);
    // Without the entries before it, and with the older checkpoint where the newer is gone.
    remove_entries(&place, 101);
    assert_eq!(opened(&place), wanted);
    fs::remove_file(checkpoint(&place, 200)).unwrap();
    assert_eq!(opened(&place), wanted);
    let table = Table::open_or_create(&place.path("table")).unwrap();
    assert_eq!(state(&table), wanted);
}

#[test]
fn a_reader_that_fell_behind_removed_entries_begins_anew() {
    let place = Place::new(SET, &[]);
    let table = long(&place, 50);
    let behind = Table::open(&place.path("table")).unwrap();
    let server = place.server();
    for version in 51..=250 {
        let writer = "writer 3".to_owned();
        let progress = Transaction { writer, version };
        table.append(&server, [], Some(&progress)).unwrap();
    }
    remove_entries(&place, 101);
    assert_eq!(state(&behind), state(&table));
}

#[test]
fn damaged_checkpoints_are_passed_over() {
    let place = Place::new(SET, &[]);
    let wanted = state(&long(&place, 250));
    let hint = log(&place).join("_last_checkpoint");
    let bits = 8 * fs::read(&hint).unwrap().len();
    for bit in 0..bits {
        flip(&hint, bit);
        assert_eq!(opened(&place), wanted, "bit {bit} of the hint");
        flip(&hint, bit);
    }
    let newest = checkpoint(&place, 200);
    let bits = 8 * fs::read(&newest).unwrap().len();
    for bit in (0..bits).step_by(331) {
        flip(&newest, bit);
        assert_eq!(opened(&place), wanted, "bit {bit} of the checkpoint");
        flip(&newest, bit);
    }
    fs::write(&newest, "").unwrap();
    assert_eq!(opened(&place), wanted);
    flip(&checkpoint(&place, 100), 4000);
    assert_eq!(opened(&place), wanted, "from the entries alone");
    remove_entries(&place, 1);
    assert!(Table::open(&place.path("table")).is_err());
}

#[test]
fn a_flipped_bit_of_an_entry_changes_no_table() {
    let place = Place::new(SET, &[]);
    let wanted = state(&long(&place, 50));
    let entry = log(&place).join(format!("{:020}.json", 50));
    let bits = 8 * fs::read(&entry).unwrap().len();
    let mut refused = 0;
    for bit in 0..bits {
        flip(&entry, bit);
        match Table::open(&place.path("table")) {
            Ok(table) => assert_eq!(state(&table), wanted, "bit {bit}"),
            Err(_) => refused += 1,
        }
        flip(&entry, bit);
    }
    // Only the name of the checksum itself carries nothing.
    assert!(refused > bits - 8 * 40, "{refused} of {bits}");
    fs::write(&entry, "").unwrap();
    let error = Table::open(&place.path("table")).err().unwrap();
    assert!(error.to_string().contains("damaged"), "{error}");
}
