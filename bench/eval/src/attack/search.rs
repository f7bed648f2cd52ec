//! Search for the worst try of each job: from rows at the bound, one change after the other, of which those stay that bring a
//! value closer to its printed error.

use super::attempt::{may_travel, Attempt, Work};
use super::{attempt_once, Arenas, Outcome, Tally};
use crate::record::{Attacked, Record};
use crate::values::Random;
use anyhow::Result;
use isopod_wire::{sets, Layout, ParameterSet, Scheme};
use std::collections::BTreeMap;

pub const CASE: &str = "searched";
const METHOD: &str = "Tries as in `attacked`, of one job, set and layout, each of which changes the worst one so far: the sign \
of a value or of a block of them, a value, a weight by a share or to half a unit of a power of two, or the number of frames. It \
begins with rows at the bound, equal in all frames, in the direction of the weights or with alternating signs. Every third \
climb has keys of its own. `error_ratio` is the largest error of a value over the printed one.";
/// Steps of a climb, and climbs of each job.
const STEPS: usize = 60;
const CLIMBS: u64 = 6;
/// Degrees up to which `make bench-eval` searches.
const LARGEST: usize = 8192;
/// Numbers of jobs, as a try counts them, each once.
const JOBS: [usize; 9] = [0, 3, 4, 5, 6, 8, 10, 11, 12];
/// Frames of a try, at most.
const FRAMES: usize = 256;

/// Set and job.
pub type Of = (&'static str, &'static str);

/// How far a search goes.
pub struct Effort {
    pub steps: usize,
    pub climbs: u64,
    /// Largest degree of a set.
    pub degree: usize,
}

/// Climbs of every job on every set and layout.
pub fn run(effort: &Effort) -> Result<BTreeMap<Of, Tally>> {
    let mut tallies = BTreeMap::new();
    let reals = sets().filter(|set| set.scheme() == Scheme::Ckks);
    for set in reals.filter(|set| set.ring_degree <= effort.degree) {
        let mut arenas = Arenas::new();
        for climb in 0..effort.climbs {
            if climb % 3 == 2 {
                arenas.clear();
            }
            for (layout, job) in choices(set) {
                let seed = climb << 8 | job as u64;
                let Some(attempt) = Attempt::of(seed, set, layout, job) else {
                    continue;
                };
                let name = attempt.request().job.name().name();
                let tally = tallies.entry((set.name, name)).or_default();
                self::climb(attempt, effort.steps, &mut arenas, tally)?;
            }
        }
    }
    Ok(tallies)
}

fn choices(set: &ParameterSet) -> Vec<(Layout, usize)> {
    let mut layouts = Vec::new();
    if !set.name.ends_with("-air") {
        layouts.push(Layout::Slots);
    }
    if may_travel(set) {
        layouts.push(Layout::CoefficientsRounded);
    }
    let of = |layout| JOBS.into_iter().map(move |job| (layout, job));
    layouts.into_iter().flat_map(of).collect()
}

fn climb(start: Attempt, steps: usize, arenas: &mut Arenas, tally: &mut Tally) -> Result<()> {
    let mut random = Random::new(start.seed);
    let (mut worst, mut least) = (start.at_the_bound(&mut random), f64::INFINITY);
    for step in 0..steps {
        let attempt = match step {
            0 => worst.clone(),
            _ => worst.changed(&mut random),
        };
        let outcome = attempt_once(&attempt, arenas)?;
        if let Outcome::Answered(ratio) = outcome {
            if ratio <= least {
                (worst, least) = (attempt.clone(), ratio);
            }
        }
        let rows = &attempt.values[0][..attempt.columns];
        tally.add(&attempt, outcome, &|| {
            format!("{:?} of rows {rows:?}", attempt.work)
        });
    }
    Ok(())
}

/// The records of a search, one of each set and job.
pub fn records() -> Result<Vec<Record>> {
    let effort = Effort {
        steps: STEPS,
        climbs: CLIMBS,
        degree: LARGEST,
    };
    let record = |((set, job), tally): (Of, Tally)| {
        eprintln!("{set} {CASE} {job}: {}", tally.line());
        Record::searched((CASE, set), job, Attacked::from(tally), METHOD)
    };
    Ok(run(&effort)?.into_iter().map(record).collect())
}

