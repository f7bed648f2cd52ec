//! Merged ciphertexts of one question: in which fields they agree, and how large and how noisy their readings may be.

use crate::{Error, Result, Size};
use isopod_linear::Merged;

/// Smallest distance from a threshold, as a share of the range, at which a sign is right: `deep/circuit/sign.go`.
const GAP: f64 = 1.0 / 256.0;
/// Bound on the error of a sign outside of the gap, likewise.
pub(crate) const SIGN_ERROR: f64 = 2e-4;
/// Room of the range for noise of the bootstrapping, which is below 2^-20 of it.
const MARGIN: f64 = 1.0 + 1.0 / 1024.0;
/// log2 of the scale at which a mean of slots leaves: `deep/circuit/count.go`.
const LOG_ANSWER_SCALE: i32 = 25;
/// log2 of the scale at which values of readings leave, real and imaginary parts from -1 to 1: `deep/circuit/alarm.go`.
const LOG_READING_SCALE: i32 = 27;
/// log2 of the scale at which covariances leave, in units of the squared range: `deep/circuit/covariance.go`.
const LOG_MOMENT_SCALE: i32 = 27;
/// Bound on the largest power of a random key's spectrum over its mean: n/2 values of exponential distribution exceed it with
/// probability 2^-29, for n = 2048, and 39 log 2 is 27.04.
pub(crate) const SPECTRUM: f64 = 27.04;
/// Noise of the bootstrapping in a slot, as a share of the range.
const SLOT_NOISE: f64 = 1.0 / 1048576.0;
/// Noise of the large ring in a coefficient of a product of slots: roundings and switched keys at a scale of 2^40.
const PRODUCT_NOISE: f64 = 2e-9;
/// Most ciphertexts of one question: `deep/circuit/job.go`.
const MOST_CIPHERTEXTS: usize = 1 << 12;
/// Variance of a ternary coefficient; that of a rounding.
const TERNARY: f64 = 2.0 / 3.0;
const ROUNDING: f64 = 1.0 / 12.0;
/// Largest rounding of a reading, in units of a coefficient.
const HALF: f64 = 0.5;
/// Deviations that noise exceeds with probability 2^-29.
pub(crate) const DEVIATIONS: f64 = 6.0;
/// Deviations that roundings exceed in a slot with less than that probability. They are products of a random number and one of
/// the key's spectrum there, whose tail falls by exp(-sqrt(2) x) for x deviations, not by that of a normal distribution.
pub(crate) const SLOT_DEVIATIONS: f64 = 15.0;

/// Facts of all ciphertexts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Inputs {
    /// Readings of all.
    pub readings: usize,
    /// Bound of their magnitudes.
    pub bound: f64,
    /// A reading of 1, in units of the frames' coefficients.
    pub unit: f64,
    /// Bound on the error of a coefficient, in these units: noise, and half a unit of rounding.
    pub noise: f64,
    /// The half unit of rounding in it.
    rounding: f64,
    /// Bound on the error of an answer by its own noise.
    pub answer_noise: f64,
    /// Ciphertexts of the question.
    pub ciphertexts: usize,
    /// Degree of the frames' ring, and of that which they are merged into.
    degrees: [usize; 2],
    /// The frames' modulus.
    pub modulus: u64,
    /// Size of the ring that they are merged into.
    pub size: Size,
}

/// A threshold as the program compares with it, in units of the frames' coefficients.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    pub threshold: f64,
    /// Largest |coefficient - threshold|.
    pub range: f64,
    /// Distance within which a reading may be taken for one of the other side, in the unit of the readings.
    pub gap: f64,
}

/// Answers of which low bits are dropped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rounded {
    /// Low bits dropped of c0 and c1.
    pub dropped: [u8; 2],
    /// Bound on the error of a coefficient.
    pub error: f64,
    /// Bound on the error of a value in a slot.
    pub value_error: f64,
}

