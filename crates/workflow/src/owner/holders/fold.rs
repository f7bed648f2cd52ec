//! Columns and buckets of a sum that holders opened: its rows are folded in the clear, since no server rotates under their key.

use isopod_share::Private;
use isopod_wire::ValueType;

use crate::owner::holders::folder::HolderAnswer;
use crate::owner::opening::opened::{Opened, Values};
use crate::owner::opening::position;
use crate::request::descriptor::JobName;
use crate::{Error, Result};

/// Questions about an opened sum that its holders answer themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// The sum of each column, over all rows of all frames.
    ColumnSum,
    /// The mean of each column, over all rows of all frames.
    ColumnMean,
    /// How many readings fall into each of so many buckets.
    Histogram(u32),
}

impl Fold {
    /// The job that a server would compute with rotations.
    pub fn job(self) -> JobName {
        match self {
            Self::ColumnSum => JobName::ColumnSum,
            Self::ColumnMean => JobName::ColumnMean,
            Self::Histogram(_) => JobName::Histogram,
        }
    }
}

impl HolderAnswer {
    /// Folds the one opened result of a sum.
    ///
    /// # Errors
    /// [`Error::Parameter`] for another job than a sum, a number of buckets that columns are not a multiple of, and for a mean
    /// over frames that the answer does not list.
    pub fn fold(&self, opened: Vec<Opened>, fold: Fold) -> Result<Vec<Opened>> {
        let job = self.results().job();
        if self.results().job_name() != Some(JobName::Sum) {
            let problem = format!("of {job}; allowed is a sum");
            return Err(Error::parameter("fold", problem));
        }
        let rows = match (fold, self.results().missing().manifest) {
            (Fold::ColumnMean, None) => {
                let problem =
                    "the answer does not list its frames; allowed is column-sum, or an answer with a list";
                return Err(Error::parameter("fold", problem));
            }
            (Fold::ColumnMean, Some(manifest)) => manifest.rows(),
            _ => 1,
        };
        let one = |opened| folded(opened, fold, rows);
        opened.into_iter().map(one).collect()
    }
}

/// A value for each column or bucket.
fn folded(opened: Opened, fold: Fold, divisor: u128) -> Result<Opened> {
    let columns = opened.places.iter().map(|place| place.column + 1);
    let columns = columns.max().unwrap_or(0);
    let count = match fold {
        Fold::Histogram(buckets) if buckets == 0 || columns % buckets != 0 => {
            let problem = format!(
                "{columns} columns; allowed are multiples of the {buckets} buckets of --packing"
            );
            return Err(Error::parameter("fold", problem));
        }
        Fold::Histogram(buckets) => buckets,
        _ => columns,
    };
    let places: Vec<usize> = opened
        .places
        .iter()
        .map(|place| (place.column % count) as usize)
        .collect();
    // Values of one column.
    let terms = places.len() as f64 / f64::from(count.max(1));
    let divisor = divisor as f64;
    let values = match opened.values.into_owner_only() {
        Values::Integers(values) if fold != Fold::ColumnMean => {
            let sums = sums(&places, count, values.into_iter().map(i128::from));
            Values::Typed(sums.into_iter().map(|sum| (ValueType::I64, sum)).collect())
        }
        Values::Integers(values) => {
            let values = values.into_iter().map(f64::from);
            Values::Real(means(&places, count, values, divisor))
        }
        Values::Real(values) => Values::Real(means(&places, count, values.into_iter(), divisor)),
        other => other,
    };
    let scale = terms / divisor;
    Ok(Opened {
        places: position::of_columns(count as usize),
        bound: opened.bound.map(|bound| bound * scale),
        error: opened.error * scale,
        values: Private::new(values),
    })
}

fn sums(places: &[usize], count: u32, values: impl Iterator<Item = i128>) -> Vec<i128> {
    let mut sums = vec![0; count as usize];
    for (&place, value) in places.iter().zip(values) {
        sums[place] += value;
    }
    sums
}

/// Sums that are divided by a number.
fn means(
    places: &[usize],
    count: u32,
    values: impl Iterator<Item = f64>,
    divisor: f64,
) -> Vec<f64> {
    let mut sums = vec![0.0; count as usize];
    for (&place, value) in places.iter().zip(values) {
        sums[place] += value;
    }
    sums.into_iter().map(|sum| sum / divisor).collect()
}
