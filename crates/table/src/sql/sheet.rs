//! Answers as files: values in the clear as CSV, and each sealed one in a file of its own.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use isopod_workflow::Summary;

use super::session::{Cell, Session};
use crate::{Error, Result};

impl Session {
    /// Answers a query: values in the clear go to `rows` as CSV with the names of the columns; a sealed answer, or a frame, is a
    /// file `ROW-COLUMN.bin` in the new folder `out`, and its path is the value. Error and gap of each answer of merged frames go
    /// to `notes`, a line each. Gives the number of rows.
    ///
    /// # Errors
    /// The errors of [`Session::query`]; [`Error::File`] for a folder that exists.
    pub fn to_files(
        &self,
        sql: &str,
        out: &Path,
        rows: impl Write,
        mut notes: impl Write,
    ) -> Result<u64> {
        fs::create_dir(out).map_err(Error::at(out))?;
        let mut sheet = csv::Writer::from_writer(rows);
        let mut number = 0;
        let columns = self.query(sql, |names, row| {
            if number == 0 {
                sheet.write_record(names).map_err(stopped)?;
            }
            let named = names.iter().zip(row);
            let texts = named.map(|(name, cell)| {
                let note = note(&cell);
                let text = text(out, (number, name), cell)?;
                if let Some(note) = note {
                    writeln!(notes, "{text}: {note}").map_err(|error| stopped(error.into()))?;
                }
                Ok(text)
            });
            let texts: Vec<String> = texts.collect::<Result<_>>()?;
            sheet.write_record(texts).map_err(stopped)?;
            number += 1;
            Ok(())
        })?;
        if number == 0 {
            sheet.write_record(columns).map_err(stopped)?;
        }
        sheet.flush().map_err(|error| stopped(error.into()))?;
        Ok(number)
    }
}

/// The two figures of an answer of merged frames, and the keys that it is made with.
fn note(cell: &Cell) -> Option<String> {
    let Cell::Sealed(answer) = cell else {
        return None;
    };
    match &answer.summary {
        Summary::Lattigo {
            readings,
            ciphertexts,
            gap,
            error,
            label,
            ..
        } => Some(format!(
            "{readings} reading(s), merged into {ciphertexts}, by Lattigo; error {error:.4}, gap {gap:.3}; keys {label}"
        )),
        _ => None,
    }
}

fn stopped(error: csv::Error) -> Error {
    Error::Query(format!("standard output: {error}"))
}

/// A cell as text; bytes go to a file of their own, whose path is the text.
fn text(out: &Path, (row, column): (u64, &str), cell: Cell) -> Result<String> {
    let bytes = match cell {
        Cell::Clear(serde_json::Value::Null) => return Ok(String::new()),
        Cell::Clear(serde_json::Value::String(text)) => return Ok(text),
        Cell::Clear(value) => return Ok(value.to_string()),
        Cell::Sealed(answer) => answer.items.concat(),
        Cell::Bytes(bytes) => bytes,
    };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric();
    let name: String = column
        .chars()
        .map(|letter| if is_plain(letter) { letter } else { '_' })
        .collect();
    let path = out.join(format!("{row}-{name}.bin"));
    let written = File::create_new(&path).and_then(|mut file| file.write_all(&bytes));
    match written {
        Ok(()) => Ok(path.display().to_string()),
        Err(source) => Err(Error::File { path, source }),
    }
}
