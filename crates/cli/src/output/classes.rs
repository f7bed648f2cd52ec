//! Classes that the scores of a model name: the output with the largest score, its lead, and probabilities.

use isopod_workflow::{Model, ModelKind};
use serde::Serialize;

/// Classes of a model, and how its scores are read.
pub struct Classes {
    kind: ModelKind,
    names: Vec<String>,
}

/// The class of a row.
#[derive(Clone, Serialize)]
pub struct Class {
    /// Its name, or its number from 0; of one output yes or no.
    pub class: String,
    /// Difference between the two largest scores; of one output its distance from zero.
    pub margin: f64,
    /// Whether the errors of the scores could make another class the largest.
    pub uncertain: bool,
}

impl Classes {
    /// The classes of a model; None of a linear one, whose scores are predictions.
    pub fn of_model(model: &Model) -> Option<Self> {
        let names = match model.outputs.len() {
            1 => ["no", "yes"].map(str::to_owned).to_vec(),
            outputs if model.names().is_empty() => (0..outputs).map(|at| at.to_string()).collect(),
            _ => model.names(),
        };
        let kind = model.kind;
        (kind != ModelKind::Linear).then_some(Self { kind, names })
    }

    /// The class of each row of scores that are off by at most `error`.
    pub fn of_rows(&self, scores: &[f64], outputs: usize, error: f64) -> Vec<Class> {
        let rows = scores.chunks(outputs);
        rows.map(|row| self.of_row(row, error)).collect()
    }

    fn of_row(&self, row: &[f64], error: f64) -> Class {
        if let [score] = row {
            let class = usize::from(*score > 0.0);
            return self.class(class, score.abs(), error);
        }
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&one, &other| row[other].total_cmp(&row[one]));
        self.class(order[0], row[order[0]] - row[order[1]], 2.0 * error)
    }

    fn class(&self, number: usize, margin: f64, least: f64) -> Class {
        Class {
            class: self.names[number].clone(),
            margin,
            uncertain: margin <= least,
        }
    }

    /// The probability of each class of each row; none of a model that has no probabilities.
    pub fn probabilities(&self, scores: &[f64], outputs: usize) -> Vec<f64> {
        let of_row = |row: &[f64]| match self.kind {
            ModelKind::Multinomial => {
                let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                shares(row.iter().map(|score| (score - largest).exp()).collect())
            }
            ModelKind::Logistic => shares(row.iter().copied().map(sigmoid).collect()),
            ModelKind::Linear | ModelKind::Classifier => Vec::new(),
        };
        scores.chunks(outputs).flat_map(of_row).collect()
    }
}

/// 1 / (1 + e^-score).
pub fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score).exp())
}

/// Parts of their sum; equal ones where all of them are too small to be told from zero.
fn shares(parts: Vec<f64>) -> Vec<f64> {
    let sum: f64 = parts.iter().sum();
    let equal = 1.0 / parts.len() as f64;
    let share = |part| if sum > 0.0 { part / sum } else { equal };
    parts.into_iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn classes(kind: &str) -> Classes {
        let outputs =
            r#""weights": [[1], [2], [3]], "bias": [0, 0, 0], "outputs": ["a", "b", "c"]"#;
        let text = format!(r#"{{"kind": "{kind}", "features": ["x"], {outputs}}}"#);
        Classes::of_model(&Model::from_json(&text).unwrap()).unwrap()
    }

    #[test]
    fn a_margin_of_twice_the_error_is_uncertain() {
        let classes = classes("classifier");
        let found = classes.of_rows(&[1.0, 3.0, 2.0, 1.0, 1.5, -9.0], 3, 0.5);
        assert_eq!(found[0].class, "b");
        assert_eq!((found[0].margin, found[0].uncertain), (1.0, true));
        assert_eq!((found[1].margin, found[1].uncertain), (0.5, true));
        let found = classes.of_rows(&[1.0, 3.0, 2.0], 3, 0.499);
        assert!(!found[0].uncertain);
    }

    #[test]
    fn one_output_is_yes_above_zero() {
        let text = r#"{"kind": "logistic", "features": ["x"], "weights": [1], "bias": 0}"#;
        let classes = Classes::of_model(&Model::from_json(text).unwrap()).unwrap();
        let found = classes.of_rows(&[0.25, -0.5], 1, 0.25);
        let found: Vec<_> = found
            .iter()
            .map(|one| (&one.class[..], one.margin, one.uncertain))
            .collect();
        assert_eq!(found, [("yes", 0.25, true), ("no", 0.5, false)]);
    }

    #[test]
    fn probabilities_add_up_to_one() {
        let scores = [700.0, 710.0, -700.0, 0.0, 0.0, 0.0];
        for kind in ["multinomial", "logistic"] {
            let found = classes(kind).probabilities(&scores, 3);
            assert!(
                (found[..3].iter().sum::<f64>() - 1.0).abs() < 1e-12,
                "{found:?}"
            );
            assert!(found[3..]
                .iter()
                .all(|share| (share - 1.0 / 3.0).abs() < 1e-12));
        }
        assert!(classes("classifier").probabilities(&scores, 3).is_empty());
    }
}
