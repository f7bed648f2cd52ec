//! Tables of readings on a grid: each reading has the entry of its table exactly (`spec/merge.md`, section 8).

use crate::inputs::{Inputs, DEVIATIONS, SLOT_DEVIATIONS, SPECTRUM};
use crate::question::plan::{each, Plan, Promise, Question};
use crate::{Error, Result};
use isopod_linear::{Merged, Reduction};
use std::f64::consts::PI;

/// Numbers of the questions in the protocol.
const LOOKUP: u8 = 7;
const TALLY: u8 = 8;
/// Most entries that fill a turn of the circle: `deep/circuit/circle.go`.
pub const MOST_ENTRIES: usize = 1 << 10;
/// Most integers that are told apart in one answer: `deep/circuit/table.go`.
const MOST_TABLES: usize = 129;
/// Largest value of an entry. Values are from 0 on.
pub const MOST_VALUE: u8 = u8::MAX;
/// An error from which on another integer may be the nearest one, and what is left to it.
const HALF: f64 = 0.499;
/// Largest error of a value from 0 to 1 by roundings.
const ROUNDING: f64 = 0.45;
/// Room of a turn: the modulus of the frames is no power of two.
const TURN: f64 = 1.0 + 1.0 / 2048.0;
/// The noise that a level leaves reaches a value from 0 to 1 so many times for each entry of a turn, by powers of the point, and
/// so many times besides.
const BY_POWERS: f64 = 4.0;
const BESIDES: f64 = 8.0;
/// Times that it is in the place of a point, as a share of the sine's range of turns on both sides: `deep/size/size.go`.
const BY_PLACE: f64 = 8.0;
const TURNS: f64 = 16.0;
/// log2 of the scale of zeros and ones where no level is left: `deep/circuit/table.go`.
const LOG_MASK_SCALE: i32 = 21;
/// Bound on the error of the exponential: `deep/circuit/circle.go`.
const EXPONENTIAL: f64 = 1e-9;
/// A sum of squares of noise is at most so many times its mean, up to probability 2^-29.
const SQUARES: f64 = 2.0;
/// Share of a quarter of the modulus at which sums leave, and the readings that are added to them: `deep/circuit/table.go`.
const SHARE: f64 = 0.98;
const ROOM: f64 = 16.0;

/// A number for each reading that is a multiple of a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Distance of two entries, in the unit of the readings.
    pub step: f64,
    /// Number of steps of the first entry from zero.
    pub first: i32,
    /// Entries, of readings `first` steps, one step more, and so on.
    pub values: Vec<u8>,
    /// The entry of all other readings within the bound; None where there are none.
    pub others: Option<u8>,
}

/// How many readings there are of each integer within their bound, from the smallest one on: what tells the smallest and the
/// largest reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Occurrences;

/// Points of the circle for all multiples of a step within the bound of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Grid {
    step: f64,
    /// The largest number of steps from zero.
    reach: i32,
    /// Factor of the residues.
    multiplier: u32,
    /// Turns from one entry to the next.
    spacing: f64,
    /// Entries of a whole turn.
    period: f64,
    /// Bound on the distance of a reading from its point, as a share of the step; its deviation, and its largest rounding.
    off: f64,
    deviation: f64,
    rounding: f64,
    /// Deviation of what the circuit adds to a value from 0 to 1, and of the zeros and ones that it multiplies by.
    noise: f64,
    mask: f64,
}

impl Question for Table {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        self.check()?;
        let grid = Grid::of(&inputs, self.step)?;
        let values = grid.steps().map(|step| self.value(step));
        let values: Option<Vec<u8>> = values.collect();
        let values = values.ok_or_else(|| {
            let (first, last) = (self.first, self.first + self.values.len() as i32 - 1);
            let found = format!("readings of {first} to {last} steps of {}", self.step);
            let allowed = format!(
                "entries of -{reach} to {reach} steps, the bound of the readings, or others",
                reach = grid.reach
            );
            Error::allowed("entries", found, allowed)
        })?;
        grid.lookup(&inputs, &values)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Circle
    }
}

