//! The simulated disk keeps what was flushed, loses what may be lost, and fails as it is told.
#![allow(missing_docs, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

use isopod_disk::{read, replace, Access, Disk, Faults, Loss, SimulatedDisk, SystemDisk};

fn at(name: &str) -> PathBuf {
    Path::new("/data").join(name)
}

fn disk(seed: u64) -> SimulatedDisk {
    let disk = SimulatedDisk::new(seed);
    disk.make_folder(Path::new("/data")).unwrap();
    disk
}

#[test]
fn bytes_and_names_that_were_flushed_survive_and_others_may_be_lost() {
    let (mut lost, mut torn, mut nameless) = (0, 0, 0);
    for seed in 0..200 {
        let disk = disk(seed);
        let file = disk.open(&at("log"), Access::New).unwrap();
        file.write_at(&[1; 1024], 0).unwrap();
        file.sync().unwrap();
        disk.sync_folder(Path::new("/data")).unwrap();
        file.write_at(&[2; 2048], 1024).unwrap();
        disk.open(&at("new"), Access::New).unwrap().sync().unwrap();
        disk.restart(Loss::Power);
        assert!(file.sync().is_err(), "a file from before the loss is dead");
        let left = read(&disk, &at("log"), 4096).unwrap();
        assert_eq!(left[..1024], [1; 1024]);
        let kept = left[1024..].iter().filter(|byte| **byte == 2).count();
        assert_eq!(kept % 512, 0);
        lost += usize::from(kept == 0);
        torn += usize::from(0 < kept && kept < 2048);
        nameless += usize::from(disk.length(&at("new")).is_err());
    }
    assert!(
        lost > 20 && torn > 20 && nameless > 20,
        "{lost} {torn} {nameless}"
    );
}

#[test]
fn a_process_that_ends_loses_nothing() {
    let disk = disk(1);
    let file = disk.open(&at("log"), Access::New).unwrap();
    file.write_at(&[1; 1000], 0).unwrap();
    disk.restart(Loss::Process);
    assert_eq!(read(&disk, &at("log"), 4096).unwrap(), [1; 1000]);
}

#[test]
fn a_replaced_file_is_old_or_new_whenever_the_power_is_lost() {
    let (mut old, mut new) = (0, 0);
    for seed in 0..400 {
        let disk = disk(seed);
        let put = |byte| {
            replace(&disk, &at("state"), &mut |file| {
                file.write_at(&[byte; 700], 0)
            })
        };
        put(1).unwrap();
        disk.inject(Faults {
            power_after: Some(seed % 5),
            ..Faults::default()
        });
        let replaced = put(2);
        disk.restart(Loss::Power);
        let left = read(&disk, &at("state"), 4096).unwrap();
        assert!(left == [1; 700] || left == [2; 700], "{left:?}");
        assert!(replaced.is_err() || left[0] == 2);
        old += usize::from(left[0] == 1);
        new += usize::from(left[0] == 2);
    }
    assert!(old > 20 && new > 20, "{old} {new}");
}

#[test]
fn a_failed_flush_forgets_and_a_full_disk_writes_a_part() {
    let mut lost = 0;
    for seed in 0..50 {
        let disk = disk(seed);
        let file = disk.open(&at("log"), Access::New).unwrap();
        disk.sync_folder(Path::new("/data")).unwrap();
        disk.inject(Faults {
            flush_fails_after: Some(0),
            ..Faults::default()
        });
        file.write_at(&[1; 512], 0).unwrap();
        file.sync().unwrap_err();
        file.sync().unwrap();
        disk.restart(Loss::Power);
        lost += usize::from(disk.length(&at("log")).unwrap() == 0);
        let file = disk.open(&at("log"), Access::Empty).unwrap();
        disk.inject(Faults {
            room: Some(100),
            ..Faults::default()
        });
        let full = file.write_at(&[1; 512], 0).unwrap_err();
        assert_eq!(full.kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(file.length().unwrap(), 100);
    }
    assert!(lost > 10, "{lost}");
}

#[test]
fn bits_flip_and_locks_exclude() {
    let disk = disk(1);
    replace(&disk, &at("state"), &mut |file| file.write_at(&[0; 4], 0)).unwrap();
    disk.flip(&at("state"), 9).unwrap();
    assert_eq!(read(&disk, &at("state"), 9).unwrap(), [0, 2, 0, 0]);
    let held = disk.lock(&at("lock")).unwrap();
    assert!(disk.lock(&at("lock")).is_err());
    drop(held);
    disk.lock(&at("lock")).unwrap();
}

/// Both disks give the same answers to the same operations.
#[test]
fn the_system_and_the_simulation_agree() {
    let folder = std::env::temp_dir().join(format!("isopod-disk-{}", std::process::id()));
    let simulated = SimulatedDisk::new(1);
    let answers: Vec<Vec<String>> = [&SystemDisk as &dyn Disk, &simulated]
        .iter()
        .map(|disk| answers(*disk, &folder))
        .collect();
    std::fs::remove_dir_all(&folder).unwrap_or_default();
    assert_eq!(answers[0], answers[1]);
}

fn answers(disk: &dyn Disk, folder: &Path) -> Vec<String> {
    let path = |name: &str| folder.join("inner").join(name);
    let mut found = Vec::new();
    let mut tell = |what: &dyn std::fmt::Debug| found.push(format!("{what:?}"));
    tell(
        &disk
            .open(&path("a"), Access::New)
            .map(drop)
            .map_err(|error| error.kind()),
    );
    disk.make_folder(&folder.join("inner")).unwrap();
    let file = disk.open(&path("a"), Access::New).unwrap();
    tell(
        &disk
            .open(&path("a"), Access::New)
            .map(drop)
            .map_err(|error| error.kind()),
    );
    tell(
        &disk
            .open(&path("b"), Access::Write)
            .map(drop)
            .map_err(|error| error.kind()),
    );
    file.write_at(b"hello", 3).unwrap();
    tell(&file.length().unwrap());
    tell(&read(disk, &path("a"), 100).unwrap());
    tell(&read(disk, &path("a"), 7).map_err(|error| error.kind()));
    file.set_length(4).unwrap();
    file.sync().unwrap();
    tell(&read(disk, &path("a"), 100).unwrap());
    tell(
        &disk
            .link(&path("a"), &path("a"))
            .map_err(|error| error.kind()),
    );
    disk.link(&path("a"), &path("b")).unwrap();
    disk.rename(&path("a"), &path("c")).unwrap();
    tell(&disk.list(&folder.join("inner")).unwrap());
    disk.remove(&path("b")).unwrap();
    tell(&disk.remove(&path("b")).map_err(|error| error.kind()));
    let mut byte = [0; 9];
    tell(&file.read_at(&mut byte, 4).unwrap());
    disk.sync_folder(&folder.join("inner")).unwrap();
    disk.remove_folder(&folder.join("inner")).unwrap();
    tell(
        &disk
            .list(&folder.join("inner"))
            .map_err(|error| error.kind()),
    );
    found
}
