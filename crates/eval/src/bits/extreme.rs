//! Smallest and largest values, and their places.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;
use tfhe::integer::RadixCiphertext;

use super::job::BitsJob;
use super::job::{numbers, Session};
use super::numbers::{native, Column, Number};
use crate::Error;

/// Extreme that is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Smallest value.
    Minimum,
    /// Largest value.
    Maximum,
}

/// Job with one value as output: the smallest or the largest.
#[derive(Debug, Clone, Copy)]
pub struct Extreme {
    /// Extreme that is wanted.
    pub which: Which,
}

impl BitsJob for Extreme {
    fn name(&self) -> &'static str {
        match self.which {
            Which::Minimum => "minimum",
            Which::Maximum => "maximum",
        }
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        numbers(self.name(), types).map(|_| ())
    }

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len() - 1);
        let of = inputs[0].value_type();
        Ok(vec![match Column::new(of, inputs) {
            Column::Unsigned(values) => native(self.reduce(session, values), of)?,
            Column::Signed(values) => native(self.reduce(session, values), of)?,
        }])
    }
}

impl Extreme {
    fn reduce<T: Number>(&self, session: &mut Session<'_>, values: Vec<T>) -> T {
        let keys = session.keys();
        tournament(session, values, |one, other| match self.which {
            Which::Minimum => keys.min_parallelized(one, other),
            Which::Maximum => keys.max_parallelized(one, other),
        })
    }
}

/// Winner of a tournament: rounds of pairs until one value is left, of at least one.
fn tournament<T: Clone>(
    session: &mut Session<'_>,
    mut values: Vec<T>,
    mut play: impl FnMut(&T, &T) -> T,
) -> T {
    while values.len() > 1 {
        let mut winners = Vec::with_capacity(values.len().div_ceil(2));
        for pair in values.chunks(2) {
            if let [one, other] = pair {
                winners.push(play(one, other));
                session.step();
            } else {
                winners.extend_from_slice(pair);
            }
        }
        values = winners;
    }
    values.swap_remove(0)
}

/// Job with a u16 and a value as output: the place of the smallest or largest (from 0, the first of equals), and the value.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    /// Extreme that is wanted.
    pub which: Which,
}

impl BitsJob for Argument {
    fn name(&self) -> &'static str {
        match self.which {
            Which::Minimum => "argmin",
            Which::Maximum => "argmax",
        }
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        numbers(self.name(), types).map(|_| ())
    }

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len() - 1);
        let of = inputs[0].value_type();
        match Column::new(of, inputs) {
            Column::Unsigned(values) => self.place(session, values, of),
            Column::Signed(values) => self.place(session, values, of),
        }
    }
}

impl Argument {
    fn place<T: Number>(
        &self,
        session: &mut Session<'_>,
        values: Vec<T>,
        of: ValueType,
    ) -> Result<Vec<Native>, Error> {
        let keys = session.keys();
        let blocks = ValueType::U16.blocks(2);
        let place = |at: usize| -> RadixCiphertext { keys.create_trivial_radix(at as u64, blocks) };
        let placed = values
            .into_iter()
            .enumerate()
            .map(|(at, value)| (place(at), value));
        let (place, value) = tournament(
            session,
            placed.collect(),
            |one: &(RadixCiphertext, T), other: &(RadixCiphertext, T)| {
                // A later value wins only if it is strictly better, so that the first of equals stays.
                let wins = match self.which {
                    Which::Minimum => keys.lt_parallelized(&other.1, &one.1),
                    Which::Maximum => keys.gt_parallelized(&other.1, &one.1),
                };
                let place = keys.cmux_parallelized(&wins, &other.0, &one.0);
                (place, keys.cmux_parallelized(&wins, &other.1, &one.1))
            },
        );
        Ok(vec![native(place, ValueType::U16)?, native(value, of)?])
    }
}
