//! Choices of a try, made by its seed alone.

use super::patterns::{self, Of};
use crate::values::Random;
use isopod_eval::{ModelKind, ModelOutput};
use isopod_wire::{sets, Layout, ParameterSet, Scheme};
use isopod_workflow::{AnySuite, Choices, Contents, Job, Model, PadChoice, Request};

/// Frames that most tries take, some, few and very few: shares of the tries up to here.
const FRAMES: [(f64, f64); 4] = [
    (0.945, 30.0),
    (0.995, 300.0),
    (0.9995, 3000.0),
    (1.0, 20_000.0),
];
/// Words of all frames of a try, at most.
const WORDS: usize = 1 << 26;
/// Longest row that a filter, a score or a total takes beyond the degree of 4096: keys for a few rotations.
const LONGEST_OF_LARGE: usize = 16;
/// Most frames of a try that a search begins with.
const MOST_OF_SEARCH: usize = 16;
/// Longest row of coefficients that most tries take.
const LONGEST_OF_MOST: usize = 64;
/// Jobs by number, some more often: those that any frame is for, and those that need products along a row.
const SLOT_BY_SLOT: usize = 6;
const ALL: usize = 13;
const BIAS: f64 = -0.4;

/// The job of a try, with what its clear answer needs.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    Sum,
    Mean,
    /// A weight for each frame.
    Weighted(Vec<f64>),
    /// A weight that comes with each frame, as a multiple of 2^-bits.
    Weighed(Vec<f64>, u8),
    Total,
    Dot(Vec<f64>),
    Linear(Vec<f64>),
    /// Weights of neighbours, in the order of the values.
    Filter(Vec<f64>),
    /// Values of a window.
    Average(usize),
}

/// How frames are encrypted, and slots encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sending {
    pub by_secret_key: bool,
    pub to_nearest: bool,
}

/// A try.
#[derive(Debug, Clone)]
pub struct Attempt {
    pub seed: u64,
    pub set: &'static ParameterSet,
    pub work: Work,
    pub layout: Layout,
    pub rows: usize,
    pub columns: usize,
    pub stride: usize,
    pub frames: usize,
    /// Dense rows of the frames, which take turns.
    pub values: Vec<Vec<f64>>,
    /// Senders of equal shares of the frames, one after the other.
    pub senders: Vec<Sending>,
    /// Frames that enter by a partial state.
    pub in_state: usize,
    scale_bits: u8,
    bound_bits: i8,
    level: u8,
}

/// Sets of CKKS with the share of the tries that each has, small ones more.
fn set_of(random: &mut Random) -> &'static ParameterSet {
    let reals: Vec<_> = sets().filter(|set| set.scheme() == Scheme::Ckks).collect();
    let share = |set: &ParameterSet| 1.0 / words(set) as f64;
    let mut left = random.share() * reals.iter().map(|set| share(set)).sum::<f64>();
    let chosen = reals.iter().find(|set| {
        left -= share(set);
        left <= 0.0
    });
    chosen.copied().unwrap_or(reals[0])
}

fn words(set: &ParameterSet) -> usize {
    set.ring_degree * set.data_primes.len() * set.word_bytes() / 4
}

/// Bits of the product of primes.
fn bits(primes: &[u64]) -> i32 {
    let each = primes.iter().map(|prime| u64::BITS - prime.leading_zeros());
    each.sum::<u32>() as i32
}

/// Whether coefficients of a set may travel.
pub fn may_travel(set: &ParameterSet) -> bool {
    set.data_primes.len() <= 2 && set.word_bytes() == 4
}

/// Longest row that rotations add up.
pub fn longest_row(set: &ParameterSet) -> usize {
    match (set.key_switching, set.ring_degree) {
        (false, _) => 1,
        (true, ..=4096) => set.ring_degree / 2,
        (true, _) => LONGEST_OF_LARGE,
    }
}

