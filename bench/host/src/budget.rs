//! Limits of `budget.toml` on the records.

use crate::record::Record;
use anyhow::{Context as _, Result};
use serde::Deserialize;
use std::path::Path;

#[derive(Deserialize)]
struct File {
    limit: Vec<Limit>,
}

/// The smallest allowed value of a field in some cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    field: Field,
    cases: Vec<String>,
    minimum: f64,
}

/// Fields that limits may be about.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Field {
    InstructionRatio,
    HeapRatio,
}

impl Field {
    fn name(&self) -> &'static str {
        match self {
            Self::InstructionRatio => "instruction_ratio",
            Self::HeapRatio => "heap_ratio",
        }
    }

    /// The field's value, 0 if the record lacks it.
    fn of(&self, record: &Record) -> f64 {
        match self {
            Self::InstructionRatio => record.instruction_ratio,
            Self::HeapRatio => record.heap_ratio,
        }
        .unwrap_or(0.0)
    }
}

/// Reads the limits; the error names the invalid entry.
pub fn load(path: &Path) -> Result<Vec<Limit>> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} is read from the root of the repository", path.display()))?;
    let file: File =
        toml::from_str(&text).with_context(|| format!("{} is malformed", path.display()))?;
    Ok(file.limit)
}

/// One line per record below a limit, and per case of a limit that has no record.
pub fn missed(limits: &[Limit], records: &[Record]) -> Vec<String> {
    let mut complaints = Vec::new();
    for limit in limits {
        for case in &limit.cases {
            match records.iter().find(|record| &record.case == case) {
                Some(record) if limit.field.of(record) >= limit.minimum => {}
                Some(record) => complaints.push(format!(
                    "{case}: {} = {:.1}, the limit is {:.1}",
                    limit.field.name(),
                    limit.field.of(record),
                    limit.minimum
                )),
                None => complaints.push(format!("budget.toml: no record for {case}")),
            }
        }
    }
    complaints
}