impl Attempt {
    /// Repeated attempts with rows at the bound, which are equal in all frames.
    fn at_the_bound(mut self, random: &mut Random) -> Self {
        let way = random.below(3);
        let weights = self.work.weights().to_vec();
        let sign = |column: usize| match way {
            0 => 1.0,
            1 => [1.0, -1.0][column % 2],
            _ => weights.get(column).map_or(1.0, |weight| weight.signum()),
        };
        let row = (0..self.columns).map(|column| self.bound() * sign(column));
        self.values = vec![row.collect::<Vec<_>>().repeat(self.rows)];
        self
    }

    /// A neighbour of a try.
    fn changed(&self, random: &mut Random) -> Self {
        let mut next = self.clone();
        match random.below(6) {
            0 => next.flip(1, random),
            1 => next.flip(1 + self.columns / 4, random),
            2 => next.move_value(random),
            3 | 4 => next.move_weight(random),
            _ => next.change_frames(random),
        }
        next
    }

    /// Changes the signs of neighbours in every row.
    fn flip(&mut self, length: usize, random: &mut Random) {
        let from = random.below(self.columns);
        let columns = self.columns;
        for row in self.values[0].chunks_mut(columns) {
            row.iter_mut()
                .skip(from)
                .take(length)
                .for_each(|value| *value = -*value);
        }
    }

    /// Sets a column to another value, or to one that is half a unit off.
    fn move_value(&mut self, random: &mut Random) {
        let (column, bound) = (random.below(self.columns), self.bound());
        let half = 0.5 / self.scale();
        let value = match random.below(3) {
            0 => bound * random.unit(),
            1 => bound - half,
            _ => half * (2.0 * random.below(1 << 10) as f64 + 1.0) * (1.0 - 1e-6),
        };
        let columns = self.columns;
        for row in self.values[0].chunks_mut(columns) {
            row[column] = value.clamp(-bound, bound);
        }
    }

    /// Changes a weight a little, or to half a unit of a power of two.
    fn move_weight(&mut self, random: &mut Random) {
        let unit = (-(random.below(20) as f64)).exp2();
        let share = 1.0 + 0.1 * random.unit();
        let is_half = random.below(2) == 0;
        let weights = self.work.weights_mut();
        if weights.is_empty() {
            return self.flip(1, random);
        }
        let at = random.below(weights.len());
        weights[at] = match is_half {
            true => ((weights[at] / unit).floor() + 0.5) * unit,
            false => weights[at] * share,
        };
    }

    /// Doubles or halves the frames of a sum.
    fn change_frames(&mut self, random: &mut Random) {
        if matches!(self.work, Work::Sum | Work::Mean | Work::Dot(_)) {
            let doubled = random.below(2) == 0;
            self.frames = if doubled {
                2 * self.frames
            } else {
                self.frames / 2
            };
            self.frames = self.frames.clamp(1, FRAMES);
            self.in_state = self.in_state.min(self.frames - 1);
        } else {
            self.flip(1, random);
        }
    }
}

impl Work {
    /// Weights of frames, columns or neighbours; none of other jobs.
    fn weights(&self) -> &[f64] {
        match self {
            Self::Weighted(weights)
            | Self::Weighed(weights, _)
            | Self::Dot(weights)
            | Self::Linear(weights)
            | Self::Filter(weights) => weights,
            Self::Sum | Self::Mean | Self::Total | Self::Average(_) => &[],
        }
    }

    fn weights_mut(&mut self) -> &mut [f64] {
        match self {
            Self::Weighted(weights)
            | Self::Weighed(weights, _)
            | Self::Dot(weights)
            | Self::Linear(weights)
            | Self::Filter(weights) => weights,
            Self::Sum | Self::Mean | Self::Total | Self::Average(_) => &mut [],
        }
    }
}
