//! Ranges of the parameters of jobs, whichever way a request comes. Whether an answer fits is known once there are frames.

use isopod_eval::{Model, Threshold};
use isopod_lattigo::{MOST_PAIRS, MOST_PATH};

use crate::request::descriptor::JobName;
use crate::request::job::{Job, Parameters};
use crate::request::merged::table;
use crate::request::threshold::{RealEdges, RealThreshold};
use crate::{Error, Result};

/// Most classes of which every two are compared, as many as there are levels for.
const MOST_CLASSES: usize = MOST_PATH + 1;
/// Largest magnitude of a real number, 2^64. Answers are read up to 2^57.
const LARGEST: f64 = (1u128 << 64) as f64;
/// Most values of a window: the coefficients of the largest ring.
const LONGEST_WINDOW: u32 = 1 << 15;
/// Integers that any type of values holds.
const INTEGERS: std::ops::RangeInclusive<i128> = -(1 << 63)..=(1 << 64) - 1;

impl Job {
    /// Refuses parameters that no frames could make right, with the field, the value, and what is allowed.
    ///
    /// # Errors
    /// [`Error::Parameter`]; those of models.
    pub fn check_parameters(&self) -> Result<()> {
        match self.parameters() {
            // Bits of weights depend on the set.
            Parameters::Nothing | Parameters::WeightBits(_) => Ok(()),
            // A mask of rows cannot be made wrong.
            Parameters::Rows(_) => Ok(()),
            Parameters::Weights(numbers) => check_numbers("weights", numbers),
            Parameters::Window(window) => check_window(window),
            Parameters::Columns(columns) => check_columns(self.name(), columns),
            Parameters::Edges(edges) => check_edges(edges),
            Parameters::RealEdges(edges) => check_real_edges(edges),
            Parameters::Model(model) => {
                check_hidden(self.name(), model)?;
                check_trees(self.name(), model)?;
                check_model(model)
            }
            Parameters::Threshold(threshold) | Parameters::Alarm(threshold, _) => {
                check_threshold(threshold)
            }
            Parameters::RealThreshold(threshold) | Parameters::RealAlarm(threshold, _) => {
                check_real_threshold(threshold)
            }
            // Its numbers have types that hold no others.
            Parameters::Tree(_) => Ok(()),
            Parameters::Table(table) => table::check(table),
        }
    }
}

fn check_numbers(field: &'static str, numbers: &[f64]) -> Result<()> {
    // So written, a NaN is refused too.
    let is_in = |number: &f64| number.abs() <= LARGEST;
    match numbers.iter().position(|number| !is_in(number)) {
        None => Ok(()),
        Some(at) => {
            let found = match numbers.len() {
                1 => format!("{:e}", numbers[at]),
                _ => format!("number {at} is {:e}", numbers[at]),
            };
            let problem = format!("{found}; allowed are numbers from -2^64 to 2^64");
            Err(Error::parameter(field, problem))
        }
    }
}

/// Networks have a hidden layer, and other models none.
fn check_hidden(job: JobName, model: &Model) -> Result<()> {
    let problem = match (job, &model.hidden) {
        (JobName::Network, None) => "none; allowed for network is a model with a hidden layer",
        (JobName::Network, Some(_)) | (_, None) => return Ok(()),
        (_, Some(_)) => "a hidden layer; allowed are models without, or the job network",
    };
    Err(Error::parameter("hidden", problem))
}

/// Forests have trees, and other models none; classes are compared with each other.
fn check_trees(job: JobName, model: &Model) -> Result<()> {
    let outputs = model.outputs.len();
    let (field, problem) = match (job, model.trees.is_empty()) {
        (JobName::Forest, true) => (
            "trees",
            "none; allowed for forest is a model with trees".to_owned(),
        ),
        (JobName::Classify, true) if !(2..=MOST_CLASSES).contains(&outputs) => (
            "outputs",
            format!("{outputs}; allowed for classify are 2 to {MOST_CLASSES}"),
        ),
        (JobName::Forest, false) | (_, true) => return Ok(()),
        (_, false) => (
            "trees",
            "some; allowed are models without, or the job forest".to_owned(),
        ),
    };
    Err(Error::parameter(field, problem))
}

fn check_model(model: &Model) -> Result<()> {
    model.check()?;
    let hidden = model.hidden.iter().flat_map(|hidden| &hidden.units);
    for output in hidden.chain(&model.outputs) {
        check_numbers("weights", &output.weights)?;
        check_numbers("bias", &[output.bias])?;
    }
    check_numbers("largest_score", model.largest_score.as_slice())?;
    let lists = [("mean", &model.mean), ("scale", &model.scale)];
    for (field, list) in lists {
        if let Some(at) = list.iter().position(|number| !number.is_finite()) {
            let problem = format!("number {at} is {}; allowed are finite numbers", list[at]);
            return Err(Error::parameter(field, problem));
        }
    }
    Ok(())
}

/// Two columns of a covariance, or one and more of which each has a variance.
fn check_columns(job: JobName, columns: &[u32]) -> Result<()> {
    let (counts, allowed) = match job {
        JobName::Covariance => (2..=2, "two".to_owned()),
        _ => (1..=MOST_PAIRS, format!("1 to {MOST_PAIRS}")),
    };
    let is_twice = |at: usize| columns[..at].contains(&columns[at]);
    if counts.contains(&columns.len()) && !(0..columns.len()).any(is_twice) {
        return Ok(());
    }
    let found = listed(columns);
    let problem = format!(
        "{found}; allowed for {} are {allowed}, each another",
        job.name()
    );
    Err(Error::parameter("columns", problem))
}

