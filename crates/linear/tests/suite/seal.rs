//! Every kernel against Microsoft SEAL, bit for bit, on every instruction set that this processor has.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::{packed, Numbers};
use isopod_linear::{Accumulator, Factors, Machine, Ring, Slice};
use isopod_seal::{Ciphertext, Context, Evaluator};
use isopod_wire::{by_name, sets, ParameterSet, Scheme};

type Polynomials = Vec<Vec<u64>>;

/// Small sets of each width, and of each scheme.
const SETS: &[&str] = &[
    "ckks-1024x1-sum",
    "ckks-4096x2-linear",
    "ckks-4096x3-multiply",
    "ckks-8192x3w-multiply",
    "bfv-4096x3-sum",
    "bfv-4096x2w-seal-default",
];

struct Case {
    set: &'static ParameterSet,
    context: Context,
    scale: f64,
    numbers: Numbers,
}

impl Case {
    fn all() -> impl Iterator<Item = Self> {
        SETS.iter().map(|name| {
            let set = by_name(name).unwrap();
            Self {
                set,
                context: Context::for_set(set).unwrap(),
                scale: f64::from(set.log2_scale.default).exp2(),
                numbers: Numbers(5),
            }
        })
    }

    fn polynomials(&mut self) -> Polynomials {
        let (primes, degree) = (self.set.data_primes, self.set.ring_degree);
        primes
            .iter()
            .map(|&prime| self.numbers.residues(prime, degree))
            .collect()
    }

    fn ciphertext(&mut self) -> (Polynomials, Ciphertext) {
        let (c0, c1) = (self.polynomials(), self.polynomials());
        let ciphertext = self.context.ciphertext(&c0, &c1, self.scale).unwrap();
        ([c0, c1].concat(), ciphertext)
    }

    /// Both polynomials of a ciphertext, prime after prime.
    fn words(&self, ciphertext: &Ciphertext) -> Polynomials {
        let residues = self.context.residues(ciphertext).unwrap();
        [residues.c0, residues.c1].concat()
    }

    fn ring(&self, machine: Machine) -> Ring {
        Ring::new(self.set, self.set.data_primes.len(), machine).unwrap()
    }

    fn is_real(&self) -> bool {
        self.set.scheme() == Scheme::Ckks
    }
}

#[test]
fn sums_and_integer_weights_are_those_of_seal() {
    for mut case in Case::all() {
        let terms = [1i64, -7, 1000];
        let (mut words, mut sum) = (Vec::new(), None);
        for weight in terms {
            let (polynomials, mut ciphertext) = case.ciphertext();
            let evaluator = Evaluator::new(&case.context);
            match case.is_real() {
                true => evaluator
                    .multiply_constant(&mut ciphertext, weight as f64, 1.0)
                    .unwrap(),
                false => evaluator.multiply_integer(&mut ciphertext, weight).unwrap(),
            }
            words.push(polynomials);
            match sum.as_mut() {
                Some(sum) => evaluator.add(sum, &ciphertext).unwrap(),
                None => sum = Some(ciphertext),
            }
        }
        let wanted = case.words(&sum.unwrap());
        for machine in Machine::all() {
            let primes = case.ring(machine).moduli().to_vec();
            for (at, wanted) in wanted.iter().enumerate() {
                let modulus = primes[at % primes.len()];
                let mut sum = Accumulator::new(modulus, wanted.len(), machine);
                for (polynomials, weight) in words.iter().zip(terms) {
                    let bytes = packed(modulus, &polynomials[at]);
                    sum.add(
                        &[Slice {
                            at: 0,
                            bytes: &bytes,
                        }],
                        weight,
                    )
                    .unwrap();
                }
                assert_eq!(
                    sum.residues(),
                    wanted,
                    "{} {}",
                    case.set.name,
                    machine.name()
                );
            }
        }
    }
}

/// The residues of a plaintext, which SEAL multiplies ones by.
fn encoded(case: &Case, values: &[f64]) -> Polynomials {
    let ones = vec![vec![1; case.set.ring_degree]; case.set.data_primes.len()];
    let mut ciphertext = case.context.ciphertext(&ones, &ones, 1.0).unwrap();
    let evaluator = Evaluator::new(&case.context);
    evaluator
        .multiply_plain(&mut ciphertext, values, 4096.0)
        .unwrap();
    case.context.residues(&ciphertext).unwrap().c0
}

