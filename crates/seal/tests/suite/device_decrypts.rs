//! Decryption by the device library of SEAL's evaluations: random programs of every CKKS set, through sealed results and the
//! C library's own parser, against SEAL's decryption of the same ciphertext.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::frames::ternary;
use crate::support::{largest_error, noise, values};
use isopod_device::{Decryptor, DeviceError, KeyPair};
use isopod_keys::SecretKey as LinkKey;
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Evaluator, SecretKey};
use isopod_share::Private;
use isopod_wire::{sets, EncryptedResult, Grid, ParameterSet, Provenance, Scheme};

const MOST_PRIMES: usize = 3;
const LEVELS: usize = 5;
const PROGRAMS: u64 = 5;
const STEPS: u64 = 6;

struct Bench {
    set: &'static ParameterSet,
    context: Context,
    secret: SecretKey,
    pair: KeyPair,
    keys: Option<EvaluationKeys>,
}

impl Bench {
    fn new(set: &'static ParameterSet) -> Self {
        let context = Context::for_set(set).unwrap();
        let pair = KeyPair::generate(set).unwrap();
        let secret = SecretKey::new(&context, &ternary(&pair.secret_blob)).unwrap();
        let keys = set
            .key_switching
            .then(|| EvaluationKeys::generate(&context, &secret, true, &[1, -2]).unwrap());
        Self {
            set,
            context,
            secret,
            pair,
            keys,
        }
    }

    fn scale(&self) -> f64 {
        f64::from(self.set.log2_scale.default).exp2()
    }

    fn room(&self, ciphertext: &Ciphertext) -> f64 {
        let primes = &self.set.data_primes[..ciphertext.primes()];
        let bits: f64 = primes.iter().map(|prime| (*prime as f64).log2()).sum();
        bits - ciphertext.scale().log2()
    }

    /// Applies one random operation if there is room for it: values stay within 4.
    fn step(&self, choice: u64, a: &mut Ciphertext) {
        let evaluator = Evaluator::new(&self.context);
        let factors = values(choice, self.set.slots(), 0.9);
        match (choice % 5, &self.keys) {
            (0, _) => evaluator.add_plain(a, &factors).unwrap(),
            (1, _) if self.room(a) > self.scale().log2() + 6.0 => {
                evaluator.multiply_plain(a, &factors, self.scale()).unwrap();
            }
            (2, Some(keys)) if self.room(a) > a.scale().log2() + 8.0 => {
                evaluator.square(a).unwrap();
                evaluator.relinearize(a, keys).unwrap();
                evaluator.multiply_constant(a, 0.25, 4.0).unwrap();
            }
            (3, _) if a.primes() > 1 && a.scale().log2() > self.scale().log2() + 15.0 => {
                evaluator.rescale(a).unwrap();
            }
            (_, Some(keys)) => {
                let step = if choice.is_multiple_of(2) { 1 } else { -2 };
                evaluator.rotate(a, step, keys).unwrap();
            }
            _ => evaluator.add_constant(a, 0.25).unwrap(),
        }
    }

    /// Evaluates a random program: slots within 4, at any level whose first three primes hold them.
    fn program(&self, seed: u64) -> Ciphertext {
        let evaluator = Evaluator::new(&self.context);
        let input = values(seed, self.set.slots(), 0.5);
        let peer = Peer::new(&self.context, &self.secret).unwrap();
        let mut a = peer.encrypt(&input, self.scale()).unwrap();
        for choice in noise(seed).take(STEPS as usize) {
            self.step(choice, &mut a);
        }
        while a.primes() > MOST_PRIMES && a.scale().log2() > self.scale().log2() + 15.0 {
            evaluator.rescale(&mut a).unwrap();
        }
        let least = (seed as usize % LEVELS + 1).min(a.primes());
        let fits = |primes: usize| {
            let bits: f64 = self.set.data_primes[..primes.min(MOST_PRIMES)]
                .iter()
                .map(|prime| (*prime as f64).log2())
                .sum();
            bits > a.scale().log2() + 5.0
        };
        let level = (least..=a.primes()).find(|&primes| fits(primes));
        let level = level.unwrap_or(a.primes());
        evaluator.switch_to(&mut a, level).unwrap();
        a
    }

    fn result(&self, ciphertext: &Ciphertext) -> EncryptedResult {
        let residues = self.context.residues(ciphertext).unwrap();
        EncryptedResult {
            linear_tag: None,
            params: self.set,
            key_id: self.pair.key_id,
            nonce: [7; 16],
            provenance: Provenance {
                job: "a random program".into(),
                total: 1,
                frames: 1,
                ..Provenance::default()
            },
            bound: 4.0,
            error: 0.0,
            scale: ciphertext.scale(),
            first: 0,
            grid: Grid::of(self.set.slots() as u32, self.set.slots() as u32),
            rounded: None,
            c0: residues.c0,
            c1: residues.c1,
        }
    }
}

/// Error bound of the decoder (`spec/decryption.md`), eight units times the root of n, one unit being 2^-27 of the bound or,
/// where scale times bound have more than 28 bits, 2^-59; and the error of SEAL's doubles.
fn tolerance(bench: &Bench, ciphertext: &Ciphertext, log2_bound: f64) -> f64 {
    let bits = ciphertext.scale().log2().ceil() + log2_bound;
    let unit = log2_bound - if bits <= 28.0 { 27.0 } else { 59.0 };
    8.0 * (bench.set.ring_degree as f64).sqrt() * unit.exp2() + 1e-9
}