impl Attempt {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let set = set_of(&mut random);
        let layout = layout_of(set, &mut random);
        let mut attempt = Self::empty(seed, set, layout, &mut random);
        let job = random.below(attempt.jobs());
        attempt.choose_work(job, &mut random);
        attempt.choose_scale(&mut random);
        attempt.choose_values(&mut random);
        attempt
    }

    /// A try of a job of that number under the usual scale, without values yet.
    pub fn of(seed: u64, set: &'static ParameterSet, layout: Layout, job: usize) -> Option<Self> {
        let mut random = Random::new(seed);
        let mut attempt = Self::empty(seed, set, layout, &mut random);
        if job >= attempt.jobs() {
            return None;
        }
        attempt.frames = attempt.frames.min(MOST_OF_SEARCH);
        attempt.choose_work(job, &mut random);
        let range = attempt.growth().log2().ceil() as i32;
        attempt.bound_bits = (attempt.room() - range).clamp(-20, 4) as i8;
        Some(attempt)
    }

    fn empty(seed: u64, set: &'static ParameterSet, layout: Layout, random: &mut Random) -> Self {
        Self {
            seed,
            set,
            work: Work::Sum,
            layout,
            rows: 1,
            columns: 1,
            stride: 1,
            frames: frames_of(set, random),
            values: Vec::new(),
            senders: senders_of(random),
            in_state: 0,
            scale_bits: set.log2_scale.default,
            bound_bits: 0,
            level: 0,
        }
    }

    fn travels(&self) -> bool {
        self.layout == Layout::CoefficientsRounded
    }

    /// Number of jobs that take the layout.
    fn jobs(&self) -> usize {
        let slots = matches!(self.layout, Layout::Slots | Layout::SlotsRepeated);
        match self.travels() || (slots && longest_row(self.set) > 1) {
            true => ALL,
            false => SLOT_BY_SLOT,
        }
    }

    fn choose_work(&mut self, job: usize, random: &mut Random) {
        let travels = self.travels();
        let longest = match (travels, random.below(8)) {
            (false, _) => longest_row(self.set),
            (true, 0) => self.set.ring_degree,
            (true, _) => LONGEST_OF_MOST,
        };
        match job {
            0..SLOT_BY_SLOT => self.choose_shape(self.set.ring_degree / 2, random),
            _ => self.choose_shape(longest, random),
        }
        let mut weights = |count: usize| -> Vec<f64> {
            let size = match random.below(16) {
                0 => (random.share() * 80.0 - 40.0).exp2(),
                _ => (random.share() * 8.0 - 5.0).exp2(),
            };
            (0..count).map(|_| size * random.unit()).collect()
        };
        self.work = match job {
            0..=2 => Work::Sum,
            3 => Work::Mean,
            4 => Work::Weighted(weights(self.frames)),
            5 => Work::Weighed(weights(self.frames), random.below(13) as u8),
            6 | 7 => Work::Total,
            8 | 9 => Work::Dot(weights(self.columns)),
            11 if travels => Work::Filter(weights(1 + self.columns / 2)),
            12 if travels => Work::Average(1 + self.columns / 2),
            _ => Work::Linear(weights(self.columns)),
        };
        if self.is_per_frame() {
            self.frames = self.frames.min(2);
        }
        if matches!(self.work, Work::Sum | Work::Mean | Work::Dot(_)) && random.below(8) == 0 {
            self.in_state = self.frames / 2;
        }
    }

    fn is_per_frame(&self) -> bool {
        matches!(
            self.work,
            Work::Total | Work::Linear(_) | Work::Filter(_) | Work::Average(_)
        )
    }

    /// Rows that fit, each of up to so many values.
    fn choose_shape(&mut self, longest: usize, random: &mut Random) {
        let most = longest.min(self.set.places(self.layout));
        self.stride = 1 << random.below(most.ilog2() as usize + 1);
        self.columns = 1 + random.below(self.stride);
        self.rows = match random.below(3) {
            0 => 1,
            1 => self.set.ring_degree / 2 / self.stride,
            _ => 1 + random.below(self.set.ring_degree / 2 / self.stride),
        }
        .max(1);
        if random.below(4) == 0 {
            (self.rows, self.columns, self.stride) = (1, most, most);
        }
        if matches!(self.layout, Layout::SlotsRepeated | Layout::Complex) {
            (self.rows, self.columns) = (1, self.stride);
        }
        if self.rows == 1 && self.layout != Layout::CoefficientsRounded {
            self.stride = self.columns;
        }
    }

    fn choose_scale(&mut self, random: &mut Random) {
        let range = self.set.log2_scale;
        if random.below(3) == 0 {
            self.scale_bits =
                range.min + random.below(usize::from(range.max - range.min) + 1) as u8;
        }
        if random.below(4) == 0 {
            self.level = 1 + random.below(self.set.data_primes.len()) as u8;
        }
        let encoded = (bits(self.primes()) - 2).min(57) - i32::from(self.scale_bits);
        let summed = self.room() - self.growth().log2().ceil() as i32;
        let most = encoded.min(summed).min(40);
        let below = [0, random.below(12) as i32][random.below(2)];
        self.bound_bits = (most - below).max(-20) as i8;
    }

    /// Primes of the frames.
    fn primes(&self) -> &'static [u64] {
        match self.level {
            0 => self.set.data_primes,
            level => &self.set.data_primes[..level.into()],
        }
    }

    /// log2 of the largest value that is read.
    fn room(&self) -> i32 {
        let primes = self.primes();
        bits(&primes[..primes.len().min(3)]) - 2 - i32::from(self.scale_bits)
    }

    /// Factor by which an answer may be larger than a value.
    fn growth(&self) -> f64 {
        let sum = |weights: &[f64]| weights.iter().map(|weight| weight.abs()).sum::<f64>();
        let growth = match &self.work {
            Work::Sum | Work::Mean => self.frames as f64,
            Work::Weighted(weights) => 64.0 * sum(weights),
            Work::Weighed(weights, bits) => {
                let unit = f64::from(*bits).exp2();
                2.0 * (unit * sum(weights) + self.frames as f64)
            }
            Work::Total => self.columns as f64,
            Work::Average(_) => 64.0,
            Work::Dot(weights) => 64.0 * self.frames as f64 * sum(weights),
            Work::Linear(weights) | Work::Filter(weights) => 64.0 * (sum(weights) + BIAS.abs()),
        };
        growth.max(1.0)
    }

    fn choose_values(&mut self, random: &mut Random) {
        let distinct = match random.below(10) {
            0..=6 => 1,
            _ => self.frames.min(8),
        };
        let of = Of {
            set: self.set,
            scale: self.scale(),
            bound: self.bound(),
            count: self.rows * self.columns,
        };
        self.values = (0..distinct).map(|_| patterns::row(of, random)).collect();
    }

    pub fn scale(&self) -> f64 {
        f64::from(self.scale_bits).exp2()
    }

    pub fn bound(&self) -> f64 {
        f64::from(self.bound_bits).exp2()
    }

    pub fn choices(&self) -> Choices {
        Choices {
            scale_bits: Some(self.scale_bits),
            bound_bits: self.bound_bits,
            suite: AnySuite::Chacha20,
            level: self.level,
            layout: self.layout,
            precision: None,
            grid_bits: None,
            has_column_tag: false,
            whole_bodies: false,
            pad: PadChoice::USUAL,
            accept_label: self.set.label,
        }
    }

    pub fn contents(&self) -> Contents {
        let travels = self.layout == Layout::CoefficientsRounded;
        Contents {
            stride: match self.layout {
                Layout::Slots | Layout::CoefficientsRounded => self.stride as u32,
                _ => 0,
            },
            columns: if travels { self.columns as u16 } else { 0 },
            ..Contents::default()
        }
    }

    /// The values of a frame as a device takes them: with zeros between rows, but for coefficients that travel.
    pub fn message(&self, frame: usize) -> Vec<f64> {
        let rows = &self.values[frame % self.values.len()];
        if self.layout == Layout::CoefficientsRounded {
            return rows.clone();
        }
        let mut message = vec![0.0; (self.rows - 1) * self.stride + self.columns];
        for (row, values) in rows.chunks(self.columns).enumerate() {
            message[row * self.stride..][..self.columns].copy_from_slice(values);
        }
        message
    }

    pub fn request(&self) -> Request {
        let model = |weights: &[f64]| Model {
            kind: ModelKind::Linear,
            features: (0..weights.len())
                .map(|column| format!("x{column}"))
                .collect(),
            mean: Vec::new(),
            scale: Vec::new(),
            hidden: None,
            trees: Vec::new(),
            outputs: vec![ModelOutput::unnamed(weights.to_vec(), BIAS)],
            largest_score: None,
        };
        let job = match &self.work {
            Work::Sum => Job::Sum,
            Work::Mean => Job::Mean,
            Work::Weighted(weights) => Job::Weighted(weights.clone()),
            Work::Weighed(_, bits) => Job::Weighed(*bits),
            Work::Total => Job::Total,
            Work::Dot(weights) => Job::Dot(weights.clone()),
            Work::Linear(weights) => Job::Linear(model(weights)),
            Work::Filter(weights) => Job::Filter(weights.iter().rev().copied().collect()),
            Work::Average(window) => Job::MovingAverage(*window as u32),
        };
        Request {
            unnamed_columns: true,
            ..Request::new(job)
        }
    }

    /// The results in the clear, one of all frames or one of each.
    pub fn clear(&self) -> Vec<Vec<f64>> {
        let ones = vec![1.0; self.columns];
        match &self.work {
            Work::Sum => vec![self.combined(|_| 1.0)],
            Work::Mean => vec![self.combined(|_| 1.0 / self.frames as f64)],
            Work::Weighted(weights) => vec![self.combined(|frame| weights[frame])],
            Work::Weighed(weights, bits) => {
                // A frame whose weight is zero as an integer is left out, and the answer does not name it.
                let unit = f64::from(*bits).exp2();
                let is_in = |weight: f64| f64::from((weight * unit).round() != 0.0);
                vec![self.combined(|frame| is_in(weights[frame]) * weights[frame])]
            }
            Work::Dot(weights) => vec![self.along(&self.combined(|_| 1.0), weights, 0.0)],
            Work::Total => self.each(&ones, 0.0),
            Work::Linear(weights) => self.each(weights, BIAS),
            Work::Filter(weights) => self.each(weights, 0.0),
            Work::Average(window) => self.each(&vec![1.0 / *window as f64; *window], 0.0),
        }
    }

    fn combined(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut weights = vec![0.0; self.values.len()];
        (0..self.frames).for_each(|frame| weights[frame % self.values.len()] += weight(frame));
        let at = |i: usize| {
            weights
                .iter()
                .zip(&self.values)
                .map(|(w, row)| w * row[i])
                .sum()
        };
        (0..self.rows * self.columns).map(at).collect()
    }

    fn each(&self, weights: &[f64], bias: f64) -> Vec<Vec<f64>> {
        let rows =
            |frame: usize| self.along(&self.values[frame % self.values.len()], weights, bias);
        (0..self.frames).map(rows).collect()
    }

    fn along(&self, values: &[f64], weights: &[f64], bias: f64) -> Vec<f64> {
        let product = |values: &[f64]| values.iter().zip(weights).map(|(x, w)| x * w).sum::<f64>();
        let windows = values
            .chunks(self.columns)
            .flat_map(|row| row.windows(weights.len()));
        windows.map(|values| product(values) + bias).collect()
    }
}

