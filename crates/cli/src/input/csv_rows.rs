//! The rows of a CSV file: a header that names the columns, then one row per line; between cells a comma, a semicolon or a tab.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{ensure, Context, Result};
use csv::{Reader, ReaderBuilder, StringRecord, Trim};

use crate::input::separator::{detect, Begun};

/// Most rows that are read.
const MOST_ROWS: usize = 1 << 24;

/// Most bytes that are read.
const MOST_BYTES: u64 = 1 << 30;

/// A file, or standard input for `-`.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    Ok(if path == Path::new("-") {
        Box::new(Bounded::new(io::stdin().lock(), MOST_BYTES))
    } else {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        Box::new(Bounded::new(file, MOST_BYTES))
    })
}

/// A source that fails beyond its bound, where one line without end would fill the memory.
struct Bounded<R> {
    source: R,
    most: u64,
    left: u64,
}

impl<R: Read> Bounded<R> {
    fn new(source: R, most: u64) -> Self {
        let left = most;
        Self { source, most, left }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.read(buffer)?;
        let left = self.left.checked_sub(count as u64);
        let too_many = || {
            let problem = format!("too many bytes; allowed are at most {}", self.most);
            io::Error::new(io::ErrorKind::FileTooLarge, problem)
        };
        self.left = left.ok_or_else(too_many)?;
        Ok(count)
    }
}

/// A table behind its header.
pub struct CsvRows<R> {
    reader: Reader<Begun<R>>,
    columns: Vec<String>,
}

impl<R: Read> CsvRows<R> {
    /// Refuses a first line of numbers only, which would be a row lost, columns of one name, and a header with two separators.
    pub fn new(source: R) -> Result<Self> {
        let (separator, source) = detect(source)?;
        let mut builder = ReaderBuilder::new();
        let mut reader = builder
            .delimiter(separator)
            .trim(Trim::All)
            .from_reader(source);
        let columns: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
        let is_number = |column: &String| column.parse::<f64>().is_ok();
        ensure!(
            columns.is_empty() || !columns.iter().all(is_number),
            "header: {}; the first line must name the columns, so put one such as a,b,c before the rows",
            columns.join(",")
        );
        let mut names = HashSet::new();
        for column in &columns {
            ensure!(
                names.insert(column),
                "header: two columns are called {column:?}; allowed is each name once"
            );
        }
        Ok(Self { reader, columns })
    }

    /// Names of the columns, each once.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Applies `read` to the number of each row, from 1, and its cells, one per column.
    pub fn map<T>(
        &mut self,
        mut read: impl FnMut(usize, &StringRecord) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        for record in self.reader.records() {
            let (number, record) = (rows.len() + 1, record?);
            ensure!(
                number <= MOST_ROWS,
                "row {number}: too many; allowed are {MOST_ROWS}"
            );
            rows.push(read(number, &record)?);
        }
        ensure!(
            !rows.is_empty(),
            "no rows after the header; allowed is at least one"
        );
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Read;

    use super::{Bounded, CsvRows};

    #[test]
    fn a_line_without_end_is_refused_at_the_bound() {
        let read = CsvRows::new(Bounded::new(std::io::repeat(b'x'), 1 << 20));
        let message = format!("{:#}", read.err().unwrap());
        assert!(message.contains("allowed are at most 1048576"), "{message}");
        let mut text = String::new();
        Bounded::new(&b"abc"[..], 3)
            .read_to_string(&mut text)
            .unwrap();
        assert_eq!(text, "abc");
    }

    fn message(text: &str) -> String {
        let read = CsvRows::new(text.as_bytes()).and_then(|mut rows| rows.map(|_, _| Ok(())));
        read.unwrap_err().to_string()
    }

    #[test]
    fn rows_keep_their_numbers() {
        let mut rows = CsvRows::new("a, 2\n x,y\nz,\n".as_bytes()).unwrap();
        assert_eq!(rows.columns(), ["a", "2"]);
        let read = rows.map(|number, row| Ok(format!("{number}{}{}", &row[0], &row[1])));
        assert_eq!(read.unwrap(), ["1xy", "2z"]);
    }

    #[test]
    fn semicolons_and_tabs_separate_as_commas_do() {
        for text in ["a;\"b,c\"\n1;\"2;3\"\n", "a\t\"b,c\"\n1\t2;3\n"] {
            let mut rows = CsvRows::new(text.as_bytes()).unwrap();
            assert_eq!(rows.columns(), ["a", "b,c"]);
            let read = rows.map(|_, row| Ok(row.iter().map(str::to_owned).collect::<Vec<_>>()));
            assert_eq!(read.unwrap(), [["1", "2;3"]]);
        }
        assert!(message("a,b;c\n1,2\n").starts_with("header: comma and semicolon both"));
        assert!(message("a;b\n1,2\n").contains("found record with 1 fields"));
    }

    #[test]
    fn what_would_lose_readings_is_refused() {
        assert!(message("1,2.5\n3,4\n").starts_with("header: 1,2.5; the first line must name"));
        assert!(message("a,b,a\n1,2,3\n").starts_with("header: two columns are called \"a\""));
        assert!(message("a,b\n1\n").contains("found record with 1 fields"));
        assert!(message("a,b\n").starts_with("no rows"));
        assert!(message("").starts_with("no rows"));
    }
}
