//! Jobs with parameters of any size: from 1e-300 to 1e300, of both signs, zeros, and what is no number.

use isopod_eval::ModelKind;
use isopod_workflow::{row_mask, Job, JobName, Model, ModelOutput};

/// Frames of a case, and columns of a row.
#[derive(Clone, Copy)]
pub struct Shape {
    pub frames: usize,
    pub columns: usize,
}

/// SplitMix64: the same parameters on every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(1).wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.word() % count as u64) as usize
    }

    /// A number from 0 to 1.
    fn share(&mut self) -> f64 {
        self.word() as f64 / u64::MAX as f64
    }
}

/// Seldom numbers, which have no magnitude of their own.
const SPECIAL: [f64; 8] = [
    0.0,
    -0.0,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
    5e-324,
    f64::MIN_POSITIVE,
    f64::MAX,
];

/// log10 of a magnitude: ordinary, of weights that are borderline, or any.
fn exponent(random: &mut Random) -> f64 {
    let most = [1.0, 2.0, 3.0, 12.0, 300.0][random.below(5)];
    most * (2.0 * random.share() - 1.0)
}

/// Numbers around one magnitude, or far apart, some of them zero, integers at times.
pub fn numbers(random: &mut Random, count: usize) -> Vec<f64> {
    let (size, spread) = (exponent(random), [1.0, 1.0, 30.0][random.below(3)]);
    let (is_whole, has_special) = (random.below(2) == 0, random.below(8) == 0);
    let mut numbers: Vec<f64> = (0..count)
        .map(|_| {
            let magnitude =
                10f64.powf((size + spread * (random.share() - 0.5)).clamp(-300.0, 300.0));
            let number = [-1.0, 1.0][random.below(2)] * magnitude;
            match (random.below(5), is_whole) {
                (0, _) => 0.0,
                (_, true) => number.round(),
                _ => number,
            }
        })
        .collect();
    if has_special {
        numbers[random.below(count)] = SPECIAL[random.below(SPECIAL.len())];
    }
    numbers
}

/// The job of that name with weights, or with a model of these.
pub fn of_weights(name: JobName, weights: Vec<f64>) -> Job {
    match Job::of_weights(name) {
        Some(job) => job(weights),
        None => Job::of_model(name).unwrap()(model(weights, 0.0, None)),
    }
}

fn model(weights: Vec<f64>, bias: f64, largest_score: Option<f64>) -> Model {
    Model {
        kind: ModelKind::Logistic,
        features: (0..weights.len()).map(|at| format!("x{at}")).collect(),
        mean: Vec::new(),
        scale: Vec::new(),
        hidden: None,
        trees: Vec::new(),
        outputs: vec![ModelOutput::unnamed(weights, bias)],
        largest_score,
    }
}

/// A job of that name; None where its parameters are of bits.
pub fn job(name: JobName, random: &mut Random, shape: Shape) -> Option<Job> {
    if let Some(job) = Job::plain(name) {
        return Some(job);
    }
    if let Some(job) = Job::of_rows(name) {
        let masks: [&[u8]; 4] = [&[], &[1, 0], &[0, 1], &[1, 1, 0]];
        return Some(job(row_mask(masks[random.below(masks.len())]).unwrap()));
    }
    if let Some(job) = Job::of_model(name) {
        let weights = numbers(random, shape.columns);
        let bias = [0.0, 0.0, numbers(random, 1)[0]][random.below(3)];
        let largest = [None, None, Some(numbers(random, 1)[0])][random.below(3)];
        return Some(job(model(weights, bias, largest)));
    }
    let count = match name {
        JobName::Weighted => shape.frames,
        JobName::Dot => shape.columns,
        _ => 1 + random.below(shape.columns),
    };
    match (Job::of_weights(name), name) {
        (Some(job), _) => Some(job(numbers(random, count))),
        (None, JobName::MovingAverage) => {
            let windows = [0, 1, 2, 3, 4, 5, 1 << 15, u32::MAX];
            Some(Job::MovingAverage(windows[random.below(windows.len())]))
        }
        (None, JobName::Histogram) => Some(Job::Buckets),
        _ => None,
    }
}
