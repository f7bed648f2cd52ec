//! Checkpoints of the log `[DELTA]`: the state at a version in one file, from which readers begin.
//!
//! A checkpoint has its own checksum in its footer. One that does not verify is passed over for an older one, or for the entries.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use isopod_disk::Disk;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::ArrowWriter;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use serde_json::{json, Value};

use super::state::State;
use super::{checksum, columns};
use crate::{Error, Result};

/// Versions from one checkpoint to the next.
pub(super) const EVERY: u64 = 100;
/// Most bytes of a checkpoint, and of the file that names the last one.
const MOST: u64 = 1 << 30;
const MOST_HINT: u64 = 1 << 16;
/// Name of the checksum in a checkpoint's footer; behind it is the length of the digits in the terms of Thrift.
const CHECKSUM: &str = "isopod.crc32c";
const DIGITS_FOLLOW: [u8; 2] = [0x18, checksum::DIGITS.len() as u8];
/// Begin of the file that names the last checkpoint.
const HINT: &str = "{\"isopod.crc32c\":\"";

/// Path of a checkpoint in the folder of a log.
pub(super) fn path(folder: &Path, version: u64) -> PathBuf {
    folder.join(format!("{version:020}.checkpoint.parquet"))
}

/// Path of the file that names the last checkpoint.
pub(super) fn hint(folder: &Path) -> PathBuf {
    folder.join("_last_checkpoint")
}

/// Version of a checkpoint by its name.
pub(super) fn version(path: &Path) -> Option<u64> {
    let name = path.file_name()?.to_str()?;
    name.strip_suffix(".checkpoint.parquet")?.parse().ok()
}

/// Writes a checkpoint, and then the file that names it.
pub(super) fn write(disk: &dyn Disk, folder: &Path, state: &State) -> Result<()> {
    let actions = state.actions();
    let bytes = encode(&actions)?;
    put(disk, &path(folder, state.version()), &bytes)?;
    let said = json!({"version": state.version(), "size": actions.len(), "sizeInBytes": bytes.len(),
                      "numOfAddFiles": state.files.len()});
    let rest = said.to_string();
    let mut said = format!("{HINT}{}\",{}", checksum::DIGITS, &rest[1..]).into_bytes();
    checksum::put(&mut said, HINT.len());
    put(disk, &hint(folder), &said)
}

fn put(disk: &dyn Disk, path: &Path, bytes: &[u8]) -> Result<()> {
    isopod_disk::replace(disk, path, &mut |file| file.write_at(bytes, 0)).map_err(Error::at(path))
}

fn encode(actions: &[Value]) -> Result<Vec<u8>> {
    let checksum = KeyValue::new(CHECKSUM.to_owned(), checksum::DIGITS.to_owned());
    let properties = WriterProperties::builder().set_key_value_metadata(Some(vec![checksum]));
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, columns::schema(), Some(properties.build()))?;
    writer.write(&columns::batch(actions)?)?;
    writer.close()?;
    if let Some(place) = place(&bytes) {
        checksum::put(&mut bytes, place);
    }
    Ok(bytes)
}

/// Place of the digits in a checkpoint.
fn place(bytes: &[u8]) -> Option<usize> {
    let name = [CHECKSUM.as_bytes(), &DIGITS_FOLLOW].concat();
    let place = bytes.windows(name.len()).rposition(|part| part == name)?;
    Some(place + name.len())
}

/// Version of the last checkpoint, if the file that names it is whole.
pub(super) fn hinted(disk: &dyn Disk, folder: &Path) -> Option<u64> {
    let bytes = isopod_disk::read(disk, &hint(folder), MOST_HINT).ok()?;
    if !bytes.starts_with(HINT.as_bytes()) || !checksum::is_right(&bytes, HINT.len()) {
        return None;
    }
    let said: Value = serde_json::from_slice(&bytes).ok()?;
    said["version"].as_u64()
}

/// Reads a checkpoint; none that is damaged or of another writer.
pub(super) fn read(disk: &dyn Disk, folder: &Path, version: u64) -> Option<State> {
    let path = path(folder, version);
    let bytes = isopod_disk::read(disk, &path, MOST).ok()?;
    if !checksum::is_right(&bytes, place(&bytes)?) {
        return None;
    }
    let mut state = State::of_checkpoint(version);
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::from(bytes)).ok()?;
    for batch in reader.build().ok()? {
        for action in columns::actions(&batch.ok()?) {
            state.apply(&path, &action).ok()?;
        }
    }
    state.is_table().then_some(state)
}
