//! Tables as files: what each reading on a grid becomes.

use isopod_lattigo::Table;
use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// Largest distance of the first entry from a multiple of the step, as a share of it.
const OFF: f64 = 1e-9;

/// Fields of the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    /// Distance of two entries, in the unit of the readings.
    #[serde(default = "one")]
    step: f64,
    /// Reading of the first entry.
    #[serde(default)]
    first: f64,
    /// Entries.
    values: Vec<u8>,
    /// The entry of all other readings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    others: Option<u8>,
}

fn one() -> f64 {
    1.0
}

impl File {
    /// A table as it is written.
    pub(crate) fn of(table: &Table) -> Self {
        Self {
            step: table.step,
            first: f64::from(table.first) * table.step,
            values: table.values.clone(),
            others: table.others,
        }
    }

    /// The table, whose first entry is a multiple of the step.
    pub(crate) fn table(self) -> Result<Table> {
        let steps = self.first / self.step;
        let first = steps.round();
        let is_multiple = (steps - first).abs() <= OFF * first.abs().max(1.0);
        let table = Table {
            step: self.step,
            // Beyond 32 bits it becomes the largest integer, which is refused.
            first: first as i32,
            values: self.values,
            others: self.others,
        };
        check(&table)?;
        if is_multiple {
            return Ok(table);
        }
        let problem = format!(
            "{}; allowed are multiples of {}, the step",
            self.first, table.step
        );
        Err(Error::parameter("first", problem))
    }
}

/// Reads a table from JSON: `values`, integers from 0 to 255, of the readings `first`, one `step` more, and so on, 0 and 1 if
/// they are left out; and `others`, that of all other readings.
///
/// # Errors
/// [`Error::Parameter`] for other JSON, and for numbers out of range.
pub fn table_from_json(text: &str) -> Result<Table> {
    let file: File =
        serde_json::from_str(text).map_err(|error| Error::parameter("table", error.to_string()))?;
    file.table()
}

/// Refuses a table that no readings could make right.
pub(crate) fn check(table: &Table) -> Result<()> {
    match table.check() {
        Ok(()) => Ok(()),
        Err(isopod_lattigo::Error::Allowed {
            field,
            found,
            allowed,
        }) => Err(Error::parameter(
            field,
            format!("{found}; allowed are {allowed}"),
        )),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isopod_lattigo::MOST_ENTRIES;

    #[test]
    fn tables_are_read_as_they_were_written() {
        let read = table_from_json(r#"{"values": [3, 4]}"#).unwrap();
        let wanted = Table {
            step: 1.0,
            first: 0,
            values: vec![3, 4],
            others: None,
        };
        assert_eq!(read, wanted);
        for first in [-7, 0, 5] {
            let table = Table {
                step: 0.1,
                first,
                values: vec![0, 255, 9],
                others: Some(1),
            };
            let text = serde_json::to_string(&File::of(&table)).unwrap();
            assert_eq!(table_from_json(&text).unwrap(), table);
        }
    }

    #[test]
    fn files_of_no_table_are_refused() {
        let many = vec!["1"; MOST_ENTRIES + 1].join(",");
        for (text, wanted) in [
            ("[]", "table: "),
            ("{}", "table: missing field `values`"),
            (r#"{"values": []}"#, "values: 0; allowed are 1 to 1024"),
            (
                &format!(r#"{{"values": [{many}]}}"#),
                "values: 1025; allowed are 1 to 1024",
            ),
            (
                r#"{"values": [256]}"#,
                "table: invalid value: integer `256`",
            ),
            (r#"{"values": [-1]}"#, "table: invalid value: integer `-1`"),
            (
                r#"{"values": [0.5]}"#,
                "table: invalid type: floating point `0.5`",
            ),
            (
                r#"{"values": [1], "others": 300}"#,
                "table: invalid value: integer `300`",
            ),
            (
                r#"{"values": [1], "step": 0}"#,
                "step: 0; allowed are numbers above 0",
            ),
            (r#"{"values": [1], "step": -1}"#, "step: -1; allowed are"),
            (
                r#"{"values": [1], "step": 2, "first": 3}"#,
                "first: 3; allowed are multiples of 2",
            ),
            (
                r#"{"values": [1], "first": 1e300}"#,
                "first: 2147483647; allowed are -1024 to 1024",
            ),
            (
                r#"{"values": [1], "last": 1}"#,
                "table: unknown field `last`",
            ),
        ] {
            let refusal = table_from_json(text).unwrap_err().to_string();
            assert!(refusal.starts_with(wanted), "{text}: {refusal}");
        }
    }
}
