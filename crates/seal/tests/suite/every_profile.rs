//! Decryption by SEAL of device frames: every set, kind of key, number of chunks and randomness suite, through the streaming
//! interface, the tags and the parser.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::frames::{receive, ternary, DEVICE};
use isopod_device::{Encoding, Encryptor, FrameClaims, KeyPair, Sender};
use isopod_keys::SecretKey as MasterKey;
use isopod_seal::{Context, SecretKey};
use isopod_wire::{Label, ParameterSet, Scheme, Suite, CKKS_SETS, SETS64};

const SUITES: [Suite; 3] = [Suite::Chacha20, Suite::Shake256, Suite::SealShake256];

struct Profile {
    set: &'static ParameterSet,
    context: Context,
    secret: SecretKey,
    pair: KeyPair,
    values: Vec<f64>,
    log2_bound: i8,
}

impl Profile {
    fn new(set: &'static ParameterSet) -> Self {
        let context = Context::for_set(set).unwrap();
        let pair = KeyPair::generate(set).unwrap();
        let secret = SecretKey::new(&context, &ternary(&pair.secret_blob)).unwrap();
        let bits: u32 = set
            .data_primes
            .iter()
            .map(|prime| 64 - prime.leading_zeros())
            .sum();
        let log2_bound = (bits as i32 - 2 - i32::from(set.log2_scale.default)).min(3) as i8;
        let bound = f64::from(log2_bound).exp2();
        let value = |slot: usize| ((slot * 7919 % 2001) as f64 / 1000.0 - 1.0) * bound;
        Self {
            values: (0..set.slots()).map(value).collect(),
            set,
            context,
            secret,
            pair,
            log2_bound,
        }
    }

    /// Largest error of a slot after encryption with this profile.
    fn error(&self, blob: &[u8], chunks: u8, suite: Suite) -> f64 {
        let encoding = Encoding {
            log2_scale: self.set.log2_scale.default,
            log2_bound: self.log2_bound,
            claims: FrameClaims::default(),
            chunks,
            suite,
            accept_label: self.set.label,
        };
        let key = MasterKey::random().unwrap();
        let mut sender = Sender {
            device: DEVICE,
            epoch: 1,
            sequence: 5,
            key: key.expose(),
        };
        let mut encryptor = Encryptor::new(blob, encoding).unwrap();
        let parts = encryptor.encrypt(&self.values, &mut sender).unwrap();
        let ciphertext = self.context.frame(&receive(&parts, &key)).unwrap();
        let slots = self
            .secret
            .decrypt(&self.context, &ciphertext)
            .unwrap()
            .into_owner_only();
        let difference = |(slot, value): (&f64, &f64)| (slot - value).abs();
        slots
            .iter()
            .zip(&self.values)
            .map(difference)
            .fold(0.0, f64::max)
    }

    /// Bound on the error of a slot. The noise has variance n/2 * 10.5, times 1 + 4n/3 for public keys: 8 deviations for a
    /// secret key; 22 for a public one, where e1*s and e*u are products of Gaussians with tails like exp(-2x).
    fn tolerance(&self, is_public: bool) -> f64 {
        let n = self.set.ring_degree as f64;
        let (deviations, variance) = if is_public {
            (22.0, 10.5 * (1.0 + 4.0 * n / 3.0))
        } else {
            (8.0, 10.6)
        };
        deviations * (n / 2.0 * variance).sqrt() / f64::from(self.set.log2_scale.default).exp2()
    }
}

/// Every number of chunks with every suite; at the largest degree, which takes long, each once or twice.
fn dials(set: &ParameterSet) -> impl Iterator<Item = (u8, Suite)> {
    let few = set.ring_degree == 32768;
    let chosen = move |&turn: &usize| !few || turn % 3 == turn / 3 % 3;
    (0..12)
        .filter(chosen)
        .map(|turn| (1 << (turn / 3), SUITES[turn % 3]))
}

fn check(set: &'static ParameterSet) {
    let profile = Profile::new(set);
    let blobs: [(&str, &[u8], bool); 4] = [
        ("public", &profile.pair.public_blob, true),
        ("seeded public", &profile.pair.seeded_public_blob, true),
        ("secret ternary", &profile.pair.secret_blob, false),
        ("secret NTT", &profile.pair.secret_ntt_blob, false),
    ];
    for (name, blob, is_public) in blobs {
        for (chunks, suite) in dials(set) {
            let error = profile.error(blob, chunks, suite);
            let allowed = profile.tolerance(is_public);
            assert!(
                error < allowed && error > allowed / 1000.0,
                "{} {name} chunks {chunks} {}: error {error}, allowed {allowed}",
                set.name,
                suite.name()
            );
        }
    }
}

#[test]
fn sets_up_to_4096_decrypt_in_every_profile() {
    CKKS_SETS
        .iter()
        .filter(|set| set.ring_degree <= 4096)
        .for_each(check);
}

#[test]
fn sets_of_8192_decrypt_in_every_profile() {
    CKKS_SETS
        .iter()
        .filter(|set| set.ring_degree == 8192)
        .for_each(check);
}

#[test]
fn sets_of_16384_decrypt_in_every_profile() {
    CKKS_SETS
        .iter()
        .filter(|set| set.ring_degree == 16384)
        .for_each(check);
}

#[test]
fn sets_of_64_bit_primes_decrypt_in_every_profile() {
    SETS64
        .iter()
        .filter(|set| set.scheme() == Scheme::Ckks)
        .for_each(check);
}

#[test]
fn a_frame_of_another_set_is_refused() {
    let linear = Profile::new(isopod_wire::by_name("ckks-4096x2-linear").unwrap());
    let other = Context::for_set(isopod_wire::by_name("ckks-4096x3-sum").unwrap()).unwrap();
    let encoding = Encoding {
        log2_scale: 27,
        log2_bound: 3,
        claims: FrameClaims::default(),
        chunks: 1,
        suite: Suite::Chacha20,
        accept_label: Label::Bits128,
    };
    let key = MasterKey::random().unwrap();
    let mut sender = Sender {
        device: DEVICE,
        epoch: 1,
        sequence: 0,
        key: key.expose(),
    };
    let mut encryptor = Encryptor::new(&linear.pair.public_blob, encoding).unwrap();
    let parts = encryptor.encrypt(&linear.values, &mut sender).unwrap();
    let refused = other.frame(&receive(&parts, &key)).err().unwrap();
    assert_eq!(
        refused.to_string(),
        "set is ckks-4096x2-linear; this context is for ckks-4096x3-sum: use the keys and the context of the frame's set"
    );
}
