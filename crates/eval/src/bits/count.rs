//! Counts of the values beyond a threshold or between edges.

use isopod_wire::ValueType;

use super::compare::Comparison;
use super::fold::{Fold, Kind};
use super::gather::Counter;
use super::job::{in_range, numbers, BitsJob};
use crate::model::threshold::{Side, Threshold};
use crate::Error;

/// Job with one u16 as output: the number of values beyond the threshold.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    /// Threshold of the values that count.
    pub threshold: Threshold,
}

impl BitsJob for Count {
    fn name(&self) -> &'static str {
        "count"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        let of = numbers(self, types)?;
        in_range("threshold", self.threshold.value, of)
    }

    fn most_values(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn fold(&self, of: ValueType) -> Option<Fold> {
        let comparison = Comparison::new(self.threshold, of, 1);
        Some(Fold::new(of, Kind::Count(comparison, Counter::default())))
    }
}

/// Job with a u16 per bin: values below the first edge, from each edge to below the next, and from the last edge on.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// Edges: at least one, ascending, within the type of the values.
    pub edges: Vec<i128>,
}

impl BitsJob for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        let of = numbers(self, types)?;
        let ascending = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        if self.edges.is_empty() || !ascending {
            return Err(Error::Setting {
                field: "edges",
                problem: format!("{:?}; allowed are one or more, ascending", self.edges).into(),
            });
        }
        self.edges
            .iter()
            .try_for_each(|&edge| in_range("edges", edge, of))
    }

    fn most_values(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn fold(&self, of: ValueType) -> Option<Fold> {
        let below = |&value: &i128| {
            let side = Side::Below;
            Comparison::new(Threshold { value, side }, of, 1)
        };
        let edges = self
            .edges
            .iter()
            .map(|edge| (below(edge), Counter::default()));
        Some(Fold::new(of, Kind::Bins(edges.collect())))
    }
}
