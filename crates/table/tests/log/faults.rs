//! Power that is lost at any operation of the disk: the table has what was appended and no more, and goes on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use isopod_disk::{Faults, Loss, SimulatedDisk};
use isopod_table::{Result, Stored, Table, Transaction};
use isopod_workflow::{Message, Server};

use super::support::Place;

/// A set of small frames.
const SET: &str = "ckks-1024x1-sum";
const FOLDER: &str = "/table";

fn frames(place: &Place, count: u64) -> Vec<Vec<u8>> {
    let message = Message::Real(vec![1.0]);
    (0..count)
        .map(|at| place.items(1, at, &message).concat())
        .collect()
}

/// Appends frames one by one where the table ends, merges them, and removes what was merged; up to the first error.
fn work(disk: &SimulatedDisk, server: &Server, frames: &[Vec<u8>]) -> Result<()> {
    let table = Table::open_or_create_on(Arc::new(disk.clone()), Path::new(FOLDER))?;
    table.sweep()?;
    let first = table.version_of("log")?.unwrap_or(0);
    for (version, bytes) in (1..).zip(frames).skip(first as usize) {
        let writer = "log".to_owned();
        let progress = Transaction { writer, version };
        let row = Stored {
            time: 0,
            bytes: bytes.clone(),
        };
        table.append(server, [Ok(row)], Some(&progress))?;
    }
    table.merge(server)?;
    table.vacuum(Duration::ZERO)?;
    Ok(())
}

/// Rows of the table as it is, after a start.
fn rows(disk: &SimulatedDisk) -> Result<(u64, i64)> {
    let table = Table::open_or_create_on(Arc::new(disk.clone()), Path::new(FOLDER))?;
    assert_eq!(table.verify()?, Vec::<String>::new());
    Ok((
        table.snapshot()?.rows,
        table.version_of("log")?.unwrap_or(0),
    ))
}

#[test]
fn a_loss_of_power_at_any_operation_leaves_a_table() {
    let place = Place::new(SET, &[]);
    let server = place.server();
    let frames = frames(&place, 16);
    let whole = SimulatedDisk::new(0);
    work(&whole, &server, &frames).unwrap();
    let operations = whole.operations();
    assert!(operations > 150, "{operations}");
    for at in 0..operations {
        let disk = SimulatedDisk::new(at);
        disk.inject(Faults {
            power_after: Some(at),
            ..Faults::default()
        });
        assert!(work(&disk, &server, &frames).is_err(), "operation {at}");
        disk.restart(if at % 4 == 0 {
            Loss::Process
        } else {
            Loss::Power
        });
        let (found, progress) = rows(&disk).unwrap();
        assert_eq!(found, progress as u64, "operation {at}");
        work(&disk, &server, &frames).unwrap();
        assert_eq!(rows(&disk).unwrap(), (16, 16), "operation {at}");
        // Merged, vacuumed, swept: one data file.
        let data = disk
            .files()
            .into_iter()
            .filter(|(path, _)| path.extension().is_some_and(|of| of == "parquet"));
        assert_eq!(data.count(), 1, "operation {at}");
    }
}

#[test]
fn a_full_disk_and_a_failed_flush_lose_nothing() {
    let place = Place::new(SET, &[]);
    let server = place.server();
    let frames = frames(&place, 4);
    for at in 0..12 {
        let disk = SimulatedDisk::new(at);
        let flush = Faults {
            flush_fails_after: Some(at),
            ..Faults::default()
        };
        let full = Faults {
            room: Some(at * 3_000),
            ..Faults::default()
        };
        disk.inject(if at % 2 == 0 { flush } else { full });
        let _ = work(&disk, &server, &frames);
        disk.restart(Loss::Power);
        let (found, progress) = rows(&disk).unwrap();
        assert_eq!(found, progress as u64, "fault {at}");
        work(&disk, &server, &frames).unwrap();
        assert_eq!(rows(&disk).unwrap(), (4, 4), "fault {at}");
    }
}
