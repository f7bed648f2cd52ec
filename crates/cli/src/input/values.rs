//! Readings from CSV: a header row, then one row per line.

use std::io::Read;
use std::path::Path;

use anyhow::{bail, ensure, Context, Result};
use isopod_wire::ValueType;
use isopod_workflow::Readings;

use crate::input::csv_rows::{self, CsvRows};

/// Readings, and the names of their rows if a column has them.
pub struct ReadingTable<T> {
    pub readings: Readings<T>,
    pub ids: Option<Vec<String>>,
    /// Cells of the column of categories, if there is one.
    pub groups: Option<Vec<String>>,
}

/// Columns that are not taken as readings, and those that are.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    /// Columns to take, in this order; all the others without.
    pub columns: Option<&'a [String]>,
    /// Column that names the rows.
    pub id: Option<&'a str>,
    /// Column of categories.
    pub group: Option<&'a str>,
    /// Whether readings may be missing: an empty cell or NaN, which become NaN.
    pub missing: bool,
}

/// Finite numbers of a file, or of standard input for `-`.
pub fn real(path: &Path, wanted: Wanted<'_>) -> Result<ReadingTable<f64>> {
    let number = |cell: &str| match is_missing(cell) {
        true if wanted.missing => Ok(f64::NAN),
        _ => real_number(cell),
    };
    let table = parse(csv_rows::open(path)?, wanted, number);
    table.with_context(|| path.display().to_string())
}

fn is_missing(cell: &str) -> bool {
    ["", "nan", "na", "null"].contains(&cell.to_ascii_lowercase().as_str())
}

/// Whole numbers of one type, as [`real`].
pub fn whole(path: &Path, id: Option<&str>, of: ValueType) -> Result<ReadingTable<i128>> {
    let wanted = Wanted {
        id,
        ..Wanted::default()
    };
    let table = parse(csv_rows::open(path)?, wanted, |cell| whole_number(cell, of));
    table.with_context(|| path.display().to_string())
}

/// The wanted columns, or all but those of names and categories.
fn parse<T>(
    source: impl Read,
    wanted: Wanted<'_>,
    number: impl Fn(&str) -> Result<T>,
) -> Result<ReadingTable<T>> {
    let mut rows = CsvRows::new(source)?;
    let texts = [wanted.id, wanted.group];
    let is_reading = |name: &&String| !texts.contains(&Some(name.as_str()));
    let others = || rows.columns().iter().filter(is_reading);
    let chosen = wanted.columns;
    let columns: Vec<String> = chosen.map_or_else(|| others().cloned().collect(), <[_]>::to_vec);
    ensure!(
        !columns.is_empty() || rows.columns().is_empty(),
        "header: no columns but that of the names; allowed is at least one"
    );
    let places = columns
        .iter()
        .map(|name| place(rows.columns(), name))
        .collect::<Result<Vec<_>>>()?;
    let place_of = |name: Option<&str>| name.map(|name| place(rows.columns(), name)).transpose();
    let places_of_texts = [place_of(wanted.id)?, place_of(wanted.group)?];
    let mut kept = places_of_texts.map(|place| place.map(|_| Vec::new()));
    let rows = rows.map(|row, record| {
        for (kept, place) in kept.iter_mut().zip(places_of_texts) {
            if let (Some(kept), Some(place)) = (kept, place) {
                kept.push(record[place].to_owned());
            }
        }
        let cells = places.iter().zip(&columns).map(|(&place, column)| {
            number(&record[place]).with_context(|| format!("row {row}, column {column}"))
        });
        cells.collect()
    })?;
    let [ids, groups] = kept;
    Ok(ReadingTable {
        readings: Readings { columns, rows },
        ids,
        groups,
    })
}

fn place(header: &[String], name: &str) -> Result<usize> {
    let found = header.iter().position(|column| column == name);
    found.with_context(|| {
        format!(
            "column {name}: missing; the header has {}",
            header.join(", ")
        )
    })
}

fn real_number(cell: &str) -> Result<f64> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) if value.is_nan() => {
            bail!("{value}; allowed are finite numbers, or --missing count for readings that are not there")
        }
        Ok(value) => bail!("{value}; allowed are finite numbers"),
        Err(_) if cell.is_empty() => {
            bail!("empty; allowed are finite numbers, or --missing count for readings that are not there")
        }
        Err(_) if cell.contains(',') => {
            bail!("{cell:?} is no number; allowed are finite numbers with a point, such as 1.5")
        }
        Err(_) => bail!("{cell:?} is no number; allowed are finite numbers"),
    }
}

