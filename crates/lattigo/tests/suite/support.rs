//! Numbers, and merged frames under a ternary key of tests.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use isopod_lattigo::INSECURE;
use isopod_linear::{Merge, Merged, Reduction};
use isopod_wire::{
    by_name, Claims, FrameHeader, FrameId, Kind, Layout, MaskOrder, RoundedFrame, Rounding, Suite,
};

pub const N: usize = 2048;
const Q: u64 = 1_073_692_673;
pub const LOG2_SCALE: u8 = 15;

/// SplitMix64 generator: the same numbers on every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [-1, 1).
    pub fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

fn secret() -> Vec<i8> {
    let mut numbers = Numbers(1);
    (0..N).map(|_| (numbers.next() % 3) as i8 - 1).collect()
}

/// Product by the secret key modulo q.
fn times(a: &[u64], secret: &[i8]) -> Vec<u64> {
    let mut product = vec![0; N];
    for (j, &coefficient) in secret.iter().enumerate().filter(|(_, &c)| c != 0) {
        for (i, &value) in a.iter().enumerate() {
            let wraps = i + j >= N;
            let value = if wraps == (coefficient > 0) {
                (Q - value) % Q
            } else {
                value
            };
            product[(i + j) % N] = (product[(i + j) % N] + value) % Q;
        }
    }
    product
}

fn header(sequence: u64, rows: u32) -> FrameHeader {
    FrameHeader {
        kind: Kind::PublicKey,
        params: by_name("ckks-2048x1-air").unwrap(),
        parts: 1,
        suite: Suite::Chacha20,
        key_id: [1; 16],
        id: FrameId {
            device: 7,
            epoch: 1,
            sequence,
        },
        nonce: [2; 16],
        interleave: 1,
        log2_scale: LOG2_SCALE,
        count: rows * 16,
        layout: Layout::CoefficientsRounded,
        dithered: false,
        claims: Claims {
            bound: 3,
            stride: 16,
            buckets: 1,
            packing: None,
        },
        rounding: Some(Rounding {
            run: 16,
            dropped: [0; 2],
        }),
        seed: Vec::new(),
        mask_order: MaskOrder::Ntt,
    }
}

/// A frame of these readings in rows of 16, with noise within that of a public key.
fn frame(readings: &[f64], sequence: u64, numbers: &mut Numbers) -> RoundedFrame {
    let a: Vec<u64> = (0..N).map(|_| numbers.next() % Q).collect();
    let body = times(&a, &secret());
    let c0 = readings.iter().zip(body).map(|(reading, body)| {
        let noise = (numbers.real() * 500.0).round();
        let message = (reading * f64::from(LOG2_SCALE).exp2()).round() + noise;
        (message as i64 - body as i64).rem_euclid(Q as i64) as u64
    });
    RoundedFrame {
        header: header(sequence, readings.len() as u32 / 16),
        c0: c0.collect(),
        c1: Some(a),
    }
}

/// Frames of readings of which each is at least this far from the threshold, and how many are above it.
pub fn merged(rows: [u32; 2], threshold: f64, apart: f64) -> (Merged, usize) {
    let mut numbers = Numbers(5);
    let like = header(0, 1);
    let mut merge = Merge::new(&like, "count", [3; 32], INSECURE.ring, Reduction::Sine).unwrap();
    let mut above = 0;
    for (sequence, rows) in (0..).zip(rows) {
        let readings = std::iter::repeat_with(|| 8.0 * numbers.real());
        let far = readings.filter(|reading| (reading - threshold).abs() > apart);
        let readings: Vec<f64> = far.take(rows as usize * 16).collect();
        above += readings
            .iter()
            .filter(|&&reading| reading > threshold)
            .count();
        merge
            .add(&frame(&readings, sequence, &mut numbers), None)
            .unwrap();
    }
    (merge.finish().unwrap(), above)
}
