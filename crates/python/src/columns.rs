//! Descriptions of columns, summaries of their sums, and the descriptors of all jobs.

use isopod_workflow::{ColumnSums, Description, JobName};
use pyo3::prelude::*;

use crate::error::{raised, refused};

/// Name, question, layouts, numbers, keys and options of a job.
type Described = (
    &'static str,
    &'static str,
    String,
    String,
    String,
    Vec<&'static str>,
);

/// The descriptors of all jobs.
#[pyfunction]
pub fn jobs() -> Vec<Described> {
    let word = |debug: String| debug.to_lowercase();
    let all = JobName::ALL.iter().map(|job| job.descriptor());
    let described = all.map(|job| {
        (
            job.name,
            job.question,
            word(format!("{:?}", job.layouts)),
            word(format!("{:?}", job.numbers)),
            word(format!("{:?}", job.keys)),
            job.options.names().to_vec(),
        )
    });
    described.collect()
}

/// The file of a description: its fields with the packing.
#[pyfunction]
pub fn description_file(fields: &str) -> PyResult<String> {
    description(fields)?.to_json().map_err(raised)
}

/// The fields of the file of a description, whose packing is checked.
#[pyfunction]
pub fn description_fields(file: &str) -> PyResult<String> {
    let description = Description::from_json(file).map_err(raised)?;
    json(&description)
}

/// The summary of the sums of columns, as JSON.
#[pyfunction]
pub fn summary(
    fields: &str,
    job: &str,
    values: Vec<f64>,
    error: f64,
    rows: Option<u64>,
) -> PyResult<String> {
    let description = description(fields)?;
    let job = JobName::from_name(job).ok_or_else(|| {
        refused(
            "job",
            format!("{job}; allowed are column-sum and column-mean"),
        )
    })?;
    let sums = ColumnSums {
        description: &description,
        job,
        values: &values,
        error,
        rows,
    };
    json(&sums.summary().map_err(raised)?)
}

/// Reads the fields of a description.
pub fn description(fields: &str) -> PyResult<Description> {
    let parsed = serde_json::from_str::<Description>(fields);
    let description = parsed.map_err(|error| refused("columns", error.to_string()))?;
    let (derived, names) = (&description.derived, &description.names);
    derived.check(names).map_err(raised)?;
    Ok(description)
}

fn json(value: &impl serde::Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| refused("columns", error.to_string()))
}
