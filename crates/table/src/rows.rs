//! Rows of a table: one for each frame, with what its header says under its tag, and its bytes.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use isopod_wire::{AnySet, FrameHeader, FrameId, KeyId, Kind, PackingId, PadHeader, Scheme};
use isopod_workflow::Server;

use crate::{Error, Result};

/// Name of the column that holds a frame's bytes.
pub const FRAME_COLUMN: &str = "frame";

/// A frame as a log stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// When it was acknowledged, in microseconds since 1970 UTC.
    pub time: i64,
    /// Its parts, one after the other.
    pub bytes: Vec<u8>,
}

/// Columns of every table: name, type, whether it may be null.
const COLUMNS: &[(&str, DataType, bool)] = &[
    ("device", DataType::Int64, false),
    ("epoch", DataType::Int64, false),
    ("sequence", DataType::Int64, false),
    (
        "time",
        DataType::Timestamp(TimeUnit::Microsecond, None),
        false,
    ),
    ("key", DataType::Utf8, false),
    ("set", DataType::Utf8, false),
    ("encrypted_by", DataType::Utf8, false),
    ("layout", DataType::Utf8, false),
    ("level", DataType::Int32, false),
    ("log2_scale", DataType::Int32, false),
    ("bound", DataType::Float64, false),
    ("rows", DataType::Int64, false),
    ("columns", DataType::Int64, false),
    ("stride", DataType::Int64, false),
    ("buckets", DataType::Int64, false),
    ("packing", DataType::Utf8, true),
    (FRAME_COLUMN, DataType::Binary, false),
];

/// Columns of every table. Times are in UTC.
pub fn columns() -> SchemaRef {
    let fields = COLUMNS.iter().map(|(name, of, nullable)| {
        let of = match of {
            DataType::Timestamp(unit, _) => DataType::Timestamp(*unit, Some("UTC".into())),
            other => other.clone(),
        };
        Field::new(*name, of, *nullable)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Fields of a row beside its time and its frame.
struct Facts {
    id: FrameId,
    key_id: KeyId,
    set: &'static str,
    encrypted_by: &'static str,
    layout: &'static str,
    level: u16,
    log2_scale: u8,
    bound: f64,
    rows: u32,
    columns: u32,
    stride: u32,
    buckets: u32,
    packing: Option<PackingId>,
}

impl From<&FrameHeader> for Facts {
    fn from(header: &FrameHeader) -> Self {
        let (grid, claims) = (header.grid(), &header.claims);
        Self {
            id: header.id,
            key_id: header.key_id,
            set: header.params.name,
            encrypted_by: encrypted_by(header),
            layout: header.layout.name(),
            level: header.parts,
            log2_scale: header.log2_scale,
            bound: claims.largest(header.params),
            rows: grid.rows,
            columns: grid.columns,
            stride: claims.stride,
            buckets: claims.buckets,
            packing: claims.packing,
        }
    }
}

impl From<&PadHeader> for Facts {
    /// A packet of pads is one row of integers under no modulus.
    fn from(header: &PadHeader) -> Self {
        let of = &header.description;
        Self {
            id: header.id,
            key_id: header.key_id,
            set: AnySet::Pads.name(),
            encrypted_by: "pads",
            layout: "integers",
            level: 0,
            log2_scale: 0,
            bound: of.bound.into(),
            rows: 1,
            columns: of.columns.into(),
            stride: of.columns.into(),
            buckets: 1,
            packing: of.packing,
        }
    }
}

impl Facts {
    /// The fields of a stored frame that verifies.
    fn read(server: &Server, frame: &[u8]) -> Result<Self> {
        Ok(match server.set() {
            AnySet::Pads => Self::from(&server.pad_header(frame)?),
            _ => Self::from(&server.frame_header(frame)?),
        })
    }
}

/// Rows that are not written yet.
#[derive(Default)]
pub(crate) struct Rows {
    facts: Vec<(i64, Facts)>,
    frames: BinaryBuilder,
    bytes: usize,
}

impl Rows {
    /// Adds a frame that verifies.
    pub fn push(&mut self, server: &Server, frame: &Stored) -> Result<()> {
        let facts = Facts::read(server, &frame.bytes)?;
        integer("device", facts.id.device)?;
        integer("sequence", facts.id.sequence)?;
        self.facts.push((frame.time, facts));
        self.frames.append_value(&frame.bytes);
        self.bytes += frame.bytes.len();
        Ok(())
    }

    /// Bytes of the frames.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The rows as columns; afterwards there are none.
    pub fn take(&mut self) -> Result<RecordBatch> {
        let rows = std::mem::take(&mut self.facts);
        self.bytes = 0;
        let times = rows.iter().map(|(time, _)| *time);
        let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
        let all: Vec<&Facts> = rows.iter().map(|(_, facts)| facts).collect();
        let columns: Vec<ArrayRef> = vec![
            longs(&all, |row| row.id.device as i64),
            longs(&all, |row| row.id.epoch.into()),
            longs(&all, |row| row.id.sequence as i64),
            Arc::new(times),
            texts(&all, |row| Some(hex(&row.key_id))),
            texts(&all, |row| Some(row.set.to_owned())),
            texts(&all, |row| Some(row.encrypted_by.to_owned())),
            texts(&all, |row| Some(row.layout.to_owned())),
            integers(&all, |row| row.level.into()),
            integers(&all, |row| row.log2_scale.into()),
            doubles(&all, |row| row.bound),
            longs(&all, |row| row.rows.into()),
            longs(&all, |row| row.columns.into()),
            longs(&all, |row| row.stride.into()),
            longs(&all, |row| row.buckets.into()),
            texts(&all, |row| row.packing.map(|id| hex(&id))),
            Arc::new(self.frames.finish()),
        ];
        Ok(RecordBatch::try_new(self::columns(), columns)?)
    }
}

fn encrypted_by(header: &FrameHeader) -> &'static str {
    match (header.params.scheme(), header.kind) {
        (Scheme::Ckks, Kind::PublicKey) => "ckks public",
        (Scheme::Ckks, Kind::SecretKey) => "ckks secret",
        (Scheme::Bfv, Kind::PublicKey) => "bfv public",
        (Scheme::Bfv, Kind::SecretKey) => "bfv secret",
    }
}

fn integer(field: &'static str, found: u64) -> Result<i64> {
    i64::try_from(found).map_err(|_| Error::Number { field, found })
}

fn longs(rows: &[&Facts], of: impl Fn(&Facts) -> i64) -> ArrayRef {
    let mut column = Int64Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_value(of(row)));
    Arc::new(column.finish())
}

fn integers(rows: &[&Facts], of: impl Fn(&Facts) -> i32) -> ArrayRef {
    let mut column = Int32Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_value(of(row)));
    Arc::new(column.finish())
}

fn doubles(rows: &[&Facts], of: impl Fn(&Facts) -> f64) -> ArrayRef {
    let values = rows.iter().map(|row| of(row));
    Arc::new(arrow_array::Float64Array::from_iter_values(values))
}

fn texts(rows: &[&Facts], of: impl Fn(&Facts) -> Option<String>) -> ArrayRef {
    let mut column = StringBuilder::new();
    rows.iter().for_each(|row| column.append_option(of(row)));
    Arc::new(column.finish())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
