//! Decision trees on real numbers, whose leaves add up to the outputs of a model.

use serde::{Deserialize, Serialize};

/// A leaf, or a comparison with two subtrees.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub enum RealNode {
    /// A summand of each output.
    Leaf(Vec<f64>),
    /// Comparison: whether a feature is above a threshold.
    Branch {
        /// Position of the feature in a row, from 0.
        feature: usize,
        /// Threshold, in the unit of the readings.
        above: f64,
        /// Subtree if it is above.
        then: Box<RealNode>,
        /// Subtree otherwise.
        otherwise: Box<RealNode>,
    },
}

impl RealNode {
    /// Outputs of its leaves: those of the first one.
    pub(super) fn outputs(&self) -> usize {
        match self {
            Self::Leaf(values) => values.len(),
            Self::Branch { then, .. } => then.outputs(),
        }
    }

    /// The values of the leaf that a row reaches in the clear, for comparison.
    pub fn reached(&self, row: &[f64]) -> &[f64] {
        match self {
            Self::Leaf(values) => values,
            Self::Branch {
                feature,
                above,
                then,
                otherwise,
            } => match row[*feature] > *above {
                true => then.reached(row),
                false => otherwise.reached(row),
            },
        }
    }

    /// The problem of a feature beyond the row, and leaves of other outputs.
    pub(super) fn check(&self, features: usize, outputs: usize) -> Result<(), String> {
        let problem = match self {
            Self::Leaf(values) if values.len() != outputs => format!(
                "have a leaf of {} values; it must have {outputs}, one for each output",
                values.len()
            ),
            Self::Leaf(values) => match values.iter().find(|value| !value.is_finite()) {
                None => return Ok(()),
                Some(value) => format!("have a leaf of {value}; allowed are finite numbers"),
            },
            Self::Branch { feature, .. } if *feature >= features => {
                format!(
                    "compare feature {feature}; allowed are 0 to {}",
                    features.saturating_sub(1)
                )
            }
            Self::Branch { above, .. } if !above.is_finite() => {
                format!("compare with {above}; allowed are finite numbers")
            }
            Self::Branch {
                then, otherwise, ..
            } => {
                then.check(features, outputs)?;
                return otherwise.check(features, outputs);
            }
        };
        Err(problem)
    }
}
