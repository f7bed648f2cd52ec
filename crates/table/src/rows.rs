//! Rows of a table: one for each frame, with what its header says under its tag, and its bytes.

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch, TimestampMicrosecondArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use isopod_wire::{FrameHeader, Kind, Scheme};
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

/// Rows that are not written yet.
#[derive(Default)]
pub(crate) struct Rows {
    headers: Vec<(i64, FrameHeader)>,
    frames: BinaryBuilder,
    bytes: usize,
}

impl Rows {
    /// Adds a frame that verifies.
    pub fn push(&mut self, server: &Server, frame: &Stored) -> Result<()> {
        let header = server.frame_header(&frame.bytes)?;
        integer("device", header.id.device)?;
        integer("sequence", header.id.sequence)?;
        self.headers.push((frame.time, header));
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
        let headers = std::mem::take(&mut self.headers);
        self.bytes = 0;
        let times = headers.iter().map(|(time, _)| *time);
        let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
        let all: Vec<&FrameHeader> = headers.iter().map(|(_, header)| header).collect();
        let columns: Vec<ArrayRef> = vec![
            longs(&all, |header| header.id.device as i64),
            longs(&all, |header| header.id.epoch.into()),
            longs(&all, |header| header.id.sequence as i64),
            Arc::new(times),
            texts(&all, |header| Some(hex(&header.key_id))),
            texts(&all, |header| Some(header.params.name.to_owned())),
            texts(&all, |header| Some(encrypted_by(header).to_owned())),
            texts(&all, |header| Some(header.layout.name().to_owned())),
            integers(&all, |header| header.parts.into()),
            integers(&all, |header| header.log2_scale.into()),
            doubles(&all, |header| header.claims.largest(header.params)),
            longs(&all, |header| header.grid().rows.into()),
            longs(&all, |header| header.grid().columns.into()),
            longs(&all, |header| header.claims.stride.into()),
            longs(&all, |header| header.claims.buckets.into()),
            texts(&all, |header| header.claims.packing.map(|id| hex(&id))),
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

fn longs(headers: &[&FrameHeader], of: impl Fn(&FrameHeader) -> i64) -> ArrayRef {
    let mut column = Int64Builder::with_capacity(headers.len());
    headers
        .iter()
        .for_each(|header| column.append_value(of(header)));
    Arc::new(column.finish())
}

fn integers(headers: &[&FrameHeader], of: impl Fn(&FrameHeader) -> i32) -> ArrayRef {
    let mut column = Int32Builder::with_capacity(headers.len());
    headers
        .iter()
        .for_each(|header| column.append_value(of(header)));
    Arc::new(column.finish())
}

fn doubles(headers: &[&FrameHeader], of: impl Fn(&FrameHeader) -> f64) -> ArrayRef {
    let values = headers.iter().map(|header| of(header));
    Arc::new(arrow_array::Float64Array::from_iter_values(values))
}

fn texts(headers: &[&FrameHeader], of: impl Fn(&FrameHeader) -> Option<String>) -> ArrayRef {
    let mut column = StringBuilder::new();
    headers
        .iter()
        .for_each(|header| column.append_option(of(header)));
    Arc::new(column.finish())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