fn check_window(window: u32) -> Result<()> {
    if (1..=LONGEST_WINDOW).contains(&window) {
        return Ok(());
    }
    let problem = format!("{window}; allowed are 1 to {LONGEST_WINDOW} values");
    Err(Error::parameter("window", problem))
}

fn check_edges(edges: &[i128]) -> Result<()> {
    check_ascending(edges)?;
    let mut ends = edges.first().into_iter().chain(edges.last());
    ends.try_for_each(|&edge| check_integer("edges", edge))
}

fn check_real_edges(edges: &RealEdges) -> Result<()> {
    check_numbers("edges", &edges.values)?;
    check_ascending(&edges.values)?;
    check_gap(edges.gap)
}

fn check_ascending<T: PartialOrd + ToString>(edges: &[T]) -> Result<()> {
    let ascend = edges.windows(2).all(|pair| pair[0] < pair[1]);
    if ascend && !edges.is_empty() {
        return Ok(());
    }
    let problem = format!("{}; allowed are one or more, ascending", listed(edges));
    Err(Error::parameter("edges", problem))
}

/// The first few of a list.
fn listed(edges: &[impl ToString]) -> String {
    const SHOWN: usize = 8;
    let more = if edges.len() > SHOWN { " ..." } else { "" };
    let shown: Vec<String> = edges.iter().take(SHOWN).map(ToString::to_string).collect();
    match shown.is_empty() {
        true => "none".to_owned(),
        false => shown.join(" ") + more,
    }
}

fn check_threshold(threshold: Threshold) -> Result<()> {
    check_integer("threshold", threshold.value)
}

fn check_real_threshold(threshold: RealThreshold) -> Result<()> {
    check_numbers("threshold", &[threshold.value])?;
    check_gap(threshold.gap)
}

fn check_gap(gap: Option<f64>) -> Result<()> {
    match gap {
        Some(gap) if !(gap >= 0.0 && gap.is_sign_positive() && gap.is_finite()) => {
            let problem = format!("{gap}; allowed are numbers from 0 on");
            Err(Error::parameter("gap", problem))
        }
        _ => Ok(()),
    }
}

fn check_integer(field: &'static str, value: i128) -> Result<()> {
    if INTEGERS.contains(&value) {
        return Ok(());
    }
    let (least, most) = INTEGERS.into_inner();
    let problem = format!("{value}; allowed are integers from {least} to {most}");
    Err(Error::parameter(field, problem))
}

#[cfg(test)]
mod tests {
    use crate::{Job, Model, Side, Threshold};
    use isopod_eval::{ModelKind, ModelOutput};

    fn refusal(job: Job) -> String {
        job.check_parameters().expect_err("a refusal").to_string()
    }

    fn model(weights: Vec<f64>, bias: f64, largest_score: Option<f64>) -> Job {
        Job::Linear(Model {
            kind: ModelKind::Linear,
            features: weights.iter().map(f64::to_string).collect(),
            mean: Vec::new(),
            scale: Vec::new(),
            hidden: None,
            trees: Vec::new(),
            outputs: vec![ModelOutput::unnamed(weights, bias)],
            largest_score,
        })
    }

    #[test]
    fn a_refusal_names_the_field_the_number_and_what_is_allowed() {
        let allowed = "; allowed are numbers from -2^64 to 2^64";
        let wanted = |found: &str| format!("{found}{allowed}");
        for (number, shown) in [
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-inf"),
            (1e300, "1e300"),
        ] {
            let weights = || vec![1.0, number];
            let found = wanted(&format!("weights: number 1 is {shown}"));
            for job in [Job::Weighted, Job::Dot, Job::Filter, Job::Correlation] {
                assert_eq!(refusal(job(weights())), found);
            }
            assert_eq!(refusal(model(weights(), 0.0, None)), found);
            let bias = refusal(model(vec![1.0], number, None));
            assert_eq!(bias, wanted(&format!("bias: {shown}")));
        }
        let largest = refusal(model(vec![1.0], 0.0, Some(1e20)));
        assert_eq!(largest, wanted("largest_score: 1e20"));
        for window in [0, 32769, u32::MAX] {
            let found = refusal(Job::MovingAverage(window));
            assert_eq!(
                found,
                format!("window: {window}; allowed are 1 to 32768 values")
            );
        }
    }

    /// Integers of 65 bits and more had the digest of others.
    #[test]
    fn integers_are_of_some_type() {
        let threshold = |value| Threshold {
            value,
            side: Side::Above,
        };
        let found = refusal(Job::Count(threshold(1 << 64)));
        let allowed = "allowed are integers from -9223372036854775808 to 18446744073709551615";
        assert_eq!(found, format!("threshold: 18446744073709551616; {allowed}"));
        let found = refusal(Job::Histogram(vec![-(1 << 70), 0]));
        assert!(found.contains(allowed), "{found}");
        let edges = refusal(Job::Histogram((0..9).rev().collect()));
        assert_eq!(
            edges,
            "edges: 8 7 6 5 4 3 2 1 ...; allowed are one or more, ascending"
        );
        let empty = refusal(Job::Histogram(Vec::new()));
        assert_eq!(empty, "edges: none; allowed are one or more, ascending");
        for job in [
            Job::Alarm(threshold((1 << 64) - 1), true),
            Job::Histogram(vec![-(1 << 63), 5]),
            Job::Weighted(vec![0.0, -0.0, 5e-324, -2f64.powi(64)]),
            model(vec![0.0], 0.0, Some(5e-324)),
            Job::MovingAverage(32768),
        ] {
            assert!(job.check_parameters().is_ok(), "{job:?}");
        }
    }
}
