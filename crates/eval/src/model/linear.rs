//! Linear and logistic models of one or several outputs.

use std::collections::BTreeSet;

use crate::model::forest::RealNode;
use crate::Error;
use serde::{Deserialize, Serialize};

/// Most outputs of a model: each frame has a result for each of them.
pub const MODEL_OUTPUTS: usize = 256;

/// Kind of a model, which says how its scores are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ModelKind {
    /// Linear model: each score is a prediction.
    Linear,
    /// Logistic model: the sigmoid of the score is the probability, and a score above zero means yes. Of several outputs, one for
    /// each class, the largest is the class, and the sigmoids are divided by their sum.
    Logistic,
    /// Logistic model with an output for each class: the largest is the class, and probabilities are the softmax of the scores.
    Multinomial,
    /// An output for each class, of which the largest is the class; there are no probabilities.
    Classifier,
}

/// One output of a model: a class or a target.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelOutput {
    /// Its name; empty where the outputs of the model have none.
    pub name: String,
    /// Weights, one per feature, or per unit of the hidden layer.
    pub weights: Vec<f64>,
    /// Constant that is added to the weighted sum.
    pub bias: f64,
}

/// A hidden layer: outputs are made of its units, in place of the features.
#[derive(Debug, Clone, PartialEq)]
pub struct HiddenLayer {
    /// The function of each unit's sum.
    pub activation: Activation,
    /// Units, with a weight for each feature.
    pub units: Vec<ModelOutput>,
}

/// Functions of hidden units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Activation {
    /// The larger one of a number and zero.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + e^-x).
    Logistic,
}

/// A model for standardised features. The sender standardises, (x - mean) / scale, before encryption, so that devices encrypt
/// values of one magnitude, on which precision depends.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Kind of the model.
    pub kind: ModelKind,
    /// Names in the order of the weights.
    pub features: Vec<String>,
    /// Number subtracted from each feature in training; documentation for the sender, unused here. May be empty.
    pub mean: Vec<f64>,
    /// Number by which each feature was divided in training; otherwise like `mean`.
    pub scale: Vec<f64>,
    /// The hidden layer of a small network; None of linear and logistic models.
    pub hidden: Option<HiddenLayer>,
    /// Trees of a forest, whose leaves add up to the outputs, which then have no weights; empty of other models.
    pub trees: Vec<RealNode>,
    /// Classes or targets, at least one.
    pub outputs: Vec<ModelOutput>,
    /// Largest |score| that the model is trusted to give. On coefficients it makes weights finer; a larger score is noticed and
    /// refused by the owner. May be absent: whatever the bound of the readings allows.
    pub largest_score: Option<f64>,
}

impl ModelOutput {
    /// An output without a name.
    pub fn unnamed(weights: Vec<f64>, bias: f64) -> Self {
        Self {
            name: String::new(),
            weights,
            bias,
        }
    }

    /// Score of one standardised row in the clear, for comparison.
    pub fn score(&self, row: &[f64]) -> f64 {
        let products = self.weights.iter().zip(row);
        products.map(|(weight, value)| weight * value).sum::<f64>() + self.bias
    }
}

impl Model {
    /// Names of the outputs; empty where they have none.
    pub fn names(&self) -> Vec<String> {
        let names = self.outputs.iter().map(|output| output.name.clone());
        names.filter(|name| !name.is_empty()).collect()
    }

    /// Whether it has one output without a name, as all models had once.
    pub fn is_single(&self) -> bool {
        matches!(&self.outputs[..], [only] if only.name.is_empty())
    }

    /// Refuses fields that do not fit each other.
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
        self.check_outputs()?;
        if self
            .hidden
            .as_ref()
            .is_some_and(|hidden| hidden.units.is_empty())
        {
            let problem = "has no units; at least one is needed".to_owned();
            return Err(refused("hidden", problem));
        }
        let units = self.hidden.iter().flat_map(|hidden| &hidden.units);
        check_lists(
            "hidden",
            units.map(|unit| &unit.weights),
            (wanted, "features"),
        )?;
        self.check_trees()?;
        let of_outputs = match &self.hidden {
            _ if !self.trees.is_empty() => (0, "none of trees"),
            None => (wanted, "features"),
            Some(hidden) => (hidden.units.len(), "units of the hidden layer"),
        };
        check_lists(
            "weights",
            self.outputs.iter().map(|output| &output.weights),
            of_outputs,
        )?;
        for (field, list) in [("mean", &self.mean), ("scale", &self.scale)] {
            let given = Some(list).filter(|list| !list.is_empty());
            check_lists(field, given.into_iter(), (wanted, "features"))?;
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

    /// Refuses trees that are single leaves, beside a hidden layer, or of other features and outputs.
    fn check_trees(&self) -> Result<(), Error> {
        let check = |tree: &RealNode| match tree {
            RealNode::Leaf(_) => Err("have one that is a leaf; each has a branch".to_owned()),
            RealNode::Branch { .. } => tree.check(self.features.len(), self.outputs.len()),
        };
        let problem = match self.trees.iter().try_for_each(check) {
            Ok(()) if self.trees.is_empty() || self.hidden.is_none() => return Ok(()),
            Ok(()) => "are beside a hidden layer; a model has either".to_owned(),
            Err(problem) => problem,
        };
        Err(refused("trees", problem))
    }

    fn check_outputs(&self) -> Result<(), Error> {
        let (found, names) = (self.outputs.len(), self.names());
        let of_classes = matches!(self.kind, ModelKind::Multinomial | ModelKind::Classifier);
        let least = if of_classes { 2 } else { 1 };
        if !(least..=MODEL_OUTPUTS).contains(&found) {
            let problem = format!("are {found}; allowed are {least} to {MODEL_OUTPUTS}");
            return Err(refused("outputs", problem));
        }
        let mut met = BTreeSet::new();
        match names.iter().find(|name| !met.insert(*name)) {
            None => Ok(()),
            Some(name) => Err(refused(
                "outputs",
                format!(
                    "contains {} twice; each output needs a name of its own",
                    name.escape_default()
                ),
            )),
        }
    }
}

fn check_lists<'a>(
    field: &'static str,
    lists: impl Iterator<Item = &'a Vec<f64>>,
    (wanted, of): (usize, &str),
) -> Result<(), Error> {
    let mut lists = lists.map(Vec::len);
    match lists.find(|found| *found != wanted) {
        None => Ok(()),
        Some(found) => {
            let problem = format!("has {found} entries; it must have {wanted}, as {of}");
            Err(refused(field, problem))
        }
    }
}

pub(super) fn refused(field: &'static str, problem: String) -> Error {
    Error::Model { field, problem }
}
