//! A run as rows of text, for terminals and as CSV.

use anyhow::Result;

use crate::record::Run;

/// Columns of a terminal.
pub const COLUMNS: [&str; 9] = [
    "scheme",
    "degree",
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
            record.degree.to_string(),
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
