//! Jobs on merged frames: which there are, under which sets, and what they ask.

pub(crate) mod table;

use isopod_eval::{Activation, Model, ModelOutput, RealNode, Side, Threshold};
use isopod_lattigo::{
    Alarm, Count, Covariance, Decision, Hidden, Histogram, Leaf, Network, Occurrences, Question,
    Unit, MOST_EDGES, SIZES,
};
use isopod_wire::AnySet;

use crate::request::descriptor::JobName;
use crate::request::job::{Job, Request};
use crate::request::threshold::{RealEdges, RealThreshold, ThresholdValue};
use crate::{Error, Result};

impl JobName {
    /// Whether a server merges frames of the set for the job, and bootstraps them with keys of a large ring.
    pub fn takes_merged(self, set: AnySet) -> bool {
        let is_merged = |set: AnySet| SIZES.iter().any(|size| size.frames == set.name());
        let is_of_merged = matches!(
            self,
            Self::Alarm
                | Self::Count
                | Self::Histogram
                | Self::Sigmoid
                | Self::Network
                | Self::Forest
                | Self::Classify
                | Self::Variance
                | Self::Covariance
                | Self::Table
                | Self::Minimum
                | Self::Maximum
        );
        is_of_merged && is_merged(set)
    }
}

impl Job {
    /// Counts values on that side of a number. An integer without a gap is for frames of TFHE and merged frames alike.
    pub fn count(value: ThresholdValue, side: Side, gap: Option<f64>) -> Self {
        match (value, gap) {
            (ThresholdValue::Integer(value), None) => Self::Count(Threshold { value, side }),
            (value, gap) => Self::CountReal(RealThreshold {
                value: value.real(),
                side,
                gap,
            }),
        }
    }

    /// Counts values between edges. Integers without a gap are for frames of TFHE and merged frames alike.
    pub fn histogram(edges: Vec<ThresholdValue>, gap: Option<f64>) -> Self {
        let integers = edges.iter().map(|edge| match edge {
            ThresholdValue::Integer(value) => Some(*value),
            ThresholdValue::Real(_) => None,
        });
        match (integers.collect(), gap) {
            (Some(integers), None) => Self::Histogram(integers),
            (_, gap) => Self::HistogramReal(RealEdges {
                values: edges.into_iter().map(ThresholdValue::real).collect(),
                gap,
            }),
        }
    }

    /// Whether any value is on that side of a number, with `each` for each value. An integer without a gap is for frames of TFHE
    /// and merged frames alike.
    pub fn alarm(value: ThresholdValue, side: Side, each: bool, gap: Option<f64>) -> Self {
        match (value, gap) {
            (ThresholdValue::Integer(value), None) => Self::Alarm(Threshold { value, side }, each),
            (value, gap) => {
                let value = value.real();
                Self::AlarmReal(RealThreshold { value, side, gap }, each)
            }
        }
    }

    /// The question about merged frames.
    ///
    /// # Errors
    /// [`Error::Parameter`] for jobs that are not computed on merged frames.
    pub(crate) fn question(&self) -> Result<Box<dyn Question>> {
        Ok(match self {
            Self::Count(threshold) => Box::new(count(real(threshold))),
            Self::CountReal(threshold) => Box::new(count(*threshold)),
            Self::Alarm(threshold, _) => Box::new(alarm(real(threshold))),
            Self::Sigmoid(model) | Self::Network(model) => Box::new(self.network(model)),
            Self::Forest(model) => Box::new(forest(model)),
            Self::Classify(model) => {
                let scores: Vec<Unit> = model.outputs.iter().map(unit).collect();
                Box::new(Decision::largest_of(&scores))
            }
            Self::Variance(columns) => Box::new(Covariance {
                pairs: columns.iter().map(|&column| [column; 2]).collect(),
            }),
            Self::Covariance(columns) => Box::new(Covariance {
                pairs: columns.windows(2).map(|pair| [pair[0], pair[1]]).collect(),
            }),
            Self::AlarmReal(threshold, _) => Box::new(alarm(*threshold)),
            Self::Table(table) => Box::new(table.clone()),
            Self::Minimum | Self::Maximum => Box::new(Occurrences),
            Self::Histogram(edges) => {
                let edges = edges.iter().map(|&edge| edge as f64).collect();
                Box::new(Histogram { edges, gap: None })
            }
            Self::HistogramReal(RealEdges { values, gap }) => Box::new(Histogram {
                edges: values.clone(),
                gap: *gap,
            }),
            _ => {
                let problem = format!(
                    "{}; allowed on merged frames are alarm of each reading, classify, count, covariance, forest, histogram with \
                     edges, maximum, minimum, network, sigmoid, table, and variance",
                    self.name().name()
                );
                return Err(Error::parameter("job", problem));
            }
        })
    }

