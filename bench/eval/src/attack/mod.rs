//! Attacks on the printed error: tries over the whole path, from keys by frames, answers and results to the owner's values, with
//! values, shapes, weights and numbers of frames that make roundings add up.

mod attempt;
mod patterns;
pub mod search;

use crate::keyring::Keyring;
use crate::record::{Attacked, Record};
use anyhow::{bail, Result};
use attempt::{longest_row, Attempt, Work};
use isopod_device::Values as Sent;
use isopod_wire::{Layout, ParameterSet};
use isopod_workflow::{EvaluationKeyChoice, Message, Opened, Sender, Values};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

pub const CASE: &str = "attacked";
const METHOD: &str = "Tries over the whole path: folders of keys, frames of the device library, an inbox, partial states, sealed \
results, the owner. Each chooses by its seed a set of CKKS (small ones more often), layout, scale, bound, level, key, job, \
weights, rows, from 1 to 20,000 frames, and values from 2^-40 to the bound: constant, alternating, single, sparse, extreme, next \
to half units, and the row whose coefficients all round the same way; seven in ten tries have the same values in every frame. \
`beyond` are answers with a value beyond the printed error, `unopenable` those that the owner cannot open, `ratio` is the least \
printed error over the largest error of a value. Refused tries are of settings that no answer fits, or of a layout that no job \
takes.";
/// Tries under one key pair.
const TRIES_PER_PAIR: usize = 400;
/// Printed error over the true one below which a try is shown.
const NEAR: f64 = 1.0;

/// Outcomes of the tries under one set.
#[derive(Debug, Clone, Copy)]
pub struct Tally {
    pub tries: usize,
    pub refused: usize,
    pub beyond: usize,
    pub unopenable: usize,
    pub ratio: f64,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            tries: 0,
            refused: 0,
            beyond: 0,
            unopenable: 0,
            ratio: f64::INFINITY,
        }
    }
}

/// Outcome of a try.
enum Outcome {
    /// Refused before an answer left.
    Refused(String),
    Unopenable(String),
    /// The printed error over the largest error of a value.
    Answered(f64),
}

/// Tries with the seeds from `first` on, by so many threads.
pub fn run(first: u64, tries: u64, threads: usize) -> Result<BTreeMap<&'static str, Tally>> {
    let (next, tallies) = (AtomicU64::new(first), Mutex::new(BTreeMap::new()));
    let work = || -> Result<()> {
        let mut keyrings = Arenas::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed - first >= tries {
                return Ok(());
            }
            let attempt = Attempt::new(seed);
            let outcome = attempt_once(&attempt, &mut keyrings)?;
            let mut tallies = tallies.lock().unwrap_or_else(PoisonError::into_inner);
            let tally: &mut Tally = tallies.entry(attempt.set.name).or_default();
            let again = || format!("--jobs {CASE} --tries 1 --seed {seed}");
            tally.add(&attempt, outcome, &again);
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        for thread in running {
            match thread.join() {
                Ok(done) => done?,
                Err(_) => bail!("a thread of tries panicked"),
            }
        }
        Ok(())
    })?;
    Ok(tallies.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The records of tries, one of each set.
pub fn records(first: u64, tries: u64) -> Result<Vec<Record>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let start = std::time::Instant::now();
    let tallies = run(first, tries, threads)?;
    let minutes = start.elapsed().as_secs_f64() / 60.0;
    eprintln!("{tries} tries in {minutes:.1} minutes by {threads} threads");
    let record = |(set, tally): (&'static str, Tally)| {
        eprintln!("{set} {CASE}: {}", tally.line());
        Record::attacked((CASE, set), Attacked::from(tally), METHOD)
    };
    Ok(tallies.into_iter().map(record).collect())
}

impl From<Tally> for Attacked {
    fn from(tally: Tally) -> Self {
        Self {
            tries: tally.tries,
            refused: tally.refused,
            beyond: tally.beyond,
            unopenable: tally.unopenable,
            ratio: tally.ratio.is_finite().then_some(tally.ratio),
        }
    }
}

impl Tally {
    /// Adds a try; `again` says how it is made again.
    fn add(&mut self, attempt: &Attempt, outcome: Outcome, again: &dyn Fn() -> String) {
        self.tries += 1;
        match outcome {
            Outcome::Refused(why) => {
                self.refused += 1;
                if std::env::var_os("ISOPOD_REFUSED").is_some() {
                    eprintln!("{} seed {}: {why}", attempt.set.name, attempt.seed);
                }
            }
            Outcome::Unopenable(why) => {
                self.unopenable += 1;
                reproduce(attempt, &format!("cannot be opened: {why}"), &again());
            }
            Outcome::Answered(ratio) => {
                self.ratio = self.ratio.min(ratio);
                if ratio < NEAR {
                    self.beyond += usize::from(ratio < 1.0);
                    reproduce(attempt, &format!("{ratio:.3} of its error"), &again());
                }
            }
        }
    }

    pub fn line(&self) -> String {
        let Self {
            tries,
            refused,
            beyond,
            unopenable,
            ratio,
        } = self;
        format!("{tries} tries, {refused} refused, {beyond} beyond, {unopenable} unopenable, ratio {ratio:.2}")
    }
}

