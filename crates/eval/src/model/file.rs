//! The JSON file of a model. One output without a name has a list of weights and a number; several have a list of each.

use crate::model::forest::RealNode;
use crate::model::linear::{refused, Activation, HiddenLayer, Model, ModelKind, ModelOutput};
use crate::Error;
use serde::{Deserialize, Serialize, Serializer};

/// Largest model file that is read, in bytes.
pub const MODEL_BYTES: usize = 1 << 20;

#[derive(Deserialize, Serialize)]
struct ModelFile {
    kind: ModelKind,
    features: Vec<String>,
    #[serde(default)]
    mean: Vec<f64>,
    #[serde(default)]
    scale: Vec<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hidden: Option<HiddenFile>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    trees: Vec<RealNode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Weights>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bias: Option<Bias>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    largest_score: Option<f64>,
}

#[derive(Deserialize, Serialize)]
struct HiddenFile {
    activation: Activation,
    weights: Vec<Vec<f64>>,
    bias: Vec<f64>,
}

#[derive(Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "weights: no numbers; allowed is a list of them, or one such list for each output"
)]
enum Weights {
    Single(Vec<f64>),
    Several(Vec<Vec<f64>>),
}

#[derive(Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "bias: no number; allowed is one, or a list with one for each output"
)]
enum Bias {
    Single(f64),
    Several(Vec<f64>),
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
        let file: ModelFile =
            serde_json::from_str(text).map_err(|error| refused("JSON", error.to_string()))?;
        let model = Self::try_from(file)?;
        model.check()?;
        Ok(model)
    }
}

impl Serialize for Model {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ModelFile::from(self.clone()).serialize(serializer)
    }
}

impl TryFrom<ModelFile> for Model {
    type Error = Error;

    fn try_from(file: ModelFile) -> Result<Self, Error> {
        let mut outputs = match file.trees.first() {
            Some(_) if file.weights.is_some() || file.bias.is_some() => {
                let problem = "are beside trees; a model has either";
                return Err(refused("weights", problem.to_owned()));
            }
            Some(tree) => vec![ModelOutput::unnamed(Vec::new(), 0.0); tree.outputs()],
            None => outputs(given("weights", file.weights)?, given("bias", file.bias)?)?,
        };
        let (names, found) = (file.outputs, outputs.len());
        if !names.is_empty() && names.len() != found {
            let problem = format!(
                "has {} entries; it must have {found}, one for each output",
                names.len()
            );
            return Err(refused("outputs", problem));
        }
        if names.iter().any(String::is_empty) {
            let problem = "contains an empty name; each output needs one of its own";
            return Err(refused("outputs", problem.to_owned()));
        }
        for (output, name) in outputs.iter_mut().zip(names) {
            output.name = name;
        }
        Ok(Self {
            kind: file.kind,
            features: file.features,
            mean: file.mean,
            scale: file.scale,
            hidden: file.hidden.map(HiddenLayer::try_from).transpose()?,
            trees: file.trees,
            outputs,
            largest_score: file.largest_score,
        })
    }
}

/// A field that models without trees have.
fn given<T>(field: &str, value: Option<T>) -> Result<T, Error> {
    value.ok_or_else(|| refused("JSON", format!("missing field `{field}`")))
}

/// The outputs of weights and biases, which are both of one output or both of several.
fn outputs(weights: Weights, bias: Bias) -> Result<Vec<ModelOutput>, Error> {
    let problem = match (weights, bias) {
        (Weights::Single(weights), Bias::Single(bias)) => {
            return Ok(vec![ModelOutput::unnamed(weights, bias)])
        }
        (Weights::Several(rows), Bias::Several(biases)) if rows.len() == biases.len() => {
            let pairs = rows.into_iter().zip(biases);
            return Ok(pairs
                .map(|(row, bias)| ModelOutput::unnamed(row, bias))
                .collect());
        }
        // An empty list may be either.
        (Weights::Single(row), Bias::Several(biases)) if row.is_empty() && biases.is_empty() => {
            return Ok(Vec::new());
        }
        (Weights::Several(rows), Bias::Several(biases)) => format!(
            "has {} entries; it must have {}, one for each list of weights",
            biases.len(),
            rows.len()
        ),
        (Weights::Several(rows), Bias::Single(_)) => format!(
            "is one number; it must be a list of {}, one for each list of weights",
            rows.len()
        ),
        (Weights::Single(_), Bias::Several(_)) => {
            "is a list; it must be one number, as weights is one list".to_owned()
        }
    };
    Err(refused("bias", problem))
}

impl TryFrom<HiddenFile> for HiddenLayer {
    type Error = Error;

    fn try_from(file: HiddenFile) -> Result<Self, Error> {
        let (units, biases) = (file.weights.len(), file.bias.len());
        if units != biases {
            let problem = format!(
                "has {biases} entries of bias; it must have {units}, one for each list of weights"
            );
            return Err(refused("hidden", problem));
        }
        let units = file.weights.into_iter().zip(file.bias);
        Ok(Self {
            activation: file.activation,
            units: units
                .map(|(row, bias)| ModelOutput::unnamed(row, bias))
                .collect(),
        })
    }
}

impl From<HiddenLayer> for HiddenFile {
    fn from(hidden: HiddenLayer) -> Self {
        let units = hidden.units.into_iter();
        let (weights, bias) = units.map(|unit| (unit.weights, unit.bias)).unzip();
        Self {
            activation: hidden.activation,
            weights,
            bias,
        }
    }
}

impl From<Model> for ModelFile {
    fn from(model: Model) -> Self {
        let names = model.names();
        let is_single = model.is_single();
        let mut outputs = model.outputs.into_iter();
        let (weights, bias) = match outputs.next() {
            Some(only) if is_single => (Weights::Single(only.weights), Bias::Single(only.bias)),
            first => {
                let all = first.into_iter().chain(outputs);
                let (weights, biases) = all.map(|output| (output.weights, output.bias)).unzip();
                (Weights::Several(weights), Bias::Several(biases))
            }
        };
        let has_weights = model.trees.is_empty();
        Self {
            kind: model.kind,
            features: model.features,
            mean: model.mean,
            scale: model.scale,
            hidden: model.hidden.map(HiddenFile::from),
            trees: model.trees,
            weights: Some(weights).filter(|_| has_weights),
            bias: Some(bias).filter(|_| has_weights),
            outputs: names,
            largest_score: model.largest_score,
        }
    }
}
