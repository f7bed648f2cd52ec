//! Cases: a set, a job that it lists, the key of its frames, and the frames.

use crate::record::Named;
use crate::values;
use isopod_eval::{
    Claims, Histogram, InnerProduct, Job, Key, Mean, ModelOutput, Scoring, SigmoidScoring, Sum,
    Total, WeightedSum, SIGMOID_CUBIC, SIGMOID_ERROR,
};
use isopod_wire::{sets, ParameterSet, Scheme};

/// Features of a model, which fill most of a row of 16 slots.
const FEATURES: usize = 13;
const STRIDE: usize = 16;
const BUCKETS: usize = 8;
/// log2 of the bound on real numbers that `isopod encrypt` assumes.
const BOUND_BITS: i32 = 4;
/// Frames of a sum, if that many fit.
const FRAMES: usize = 8;
/// Runs under one key pair, about.
const RUNS_PER_PAIR: usize = 10;
/// Key pairs of a case, at most: noise that a key multiplies is the same in all of its runs.
const PAIRS: usize = 100;
/// Key pairs beyond the degree of 4096, where evaluation keys take seconds.
const PAIRS_OF_LARGE: usize = 20;

/// A job by its name on the command line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Work {
    Sum,
    Mean,
    Weighted,
    /// Sums of rows, or of the whole frame as one row.
    Total(Rows),
    Histogram,
    Inner,
    Linear,
    /// Compared with the sigmoid, or with the cubic in its place: the noise alone.
    Sigmoid(Function),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Function {
    Exact,
    Cubic,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rows {
    Short,
    Whole,
}

impl Work {
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Weighted => "weighted",
            Self::Total(Rows::Short) => "total",
            Self::Total(Rows::Whole) => "total-of-all",
            Self::Histogram => "histogram",
            Self::Inner => "inner",
            Self::Linear => "linear",
            Self::Sigmoid(Function::Exact) => "sigmoid",
            Self::Sigmoid(Function::Cubic) => "sigmoid-noise",
        }
    }

    /// Jobs of a set; logistic is linear until the owner applies the sigmoid.
    fn of(set: &ParameterSet) -> Vec<Self> {
        let mut jobs = vec![Self::Sum, Self::Weighted];
        let is_real = set.scheme() == Scheme::Ckks;
        if is_real {
            jobs.push(Self::Mean);
        }
        if set.key_switching {
            jobs.extend([Self::Total(Rows::Short), Self::Total(Rows::Whole)]);
            match is_real {
                true => jobs.extend([Self::Inner, Self::Linear]),
                false => jobs.push(Self::Histogram),
            }
        }
        if is_real && set.key_switching && set.data_primes.len() > 3 {
            jobs.extend([Function::Exact, Function::Cubic].map(Self::Sigmoid));
        }
        jobs
    }

    /// Whether the frames are added up, to one output.
    pub fn sums(self) -> bool {
        matches!(
            self,
            Self::Sum | Self::Mean | Self::Weighted | Self::Histogram
        )
    }
}

/// One case.
#[derive(Debug, Clone)]
pub struct Case {
    pub set: &'static ParameterSet,
    pub job: Work,
    pub key: Key,
    /// Frames that enter one run.
    pub frames: usize,
    pub claims: Claims,
    pub weights: Vec<f64>,
    pub bias: f64,
}

/// Every case, smaller sets first.
pub fn all() -> impl Iterator<Item = Case> {
    let mut sets: Vec<&'static ParameterSet> = sets().collect();
    sets.sort_by_key(|set| set.ring_degree * set.data_primes.len() * set.word_bytes());
    sets.into_iter().flat_map(|set| {
        Work::of(set)
            .into_iter()
            .flat_map(move |job| [Key::Public, Key::Secret].map(|key| Case::new(set, job, key)))
    })
}

impl Case {
    fn new(set: &'static ParameterSet, job: Work, key: Key) -> Self {
        let claims = claims(set, job, key);
        let frames = if job.sums() { FRAMES.min(room(set)) } else { 1 };
        let mut case = Self {
            set,
            job,
            key,
            frames,
            claims,
            weights: Vec::new(),
            bias: 0.0,
        };
        case.choose_weights();
        while job.sums() && case.frames > 1 && case.check().is_err() {
            case.frames -= 1;
            case.choose_weights();
        }
        case
    }

    /// Whether the job would do the case, by its own plan.
    pub fn check(&self) -> Result<(), isopod_eval::Error> {
        let frames = vec![self.claims; self.frames];
        self.job().advise(&self.set.into(), &frames).map(drop)
    }