impl Inputs {
    /// Refuses ciphertexts that differ in a field of their headers, and more or fewer than are computed on together.
    pub fn of(merged: &[Merged]) -> Result<Self> {
        let first = match merged {
            [first, ..] if merged.len() <= MOST_CIPHERTEXTS => first,
            _ => {
                let allowed = format!("1 to {MOST_CIPHERTEXTS}");
                return Err(Error::allowed("ciphertexts", merged.len(), allowed));
            }
        };
        let mut others = merged.iter();
        if let Some(field) = others.find_map(|other| first.header.difference(&other.header)) {
            return Err(Error::allowed(field, "another", "that of the first"));
        }
        let size = Size::of_ring(first.large).ok_or_else(|| {
            let found = format!("{:?}", first.large);
            Error::allowed("ring", found, "those of the sizes")
        })?;
        let log2_bound = merged.iter().map(Merged::log2_bound).max();
        Ok(Self {
            readings: merged.iter().map(|one| one.readings().count()).sum(),
            bound: f64::from(log2_bound.unwrap_or(i32::MIN)).exp2(),
            unit: f64::from(first.header.log2_scale).exp2(),
            noise: merged.iter().map(|one| one.noise).fold(0.0, f64::max) + HALF,
            rounding: HALF,
            ciphertexts: merged.len(),
            answer_noise: answer_noise(first, merged.len()),
            degrees: [first.degree, first.large.degree],
            modulus: first.modulus,
            size,
        })
    }

    /// A threshold of that name, which some reading can reach.
    pub fn edge(&self, field: &'static str, threshold: f64) -> Result<Edge> {
        let bound = self.bound;
        if threshold.is_nan() || threshold.abs() > bound {
            let allowed = format!("-{bound} to {bound}, the bound of the readings");
            return Err(Error::allowed(field, threshold, allowed));
        }
        let range = (bound * self.unit + threshold.abs() * self.unit + self.noise) * MARGIN;
        Ok(Edge {
            threshold: threshold * self.unit,
            range,
            gap: (range * GAP + self.noise) / self.unit,
        })
    }

    /// Largest magnitude of a coefficient, in its units.
    pub fn range(&self) -> f64 {
        (self.bound * self.unit + self.noise) * MARGIN
    }

    /// Bound on the error of a covariance over so many rows (`spec/merge.md`, section 7), where the reduction has this relative
    /// error.
    pub fn covariance_error(&self, rows: usize, sine: f64) -> f64 {
        let (unit, rows) = (self.unit, rows as f64);
        let noise = (self.noise - self.rounding) / unit;
        let alike = self.rounding / unit + noise * (SPECTRUM / rows).sqrt();
        let of_frames = 2.0 * self.bound * alike + (self.noise / unit).powi(2);
        let slots = self.degrees[1] as f64 / 2.0;
        let of_products = PRODUCT_NOISE * slots / rows * (2.0 * self.ciphertexts as f64).sqrt();
        let [degree, large] = self.degrees;
        let of_answer = DEVIATIONS * (rounding(large) + 2.0 * rounding(degree))
            / f64::from(LOG_MOMENT_SCALE).exp2();
        let largest = (self.range() / unit).powi(2);
        of_frames + largest * (2.0 * sine + 2.0 * SLOT_NOISE + of_products + of_answer)
    }

    /// The most low bits that may be dropped of answers, and the error of their coefficients and of their values, where values
    /// may be off by this much. None where even whole coefficients are further off.
    pub fn rounded(&self, error: f64) -> Option<Rounded> {
        let bits = u64::BITS - self.modulus.leading_zeros();
        let most = bits.min(32) as u8 - 1;
        let pairs = (0..=most).flat_map(|first| (0..=most).map(move |second| [first, second]));
        let fit = pairs.map(|dropped| self.rounded_by(dropped));
        let fit = fit.filter(|rounded| rounded.value_error <= error);
        fit.max_by_key(|rounded| {
            let [first, second] = rounded.dropped.map(u32::from);
            // Among those that are as small, the more precise one.
            (first + second, -(rounded.value_error * 1e12) as i64)
        })
    }

