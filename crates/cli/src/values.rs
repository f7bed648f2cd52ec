//! Readings from CSV: a header row, then one row per line.

use std::io::Read;
use std::path::Path;

use anyhow::{bail, Context, Result};
use isopod_wire::ValueType;
use isopod_workflow::{Model, Readings};

use crate::csv_rows::{self, CsvRows};

/// Finite numbers of a file, or of standard input for `-`; with a model only its features, in its order, standardised.
pub fn real(path: &Path, model: Option<&Model>) -> Result<Readings<f64>> {
    let wanted = model.map(|model| &model.features[..]);
    let readings = parse(csv_rows::open(path)?, wanted, real_number);
    let standardised = match model {
        Some(model) => readings.and_then(|readings| Ok(readings.standardise(model)?)),
        None => readings,
    };
    standardised.with_context(|| path.display().to_string())
}

/// Whole numbers of one type, as [`real`].
pub fn whole(path: &Path, of: ValueType) -> Result<Readings<i128>> {
    parse(csv_rows::open(path)?, None, |cell| whole_number(cell, of))
        .with_context(|| path.display().to_string())
}

/// The wanted columns, or all.
fn parse<T>(
    source: impl Read,
    wanted: Option<&[String]>,
    number: impl Fn(&str) -> Result<T>,
) -> Result<Readings<T>> {
    let mut rows = CsvRows::new(source)?;
    let columns = wanted.unwrap_or(rows.columns()).to_vec();
    let places = columns
        .iter()
        .map(|name| place(rows.columns(), name))
        .collect::<Result<Vec<_>>>()?;
    let rows = rows.map(|row, record| {
        let cells = places.iter().zip(&columns).map(|(&place, column)| {
            number(&record[place]).with_context(|| format!("row {row}, column {column}"))
        });
        cells.collect()
    })?;
    Ok(Readings { columns, rows })
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
        Ok(value) => bail!("{value}; allowed are finite numbers"),
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

    use super::{parse, real_number, whole_number, Readings};
    use anyhow::Result;
    use isopod_wire::ValueType;

    fn real(text: &str) -> Result<Readings<f64>> {
        parse(text.as_bytes(), None, real_number)
    }

    fn whole(text: &str, of: ValueType) -> Result<Readings<i128>> {
        parse(text.as_bytes(), None, |cell| whole_number(cell, of))
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
        assert!(message("a\ninf\n").starts_with("row 1, column a: inf;"));
        assert!(message("a\n-1e999\n").starts_with("row 1, column a: -inf;"));
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
        let wanted = ["b".to_owned(), "a".to_owned()];
        let read = |text: &str| parse(text.as_bytes(), Some(&wanted), real_number);
        assert_eq!(read("a,label,b\n5,yes,7\n").unwrap().rows, [[7.0, 5.0]]);
        let missing = read("a,c\n1,2\n").unwrap_err().to_string();
        assert_eq!(missing, "column b: missing; the header has a, c");
    }
}