    fn choose_weights(&mut self) {
        let bound = self.claims.bound;
        let integers = |count: usize| (0..count).map(|i| [1.0, -1.0, 2.0, 3.0][i % 4]).collect();
        self.weights = match (self.job, self.set.scheme()) {
            (Work::Weighted, Scheme::Bfv) => integers(self.frames),
            // One prime has room for weights of one bit.
            (Work::Weighted, Scheme::Ckks) if self.set.data_primes.len() == 1 => {
                integers(self.frames.min(2))
            }
            (Work::Weighted, Scheme::Ckks) => spread(self.frames, 0.7),
            (Work::Inner | Work::Linear, _) => spread(FEATURES, 1.3),
            (Work::Sigmoid(_), _) => spread(FEATURES, 14.0 / (bound * FEATURES as f64)),
            _ => Vec::new(),
        };
        if self.job == Work::Weighted {
            self.frames = self.weights.len();
        }
        self.bias = match self.job {
            Work::Linear | Work::Sigmoid(_) => -0.4,
            _ => 0.0,
        };
    }

    /// Share of an error that is no noise, and not measured.
    pub fn unmeasured(&self) -> f64 {
        match self.job {
            Work::Sigmoid(Function::Cubic) => SIGMOID_ERROR,
            _ => 0.0,
        }
    }

    pub fn named(&self) -> Named {
        Named {
            set: self.set.name,
            job: self.job.name(),
            key: match self.key {
                Key::Public => "public",
                Key::Secret => "secret",
            },
            frames: self.frames,
        }
    }

    /// Key pairs for a number of runs.
    pub fn pairs(&self, runs: usize) -> usize {
        let most = match self.set.ring_degree {
            ..=4096 => PAIRS,
            _ => PAIRS_OF_LARGE,
        };
        (runs / RUNS_PER_PAIR).clamp(1, most)
    }

    /// The job.
    pub fn job(&self) -> Box<dyn Job> {
        let (weights, bias) = (self.weights.clone(), self.bias);
        let scoring = || Scoring::new(&ModelOutput::unnamed(weights.clone(), bias));
        match self.job {
            Work::Sum => Box::new(Sum),
            Work::Mean => Box::new(Mean),
            Work::Weighted if self.set.scheme() == Scheme::Ckks => {
                Box::new(WeightedSum::Real(weights))
            }
            Work::Weighted => {
                let integers = weights.iter().map(|&weight| weight as i64);
                Box::new(WeightedSum::Integers(integers.collect()))
            }
            Work::Total(_) => Box::new(Total),
            Work::Histogram => Box::new(Histogram),
            Work::Inner => Box::new(InnerProduct { weights, bias }),
            Work::Linear => Box::new(scoring()),
            Work::Sigmoid(_) => Box::new(SigmoidScoring { scoring: scoring() }),
        }
    }

    /// Values of a frame, by slot; those between rows are zero.
    pub fn values(&self, seed: u64) -> Vec<f64> {
        let count = self.claims.count();
        if self.job == Work::Histogram {
            return values::one_hot(seed, count, self.claims.buckets);
        }
        let mut slots = match self.job {
            Work::Inner | Work::Linear | Work::Sigmoid(_) if seed.is_multiple_of(4) => {
                self.extreme(seed, count)
            }
            _ => values::frame(seed, count, self.claims.bound),
        };
        if self.set.scheme() == Scheme::Bfv {
            slots.iter_mut().for_each(|value| *value = value.round());
        }
        let (stride, columns) = (self.claims.stride, self.claims.columns);
        for (slot, value) in slots.iter_mut().enumerate() {
            if slot % stride >= columns {
                *value = 0.0;
            }
        }
        slots
    }

    /// Values at the bound whose scores reach theirs, with one sign or the other.
    fn extreme(&self, seed: u64, count: usize) -> Vec<f64> {
        let sign = if (seed / 4).is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let signs = self.weights.iter().map(|weight| sign * weight.signum());
        let mut row: Vec<f64> = signs.map(|sign| sign * self.claims.bound).collect();
        row.resize(self.claims.stride, 0.0);
        row.into_iter().cycle().take(count).collect()
    }

