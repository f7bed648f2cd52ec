//! A run as rows of text, for terminals and as CSV.

use anyhow::Result;

use crate::record::Run;

/// Columns of a terminal.
pub const COLUMNS: [&str; 9] = [
    "scheme",
    "set",
    "operation",
    "side",
    "ms",
    "quartiles",
    "rounds",
    "instructions",
    "bytes",
];

/// Rows of a terminal, an operation's sides one below the other.
pub fn rows(run: &Run) -> Vec<Vec<String>> {
    let mut records: Vec<_> = run.records.iter().collect();
    // Stable: schemes stay in the order of the plan.
    let schemes: Vec<&str> = run
        .records
        .iter()
        .map(|record| record.scheme.as_str())
        .collect();
    let place = |name: &str| schemes.iter().position(|scheme| *scheme == name);
    let order = |name: &str| name.parse::<crate::Operation>().ok();
    records.sort_by_key(|record| {
        (
            place(&record.scheme),
            record.degree,
            record.set.clone(),
            order(&record.operation),
        )
    });
    let row = |record: &&crate::Record| {
        vec![
            record.scheme.clone(),
            record.set.clone(),
            record.operation.clone(),
            record.side.clone(),
            format!("{:.4}", record.ms.median),
            format!("{:.4}..{:.4}", record.ms.lower, record.ms.upper),
            record.rounds.to_string(),
            record
                .instructions
                .map_or_else(String::new, |count| format!("{count:.0}")),
            record
                .bytes
                .map_or_else(String::new, |bytes| bytes.to_string()),
        ]
    };
    records.iter().map(row).collect()
}

/// The records as CSV, with a heading.
///
/// # Errors
/// Never in memory.
pub fn csv(run: &Run) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record([
        "scheme",
        "degree",
        "set",
        "operation",
        "side",
        "ms_median",
        "ms_lower",
        "ms_upper",
        "rounds",
        "instructions",
        "bytes",
    ])?;
    for record in &run.records {
        writer.serialize((
            (&record.scheme, record.degree, &record.set),
            (&record.operation, &record.side),
            (record.ms.median, record.ms.lower, record.ms.upper),
            (record.rounds, record.instructions, record.bytes),
        ))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::rows;
    use crate::record::{Record, Spread};
    use crate::Plan;

    #[test]
    fn sets_of_one_degree_have_names_of_their_own() {
        let ms = Spread::of(vec![1.0]);
        let record = |set: &str| Record {
            side: "isopod".to_owned(),
            scheme: "air".to_owned(),
            degree: 2048,
            set: set.to_owned(),
            operation: "send-secret".to_owned(),
            ms,
            rounds: 1,
            instructions: None,
            bytes: None,
        };
        let mut run = Plan::default().begin();
        run.records = ["ckks-2048x1-air", "ckks-2048x2-air", "bfv-2048x2-air"]
            .map(record)
            .to_vec();
        let names: BTreeSet<Vec<String>> = rows(&run).iter().map(|row| row[..4].to_vec()).collect();
        assert_eq!(names.len(), run.records.len());
    }
}
