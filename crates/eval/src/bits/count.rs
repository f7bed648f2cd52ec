//! How many values there are on a side, or between edges.

use isopod_tfhe::engine::Native;
use isopod_wire::ValueType;
use tfhe::integer::BooleanBlock;

use super::job::{in_range, numbers, Session};
use super::numbers::{compare, count, native, Column, Number};
use super::{BitsError, BitsJob, Side};

/// One u16: how many values are on that side of the threshold.
#[derive(Debug, Clone, Copy)]
pub struct Count {
    /// Within the type of the values.
    pub threshold: i128,
    /// Which side counts.
    pub side: Side,
}

impl BitsJob for Count {
    fn name(&self) -> &'static str {
        "count"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), BitsError> {
        in_range("threshold", self.threshold, numbers(self.name(), types)?)
    }

    fn work(
        &self,
        session: &mut Session<'_>,
        inputs: Vec<Native>,
    ) -> Result<Vec<Native>, BitsError> {
        session.begin(inputs.len());
        let bits = match Column::new(inputs[0].value_type(), inputs) {
            Column::Unsigned(values) => all(session, &values, self.side, self.threshold),
            Column::Signed(values) => all(session, &values, self.side, self.threshold),
        };
        Ok(vec![native(count(session.keys(), bits), ValueType::U16)?])
    }
}

fn all<T: Number>(
    session: &mut Session<'_>,
    values: &[T],
    side: Side,
    threshold: i128,
) -> Vec<BooleanBlock> {
    let mut bits = Vec::with_capacity(values.len());
    for value in values {
        bits.push(compare(session.keys(), value, side, threshold));
        session.step();
    }
    bits
}

/// A u16 per bin: values below the first edge, from each edge to below the next, and from the last edge on.
#[derive(Debug, Clone)]
pub struct Histogram {
    /// One or more, ascending, within the type of the values.
    pub edges: Vec<i128>,
}

impl BitsJob for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), BitsError> {
        let of = numbers(self.name(), types)?;
        let ascending = self.edges.windows(2).all(|pair| pair[0] < pair[1]);
        if self.edges.is_empty() || !ascending {
            return Err(BitsError::Setting {
                field: "edges",
                problem: format!("{:?}; allowed are one or more, ascending", self.edges),
            });
        }
        self.edges
            .iter()
            .try_for_each(|&edge| in_range("edges", edge, of))
    }

    fn work(
        &self,
        session: &mut Session<'_>,
        inputs: Vec<Native>,
    ) -> Result<Vec<Native>, BitsError> {
        session.begin(inputs.len() * self.edges.len());
        let below = match Column::new(inputs[0].value_type(), inputs) {
            Column::Unsigned(values) => self.below(session, &values),
            Column::Signed(values) => self.below(session, &values),
        };
        let total = below[0].len();
        let keys = session.keys();
        let mut reached: Vec<_> = below.into_iter().map(|bits| count(keys, bits)).collect();
        reached.push(keys.create_trivial_radix(total as u64, ValueType::U16.blocks(2)));
        let bins = (0..reached.len()).map(|at| match at.checked_sub(1) {
            Some(before) => keys.sub_parallelized(&reached[at], &reached[before]),
            None => reached[at].clone(),
        });
        bins.map(|bin| native(bin, ValueType::U16)).collect()
    }
}

impl Histogram {
    /// For each edge, which values are below it.
    fn below<T: Number>(&self, session: &mut Session<'_>, values: &[T]) -> Vec<Vec<BooleanBlock>> {
        let edges = self.edges.iter();
        edges
            .map(|&edge| all(session, values, Side::Below, edge))
            .collect()
    }
}