    /// The output in the clear, in the order of its values: of frames that are summed, or of the one frame.
    pub fn clear(&self, frames: &[&Vec<f64>]) -> Vec<f64> {
        let row = |r: usize| {
            let start = r * self.claims.stride;
            &frames[0][start..start + self.claims.columns]
        };
        let score = |row: &[f64]| {
            let products = row.iter().zip(&self.weights).map(|(x, w)| x * w);
            products.sum::<f64>() + self.bias
        };
        let rows = 0..self.claims.rows;
        match self.job {
            Work::Sum => self.summed(frames, |_| 1.0),
            Work::Mean => self.summed(frames, |_| 1.0 / frames.len() as f64),
            Work::Weighted => self.summed(frames, |frame| self.weights[frame]),
            Work::Histogram => self.counts(frames),
            Work::Total(_) => rows.map(|r| row(r).iter().sum()).collect(),
            Work::Inner | Work::Linear => rows.map(|r| score(row(r))).collect(),
            Work::Sigmoid(Function::Exact) => {
                rows.map(|r| 1.0 / (1.0 + (-score(row(r))).exp())).collect()
            }
            Work::Sigmoid(Function::Cubic) => rows
                .map(|r| score(row(r)))
                .map(|x| 0.5 + SIGMOID_CUBIC[0] * x + SIGMOID_CUBIC[1] * x.powi(3))
                .collect(),
        }
    }

    fn summed(&self, frames: &[&Vec<f64>], weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let at = |slot: usize| {
            let terms = frames.iter().enumerate();
            terms
                .map(|(frame, values)| weight(frame) * values[slot])
                .sum()
        };
        (0..self.claims.rows)
            .flat_map(|row| (0..self.claims.columns).map(move |column| (row, column)))
            .map(|(row, column)| at(row * self.claims.stride + column))
            .collect()
    }

    fn counts(&self, frames: &[&Vec<f64>]) -> Vec<f64> {
        let mut counts = vec![0.0; self.claims.buckets];
        for (slot, value) in frames.iter().flat_map(|frame| frame.iter().enumerate()) {
            counts[slot % self.claims.buckets] += value;
        }
        counts
    }
}

/// Weights of both signs up to `largest`, none of them special.
fn spread(count: usize, largest: f64) -> Vec<f64> {
    (0..count)
        .map(|i| largest * ((i * 7 % 11) as f64 / 5.3 - 0.91))
        .collect()
}

/// Frames of the default bound whose sum fits the modulus.
fn room(set: &ParameterSet) -> usize {
    match set.scheme() {
        Scheme::Ckks => 1 << (room_bits(set) - bound_bits(set)).clamp(0, 20),
        Scheme::Bfv => usize::MAX,
    }
}

/// log2 of the largest value that can be read from a frame at the default scale.
fn room_bits(set: &ParameterSet) -> i32 {
    let primes = set.data_primes.iter().take(3);
    let bits: u32 = primes.map(|prime| u64::BITS - prime.leading_zeros()).sum();
    bits as i32 - 2 - i32::from(set.log2_scale.default)
}

/// log2 of the bound: the default, or what a frame of the set holds.
fn bound_bits(set: &ParameterSet) -> i32 {
    BOUND_BITS.min(room_bits(set))
}

fn claims(set: &ParameterSet, job: Work, key: Key) -> Claims {
    let half = set.ring_degree / 2;
    let mut claims = Claims {
        frames: 1,
        bound: f64::from(bound_bits(set)).exp2(),
        scale: f64::from(set.log2_scale.default).exp2(),
        primes: set.data_primes.len(),
        key,
        dithered: set.scheme() == Scheme::Ckks,
        rows: 1,
        columns: set.slots(),
        stride: set.slots(),
        buckets: 1,
    };
    if let Some(plain) = set.plain_modulus {
        (claims.scale, claims.bound) = (1.0, ((plain - 1) / 2 / 10 / FRAMES as u64) as f64);
    }
    match job {
        Work::Total(Rows::Whole) => (claims.columns, claims.stride) = (half, half),
        Work::Total(Rows::Short) | Work::Inner | Work::Linear | Work::Sigmoid(_) => {
            (claims.columns, claims.stride) = (FEATURES, STRIDE);
            claims.rows = half / STRIDE;
        }
        Work::Histogram => {
            (claims.columns, claims.stride, claims.buckets) = (half, half, BUCKETS);
            claims.bound = 1.0;
        }
        Work::Sum | Work::Mean | Work::Weighted => {}
    }
    if let (Work::Total(_), Some(plain)) = (job, set.plain_modulus) {
        claims.bound = ((plain - 1) / 2 / claims.columns as u64).max(1) as f64;
    }
    claims
}