fn whole_number(cell: &str, of: ValueType) -> Result<i128> {
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

    use super::{parse, real_number, whole_number, Readings, Wanted};
    use anyhow::Result;
    use isopod_wire::ValueType;

    fn real(text: &str) -> Result<Readings<f64>> {
        parse(text.as_bytes(), Wanted::default(), real_number).map(|table| table.readings)
    }

    fn whole(text: &str, of: ValueType) -> Result<Readings<i128>> {
        let table = parse(text.as_bytes(), Wanted::default(), |cell| {
            whole_number(cell, of)
        });
        table.map(|table| table.readings)
    }

    #[test]
    fn rows_and_columns() {
        let values = real("a, b\n1, -2.5\n3e1, 0\n").unwrap();
        assert_eq!(values.columns, ["a", "b"]);
        assert_eq!(values.rows, [vec![1.0, -2.5], vec![30.0, 0.0]]);
        let values = whole("a, b\n1, -2\n127, -128\n", ValueType::I8).unwrap();
        assert_eq!(values.rows, [[1, -2], [127, -128]]);
        let values = whole("a\ntrue\n0\n", ValueType::Bool).unwrap();
        assert_eq!(values.rows, [[1], [0]]);
        let most = format!("a\n{}\n", u64::MAX);
        let values = whole(&most, ValueType::U64).unwrap();
        assert_eq!(values.rows, [[i128::from(u64::MAX)]]);
    }

    #[test]
    fn what_is_no_finite_number_is_named() {
        let message = |text: &str| format!("{:#}", real(text).unwrap_err());
        assert!(message("a,b\n1,2\n3,NaN\n").starts_with("row 2, column b: NaN;"));
        assert!(message("a,b\n1,\n")
            .contains("column b: empty; allowed are finite numbers, or --missing"));
        assert!(message("a\ninf\n").starts_with("row 1, column a: inf;"));
        assert!(message("a\n-1e999\n").starts_with("row 1, column a: -inf;"));
        assert!(message("a;b\n1,5;2\n").contains("with a point, such as 1.5"));
        assert!(message("a\nsix\n").starts_with("row 1, column a: \"six\" is no number"));
    }

    #[test]
    fn what_does_not_fit_the_type_is_named() {
        let message = |text: &str| format!("{:#}", whole(text, ValueType::U8).unwrap_err());
        let expected =
            "row 2, column b: \"256\"; allowed are whole numbers from 0 to 255, or another --type";
        assert_eq!(message("a,b\n0,1\n2,256\n"), expected);
        assert!(message("a\n1.5\n").contains("\"1.5\""));
        assert!(message("a\ntrue\n").contains("\"true\""));
    }

    #[test]
    fn columns_are_chosen_by_name() {
        let columns = ["b".to_owned(), "a".to_owned()];
        let wanted = Wanted {
            columns: Some(&columns),
            ..Wanted::default()
        };
        let read = |text: &str| {
            let table = parse(text.as_bytes(), wanted, real_number);
            table.map(|table| table.readings)
        };
        assert_eq!(read("a,label,b\n5,yes,7\n").unwrap().rows, [[7.0, 5.0]]);
        let missing = read("a,c\n1,2\n").unwrap_err().to_string();
        assert_eq!(missing, "column b: missing; the header has a, c");
    }
    #[test]
    fn a_column_of_names_is_no_reading() {
        let wanted = Wanted {
            id: Some("who"),
            ..Wanted::default()
        };
        let read = |text: &str| parse(text.as_bytes(), wanted, real_number);
        let table = read("a,who,b\n1,x,2\n3,x y,4\n").unwrap();
        assert_eq!(table.readings.columns, ["a", "b"]);
        assert_eq!(table.readings.rows, [[1.0, 2.0], [3.0, 4.0]]);
        assert_eq!(table.ids.unwrap(), ["x", "x y"]);
        let refused = |text: &str| read(text).err();
        let missing = refused("a\n1\n").unwrap().to_string();
        assert_eq!(missing, "column who: missing; the header has a");
        assert!(refused("who\nx\n")
            .unwrap()
            .to_string()
            .starts_with("header: no columns but"));
    }
}
