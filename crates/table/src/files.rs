//! Data files of a table: Parquet whose ciphertexts are neither compressed, nor counted, nor looked up.

use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::RecordBatch;
use bytes::Bytes;
use isopod_disk::{Access, Disk, DiskFile, Reader, Writer};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{ChunkReader, Length};
use parquet::schema::types::ColumnPath;

use crate::rows::{columns, Rows, Stored, FRAME_COLUMN};
use crate::{Error, Result};
use isopod_wire::FrameId;
use isopod_workflow::Server;

/// Bytes of frames in a row group, about: a scan holds a row group of every partition in memory.
const ROW_GROUP_BYTES: usize = 16 << 20;
/// Bytes of frames that are handed to the writer at once.
const BATCH_BYTES: usize = 4 << 20;
/// Bytes of frames in a file, at most by one batch more.
pub(crate) const FILE_BYTES: u64 = 512 << 20;
/// Rows that the writer encodes at once.
const WRITE_ROWS: usize = 16;
/// Rows without their frames that are read at once.
const SCAN_ROWS: usize = 8192;

/// Properties of a data file that the log records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Added {
    pub bytes: u64,
    pub rows: u64,
    /// CRC-32C of its bytes; files of earlier versions have none.
    pub checksum: Option<u32>,
    /// When it was added, in milliseconds since 1970.
    pub time: u64,
}

/// A finished data file, under its final name.
#[derive(Debug, Clone)]
pub(crate) struct DataFile {
    pub name: String,
    pub added: Added,
    /// When it was finished.
    pub finished: Instant,
}

/// A data file that is being written; removed unless it is finished.
pub(crate) struct NewFile {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    name: String,
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    writer: Option<ArrowWriter<Summed<Writer>>>,
    waiting: Rows,
    group: usize,
    rows: u64,
    frames: u64,
}

impl NewFile {
    pub fn create(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        let name = format!("part-{}.parquet", random_name()?);
        // Readers of Delta tables ignore names that begin with a point.
        let path = folder.join(format!(".{name}"));
        let file = disk.open(&path, Access::New).map_err(Error::at(&path))?;
        let file: Arc<dyn DiskFile> = file.into();
        let ciphertexts = ColumnPath::from(FRAME_COLUMN);
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_max_row_group_row_count(None)
            .set_write_batch_size(WRITE_ROWS)
            .set_column_dictionary_enabled(ciphertexts.clone(), false)
            .set_column_statistics_enabled(ciphertexts, EnabledStatistics::None)
            .build();
        let bytes = Summed::new(Writer::new(file.clone(), 0));
        let writer = ArrowWriter::try_new(bytes, columns(), Some(properties))?;
        Ok(Self {
            disk,
            folder: folder.to_owned(),
            name,
            path,
            file,
            writer: Some(writer),
            waiting: Rows::default(),
            group: 0,
            rows: 0,
            frames: 0,
        })
    }

    /// Adds a frame; true if the file is full.
    pub fn push(&mut self, server: &Server, frame: &Stored) -> Result<bool> {
        self.waiting.push(server, frame)?;
        self.rows += 1;
        self.frames += frame.bytes.len() as u64;
        if self.waiting.bytes() >= BATCH_BYTES {
            self.write()?;
        }
        Ok(self.frames >= FILE_BYTES)
    }

