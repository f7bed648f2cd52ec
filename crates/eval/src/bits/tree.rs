//! Small decision trees: every comparison is made, so that nothing of the path is told.

use isopod_tfhe::engine::Native;
use isopod_wire::ValueType;
use serde::Deserialize;
use tfhe::integer::{BooleanBlock, RadixCiphertext, ServerKey};

use super::job::{in_range, numbers, Session};
use super::numbers::{compare, native, Column, Number};
use super::{BitsError, BitsJob, Side};

/// Most bytes of a tree file.
pub const TREE_BYTES: usize = 1 << 16;
/// Most comparisons of a tree.
const BRANCHES: usize = 255;

/// A leaf, or a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Node {
    /// The answer, 0 to 255.
    Leaf(u8),
    /// Is the feature above the threshold?
    Branch {
        /// Which value of a row, from 0.
        feature: usize,
        /// Within the type of the values.
        above: i64,
        /// Where to go if so.
        then: Box<Node>,
        /// Where to go otherwise.
        otherwise: Box<Node>,
    },
}

/// A u8 per row of `features` values: the leaf that it reaches.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionTree {
    /// Values per row.
    pub features: usize,
    /// Where every row begins.
    pub root: Node,
}

impl DecisionTree {
    /// Reads a tree from JSON: `{"features": 2, "root": {"branch": {"feature": 0, "above": 10, "then": {"leaf": 1}, ...`.
    ///
    /// # Errors
    /// [`BitsError::Setting`]: not this JSON, longer than [`TREE_BYTES`], no feature, a feature beyond the row, or more than
    /// 255 branches.
    pub fn from_json(text: &str) -> Result<Self, BitsError> {
        let refuse = |problem: String| BitsError::Setting {
            field: "tree",
            problem,
        };
        if text.len() > TREE_BYTES {
            return Err(refuse(format!(
                "{} bytes; allowed are at most {TREE_BYTES}",
                text.len()
            )));
        }
        let tree: Self = serde_json::from_str(text).map_err(|error| refuse(error.to_string()))?;
        let (branches, largest) = tree.root.extent();
        if tree.features == 0 || largest >= tree.features.max(1) {
            return Err(refuse(format!(
                "feature {largest} of {}; allowed are features of the row, from 0",
                tree.features
            )));
        }
        if branches > BRANCHES {
            return Err(refuse(format!(
                "{branches} branches; allowed are at most {BRANCHES}"
            )));
        }
        Ok(tree)
    }
}

impl Node {
    /// Number of branches, and the largest feature that they ask for.
    fn extent(&self) -> (usize, usize) {
        match self {
            Self::Leaf(_) => (0, 0),
            Self::Branch {
                feature,
                then,
                otherwise,
                ..
            } => {
                let (one, other) = (then.extent(), otherwise.extent());
                (1 + one.0 + other.0, one.1.max(other.1).max(*feature))
            }
        }
    }

    fn thresholds(&self, of: ValueType) -> Result<(), BitsError> {
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

    /// The leaf that a row reaches.
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
        let condition = compare(keys, &row[*feature], Side::Above, i128::from(*above));
        session.step();
        let then = then.reach(session, row);
        let otherwise = otherwise.reach(session, row);
        Reached::Hidden(choose(keys, &condition, then, otherwise))
    }
}

/// A leaf in the clear until a comparison decides about it.
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

    fn check(&self, types: &[ValueType]) -> Result<(), BitsError> {
        let of = numbers(self.name(), types)?;
        if !types.len().is_multiple_of(self.features) {
            return Err(BitsError::Setting {
                field: "tree: features",
                problem: format!(
                    "is {}, but there are {} values; allowed are whole rows",
                    self.features,
                    types.len()
                ),
            });
        }
        self.root.thresholds(of)
    }

    fn work(
        &self,
        session: &mut Session<'_>,
        inputs: Vec<Native>,
    ) -> Result<Vec<Native>, BitsError> {
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
    ) -> Result<Vec<Native>, BitsError> {
        let mut leaves = Vec::new();
        for row in values.chunks(self.features) {
            let reached = self.root.reach(session, row);
            leaves.push(native(reached.hide(session.keys()), ValueType::U8)?);
        }
        Ok(leaves)
    }
}
