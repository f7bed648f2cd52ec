//! Sums of equal sparse readings: what an encoding rounds alike in every frame adds up in step, and printed errors must count it.

use crate::keyring::Keyring;
use crate::record::{InStep, Record};
use anyhow::{bail, Context as _, Result};
use isopod_wire::{sets, Layout, ParameterSet, Scheme};
use isopod_workflow::{AnySuite, Choices, Contents, Job, Message, Request, Values};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

pub const CASE: &str = "in-step";
const METHOD: &str = "One reading in each frame, the same in all: 300, 3,000 and 20,000 frames, each encoded, encrypted, sealed, \
authenticated, parsed and added as a device and a server do, under the first prime of the set; the smaller sums are partial states \
of the larger ones. Ten sizes from a 64th of that whose largest coefficient is half a unit up to the bound, which is as large as \
the sum of 20,000 allows, 2^40 at most. The record is of the size with the least `ratio`, the printed error over the true one.";
/// Frames of the sums, and their names in records.
const SUMS: [(usize, &str); 3] = [(300, "sum-300"), (3000, "sum-3000"), (20_000, "sum-20000")];
const SIZES: i32 = 10;
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
        let keys = Keyring::new(set.name, None)?;
        for secret in [false, true] {
            let found = of_sizes(set, &keys, secret)?;
            let key = if secret { "secret" } else { "public" };
            for (at, (_, job)) in SUMS.iter().enumerate() {
                let sums = found.iter().map(|sums| sums[at]);
                let least = sums.min_by(|one, other| one.ratio.total_cmp(&other.ratio));
                let least = least.context("no sizes")?;
                eprintln!(
                    "{} {CASE} {job} {key}: ratio {:.3} at {:e}",
                    set.name, least.ratio, least.size
                );
                records.push(Record::in_step((CASE, set.name), (job, key), least, METHOD));
            }
        }
    }
    Ok(records)
}

/// The sums of every size, two sizes at a time.
fn of_sizes(set: &ParameterSet, keys: &Keyring, secret: bool) -> Result<Vec<[InStep; 3]>> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at as i32 >= SIZES {
                return Ok(());
            }
            let equal = Equal::new(set, secret, at as i32);
            let sums = equal.sums(keys)?;
            found
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(sums);
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| match thread.join() {
                Ok(done) => done,
                Err(_) => bail!("a thread of sums panicked"),
            })
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// One size.
struct Equal {
    secret: bool,
    number: i32,
    choices: Choices,
    reading: f64,
}

impl Equal {
    fn new(set: &ParameterSet, secret: bool, number: i32) -> Self {
        let scale = set.log2_scale.default;
        let room = u64::BITS - set.data_primes[0].leading_zeros() - 2;
        let most = SUMS.iter().map(|sum| sum.0).max().unwrap_or(1);
        let bits = room as i32 - i32::from(scale) - (most as f64).log2().ceil() as i32;
        let bound_bits = bits.clamp(-20, 40) as i8;
        let half = set.ring_degree as f64 / 4.0 / f64::from(scale).exp2();
        let (least, bound) = (SMALLEST * half, f64::from(bound_bits).exp2());
        let share = f64::from(number) / f64::from(SIZES - 1);
        Self {
            secret,
            number,
            reading: least.min(bound) * (bound / least.min(bound)).powf(share),
            choices: Choices {
                scale_bits: None,
                bound_bits,
                suite: AnySuite::Chacha20,
                level: 1,
                layout: Layout::Slots,
                precision: None,
                whole_bodies: false,
                accept_label: set.label,
            },
        }
    }

    /// The sums of more and more frames.
    fn sums(&self, keys: &Keyring) -> Result<[InStep; 3]> {
        let device = keys.device(self.secret);
        let mut sender = device.sender(
            &self.choices,
            &Contents::default(),
            (1 + self.number as u32, 0),
        )?;
        let (request, message) = (Request::new(Job::Sum), Message::Real(vec![self.reading]));
        let (mut state, mut frames, mut dithered) = (Vec::new(), 0, false);
        let mut sums = Vec::new();
        for (readings, _) in SUMS {
            // In steps, so that few frames are in memory.
            while frames < readings {
                let step = (readings - frames).min(250);
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
            sums.push(self.of(keys, &state, (readings, dithered))?);
        }
        sums.try_into().ok().context("three sums")
    }

    /// A sum as its owner reads it.
    fn of(
        &self,
        keys: &Keyring,
        state: &[u8],
        (readings, dithered): (usize, bool),
    ) -> Result<InStep> {
        let answer = keys.answer(&Request::new(Job::Sum), state)?;
        let opened = keys.open(&answer)?.pop().context("no result")?;
        let estimate = opened.error;
        let Values::Real(values) = opened.values.into_owner_only() else {
            bail!("no real numbers");
        };
        let error = (values[0] - readings as f64 * self.reading).abs();
        Ok(InStep {
            readings,
            size: self.reading,
            dithered,
            estimate,
            error,
            ratio: estimate / error,
        })
    }
}
