//! Decryption by SEAL of device frames: integers of every set, key, number of chunks, suite, level and layout, and the
//! levels and layouts of real and complex numbers.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::f64::consts::PI;

use crate::support::frames::{receive, ternary, DEVICE};
use isopod_device::{DeviceError, Encoding, Encryptor, FrameClaims, KeyPair, Sender, Values};
use isopod_keys::SecretKey as MasterKey;
use isopod_seal::{Ciphertext, Context, SecretKey};
use isopod_wire::{by_name, sets, Layout, ParameterSet, Scheme, Suite};

struct Owner {
    set: &'static ParameterSet,
    context: Context,
    secret: SecretKey,
    pair: KeyPair,
}

impl Owner {
    fn new(set: &'static ParameterSet) -> Self {
        let context = Context::for_set(set).unwrap();
        let pair = KeyPair::generate(set).unwrap();
        let secret = SecretKey::new(&context, &ternary(&pair.secret_blob)).unwrap();
        Self {
            set,
            context,
            secret,
            pair,
        }
    }

    fn blobs(&self) -> [&[u8]; 4] {
        let pair = &self.pair;
        [
            &pair.public_blob,
            &pair.seeded_public_blob,
            &pair.secret_blob,
            &pair.secret_ntt_blob,
        ]
    }

    fn send(
        &self,
        mut encryptor: Encryptor,
        values: Values<'_>,
    ) -> Result<Ciphertext, DeviceError> {
        let key = MasterKey::random().unwrap();
        let mut sender = Sender {
            device: DEVICE,
            epoch: 1,
            sequence: 5,
            key: key.expose(),
        };
        let parts = encryptor.encrypt_values(values, &mut sender)?;
        Ok(self.context.frame(&receive(&parts, &key)).unwrap())
    }
}

fn filled(values: &[i64], layout: Layout, places: usize) -> Vec<i64> {
    let repeated = values.iter().copied().cycle().take(places);
    let zeros = values.iter().copied().chain(std::iter::repeat(0));
    match layout {
        Layout::SlotsRepeated => repeated.collect(),
        _ => zeros.take(places).collect(),
    }
}

/// Decrypts a ciphertext to the values of its layout, from -(t-1)/2 to (t-1)/2.
fn read(owner: &Owner, ciphertext: &Ciphertext, layout: Layout) -> Vec<i64> {
    let plaintext = owner
        .secret
        .decrypt_integers(&owner.context, ciphertext)
        .unwrap();
    match layout {
        Layout::Coefficients => owner.context.decode_coefficients(&plaintext).unwrap(),
        _ => owner.context.decode_integers(&plaintext).unwrap(),
    }
}

fn check_integers(owner: &Owner, encryptor: Encryptor, layout: Layout, level: u8) {
    let n = owner.set.ring_degree;
    let half = (owner.set.plain_modulus.unwrap() / 2) as i32;
    let count = match layout {
        Layout::SlotsRepeated => n / 64,
        _ => n - 3,
    };
    let value =
        |i: usize| (i as i32 * 7919) % (half + 1) * if i.is_multiple_of(2) { 1 } else { -1 };
    let mut values: Vec<i32> = (0..count).map(value).collect();
    (values[0], values[1]) = (half, -half);
    let sent = owner.send(
        encryptor.with_layout(layout).with_level(level),
        Values::Signed(&values),
    );
    let wide: Vec<i64> = values.iter().map(|&value| value.into()).collect();
    let expected = filled(&wide, layout, n);
    let name = owner.set.name;
    assert_eq!(
        read(owner, &sent.unwrap(), layout),
        expected,
        "{name} {layout:?} {level}"
    );
}

/// Lowest level with room for the noise under the public key, or the secret one.
fn least_level(owner: &Owner, is_public: bool) -> u8 {
    let least = if is_public { 6600 } else { 64 };
    match owner.set.data_primes[0] > least * owner.set.plain_modulus.unwrap() {
        true => 1,
        false => 2,
    }
}

