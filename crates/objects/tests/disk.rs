//! The disk on a store in memory: what tables do with it, and what it refuses.
#![allow(clippy::unwrap_used)]

use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use isopod_disk::{exists, read, replace, Access, Disk};
use isopod_objects::ObjectDisk;
use object_store::memory::InMemory;

fn disk() -> (ObjectDisk, Arc<InMemory>) {
    let store = Arc::new(InMemory::new());
    (
        ObjectDisk::new(store.clone(), &std::env::temp_dir()).unwrap(),
        store,
    )
}

fn stage(disk: &ObjectDisk, path: &str, bytes: &[u8]) {
    let file = disk.open(path.as_ref(), Access::New).unwrap();
    file.write_at(bytes, 0).unwrap();
    file.sync().unwrap();
}

#[test]
fn a_file_is_an_object_once_it_has_its_last_name() {
    let (disk, store) = disk();
    let other = ObjectDisk::new(store, &std::env::temp_dir()).unwrap();
    let path = Path::new("/fleet/part.parquet");
    stage(&disk, "/fleet/.part.parquet", b"rows");
    assert_eq!(other.list("/fleet".as_ref()).unwrap().len(), 0);
    disk.rename("/fleet/.part.parquet".as_ref(), path).unwrap();
    assert_eq!(other.list("/fleet".as_ref()).unwrap(), [path]);
    assert_eq!(other.length(path).unwrap(), 4);
    assert_eq!(read(&other, path, 99).unwrap(), b"rows");
    assert!(!exists(&disk, "/fleet/.part.parquet".as_ref()).unwrap());
}

#[test]
fn of_two_links_to_one_name_one_succeeds() {
    let (disk, store) = disk();
    let other = ObjectDisk::new(store, &std::env::temp_dir()).unwrap();
    let entry = Path::new("/fleet/_delta_log/1.json");
    stage(&disk, "/fleet/_delta_log/.a.tmp", b"one");
    stage(&other, "/fleet/_delta_log/.b.tmp", b"two");
    disk.link("/fleet/_delta_log/.a.tmp".as_ref(), entry)
        .unwrap();
    let refused = other.link("/fleet/_delta_log/.b.tmp".as_ref(), entry);
    assert_eq!(refused.unwrap_err().kind(), ErrorKind::AlreadyExists);
    assert_eq!(read(&other, entry, 99).unwrap(), b"one");
    other.remove("/fleet/_delta_log/.b.tmp".as_ref()).unwrap();
}

#[test]
fn many_megabytes_are_sent_and_read_in_pieces() {
    let (disk, _) = disk();
    let bytes: Vec<u8> = (0..40_000_001u32).map(|at| (at / 7) as u8).collect();
    stage(&disk, "/a/.big", &bytes);
    disk.rename("/a/.big".as_ref(), "/a/big".as_ref()).unwrap();
    let file = disk.open("/a/big".as_ref(), Access::Read).unwrap();
    assert_eq!(file.length().unwrap(), bytes.len() as u64);
    for offset in [
        0, 4_194_303, 4_194_304, 39_999_990, 12, 40_000_001, 50_000_000,
    ] {
        let mut found = [0; 10];
        let length = file.read_at(&mut found, offset).unwrap();
        let from = bytes.get(offset as usize..).unwrap_or_default();
        assert_eq!(found[..length], from[..length], "{offset}");
        assert_eq!(length == 0, from.is_empty(), "{offset}");
    }
    assert_eq!(read(&disk, "/a/big".as_ref(), 1 << 30).unwrap(), bytes);
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let (disk, _) = disk();
    let path = Path::new("/a/_last_checkpoint");
    for content in [&b"one"[..], b"", b"another"] {
        replace(&disk, path, &mut |file| file.write_at(content, 0)).unwrap();
        assert_eq!(read(&disk, path, 99).unwrap(), content);
    }
    disk.remove(path).unwrap();
    assert_eq!(disk.remove(path).unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(disk.length(path).unwrap_err().kind(), ErrorKind::NotFound);
    let missing = disk.open(path, Access::Read);
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn a_folder_is_removed_with_all_that_is_in_it() {
    let (disk, _) = disk();
    for name in ["/a/b/one", "/a/b/c/two", "/a/other"] {
        let staged = format!("{name}.partial");
        stage(&disk, &staged, b"x");
        disk.rename(staged.as_ref(), name.as_ref()).unwrap();
    }
    stage(&disk, "/a/b/.three", b"x");
    let found = disk.list("/a".as_ref()).unwrap();
    assert_eq!(found, [Path::new("/a/b"), Path::new("/a/other")]);
    disk.remove_folder("/a/b".as_ref()).unwrap();
    assert_eq!(disk.list("/a".as_ref()).unwrap(), [Path::new("/a/other")]);
}

#[test]
fn locks_and_changes_within_an_object_are_refused() {
    let (disk, _) = disk();
    stage(&disk, "/a/.one", b"x");
    disk.rename("/a/.one".as_ref(), "/a/one".as_ref()).unwrap();
    let kinds = [
        disk.lock("/a/lock".as_ref()).map(drop),
        disk.wait_for_lock("/a/lock".as_ref()).map(drop),
        disk.open("/a/one".as_ref(), Access::Write).map(drop),
        disk.open("/a/two".as_ref(), Access::New).map(drop),
        disk.open("/a/two".as_ref(), Access::Empty).map(drop),
        disk.open("/a/one".as_ref(), Access::Read)
            .unwrap()
            .write_at(b"y", 0),
    ];
    for refused in kinds {
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    stage(&disk, "/a/.two", b"x");
    let again = disk.open("/a/.two".as_ref(), Access::New);
    assert_eq!(again.unwrap_err().kind(), ErrorKind::AlreadyExists);
}
