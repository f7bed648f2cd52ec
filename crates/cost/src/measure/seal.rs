//! Microsoft SEAL: the report's list.

use std::collections::BTreeSet;

use anyhow::Result;
use isopod_seal::peer::Peer;
use isopod_seal::{galois_element, Ciphertext, EvaluationKeys, Evaluator, Plaintext};
use isopod_wire::Scheme;

use super::transport::transport;
use super::Bench;
use crate::operation::Operation;
use crate::pair::Pair;
use crate::timer::{Clock, Timer};

const SIDE: &str = "seal";
/// Primes of results, as on the device's side.
const RESULT_PRIMES: usize = 3;
/// log2 of the scale of products, of which two fit the smallest set.
const PRODUCT_SCALE: f64 = 1024.0;
const ONE_PRIME: &str = "the set has one prime";

pub fn measure(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let peer = Peer::new(&pair.context, &pair.secret)?;
    client(bench, pair, &peer)?;
    journeys(bench, pair, &peer)?;
    let side = Arithmetic::new(pair, &peer)?;
    side.products(bench)?;
    side.key_switches(bench)
}

/// Encoding, encryption and back, each alone and together.
fn client(bench: &mut Bench<'_>, pair: &Pair, peer: &Peer<'_>) -> Result<()> {
    let plaintext = pair.plaintext(pair.scale())?;
    let ciphertext = peer.encrypt_encoded(&plaintext)?;
    alone(bench, pair, peer, &plaintext, &ciphertext)?;
    together(bench, pair, peer)?;
    read(bench, pair, peer, ciphertext)
}

fn alone(
    bench: &mut Bench<'_>,
    pair: &Pair,
    peer: &Peer<'_>,
    plaintext: &Plaintext,
    ciphertext: &Ciphertext,
) -> Result<()> {
    let scale = pair.scale();
    bench.plain(Operation::Batch, || pair.plaintext(scale))?;
    bench.plain(Operation::Unbatch, || decoded(pair, plaintext))?;
    bench.plain(Operation::Encrypt, || Ok(peer.encrypt_encoded(plaintext)?))?;
    bench.plain(Operation::Decrypt, || {
        Ok(peer.decrypt_encoded(&pair.secret, ciphertext)?)
    })
}

fn together(bench: &mut Bench<'_>, pair: &Pair, peer: &Peer<'_>) -> Result<()> {
    let scale = pair.scale();
    bench.plain(Operation::FreshPublic, || {
        Ok(peer.encrypt_encoded(&pair.plaintext(scale)?)?)
    })?;
    bench.plain(Operation::FreshSecret, || {
        Ok(peer.encrypt_encoded_symmetric(&pair.plaintext(scale)?)?)
    })
}

/// Decrypts and decodes what arrives at three primes or fewer.
fn read(bench: &mut Bench<'_>, pair: &Pair, peer: &Peer<'_>, mut small: Ciphertext) -> Result<()> {
    let primes = pair.set.data_primes.len().min(RESULT_PRIMES);
    Evaluator::new(&pair.context).switch_to(&mut small, primes)?;
    bench.plain(Operation::Read, || {
        decoded(pair, &peer.decrypt_encoded(&pair.secret, &small)?)
    })
}

fn decoded(pair: &Pair, plaintext: &Plaintext) -> Result<usize> {
    Ok(match pair.set.scheme() {
        Scheme::Ckks => pair.context.decode(plaintext)?.len(),
        Scheme::Bfv => pair.context.decode_integers(plaintext)?.len(),
    })
}

/// Values to SEAL's bytes, through a connection, and back.
fn journeys(bench: &mut Bench<'_>, pair: &Pair, peer: &Peer<'_>) -> Result<()> {
    let plaintext = pair.plaintext(pair.scale())?;
    sends(bench, pair, peer, &plaintext)?;
    let seeded = peer.serialize_encoded(&plaintext, true)?;
    bench.with_bytes(Operation::Receive, seeded.len(), || Ok(peer.load(&seeded)?))?;
    serialization(bench, peer, &peer.encrypt_encoded(&plaintext)?)
}

