//! Whole numbers from CSV: a header row, then one row per line.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use isopod_wire::ValueType;

use crate::csv_rows::{self, CsvRows};

/// Named columns of numbers of one type.
#[derive(Debug, PartialEq)]
pub struct Integers {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// As many numbers each as there are columns.
    pub rows: Vec<Vec<i128>>,
}

impl Integers {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path, of: ValueType) -> Result<Self> {
        Self::parse(csv_rows::open(path)?, of).with_context(|| path.display().to_string())
    }

    fn parse(source: impl Read, of: ValueType) -> Result<Self> {
        let mut rows = CsvRows::new(source)?;
        let columns = rows.columns().to_vec();
        let rows = rows.map(|number, record| {
            let cells = record.iter().zip(&columns);
            let row = cells.map(|(cell, column)| {
                value(cell, of).with_context(|| format!("row {number}, column {column}"))
            });
            row.collect()
        })?;
        Ok(Self { columns, rows })
    }
}

fn value(cell: &str, of: ValueType) -> Result<i128> {
    let (least, most) = of.range();
    let value: Option<i128> = match cell {
        "true" if of == ValueType::Bool => Some(1),
        "false" if of == ValueType::Bool => Some(0),
        cell => cell.parse().ok(),
    };
    value
        .filter(|value| (least..=most).contains(value))
        .with_context(|| {
            format!("{cell:?}; allowed are whole numbers from {least} to {most}, or another --type")
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Integers;
    use isopod_wire::ValueType;

    fn message(text: &str, of: ValueType) -> String {
        format!("{:#}", Integers::parse(text.as_bytes(), of).unwrap_err())
    }

    #[test]
    fn rows_and_columns() {
        let read = Integers::parse("a, b\n1, -2\n127, -128\n".as_bytes(), ValueType::I8).unwrap();
        assert_eq!(read.columns, ["a", "b"]);
        assert_eq!(read.rows, [[1, -2], [127, -128]]);
        let read = Integers::parse("a\ntrue\n0\n".as_bytes(), ValueType::Bool).unwrap();
        assert_eq!(read.rows, [[1], [0]]);
        let most = format!("a\n{}\n", u64::MAX);
        let read = Integers::parse(most.as_bytes(), ValueType::U64).unwrap();
        assert_eq!(read.rows, [[i128::from(u64::MAX)]]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let expected =
            "row 2, column b: \"256\"; allowed are whole numbers from 0 to 255, or another --type";
        assert_eq!(message("a,b\n0,1\n2,256\n", ValueType::U8), expected);
        assert!(message("a\n1.5\n", ValueType::U8).contains("\"1.5\""));
        assert!(message("a\ntrue\n", ValueType::U8).contains("\"true\""));
    }
}