    /// A model as it is asked of merged frames: with the sigmoid of its one output, or the sums of several.
    fn network(&self, model: &Model) -> Network {
        let hidden = model.hidden.as_ref().map(|hidden| Hidden {
            units: hidden.units.iter().map(unit).collect(),
            activation: match hidden.activation {
                Activation::Relu => isopod_lattigo::Activation::Relu,
                Activation::Tanh => isopod_lattigo::Activation::Tanh,
                Activation::Logistic => isopod_lattigo::Activation::Logistic,
            },
        });
        let link = isopod_lattigo::Activation::Logistic;
        Network {
            hidden,
            outputs: model.outputs.iter().map(unit).collect(),
            link: (self.name() == JobName::Sigmoid).then_some(link),
        }
    }

    /// Names of the numbers of an answer: bins by the edges beside them, variances by their columns; None for other jobs.
    pub fn number_names(&self) -> Option<Vec<String>> {
        if let Self::Variance(columns) = self {
            let names = columns.iter().map(|column| format!("column {column}"));
            return Some(names.collect());
        }
        let edges = self.edges()?;
        let (first, last) = (edges.first()?, edges.last()?);
        let between = edges.windows(2);
        let between = between.map(|pair| format!("{} to {}", pair[0], pair[1]));
        let mut names = vec![format!("below {first}")];
        names.extend(between);
        names.push(format!("above {last}"));
        Some(names)
    }

    fn edges(&self) -> Option<Vec<f64>> {
        match self {
            Self::Histogram(edges) => Some(edges.iter().map(|&edge| edge as f64).collect()),
            Self::HistogramReal(edges) => Some(edges.values.clone()),
            _ => None,
        }
    }

    /// A parameter that only merged frames have: a gap, or a number with a fraction.
    fn real_parameter(&self) -> Option<(&'static str, f64)> {
        let (field, numbers, gap) = match self {
            Self::CountReal(threshold) | Self::AlarmReal(threshold, _) => (
                "threshold",
                std::slice::from_ref(&threshold.value),
                threshold.gap,
            ),
            Self::HistogramReal(edges) => ("edges", &edges.values[..], edges.gap),
            _ => return None,
        };
        let of_gap = gap.map(|gap| ("gap", gap));
        let mut fractions = numbers.iter().filter(|number| number.fract() != 0.0);
        let number = fractions.next().or(numbers.first());
        of_gap.or(number.map(|&number| (field, number)))
    }
}

fn unit(of: &ModelOutput) -> Unit {
    Unit {
        weights: of.weights.clone(),
        bias: of.bias,
    }
}

/// The trees of a model, each comparison a node of its own.
fn forest(model: &Model) -> Decision {
    let mut nodes = Vec::new();
    let features = model.features.len();
    let trees = model.trees.iter().map(|tree| {
        let mut leaves = Vec::new();
        grow(tree, features, (&mut nodes, &mut leaves), &[]);
        leaves
    });
    Decision {
        trees: trees.collect(),
        outputs: model.outputs.len(),
        nodes,
    }
}

/// Adds the nodes and leaves of a tree that begins behind a path.
fn grow(
    tree: &RealNode,
    features: usize,
    (nodes, leaves): (&mut Vec<Unit>, &mut Vec<Leaf>),
    path: &[(usize, isopod_lattigo::Side)],
) {
    match tree {
        RealNode::Leaf(values) => leaves.push(Leaf {
            path: path.to_vec(),
            values: values.clone(),
        }),
        RealNode::Branch {
            feature,
            above,
            then,
            otherwise,
        } => {
            let (number, mut weights) = (nodes.len(), vec![0.0; features]);
            weights[*feature] = 1.0;
            nodes.push(Unit {
                weights,
                bias: -above,
            });
            let of = |side| [path, &[(number, side)]].concat();
            let (above, below) = (
                of(isopod_lattigo::Side::Above),
                of(isopod_lattigo::Side::Below),
            );
            grow(then, features, (nodes, leaves), &above);
            grow(otherwise, features, (nodes, leaves), &below);
        }
    }
}

/// Refuses several outputs, whose sigmoids are no probabilities of classes.
pub(crate) fn check_single(model: &Model) -> Result<()> {
    let outputs = model.outputs.len();
    if outputs == 1 {
        return Ok(());
    }
    let problem = format!(
        "has {outputs} outputs; allowed for sigmoid is one: logistic gives the scores of all, of which the owner makes \
         probabilities"
    );
    Err(Error::parameter("model", problem))
}

/// An integer as a number of merged frames.
fn real(threshold: &Threshold) -> RealThreshold {
    RealThreshold {
        value: threshold.value as f64,
        side: threshold.side,
        gap: None,
    }
}