impl Question for Occurrences {
    fn plan(&self, merged: &[Merged]) -> Result<Plan> {
        let inputs = Inputs::of(merged)?;
        let bound = inputs.bound.floor();
        let count = 2.0 * bound + 1.0;
        if count > MOST_TABLES as f64 {
            let found = format!("{count} integers from -{bound} to {bound}");
            let allowed = format!(
                "up to {MOST_TABLES}, by a bound of 64 or less; a histogram of integers has edges of its own"
            );
            return Err(Error::allowed("entries", found, allowed));
        }
        let grid = Grid::of(&inputs, 1.0)?;
        let bins = grid
            .readings()
            .map(|value| move |reading: f64| reading == value);
        let bins: Vec<_> = bins.collect();
        let bins: Vec<&dyn Fn(f64) -> bool> = bins.iter().map(|bin| bin as _).collect();
        exact_counts(&inputs, &bins)
    }

    fn reduction(&self) -> Reduction {
        Reduction::Circle
    }
}

impl Table {
    /// Refuses a table that no readings could make right.
    ///
    /// # Errors
    /// [`Error::Allowed`].
    pub fn check(&self) -> Result<()> {
        if !(self.step > 0.0 && self.step.is_finite()) {
            return Err(Error::allowed("step", self.step, "numbers above 0"));
        }
        let count = self.values.len();
        if !(1..=MOST_ENTRIES).contains(&count) {
            let allowed = format!("1 to {MOST_ENTRIES}");
            return Err(Error::allowed("values", count, allowed));
        }
        let most = MOST_ENTRIES as i32;
        if !(-most..=most).contains(&self.first) {
            let allowed = format!("-{most} to {most} steps");
            return Err(Error::allowed("first", self.first, allowed));
        }
        Ok(())
    }

    /// The entry of a reading of so many steps; None where there is none.
    fn value(&self, steps: i32) -> Option<u8> {
        let place = usize::try_from(steps - self.first);
        let entry = place.ok().and_then(|place| self.values.get(place));
        entry.copied().or(self.others)
    }
}

/// Which readings that are integers raise an alarm.
pub(crate) fn exact_alarm(inputs: &Inputs, is_raised: &dyn Fn(f64) -> bool) -> Result<Plan> {
    let grid = Grid::of(inputs, 1.0)?;
    let values: Vec<u8> = grid
        .readings()
        .map(|reading| u8::from(is_raised(reading)))
        .collect();
    grid.lookup(inputs, &values)
}

/// How many readings that are integers are in each of these bins.
pub(crate) fn exact_counts(inputs: &Inputs, bins: &[&dyn Fn(f64) -> bool]) -> Result<Plan> {
    let grid = Grid::of(inputs, 1.0)?;
    let error = grid.sum_error(inputs);
    if error > HALF {
        let allowed = format!(
            "as many, as precise or of as small a bound that a count is off by less than 0.5; it would be {error:.2}"
        );
        return Err(Error::allowed("readings", inputs.readings, allowed));
    }
    let mut parameters = grid.parameters();
    // At most as many as fit a byte.
    parameters.push(bins.len() as u8);
    for bin in bins {
        let values = grid
            .readings()
            .map(|reading| f64::from(u8::from(bin(reading))));
        parameters.extend(values.flat_map(f64::to_le_bytes));
    }
    let promise = Promise {
        bound: inputs.readings as f64,
        error,
    };
    Ok(Plan {
        readings: inputs.readings,
        gap: 0.0,
        numbers: vec![promise; bins.len()],
        each: None,
        factor: 1.0,
        question: TALLY,
        parameters,
    })
}

