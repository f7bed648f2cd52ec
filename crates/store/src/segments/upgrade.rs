//! Segments of version 0.2 become those of today, at the same positions: their records had one checksum over header and frame,
//! and the kind in the place of the header's checksum.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use isopod_disk::{Access, Disk, DiskFile};

use crate::error::{Result, StoreError};
use crate::record::{Head, Kind, HEAD, MOST_FRAME};
use crate::segments::{begin, BEGIN};
use crate::Position;

const MAGIC: &[u8; 8] = b"ISOPODL1";

/// Writes segments anew that are of version 0.2, the newest first: if the oldest is of today, all are.
pub(super) fn upgrade(disk: &dyn Disk, files: &BTreeMap<Position, PathBuf>) -> Result<()> {
    match files.first_key_value() {
        Some((base, path)) if is_former(disk, path, *base)? => {}
        _ => return Ok(()),
    }
    let newest_first = files.iter().rev();
    newest_first
        .into_iter()
        .try_for_each(|(base, path)| upgrade_one(disk, path, *base))
}

fn is_former(disk: &dyn Disk, path: &Path, base: Position) -> Result<bool> {
    let file = disk
        .open(path, Access::Read)
        .map_err(StoreError::file(path))?;
    let mut found = [0; BEGIN as usize];
    let read = file
        .read_at(&mut found, 0)
        .map_err(StoreError::file(path))?;
    Ok(read == found.len() && found[..8] == *MAGIC && found[8..] == base.to_le_bytes())
}

/// Writes a segment anew if it is of version 0.2. Bytes that form no record stay as they are.
fn upgrade_one(disk: &dyn Disk, path: &Path, base: Position) -> Result<()> {
    if !is_former(disk, path, base)? {
        return Ok(());
    }
    let failed = StoreError::file(path);
    let file = disk.open(path, Access::Read).map_err(&failed)?;
    let length = file.length().map_err(&failed)?;
    isopod_disk::replace(disk, path, &mut |into| {
        into.write_at(&begin(base), 0)?;
        let mut at = BEGIN;
        while let Some((head, frame)) = record(file.as_ref(), at, length)? {
            into.write_at(&head.bytes(base + at), at)?;
            into.write_at(&frame, at + HEAD as u64)?;
            at += head.record_bytes();
        }
        isopod_disk::copy(file.as_ref(), at..length, into, at)?;
        into.set_length(length)
    })
    .map_err(&failed)
}

/// The record at an offset, if it verifies. The frame of a deleted one is left out.
fn record(file: &dyn DiskFile, at: u64, length: u64) -> std::io::Result<Option<(Head, Vec<u8>)>> {
    let mut bytes = [0; HEAD];
    if at + HEAD as u64 > length {
        return Ok(None);
    }
    file.read_exact_at(&mut bytes, at)?;
    let Some(head) = parse(&bytes) else {
        return Ok(None);
    };
    if at + head.record_bytes() > length {
        return Ok(None);
    }
    let mut frame = vec![0; head.length as usize];
    if head.kind != Kind::Deleted {
        file.read_exact_at(&mut frame, at + HEAD as u64)?;
    }
    let begin = crc32c::crc32c_append(crc32c::crc32c(&bytes[..4]), &bytes[8..]);
    let (found, new) = match head.kind {
        Kind::Deleted => {
            frame.clear();
            (begin, head.deleted())
        }
        kind => {
            let new = Head::new(kind, head.key_id, head.id, &frame);
            (
                crc32c::crc32c_append(begin, &frame),
                new.at_time(head.received),
            )
        }
    };
    Ok((found == head.crc).then_some((new, frame)))
}

/// A header of version 0.2: as that of today but for kind and time.
fn parse(bytes: &[u8; HEAD]) -> Option<Head> {
    let mut moved = *bytes;
    moved[39] = bytes[28];
    let head = Head::parse(&moved)?;
    (bytes[29..32] == [0; 3] && bytes[39] == 0 && head.length as usize <= MOST_FRAME)
        .then_some(head)
}