fn count(threshold: RealThreshold) -> Count {
    Count {
        threshold: threshold.value,
        side: side(threshold),
        gap: threshold.gap,
    }
}

fn alarm(threshold: RealThreshold) -> Alarm {
    Alarm {
        threshold: threshold.value,
        side: side(threshold),
        gap: threshold.gap,
    }
}

fn side(threshold: RealThreshold) -> isopod_lattigo::Side {
    match threshold.side {
        Side::Above => isopod_lattigo::Side::Above,
        Side::Below => isopod_lattigo::Side::Below,
    }
}

impl Request {
    /// Whether its frames are merged.
    pub(crate) fn takes_merged(&self, set: AnySet) -> bool {
        self.job.name().takes_merged(set)
    }

    /// Results of each frame, or of all of them: one, one for each output of a model, or under a set whose frames are merged one
    /// for each bin of a histogram and for each column of a variance.
    pub(crate) fn outputs(&self, set: AnySet) -> usize {
        match self.takes_merged(set) {
            true => self.job.number_names().map_or(1, |names| names.len()),
            false => self.job.outputs(),
        }
    }

    /// Refuses numbers with a fraction, and a gap, on integers; and on merged frames a histogram without edges, or of too many,
    /// an alarm of all readings, and the sigmoids of several outputs.
    pub(crate) fn check_thresholds(&self, set: AnySet) -> Result<()> {
        if self.takes_merged(set) {
            return self.check_merged();
        }
        match self.job.real_parameter() {
            None => Ok(()),
            Some((field, found)) => {
                let set = set.name();
                let problem = format!("{found}; allowed under {set} are integers, without a gap");
                Err(Error::parameter(field, problem))
            }
        }
    }

