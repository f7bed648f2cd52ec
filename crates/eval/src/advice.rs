//! Advice with a refusal, computed by planning again: fewer frames, smaller bounds, another set.

use crate::claims::Claims;
use isopod_seal::Parameters;
use isopod_wire::{sets, Label, ParameterSet, Scheme};
use std::fmt;

/// Halvings of a bound on real numbers that are tried.
const HALVINGS: i32 = 60;

/// Changes after which the job would be done, each alone.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Advice {
    /// Largest number of the frames, from the first on, that the job takes together.
    pub frames: Option<u64>,
    /// Largest bound on the values of every frame.
    pub bound: Option<f64>,
    /// Smallest set, at its default scale.
    pub set: Option<&'static str>,
}

impl Advice {
    /// Changes after which frames are taken by a job that `does` stands for.
    pub(crate) fn by(parameters: &Parameters, frames: &[Claims], does: Does<'_>) -> Self {
        Self {
            frames: most_frames(parameters, frames, does),
            bound: largest_bound(parameters, frames, does),
            set: smallest_set(parameters, frames, does),
        }
    }
}

/// Whether a job takes frames with these claims under a set.
type Does<'a> = &'a dyn Fn(&Parameters, &[Claims]) -> bool;

impl fmt::Display for Advice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return formatter
                .write_str("; neither fewer frames, smaller values nor another set would help");
        }
        let frames = self.frames.map(|frames| match frames {
            1 => "1 such frame".to_owned(),
            _ => format!("up to {frames} such frames"),
        });
        let bound = self
            .bound
            .map(|bound| format!("values of magnitude up to {bound}"));
        let set = self.set.map(|set| format!("the set {set}"));
        let all: Vec<String> = [frames, bound, set].into_iter().flatten().collect();
        write!(formatter, "; possible: {}", all.join(", or "))
    }
}

/// The largest number for which `holds`, which it does up to some number, or None; `holds(most)` is known to be false.
fn largest(most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut good, mut bad) = (0, most);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    (good > 0).then_some(good)
}

fn most_frames(parameters: &Parameters, frames: &[Claims], does: Does<'_>) -> Option<u64> {
    let all = frames.iter().map(|group| group.frames).sum();
    largest(all, |count| does(parameters, &first(frames, count)))
}

/// The claims of the first frames alone.
fn first(frames: &[Claims], count: u64) -> Vec<Claims> {
    let mut left = count;
    let mut first = Vec::new();
    for group in frames {
        let taken = group.frames.min(left);
        left -= taken;
        if taken > 0 {
            first.push(Claims {
                frames: taken,
                ..*group
            });
        }
    }
    first
}

fn largest_bound(parameters: &Parameters, frames: &[Claims], does: Does<'_>) -> Option<f64> {
    let most = frames.iter().map(|frame| frame.bound).fold(0.0, f64::max);
    let within = |bound: f64| {
        let smaller: Vec<Claims> = frames
            .iter()
            .map(|frame| Claims {
                bound: frame.bound.min(bound),
                ..*frame
            })
            .collect();
        does(parameters, &smaller)
    };
    if parameters.plain_modulus.is_some() {
        return largest(most as u64, |bound| within(bound as f64)).map(|bound| bound as f64);
    }
    let halved = |times: i32| most * 2f64.powi(-times);
    (1..=HALVINGS).map(halved).find(|&bound| within(bound))
}

fn smallest_set(
    parameters: &Parameters,
    frames: &[Claims],
    does: Does<'_>,
) -> Option<&'static str> {
    let fits = |set: &ParameterSet| {
        let again = frames.iter().map(|frame| Claims {
            primes: set.data_primes.len(),
            scale: default_scale(set),
            ..*frame
        });
        does(&set.into(), &again.collect::<Vec<_>>())
    };
    let is_exact = parameters.plain_modulus.is_some();
    sets()
        .filter(|set| (set.scheme() == Scheme::Bfv) == is_exact && set.label == Label::Bits128)
        .filter(|set| set.name != parameters.name && fits(set))
        .min_by_key(|set| set.ring_degree * set.data_primes.len() * set.word_bytes())
        .map(|set| set.name)
}

/// Scale of a set's frames unless told otherwise; 1 in BFV.
pub(crate) fn default_scale(set: &ParameterSet) -> f64 {
    f64::from(set.log2_scale.default).exp2()
}
