//! The device library, and what the server does with its bytes.

use anyhow::Result;
use isopod_device::{Decryptor, Encryptor, Sender, Values};
use isopod_wire::Scheme;

use super::transport::transport;
use super::Bench;
use crate::operation::Operation;
use crate::pair::Pair;
use crate::timer::Clock;

/// Primes of the largest result that a device reads.
const RESULT_PRIMES: usize = 3;
const SIDE: &str = "isopod";

pub fn measure(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    encryptions(bench, pair)?;
    read(bench, pair)?;
    journey(bench, pair)
}

fn encryptions(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let works = [
        (false, Operation::FreshPublic, Operation::SendPublic),
        (true, Operation::FreshSecret, Operation::SendSecret),
    ];
    for (is_secret, fresh, send) in works {
        let (mut encryptor, mut sender) = (pair.encryptor(is_secret)?, pair.sender());
        let mut out = Vec::new();
        bench.record(SIDE, fresh, |timer| {
            let sampled = timer.repeat(Clock::Processor, || {
                out.clear();
                Ok(encryptor.encrypt_unframed(pair.values(), &mut sender, &mut out)?)
            })?;
            Ok((sampled, out.len()))
        })?;
        frames(bench, send, &mut encryptor, pair.values(), &mut sender)?;
    }
    Ok(())
}

/// Encryptions into whole frames.
pub(super) fn frames(
    bench: &mut Bench<'_>,
    operation: Operation,
    encryptor: &mut Encryptor,
    values: Values<'_>,
    sender: &mut Sender<'_>,
) -> Result<()> {
    let mut bytes = 0;
    bench.record(SIDE, operation, |timer| {
        let sampled = timer.repeat(Clock::Processor, || {
            let parts = encryptor.encrypt_values(values, sender)?;
            bytes = parts.iter().map(Vec::len).sum();
            Ok(())
        })?;
        Ok((sampled, bytes))
    })
}

/// Decrypts and decodes what arrives at three primes or fewer.
fn read(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let primes = pair.set.data_primes.len().min(RESULT_PRIMES);
    let mut packed = Vec::new();
    let mut encryptor = pair.encryptor(false)?.with_level(primes as u8);
    encryptor.encrypt_unframed(pair.values(), &mut pair.sender(), &mut packed)?;
    let [c0, c1] = by_component(pair, &packed, primes);
    let mut decryptor = Decryptor::new(&pair.keys.secret_ntt_blob)?;
    let (sides, scale) = ([c0.as_slice(), c1.as_slice()], pair.scale());
    bench.record(SIDE, Operation::Read, |timer| {
        let sampled = timer.repeat(Clock::Processor, || match pair.set.scheme() {
            Scheme::Ckks => Ok(decryptor.decrypt_unauthenticated(sides, scale, 1)?.len()),
            Scheme::Bfv => Ok(decryptor.decrypt_integers_unauthenticated(sides)?.len()),
        })?;
        Ok((sampled, packed.len()))
    })
}

/// Rearranges c0 and c1 of each prime in turn to all of c0 and all of c1.
fn by_component(pair: &Pair, packed: &[u8], primes: usize) -> [Vec<u8>; 2] {
    let mut sides = [Vec::new(), Vec::new()];
    let mut rest = packed;
    for &prime in &pair.set.data_primes[..primes] {
        for side in &mut sides {
            let (piece, behind) = rest.split_at(pair.set.packed_bytes(prime));
            side.extend_from_slice(piece);
            rest = behind;
        }
    }
    sides
}

/// Frames by secret key on their way into SEAL.
fn journey(bench: &mut Bench<'_>, pair: &Pair) -> Result<()> {
    let parts = pair
        .encryptor(true)?
        .encrypt_values(pair.values(), &mut pair.sender())?;
    let bytes = parts.concat();
    pair.check(&pair.receive(&bytes)?)?;
    bench.record(SIDE, Operation::Receive, |timer| {
        let sampled = timer.repeat(Clock::Processor, || pair.receive(&bytes))?;
        Ok((sampled, bytes.len()))
    })?;
    transport(bench, SIDE, bytes)
}
