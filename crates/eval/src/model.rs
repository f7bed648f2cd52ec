//! Linear and logistic models in a small JSON file.

use crate::Error;
use serde::Deserialize;

/// Longest model file that is read.
pub const MODEL_BYTES: usize = 1 << 20;

/// What the score means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// The score is the prediction.
    Linear,
    /// The sigmoid of the score is the probability; a score above zero means yes.
    Logistic,
}

/// A model for standardised features. The sender standardises, (x - mean) / scale, before encryption: devices then encrypt
/// values of one size, which is what precision depends on.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Model {
    /// Linear or logistic.
    pub kind: ModelKind,
    /// Names in the order of the weights.
    pub features: Vec<String>,
    /// What was subtracted from each feature in training; documentation for the sender, unused here. May be absent.
    #[serde(default)]
    pub mean: Vec<f64>,
    /// What each feature was divided by; as `mean`.
    #[serde(default)]
    pub scale: Vec<f64>,
    /// One per feature.
    pub weights: Vec<f64>,
    /// Added to the weighted sum.
    pub bias: f64,
}

impl Model {
    /// Reads and checks a model. Unknown fields are ignored.
    ///
    /// # Errors
    /// [`Error::Model`] with the field and what is wrong.
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

    /// The linear score of one standardised row in the clear, to compare with.
    pub fn score(&self, row: &[f64]) -> f64 {
        self.weights
            .iter()
            .zip(row)
            .map(|(weight, value)| weight * value)
            .sum::<f64>()
            + self.bias
    }

    fn check(&self) -> Result<(), Error> {
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