fn layout_of(set: &ParameterSet, random: &mut Random) -> Layout {
    match random.below(100) {
        0 => Layout::Coefficients,
        1 => Layout::Complex,
        2..=16 => Layout::SlotsRepeated,
        17..=26 if may_travel(set) => Layout::CoefficientsRounded,
        _ if set.name.ends_with("-air") => Layout::CoefficientsRounded,
        _ => Layout::Slots,
    }
}

/// One sender, or two of different keys or encoders: results are in the order of devices, that by public key first.
fn senders_of(random: &mut Random) -> Vec<Sending> {
    let [by_secret_key, to_nearest] = [(); 2].map(|()| random.below(2) == 1);
    let one = Sending {
        by_secret_key,
        to_nearest,
    };
    let by = |by_secret_key| Sending {
        by_secret_key,
        ..one
    };
    let other = Sending {
        to_nearest: !to_nearest,
        ..one
    };
    match random.below(8) {
        0 => vec![by(false), by(true)],
        1 => vec![one, other],
        _ => vec![one],
    }
}

fn frames_of(set: &ParameterSet, random: &mut Random) -> usize {
    let share = random.share();
    let most = FRAMES.iter().find(|(until, _)| share <= *until);
    let most = most
        .map_or(1.0, |(_, most)| *most)
        .min((WORDS / words(set)) as f64);
    most.powf(random.share()).floor().max(1.0) as usize
}
