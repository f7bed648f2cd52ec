//! Summaries of tables from the sums of their columns (`spec/columns.md`, section 5): counts, means, spread, quantiles,
//! covariance.

use isopod_linear::RowMask;
use isopod_wire::AnySet;
use serde::Serialize;

use crate::owner::estimate::Estimate;
use crate::{Column, Description, Error, Factor, Job, JobName, Moments, Request, Result, Results};

/// Sums of the columns of a table, as the owner decrypted them.
#[derive(Debug, Clone)]
pub struct ColumnSums<'a> {
    /// The columns, and what the device derived from them.
    pub description: &'a Description,
    /// The job: column-sum or column-mean.
    pub job: JobName,
    /// Its values.
    pub values: &'a [f64],
    /// Error of every value.
    pub error: f64,
    /// Rows that entered, as the manifest tells; None if it was left out.
    pub rows: Option<u64>,
}

/// Summary of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableSummary {
    /// One for each category; one for all rows without categories.
    pub groups: Vec<GroupSummary>,
}

/// Summary of the rows of a category.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GroupSummary {
    /// The category, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Number of rows; an empty group has no mean.
    pub rows: Estimate,
    /// Summaries of the columns.
    pub columns: Vec<ColumnSummary>,
    /// Covariance of every two columns over the rows that have both; empty without their products.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub covariance: Vec<Vec<Estimate>>,
}

/// Summary of a column, in the unit of its readings. What needs columns that the device did not derive, or more rows, is None.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct ColumnSummary {
    /// Name of the column.
    pub name: String,
    /// Number of readings.
    pub count: Estimate,
    /// Their mean.
    pub mean: Option<Estimate>,
    /// Their standard deviation, divided by one less than their number.
    pub std: Option<Estimate>,
    /// Standard error of the mean.
    pub standard_error: Option<Estimate>,
    /// Least value.
    pub min: Option<Estimate>,
    /// The quartiles.
    pub quartiles: Option<[Estimate; 3]>,
    /// Largest value.
    pub max: Option<Estimate>,
    /// Readings in each bucket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// Readings in buckets: those below the first edge, between every two, and from the last one on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Histogram {
    /// The edges, ascending.
    pub edges: Vec<f64>,
    /// Readings of each bucket, one more than edges.
    pub counts: Vec<Estimate>,
}

impl ColumnSums<'_> {
    /// The summary.
    ///
    /// # Errors
    /// [`Error::Parameter`] for other jobs, other numbers of values, and rows that are not known.
    pub fn summary(&self) -> Result<TableSummary> {
        let (readings, derived) = (self.description.names.len(), &self.description.derived);
        let wanted = derived.columns(readings);
        let is_of_sums = matches!(self.job, JobName::ColumnSum | JobName::ColumnMean);
        if !is_of_sums || self.values.len() != wanted {
            let (job, found) = (self.job.name(), self.values.len());
            let problem = format!(
                "{job} of {found} columns; allowed are column-sum and column-mean of {wanted}"
            );
            return Err(Error::parameter("results", problem));
        }
        let block = derived.block(readings);
        let groups = self.values.chunks(block.len()).enumerate();
        let groups = groups.map(|(at, values)| {
            let group = Group {
                sums: self,
                block: &block,
                values,
            };
            group.summary(derived.categories.get(at).cloned())
        });
        Ok(TableSummary {
            groups: groups.collect::<Result<_>>()?,
        })
    }

    /// Factor of the values in sums.
    fn factor(&self) -> Result<f64> {
        match self.job {
            JobName::ColumnMean => self.rows().map(|rows| rows as f64),
            _ => Ok(1.0),
        }
    }

    fn rows(&self) -> Result<u64> {
        let missing = "left out; allowed are results that name the frames that entered";
        self.rows
            .ok_or_else(|| Error::parameter("manifest", missing))
    }
}

/// Sums of the columns of one block.
struct Group<'a> {
    sums: &'a ColumnSums<'a>,
    block: &'a [Column],
    values: &'a [f64],
}