impl Grid {
    /// The grid of a step, as wide as the bound of the readings.
    fn of(inputs: &Inputs, step: f64) -> Result<Self> {
        let bound = inputs.bound;
        if !(step > 0.0 && step <= bound) {
            let allowed = format!("above 0, up to {bound}, the bound of the readings");
            return Err(Error::allowed("step", step, allowed));
        }
        let unit = step * inputs.unit;
        let reach = (bound / step).floor();
        let size = inputs.size;
        let most = MOST_ENTRIES.min(1 << size.levels) as f64;
        let share = unit / inputs.modulus as f64;
        let placed = Self::placed(step, reach, share).filter(|placed| placed.period <= most);
        let placed = placed.ok_or_else(|| {
            let count = 2.0 * reach + 1.0;
            let found = format!("{count} of readings up to {bound}, {step} apart");
            let allowed = format!(
                "up to {most} under keys of {}, by a smaller bound, a larger step or another scale",
                size.name
            );
            Error::allowed("entries", found, allowed)
        })?;
        Ok(placed.noisy(inputs, unit))
    }

    /// With the noise of the frames, of which a step is so many units, and of the circuit.
    fn noisy(self, inputs: &Inputs, unit: f64) -> Self {
        let size = inputs.size;
        let level = inputs.level_noise() * f64::from(-size.log2_scale).exp2();
        let place = inputs.level_noise() * f64::from(-size.log2_scale_reduction).exp2();
        let turns = BY_PLACE * TURNS * place / self.spacing;
        let mask = match self.period > f64::from(size.levels - 1).exp2() {
            true => inputs.mask_noise() * f64::from(-LOG_MASK_SCALE).exp2(),
            false => 0.0,
        };
        let (deviation, rounding) = inputs.deviations();
        Self {
            off: inputs.noise / unit + SLOT_DEVIATIONS * turns,
            deviation: deviation / unit + turns,
            rounding: rounding / unit,
            noise: level * (BY_POWERS * self.period + BESIDES),
            mask,
            ..self
        }
    }

    /// Entries for so many steps from zero, of which each is this share of the modulus: so far apart that all of them just fit
    /// a turn. None where more would be in a turn than there may be.
    fn placed(step: f64, reach: f64, share: f64) -> Option<Self> {
        let count = 2.0 * reach + 1.0;
        let multiplier = (TURN / share / count).log2().floor().exp2();
        let spacing = multiplier * share;
        let period = (1.0 / spacing).round();
        let fits = period <= MOST_ENTRIES as f64 && (1.0..f64::from(1 << 30)).contains(&multiplier);
        fits.then_some(Self {
            step,
            // At most half of the entries, and below 2^30.
            reach: reach as i32,
            multiplier: multiplier as u32,
            spacing,
            period,
            off: 0.0,
            deviation: 0.0,
            rounding: 0.0,
            noise: 0.0,
            mask: 0.0,
        })
    }

    fn steps(&self) -> impl Iterator<Item = i32> {
        -self.reach..=self.reach
    }

