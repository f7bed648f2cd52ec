//! Records of `bench/out/eval.json`, and their limits.

use anyhow::{ensure, Result};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::{fmt, fs};

/// How the numbers were made.
const METHOD: &str = "Frames are encoded and encrypted by the device library, authenticated, parsed and given to SEAL; outputs \
are decrypted by the device library and compared with the job in the clear. Default scale of the set; real numbers up to 2^4, \
or what a frame holds; integers up to what the frames of a case fit. A quarter of the frames is all at the bound, for scores in \
the direction of the weights, a quarter at plus or minus the bound, the others uniform within. Sums take up to eight frames, of \
which every run encrypts two anew; other jobs encrypt a frame per run. A key pair for ten runs, at most 100 per case, beyond \
n = 4096 at most 20. Frames of rounded coefficients go through folders of keys, sealed frames and sealed results, with the \
most low bits dropped that cost no precision. estimate_ratio is the least estimate over the largest measured error \
of all values in all runs, random_ratio the same of its share at six deviations; a sigmoid is compared with the exact function, \
and its estimate includes the distance of the cubic.";

/// Limit of random_ratio; estimate_ratio is at least 1.
const RATIO: f64 = 10.0;

/// Limit of bytes.
const BYTES: u64 = 1024;

/// Names of a case, and frames that enter one of its runs.
#[derive(Clone, Copy)]
pub struct Named {
    pub set: &'static str,
    pub job: &'static str,
    pub key: &'static str,
    pub frames: usize,
}

impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {} {}", self.set, self.job, self.key)
    }
}

/// Bound and error that an answer says of its values.
#[derive(Clone, Copy)]
pub struct Limits {
    pub bound: f64,
    pub error: f64,
    /// The share of the error that is a worst case; 0 where it is not known.
    pub in_step: f64,
}

/// Outcome of the runs of one case.
#[derive(Default)]
pub struct Tally {
    pub runs: usize,
    pub wrong: usize,
    /// Why the job refuses the case.
    pub refused: Option<String>,
    /// Least estimate of any run; 0 for integers.
    estimate: f64,
    /// The share of it that is a worst case, at most.
    in_step: f64,
    /// Largest measured error of any value.
    measured: f64,
    /// Sum of squared errors, and their number.
    squares: f64,
    values: usize,
    /// Largest |value| over its bound.
    reach: f64,
}

impl Tally {
    pub fn add(&mut self, found: &[f64], clear: &[f64], limits: Limits) -> Result<()> {
        let Limits {
            bound,
            error,
            in_step,
        } = limits;
        ensure!(
            found.len() == clear.len(),
            "{} values for {}",
            found.len(),
            clear.len()
        );
        let errors = found.iter().zip(clear).map(|(a, b)| (a - b).abs());
        let largest = errors.clone().fold(0.0, f64::max);
        let reach = clear
            .iter()
            .fold(0.0, |most: f64, value| most.max(value.abs()))
            / bound;
        self.runs += 1;
        self.wrong += usize::from(largest > error || reach > 1.0 + 1e-9);
        self.estimate = match self.runs {
            1 => error,
            _ => self.estimate.min(error),
        };
        self.in_step = self.in_step.max(in_step);
        self.measured = self.measured.max(largest);
        self.squares += errors.map(|error| error * error).sum::<f64>();
        self.values += clear.len();
        self.reach = self.reach.max(reach);
        Ok(())
    }

    /// Estimate over the largest measured error; None for exact answers.
    pub fn ratio(&self) -> Option<f64> {
        (self.estimate > 0.0).then(|| self.estimate / self.measured)
    }

    /// The random share of the estimate over the largest measured error, at least.
    fn random_ratio(&self) -> Option<f64> {
        (self.estimate > 0.0).then(|| (self.estimate - self.in_step) / self.measured)
    }

    /// One line for people.
    pub fn line(&self, case: Named) -> String {
        if let Some(refused) = &self.refused {
            return format!("{case}: refused: {refused}");
        }
        let rms = (self.squares / self.values.max(1) as f64).sqrt();
        format!(
            "{case}: {} runs, {} wrong, estimate {:.3e}, measured {:.3e}, rms {rms:.3e}, ratio {:.2}, reach {:.3}",
            self.runs,
            self.wrong,
            self.estimate,
            self.measured,
            self.ratio().unwrap_or(1.0),
            self.reach
        )
    }
}

/// Times and memory of a case, and whether they are within its limit.
#[derive(Serialize, Clone, Copy)]
pub struct Measured {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames_per_cpu_second: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_to_seal: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    pub within_limit: bool,
}

impl Measured {
    /// No numbers yet.
    pub fn within(within_limit: bool) -> Self {
        Self {
            frames_per_cpu_second: None,
            rss_bytes: None,
            ratio_to_seal: None,
            ratio: None,
            within_limit,
        }
    }

    /// One line for people.
    fn line(&self) -> String {
        let Self {
            frames_per_cpu_second,
            rss_bytes,
            ratio_to_seal,
            ratio,
            within_limit,
        } = self;
        let numbers = [
            frames_per_cpu_second.map(|value| format!("{value:.0} frames per CPU second")),
            rss_bytes.map(|value| format!("{:.1} MB", value as f64 / 1e6)),
            ratio_to_seal.map(|value| format!("{value:.3} of the CPU time of SEAL without HEXL")),
            ratio.map(|value| format!("ratio {value:.2}")),
        ];
        let numbers: Vec<String> = numbers.into_iter().flatten().collect();
        let limit = if *within_limit {
            ""
        } else {
            ": beyond its limit"
        };
        format!("{}{limit}", numbers.join(", "))
    }
}