    fn check_merged(&self) -> Result<()> {
        if let Job::Alarm(_, false) | Job::AlarmReal(_, false) = self.job {
            let problem = "false; allowed on merged frames is true, an alarm of each reading; count tells how many there are";
            return Err(Error::parameter("each", problem));
        }
        if let Job::Sigmoid(model) = &self.job {
            return check_single(model);
        }
        let edges = match (&self.job, self.job.edges()) {
            (Job::Buckets, _) => 0,
            (_, Some(edges)) => edges.len(),
            (_, None) => return Ok(()),
        };
        if (1..=MOST_EDGES).contains(&edges) {
            return Ok(());
        }
        let problem = format!("{edges}; allowed on merged frames are 1 to {MOST_EDGES}");
        Err(Error::parameter("edges", problem))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use isopod_wire::{by_name, AnySet, TFHE_SETS};

    /// A count above a number of this gap.
    fn request(value: ThresholdValue, gap: Option<f64>) -> Request {
        Request::new(Job::count(value, Side::Above, gap))
    }

    #[test]
    fn fractions_and_gaps_are_of_merged_frames() {
        let merged = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let integers = AnySet::Tfhe(&TFHE_SETS[0]);
        let (whole, fraction) = (ThresholdValue::Integer(75), ThresholdValue::Real(75.5));
        for (request, refusal) in [
            (request(whole, None), None),
            (
                request(fraction, None),
                Some("threshold: 75.5; allowed under"),
            ),
            (request(whole, Some(0.5)), Some("gap: 0.5; allowed under")),
        ] {
            assert!(request.check_thresholds(merged).is_ok());
            let found = request.check_thresholds(integers).err();
            let found = found.map(|error| error.to_string());
            assert_eq!(found.is_some(), refusal.is_some());
            assert!(found
                .unwrap_or_default()
                .starts_with(refusal.unwrap_or_default()));
        }
    }

    /// Under TFHE an alarm may be of all values, and its number is an integer; on merged frames each reading has one.
    #[test]
    fn alarms_of_merged_frames_are_of_each_reading() {
        let merged = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let integers = AnySet::Tfhe(&TFHE_SETS[0]);
        let (whole, fraction) = (ThresholdValue::Integer(75), ThresholdValue::Real(75.5));
        let ask = |value, each, gap| Request::new(Job::alarm(value, Side::Below, each, gap));
        for (request, set, wanted) in [
            (ask(whole, true, None), merged, ""),
            (ask(whole, false, None), integers, ""),
            (ask(fraction, true, Some(0.5)), merged, ""),
            (
                ask(whole, false, None),
                merged,
                "each: false; allowed on merged frames is true",
            ),
            (
                ask(fraction, false, None),
                merged,
                "each: false; allowed on merged",
            ),
            (
                ask(fraction, true, None),
                integers,
                "threshold: 75.5; allowed under",
            ),
            (
                ask(whole, true, Some(0.5)),
                integers,
                "gap: 0.5; allowed under",
            ),
            (ask(whole, true, Some(0.0)), merged, ""),
            (
                ask(whole, true, Some(-0.5)),
                merged,
                "gap: -0.5; allowed are numbers from 0 on",
            ),
        ] {
            let refusal = request
                .job
                .check_parameters()
                .and_then(|()| request.check_thresholds(set));
            let refusal = refusal.err().map(|error| error.to_string());
            assert_eq!(refusal.is_none(), wanted.is_empty(), "{refusal:?}");
            assert!(refusal.unwrap_or_default().starts_with(wanted));
            let text = request.to_json(set, [7; 16]);
            let read = text.map(|text| Request::from_json(&text, set, [7; 16]).unwrap());
            assert!(read.map_or(true, |read| read == request));
        }
        let digests = [true, false].map(|each| ask(fraction, each, None).digest(merged));
        assert_ne!(digests[0], digests[1]);
    }

    /// Under BFV frames bring buckets, under TFHE edges are integers.
    #[test]
    fn edges_are_of_merged_frames_and_of_integers() {
        let merged = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let integers = AnySet::Tfhe(&TFHE_SETS[0]);
        let ask = |edges: &[f64], gap| {
            let edges = edges.iter().map(|&edge| ThresholdValue::of(edge));
            Request::new(Job::histogram(edges.collect(), gap))
        };
        let (whole, mixed) = (ask(&[1.0, 2.0], None), ask(&[1.0, 2.5], None));
        assert_eq!(whole.job, Job::Histogram(vec![1, 2]));
        let names = ["below 1", "1 to 2.5", "above 2.5"].map(str::to_owned);
        assert_eq!(mixed.job.number_names().unwrap(), names);
        assert!(whole.check_thresholds(integers).is_ok());
        for request in [&whole, &mixed, &ask(&[1.0, 2.0], Some(0.5))] {
            assert!(request.check(merged).is_ok());
            assert_eq!((request.outputs(merged), request.outputs(integers)), (3, 1));
        }
        for (request, set, wanted) in [
            (&mixed, integers, "edges: 2.5; allowed under"),
            (&ask(&[1.0], Some(0.5)), integers, "gap: 0.5; allowed under"),
            (&ask(&[1.0], Some(-0.0)), merged, "gap: -0; allowed are"),
            (
                &ask(&[0.5, 0.5], None),
                merged,
                "edges: 0.5 0.5; allowed are",
            ),
            (
                &ask(&[0.5, f64::NAN], None),
                merged,
                "edges: number 1 is NaN",
            ),
            (&ask(&[], None), merged, "edges: none; allowed are"),
            (
                &ask(&[0.5; 0], Some(1.0)),
                merged,
                "edges: none; allowed are",
            ),
            (
                &Request::new(Job::Buckets),
                merged,
                "edges: 0; allowed on merged",
            ),
        ] {
            let found = request
                .job
                .check_parameters()
                .and_then(|()| request.check_thresholds(set));
            let found = found.unwrap_err().to_string();
            assert!(found.starts_with(wanted), "{found}");
        }
        let edges: Vec<f64> = (0..33).map(|at| f64::from(at) / 2.0).collect();
        let many = ask(&edges, None).check(merged).unwrap_err().to_string();
        assert_eq!(many, "edges: 33; allowed on merged frames are 1 to 32");
        assert!(ask(&edges[..32], None).check(merged).is_ok());
    }

    #[test]
    fn histograms_pass_through_their_file() {
        let set = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let mut digests = Vec::new();
        for (edges, gap) in [
            (&[1.0, 2.0][..], None),
            (&[1.0, 2.0], Some(0.5)),
            (&[1.0, 2.0], Some(0.25)),
            (&[1.0, 2.5], None),
            (&[1.0], None),
        ] {
            let edges = edges.iter().map(|&edge| ThresholdValue::of(edge));
            let request = Request::new(Job::histogram(edges.collect(), gap));
            let text = request.to_json(set, [7; 16]).unwrap();
            assert_eq!(Request::from_json(&text, set, [7; 16]).unwrap(), request);
            digests.push(request.digest(set));
        }
        digests.dedup();
        assert_eq!(digests.len(), 5);
    }

    #[test]
    fn requests_with_fractions_pass_through_their_file() {
        let set = AnySet::Rns(by_name("ckks-2048x1-air").unwrap());
        let mut digests = Vec::new();
        for (value, gap) in [
            (75.0, None),
            (75.5, None),
            (75.5, Some(0.5)),
            (75.5, Some(0.25)),
        ] {
            let value: ThresholdValue = f64::to_string(&value).parse().unwrap();
            let request = request(value, gap);
            let text = request.to_json(set, [7; 16]).unwrap();
            assert_eq!(Request::from_json(&text, set, [7; 16]).unwrap(), request);
            digests.push(request.digest(set));
        }
        digests.dedup();
        assert_eq!(digests.len(), 4);
    }
}