#[test]
fn integers_of_every_set_key_level_and_layout() {
    for set in sets().filter(|set| set.scheme() == Scheme::Bfv) {
        let owner = Owner::new(set);
        for (number, blob) in owner.blobs().into_iter().enumerate() {
            let levels = least_level(&owner, number < 2)..=set.data_primes.len() as u8;
            let step = if set.ring_degree == 32768 { 7 } else { 1 };
            for (turn, level) in levels.step_by(step).enumerate() {
                for layout in [Layout::Slots, Layout::SlotsRepeated, Layout::Coefficients] {
                    let suite = [Suite::Chacha20, Suite::Shake256, Suite::SealShake256][turn % 3];
                    let chunks = 1 << ((turn + number) % 4);
                    let encoding = Encoding::integers(chunks, suite, set.label);
                    let encryptor = Encryptor::new(blob, encoding).unwrap();
                    check_integers(&owner, encryptor, layout, level);
                }
            }
        }
    }
}

#[test]
fn integers_in_every_number_of_chunks_and_suite() {
    let owner = Owner::new(by_name("bfv-4096x2-linear").unwrap());
    for blob in owner.blobs() {
        for chunks in [1, 2, 4, 8] {
            for suite in [Suite::Chacha20, Suite::Shake256, Suite::SealShake256] {
                let encoding = Encoding::integers(chunks, suite, owner.set.label);
                let encryptor = Encryptor::new(blob, encoding).unwrap();
                check_integers(&owner, encryptor, Layout::Slots, 0);
            }
        }
    }
}

#[test]
fn unsigned_integers_are_the_same_residues() {
    let owner = Owner::new(by_name("bfv-1024x1-count").unwrap());
    let encoding = Encoding::integers(1, Suite::Chacha20, owner.set.label);
    let encryptor = Encryptor::new(&owner.pair.public_blob, encoding).unwrap();
    let sent = owner.send(encryptor, Values::Unsigned(&[0, 1, 6144]));
    let slots = read(&owner, &sent.unwrap(), Layout::Slots);
    assert_eq!(slots[..4], [0, 1, 6144, 0]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let owner = Owner::new(by_name("bfv-4096x3-sum").unwrap());
    let encryptor = || {
        let encoding = Encoding::integers(1, Suite::Chacha20, owner.set.label);
        Encryptor::new(&owner.pair.public_blob, encoding).unwrap()
    };
    let refused = |encryptor: Encryptor, values: Values<'_>| {
        owner.send(encryptor, values).err().unwrap().to_string()
    };
    let one = Values::Signed(&[1]);
    assert!(refused(encryptor(), Values::Signed(&[0, 516_097]))
        .starts_with("value number 1 is outside of -516096 to 516096"));
    assert!(refused(encryptor(), Values::Unsigned(&[516_097]))
        .starts_with("value number 0 is outside of 0 to 516096"));
    assert!(refused(encryptor().with_level(1), one)
        .starts_with("level = 1: set bfv-4096x3-sum has 1 to 3 primes"));
    assert!(refused(encryptor().with_level(4), one).starts_with("level = 4"));
    assert!(refused(encryptor().with_layout(Layout::Complex), one)
        .starts_with("layout complex slots does not go with"));
    assert!(refused(encryptor(), Values::Real(&[1.0]))
        .starts_with("set bfv-4096x3-sum encrypts bfv values"));
    let three = Values::Signed(&[1, 2, 3]);
    assert!(refused(encryptor().with_layout(Layout::SlotsRepeated), three).starts_with("3 values"));
}

fn reals(owner: &Owner, blob: &[u8], shape: (Layout, u8), values: Values<'_>) -> Vec<f64> {
    let encoding = Encoding {
        log2_scale: 25,
        log2_bound: 0,
        claims: FrameClaims::default(),
        chunks: 2,
        suite: Suite::SealShake256,
        accept_label: owner.set.label,
    };
    let (layout, level) = shape;
    let encryptor = Encryptor::new(blob, encoding).unwrap();
    let sent = owner
        .send(encryptor.with_layout(layout).with_level(level), values)
        .unwrap();
    owner
        .secret
        .decrypt(&owner.context, &sent)
        .unwrap()
        .into_owner_only()
}