    fn readings(&self) -> impl Iterator<Item = f64> + '_ {
        self.steps().map(|steps| f64::from(steps) * self.step)
    }

    /// The plan of a table with a value for every entry.
    fn lookup(&self, inputs: &Inputs, values: &[u8]) -> Result<Plan> {
        let factor = f64::from(values.iter().copied().max().unwrap_or(0).max(1));
        let of_circuit = SLOT_DEVIATIONS * self.noise + DEVIATIONS * self.mask;
        let error = self.error() + of_circuit;
        let rounding = ROUNDING.min(HALF / factor - error);
        if inputs.rounded(rounding).is_none() {
            let least = (error + inputs.least_rounding()) * factor;
            let found = format!("up to {factor}, off by {least:.2}");
            let allowed = "those off by less than 0.5: smaller ones, or readings of a larger scale or less noise";
            return Err(Error::allowed("values", found, allowed));
        }
        let (number, each) = each(inputs, (rounding, error), factor)?;
        let mut parameters = self.parameters();
        let values = values.iter().map(|&value| f64::from(value) / factor);
        parameters.extend(values.flat_map(f64::to_le_bytes));
        Ok(Plan {
            readings: inputs.readings,
            gap: 0.0,
            numbers: vec![number],
            each: Some(each),
            factor,
            question: LOOKUP,
            parameters,
        })
    }

    fn parameters(&self) -> Vec<u8> {
        let mut body = self.multiplier.to_le_bytes().to_vec();
        body.extend(self.spacing.to_le_bytes());
        body.extend((-self.reach as i16).to_le_bytes());
        body.extend((2 * self.reach as u16 + 1).to_le_bytes());
        body
    }

    /// The most that an entry so many entries away counts for a reading.
    fn share(&self, apart: f64) -> f64 {
        let scale = self.spacing * self.period;
        let (place, off) = (apart * scale, self.off * scale);
        let distance = (place - self.period * (place / self.period).round()).abs();
        let numerator = PI * ((place - place.round()).abs() + off);
        let nearest = (distance - off).max(0.0);
        let denominator = self.period * (PI * nearest / self.period).sin();
        (numerator / denominator).powi(2).min(1.0)
    }

    /// Bound on the error of any entry of values from 0 to 1 by the noise of the readings.
    fn error(&self) -> f64 {
        let own = (PI * self.off * self.spacing * self.period).powi(2) / 3.0;
        let count = 2 * self.reach as usize + 1;
        let mut total = 0.0;
        let sums = (0..count).map(|apart| {
            if apart > 0 {
                total += self.share(apart as f64);
            }
            total
        });
        let sums: Vec<f64> = sums.collect();
        let entries = sums.iter().zip(sums.iter().rev());
        let others = entries.map(|(before, behind)| before + behind);
        ((own + others.fold(0.0, f64::max)) / 2.0).min(1.0)
    }

    /// Bound on the error of a sum of values of 0 and 1 over all readings: what is left of their noise, which kernels damp by its
    /// square, and by itself where entries are placed unevenly; noise of the circuit; and roundings of the answer.
    fn sum_error(&self, inputs: &Inputs) -> f64 {
        let readings = inputs.readings as f64;
        let scale = self.spacing * self.period;
        let squares = SQUARES * self.deviation.powi(2) + self.rounding.powi(2);
        let damped = readings * (PI * scale).powi(2) / 3.0 * squares;
        let slope = PI.powi(2) * (scale - 1.0).abs() * (1.0 + self.period.ln());
        let uneven =
            slope * (self.deviation * (SPECTRUM * readings).sqrt() + readings * self.rounding);
        let of_series = readings * EXPONENTIAL * self.period / 3.0;
        // Zeros and ones are as much less precise as there are sums.
        let sums = (2 * inputs.ciphertexts).next_power_of_two() as f64;
        let of_circuit = DEVIATIONS * (self.noise + sums * self.mask) * readings.sqrt();
        damped + uneven + of_series + of_circuit + inputs.sum_noise(SHARE, ROOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Integers up to a bound at a scale of 2^20, of which each is up to this far from its point.
    fn grid(bound: f64, off: f64) -> Option<Grid> {
        let placed = Grid::placed(1.0, bound.floor(), f64::from(1 << 20) / 1_073_692_673.0);
        placed.map(|placed| Grid { off, ..placed })
    }

    #[test]
    fn errors_are_those_of_the_square_of_noise() {
        let error = |off| grid(128.0, off).map_or(0.0, |grid| grid.error());
        let (small, large) = (error(0.01), error(0.02));
        assert!((large / small - 4.0).abs() < 0.3, "{small} {large}");
        // 1 - sinc(off)^2 is what the own entry lacks, and what the others have, of values up to 1/2.
        assert!(small < 1.1 * (PI * 0.01).powi(2) / 3.0, "{small}");
        assert!(error(0.7) > 0.5);
    }

    #[test]
    fn entries_fill_up_to_a_turn() {
        let period = |bound| grid(bound, 0.0).map(|grid| grid.period);
        for (bound, wanted) in [
            (1.0, 4.0),
            (3.0, 8.0),
            (7.5, 16.0),
            (128.0, 512.0),
            (256.0, 1024.0),
        ] {
            assert_eq!(period(bound), Some(wanted));
        }
        assert_eq!(period(512.0), None);
    }
}
