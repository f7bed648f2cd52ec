//! Sums of equal sparse readings: what an encoding rounds alike in every frame adds up in step, and printed errors must count it.

use crate::keyring::Keyring;
use crate::record::{InStep, Named, Record};
use anyhow::{bail, Context as _, Result};
use isopod_wire::{sets, Layout, ParameterSet, Scheme};
use isopod_workflow::{AnySuite, Choices, Contents, Job, Message, PadChoice, Request, Values};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub const CASE: &str = "in-step";
const METHOD: &str = "One reading in each frame, the same in all: 300, 3,000 and 20,000 frames, each dithered (and, as \
`-nearest`, rounded to the nearest), encoded, encrypted, sealed, authenticated, parsed and added as a device and a server do, \
under as many primes as the sum needs, by partial states of 250 frames, each sum under keys of its own. Ten sizes from a 64th of \
that whose largest coefficient is half a unit up to the bound, which is as large as the sum allows. The record is of the size \
with the least `ratio`, the printed error over the true one.";
/// Names in records, frames, and whether they are rounded to the nearest, as those of the hardware engine are.
const SUMS: [(&str, usize, bool); 5] = [
    ("sum-300", 300, false),
    ("sum-3000", 3000, false),
    ("sum-20000", 20_000, false),
    ("sum-300-nearest", 300, true),
    ("sum-3000-nearest", 3000, true),
];
const SIZES: usize = 10;
const THREADS: usize = 2;
/// Frames in memory.
const AT_ONCE: usize = 250;
/// The smallest size, relative to that whose largest coefficient is half a unit.
const SMALLEST: f64 = 1.0 / 64.0;

/// Sets with slots of real numbers, of these names if there are any.
fn chosen(names: &[String]) -> Vec<&'static ParameterSet> {
    let wanted = |set: &ParameterSet| names.is_empty() || names.iter().any(|name| name == set.name);
    sets()
        .filter(|set| set.scheme() == Scheme::Ckks && wanted(set))
        .collect()
}

/// The records of every set and kind of key.
pub fn records(names: &[String]) -> Result<Vec<Record>> {
    let mut records = Vec::new();
    for set in chosen(names) {
        for secret in [false, true] {
            let key = if secret { "secret" } else { "public" };
            for (job, readings, to_nearest) in SUMS {
                let of = Of {
                    secret,
                    readings,
                    to_nearest,
                };
                let least = least(set, of)?;
                eprintln!(
                    "{} {CASE} {job} {key}: ratio {:.3} at {:e}",
                    set.name, least.ratio, least.size
                );
                let named = Named {
                    set: set.name,
                    job,
                    key,
                    frames: readings,
                };
                records.push(Record::in_step(named, least, METHOD));
            }
        }
    }
    Ok(records)
}

/// The sum of so many readings, of all sizes that with the least ratio.
fn least(set: &ParameterSet, of: Of) -> Result<InStep> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= SIZES {
                return Ok(());
            }
            let sum = Equal::new(set, of, number).sum(&Keyring::new(set.name, None)?)?;
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.push(sum);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        let mut all = threads.into_iter().map(|thread| thread.join());
        all.try_for_each(|done| match done {
            Ok(done) => done,
            Err(_) => bail!("a thread of sums panicked"),
        })
    })?;
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let least = found
        .into_iter()
        .min_by(|one, other| one.ratio.total_cmp(&other.ratio));
    least.context("no sizes")
}

/// A sum: the key, the number of frames, the encoder.
#[derive(Clone, Copy)]
struct Of {
    secret: bool,
    readings: usize,
    to_nearest: bool,
}

/// Equal readings of one size.
struct Equal {
    of: Of,
    choices: Choices,
    reading: f64,
}

impl Equal {
    fn new(set: &ParameterSet, of: Of, number: usize) -> Self {
        let scale = set.log2_scale.default;
        let half = set.ring_degree as f64 / 4.0 / f64::from(scale).exp2();
        let modulus = |level: usize| -> i32 {
            let primes = set.data_primes[..level].iter();
            primes
                .map(|prime| (u64::BITS - prime.leading_zeros()) as i32)
                .sum()
        };
        let grows = (of.readings as f64).log2().ceil() as i32;
        let bits = |level: usize| modulus(level) - 2 - i32::from(scale) - grows;
        // The fewest primes under which a reading may have coefficients of a few units; SEAL takes no scale beyond the modulus.
        let most = set.data_primes.len().min(3);
        let holds = |level: &usize| {
            modulus(*level) > i32::from(scale) && f64::from(bits(*level)) >= half.log2() + 3.0
        };
        let level = (1..most).find(holds).unwrap_or(most);
        let bound_bits = bits(level).clamp(-20, 40) as i8;
        let bound = f64::from(bound_bits).exp2();
        let least = (SMALLEST * half).min(bound);
        let share = number as f64 / (SIZES - 1) as f64;
        Self {
            of,
            reading: least * (bound / least).powf(share),
            choices: Choices {
                scale_bits: None,
                bound_bits,
                suite: AnySuite::Chacha20,
                level: level as u8,
                layout: Layout::Slots,
                precision: None,
                grid_bits: None,
                has_column_tag: false,
                whole_bodies: false,
                pad: PadChoice::USUAL,
                accept_label: set.label,
            },
        }
    }

    /// The sum as its owner reads it.
    fn sum(&self, keys: &Keyring) -> Result<InStep> {
        let device = keys.device(self.of.secret);
        let mut sender = device.sender(&self.choices, &Contents::default(), 1, 0)?;
        if self.of.to_nearest {
            sender = sender.with_rounding_to_nearest();
        }
        let (request, message) = (Request::new(Job::Sum), Message::Real(vec![self.reading]));
        let (mut state, mut frames, mut dithered) = (Vec::new(), 0, false);
        while frames < self.of.readings {
            let step = (self.of.readings - frames).min(AT_ONCE);
            for _ in 0..step {
                let frame = sender.frame(&message)?.concat();
                if frames == 0 {
                    dithered = keys.server().frame_header(&frame)?.dithered;
                }
                state.extend(frame);
            }
            state = keys.state(&request, &state)?;
            frames += step;
        }
        let opened = keys.open(&keys.answer(&request, &state)?)?;
        let opened = opened.into_iter().next().context("no result")?;
        let estimate = opened.error;
        let Values::Real(values) = opened.values.into_owner_only() else {
            bail!("no real numbers");
        };
        let error = (values[0] - self.of.readings as f64 * self.reading).abs();
        Ok(InStep {
            readings: self.of.readings,
            size: self.reading,
            dithered,
            estimate,
            error,
            ratio: estimate / error,
        })
    }
}
