//! Functions on a range as polynomials in the Chebyshev basis, each with a bound on its error.

use std::f64::consts::{FRAC_PI_2, PI};

/// Nodes of the quadrature. Coefficients up to half of them are right but for what the function has beyond 1.5 times as many.
const NODES: usize = 4096;
/// Largest range of a sum: with it, coefficients of these functions beyond [`NODES`] / 2 are below 10^-11.
pub(crate) const MOST_RANGE: f64 = 230.0;
/// Bound on all coefficients beyond [`NODES`] / 2, and on errors of the quadrature.
const BEYOND: f64 = 1e-8;

/// A function that a polynomial stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// The larger one of a number and zero.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// 1 / (1 + exp(-x)).
    Logistic,
}

/// A polynomial on [-1, 1] that stands for a function on [-range, range].
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polynomial {
    /// Coefficients of the Chebyshev basis.
    pub coefficients: Vec<f64>,
    /// Bound on the distance from the function.
    pub error: f64,
}

impl Activation {
    /// The function.
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Relu => x.max(0.0),
            Self::Tanh => x.tanh(),
            Self::Logistic => 1.0 / (1.0 + (-x).exp()),
        }
    }

    /// Bound on its slope.
    pub(crate) fn slope(self) -> f64 {
        match self {
            Self::Relu | Self::Tanh => 1.0,
            Self::Logistic => 0.25,
        }
    }

    /// Bound on its magnitude within a range.
    pub(crate) fn largest(self, range: f64) -> f64 {
        match self {
            Self::Relu => range,
            Self::Tanh | Self::Logistic => 1.0,
        }
    }

    /// The series of the function up to a degree, below 512, on a range up to [`MOST_RANGE`]. All that is left out bounds the
    /// error, because no polynomial of the basis exceeds 1.
    pub(crate) fn polynomial(self, range: f64, degree: usize) -> Polynomial {
        let (mut coefficients, tail) = match self {
            Self::Relu => relu(range, degree),
            Self::Tanh | Self::Logistic => self.quadrature(range, degree),
        };
        coefficients.truncate(degree + 1);
        Polynomial {
            coefficients,
            error: tail,
        }
    }

    /// Coefficients by the values at the nodes, and the sum of those beyond the degree.
    fn quadrature(self, range: f64, degree: usize) -> (Vec<f64>, f64) {
        let cosines: Vec<f64> = (0..4 * NODES)
            .map(|at| (FRAC_PI_2 * at as f64 / NODES as f64).cos())
            .collect();
        let node = |at: usize| cosines[2 * at + 1];
        let values: Vec<f64> = (0..NODES).map(|at| self.of(range * node(at))).collect();
        let coefficient = |k: usize| {
            let values = values.iter().enumerate();
            let terms = values.map(|(at, value)| value * cosines[k * (2 * at + 1) % (4 * NODES)]);
            let half = if k == 0 { 0.5 } else { 1.0 };
            terms.sum::<f64>() * 2.0 / NODES as f64 * half
        };
        let all: Vec<f64> = (0..NODES / 2).map(coefficient).collect();
        let left = all[degree + 1..].iter().map(|one| one.abs());
        let tail = left.sum::<f64>() + BEYOND;
        (all, tail)
    }
}

/// The series of the larger one of x and zero: half of x and half of |x| = 2/pi - 4/pi (sum of (-1)^j T_2j(x) / (4 j^2 - 1)).
/// Terms beyond j = m add up to at most 2/pi / (2m + 1).
fn relu(range: f64, degree: usize) -> (Vec<f64>, f64) {
    let half = range / 2.0;
    let coefficient = |k: usize| match (k, k % 2) {
        (0, _) => half * 2.0 / PI,
        (1, _) => half,
        (_, 1) => 0.0,
        (k, _) => {
            let sign = if k % 4 == 0 { -1.0 } else { 1.0 };
            half * 4.0 / PI * sign / ((k * k - 1) as f64)
        }
    };
    let last = degree / 2;
    let tail = half * 2.0 / PI / (2 * last + 1) as f64;
    ((0..=degree).map(coefficient).collect(), tail)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A polynomial by Clenshaw's recurrence.
    fn value(coefficients: &[f64], x: f64) -> f64 {
        let (mut next, mut after) = (0.0, 0.0);
        for coefficient in coefficients[1..].iter().rev() {
            (next, after) = (coefficient + 2.0 * x * next - after, next);
        }
        coefficients[0] + x * next - after
    }

    #[test]
    fn errors_are_within_their_bounds_and_near_them() {
        for (function, range, degree, most) in [
            (Activation::Logistic, 8.0, 31, 1e-4),
            (Activation::Logistic, 200.0, 511, 1e-2),
            (Activation::Tanh, 30.0, 127, 1e-2),
            (Activation::Relu, 1.0, 63, 6e-3),
            (Activation::Relu, 20.0, 127, 6e-2),
        ] {
            let polynomial = function.polynomial(range, degree);
            assert_eq!(polynomial.coefficients.len(), degree + 1);
            let points = (-4000..=4000).map(|at| f64::from(at) / 4000.0);
            let off =
                points.map(|x| (value(&polynomial.coefficients, x) - function.of(range * x)).abs());
            let largest = off.fold(0.0, f64::max);
            let Polynomial { error, .. } = polynomial;
            assert!(
                largest <= error && error < most,
                "{function:?} {largest} {error}"
            );
            assert!(
                error < 4.0 * largest + 2.0 * BEYOND,
                "{function:?} {largest} {error}"
            );
        }
    }

    #[test]
    fn slopes_and_magnitudes_are_bounds() {
        for function in [Activation::Relu, Activation::Tanh, Activation::Logistic] {
            let points: Vec<f64> = (-500..=500).map(|at| f64::from(at) / 50.0).collect();
            for pair in points.windows(2) {
                let slope = (function.of(pair[1]) - function.of(pair[0])) / (pair[1] - pair[0]);
                assert!(slope <= function.slope() + 1e-9);
                assert!(function.of(pair[0]).abs() <= function.largest(10.0));
            }
        }
    }
}
