//! Answers in the clear.

use crate::parameters::arena::Arena;
use isopod_workflow::{Job, JobName, Model, Opened, RowMask, Values};

/// A value, and the sum of the magnitudes that it was added up of: what floating point may be off by is a share of that.
#[derive(Clone, Copy, Default)]
struct Clear {
    value: f64,
    magnitude: f64,
}

impl Clear {
    fn plus(self, number: f64) -> Self {
        Self {
            value: self.value + number,
            magnitude: self.magnitude + number.abs(),
        }
    }
}

fn product(values: &[f64], weights: &[f64]) -> Clear {
    let products = values.iter().zip(weights).map(|(x, w)| x * w);
    products.fold(Clear::default(), Clear::plus)
}

/// Says where an answer is beyond its error; None where it is not, or where the clear answer is not known here.
pub fn beyond(job: &Job, arena: &Arena, results: &[Opened]) -> Option<String> {
    let clear = clear(job, arena)?;
    if clear.len() != results.len() {
        return Some(format!("{} results for {}", results.len(), clear.len()));
    }
    let mut pairs = clear.iter().zip(results);
    pairs.find_map(|(clear, opened)| beyond_one(clear, opened))
}

fn beyond_one(clear: &[Clear], opened: &Opened) -> Option<String> {
    let found = numbers(opened);
    if found.len() != clear.len() {
        return Some(format!("{} values for {}", found.len(), clear.len()));
    }
    let mut pairs = clear.iter().zip(found);
    pairs.find_map(|(clear, found)| {
        let slack = 16.0 * f64::EPSILON * clear.magnitude;
        let off = (found - clear.value).abs();
        // So written, a NaN is beyond.
        let is_right = off <= opened.error + slack;
        (!is_right).then(|| format!("{found} +- {}, {} is true", opened.error, clear.value))
    })
}

fn numbers(opened: &Opened) -> Vec<f64> {
    match opened.values.for_owner_only() {
        Values::Real(values) => values.clone(),
        Values::Integers(values) => values.iter().map(|&value| value.into()).collect(),
        other => panic!("numbers wanted: {other:?}"),
    }
}

fn clear(job: &Job, arena: &Arena) -> Option<Vec<Vec<Clear>>> {
    let frames = arena.frames(job.name());
    let each_row = |of: &dyn Fn(&[f64]) -> Vec<Clear>| -> Vec<Vec<Clear>> {
        let rows = frames
            .iter()
            .map(|rows| rows.iter().flat_map(|row| of(row)));
        rows.map(Iterator::collect).collect()
    };
    let windows = |weights: &[f64]| {
        each_row(&|row| {
            let windows = row.windows(weights.len());
            windows.map(|values| product(values, weights)).collect()
        })
    };
    let ones = vec![1.0; frames.len()];
    Some(match job {
        Job::ColumnSum(mask) | Job::ColumnMean(mask) => vec![columns(&frames, mask, job)],
        Job::Sum => vec![combined(&frames, &ones).concat()],
        Job::Mean => {
            let shares = vec![1.0 / frames.len() as f64; frames.len()];
            vec![combined(&frames, &shares).concat()]
        }
        Job::Weighted(weights) => vec![combined(&frames, weights).concat()],
        Job::Dot(weights) => {
            let rows = combined(&frames, &ones);
            let values = rows.iter().map(|row| {
                let values: Vec<f64> = row.iter().map(|clear| clear.value).collect();
                product(&values, weights)
            });
            vec![values.collect()]
        }
        Job::Total => each_row(&|row| vec![product(row, &vec![1.0; row.len()])]),
        Job::Inner(model) | Job::Linear(model) | Job::Logistic(model) => {
            each_row(&|row| vec![score(model, row)])
        }
        Job::Sigmoid(model) => each_row(&|row| {
            let value = 1.0 / (1.0 + (-score(model, row).value).exp());
            vec![Clear::default().plus(value)]
        }),
        Job::Filter(taps) => windows(&taps.iter().rev().copied().collect::<Vec<_>>()),
        Job::Correlation(template) => windows(template),
        Job::MovingAverage(window) => windows(&vec![1.0 / f64::from(*window); *window as usize]),
        Job::Buckets => vec![counts(&frames, 2)],
        _ => return None,
    })
}

/// Sums of the columns over the rows of a mask, or their means.
fn columns(frames: &[Vec<&[f64]>], mask: &RowMask, job: &Job) -> Vec<Clear> {
    let rows = frames.iter().flat_map(|frame| frame.iter().enumerate());
    let rows: Vec<_> = rows.filter(|(at, _)| mask.takes(*at)).collect();
    let weight = match job {
        Job::ColumnMean(_) => 1.0 / rows.len() as f64,
        _ => 1.0,
    };
    let at = |column: usize| {
        let terms = rows.iter().map(|(_, row)| weight * row[column]);
        terms.fold(Clear::default(), Clear::plus)
    };
    (0..frames[0][0].len()).map(at).collect()
}

fn score(model: &Model, row: &[f64]) -> Clear {
    let output = &model.outputs[0];
    product(row, &output.weights).plus(output.bias)
}

/// Weighted sums of frames, place by place.
fn combined(frames: &[Vec<&[f64]>], weights: &[f64]) -> Vec<Vec<Clear>> {
    let at = |row: usize, column: usize| {
        let terms = frames.iter().zip(weights);
        let terms = terms.map(|(frame, weight)| weight * frame[row][column]);
        terms.fold(Clear::default(), Clear::plus)
    };
    let rows = frames[0].iter().enumerate();
    rows.map(|(row, values)| (0..values.len()).map(|column| at(row, column)).collect())
        .collect()
}

fn counts(frames: &[Vec<&[f64]>], buckets: usize) -> Vec<Clear> {
    let mut counts = vec![Clear::default(); buckets];
    for row in frames.iter().flatten() {
        for (at, &value) in row.iter().enumerate() {
            counts[at % buckets] = counts[at % buckets].plus(value);
        }
    }
    counts
}

/// Whether a model expects smaller scores than there are, which its owner then notices.
pub fn is_unexpected(job: &Job, arena: &Arena) -> bool {
    let (Job::Inner(model) | Job::Linear(model) | Job::Logistic(model)) = job else {
        return false;
    };
    let frames = arena.frames(JobName::Linear);
    let largest = model.largest_score.unwrap_or(f64::INFINITY);
    let mut rows = frames.iter().flatten();
    rows.any(|row| score(model, row).value.abs() > largest)
}
