//! Keys and frames of one set and layout, with values at the bound, which many questions are asked of.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::parameters::wild::Shape;
use crate::support::{quiet, Place, CHOICES};
use isopod_wire::{Layout, ParameterSet, Scheme};
use isopod_workflow::{
    Aggregation, Answer, Choices, Contents, Device, Error, EvaluationKeyChoice, Group, Inbox, Job,
    JobName, Message, Opened, Owner, Request, Result, Server,
};

const FRAMES: usize = 3;
const ROWS: usize = 2;
const COLUMNS: usize = 4;
/// Buckets of the frames that a histogram takes.
const BUCKETS: usize = 2;
const BOUND_BITS: i8 = 4;

/// Outcome of a request.
pub enum Outcome {
    Refused(String),
    Unopenable(String),
    Opened(Vec<Opened>),
}

/// Frames, and the rows that are in each.
struct Sent {
    frames: Vec<Vec<u8>>,
    values: Vec<Vec<f64>>,
}

pub struct Arena {
    pub set: &'static ParameterSet,
    pub layout: Layout,
    server: Arc<Server>,
    owner: Owner,
    folder: PathBuf,
    numbers: Sent,
    one_hot: Option<Sent>,
}

/// Keys for rotations within a row, and from row to row.
pub fn keys(set: &ParameterSet, relinearization: bool) -> Place {
    let rotations = match set.key_switching {
        true => vec![1, 2, 4, 8],
        false => Vec::new(),
    };
    let shape = EvaluationKeyChoice {
        rotations,
        relinearization,
    };
    Place::with_evaluation_keys(set.name, shape)
}

/// log2 of a bound so small that few bits of the values are above the unit.
pub fn small_bound(set: &ParameterSet) -> i8 {
    (4 - set.log2_scale.default as i8).max(-18)
}

/// log2 of the usual bound, or of one that the modulus has room for.
pub fn default_bound(set: &ParameterSet) -> i8 {
    let primes = set.data_primes.iter().take(3);
    let bits: u32 = primes.map(|prime| u64::BITS - prime.leading_zeros()).sum();
    let room = bits as i32 - 4 - i32::from(set.log2_scale.default);
    room.min(i32::from(BOUND_BITS)) as i8
}

impl Arena {
    pub fn new(place: &Place, set: &'static ParameterSet, layout: Layout, bound_bits: i8) -> Self {
        let bound = f64::from(bound_bits).exp2();
        let numbers = (0..FRAMES).map(|frame| row(frame, bound)).collect();
        let one_hot = (0..FRAMES).map(|frame| {
            let is_in = |at: usize| (at + at / BUCKETS * frame).is_multiple_of(BUCKETS);
            let values = (0..ROWS * COLUMNS).map(|at| f64::from(u8::from(is_in(at))));
            values.collect()
        });
        let one_hot = one_hot.collect();
        let is_counted = set.scheme() == Scheme::Bfv && layout == Layout::Slots;
        let mut device = Sending {
            device: Device::open(&place.path("keys/device-1"), false).unwrap(),
            set,
            layout,
            first: 0,
        };
        // The first question makes the memory of frames.
        drop(Inbox::for_request(&place.server(), &Request::new(Job::Sum), true).unwrap());
        Self {
            set,
            layout,
            server: place.server().into(),
            owner: place.owner(),
            folder: place.path("keys/server"),
            numbers: device.send(numbers, bound_bits, 0),
            one_hot: is_counted.then(|| device.send(one_hot, 0, BUCKETS as u32)),
        }
    }

    pub fn rows(&self) -> Shape {
        Shape {
            frames: FRAMES,
            columns: COLUMNS,
        }
    }

    fn sent(&self, job: JobName) -> &Sent {
        match (&self.one_hot, job) {
            (Some(one_hot), JobName::Histogram) => one_hot,
            _ => &self.numbers,
        }
    }

    /// The rows of each frame that a job takes.
    pub fn frames(&self, job: JobName) -> Vec<Vec<&[f64]>> {
        let frames = self.sent(job).values.iter();
        frames
            .map(|values| values.chunks(COLUMNS).collect())
            .collect()
    }