fn sends(bench: &mut Bench<'_>, pair: &Pair, peer: &Peer<'_>, plaintext: &Plaintext) -> Result<()> {
    for (operation, is_secret) in [
        (Operation::SendPublic, false),
        (Operation::SendSecret, true),
    ] {
        let bytes = peer.serialize_encoded(plaintext, is_secret)?.len();
        bench.with_bytes(operation, bytes, || {
            Ok(peer.serialize_encoded(&pair.plaintext(pair.scale())?, is_secret)?)
        })?;
    }
    Ok(())
}

/// A ciphertext to bytes, and they through a connection.
fn serialization(bench: &mut Bench<'_>, peer: &Peer<'_>, ciphertext: &Ciphertext) -> Result<()> {
    let whole = peer.serialize(ciphertext)?;
    bench.with_bytes(Operation::Serialize, whole.len(), || {
        Ok(peer.serialize(ciphertext)?)
    })?;
    transport(bench, SIDE, whole)
}

/// Two ciphertexts and a plaintext at a scale whose square fits.
struct Arithmetic<'a> {
    pair: &'a Pair,
    evaluator: Evaluator<'a>,
    plaintext: Plaintext,
    first: Ciphertext,
    second: Ciphertext,
    scale: f64,
}

impl<'a> Arithmetic<'a> {
    fn new(pair: &'a Pair, peer: &Peer<'_>) -> Result<Self> {
        let scale = match pair.set.scheme() {
            Scheme::Ckks => PRODUCT_SCALE,
            Scheme::Bfv => 1.0,
        };
        let plaintext = pair.plaintext(scale)?;
        Ok(Self {
            pair,
            evaluator: Evaluator::new(&pair.context),
            first: peer.encrypt_encoded(&plaintext)?,
            second: peer.encrypt_encoded(&plaintext)?,
            plaintext,
            scale,
        })
    }

    fn products(&self, bench: &mut Bench<'_>) -> Result<()> {
        let evaluator = &self.evaluator;
        self.on_copy(bench, Operation::Add, &self.first, |a| {
            Ok(evaluator.add(a, &self.second)?)
        })?;
        self.on_copy(bench, Operation::Multiply, &self.first, |a| {
            Ok(evaluator.multiply(a, &self.second)?)
        })?;
        self.on_copy(bench, Operation::MultiplyPlain, &self.first, |a| {
            Ok(evaluator.multiply_encoded(a, &self.plaintext, self.scale)?)
        })?;
        self.on_copy(bench, Operation::Square, &self.first, |a| {
            Ok(evaluator.square(a)?)
        })
    }

    fn key_switches(&self, bench: &mut Bench<'_>) -> Result<()> {
        if self.pair.set.data_primes.len() < 2 {
            for &operation in Operation::ALL {
                if operation.switches_keys() || operation == Operation::Rescale {
                    bench.skip(operation, ONE_PRIME);
                }
            }
            return Ok(());
        }
        let wants = |operation: &Operation| operation.switches_keys() && bench.wants(*operation);
        let keys = match Operation::ALL.iter().any(wants) {
            true => Some(self.keys()?),
            false => None,
        };
        self.rescale(bench)?;
        keys.map_or(Ok(()), |keys| self.with_keys(bench, &keys))
    }

    fn rescale(&self, bench: &mut Bench<'_>) -> Result<()> {
        let mut product = self.first.clone();
        if self.pair.set.scheme() == Scheme::Ckks {
            // A scale that the last prime may divide.
            self.evaluator
                .divide(&mut product, 2f64.powi(50) / self.scale)?;
        }
        self.on_copy(bench, Operation::Rescale, &product, |a| {
            Ok(self.evaluator.rescale(a)?)
        })
    }