/// Bound that the decryptor chooses if none is given.
fn roomiest(bench: &Bench, ciphertext: &Ciphertext) -> f64 {
    let log2_scale = ciphertext.scale().log2().ceil();
    let primes = &bench.set.data_primes[..ciphertext.primes().min(MOST_PRIMES)];
    let bits: f64 = primes
        .iter()
        .map(|prime| (*prime as f64).log2().ceil())
        .sum();
    (bits - 2.0).min(57f64.max(log2_scale + 8.0)) - log2_scale
}

fn check(set: &'static ParameterSet) {
    let bench = Bench::new(set);
    let link = LinkKey::random().unwrap();
    let blobs = [&bench.pair.secret_blob, &bench.pair.secret_ntt_blob];
    for seed in 0..PROGRAMS {
        let mut decryptor = Decryptor::new(blobs[seed as usize % 2]).unwrap();
        let ciphertext = bench.program(seed + 100 * set.ring_degree as u64);
        let expected = bench
            .secret
            .decrypt(&bench.context, &ciphertext)
            .unwrap()
            .into_owner_only();
        let result = bench.result(&ciphertext);
        let got = decryptor.decrypt(&result, None).unwrap().into_owner_only();
        let error = largest_error(&got, &expected);
        let allowed = tolerance(&bench, &ciphertext, roomiest(&bench, &ciphertext));
        assert!(
            error < allowed,
            "{} program {seed}: {error}, allowed {allowed}, at {} primes, scale 2^{}",
            set.name,
            ciphertext.primes(),
            ciphertext.scale().log2()
        );
        let sealed = link.seal(result.encode().unwrap());
        let open = |log2_bound| decryptor.decrypt_sealed(&sealed, link.expose(), log2_bound);
        check_sealed(&bench, &ciphertext, &expected, open);
    }
}

/// Checks the C library's own parser, which accepts at most three primes, under the smallest bound that suffices.
fn check_sealed(
    bench: &Bench,
    ciphertext: &Ciphertext,
    expected: &[f64],
    open: impl FnOnce(i8) -> Result<Private<Vec<f64>>, DeviceError>,
) {
    let largest = expected.iter().fold(0.25f64, |most, v| most.max(v.abs()));
    let log2_bound = largest.log2().ceil() as i8;
    let opened = open(log2_bound);
    if ciphertext.primes() > MOST_PRIMES {
        assert!(matches!(opened, Err(DeviceError::ResultLevel { .. })));
        return;
    }
    let error = largest_error(&opened.unwrap().into_owner_only(), expected);
    assert!(error < tolerance(bench, ciphertext, f64::from(log2_bound)));
}

fn real_sets(of: impl Fn(&ParameterSet) -> bool) -> impl Iterator<Item = &'static ParameterSet> {
    sets().filter(move |set| set.scheme() == Scheme::Ckks && of(set))
}

#[test]
fn random_programs_of_sets_of_64_bit_primes() {
    real_sets(ParameterSet::has_primes64).for_each(check);
}

#[test]
fn random_programs_of_sets_up_to_4096() {
    real_sets(|set| set.ring_degree <= 4096).for_each(check);
}

#[test]
fn random_programs_of_larger_sets() {
    real_sets(|set| set.ring_degree > 4096 && !set.has_primes64()).for_each(check);
}

#[test]
fn what_is_not_the_owners_is_refused() {
    let bench = Bench::new(isopod_wire::by_name("ckks-4096x2-linear").unwrap());
    let other = KeyPair::generate(bench.set).unwrap();
    let (link, stranger) = (LinkKey::random().unwrap(), LinkKey::random().unwrap());
    let mut result = bench.result(&bench.program(1));
    let sealed = link.seal(result.encode().unwrap());
    let mut decryptor = Decryptor::new(&bench.pair.secret_blob).unwrap();

    let refused = decryptor.decrypt_sealed(&sealed, stranger.expose(), 3);
    assert_eq!(refused.err(), Some(DeviceError::Authentication));
    let refused = Decryptor::new(&other.secret_blob)
        .unwrap()
        .decrypt(&result, None);
    assert_eq!(
        refused.err(),
        Some(DeviceError::KeySet("ckks-4096x2-linear"))
    );
    let refused = decryptor.decrypt_sealed(&sealed, link.expose(), -20);
    assert!(matches!(
        refused,
        Err(DeviceError::ResultBound { .. } | DeviceError::DecodeBound { .. })
    ));
    let refused = decryptor.decrypt_sealed(&sealed, link.expose(), 57);
    assert_eq!(
        refused.err(),
        Some(DeviceError::DecodeBound { log2_bound: 57 })
    );
    result.key_id = other.key_id;
    let refused = Decryptor::new(&other.secret_blob)
        .unwrap()
        .decrypt(&result, None);
    assert!(matches!(refused, Err(DeviceError::ResultBound { .. })));
    assert!(Decryptor::new(&bench.pair.public_blob).is_err());
}
