//! Decision trees on encrypted values: every comparison is made, so that nothing betrays the path.

use isopod_tfhe::native::{Native, ServerKeys};
use isopod_wire::ValueType;

use super::compare::Comparison;
use super::job::{in_range, numbers, BitsJob, Session, Values};
use super::value::{choose, native, refresh, Choice, Digit, Value, CHOICE};
use crate::model::threshold::{Side, Threshold};
use crate::model::tree::{DecisionTree, Node};
use crate::Error;

/// Rows that one thread takes through the tree at a time.
const UNIT: usize = 8;

impl Node {
    fn thresholds(&self, of: ValueType) -> Result<(), Error> {
        match self {
            Self::Leaf(_) => Ok(()),
            Self::Branch {
                above,
                then,
                otherwise,
                ..
            } => {
                in_range("tree: above", i128::from(*above), of)?;
                then.thresholds(of)?;
                otherwise.thresholds(of)
            }
        }
    }

    /// Finds the digits of the leaf that each row reaches.
    fn reach(
        &self,
        keys: &ServerKeys,
        rows: &[&[Value]],
        of: ValueType,
    ) -> Result<Vec<Vec<Digit>>, Error> {
        let (feature, above, then, otherwise) = match self {
            Self::Leaf(leaf) => {
                let digits = Digit::known(u64::from(*leaf), ValueType::U8.blocks(2));
                return Ok(vec![digits; rows.len()]);
            }
            Self::Branch {
                feature,
                above,
                then,
                otherwise,
            } => (*feature, i128::from(*above), then, otherwise),
        };
        let side = Side::Above;
        let comparison = Comparison::new(Threshold { value: above, side }, of, CHOICE);
        let features: Vec<&Value> = rows.iter().map(|row| &row[feature]).collect();
        let conditions = comparison.bits(keys, &features)?;
        let mut then = then.reach(keys, rows, of)?;
        let mut otherwise = otherwise.reach(keys, rows, of)?;
        refresh(keys, then.iter_mut().chain(&mut otherwise).flatten())?;
        let leaves = otherwise.into_iter().zip(then).zip(conditions);
        let choices = leaves.map(|((one, other), condition)| Choice {
            condition,
            one,
            other,
        });
        choose(keys, &choices.collect::<Vec<_>>())
    }
}

impl BitsJob for DecisionTree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        let of = numbers(self, types)?;
        if !types.len().is_multiple_of(self.features) {
            return Err(Error::Setting {
                field: "tree: features",
                problem: format!(
                    "is {}, but there are {} values; allowed are whole rows",
                    self.features,
                    types.len()
                )
                .into(),
            });
        }
        self.root.thresholds(of)
    }

    fn most_values(&self) -> usize {
        usize::from(u16::MAX)
    }

    fn in_order(
        &self,
        session: &mut Session<'_>,
        values: &Values<'_>,
        of: ValueType,
    ) -> Result<Vec<Native>, Error> {
        let keys = session.keys;
        let leaves = session.each(values, UNIT * self.features, &|range| {
            let values = values.of(range)?;
            let rows: Vec<&[Value]> = values.chunks(self.features).collect();
            self.root.reach(keys, &rows, of)
        })?;
        let leaves = leaves.iter().flatten();
        leaves.map(|leaf| native(leaf, ValueType::U8)).collect()
    }
}
