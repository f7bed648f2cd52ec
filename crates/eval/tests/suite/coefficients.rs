//! Jobs on coefficients against the clear, with ciphertexts made by the equations of `spec/coefficients.md`.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isopod_eval::{
    droppable, Claims, CoefficientJob, CoefficientPlan, Error, Evaluation, Key, Rounded,
};
use isopod_linear::{drop_bits, restore_bits, Machine, Modulus, Ring, Weights};
use isopod_seal::Parameters;
use isopod_wire::by_name;

/// SplitMix64: the same values on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of CBD(21).
    fn error(&mut self) -> i64 {
        let bits = self.next();
        i64::from((bits & 0x1f_ffff).count_ones())
            - i64::from((bits >> 21 & 0x1f_ffff).count_ones())
    }

    /// A number from -1 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() as i64) as f64 / 2f64.powi(63)
    }
}

/// An owner of a secret key.
struct Owner {
    ring: Ring,
    modulus: Modulus,
    secret: Weights,
    numbers: Numbers,
}

impl Owner {
    fn new(set: &str, primes: usize) -> Self {
        let ring = Ring::new(by_name(set).unwrap(), primes, Machine::best()).unwrap();
        let mut numbers = Numbers(11);
        let secret: Vec<(usize, i64)> = (0..ring.degree())
            .map(|at| (at, (numbers.next() % 3) as i64 - 1))
            .collect();
        Self {
            modulus: ring.modulus().unwrap(),
            secret: ring.weights(&secret).unwrap(),
            ring,
            numbers,
        }
    }

    /// A secret-key encryption of a message, rounded.
    fn encrypt(&mut self, message: &[i64], dropped: u8) -> [Vec<Vec<u64>>; 2] {
        let q = self.modulus;
        let c1: Vec<u64> = (0..self.ring.degree())
            .map(|_| self.numbers.next() % q.prime())
            .collect();
        let masked = self.times_secret(&c1);
        let c0 = masked.iter().enumerate().map(|(at, &x)| {
            let m = message.get(at).copied().unwrap_or(0) + self.numbers.error();
            let c0 = q.subtract(q.reduce(m), x);
            restore_bits(q, drop_bits(c0, dropped.into()), dropped.into())
        });
        let c0: Vec<u64> = c0.collect();
        [
            self.ring.transform(&c0).unwrap(),
            self.ring.transform(&c1).unwrap(),
        ]
    }

    fn times_secret(&self, c1: &[u64]) -> Vec<u64> {
        let mut product = self.ring.transform(c1).unwrap();
        self.secret.multiply(&mut product).unwrap();
        self.ring.coefficients(product).unwrap()
    }

    /// The values of an answer, not divided by the scale.
    fn read(&self, plan: &CoefficientPlan, [c0, c1]: [&[u64]; 2]) -> Vec<i64> {
        let product = self.times_secret(c1);
        let places = plan.places.shape.slots().map(|at| at + plan.places.first);
        let phases = places
            .zip(c0)
            .map(|(at, &x)| self.modulus.add(x, product[at]));
        let half = self.modulus.prime() / 2;
        phases
            .map(|x| {
                if x > half {
                    x as i64 - self.modulus.prime() as i64
                } else {
                    x as i64
                }
            })
            .collect()
    }

    fn answer(
        &self,
        plan: CoefficientPlan,
        ciphertext: [Vec<Vec<u64>>; 2],
        is_sum: bool,
    ) -> Vec<i64> {
        let evaluation = Evaluation::new(&self.ring, plan, is_sum).unwrap();
        let answer = evaluation.answer(&ciphertext).unwrap();
        let plan = evaluation.plan();
        for (list, dropped) in [(&answer.c0, plan.dropped[0]), (&answer.c1, plan.dropped[1])] {
            assert!(list
                .iter()
                .all(|x| x % (1 << dropped) == 0 && *x < self.modulus.prime()));
        }
        self.read(plan, [&answer.c0, &answer.c1])
    }
}

fn rounded(bound: f64, scale: f64, primes: usize) -> Rounded {
    let claims = Claims {
        bound,
        scale,
        primes,
        key: Key::Secret,
        dithered: false,
        rows: 60,
        columns: 13,
        stride: 16,
        buckets: 1,
        frames: 1,
    };
    Rounded {
        claims,
        dropped: [3, 0],
    }
}

