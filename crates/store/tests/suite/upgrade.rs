//! A log of version 0.2 opens as one of today: frames, deletions, and the names of frames that retention removed.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;

use isopod_disk::{Access, Disk, SimulatedDisk};
use isopod_store::{AppendOutcome, Log, NewFrame, Options};
use isopod_wire::FrameId;

use crate::log::KEY;

const FOLDER: &str = "/data/log";
const BASE: u64 = 5000;

/// A record of version 0.2.
fn record(sequence: u64, kind: u32, frame: &[u8]) -> Vec<u8> {
    let mut head = vec![0; 56];
    head[..4].copy_from_slice(&(frame.len() as u32).to_le_bytes());
    head[8..16].copy_from_slice(&3u64.to_le_bytes());
    head[16..24].copy_from_slice(&sequence.to_le_bytes());
    head[24..28].copy_from_slice(&1u32.to_le_bytes());
    head[28..32].copy_from_slice(&kind.to_le_bytes());
    head[32..40].copy_from_slice(&(1000 + sequence).to_le_bytes());
    head[40..].copy_from_slice(&KEY);
    let begin = crc32c::crc32c_append(crc32c::crc32c(&head[..4]), &head[8..]);
    let crc = match kind {
        2 => begin,
        _ => crc32c::crc32c_append(begin, frame),
    };
    head[4..8].copy_from_slice(&crc.to_le_bytes());
    [head, frame.to_vec()].concat()
}

fn put(disk: &SimulatedDisk, name: &str, bytes: &[u8]) {
    let path = Path::new(FOLDER).join(name);
    let file = disk.open(&path, Access::Empty).unwrap();
    file.write_at(bytes, 0).unwrap();
}

fn frame(sequence: u64) -> NewFrame {
    NewFrame {
        key_id: KEY,
        id: FrameId {
            device: 3,
            epoch: 1,
            sequence,
        },
        received: 0,
        bytes: vec![sequence as u8; 40],
    }
}

/// A log whose frames 0 to 4 retention removed; 5 to 7 are there, 6 is deleted, and 8 is torn.
fn written() -> SimulatedDisk {
    let disk = SimulatedDisk::new(1);
    disk.make_folder(Path::new(FOLDER)).unwrap();
    let begin = [&b"ISOPODL1"[..], &BASE.to_le_bytes()].concat();
    let records = [
        record(5, 1, &[5; 40]),
        record(6, 2, &[0; 40]),
        record(7, 1, &[7; 40]),
    ];
    let torn = &record(8, 1, &[8; 40])[..70];
    let segment = [&begin[..], &records.concat(), torn].concat();
    put(&disk, &format!("{BASE:020}.segment"), &segment);
    let mut index = b"ISOPODX1".to_vec();
    // Position, time, devices; then key pair, device, frames, bytes, time, ranges; then epoch, first and last.
    for number in [BASE + 16 + 96, 1005, 1] {
        index.extend(u64::to_le_bytes(number));
    }
    index.extend(KEY);
    for number in [3, 6, 240, 1005, 1] {
        index.extend(u64::to_le_bytes(number));
    }
    index.extend(1u32.to_le_bytes());
    index.extend(0u64.to_le_bytes());
    index.extend(5u64.to_le_bytes());
    index.extend(crc32c::crc32c(&index).to_le_bytes());
    put(&disk, "index", &index);
    disk
}

#[test]
fn frames_deletions_and_names_of_version_0_2_are_there() {
    let disk = written();
    for _ in 0..2 {
        let options = Options {
            disk: Arc::new(disk.clone()),
            ..Options::default()
        };
        let (log, recovered) = Log::open(Path::new(FOLDER), options).unwrap();
        assert!(recovered.damage.is_empty(), "{recovered:?}");
        let found: Vec<_> = log.frames(0).map(Result::unwrap).collect();
        let sequences: Vec<u64> = found.iter().map(|frame| frame.id.sequence).collect();
        assert_eq!(sequences, [5, 7]);
        assert_eq!(
            (found[0].received, &found[1].bytes),
            (1005, &frame(7).bytes)
        );
        let totals = log.totals();
        assert_eq!((totals.devices, totals.frames, totals.stored), (1, 8, 2));
        let known = log.append_all((0..8).map(frame).collect()).unwrap();
        assert_eq!(known, vec![AppendOutcome::Known; 8]);
    }
    let options = Options {
        disk: Arc::new(disk.clone()),
        ..Options::default()
    };
    let (log, _) = Log::open(Path::new(FOLDER), options).unwrap();
    let stored = log.append_all(vec![frame(8)]).unwrap();
    assert!(
        matches!(stored[..], [AppendOutcome::Stored(_)]),
        "{stored:?}"
    );
}
