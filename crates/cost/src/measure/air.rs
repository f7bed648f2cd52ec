//! Rounded coefficients: a frame full of readings of 12 bits, without the bits that noise has spoilt.

use anyhow::{Context as _, Result};
use isopod_device::{Encoding, Encryptor, FrameClaims, KeyPair, RoundedRows, Sender, Values};
use isopod_eval::{droppable, Claims, Key};
use isopod_wire::{by_name, ParameterSet, Rounding, Scheme, Suite};

use super::device::frames;
use super::Bench;
use crate::operation::Operation;

const SETS: [&str; 3] = ["ckks-2048x1-air", "ckks-2048x2-air", "bfv-2048x2-air"];
/// Largest reading of 12 bits, as an integer.
const MOST: i32 = 2047;

pub fn measure(bench: &mut Bench<'_>) -> Result<()> {
    for name in SETS {
        let set = by_name(name).with_context(|| format!("set: {name} is unknown"))?;
        bench.group.degree = set.ring_degree;
        name.clone_into(&mut bench.set);
        let keys = KeyPair::generate(set)?;
        for (operation, blob, key) in [
            (
                Operation::SendSecret,
                keys.secret_ntt_blob.as_slice(),
                Key::Secret,
            ),
            (
                Operation::SendPublic,
                keys.public_blob.as_slice(),
                Key::Public,
            ),
        ] {
            let mut encryptor = encryptor(set, blob, key)?;
            sends(bench, operation, set, &mut encryptor)?;
        }
    }
    Ok(())
}

fn encryptor(set: &'static ParameterSet, blob: &[u8], key: Key) -> Result<Encryptor> {
    let is_integer = set.scheme() == Scheme::Bfv;
    let claims = Claims {
        bound: if is_integer { f64::from(MOST) } else { 1.0 },
        scale: f64::from(set.log2_scale.default).exp2(),
        primes: set.data_primes.len(),
        key,
        dithered: false,
        rows: 1,
        columns: set.ring_degree,
        stride: set.ring_degree,
        buckets: 1,
        frames: 1,
    };
    let encoding = Encoding {
        log2_scale: set.log2_scale.default,
        log2_bound: 0,
        claims: FrameClaims {
            bound: if is_integer { MOST as u32 } else { 0 },
            stride: set.ring_degree as u32,
            ..FrameClaims::default()
        },
        chunks: 1,
        suite: Suite::Chacha20,
        accept_label: set.label,
    };
    let rows = RoundedRows {
        columns: set.ring_degree as u32,
        rounding: Rounding {
            run: set.ring_degree as u32,
            dropped: droppable(&set.into(), claims, None)?,
        },
    };
    Ok(Encryptor::new(blob, encoding)?.with_rounded_rows(rows))
}

fn sends(
    bench: &mut Bench<'_>,
    operation: Operation,
    set: &ParameterSet,
    encryptor: &mut Encryptor,
) -> Result<()> {
    let readings: Vec<i32> = (0..set.ring_degree as i32)
        .map(|at| at * 37 % (2 * MOST) - MOST)
        .collect();
    let real: Vec<f64> = readings
        .iter()
        .map(|&reading| f64::from(reading) / f64::from(MOST + 1))
        .collect();
    let values = match set.scheme() {
        Scheme::Bfv => Values::Signed(&readings),
        Scheme::Ckks => Values::Real(&real),
    };
    let mut sender = Sender {
        device: 1,
        epoch: 1,
        sequence: 0,
        key: &[7; 32],
    };
    frames(bench, operation, encryptor, values, &mut sender)
}
