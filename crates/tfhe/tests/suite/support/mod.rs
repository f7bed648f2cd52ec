//! A second, plain implementation of encryption and decryption from the text of `spec/tfhe.md`: sums, no transforms.
#![allow(dead_code, missing_docs, clippy::unwrap_used)]

use isopod_tfhe::expand_mask;
use isopod_wire::{
    FrameId, Kind, Noise, Schema, SecretDistribution, TfheFrame, TfheHeader, TfheParams, TfheSuite,
    ValueType, TFHE_SETS,
};

pub const KEY_ID: [u8; 16] = *b"key id of a test";

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

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.next() as u8)
    }

    /// Draws one error of the set: TUniform, or a rounded sum of uniforms with the Gaussian's variance.
    pub fn error(&mut self, params: &TfheParams) -> i64 {
        match params.noise {
            Noise::TUniform(bits) => {
                let x = self.next() as i64 & ((4 << bits) - 1);
                (x >> 1) + (x & 1) - (1 << bits)
            }
            Noise::Gaussian128 => {
                let sum: f64 = (0..12)
                    .map(|_| self.next() as f64 / 2f64.powi(64) - 0.5)
                    .sum();
                (128.0 * sum).round() as i64
            }
        }
    }

    pub fn secret(&mut self, params: &TfheParams) -> Vec<i8> {
        (0..params.ring_degree)
            .map(|_| match params.secret {
                SecretDistribution::Binary => (self.next() & 1) as i8,
                SecretDistribution::Ternary => (self.next() % 3) as i8 - 1,
            })
            .collect()
    }

    pub fn word(&mut self, params: &TfheParams) -> u64 {
        self.next() & modulus_mask(params)
    }
}

pub fn set(name: &str) -> &'static TfheParams {
    TFHE_SETS.iter().find(|set| set.name == name).unwrap()
}

pub fn modulus_mask(params: &TfheParams) -> u64 {
    u64::MAX >> (64 - params.log2_modulus)
}

/// Computes coefficients 0 .. count of a*s modulo X^N + 1, by the definition.
pub fn product(a: &[u64], s: &[i8], count: usize) -> Vec<u64> {
    let coefficient = |i: usize| {
        s.iter().enumerate().fold(0u64, |sum, (j, &s)| {
            let a = match i.checked_sub(j) {
                Some(at) => a[at],
                None => a[a.len() + i - j].wrapping_neg(),
            };
            sum.wrapping_add(a.wrapping_mul(s as i64 as u64))
        })
    };
    (0..count).map(coefficient).collect()
}

pub struct Public {
    pub p0: Vec<u64>,
    pub p1: Vec<u64>,
}

pub fn public_key(params: &TfheParams, secret: &[i8], numbers: &mut Numbers) -> Public {
    let p0: Vec<u64> = (0..params.ring_degree)
        .map(|_| numbers.word(params))
        .collect();
    let p1 = product(&p0, secret, params.ring_degree);
    let p1 = p1
        .iter()
        .map(|word| word.wrapping_add(numbers.error(params) as u64));
    Public {
        p1: p1.collect(),
        p0,
    }
}

pub struct Message<'a> {
    pub schema: Schema,
    pub values: &'a [i128],
    pub suite: TfheSuite,
    pub rounded: bool,
}

impl<'a> Message<'a> {
    pub fn new(types: &[ValueType], values: &'a [i128]) -> Self {
        let types = types.iter().cycle().take(values.len()).copied();
        Self {
            schema: Schema::of_values(types).unwrap(),
            values,
            suite: TfheSuite::Chacha20,
            rounded: false,
        }
    }

    pub fn words(&self, params: &TfheParams) -> Vec<u64> {
        let blocks = self
            .schema
            .encode(self.values, params.message_bits)
            .unwrap();
        let offset = u64::from(params.centred) << (params.log2_delta - 1);
        let word = |block: u8| (u64::from(block) << params.log2_delta).wrapping_sub(offset);
        blocks.into_iter().map(word).collect()
    }
}

fn header(
    params: &'static TfheParams,
    kind: Kind,
    message: &Message<'_>,
    nonce: [u8; 16],
) -> TfheHeader {
    TfheHeader {
        kind,
        params,
        suite: message.suite,
        key_id: KEY_ID,
        id: FrameId {
            device: 7,
            epoch: 1,
            sequence: 2,
        },
        nonce,
        width: params.word_bytes() as u8 / if message.rounded { 2 } else { 1 },
        columns: message.schema.values() as u32,
        packing: None,
        schema: message.schema.clone(),
    }
}

fn finish(header: TfheHeader, mask: Option<Vec<u64>>, bodies: Vec<u64>) -> TfheFrame {
    let half = header.params.log2_modulus / 2;
    let keep = modulus_mask(header.params);
    let round = |word: u64| (word.wrapping_add(1 << (half - 1)) & keep) >> half << half;
    let rounded = header.is_rounded();
    let bodies = bodies
        .into_iter()
        .map(|word| if rounded { round(word) } else { word & keep });
    TfheFrame {
        bodies: bodies.collect(),
        mask,
        header,
    }
}

pub fn encrypt_secret(
    params: &'static TfheParams,
    secret: &[i8],
    message: &Message<'_>,
    numbers: &mut Numbers,
) -> TfheFrame {
    let header = header(params, Kind::SecretKey, message, numbers.bytes());
    let mask = expand_mask(params, header.suite, &header.nonce, &KEY_ID);
    let words = message.words(params);
    let bodies = product(&mask, secret, words.len()).into_iter().zip(words);
    let bodies = bodies.map(|(b, m)| b.wrapping_add(m).wrapping_add(numbers.error(params) as u64));
    let bodies = bodies.collect();
    finish(header, None, bodies)
}

pub fn encrypt_public(
    params: &'static TfheParams,
    public: &Public,
    message: &Message<'_>,
    numbers: &mut Numbers,
) -> TfheFrame {
    let header = header(params, Kind::PublicKey, message, numbers.bytes());
    let (u, words) = (numbers.secret(params), message.words(params));
    let mask = product(&public.p0, &u, params.ring_degree);
    let mask = mask
        .into_iter()
        .map(|word| word.wrapping_add(numbers.error(params) as u64) & modulus_mask(params));
    let mask = mask.collect();
    let bodies = product(&public.p1, &u, words.len()).into_iter().zip(words);
    let bodies = bodies.map(|(b, m)| b.wrapping_add(m).wrapping_add(numbers.error(params) as u64));
    let bodies = bodies.collect();
    finish(header, Some(mask), bodies)
}

/// Errors of a frame: phases minus the message, as signed numbers.
pub fn errors(frame: &TfheFrame, secret: &[i8], message: &Message<'_>) -> Vec<i64> {
    let params = frame.header.params;
    let mask = isopod_tfhe::frame_mask(frame);
    let shift = 64 - params.log2_modulus;
    let phases = product(&mask, secret, frame.bodies.len())
        .into_iter()
        .zip(&frame.bodies);
    let phases = phases.map(|(product, body)| body.wrapping_sub(product));
    let words = message.words(params);
    phases
        .zip(words)
        .map(|(phase, word)| (phase.wrapping_sub(word) << shift) as i64 >> shift)
        .collect()
}

pub fn deviation(errors: &[i64]) -> f64 {
    let squares: f64 = errors.iter().map(|&error| (error as f64).powi(2)).sum();
    (squares / errors.len() as f64).sqrt()
}
