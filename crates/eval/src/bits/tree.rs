//! Decision trees on encrypted values: every comparison is made, so that nothing betrays the path.

use isopod_tfhe::native::Native;
use isopod_wire::ValueType;
use tfhe::integer::{BooleanBlock, RadixCiphertext, ServerKey};

use super::job::{in_range, numbers, BitsJob, Session};
use super::numbers::{compare, native, Column, Number};
use crate::threshold::{Side, Threshold};
use crate::tree::{DecisionTree, Node};
use crate::Error;

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

    /// Finds the leaf that a row reaches.
    fn reach<T: Number>(&self, session: &mut Session<'_>, row: &[T]) -> Reached {
        let (feature, above, then, otherwise) = match self {
            Self::Leaf(leaf) => return Reached::Known(*leaf),
            Self::Branch {
                feature,
                above,
                then,
                otherwise,
            } => (feature, above, then, otherwise),
        };
        let keys = session.keys();
        let condition = compare(
            keys,
            &row[*feature],
            Threshold {
                value: i128::from(*above),
                side: Side::Above,
            },
        );
        session.step();
        let then = then.reach(session, row);
        let otherwise = otherwise.reach(session, row);
        Reached::Hidden(choose(keys, &condition, then, otherwise))
    }
}

/// A leaf, in the clear until a comparison decides about it.
enum Reached {
    Known(u8),
    Hidden(RadixCiphertext),
}

impl Reached {
    fn hide(self, keys: &ServerKey) -> RadixCiphertext {
        match self {
            Self::Known(leaf) => {
                keys.create_trivial_radix(u64::from(leaf), ValueType::U8.blocks(2))
            }
            Self::Hidden(leaf) => leaf,
        }
    }
}

fn choose(
    keys: &ServerKey,
    condition: &BooleanBlock,
    then: Reached,
    otherwise: Reached,
) -> RadixCiphertext {
    keys.cmux_parallelized(condition, &then.hide(keys), &otherwise.hide(keys))
}

impl BitsJob for DecisionTree {
    fn name(&self) -> &'static str {
        "tree"
    }

    fn check(&self, types: &[ValueType]) -> Result<(), Error> {
        let of = numbers(self.name(), types)?;
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

    fn work(&self, session: &mut Session<'_>, inputs: Vec<Native>) -> Result<Vec<Native>, Error> {
        session.begin(inputs.len() / self.features * self.root.extent().0);
        match Column::new(inputs[0].value_type(), inputs) {
            Column::Unsigned(values) => self.rows(session, &values),
            Column::Signed(values) => self.rows(session, &values),
        }
    }
}

impl DecisionTree {
    fn rows<T: Number>(
        &self,
        session: &mut Session<'_>,
        values: &[T],
    ) -> Result<Vec<Native>, Error> {
        let mut leaves = Vec::new();
        for row in values.chunks(self.features) {
            let reached = self.root.reach(session, row);
            leaves.push(native(reached.hide(session.keys()), ValueType::U8)?);
        }
        Ok(leaves)
    }
}