/// Readings row by row, and as a message.
fn readings(numbers: &mut Numbers, frame: &Claims) -> (Vec<Vec<f64>>, Vec<i64>) {
    let row = |_| {
        (0..frame.columns)
            .map(|_| (frame.bound * numbers.unit()).round())
            .collect()
    };
    let rows: Vec<Vec<f64>> = (0..frame.rows).map(row).collect();
    let mut message = vec![0; frame.count()];
    for (at, row) in rows.iter().enumerate() {
        for (column, value) in row.iter().enumerate() {
            message[at * frame.stride + column] = (value * frame.scale).round() as i64;
        }
    }
    (rows, message)
}

fn runs(weights: &[f64], constant: f64) -> CoefficientJob {
    CoefficientJob::Runs {
        expected: None,
        name: "filter",
        weights: Some(weights.to_vec()),
        constant,
    }
}

fn near(plan: &CoefficientPlan, found: &[i64], wanted: &[f64]) {
    assert_eq!(found.len(), wanted.len());
    let errors = found
        .iter()
        .zip(wanted)
        .map(|(&found, wanted)| (found as f64 / plan.scale - wanted).abs());
    let largest = errors.fold(0.0, f64::max);
    assert!(largest <= plan.error, "{largest} of {}", plan.error);
    assert!(
        largest >= plan.error / 20.0,
        "{largest} of {}: the estimate says nothing",
        plan.error
    );
}

