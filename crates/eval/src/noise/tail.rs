//! Tails: bounds that a noise exceeds with a given probability.

use super::Noise;

/// Exponent of the probability that a value is off by more than the estimate: six deviations of a Gaussian.
const EXPONENT: f64 = 18.0;
/// Steps of the search for the best bound; each narrows it to two thirds.
const STEPS: u32 = 60;

/// Bound that none of `values` values exceeds but with probability 2*e^-18, by Chernoff and the union bound: of Gaussians
/// sqrt(36 + 2 ln(values)) deviations. A Gaussian whose variance v is multiplied by an exponential variable of mean 1 has the
/// moment generating function 1/(1 - v*x^2/2): it is Laplacian.
pub(crate) fn largest(noise: &Noise, values: usize) -> f64 {
    let exponent = EXPONENT + (values.max(1) as f64).ln();
    let widest = noise.secret.max(noise.published);
    let gaussian = noise.free + noise.peak;
    let bound = |x: f64| {
        let square = x * x / 2.0;
        let keyed = (1.0 - square * noise.secret).ln() + (1.0 - square * noise.published).ln();
        (exponent + square * gaussian - keyed) / x
    };
    if gaussian + widest <= 0.0 {
        return 0.0;
    }
    // The best x of a Gaussian alone, and the pole of the widest share: one of the two ends the search.
    let end = (2.0 * exponent / gaussian)
        .sqrt()
        .min((2.0 / widest).sqrt());
    minimum(bound, end)
}

/// Minimum of a function with one valley between 0 and `end`.
fn minimum(of: impl Fn(f64) -> f64, end: f64) -> f64 {
    let (mut low, mut high) = (0.0, end);
    for _ in 0..STEPS {
        let third = (high - low) / 3.0;
        if of(low + third) < of(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    of((low + high) / 2.0)
}

/// Deviations that none of `values` Gaussian values exceeds but with probability 2^-bits, by Chernoff and the union bound.
pub(crate) fn deviations(values: usize, bits: f64) -> f64 {
    (2.0 * std::f64::consts::LN_2 * (bits + 1.0 + (values as f64).log2())).sqrt()
}

#[cfg(test)]
mod tests {
    use super::{deviations, largest, Noise};

    fn near(found: f64, wanted: f64, relative: f64) {
        assert!(
            (found / wanted - 1.0).abs() < relative,
            "{found} / {wanted}"
        );
    }

    #[test]
    fn a_gaussian_has_six_deviations_and_more_for_many_values() {
        let noise = |free| Noise {
            free,
            ..Noise::default()
        };
        near(largest(&noise(1.0), 1), 6.0, 1e-9);
        near(
            largest(&noise(9.0), 2048),
            3.0 * (36.0 + 2.0 * 2048f64.ln()).sqrt(),
            1e-9,
        );
        assert!(largest(&noise(0.0), 5).abs() < 1e-300);
    }

    #[test]
    fn noise_of_public_keys_has_wider_tails() {
        let noise = Noise {
            secret: 0.5,
            published: 0.5,
            ..Noise::default()
        };
        // Exact tail of a sum of two Laplacians of scale b = 1/2: (1 + t/2b) e^(-t/b).
        let found = largest(&noise, 1);
        let exact = (1.0 + found) * (-2.0 * found).exp();
        assert!(exact < 2.0 * (-18f64).exp() && found < 12.5, "{found}");
        let one = Noise {
            secret: 1.0,
            ..Noise::default()
        };
        assert!(largest(&one, 1) > found);
    }

    #[test]
    fn exact_answers_fail_once_in_2_to_the_bits() {
        near(deviations(1024, 128.0), 13.9, 0.01);
        near(deviations(1024, 20.0), 6.62, 0.01);
    }
}