#[test]
fn products_by_a_plaintext_polynomial_are_those_of_seal() {
    for mut case in Case::all().filter(Case::is_real) {
        let values: Vec<f64> = (0..case.set.slots())
            .map(|i| (i % 17) as f64 / 8.0 - 1.0)
            .collect();
        let plaintext = encoded(&case, &values);
        case.scale = 1.0;
        let (words, mut ciphertext) = case.ciphertext();
        let evaluator = Evaluator::new(&case.context);
        evaluator
            .multiply_plain(&mut ciphertext, &values, 4096.0)
            .unwrap();
        let wanted = case.words(&ciphertext);
        for machine in Machine::all() {
            let primes = case.ring(machine).moduli().to_vec();
            for (at, (word, wanted)) in words.iter().zip(&wanted).enumerate() {
                let prime = at % primes.len();
                let factors = Factors::new(primes[prime], plaintext[prime].clone(), machine);
                let mut product = word.clone();
                factors.unwrap().multiply(&mut product).unwrap();
                assert_eq!(&product, wanted, "{} {}", case.set.name, machine.name());
            }
        }
    }
}

#[test]
fn the_division_by_the_last_prime_is_seals_rescale() {
    for mut case in Case::all().filter(|case| case.is_real() && case.set.data_primes.len() > 1) {
        case.scale = 2f64.powi(case.set.data_primes.last().unwrap().ilog2() as i32 + 2);
        let (words, mut ciphertext) = case.ciphertext();
        Evaluator::new(&case.context)
            .rescale(&mut ciphertext)
            .unwrap();
        let wanted = case.words(&ciphertext);
        let primes = case.set.data_primes.len();
        for machine in Machine::all() {
            let ring = case.ring(machine);
            let halves: Vec<Vec<u64>> = words
                .chunks(primes)
                .flat_map(|polynomial| ring.divide_by_last(polynomial).unwrap())
                .collect();
            assert_eq!(halves, wanted, "{} {}", case.set.name, machine.name());
        }
    }
}

#[test]
fn the_division_by_the_last_prime_is_seals_switch_of_the_modulus_in_bfv() {
    for mut case in Case::all().filter(|case| !case.is_real()) {
        case.scale = 1.0;
        let (words, mut ciphertext) = case.ciphertext();
        let primes = case.set.data_primes.len();
        Evaluator::new(&case.context)
            .switch_to(&mut ciphertext, primes - 1)
            .unwrap();
        let wanted = case.words(&ciphertext);
        let ring = case.ring(Machine::best());
        let halves: Vec<Vec<u64>> = words
            .chunks(primes)
            .flat_map(|polynomial| ring.divide_by_last(polynomial).unwrap())
            .collect();
        assert_eq!(halves, wanted, "{}", case.set.name);
    }
}

/// SEAL keeps BFV in coefficients, so that its bytes hold the output of its own inverse transform.
#[test]
fn the_inverse_transform_is_that_of_seal() {
    for mut case in Case::all().filter(|case| !case.is_real()) {
        case.scale = 1.0;
        let (words, ciphertext) = case.ciphertext();
        let image = case.context.export(&ciphertext).unwrap();
        let ring = case.ring(Machine::best());
        let count = words.len() * case.set.ring_degree;
        let coefficients = image[image.len() - 8 * count..].as_chunks::<8>().0;
        let wanted: Vec<u64> = coefficients
            .iter()
            .map(|word| u64::from_le_bytes(*word))
            .collect();
        let mut found = Vec::new();
        for (at, word) in words.into_iter().enumerate() {
            let (mut back, ntt) = (word.clone(), &ring.transforms()[at % ring.moduli().len()]);
            ntt.inverse(&mut back).unwrap();
            found.extend_from_slice(&back);
            ntt.forward(&mut back).unwrap();
            assert_eq!(back, word);
        }
        assert!(found == wanted, "{}", case.set.name);
    }
}

#[test]
fn rings_of_levels_that_a_set_does_not_have_are_refused() {
    for set in sets() {
        for primes in [0, set.data_primes.len() + 1] {
            assert!(Ring::new(set, primes, Machine::PORTABLE).is_err());
        }
    }
}
