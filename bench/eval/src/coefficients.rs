//! Jobs on coefficients that travel rounded, as devices, servers and owners have them: folders of keys, sealed frames, results.

use crate::record::{Limits, Named, Tally};
use crate::values;
use anyhow::{bail, Context as _, Result};
use isopod_eval::{ModelKind, ModelOutput};
use isopod_keys::{KeysError, NewFolder, Passphrase, Protection};
use isopod_wire::{sets, AnySet, Label, Layout, ParameterSet, Scheme};
use isopod_workflow::{
    AnySuite, Choices, Contents, Device, Inbox, Job, Message, Model, NewDevice, NewKeys, Opened,
    Owner, PadChoice, Request, RowMask, Sender, Server, Values,
};
use std::collections::VecDeque;
use std::path::Path;
use tempfile::TempDir;

const COLUMNS: usize = 13;
const STRIDE: usize = 16;
const BOUND_BITS: i8 = 4;
/// Frames of a sum, of which every run sends the oldest anew.
const FRAMES: usize = 8;
const FRESH: usize = 2;
/// Weights of a filter.
const TAPS: usize = 5;
/// Runs under one key pair.
const RUNS_PER_PAIR: usize = 10;
const JOBS: [&str; 8] = [
    "rounded-sum",
    "rounded-mean",
    "rounded-weighted",
    "rounded-total",
    "rounded-linear",
    "rounded-filter",
    "rounded-column-sum",
    "rounded-column-mean",
];
/// Jobs of real numbers alone.
const REAL: [&str; 3] = ["rounded-mean", "rounded-linear", "rounded-column-mean"];

/// A job on one set by one kind of key.
pub struct Case {
    set: &'static ParameterSet,
    job: &'static str,
    by_secret_key: bool,
}

/// Every case.
pub fn all() -> impl Iterator<Item = Case> {
    let air = sets().filter(|set| set.name.ends_with("-air"));
    air.flat_map(|set| {
        let jobs = JOBS.into_iter().filter(move |&job| is_of(job, set));
        jobs.flat_map(move |job| {
            [false, true].map(|by_secret_key| Case {
                set,
                job,
                by_secret_key,
            })
        })
    })
}

fn is_of(job: &str, set: &ParameterSet) -> bool {
    set.scheme() == Scheme::Ckks || !REAL.contains(&job)
}

impl Case {
    pub fn named(&self) -> Named {
        Named {
            set: self.set.name,
            job: self.job,
            key: if self.by_secret_key {
                "secret"
            } else {
                "public"
            },
            frames: self.frames(),
        }
    }

    /// Runs the case under a fresh key pair for every ten runs.
    pub fn run(&self, runs: usize) -> Result<Tally> {
        let mut tally = Tally::default();
        for start in (0..runs).step_by(RUNS_PER_PAIR) {
            let place = Place::new(self)?;
            let device = Device::open(&place.path("keys/device-1"), self.by_secret_key)?;
            let mut sender = device.sender(&self.choices(), &self.contents(), 1, 0)?;
            let mut pool = VecDeque::new();
            for run in start..runs.min(start + RUNS_PER_PAIR) {
                self.refresh(run, &mut sender, &mut pool)?;
                let opened = place.answer(&self.request(), pool.iter().map(|sent| &sent.frame))?;
                let clear = self.clear(&pool);
                let limits = Limits {
                    bound: opened.bound.unwrap_or(f64::MAX),
                    error: opened.error,
                    in_step: 0.0,
                };
                tally.add(&reals(opened)?, &clear, limits)?;
            }
        }
        Ok(tally)
    }

    fn frames(&self) -> usize {
        match self.job {
            "rounded-sum" | "rounded-mean" | "rounded-weighted" => FRAMES,
            _ if self.is_of_columns() => FRAMES,
            _ => 1,
        }
    }

    fn is_of_columns(&self) -> bool {
        self.job.starts_with("rounded-column-")
    }

    fn choices(&self) -> Choices {
        Choices {
            scale_bits: None,
            bound_bits: BOUND_BITS,
            suite: AnySuite::Chacha20,
            level: 0,
            layout: Layout::CoefficientsRounded,
            precision: None,
            grid_bits: None,
            has_column_tag: false,
            whole_bodies: false,
            pad: PadChoice::USUAL,
            accept_label: Label::Bits128,
        }
    }

    fn contents(&self) -> Contents {
        Contents {
            stride: STRIDE as u32,
            columns: COLUMNS as u16,
            ..Contents::default()
        }
    }

    /// Weights of frames, of columns or of neighbours.
    fn weights(&self) -> Vec<f64> {
        let count = match self.job {
            "rounded-weighted" => FRAMES,
            "rounded-filter" => TAPS,
            _ => COLUMNS,
        };
        let weights = (0..count).map(|i| (i * 7 % 11) as f64 / 5.3 - 0.91);
        match self.set.scheme() {
            Scheme::Ckks => weights.collect(),
            Scheme::Bfv => weights.map(|weight| (3.0 * weight).round()).collect(),
        }
    }

    fn request(&self) -> Request {
        let job = match self.job {
            "rounded-sum" => Job::Sum,
            "rounded-mean" => Job::Mean,
            "rounded-weighted" => Job::Weighted(self.weights()),
            "rounded-total" => Job::Total,
            "rounded-column-sum" => Job::ColumnSum(RowMask::ALL),
            "rounded-column-mean" => Job::ColumnMean(RowMask::ALL),
            "rounded-filter" => Job::Filter(self.weights().into_iter().rev().collect()),
            _ => Job::Linear(Model {
                kind: ModelKind::Linear,
                features: (0..COLUMNS).map(|column| format!("x{column}")).collect(),
                mean: Vec::new(),
                scale: Vec::new(),
                hidden: None,
                trees: Vec::new(),
                outputs: vec![ModelOutput::unnamed(self.weights(), BIAS)],
                largest_score: None,
            }),
        };
        Request {
            unnamed_columns: true,
            ..Request::new(job)
        }
    }