/// Sums of equal readings: the size whose printed error is closest to the true one.
#[derive(Serialize, Clone, Copy)]
pub struct InStep {
    pub readings: usize,
    pub size: f64,
    pub dithered: bool,
    pub estimate: f64,
    pub error: f64,
    /// The printed error over the true one.
    pub ratio: f64,
}

/// Tries to make an answer miss its printed error.
#[derive(Serialize, Clone, Copy)]
pub struct Attacked {
    pub tries: usize,
    #[serde(rename = "refused_tries")]
    pub refused: usize,
    pub beyond: usize,
    pub unopenable: usize,
    /// The least printed error over the largest true one; None without an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
}

/// Case and parameter set.
pub type Name = (&'static str, &'static str);

/// One record.
#[derive(Serialize, Default)]
pub struct Record {
    case: &'static str,
    set: &'static str,
    job: &'static str,
    key: &'static str,
    frames: usize,
    runs: usize,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    measured: Option<Measured>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    random_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    estimate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    largest_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    in_step: Option<InStep>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    attacked: Option<Attacked>,
    /// The largest error over the printed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_ratio: Option<f64>,
    method: &'static str,
}

impl Record {
    /// The records of a case: answers, and for real numbers estimates.
    pub fn of(case: Named, tally: &Tally) -> Vec<Self> {
        let answers = Self {
            case: "job-matrix",
            set: case.set,
            job: case.job,
            key: case.key,
            frames: case.frames,
            runs: tally.runs,
            wrong: Some(tally.wrong),
            refused: tally.refused.clone(),
            method: METHOD,
            ..Self::default()
        };
        let estimate = tally.ratio().map(|ratio| Self {
            case: "estimate",
            wrong: None,
            estimate_ratio: Some(ratio),
            random_ratio: tally.random_ratio(),
            estimate: Some(tally.estimate),
            largest_error: Some(tally.measured),
            refused: None,
            ..answers
        });
        [Some(answers), estimate].into_iter().flatten().collect()
    }

    /// The record of times or memory; the counts are those of frames and runs.
    pub fn measured(
        name: Name,
        frames: usize,
        runs: usize,
        measured: Measured,
        method: &'static str,
    ) -> Self {
        eprintln!("{} {}: {}", name.1, name.0, measured.line());
        Self {
            frames,
            runs,
            measured: Some(measured),
            bytes: None,
            ..Self::of_bytes(name, 0, method)
        }
    }

    /// The record of a size.
    pub fn of_bytes((case, set): Name, bytes: u64, method: &'static str) -> Self {
        Self {
            case,
            set,
            job: case,
            key: "public",
            runs: 1,
            bytes: Some(bytes),
            method,
            ..Self::default()
        }
    }

    /// The record of a sum of equal readings by one kind of key.
    pub fn in_step(of: Named, in_step: InStep, method: &'static str) -> Self {
        Self {
            job: of.job,
            key: of.key,
            frames: of.frames,
            bytes: None,
            in_step: Some(in_step),
            ..Self::of_bytes((crate::in_step::CASE, of.set), 0, method)
        }
    }

    /// The record of tries under a set.
    pub fn attacked(name: Name, attacked: Attacked, method: &'static str) -> Self {
        Self {
            key: "both",
            runs: attacked.tries,
            bytes: None,
            attacked: Some(attacked),
            ..Self::of_bytes(name, 0, method)
        }
    }

    /// The record of a search under a set for a job.
    pub fn searched(name: Name, job: &'static str, found: Attacked, method: &'static str) -> Self {
        Self {
            job,
            error_ratio: found.ratio.map(f64::recip),
            ..Self::attacked(name, found, method)
        }
    }

    /// Whether it keeps its limit.
    pub fn is_good(&self) -> bool {
        self.wrong.is_none_or(|wrong| wrong == 0)
            && self.measured.is_none_or(|measured| measured.within_limit)
            && self.estimate_ratio.is_none_or(|ratio| ratio >= 1.0)
            && self.random_ratio.is_none_or(|ratio| ratio <= RATIO)
            && self.bytes.is_none_or(|bytes| bytes <= BYTES)
            && self.in_step.is_none_or(|in_step| in_step.ratio >= 1.0)
            && self
                .attacked
                .is_none_or(|attacked| attacked.beyond + attacked.unopenable == 0)
    }
}

/// Writes records to a file in place of those of the same cases, and keeps the others.
pub fn write(path: &Path, records: &[Record]) -> Result<()> {
    let mut all = match fs::read(path) {
        Ok(bytes) => serde_json::from_slice::<Vec<Value>>(&bytes)?,
        Err(_) => Vec::new(),
    };
    let new: Vec<Value> = records
        .iter()
        .map(serde_json::to_value)
        .collect::<Result<_, _>>()?;
    let of = |record: &Value| ["case", "set", "job", "key"].map(|field| record[field].clone());
    all.retain(|old| new.iter().all(|record| of(record) != of(old)));
    all.extend(new);
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, serde_json::to_vec_pretty(&all)?)?;
    Ok(())
}
