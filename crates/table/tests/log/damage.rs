//! Damaged data files: refused by name before anything uses them, and replaced.

use std::fs;
use std::path::Path;

use isopod_table::{Error, Stored, Table};

use super::support::Place;
use super::{mixed, rows, stored, SET};

fn flip(path: &Path, bit: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[bit / 8] ^= 1 << (bit % 8);
    fs::write(path, bytes).unwrap();
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn is_damaged<T>(result: isopod_table::Result<T>, name: &str) -> bool {
    matches!(result, Err(Error::Damaged { file, .. }) if file == name)
}

#[test]
fn no_bit_of_a_data_file_changes_unnoticed() {
    let place = Place::new(SET, &[]);
    let table = mixed(&place, &[0]);
    let path = table.snapshot().unwrap().files.remove(0);
    let bits = 8 * fs::read(&path).unwrap().len();
    assert_eq!(table.verify().unwrap(), Vec::<String>::new());
    for bit in (0..bits).step_by(bits / 400) {
        flip(&path, bit);
        assert_eq!(table.verify().unwrap(), [name(&path)], "bit {bit}");
        flip(&path, bit);
    }
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(table.verify().unwrap(), [name(&path)]);
    fs::remove_file(&path).unwrap();
    assert_eq!(table.verify().unwrap(), [name(&path)]);
}

#[test]
fn upkeep_does_not_use_a_damaged_file() {
    let place = Place::new(SET, &[]);
    let server = place.server();
    mixed(&place, &[0; 16]);
    let table = Table::open(&place.path("table")).unwrap();
    let path = table.snapshot().unwrap().files.remove(7);
    flip(&path, 999);
    assert!(is_damaged(table.merge(&server), &name(&path)));
    assert!(is_damaged(
        table.retain_since(&server, i64::MAX),
        &name(&path)
    ));
    // A deletion goes on where it can, and says where it cannot.
    assert!(is_damaged(table.delete_device(&server, 1), &name(&path)));
    assert_eq!(table.verify().unwrap(), [name(&path)]);
}

#[test]
fn rows_take_the_place_of_damaged_files_in_one_entry() {
    let place = Place::new(SET, &[]);
    let server = place.server();
    let table = mixed(&place, &[0, 0, 0]);
    let version = table.snapshot().unwrap().version;
    let paths = table.snapshot().unwrap().files;
    paths[..2].iter().for_each(|path| flip(path, 4321));
    let damaged = table.verify().unwrap();
    assert_eq!(damaged, [name(&paths[0]), name(&paths[1])]);
    let again = [(1, 10), (1, 11), (2, 10)].map(|(device, at)| stored(&place, device, at));
    assert_eq!(table.replace(&server, &damaged, again).unwrap(), 3);
    let snapshot = table.snapshot().unwrap();
    assert_eq!((snapshot.version, rows(&table)), (version + 1, (5, 2)));
    assert_eq!(table.verify().unwrap(), Vec::<String>::new());
    // Files that are not there are no reason to write.
    assert!(table.replace(&server, &damaged, []).is_err());
    let healthy = [name(&paths[2])];
    let forged = [Ok(Stored {
        time: 0,
        bytes: vec![0; 99],
    })];
    assert!(table.replace(&server, &healthy, forged).is_err());
    assert_eq!(rows(&table), (5, 2));
    assert_eq!(table.replace(&server, &healthy, []).unwrap(), 0);
    assert_eq!(rows(&table), (3, 1));
}
