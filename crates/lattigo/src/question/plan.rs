//! Promise of an answer to a question about merged ciphertexts, before anything is computed.

use crate::inputs::Inputs;
use crate::{Error, Result};
use isopod_linear::{Merged, Reduction};

/// Bound on a coefficient whose slots hold numbers from -1 to 1 in both parts, with what signs and polynomials are beyond 1.
pub const COEFFICIENT: f64 = std::f64::consts::SQRT_2 * (1.0 + 1.0 / 256.0);

/// A question about the readings of merged ciphertexts.
pub trait Question {
    /// Bounds what the answer will be.
    ///
    /// # Errors
    /// [`Error::Allowed`] for a threshold that no reading can reach, edges that are too near to each other, a gap that is not
    /// reached, ciphertexts that differ in a field of their headers, and for more or fewer than are computed on together.
    fn plan(&self, merged: &[Merged]) -> Result<Plan>;

    /// Reduction of its readings, whose range they may fill.
    fn reduction(&self) -> Reduction {
        Reduction::Sine
    }
}

/// Promise of an answer, made before it is computed.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Readings that are counted or not.
    pub readings: usize,
    /// Readings further from every threshold than this are counted right. Each that is nearer to one may be taken for one of its
    /// other side.
    pub gap: f64,
    /// Numbers of the answer, at least one; of values of readings, the coefficients of all their ciphertexts.
    pub numbers: Vec<Promise>,
    /// Promise of the value that each reading has; None for numbers of all readings.
    pub each: Option<Each>,
    /// The program's numbers, and its values from 0 to 1, are those of the answer divided by this.
    pub factor: f64,
    /// Number of the question.
    pub(crate) question: u8,
    /// Its parameters, as the program takes them.
    pub(crate) parameters: Vec<u8>,
}

/// Promise of one number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    /// Bound on its magnitude.
    pub bound: f64,
    /// Bound on its error, apart from readings within the gap.
    pub error: f64,
}

/// Values of readings from 0 to 1, times the factor of the plan, each in a slot of the large ring. Slots without a value hold the
/// negative factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Each {
    /// Low bits dropped of coefficients of c0 and c1.
    pub dropped: [u8; 2],
    /// Bound on the error of a value, apart from readings within the gap.
    pub error: f64,
}

impl Plan {
    /// The largest error of all numbers, or that of each value.
    pub fn error(&self) -> f64 {
        if let Some(each) = &self.each {
            return each.error;
        }
        let errors = self.numbers.iter().map(|number| number.error);
        errors.fold(0.0, f64::max)
    }

    /// The body of the message that asks.
    pub(crate) fn message(&self, ciphertexts: usize) -> Vec<u8> {
        let mut body = vec![self.question];
        // Few: the plan has checked it.
        body.extend((ciphertexts as u32).to_le_bytes());
        body.extend(&self.parameters);
        body
    }
}

/// Promises of values of readings from 0 to 1 times a factor. Before it, roundings move them by at most this much, beside another
/// error.
pub(crate) fn each(
    inputs: &Inputs,
    (rounding, other): (f64, f64),
    factor: f64,
) -> Result<(Promise, Each)> {
    let rounded = inputs.rounded(rounding).ok_or_else(|| {
        let allowed = format!("a ring whose roundings move values by at most {rounding}");
        Error::allowed("ring", "a larger one", allowed)
    })?;
    let number = Promise {
        bound: COEFFICIENT * factor,
        error: rounded.error * factor,
    };
    let each = Each {
        dropped: rounded.dropped,
        error: (rounded.value_error + other) * factor,
    };
    Ok((number, each))
}
