//! Tables that are encrypted: readings as options or a description say, and the columns that are derived from them.

use std::path::{Path, PathBuf};

use anyhow::{ensure, Context, Result};
use clap::{Args, ValueEnum};
use isopod_workflow::{Derivation, Description, Model, Moments, Readings};

use crate::input::files;
use crate::input::values::{self, ReadingTable, Wanted};

/// Share of a bucket by which the last edge lies beyond the largest reading, so that it is in the bucket below.
const BEYOND: f64 = 1e-6;

/// Columns that are derived from the readings.
#[derive(Debug, Clone, Default, Args)]
pub struct DerivedChoice {
    /// Take columns, standardisation and derived columns from this file of --write-packing, as other devices of the fleet do
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "model", "standardise", "moments", "squares", "target", "group_by", "missing", "quantiles", "buckets",
        ]
    )]
    pub like: Option<PathBuf>,
    /// Subtract the mean of each column of this file, and divide by its standard deviation
    #[arg(long, conflicts_with = "model")]
    pub standardise: bool,
    /// Add the squares of the columns and the products of every two, for spread, correlation and least squares
    #[arg(long)]
    pub moments: bool,
    /// Add the squares of the columns, for spread alone
    #[arg(long, conflicts_with = "moments")]
    pub squares: bool,
    /// The column that the others are to explain
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// A column of categories: each row fills the block of its own, and nobody sees which one
    #[arg(long, value_name = "COLUMN", requires = "categories")]
    pub group_by: Option<String>,
    /// The categories, which are public; comma separated
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        requires = "group_by"
    )]
    pub categories: Vec<String>,
    /// Meaning of an empty cell or NaN
    #[arg(long, value_enum, default_value = "refuse")]
    pub missing: MissingName,
    /// Buckets of each column between its smallest and largest reading here, for quantiles, minimum and maximum
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(2..=1024))]
    pub quantiles: Option<u16>,
}

/// Meaning of an empty cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum MissingName {
    /// An error
    #[default]
    Refuse,
    /// A reading that is not there: an indicator beside each column counts those that are
    Count,
}

impl DerivedChoice {
    /// Reads a file as the options, a model or a description say.
    pub fn read(
        &self,
        path: &Path,
        id: Option<&str>,
        model: Option<(&Model, bool)>,
    ) -> Result<(Description, ReadingTable<f64>)> {
        let like = self.like.as_deref().map(files::description).transpose()?;
        let features = model.map(|(model, _)| &model.features);
        let group = match &like {
            Some(like) => Some(&like.derived.group).filter(|group| !group.is_empty()),
            None => self.group_by.as_ref(),
        };
        let missing = like.as_ref().map(|like| like.derived.missing);
        let wanted = Wanted {
            columns: features
                .or(like.as_ref().map(|like| &like.names))
                .map(Vec::as_slice),
            id,
            group: group.map(String::as_str),
            missing: missing.unwrap_or(self.missing == MissingName::Count),
        };
        let mut table = values::real(path, wanted)?;
        let description = match (like, model) {
            (Some(like), _) => {
                standardise(&mut table.readings, &like);
                like
            }
            (None, Some((model, is_done))) => {
                let described = Description::of_model(model);
                if !is_done {
                    table.readings = table.readings.standardise(model)?;
                }
                self.derived(described, &table.readings)?
            }
            (None, None) => {
                let described = self.described(&table.readings);
                standardise(&mut table.readings, &described);
                self.derived(described, &table.readings)?
            }
        };
        Ok((description, table))
    }

    /// Names of the columns, with their standardisation if it is asked for.
    fn described(&self, readings: &Readings<f64>) -> Description {
        let mut description = Description {
            names: readings.columns.clone(),
            ..Description::default()
        };
        if self.standardise {
            let columns = (0..readings.columns.len()).map(|at| spread(readings, at));
            (description.means, description.scales) = columns.unzip();
        }
        description
    }