#[test]
fn runs_of_neighbours_are_within_their_estimate() {
    for (set, primes, scale) in [("ckks-2048x1-sum", 1, 14), ("ckks-4096x2-linear", 2, 30)] {
        let mut owner = Owner::new(set, primes);
        let parameters: Parameters = by_name(set).unwrap().into();
        for (length, constant) in [(1, 0.0), (5, -1.5), (13, 0.25)] {
            let frame = rounded(8.0, 2f64.powi(scale), primes);
            let (rows, message) = readings(&mut Numbers(length as u64), &frame.claims);
            let weights: Vec<f64> = (0..length).map(|at| 0.3 - 0.17 * at as f64).collect();
            let plan = runs(&weights, constant)
                .plan(&parameters, &[frame])
                .unwrap();
            let ciphertext = owner.encrypt(&message, frame.dropped[0]);
            let found = owner.answer(plan.clone(), ciphertext, false);
            let wanted = rows.iter().flat_map(|row| {
                row.windows(length)
                    .map(|run| run.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>() + constant)
            });
            near(&plan, &found, &wanted.collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_value_beyond_what_is_expected_is_never_taken_for_one_within() {
    let (set, primes) = ("ckks-2048x1-sum", 1);
    let mut owner = Owner::new(set, primes);
    let parameters: Parameters = by_name(set).unwrap().into();
    let frame = rounded(8.0, 2f64.powi(14), primes);
    let weights = vec![1.5; 13];
    let job = |expected| CoefficientJob::Runs {
        name: "linear",
        weights: Some(weights.clone()),
        constant: 0.0,
        expected,
    };
    let plan = |expected| job(expected).plan(&parameters, &[frame]).unwrap();
    let (all, few) = (plan(None), plan(Some(20.0)));
    assert_eq!((all.bound, few.bound), (156.0, 20.0));
    // Every value of a row at the bound, and thus its score: far beyond what is expected, of either sign.
    for value in [8.0, 7.9, 6.0, 3.0, 1.1, -1.1, -3.0, -6.0, -7.9, -8.0] {
        let message = vec![(value * frame.claims.scale) as i64; 2048];
        let ciphertext = owner.encrypt(&message, frame.dropped[0]);
        let found = owner.answer(few.clone(), ciphertext, false);
        let beyond = found
            .iter()
            .all(|&x| (x as f64 / few.scale).abs() > few.bound + few.error);
        assert!(beyond, "{value}");
    }
}

#[test]
fn integers_are_exact() {
    let (set, primes) = ("bfv-4096x2-linear", 2);
    let mut owner = Owner::new(set, primes);
    let parameters: Parameters = by_name(set).unwrap().into();
    let plain = parameters.plain_modulus.unwrap() as f64;
    let frame = rounded(100.0, 1.0, primes);
    let (rows, integers) = readings(&mut Numbers(3), &frame.claims);
    let ratio = owner.modulus.prime() as f64 / plain;
    let message: Vec<i64> = integers
        .iter()
        .map(|&x| (x as f64 * ratio).round() as i64)
        .collect();
    let weights = [2.0, -3.0, 7.0];
    let plan = runs(&weights, 0.0).plan(&parameters, &[frame]).unwrap();
    assert_eq!((plan.error, plan.scale), (0.0, 1.0));
    let ciphertext = owner.encrypt(&message, frame.dropped[0]);
    let found = owner.answer(plan, ciphertext, false);
    let found: Vec<f64> = found.iter().map(|&x| (x as f64 / ratio).round()).collect();
    let wanted = rows.iter().flat_map(|row| {
        row.windows(3)
            .map(|run| run.iter().zip(&weights).map(|(x, w)| x * w).sum::<f64>())
    });
    assert_eq!(found, wanted.collect::<Vec<_>>());
}

#[test]
fn sums_and_means_are_within_their_estimate() {
    let (set, primes) = ("ckks-2048x1-sum", 1);
    let mut owner = Owner::new(set, primes);
    let parameters: Parameters = by_name(set).unwrap().into();
    let frame = rounded(8.0, 2f64.powi(18), primes);
    let mut group = frame;
    group.claims.frames = 5;
    let mut sum: Option<[Vec<Vec<u64>>; 2]> = None;
    let mut clear = vec![0.0; frame.claims.rows * frame.claims.columns];
    for seed in 0..5 {
        let (rows, message) = readings(&mut Numbers(seed), &frame.claims);
        clear
            .iter_mut()
            .zip(rows.concat())
            .for_each(|(sum, value)| *sum += value);
        let next = owner.encrypt(&message, 3);
        sum = Some(match sum {
            None => next,
            Some(before) => [0, 1].map(|polynomial| {
                let pairs = before[polynomial]
                    .iter()
                    .zip(&next[polynomial])
                    .zip(owner.ring.moduli());
                pairs
                    .map(|((a, b), q)| a.iter().zip(b).map(|(&a, &b)| q.add(a, b)).collect())
                    .collect()
            }),
        });
    }
    let sum = sum.unwrap();
    let plan = CoefficientJob::Sum.plan(&parameters, &[group]).unwrap();
    near(
        &plan,
        &owner.answer(plan.clone(), sum.clone(), true),
        &clear,
    );
    let mean: Vec<f64> = clear.iter().map(|sum| sum / 5.0).collect();
    let plan = CoefficientJob::Mean.plan(&parameters, &[group]).unwrap();
    near(&plan, &owner.answer(plan.clone(), sum, true), &mean);
}

#[test]
fn an_answer_to_one_frame_has_the_precision_that_was_asked_for() {
    for (set, primes, scale) in [("ckks-2048x1-air", 1, 15), ("ckks-2048x2-air", 2, 28)] {
        let parameters: Parameters = by_name(set).unwrap().into();
        for key in [Key::Secret, Key::Public] {
            let Rounded { mut claims, .. } = rounded(64.0, 2f64.powi(scale), primes);
            claims.key = key;
            let error = |dropped| {
                let frame = Rounded { claims, dropped };
                let plan = CoefficientJob::Sum.plan(&parameters, &[frame]).unwrap();
                plan.error
            };
            // The last is more than one unit of the scale, so that more bits are dropped than the scale has.
            for precision in [0.05, 0.06, 0.1, 0.7, 9.0] {
                let dropped = droppable(&parameters, claims, Some(precision)).unwrap();
                let one_more = [dropped[0] + 1, dropped[1]];
                assert!(error(dropped) <= precision, "{set} {key:?} {precision}");
                assert!(precision < 9.0 || i32::from(dropped[0]) > scale);
                assert!(error(one_more) > precision, "{set} {key:?} {precision}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let parameters: Parameters = by_name("ckks-2048x1-sum").unwrap().into();
    let frame = rounded(8.0, 2f64.powi(18), 1);
    let refused = |job: &CoefficientJob, frames: &[Rounded]| {
        job.plan(&parameters, frames).unwrap_err().to_string()
    };
    let mut many = frame;
    many.claims.frames = 1000;
    let message = refused(&CoefficientJob::Sum, &[many]);
    assert!(
        message.contains("up to ") && message.contains("such frames"),
        "{message}"
    );
    let weights = vec![1.0; 14];
    let message = refused(&runs(&weights, 0.0), &[frame]);
    assert!(message.contains("allowed are 1 to 13"), "{message}");
    let mut shorter = frame;
    shorter.claims.rows = 10;
    let error = CoefficientJob::Sum
        .plan(&parameters, &[frame, shorter])
        .unwrap_err();
    assert!(
        matches!(error, Error::Differs { field: "rows", .. }),
        "{error}"
    );
    let mut long = frame;
    long.claims.rows = 200;
    let message = refused(&CoefficientJob::Sum, &[long]);
    assert!(
        message.contains("count is 3197; allowed is 1 to 2048"),
        "{message}"
    );
}
