//! Numbers with a bound on their error, and arithmetic that keeps the bound.

use std::ops::{Add, Div, Mul, Sub};

use serde::Serialize;

/// A value and the distance that it is off by at most.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Largest distance of the true value; infinite where nothing is known.
    pub error: f64,
}

impl Estimate {
    /// A value that is exact.
    pub fn exact(value: f64) -> Self {
        Self { value, error: 0.0 }
    }

    /// The value between two numbers that hold it.
    pub fn between(least: f64, most: f64) -> Self {
        match (least.is_finite(), most.is_finite()) {
            (true, true) => Self {
                value: (least + most) / 2.0,
                error: (most - least) / 2.0,
            },
            (true, false) => Self {
                value: least,
                error: f64::INFINITY,
            },
            (false, true) => Self {
                value: most,
                error: f64::INFINITY,
            },
            (false, false) => Self {
                value: 0.0,
                error: f64::INFINITY,
            },
        }
    }

    /// The value of an integer: exact where the error leaves only one.
    pub fn integer(self) -> Self {
        match self.error < 0.5 {
            // Zero without a sign.
            true => Self::exact(self.value.round() + 0.0),
            false => self,
        }
    }

    /// The square root of what is not negative but for its error.
    pub fn root(self) -> Self {
        let of = |value: f64| value.max(0.0).sqrt();
        let (value, least, most) = (
            of(self.value),
            of(self.value - self.error),
            of(self.value + self.error),
        );
        Self {
            value,
            error: (most - value).max(value - least),
        }
    }

    /// The value times an exact number, plus another.
    pub fn scaled(self, factor: f64, addend: f64) -> Self {
        Self {
            value: self.value * factor + addend,
            error: self.error * factor.abs(),
        }
    }
}

impl Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            value: self.value + other.value,
            error: self.error + other.error,
        }
    }
}

impl Sub for Estimate {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other.scaled(-1.0, 0.0)
    }
}

impl Mul for Estimate {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let error = self.value.abs() * other.error + other.value.abs() * self.error;
        Self {
            value: self.value * other.value,
            error: error + self.error * other.error,
        }
    }
}

impl Div for Estimate {
    type Output = Self;

    /// Nothing is known if the divisor may be zero.
    fn div(self, other: Self) -> Self {
        let least = other.value.abs() - other.error;
        let value = self.value / other.value;
        match least > 0.0 {
            true => Self {
                value,
                error: (self.error + value.abs() * other.error) / least,
            },
            false => Self {
                value: 0.0,
                error: f64::INFINITY,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Estimate;

    #[test]
    fn a_count_of_nothing_has_no_sign() {
        let nothing = Estimate {
            value: -0.25,
            error: 0.375,
        };
        assert_eq!(nothing.integer().value.to_string(), "0");
    }

    /// Every pair of true values within the errors gives a result within the error.
    #[test]
    fn errors_bound_what_they_say() {
        let numbers = [-3.0, -0.5, 0.0, 0.25, 2.0, 7.0];
        let errors = [0.0, 0.125, 0.5, 2.0];
        let estimates = || {
            numbers
                .iter()
                .flat_map(|&value| errors.iter().map(move |&error| Estimate { value, error }))
        };
        for one in estimates() {
            for other in estimates() {
                for (p, q) in [
                    (-1.0, -1.0),
                    (-1.0, 1.0),
                    (1.0, -1.0),
                    (1.0, 1.0),
                    (0.3, -0.7),
                ] {
                    let (a, b) = (one.value + p * one.error, other.value + q * other.error);
                    let within = |found: Estimate, true_value: f64| {
                        assert!(
                            (found.value - true_value).abs() <= found.error * (1.0 + 1e-9) + 1e-12,
                            "{one:?} {other:?}"
                        );
                    };
                    within(one + other, a + b);
                    within(one - other, a - b);
                    within(one * other, a * b);
                    if b != 0.0 {
                        within(one / other, a / b);
                    }
                    if a >= 0.0 {
                        within(one.root(), a.sqrt());
                    }
                }
            }
        }
    }
}