    fn write(&mut self) -> Result<()> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        self.group += self.waiting.bytes();
        writer.write(&self.waiting.take()?)?;
        if self.group >= ROW_GROUP_BYTES {
            writer.flush()?;
            self.group = 0;
        }
        Ok(())
    }

    /// Ends the file, durably, under its final name.
    pub fn finish(mut self) -> Result<DataFile> {
        self.write()?;
        let Some(writer) = self.writer.take() else {
            return Err(ParquetError::General("ended before".to_owned()).into());
        };
        let Summed {
            bytes, checksum, ..
        } = writer.into_inner()?;
        self.file.sync().map_err(Error::at(&self.path))?;
        let path = self.folder.join(&self.name);
        self.disk
            .rename(&self.path, &path)
            .map_err(Error::at(&path))?;
        self.disk
            .sync_folder(&self.folder)
            .map_err(Error::at(&self.folder))?;
        Ok(DataFile {
            name: self.name.clone(),
            added: Added {
                bytes,
                rows: self.rows,
                checksum: Some(checksum),
                time: now(),
            },
            finished: Instant::now(),
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Gone already, if the file was finished.
        let _ = self.disk.remove(&self.path);
    }
}

/// Bytes on their way to a file, counted and summed up.
struct Summed<W> {
    inner: W,
    bytes: u64,
    checksum: u32,
}

impl<W> Summed<W> {
    fn new(inner: W) -> Self {
        let (bytes, checksum) = (0, 0);
        Self {
            inner,
            bytes,
            checksum,
        }
    }
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.bytes += written as u64;
        self.checksum = crc32c::crc32c_append(self.checksum, &bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Sender and time of every row of a file, without its frames.
pub(crate) fn senders(disk: &dyn Disk, path: &Path) -> Result<Vec<(u64, i64)>> {
    let mut senders = Vec::new();
    for batch in read(disk, path, &["device", "time"], SCAN_ROWS)? {
        let batch = batch?;
        let devices = batch.column(0).as_primitive::<Int64Type>().values();
        let times = batch.column(1).as_primitive::<TimestampMicrosecondType>();
        let rows = devices.iter().zip(times.values());
        senders.extend(rows.map(|(&device, &time)| (device as u64, time)));
    }
    Ok(senders)
}

/// Name of every row's frame and its time, without the frame.
pub(crate) fn names(disk: &dyn Disk, path: &Path) -> Result<Vec<(FrameId, i64)>> {
    let mut names = Vec::new();
    for batch in read(
        disk,
        path,
        &["device", "epoch", "sequence", "time"],
        SCAN_ROWS,
    )? {
        let batch = batch?;
        let [devices, epochs, sequences] =
            [0, 1, 2].map(|column| batch.column(column).as_primitive::<Int64Type>().values());
        let times = batch.column(3).as_primitive::<TimestampMicrosecondType>();
        for (row, time) in times.values().iter().enumerate() {
            // The columns hold unsigned numbers below 2^63, and epochs below 2^32.
            let id = FrameId {
                device: devices[row] as u64,
                epoch: epochs[row] as u32,
                sequence: sequences[row] as u64,
            };
            names.push((id, *time));
        }
    }
    Ok(names)
}

/// The rows of a file, in their order, each with its device. Memory is that of a row group.
pub(crate) fn stored(
    disk: &dyn Disk,
    path: &Path,
) -> Result<impl Iterator<Item = Result<(u64, Stored)>> + use<>> {
    let batches = read(disk, path, &["device", "time", FRAME_COLUMN], WRITE_ROWS)?;
    Ok(batches.flat_map(|batch| match batch {
        Ok(batch) => frames(&batch).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(Error::from(error))],
    }))
}

fn frames(batch: &RecordBatch) -> Vec<(u64, Stored)> {
    let devices = batch.column(0).as_primitive::<Int64Type>();
    let times = batch.column(1).as_primitive::<TimestampMicrosecondType>();
    let frames = batch.column(2).as_binary::<i32>();
    let row = |row| {
        let stored = Stored {
            time: times.value(row),
            bytes: frames.value(row).to_vec(),
        };
        (devices.value(row) as u64, stored)
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Some columns of a file, in the order of the table.
fn read(
    disk: &dyn Disk,
    path: &Path,
    columns: &[&str],
    rows: usize,
) -> Result<ParquetRecordBatchReader> {
    let file = disk.open(path, Access::Read).map_err(Error::at(path))?;
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(OnDisk(file.into()))?.with_batch_size(rows);
    let mask = ProjectionMask::columns(reader.parquet_schema(), columns.iter().copied());
    Ok(reader.with_projection(mask).build()?)
}

/// A file in the terms of Parquet.
struct OnDisk(Arc<dyn DiskFile>);

impl Length for OnDisk {
    fn len(&self) -> u64 {
        // A reader of no bytes refuses the file.
        self.0.length().unwrap_or(0)
    }
}

impl ChunkReader for OnDisk {
    type T = BufReader<Reader>;

    fn get_read(&self, start: u64) -> parquet::errors::Result<Self::T> {
        Ok(BufReader::new(Reader::new(self.0.clone(), start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> parquet::errors::Result<Bytes> {
        let mut bytes = vec![0; length];
        self.0.read_exact_at(&mut bytes, start)?;
        Ok(bytes.into())
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

/// A name that no other file has, in the form of a UUID of version 4.
pub(crate) fn random_name() -> Result<String> {
    let mut bytes: [u8; 16] = isopod_keys::random().map_err(isopod_workflow::Error::from)?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = |range: std::ops::Range<usize>| -> String {
        bytes[range]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect()
    };
    let groups = [hex(0..4), hex(4..6), hex(6..8), hex(8..10), hex(10..16)];
    Ok(groups.join("-"))
}
