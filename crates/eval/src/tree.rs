//! Small decision trees, read from JSON.

use serde::Deserialize;

use crate::Error;

/// Most bytes of a tree file.
pub const TREE_BYTES: usize = 1 << 16;
/// Most comparisons of a tree.
const BRANCHES: usize = 255;

/// A leaf, or a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum Node {
    /// What a row that gets here is, 0 to 255.
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
    /// [`Error::Setting`]: not this JSON, longer than [`TREE_BYTES`], no feature, a feature beyond the row, or more than
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
    /// Number of branches, and the largest feature that they ask for.
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
