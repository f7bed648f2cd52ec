//! Databases on a simulated disk: made whole, read beside a writer, and refused when damaged.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io;
use std::path::Path;

use isopod_disk::{make_database, open_database, read_database, Disk, Faults, Loss, SimulatedDisk};
use redb::{ReadableDatabase, TableDefinition};

const ROWS: TableDefinition<'static, u64, &[u8]> = TableDefinition::new("rows");
const CACHE: usize = 1 << 20;

fn put(database: &redb::Database, rows: std::ops::Range<u64>, content: u8) {
    let mut transaction = database.begin_write().unwrap();
    transaction.set_quick_repair(true);
    {
        let mut table = transaction.open_table(ROWS).unwrap();
        for row in rows {
            table.insert(row, &[content; 100][..]).unwrap();
        }
    }
    transaction.commit().unwrap();
}

fn made(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    disk.make_folder(Path::new("/data")).unwrap();
    make_database(&disk, path(), CACHE, |database| {
        put(database, 0..1000, 1);
        io::Result::Ok(())
    })
    .unwrap();
    disk
}

fn path() -> &'static Path {
    Path::new("/data/rows")
}

#[test]
fn a_closed_database_is_read_without_a_write() {
    let disk = made(0);
    for content in 2..5 {
        let operations = disk.operations();
        let reader = read_database(&disk, path(), CACHE).unwrap().unwrap();
        let table = reader.begin_read().unwrap().open_table(ROWS).unwrap();
        assert_eq!(table.get(7).unwrap().unwrap().value(), [content - 1; 100]);
        assert_eq!(disk.operations(), operations);
        put(
            &open_database(&disk, path(), CACHE).unwrap(),
            0..1000,
            content,
        );
    }
}

#[test]
fn a_reader_keeps_its_rows_or_is_refused_while_a_writer_goes_on() {
    let disk = made(0);
    let reader = read_database(&disk, path(), CACHE).unwrap().unwrap();
    let table = reader.begin_read().unwrap().open_table(ROWS).unwrap();
    for content in 2..6 {
        put(
            &open_database(&disk, path(), CACHE).unwrap(),
            0..1000,
            content,
        );
    }
    let read = (0..1000).map(|row| {
        let found = table.get(row).map(|found| found.unwrap().value().to_vec());
        found.map(|found| assert_eq!(found, [1; 100]))
    });
    let refused = read.filter(Result::is_err).count();
    assert!(refused > 0, "the pages were used again");
}

#[test]
fn an_interrupted_writer_is_told_and_mended() {
    for operation in 1..40 {
        let disk = made(operation);
        disk.inject(Faults {
            power_after: Some(operation),
            ..Faults::default()
        });
        let _ = open_database(&disk, path(), CACHE).map(|database| {
            let mut transaction = database.begin_write()?;
            transaction.set_quick_repair(true);
            transaction.open_table(ROWS)?.insert(7, &[2; 100][..])?;
            transaction.commit()?;
            Ok::<_, redb::Error>(())
        });
        disk.restart(Loss::Power);
        if read_database(&disk, path(), CACHE).unwrap().is_none() {
            drop(open_database(&disk, path(), CACHE).unwrap());
        }
        let reader = read_database(&disk, path(), CACHE).unwrap().unwrap();
        let table = reader.begin_read().unwrap().open_table(ROWS).unwrap();
        let row = table.get(7).unwrap().unwrap().value().to_vec();
        assert!(row == [1; 100] || row == [2; 100], "{operation}");
        assert_eq!(table.get(8).unwrap().unwrap().value(), [1; 100]);
    }
}

#[test]
fn a_database_appears_whole_or_not_at_all() {
    for operation in 0..60 {
        let disk = SimulatedDisk::new(operation);
        disk.make_folder(Path::new("/data")).unwrap();
        disk.inject(Faults {
            power_after: Some(operation),
            ..Faults::default()
        });
        let made = make_database(&disk, path(), CACHE, |database| {
            let mut transaction = database.begin_write()?;
            transaction.set_quick_repair(true);
            transaction.open_table(ROWS)?.insert(7, &[1; 100][..])?;
            transaction.commit()?;
            Ok::<_, redb::Error>(())
        });
        disk.restart(Loss::Power);
        let is_there = isopod_disk::exists(&disk, path()).unwrap();
        assert!(is_there || made.is_err(), "{operation}");
        if is_there {
            let reader = read_database(&disk, path(), CACHE).unwrap().unwrap();
            let table = reader.begin_read().unwrap().open_table(ROWS).unwrap();
            assert_eq!(table.get(7).unwrap().unwrap().value(), [1; 100]);
        }
    }
}

#[test]
fn a_file_that_is_too_short_is_damage_and_stays() {
    let disk = made(0);
    for length in [0, 72, 4096, 8191] {
        let write = &mut |file: &dyn isopod_disk::DiskFile| file.write_at(&vec![7; length], 0);
        isopod_disk::replace(&disk, path(), write).unwrap();
        let opened = open_database(&disk, path(), CACHE).unwrap_err();
        assert_eq!(opened.kind(), io::ErrorKind::InvalidData);
        let read = read_database(&disk, path(), CACHE).err().unwrap();
        assert_eq!(read.kind(), io::ErrorKind::InvalidData);
        let content = isopod_disk::read(&disk, path(), 9999).unwrap();
        assert_eq!(content, vec![7; length]);
    }
}