fn largest_difference(found: &[f64], expected: impl Iterator<Item = f64>) -> f64 {
    let pairs = found.iter().zip(expected);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

fn value(slot: usize) -> f64 {
    (slot * 7919 % 2001) as f64 / 1000.0 - 1.0
}

/// Tolerance: 22 deviations of public-key noise in a slot at scale 2^25, n = 4096.
const TOLERANCE: f64 = 0.01;

#[test]
fn real_numbers_at_every_level() {
    let owner = Owner::new(by_name("ckks-4096x3-sum").unwrap());
    let values: Vec<f64> = (0..2048).map(value).collect();
    for blob in owner.blobs() {
        for level in 1..=3 {
            let found = reals(&owner, blob, (Layout::Slots, level), Values::Real(&values));
            let error = largest_difference(&found, values.iter().copied());
            assert!(error < TOLERANCE, "level {level}: {error}");
        }
    }
}

#[test]
fn real_numbers_repeated_over_all_slots() {
    let owner = Owner::new(by_name("ckks-4096x3-sum").unwrap());
    for count in [1, 2, 16, 2048] {
        let values: Vec<f64> = (0..count).map(value).collect();
        let shape = (Layout::SlotsRepeated, 2);
        let found = reals(
            &owner,
            &owner.pair.public_blob,
            shape,
            Values::Real(&values),
        );
        let error = largest_difference(&found, (0..2048).map(|slot| value(slot % count)));
        assert!(error < TOLERANCE, "{count} values: {error}");
    }
}

/// Complex slots, read by SEAL as real parts: those of z, and of -i*z.
#[test]
fn both_parts_of_complex_numbers() {
    let owner = Owner::new(by_name("ckks-4096x3-sum").unwrap());
    let numbers: Vec<[f64; 2]> = (0..1000)
        .map(|slot| [value(slot), value(slot + 77)])
        .collect();
    let turned: Vec<[f64; 2]> = numbers.iter().map(|&[re, im]| [im, -re]).collect();
    for (part, sent) in [&numbers, &turned].into_iter().enumerate() {
        let blob = &owner.pair.secret_blob;
        let found = reals(&owner, blob, (Layout::Complex, 0), Values::Complex(sent));
        let error = largest_difference(&found, numbers.iter().map(|number| number[part]));
        assert!(error < TOLERANCE, "part {part}: {error}");
        assert!(found[1000..].iter().all(|zero| zero.abs() < TOLERANCE));
        let repeated = (Layout::ComplexRepeated, 1);
        let found = reals(&owner, blob, repeated, Values::Complex(&sent[..8]));
        let error = largest_difference(&found, (0..2048).map(|slot| numbers[slot % 8][part]));
        assert!(error < TOLERANCE, "part {part} repeated: {error}");
    }
}

/// Real part of a slot, from the coefficients.
fn slot_of(coefficients: &[f64], slot: u32, n: usize) -> f64 {
    let power = (0..slot).fold(1, |power, _| power * 3 % (2 * n));
    let angle = |k: usize| PI * (k * power % (2 * n)) as f64 / n as f64;
    let terms = coefficients.iter().enumerate();
    terms.map(|(k, value)| value * angle(k).cos()).sum()
}

#[test]
fn coefficients_of_real_numbers() {
    let owner = Owner::new(by_name("ckks-4096x3-sum").unwrap());
    let values: Vec<f64> = (0..4096).map(|k| value(k) / 64.0).collect();
    let shape = (Layout::Coefficients, 2);
    let found = reals(
        &owner,
        &owner.pair.public_blob,
        shape,
        Values::Real(&values),
    );
    for slot in [0, 1, 2, 100, 2047] {
        let error = (found[slot as usize] - slot_of(&values, slot, 4096)).abs();
        assert!(error < TOLERANCE, "slot {slot}: {error}");
    }
}
