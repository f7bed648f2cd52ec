//! Steps of writers of which several programs are one at a time.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::{Access, Disk, DiskFile, SimulatedDisk};
use isopod_table::{Error, Step, Stored, Table};

use super::support::Place;
use super::{stored, SET};

fn step(writer: &str, from: i64, to: i64, state: i64) -> Step {
    let writer = writer.to_owned();
    Step {
        writer,
        from,
        to,
        state,
    }
}

fn rows(table: &Table) -> u64 {
    table.snapshot().unwrap().rows
}

#[test]
fn a_step_begins_where_the_one_before_ended() {
    let place = Place::new(SET, &[]);
    let (table, server) = (Table::create(&place.path("table")).unwrap(), place.server());
    let append = |sequence, steps: &[Step]| {
        let frames = [stored(&place, 1, sequence)];
        table.append_steps(&server, frames, steps).map(|of| of.rows)
    };
    assert_eq!(append(0, &[step("frames/3", 0, 10, 77)]).unwrap(), 1);
    // Once more, as after an answer that was lost.
    assert_eq!(append(0, &[step("frames/3", 0, 10, 77)]).unwrap(), 0);
    assert_eq!(rows(&table), 1);
    // By a program that does not know of the step.
    for (from, to) in [(0, 10), (0, 11), (9, 12), (11, 12)] {
        let refused = append(1, &[step("frames/3", from, to, 78)]).unwrap_err();
        let said = refused.to_string();
        assert!(
            matches!(refused, Error::TakenOver { found: 10, .. }),
            "{said}"
        );
        assert!(
            said.starts_with("frames/3: at 10 in the table; allowed is"),
            "{said}"
        );
    }
    // One of two.
    let both = [step("frames/4", 0, 5, 79), step("frames/3", 0, 11, 80)];
    append(1, &both).unwrap_err();
    assert_eq!(table.version_of("frames/4").unwrap(), None);
    let both = [step("frames/4", 0, 5, 81), step("frames/3", 10, 11, 82)];
    assert_eq!(append(1, &both).unwrap(), 1);
    // Neither frames nor progress, but another state.
    let none: [isopod_table::Result<Stored>; 0] = [];
    let idle = [step("frames/4", 5, 5, 83)];
    table.append_steps(&server, none, &idle).unwrap();
    let version = |writer: &str| table.version_of(writer).unwrap();
    assert_eq!(version("frames/3"), Some(11));
    assert_eq!(version("frames/4"), Some(5));
    assert_eq!(version(&Step::state_of("frames/4")), Some(83));
    assert_eq!(rows(&table), 2);
}

/// A disk whose links succeed and are answered as if another had the name, as by a store whose first answer was lost.
#[derive(Debug)]
struct LostAnswers(SimulatedDisk);

impl Disk for LostAnswers {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        self.0.open(path, access)
    }
    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        self.0.lock(path)
    }
    fn wait_for_lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        self.0.wait_for_lock(path)
    }
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }
    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.link(from, to)?;
        match to.ends_with("00000000000000000000.json") {
            true => Ok(()),
            false => Err(ErrorKind::AlreadyExists.into()),
        }
    }
    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }
    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.0.make_folder(path)
    }
    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.0.remove_folder(path)
    }
    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.list(folder)
    }
    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.0.sync_folder(folder)
    }
    fn length(&self, path: &Path) -> io::Result<u64> {
        self.0.length(path)
    }
}

#[test]
fn an_entry_whose_answer_was_lost_keeps_its_files() {
    let place = Place::new(SET, &[]);
    let server = place.server();
    let disk = Arc::new(LostAnswers(SimulatedDisk::new(1)));
    let table = Table::open_or_create_on(disk, Path::new("/table")).unwrap();
    let one = step("frames/0", 0, 1, 5);
    let appended = table.append_steps(&server, [stored(&place, 1, 0)], &[one]);
    assert_eq!(appended.unwrap().rows, 1);
    let transaction = isopod_table::Transaction {
        writer: "log".to_owned(),
        version: 9,
    };
    let appended = table.append(&server, [stored(&place, 1, 1)], Some(&transaction));
    assert_eq!(appended.unwrap().rows, 1);
    let appended = table.append(&server, [stored(&place, 1, 2)], None);
    assert_eq!(appended.unwrap().rows, 1);
    assert_eq!(table.delete_device(&server, 9).unwrap(), 0);
    let before = table.file_names().unwrap();
    assert_eq!(
        table
            .replace(&server, &before, [stored(&place, 1, 3)])
            .unwrap(),
        1
    );
    assert_eq!((rows(&table), table.verify().unwrap().len()), (1, 0));
}
