//! Linear and logistic models, read from a small JSON file.

use crate::Error;
use serde::{Deserialize, Serialize};

/// Largest model file that is read, in bytes.
pub const MODEL_BYTES: usize = 1 << 20;

/// Kind of a model, which says how its score is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Linear model: the score is the prediction.
    Linear,
    /// Logistic model: the sigmoid of the score is the probability; a score above zero means yes.
    Logistic,
}

/// A model for standardised features. The sender standardises, (x - mean) / scale, before encryption, so that devices encrypt
/// values of one magnitude, on which precision depends.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
pub struct Model {
    /// Kind of the model.
    pub kind: ModelKind,
    /// Names in the order of the weights.
    pub features: Vec<String>,
    /// Number subtracted from each feature in training; documentation for the sender, unused here. May be absent.
    #[serde(default)]
    pub mean: Vec<f64>,
    /// Number by which each feature was divided in training; otherwise like `mean`.
    #[serde(default)]
    pub scale: Vec<f64>,
    /// Weights, one per feature.
    pub weights: Vec<f64>,
    /// Constant that is added to the weighted sum.
    pub bias: f64,
    /// Largest |score| that the model is trusted to give. On coefficients it makes weights finer; a larger score is noticed and
    /// refused by the owner. May be absent: whatever the bound of the readings allows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest_score: Option<f64>,
}

impl Model {
    /// Reads and checks a model. Unknown fields are ignored.
    ///
    /// # Errors
    /// [`Error::Model`] with the field and the problem.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        if text.len() > MODEL_BYTES {
            return Err(refused(
                "file",
                format!("has {} bytes; at most {MODEL_BYTES} are read", text.len()),
            ));
        }
        let model: Model =
            serde_json::from_str(text).map_err(|error| refused("JSON", error.to_string()))?;
        model.check()?;
        Ok(model)
    }

    /// Linear score of one standardised row in the clear, for comparison.
    pub fn score(&self, row: &[f64]) -> f64 {
        self.weights
            .iter()
            .zip(row)
            .map(|(weight, value)| weight * value)
            .sum::<f64>()
            + self.bias
    }

    /// Refuses lists of other lengths than the features', a largest score that is none, and a division by zero.
    ///
    /// # Errors
    /// [`Error::Model`] with the field and the problem.
    pub fn check(&self) -> Result<(), Error> {
        let wanted = self.features.len();
        if wanted == 0 {
            return Err(refused(
                "features",
                "is empty; at least one is needed".to_owned(),
            ));
        }
        let lists = [
            ("weights", &self.weights, false),
            ("mean", &self.mean, true),
            ("scale", &self.scale, true),
        ];
        for (field, list, optional) in lists {
            if list.len() != wanted && !(optional && list.is_empty()) {
                return Err(refused(
                    field,
                    format!(
                        "has {} entries; it must have {wanted}, as features",
                        list.len()
                    ),
                ));
            }
        }
        if let Some(largest) = self
            .largest_score
            .filter(|largest| !(largest.is_finite() && *largest > 0.0))
        {
            let problem = format!("is {largest}; it must be positive");
            return Err(refused("largest_score", problem));
        }
        if self.scale.contains(&0.0) {
            return Err(refused(
                "scale",
                "contains zero; features are divided by it".to_owned(),
            ));
        }
        Ok(())
    }
}

fn refused(field: &'static str, problem: String) -> Error {
    Error::Model { field, problem }
}
