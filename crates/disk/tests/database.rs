//! Databases on a simulated disk: made whole, read beside a writer, and refused when damaged.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io;
use std::path::Path;

use isopod_disk::{
    make_database, open_database, read_database, Access, Disk, Faults, Loss, SimulatedDisk,
};
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
        put(&open_database(&disk, path(), CACHE).unwrap(), 0..1000, content);
    }
}
