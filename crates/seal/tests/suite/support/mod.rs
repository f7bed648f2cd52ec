//! The sets of CKKS, and just enough arithmetic to encrypt without SEAL.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test file uses its part, and may fail"
)]

pub mod frames;

use isopod_seal::{Context, Parameters, SecretKey};
use isopod_wire::{ParameterSet, Scheme};
use sha3::digest::{ExtendableOutput, Update, XofReader};
use sha3::Shake256;

/// All sets of CKKS with their default scale.
pub fn sets() -> Vec<(Parameters, f64)> {
    let all = isopod_wire::sets().filter(|set| set.scheme() == Scheme::Ckks);
    let scaled = |set: &ParameterSet| (set.into(), f64::from(set.log2_scale.default).exp2());
    all.map(scaled).collect()
}

pub fn set(name: &str) -> Parameters {
    sets()
        .into_iter()
        .find(|(parameters, _)| parameters.name == name)
        .unwrap()
        .0
}

pub fn context(name: &str) -> Context {
    Context::new(&set(name)).unwrap()
}

/// SplitMix64: repeatable test data, no cryptography.
pub fn noise(seed: u64) -> impl Iterator<Item = u64> {
    (1..).map(move |i: u64| {
        let mut z = seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

/// Values in [-limit, limit].
pub fn values(seed: u64, count: usize, limit: f64) -> Vec<f64> {
    noise(seed)
        .take(count)
        .map(|word| (word as f64 / u64::MAX as f64 * 2.0 - 1.0) * limit)
        .collect()
}

/// A ternary secret; only 64 coefficients are set above n = 4096, to keep the slow transform below quick.
pub fn ternary(ring_degree: usize) -> Vec<i8> {
    let mut secret: Vec<i8> = noise(7)
        .take(ring_degree)
        .map(|word| (word % 3) as i8 - 1)
        .collect();
    let kept = if ring_degree > 4096 { 64 } else { ring_degree };
    secret[kept..].fill(0);
    secret
}

pub fn secret(context: &Context) -> SecretKey {
    SecretKey::new(context, &ternary(context.parameters().ring_degree)).unwrap()
}

pub fn largest_error(got: &[f64], wanted: &[f64]) -> f64 {
    got.iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max)
}

pub fn power(base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let (mut result, mut square) = (1u128, u128::from(base));
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result * square % u128::from(modulus);
        }
        square = square * square % u128::from(modulus);
        exponent >>= 1;
    }
    result as u64
}

/// The smallest primitive 2n-th root of unity.
fn root(ring_degree: usize, prime: u64) -> u64 {
    let order = 2 * ring_degree as u64;
    let any = (2..)
        .map(|x| power(x, (prime - 1) / order, prime))
        .find(|&x| power(x, order / 2, prime) == prime - 1);
    (1..order)
        .step_by(2)
        .map(|odd| power(any.unwrap(), odd, prime))
        .min()
        .unwrap()
}

/// NTT by the definition of spec/ckks.md, section 5: position i is s(psi^(2 brv(i) + 1)).
pub fn transform(coefficients: &[i8], prime: u64) -> Vec<u64> {
    let n = coefficients.len();
    let psi = root(n, prime);
    let mut powers = vec![1u64];
    for i in 1..2 * n {
        powers.push((u128::from(powers[i - 1]) * u128::from(psi) % u128::from(prime)) as u64);
    }
    let terms: Vec<(usize, i8)> = coefficients
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, value)| *value != 0)
        .collect();
    let at = |i: usize| {
        let odd = 2 * (i.reverse_bits() >> (usize::BITS - n.ilog2())) + 1;
        let sum: i128 = terms
            .iter()
            .map(|&(t, value)| i128::from(value) * i128::from(powers[t * odd % (2 * n)]))
            .sum();
        sum.rem_euclid(i128::from(prime)) as u64
    };
    (0..n).map(at).collect()
}

/// SEAL's mask for all `primes` from a seed (spec/ckks.md, section 3.4).
pub fn seal_mask(seed: &[u8; 64], primes: &[u64], ring_degree: usize) -> Vec<Vec<u64>> {
    let mut words = (0u64..).flat_map(|buffer| {
        let mut bytes = [0; 4096];
        Shake256::default()
            .chain(seed)
            .chain(buffer.to_le_bytes())
            .finalize_xof()
            .read(&mut bytes);
        bytes
            .chunks_exact(8)
            .map(|word| u64::from_le_bytes(word.try_into().unwrap()))
            .collect::<Vec<_>>()
    });
    let candidates: Vec<u64> = words.by_ref().take(primes.len() * ring_degree).collect();
    let rows = candidates.chunks_exact(ring_degree).zip(primes);
    rows.map(|(row, &prime)| {
        row.iter()
            .map(|&word| accept(word, prime, &mut words))
            .collect()
    })
    .collect()
}

fn accept(word: u64, prime: u64, refill: &mut impl Iterator<Item = u64>) -> u64 {
    let bound = u64::MAX - u64::MAX % prime - 1;
    let accepted = if word < bound {
        word
    } else {
        refill.find(|&word| word < bound).unwrap()
    };
    accepted % prime
}