impl Group<'_> {
    fn summary(&self, category: Option<String>) -> Result<GroupSummary> {
        let description = self.sums.description;
        let readings = description.names.len();
        let rows = match self.sum(Column::Rows)? {
            Some(rows) => rows.integer(),
            None => match self.sums.rows {
                Some(rows) => Estimate::exact(rows as f64),
                None => self.count(0)?,
            },
        };
        let columns = (0..readings)
            .map(|at| self.column(at))
            .collect::<Result<_>>()?;
        let covariance = match description.derived.moments {
            Moments::Products => {
                let row = |one| {
                    (0..readings)
                        .map(|other| self.covariance_in_unit(one, other))
                        .collect()
                };
                (0..readings).map(row).collect::<Result<_>>()?
            }
            _ => Vec::new(),
        };
        Ok(GroupSummary {
            category,
            rows,
            columns,
            covariance,
        })
    }

    fn sum(&self, column: Column) -> Result<Option<Estimate>> {
        let Some(at) = self.block.iter().position(|one| *one == column) else {
            return Ok(None);
        };
        let (value, error) = (self.values[at], self.sums.error);
        Ok(Some(
            Estimate { value, error }.scaled(self.sums.factor()?, 0.0),
        ))
    }

    fn single(&self, factor: Factor) -> Result<Estimate> {
        Ok(self.sum(Column::Single(factor))?.unwrap_or_default())
    }

    /// Readings of a column.
    fn count(&self, at: usize) -> Result<Estimate> {
        let present = self.sum(Column::Single(Factor::Present(at)))?;
        match present.or(self.sum(Column::Rows)?) {
            Some(count) => Ok(count.integer()),
            None => Ok(Estimate::exact(self.sums.rows()? as f64)),
        }
    }

    fn column(&self, at: usize) -> Result<ColumnSummary> {
        let (mean, scale) = self.unit(at);
        let name = self.sums.description.names[at].clone();
        let (count, histogram) = (self.count(at)?, self.histogram(at)?);
        // Fewer than one reading: there is no mean.
        let some = count.value - count.error > 0.5;
        let std = match some && count.value - count.error > 1.5 {
            true => self
                .covariance(at, at)?
                .map(|variance| variance.root().scaled(scale, 0.0)),
            false => None,
        };
        let sum = self.single(Factor::Reading(at))?;
        let mut summary = ColumnSummary {
            name,
            count,
            mean: some.then(|| (sum / count).scaled(scale, mean)),
            std,
            standard_error: std.map(|std| std / count.root()),
            ..ColumnSummary::default()
        };
        if let Some(histogram) = histogram.filter(|_| some) {
            let of = |share| histogram.quantile(count, share).scaled(scale, mean);
            summary.min = Some(of(0.0));
            summary.quartiles = Some([0.25, 0.5, 0.75].map(of));
            summary.max = Some(of(1.0));
            let edges = histogram.edges.iter().map(|edge| edge * scale + mean);
            summary.histogram = Some(Histogram {
                edges: edges.collect(),
                counts: histogram.counts,
            });
        }
        Ok(summary)
    }

    /// Mean and scale of the standardisation of a column.
    fn unit(&self, at: usize) -> (f64, f64) {
        let description = self.sums.description;
        let mean = description.means.get(at).copied().unwrap_or(0.0);
        (mean, description.scales.get(at).copied().unwrap_or(1.0))
    }

    /// Covariance of two columns as they were encrypted; None without their product.
    fn covariance(&self, one: usize, other: usize) -> Result<Option<Estimate>> {
        use Factor::{Present, Reading};
        let (one, other) = (one.min(other), one.max(other));
        let Some(product) = self.sum(Column::Product(Reading(one), Reading(other)))? else {
            return Ok(None);
        };
        let both = self.sum(Column::Product(Present(one), Present(other)))?;
        let count = match both {
            Some(both) => both.integer(),
            None => self.count(one)?,
        };
        let first = self.sum(Column::Product(Reading(one), Present(other)))?;
        let second = self.sum(Column::Product(Present(one), Reading(other)))?;
        let first = match first {
            Some(first) => first,
            None => self.single(Reading(one))?,
        };
        let second = match second {
            Some(second) => second,
            None => self.single(Reading(other))?,
        };
        Ok(Some(
            (product - first * second / count) / (count - Estimate::exact(1.0)),
        ))
    }

    /// Covariance in the units of the readings.
    fn covariance_in_unit(&self, one: usize, other: usize) -> Result<Estimate> {
        let scale = self.unit(one).1 * self.unit(other).1;
        Ok(self
            .covariance(one, other)?
            .unwrap_or_default()
            .scaled(scale, 0.0))
    }

    fn histogram(&self, at: usize) -> Result<Option<Histogram>> {
        let Some(edges) = self.sums.description.derived.buckets.get(at) else {
            return Ok(None);
        };
        let count = |bucket| {
            Ok(self
                .sum(Column::Bucket(at, bucket))?
                .unwrap_or_default()
                .integer())
        };
        let counts = (0..=edges.len()).map(count).collect::<Result<_>>()?;
        Ok(Some(Histogram {
            edges: edges.clone(),
            counts,
        }))
    }
}

impl Histogram {
    /// The value below which a share of the readings lies: between the order statistics beside it.
    fn quantile(&self, count: Estimate, share: f64) -> Estimate {
        let place = share * (count.value - 1.0);
        let least = self.holding(place.floor() - share * count.error, false);
        let most = self.holding(place.ceil() + share * count.error, true);
        let least = least.checked_sub(1).and_then(|at| self.edges.get(at));
        Estimate::between(
            least.copied().unwrap_or(f64::NEG_INFINITY),
            self.edges.get(most).copied().unwrap_or(f64::INFINITY),
        )
    }

    /// The first bucket, or the last one, that may hold the reading of this number, from 0, in ascending order.
    fn holding(&self, number: f64, last: bool) -> usize {
        let mut below = Estimate::default();
        for (bucket, count) in self.counts.iter().enumerate() {
            below = below + *count;
            let reached = match last {
                true => below.value - below.error,
                false => below.value + below.error,
            };
            if number < reached - 0.25 {
                return bucket;
            }
        }
        self.counts.len() - 1
    }
}

impl Results {
    /// Rows of all frames that entered the sums of columns. None if the manifest was left out, for other jobs, and if the request
    /// selects some of the rows.
    pub fn column_rows(&self, set: AnySet) -> Option<u64> {
        let job = match self.job_name()? {
            JobName::ColumnSum => Job::ColumnSum(RowMask::ALL),
            JobName::ColumnMean => Job::ColumnMean(RowMask::ALL),
            _ => return None,
        };
        let provenance = self.provenance();
        let of_all = provenance.request == Request::new(job).digest(set);
        let manifest = provenance.manifest.as_ref().filter(|_| of_all)?;
        u64::try_from(manifest.rows()).ok()
    }
}