    fn derived(&self, description: Description, readings: &Readings<f64>) -> Result<Description> {
        let derived = Derivation {
            group: self.group_by.clone().unwrap_or_default(),
            categories: self.categories.clone(),
            missing: self.missing == MissingName::Count,
            moments: match (self.moments, self.squares) {
                (true, _) => Moments::Products,
                (_, true) => Moments::Squares,
                _ => Moments::None,
            },
            target: self.target.clone().unwrap_or_default(),
            buckets: self.quantiles.map_or_else(Vec::new, |buckets| {
                (0..readings.columns.len())
                    .map(|at| edges(readings, at, buckets))
                    .collect()
            }),
        };
        derived.check(&description.names)?;
        Ok(Description {
            derived,
            ..description
        })
    }
}

/// Readings with all that is derived from them. `groups` holds the category of each row.
pub fn derive(
    description: &Description,
    readings: Readings<f64>,
    groups: Option<&[String]>,
) -> Result<Readings<f64>> {
    let derived = &description.derived;
    if derived.is_empty() {
        return Ok(readings);
    }
    let categories = numbers(derived, groups)?;
    let block = derived.block(readings.columns.len());
    let rows = readings.rows.iter().enumerate().map(|(at, readings)| {
        let mut row = Vec::with_capacity(derived.blocks() * block.len());
        let category = categories.get(at).copied().unwrap_or(0);
        derived.append(readings, category, &block, &mut row);
        row
    });
    Ok(Readings {
        columns: derived.names(&description.names),
        rows: rows.collect(),
    })
}

/// Number of the category of each row.
fn numbers(derived: &Derivation, groups: Option<&[String]>) -> Result<Vec<usize>> {
    let number = |(row, cell): (usize, &String)| {
        let found = derived
            .categories
            .iter()
            .position(|category| category == cell);
        let (row, column) = (row + 1, &derived.group);
        let allowed = || derived.categories.join(", ");
        found.with_context(|| {
            format!(
                "row {row}, column {column}: {cell:?}; allowed is one of the categories {}",
                allowed()
            )
        })
    };
    groups
        .unwrap_or_default()
        .iter()
        .enumerate()
        .map(number)
        .collect()
}

fn standardise(readings: &mut Readings<f64>, description: &Description) {
    for row in &mut readings.rows {
        for (at, value) in row.iter_mut().enumerate() {
            let mean = description.means.get(at).unwrap_or(&0.0);
            *value = (*value - mean) / description.scales.get(at).unwrap_or(&1.0);
        }
    }
}

fn column(readings: &Readings<f64>, at: usize) -> impl Iterator<Item = f64> + Clone + '_ {
    readings
        .rows
        .iter()
        .map(move |row| row[at])
        .filter(|value| !value.is_nan())
}

/// Mean and standard deviation of a column; 0 and 1 of an empty one, a deviation of 1 of a constant one.
fn spread(readings: &Readings<f64>, at: usize) -> (f64, f64) {
    let values = column(readings, at);
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    match variance.sqrt() {
        deviation if deviation > 0.0 => (mean, deviation),
        _ => (mean, 1.0),
    }
}

/// Edges of buckets of equal width between the smallest and the largest reading.
fn edges(readings: &Readings<f64>, at: usize, buckets: u16) -> Vec<f64> {
    let values = column(readings, at);
    let (least, most) = values.fold(
        (f64::INFINITY, f64::NEG_INFINITY),
        |(least, most), value| (least.min(value), most.max(value)),
    );
    let (first, width) = match most - least {
        range if range > 0.0 && range.is_finite() => (least, range / f64::from(buckets)),
        _ if least.is_finite() => (least - 0.5, 1.0 / f64::from(buckets)),
        _ => (0.0, 1.0 / f64::from(buckets)),
    };
    let edge = |number: u16| first + width * f64::from(number);
    let inner = (0..buckets).map(edge);
    inner.chain([edge(buckets) + width * BEYOND]).collect()
}

/// Refuses rows that no frame holds, and says how many columns of readings one does.
pub fn check_columns(description: &Description, places: usize) -> Result<()> {
    let (derived, readings) = (&description.derived, description.names.len());
    let columns = derived.columns(readings);
    ensure!(
        derived.is_empty() || columns <= places,
        "columns: {readings} make {columns} with all that is derived from them; allowed in a frame of \
         {places} places are at most {}",
        derived.most_readings(places)
    );
    Ok(())
}