    /// The error of a value where whole coefficients leave.
    pub fn least_rounding(&self) -> f64 {
        self.rounded_by([0; 2]).value_error
    }

    /// Errors where low bits are dropped: roundings under both keys, then those of the bits. Each value is a sum of all
    /// coefficients by complex roots.
    fn rounded_by(&self, dropped: [u8; 2]) -> Rounded {
        let [degree, large] = self.degrees;
        let bits = |bits: u8| match bits {
            0 => 0.0,
            bits => ROUNDING * f64::from(2 * u32::from(bits)).exp2(),
        };
        let variance = rounding(large).powi(2)
            + 2.0 * rounding(degree).powi(2)
            + bits(dropped[0])
            + bits(dropped[1]) * TERNARY * degree as f64;
        let deviation = variance.sqrt() / f64::from(LOG_READING_SCALE).exp2();
        Rounded {
            dropped,
            error: DEVIATIONS * deviation,
            value_error: SLOT_DEVIATIONS * deviation * (large as f64 / 2.0).sqrt(),
        }
    }

    /// Noise of a sum of numbers from 0 to 1, one of each reading, which leaves at this share of a quarter of the modulus.
    pub fn sum_noise(&self, share: f64, room: f64) -> f64 {
        let [degree, large] = self.degrees;
        let units = DEVIATIONS * (rounding(large) + 2.0 * rounding(degree));
        units * (self.readings as f64 + room) / (share * self.modulus as f64 / 4.0)
    }

    /// Deviation in a slot, times 2^log2_scale, of the noise that a level leaves: its rounding under a dense key.
    pub fn level_noise(&self) -> f64 {
        let large = self.degrees[1];
        rounding(large) * (large as f64 / 2.0).sqrt()
    }

    /// Deviation in a slot of the rounding of zeros and ones.
    pub fn mask_noise(&self) -> f64 {
        (ROUNDING * self.degrees[1] as f64 / 2.0).sqrt()
    }

    /// Deviation of a coefficient, and the largest rounding of a reading, in units of the coefficient.
    pub fn deviations(&self) -> (f64, f64) {
        ((self.noise - self.rounding) / DEVIATIONS, self.rounding)
    }

    /// Bound on the error of a number that all readings count for, by that many signs each.
    pub fn count_error(&self, signs: f64) -> f64 {
        self.readings as f64 * SIGN_ERROR / 2.0 * signs + self.answer_noise
    }
}

/// The gap that is kept, unless a smaller one was asked for.
pub(crate) fn kept(asked: Option<f64>, gap: f64) -> Result<f64> {
    match asked {
        Some(asked) if asked.is_nan() || asked < gap => {
            let allowed = format!("{gap:.3e} or more, by the bound, scale and noise of the frames");
            Err(Error::allowed("gap", asked, allowed))
        }
        _ => Ok(gap),
    }
}

/// Deviation of a coefficient by the rounding of both polynomials, under a ternary key of this degree.
fn rounding(degree: usize) -> f64 {
    (ROUNDING * (1.0 + TERNARY * degree as f64)).sqrt()
}

/// Noise of a count: roundings of coefficients, under the keys of both rings, in units of the scale times two over the slots. The
/// scale halves with twice as many ciphertexts.
fn answer_noise(like: &Merged, ciphertexts: usize) -> f64 {
    let units = DEVIATIONS * (rounding(like.large.degree) + 2.0 * rounding(like.degree));
    let slots = like.large.degree as f64 / 2.0;
    let smaller = ciphertexts.next_power_of_two() as f64;
    units * slots / 2.0 / f64::from(LOG_ANSWER_SCALE).exp2() * smaller
}