    pub fn answer(&self, request: &Request, again: bool) -> Result<Answer> {
        let inbox = Inbox::for_request(&self.server, request, again)?;
        let mut inbox = inbox.with_threads(NonZero::<usize>::MIN);
        inbox.read(&self.sent(request.job.name()).frames.concat()[..])?;
        inbox.answer(&mut quiet)
    }

    pub fn attempt(&self, job: &Job) -> Outcome {
        let request = Request {
            unnamed_columns: true,
            ..Request::new(job.clone())
        };
        self.outcome(self.answer(&request, true))
    }

    /// The answer to weights that come with the frames, as multiples of 2^-bits.
    pub fn attempt_weighed(&self, bits: u8, weights: &[f64]) -> Outcome {
        self.outcome(self.weighed(bits, weights))
    }

    fn weighed(&self, bits: u8, weights: &[f64]) -> Result<Answer> {
        let aggregation = Aggregation::new(self.server.clone(), Job::Weighed(bits))?;
        let mut group = Group::default();
        let frames = self.numbers.frames.iter().map(Vec::as_slice);
        aggregation.fold(&mut group, frames.zip(weights.iter().copied()))?;
        let state = aggregation.state(&group)?;
        let mut answers = aggregation.answers(state.as_deref())?;
        answers.pop().ok_or(Error::parameter("weights", "all zero"))
    }

    fn outcome(&self, answer: Result<Answer>) -> Outcome {
        let answer = match answer {
            Ok(answer) => answer,
            Err(refusal) => return Outcome::Refused(messages(&refusal)),
        };
        let results = self.owner.read(&answer.items.concat()[..]);
        match results.and_then(|results| self.owner.open_results(&results, &mut quiet)) {
            Ok(opened) => Outcome::Opened(opened),
            Err(problem) => Outcome::Unopenable(problem.to_string()),
        }
    }

    /// Everything that the server stores.
    pub fn server_files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.folder, &mut files);
        files
    }
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => collect(&path, files),
            // Evaluation keys are large, and no request writes them.
            false if path.metadata().unwrap().len() > 1 << 16 => {}
            false => drop(files.insert(path.clone(), std::fs::read(&path).unwrap())),
        }
    }
}

/// An error with those that caused it.
fn messages(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    let texts: Vec<String> = causes.map(ToString::to_string).collect();
    texts.join(": ")
}

/// Values of a frame: all at the bound, at the bound with signs, and within.
fn row(frame: usize, bound: f64) -> Vec<f64> {
    let value = |at: usize| match frame {
        0 => 1.0,
        1 => [1.0, -1.0, -1.0, 1.0, -1.0][at % 5],
        _ => ((at * 37 + 11) % 64) as f64 / 32.0 - 1.0,
    };
    let values = (0..ROWS * COLUMNS).map(|at| bound * value(at));
    // Integers stay so.
    match bound >= 1.0 {
        true => values.map(f64::trunc).collect(),
        false => values.collect(),
    }
}

struct Sending {
    device: Device,
    set: &'static ParameterSet,
    layout: Layout,
    /// Sequence of the next frame.
    first: u64,
}

impl Sending {
    fn send(&mut self, values: Vec<Vec<f64>>, bound_bits: i8, buckets: u32) -> Sent {
        let travels = self.layout == Layout::CoefficientsRounded;
        let choices = Choices {
            bound_bits,
            layout: self.layout,
            accept_label: self.set.label,
            ..CHOICES
        };
        let contents = Contents {
            stride: COLUMNS as u32,
            columns: if travels { COLUMNS as u16 } else { 0 },
            buckets,
            ..Contents::default()
        };
        let mut sender = self
            .device
            .sender(&choices, &contents, 7, self.first)
            .unwrap();
        let mut frames = Vec::new();
        for values in &values {
            let message = match self.set.scheme() {
                Scheme::Ckks => Message::Real(values.clone()),
                Scheme::Bfv => {
                    Message::Integers(values.iter().map(|&value| value as i32).collect())
                }
            };
            frames.push(sender.frame(&message).unwrap().concat());
        }
        self.first += values.len() as u64;
        Sent { frames, values }
    }
}
