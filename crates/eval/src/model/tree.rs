//! Small decision trees, read from JSON.

use serde::{Deserialize, Serialize};

use crate::Error;

/// Largest tree file, in bytes.
pub const TREE_BYTES: usize = 1 << 16;
/// Largest number of comparisons in a tree.
const BRANCHES: usize = 255;

/// A leaf, or a comparison with two subtrees.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Node {
    /// Output of the tree, 0 to 255.
    Leaf(u8),
    /// Comparison: whether a feature is above a threshold.
    Branch {
        /// Position of the feature in a row, from 0.
        feature: usize,
        /// Threshold, within the type of the values.
        above: i64,
        /// Subtree if it is above.
        then: Box<Node>,
        /// Subtree otherwise.
        otherwise: Box<Node>,
    },
}

/// Job with a u8 per row of `features` values: the leaf that it reaches.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionTree {
    /// Number of values per row.
    pub features: usize,
    /// Node at which every row begins.
    pub root: Node,
}

impl DecisionTree {
    /// Reads a tree from JSON: `{"features": 2, "root": {"branch": {"feature": 0, "above": 10, "then": {"leaf": 1}, ...`.
    ///
    /// # Errors
    /// [`Error::Setting`]: other JSON, longer than [`TREE_BYTES`], no feature, a feature beyond the row, or more than
    /// 255 branches.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let refuse = |problem: String| Error::Setting {
            field: "tree",
            problem: problem.into(),
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
    /// Number of branches, and the largest feature that they compare.
    pub(crate) fn extent(&self) -> (usize, usize) {
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
}
