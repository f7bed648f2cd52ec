//! Counts of the values beyond a threshold or between edges.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;

use super::job::BitsJob;
use super::job::{in_range, numbers, Session};
use super::numbers::{count, native, Column};
use crate::threshold::{Side, Threshold};
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
        in_range(
            "threshold",
            self.threshold.value,
            numbers(self.name(), types)?,
        )
    }

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len());
        let column = Column::new(inputs[0].value_type(), inputs);
        let bits = column.compared(session, self.threshold);
        Ok(vec![native(count(session.keys(), bits), ValueType::U16)?])
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
        let of = numbers(self.name(), types)?;
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

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len() * self.edges.len());
        let (keys, total) = (session.keys(), inputs.len());
        let column = Column::new(inputs[0].value_type(), inputs);
        let mut reached = Vec::with_capacity(self.edges.len() + 1);
        for &edge in &self.edges {
            let below = column.compared(
                session,
                Threshold {
                    value: edge,
                    side: Side::Below,
                },
            );
            reached.push(count(keys, below));
        }
        reached.push(keys.create_trivial_radix(total as u64, ValueType::U16.blocks(2)));
        let bins = (0..reached.len()).map(|at| match at.checked_sub(1) {
            Some(before) => keys.sub_parallelized(&reached[at], &reached[before]),
            None => reached[at].clone(),
        });
        bins.map(|bin| native(bin, ValueType::U16)).collect()
    }
}