    /// Keys for products, one step, the conjugation and the digits of the random steps.
    fn keys(&self) -> Result<EvaluationKeys> {
        let degree = self.pair.set.ring_degree;
        let mut elements = BTreeSet::from([galois_element(degree, 1)?, 2 * degree as u32 - 1]);
        for step in random_steps(degree).into_iter().flat_map(digits) {
            elements.insert(galois_element(degree, step)?);
        }
        let (context, secret) = (&self.pair.context, &self.pair.secret);
        Ok(EvaluationKeys::generate_for(
            context, secret, true, elements,
        )?)
    }

    fn with_keys(&self, bench: &mut Bench<'_>, keys: &EvaluationKeys) -> Result<()> {
        let evaluator = &self.evaluator;
        let mut product = self.first.clone();
        evaluator.square(&mut product)?;
        self.on_copy(bench, Operation::Relinearize, &product, |a| {
            Ok(evaluator.relinearize(a, keys)?)
        })?;
        self.on_copy(bench, Operation::RotateOne, &self.first, |a| {
            Ok(evaluator.rotate(a, 1, keys)?)
        })?;
        let steps = random_steps(self.pair.set.ring_degree);
        let mut next = steps.iter().cycle();
        self.on_copy(bench, Operation::RotateRandom, &self.first, |a| {
            let step = next.next().copied().unwrap_or(1);
            digits(step).try_for_each(|digit| Ok(evaluator.rotate(a, digit, keys)?))
        })?;
        let swap = match self.pair.set.scheme() {
            Scheme::Bfv => Operation::RotateColumns,
            Scheme::Ckks => Operation::Conjugate,
        };
        let element = 2 * self.pair.set.ring_degree as u32 - 1;
        self.on_copy(bench, swap, &self.first, |a| {
            Ok(evaluator.apply(a, element, keys)?)
        })
    }

    /// Measures an operation in place on a copy; the copy is not measured.
    fn on_copy(
        &self,
        bench: &mut Bench<'_>,
        operation: Operation,
        of: &Ciphertext,
        mut call: impl FnMut(&mut Ciphertext) -> Result<()>,
    ) -> Result<()> {
        bench.record(SIDE, operation, |timer: &mut Timer| {
            let sampled = timer.sample(
                Clock::Processor,
                || of.clone(),
                |mut copy| {
                    call(&mut copy)?;
                    Ok(copy)
                },
            )?;
            Ok((sampled, 0))
        })
    }
}

/// Steps that stand for all: fewer where a key has a hundred megabytes.
fn random_steps(degree: usize) -> Vec<i32> {
    // Below n/4, so that no digit is a whole turn.
    let most = (degree / 4) as u64;
    let count = if degree > 16384 { 1 } else { 4 };
    (1..=count)
        .map(|turn| (turn * 2_654_435_761_u64 % (most - 1) + 1) as i32)
        .collect()
}

/// The non-adjacent form of a step: powers of two with signs, as SEAL takes a rotation apart that has no key of its own.
fn digits(step: i32) -> impl Iterator<Item = i32> {
    let mut rest = step;
    let mut digits = Vec::new();
    let mut power = 1;
    while rest != 0 {
        let digit = if rest & 1 == 1 { 2 - (rest & 3) } else { 0 };
        if digit != 0 {
            digits.push(digit * power);
        }
        rest = (rest - digit) / 2;
        power *= 2;
    }
    digits.into_iter()
}

impl Bench<'_> {
    fn plain<T>(&mut self, operation: Operation, call: impl FnMut() -> Result<T>) -> Result<()> {
        self.with_bytes(operation, 0, call)
    }

    fn with_bytes<T>(
        &mut self,
        operation: Operation,
        bytes: usize,
        call: impl FnMut() -> Result<T>,
    ) -> Result<()> {
        self.record(SIDE, operation, |timer| {
            Ok((timer.repeat(Clock::Processor, call)?, bytes))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn digits_add_up_and_are_few() {
        for step in [1, 3, 7, 1023, 5461] {
            assert_eq!(digits(step).sum::<i32>(), step);
        }
        assert_eq!(digits(7).collect::<Vec<_>>(), [-1, 8]);
    }
}
