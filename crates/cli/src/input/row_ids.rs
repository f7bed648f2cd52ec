//! Names of rows: a CSV file that stays with whoever encrypts, by device, epoch, sequence and row of the frames.

use std::collections::HashMap;
use std::io::Read;
use std::path::Path;

use anyhow::{ensure, Context, Result};
use csv::StringRecord;
use isopod_wire::FrameId;

use crate::input::csv_rows::{self, CsvRows};

const COLUMNS: [&str; 5] = ["device", "epoch", "sequence", "row", "id"];

/// The name of each row of a frame, counted from 0.
#[derive(Default)]
pub struct RowIds {
    rows: Vec<(FrameId, u32, String)>,
}

impl RowIds {
    /// Appends the rows of a frame, in order.
    pub fn push(&mut self, frame: FrameId, names: &[String]) {
        let named = names.iter().zip(0..);
        self.rows
            .extend(named.map(|(name, row)| (frame, row, name.clone())));
    }

    /// The file's bytes.
    pub fn csv(&self) -> Result<Vec<u8>> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS)?;
        for (frame, row, name) in &self.rows {
            let numbers = [
                frame.device,
                frame.epoch.into(),
                frame.sequence,
                (*row).into(),
            ];
            let cells = numbers.map(|number| number.to_string());
            writer.write_record(cells.iter().chain([name]))?;
        }
        Ok(writer.into_inner()?)
    }
}

/// Reads the files that [`RowIds::csv`] wrote; a row is named once.
pub fn read(paths: &[impl AsRef<Path>]) -> Result<HashMap<(FrameId, u32), String>> {
    let mut names = HashMap::new();
    for path in paths {
        let path = path.as_ref();
        add(&mut names, csv_rows::open(path)?).with_context(|| path.display().to_string())?;
    }
    Ok(names)
}

fn add(names: &mut HashMap<(FrameId, u32), String>, source: impl Read) -> Result<()> {
    let mut rows = CsvRows::new(source)?;
    ensure!(
        rows.columns() == COLUMNS,
        "header: {}; allowed is {}, as `isopod encrypt --write-ids` writes it",
        rows.columns().join(","),
        COLUMNS.join(",")
    );
    let all = rows.map(named_row)?;
    for (place, name) in all {
        let before = names.insert(place, name);
        let (frame, row) = place;
        ensure!(
            before.is_none(),
            "row {row} of frame {} of device {}, epoch {} is named twice; allowed is once",
            frame.sequence,
            frame.device,
            frame.epoch
        );
    }
    Ok(())
}

fn named_row(row: usize, record: &StringRecord) -> Result<((FrameId, u32), String)> {
    let name = |column: usize| format!("row {row}, column {}", COLUMNS[column]);
    let frame = FrameId {
        device: record[0].parse().with_context(|| name(0))?,
        epoch: record[1].parse().with_context(|| name(1))?,
        sequence: record[2].parse().with_context(|| name(2))?,
    };
    let number = record[3].parse().with_context(|| name(3))?;
    Ok(((frame, number), record[4].to_owned()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::HashMap;

    use super::{add, RowIds};
    use isopod_wire::FrameId;

    #[test]
    fn names_come_back_whatever_they_hold() {
        let frame = FrameId {
            device: u64::MAX,
            epoch: 7,
            sequence: 0,
        };
        let names = ["meter, 1", "a \"quoted\"\nline", ""].map(str::to_owned);
        let mut ids = RowIds::default();
        ids.push(frame, &names);
        let csv = ids.csv().unwrap();
        let mut read = HashMap::new();
        add(&mut read, &csv[..]).unwrap();
        for (name, row) in names.iter().zip(0..) {
            assert_eq!(&read[&(frame, row)], name);
        }
        let twice = add(&mut read, &csv[..]).unwrap_err().to_string();
        assert!(twice.contains("is named twice"), "{twice}");
        let other = add(&mut read, "a,b\n1,2\n".as_bytes()).unwrap_err();
        assert!(other.to_string().starts_with("header: a,b; allowed is"));
    }
}
