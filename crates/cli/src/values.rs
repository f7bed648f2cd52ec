//! Values from CSV: a header row, then one row per line.

use std::io::Read;
use std::path::Path;

use anyhow::{bail, ensure, Context, Result};
use isopod_eval::Model;

use crate::csv_rows::{self, CsvRows};

/// Named columns of finite numbers.
#[derive(Debug, PartialEq)]
pub struct Values {
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Values {
    /// Reads a file, or standard input for `-`; with a model only its features, in its order, standardised.
    pub fn read(path: &Path, model: Option<&Model>) -> Result<Self> {
        let source = csv_rows::open(path)?;
        let read = match model {
            None => Self::parse(source, None),
            Some(model) => Self::parse(source, Some(&model.features))
                .and_then(|values| values.standardise(model)),
        };
        read.with_context(|| path.display().to_string())
    }

    fn parse(source: impl Read, wanted: Option<&[String]>) -> Result<Self> {
        let mut rows = CsvRows::new(source)?;
        let columns = wanted.unwrap_or(rows.columns()).to_vec();
        let places = columns
            .iter()
            .map(|name| place(rows.columns(), name))
            .collect::<Result<Vec<_>>>()?;
        let rows = rows.map(|number, record| {
            let cells = places.iter().zip(&columns);
            cells
                .map(|(&place, column)| number_of(&record[place], number, column))
                .collect()
        })?;
        Ok(Self { columns, rows })
    }

    /// (x - mean) / scale of each feature, where the model has them.
    fn standardise(mut self, model: &Model) -> Result<Self> {
        for (number, row) in self.rows.iter_mut().enumerate() {
            for (at, value) in row.iter_mut().enumerate() {
                let (mean, scale) = (
                    model.mean.get(at).unwrap_or(&0.0),
                    model.scale.get(at).unwrap_or(&1.0),
                );
                *value = (*value - mean) / scale;
                let column = &self.columns[at];
                ensure!(
                    value.is_finite(),
                    "row {}, column {column}: not finite once standardised",
                    number + 1
                );
            }
        }
        Ok(self)
    }

    /// Refuses values beyond 2^log2_bound.
    pub fn check_bound(&self, log2_bound: i8) -> Result<()> {
        let bound = f64::from(log2_bound).exp2();
        for (number, row) in self.rows.iter().enumerate() {
            if let Some(at) = row.iter().position(|value| value.abs() > bound) {
                let (column, value) = (&self.columns[at], row[at]);
                bail!(
                    "row {}, column {column}: {value} is out of range; allowed is -{bound} to {bound}, or raise --bound-bits",
                    number + 1
                );
            }
        }
        Ok(())
    }

    /// Refuses what is no integer of 32 bits.
    pub fn integers(self) -> Result<Self> {
        let is_integer = |value: &f64| value.fract() == 0.0 && value.abs() < f64::from(i32::MAX);
        for (number, row) in self.rows.iter().enumerate() {
            if let Some(at) = row.iter().position(|value| !is_integer(value)) {
                bail!(
                    "row {}, column {}: {} is no integer; allowed under this set are integers",
                    number + 1,
                    self.columns[at],
                    row[at]
                );
            }
        }
        Ok(self)
    }

    /// Each value as a block of slots, a power of two, with a 1 in its bucket: bucket b holds what is at least edge b-1
    /// and below edge b.
    pub fn one_hot(self, edges: &[f64]) -> Result<Self> {
        ensure!(
            edges.iter().all(|edge| edge.is_finite())
                && edges.windows(2).all(|pair| pair[0] < pair[1]),
            "--buckets: the edges must be finite and ascend"
        );
        let width = (edges.len() + 1).next_power_of_two();
        let name = |column: &String| {
            let column = column.clone();
            (0..width).map(move |bucket| format!("{column}/{bucket}"))
        };
        let block = |value: &f64| {
            let bucket = edges.iter().take_while(|&edge| edge <= value).count();
            (0..width).map(move |slot| f64::from(u8::from(slot == bucket)))
        };
        Ok(Self {
            columns: self.columns.iter().flat_map(name).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| row.iter().flat_map(block).collect())
                .collect(),
        })
    }

    /// Names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, as many values each as there are columns.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }
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

fn number_of(cell: &str, row: usize, column: &str) -> Result<f64> {
    match cell.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(value) => bail!("row {row}, column {column}: {value}; allowed are finite numbers"),
        Err(_) => {
            bail!("row {row}, column {column}: {cell:?} is no number; allowed are finite numbers")
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::Values;
    use isopod_eval::Model;

    fn message(text: &str) -> String {
        Values::parse(text.as_bytes(), None)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn rows_and_columns() {
        let values = Values::parse("a, b\n1, -2.5\n3e1, 0\n".as_bytes(), None).unwrap();
        assert_eq!(values.columns(), ["a", "b"]);
        assert_eq!(values.rows(), [vec![1.0, -2.5], vec![30.0, 0.0]]);
    }

    #[test]
    fn what_is_no_finite_number_is_named() {
        assert!(message("a,b\n1,2\n3,NaN\n").starts_with("row 2, column b: NaN;"));
        assert!(message("a\ninf\n").starts_with("row 1, column a: inf;"));
        assert!(message("a\n-1e999\n").starts_with("row 1, column a: -inf;"));
        assert!(message("a\nsix\n").starts_with("row 1, column a: \"six\" is no number"));
    }

    #[test]
    fn bounds_name_row_column_and_range() {
        let values = Values::parse("a,b\n1,8\n-8.5,0\n".as_bytes(), None).unwrap();
        let error = values.check_bound(3).unwrap_err().to_string();
        assert!(
            error.starts_with("row 2, column a: -8.5 is out of range; allowed is -8 to 8"),
            "{error}"
        );
        assert!(values.check_bound(4).is_ok());
    }

    #[test]
    fn a_model_selects_and_standardises() {
        let text = r#"{"kind":"linear","features":["b","a"],"mean":[1,0],"scale":[2,1],"weights":[1,1],"bias":0}"#;
        let model = Model::from_json(text).unwrap();
        let read = |csv: &str| Values::parse(csv.as_bytes(), Some(&model.features));
        let values = read("a,label,b\n5,yes,7\n")
            .unwrap()
            .standardise(&model)
            .unwrap();
        assert_eq!(values.rows(), [vec![3.0, 5.0]]);
        let missing = read("a,c\n1,2\n").unwrap_err().to_string();
        assert_eq!(missing, "column b: missing; the header has a, c");
    }
}
