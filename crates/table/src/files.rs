//! Data files of a table: Parquet whose ciphertexts are neither compressed, nor counted, nor looked up.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::RecordBatch;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::Compression;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use crate::rows::{columns, Rows, Stored, FRAME_COLUMN};
use crate::{Error, Result};
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

/// A finished data file, under its final name.
#[derive(Debug, Clone)]
pub(crate) struct DataFile {
    pub name: String,
    pub bytes: u64,
    pub rows: u64,
}

/// A data file that is being written; removed unless it is finished.
pub(crate) struct NewFile {
    folder: PathBuf,
    name: String,
    path: PathBuf,
    writer: Option<ArrowWriter<File>>,
    waiting: Rows,
    group: usize,
    rows: u64,
    frames: u64,
}

impl NewFile {
    pub fn create(folder: &Path) -> Result<Self> {
        let name = format!("part-{}.parquet", random_name()?);
        // Readers of Delta tables ignore names that begin with a point.
        let path = folder.join(format!(".{name}"));
        let file = File::create_new(&path).map_err(Error::at(&path))?;
        let ciphertexts = ColumnPath::from(FRAME_COLUMN);
        let properties = WriterProperties::builder()
            .set_compression(Compression::UNCOMPRESSED)
            .set_max_row_group_row_count(None)
            .set_write_batch_size(WRITE_ROWS)
            .set_column_dictionary_enabled(ciphertexts.clone(), false)
            .set_column_statistics_enabled(ciphertexts, EnabledStatistics::None)
            .build();
        let writer = ArrowWriter::try_new(file, columns(), Some(properties))?;
        Ok(Self {
            folder: folder.to_owned(),
            name,
            path,
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
        if let Some(mut writer) = self.writer.take() {
            writer.finish()?;
            writer
                .inner_mut()
                .sync_all()
                .map_err(Error::at(&self.path))?;
        }
        let bytes = std::fs::metadata(&self.path)
            .map_err(Error::at(&self.path))?
            .len();
        let path = self.folder.join(&self.name);
        std::fs::rename(&self.path, &path).map_err(Error::at(&path))?;
        sync_folder(&self.folder)?;
        Ok(DataFile {
            name: self.name.clone(),
            bytes,
            rows: self.rows,
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // Gone already, if the file was finished.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Sender and time of every row of a file, without its frames.
pub(crate) fn senders(path: &Path) -> Result<Vec<(u64, i64)>> {
    let mut senders = Vec::new();
    for batch in read(path, &["device", "time"], SCAN_ROWS)? {
        let batch = batch?;
        let devices = batch.column(0).as_primitive::<Int64Type>().values();
        let times = batch.column(1).as_primitive::<TimestampMicrosecondType>();
        let rows = devices.iter().zip(times.values());
        senders.extend(rows.map(|(&device, &time)| (device as u64, time)));
    }
    Ok(senders)
}

/// The rows of a file, in their order. Memory is that of a row group.
pub(crate) fn stored(path: &Path) -> Result<impl Iterator<Item = Result<Stored>>> {
    let batches = read(path, &["time", FRAME_COLUMN], WRITE_ROWS)?;
    Ok(batches.flat_map(|batch| match batch {
        Ok(batch) => frames(&batch).into_iter().map(Ok).collect(),
        Err(error) => vec![Err(Error::from(error))],
    }))
}

fn frames(batch: &RecordBatch) -> Vec<Stored> {
    let times = batch.column(0).as_primitive::<TimestampMicrosecondType>();
    let frames = batch.column(1).as_binary::<i32>();
    let row = |row| Stored {
        time: times.value(row),
        bytes: frames.value(row).to_vec(),
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Some columns of a file, in the order of the table.
fn read(path: &Path, columns: &[&str], rows: usize) -> Result<ParquetRecordBatchReader> {
    let file = File::open(path).map_err(Error::at(path))?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(rows);
    let mask = ProjectionMask::columns(reader.parquet_schema(), columns.iter().copied());
    Ok(reader.with_projection(mask).build()?)
}

/// Makes the names of a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    let opened = File::open(folder).map_err(Error::at(folder))?;
    opened.sync_all().map_err(Error::at(folder))
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