    /// Replaces the oldest frames.
    fn refresh(
        &self,
        run: usize,
        sender: &mut Sender<'_>,
        pool: &mut VecDeque<Sent>,
    ) -> Result<()> {
        let missing = self.frames() - pool.len();
        for turn in 0..missing.max(FRESH.min(self.frames())) {
            if pool.len() == self.frames() {
                pool.pop_front();
            }
            let values = self.values((run + turn) as u64);
            let message = match self.set.scheme() {
                Scheme::Ckks => Message::Real(values.clone()),
                Scheme::Bfv => Message::Integers(values.iter().map(|&x| x as i32).collect()),
            };
            let frame = sender.frame(&message)?.concat();
            pool.push_back(Sent { values, frame });
        }
        Ok(())
    }

    /// Values of a frame, row by row; for scores every fourth time at the bound in the direction of the weights. Frames are full,
    /// but for jobs of columns, where every other frame has half of the rows: all runs have as many rows, and one printed error.
    fn values(&self, seed: u64) -> Vec<f64> {
        let bound = f64::from(BOUND_BITS).exp2();
        let full = self.set.ring_degree / STRIDE;
        let rows = match self.is_of_columns() && seed % 2 == 1 {
            true => full / 2,
            false => full,
        };
        if self.job == "rounded-linear" && seed.is_multiple_of(4) {
            let row: Vec<f64> = self.weights().iter().map(|w| bound * w.signum()).collect();
            return row.repeat(rows);
        }
        let mut values = values::frame(seed, rows * COLUMNS, bound);
        if self.set.scheme() == Scheme::Bfv {
            values.iter_mut().for_each(|value| *value = value.round());
        }
        values
    }

    /// The answer in the clear.
    fn clear(&self, sent: &VecDeque<Sent>) -> Vec<f64> {
        if self.is_of_columns() {
            return self.clear_columns(sent);
        }
        let weights = match self.job {
            "rounded-sum" | "rounded-total" => vec![1.0; FRAMES.max(COLUMNS)],
            "rounded-mean" => vec![1.0 / FRAMES as f64; FRAMES],
            _ => self.weights(),
        };
        if self.frames() > 1 {
            let at = |i: usize| {
                sent.iter()
                    .zip(&weights)
                    .map(|(s, w)| w * s.values[i])
                    .sum()
            };
            return (0..sent[0].values.len()).map(at).collect();
        }
        let (window, bias) = match self.job {
            "rounded-filter" => (TAPS, 0.0),
            "rounded-linear" => (COLUMNS, BIAS),
            _ => (COLUMNS, 0.0),
        };
        let product = |values: &[f64]| values.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>();
        let rows = sent[0].values.chunks(COLUMNS);
        rows.flat_map(|row| row.windows(window))
            .map(|values| product(values) + bias)
            .collect()
    }

    /// Sums or means of all rows.
    fn clear_columns(&self, sent: &VecDeque<Sent>) -> Vec<f64> {
        let rows = || sent.iter().flat_map(|frame| frame.values.chunks(COLUMNS));
        let divisor = match self.job {
            "rounded-column-mean" => rows().count() as f64,
            _ => 1.0,
        };
        let column = |at: usize| rows().map(|row| row[at]).sum::<f64>() / divisor;
        (0..COLUMNS).map(column).collect()
    }
}

const BIAS: f64 = -0.4;

/// A frame in the clear and sealed.
struct Sent {
    values: Vec<f64>,
    frame: Vec<u8>,
}

/// Folders of one key pair.
struct Place(TempDir);

impl Place {
    fn new(case: &Case) -> Result<Self> {
        let place = Self(tempfile::tempdir()?);
        let keys = NewKeys {
            set: AnySet::by_name(case.set.name).context("no such set")?,
            seeded_public_key: false,
            devices: vec![NewDevice {
                number: 1,
                secret_key: case.by_secret_key,
            }],
            evaluation: None,
        };
        let new = NewFolder::new(&place.path("keys"))?;
        keys.write(&new, &Protection::InsecurePlaintext, &mut |_| {})?;
        new.publish()?;
        Ok(place)
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    /// The only result of a request on frames, opened.
    fn answer<'a>(
        &self,
        request: &Request,
        frames: impl Iterator<Item = &'a Vec<u8>>,
    ) -> Result<Opened> {
        let server = Server::open(&self.path("keys/server"))?;
        let mut inbox = Inbox::for_request(&server, request, true)?;
        for frame in frames {
            inbox.read(&frame[..])?;
        }
        let answer = inbox.answer(&mut |_| {})?;
        let none = || -> Result<Passphrase, KeysError> { unreachable!("keys in the clear") };
        let owner = Owner::open(Path::new(&self.path("keys/owner")), none)?;
        let results = owner.read(&answer.items.concat()[..])?;
        owner
            .open_results(&results, &mut |_| {})?
            .pop()
            .context("no result")
    }
}

fn reals(opened: Opened) -> Result<Vec<f64>> {
    match opened.values.into_owner_only() {
        Values::Real(values) => Ok(values),
        Values::Integers(values) => Ok(values.into_iter().map(f64::from).collect()),
        Values::Typed(_) => bail!("values of TFHE"),
    }
}