/// The line that makes a try again.
fn reproduce(attempt: &Attempt, problem: &str, again: &str) {
    eprintln!(
        "{}, {} frames of {:?}, {:?}, scale {:e}, bound {:e}: {problem}; again: {again}",
        attempt.set.name,
        attempt.frames,
        attempt.layout,
        attempt.request().job.name(),
        attempt.scale(),
        attempt.bound()
    );
}

/// Keys of a set, the tries under them, and the sequence of the next frame.
struct Arena {
    keys: Keyring,
    tries: usize,
    sequence: u64,
}

impl Arena {
    fn new(set: &ParameterSet) -> Result<Self> {
        let steps = longest_row(set).ilog2();
        let shape = EvaluationKeyChoice {
            rotations: (0..steps).map(|step| 1 << step).collect(),
            relinearization: false,
        };
        Ok(Self {
            keys: Keyring::new(set.name, (steps > 0).then_some(shape))?,
            tries: 0,
            sequence: 0,
        })
    }
}

/// Keys by the name of their set.
type Arenas = BTreeMap<&'static str, Arena>;

fn attempt_once(attempt: &Attempt, arenas: &mut Arenas) -> Result<Outcome> {
    let spent = |arena: &Arena| arena.tries >= TRIES_PER_PAIR;
    if arenas.get(attempt.set.name).is_none_or(spent) {
        arenas.insert(attempt.set.name, Arena::new(attempt.set)?);
    }
    let Some(arena) = arenas.get_mut(attempt.set.name) else {
        bail!("no keys");
    };
    arena.tries += 1;
    let (keys, request) = (&arena.keys, attempt.request());
    let frames = match frames(attempt, keys, &mut arena.sequence) {
        Ok(frames) => frames,
        Err(refusal) => return Ok(Outcome::Refused(refusal.to_string())),
    };
    let answer = match (&attempt.work, attempt.in_state) {
        (Work::Weighed(weights, _), _) => keys.weighed(request.job.clone(), &frames, weights),
        (_, 0) => keys.answer(&request, &frames.concat()),
        (_, part) => keys
            .state(&request, &frames[..part].concat())
            .and_then(|state| keys.answer(&request, &[state, frames[part..].concat()].concat())),
    };
    let answer = match answer {
        Ok(answer) => answer,
        Err(refusal) => return Ok(Outcome::Refused(refusal.to_string())),
    };
    match keys.open(&answer) {
        Err(problem) => Ok(Outcome::Unopenable(problem.to_string())),
        Ok(opened) => compare(attempt, opened),
    }
}

/// Encrypts every frame anew.
fn frames(
    attempt: &Attempt,
    keys: &Keyring,
    sequence: &mut u64,
) -> isopod_workflow::Result<Vec<Vec<u8>>> {
    let mut frames = Vec::with_capacity(attempt.frames);
    for (turn, of) in attempt.senders.iter().enumerate() {
        let until = attempt.frames * (turn + 1) / attempt.senders.len();
        let first = *sequence + frames.len() as u64;
        let device = keys.device(of.by_secret_key);
        let mut sender = device.sender(&attempt.choices(), &attempt.contents(), 1, first)?;
        if of.to_nearest {
            sender = sender.with_rounding_to_nearest();
        }
        while frames.len() < until {
            let values = attempt.message(frames.len());
            frames.push(frame(attempt.layout, &mut sender, values)?);
        }
    }
    *sequence += attempt.frames as u64;
    Ok(frames)
}

fn frame(
    layout: Layout,
    sender: &mut Sender<'_>,
    values: Vec<f64>,
) -> isopod_workflow::Result<Vec<u8>> {
    if layout == Layout::Complex {
        let complex: Vec<[f64; 2]> = values.iter().map(|&value| [value, 0.0]).collect();
        return Ok(sender.frame_of(Sent::Complex(&complex))?.concat());
    }
    Ok(sender.frame(&Message::Real(values))?.concat())
}

fn compare(attempt: &Attempt, opened: Vec<Opened>) -> Result<Outcome> {
    let clear = attempt.clear();
    let mut ratio = f64::INFINITY;
    if clear.len() != opened.len() {
        bail!(
            "seed {}: {} results for {}",
            attempt.seed,
            opened.len(),
            clear.len()
        );
    }
    for (clear, opened) in clear.iter().zip(opened) {
        let error = opened.error;
        let Values::Real(found) = opened.values.into_owner_only() else {
            bail!("seed {}: no real numbers", attempt.seed);
        };
        if found.len() != clear.len() {
            bail!(
                "seed {}: {} values for {}",
                attempt.seed,
                found.len(),
                clear.len()
            );
        }
        // The clear answer is a sum in floating point.
        let slack = |value: f64| value.abs() * 8.0 * f64::EPSILON;
        let off = found
            .iter()
            .zip(clear)
            .map(|(a, b)| (a - b).abs() - slack(*b));
        ratio = ratio.min(error / off.fold(0.0, f64::max));
    }
    Ok(Outcome::Answered(ratio))
}
