//! Tails: bounds that a noise exceeds with a given probability.

use super::Noise;

/// Exponent of the probability that a value is off by more than the estimate: six deviations of a Gaussian.
const EXPONENT: f64 = 18.0;
/// Steps of the search for the best bound; each narrows it to two thirds.
const STEPS: u32 = 60;

/// Bound that none of `values` values exceeds but with probability 2*e^-18, by Chernoff and the union bound: of Gaussians
/// sqrt(36 + 2 ln(values)) deviations. Noise that a key multiplies is that of one slot.
pub(crate) fn largest(noise: &Noise, values: usize) -> f64 {
    largest_spread(noise, 1.0, values)
}

/// [`largest`] of noise whose keyed part is a sum over slots, none of which has more than such a share of it; 0 for shares that
/// vanish.
pub(crate) fn largest_spread(noise: &Noise, slot_share: f64, values: usize) -> f64 {
    exceeded(noise, slot_share, EXPONENT + (values.max(1) as f64).ln())
}

/// Bound that noise exceeds with probability 2*e^-exponent. A Gaussian whose variance v is multiplied by an exponential variable
/// of mean 1 has the moment generating function 1/(1 - v*x^2/2): it is Laplacian. Where shares p_j of v are multiplied by such
/// variables that are independent, it is the product of 1/(1 - p_j*v*x^2/2). The logarithm is convex in p_j, so that of all
/// shares up to p it is largest for 1/p equal ones.
fn exceeded(noise: &Noise, slot_share: f64, exponent: f64) -> f64 {
    let widest = slot_share * noise.secret.max(noise.published);
    let gaussian = noise.free + noise.peak;
    let keyed = |square: f64, variance: f64| match slot_share > 0.0 {
        true => -(-slot_share * square * variance).ln_1p() / slot_share,
        false => square * variance,
    };
    let bound = |x: f64| {
        let square = x * x / 2.0;
        let keyed = keyed(square, noise.secret) + keyed(square, noise.published);
        (exponent + square * gaussian + keyed) / x
    };
    if noise.total() <= 0.0 {
        return 0.0;
    }
    // The best x of a Gaussian alone, and the pole of the widest share: one of the two ends the search.
    let independent = match slot_share > 0.0 {
        true => gaussian,
        false => noise.total(),
    };
    let end = (2.0 * exponent / independent)
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

/// Bound that none of `values` values exceeds but with probability 2^-bits, otherwise like [`largest_spread`].
pub(crate) fn seldom(noise: &Noise, slot_share: f64, values: usize, bits: f64) -> f64 {
    let exponent = std::f64::consts::LN_2 * (bits + 1.0 + (values as f64).log2());
    exceeded(noise, slot_share, exponent)
}

/// Deviations that none of `values` Gaussian values exceeds but with probability 2^-bits.
pub(crate) fn deviations(values: usize, bits: f64) -> f64 {
    let one = Noise {
        free: 1.0,
        ..Noise::default()
    };
    seldom(&one, 0.0, values, bits)
}

#[cfg(test)]
mod tests {
    use super::{deviations, exceeded, largest, Noise};

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

    /// Next word of SplitMix64.
    fn word(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The sum of all coefficients of e*u modulo X^n + 1, for e and u of 1 and -1.
    fn sum_of_product(n: usize, state: &mut u64) -> f64 {
        let signs = |state: &mut u64| -> Vec<i64> {
            let words = (0..n / 64).map(|_| word(state));
            let bits = words.flat_map(|word| (0..64).map(move |bit| word >> bit & 1));
            bits.map(|bit| 2 * bit as i64 - 1).collect()
        };
        let (e, u) = (signs(state), signs(state));
        // Times X^a, the last a coefficients of u come back with the other sign.
        let mut sum: i64 = u.iter().sum();
        let products = e.iter().zip(u.iter().rev()).map(|(e, last)| {
            let product = e * sum;
            sum -= 2 * last;
            product
        });
        products.sum::<i64>() as f64
    }

    /// A row that fills the ring is a sum over few slots: its errors were counted as Gaussian, and were beyond that bound twenty
    /// times as often as it says.
    #[test]
    fn sums_of_long_rows_have_the_tails_of_few_slots() {
        const N: usize = 1024;
        const EXPONENT: f64 = 10.0;
        const DRAWS: usize = 20_000;
        let noise = Noise {
            published: (N * N) as f64,
            ..Noise::default()
        };
        let mut state = 1;
        let sums: Vec<f64> = (0..DRAWS)
            .map(|_| sum_of_product(N, &mut state).abs())
            .collect();
        let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
        near(squares / DRAWS as f64, noise.total(), 0.05);
        let beyond = |bound: f64| sums.iter().filter(|&&sum| sum > bound).count();
        let allowed = (2.0 * DRAWS as f64 * (-EXPONENT).exp()) as usize;
        let [spread, one] = [0.0, 1.0].map(|share| exceeded(&noise, share, EXPONENT));
        assert!(beyond(one) <= allowed, "{} beyond {one}", beyond(one));
        assert!(beyond(spread) > 10 * allowed, "{}", beyond(spread));
    }

    #[test]
    fn noise_of_many_slots_is_nearly_gaussian() {
        let noise = Noise {
            free: 0.1,
            secret: 0.4,
            published: 0.5,
            ..Noise::default()
        };
        let bound = |share| exceeded(&noise, share, 18.0);
        near(bound(0.0), 6.0, 1e-6);
        near(bound(1.0), largest(&noise, 1), 1e-12);
        let shares = [0.0, 1e-3, 0.01, 0.1, 0.5, 1.0].map(bound);
        assert!(
            shares.windows(2).all(|pair| pair[0] < pair[1]),
            "{shares:?}"
        );
        assert!(shares[1] < 6.1 && shares[2] < 6.5, "{shares:?}");
    }
}
