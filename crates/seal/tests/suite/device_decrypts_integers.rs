//! Decryption by the device library of SEAL's evaluations of device frames: random programs of every BFV set, under every key
//! and level, exact.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use crate::support::frames::{receive, ternary, DEVICE};
use crate::support::noise;
use isopod_device::{Decryptor, DeviceError, Encoding, Encryptor, KeyPair, Sender, Values};
use isopod_keys::SecretKey as LinkKey;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Evaluator, SecretKey};
use isopod_wire::{by_name, sets, EncryptedResult, Grid, ParameterSet, Provenance, Scheme, Suite};

const MOST_PRIMES: usize = 3;
const PROGRAMS: u64 = 8;
const STEPS: usize = 5;

struct Bench {
    set: &'static ParameterSet,
    context: Context,
    secret: SecretKey,
    pair: KeyPair,
    keys: Option<EvaluationKeys>,
}

/// A ciphertext and its values.
#[derive(Clone)]
struct Held {
    ciphertext: Ciphertext,
    slots: Vec<i64>,
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

    fn modulus(&self) -> i64 {
        self.set.plain_modulus.unwrap() as i64
    }

    fn centred(&self, value: i64) -> i64 {
        let (t, residue) = (self.modulus(), value.rem_euclid(self.modulus()));
        residue - if residue > t / 2 { t } else { 0 }
    }

    fn values(&self, seed: u64, most: i64) -> Vec<i64> {
        let value = |word: u64| (word % (2 * most as u64 + 1)) as i64 - most;
        noise(seed).take(self.set.ring_degree).map(value).collect()
    }

    /// Encrypts as a device does, with this key and at this level; None for a level that devices refuse.
    fn encrypt(&self, seed: u64, level: u8) -> Option<Held> {
        let pair = &self.pair;
        let blob: &[u8] = match seed % 4 {
            0 => &pair.public_blob,
            1 => &pair.seeded_public_blob,
            2 => &pair.secret_blob,
            _ => &pair.secret_ntt_blob,
        };
        let slots = self.values(seed, (self.modulus() - 1) / 2);
        let narrow: Vec<i32> = slots.iter().map(|&value| value as i32).collect();
        let key = LinkKey::random().unwrap();
        let mut sender = Sender {
            device: DEVICE,
            epoch: 1,
            sequence: seed,
            key: key.expose(),
        };
        let encoding = Encoding::integers(1 << (seed % 4), Suite::Chacha20, self.set.label);
        let mut encryptor = Encryptor::new(blob, encoding).unwrap().with_level(level);
        match encryptor.encrypt_values(Values::Signed(&narrow), &mut sender) {
            Ok(parts) => Some(Held {
                ciphertext: self.context.frame(&receive(&parts, &key)).unwrap(),
                slots,
            }),
            Err(DeviceError::Level { .. }) => None,
            Err(other) => panic!("{other}"),
        }
    }

    fn is_readable(&self, ciphertext: &Ciphertext) -> bool {
        let plaintext = self.secret.decrypt_integers(&self.context, ciphertext);
        plaintext.is_ok()
    }

    /// Rotates slots: slot j of either half moves to slot j - step of the same half.
    fn rotated(&self, slots: &[i64], step: i32) -> Vec<i64> {
        let half = slots.len() as i32 / 2;
        let from = |at: i32| (at / half) * half + (at % half + step).rem_euclid(half);
        (0..slots.len() as i32)
            .map(|at| slots[from(at) as usize])
            .collect()
    }

    fn combined(&self, held: &Held, other: &[i64], with: fn(i64, i64) -> i64) -> Vec<i64> {
        let pairs = held.slots.iter().zip(other);
        pairs.map(|(&a, &b)| self.centred(with(a, b))).collect()
    }

    fn step(&self, choice: u64, held: &mut Held) {
        let evaluator = Evaluator::new(&self.context);
        let a = &mut held.ciphertext.clone();
        held.slots = match (choice % 5, &self.keys) {
            (0, _) => {
                evaluator.add(a, &held.ciphertext).unwrap();
                self.combined(held, &held.slots, |x, y| x + y)
            }
            (1, _) => {
                let values = self.values(choice, (self.modulus() - 1) / 2);
                evaluator.add_integers(a, &values).unwrap();
                self.combined(held, &values, |x, y| x + y)
            }
            (2, _) => {
                let values = self.values(choice, 9);
                evaluator.multiply_integers(a, &values).unwrap();
                self.combined(held, &values, |x, y| x * y)
            }
            (3, Some(keys)) => {
                evaluator.square(a).unwrap();
                evaluator.relinearize(a, keys).unwrap();
                self.combined(held, &held.slots, |x, y| x * y)
            }
            (_, Some(keys)) => {
                let step = if choice.is_multiple_of(2) { 1 } else { -2 };
                evaluator.rotate(a, step, keys).unwrap();
                self.rotated(&held.slots, step)
            }
            _ => {
                evaluator.multiply_integer(a, -3).unwrap();
                self.combined(held, &held.slots, |x, _| -3 * x)
            }
        };
        held.ciphertext = a.clone();
    }

    /// Evaluates operations that leave the ciphertext readable, then drops to as few primes as suffice or a level in between.
    fn program(&self, seed: u64) -> Held {
        let levels = 1..=self.set.data_primes.len() as u8;
        let wanted = (seed / 4) as u8 % levels.end() + 1;
        let level = (wanted..=*levels.end()).find(|&level| self.encrypt(seed, level).is_some());
        let mut held = self.encrypt(seed, level.unwrap()).unwrap();
        for choice in noise(seed).take(STEPS) {
            let mut next = held.clone();
            self.step(choice, &mut next);
            if self.is_readable(&next.ciphertext) {
                held = next;
            }
        }
        let least = seed as usize % MOST_PRIMES + 1;
        let primes = held.ciphertext.primes();
        for level in least.min(primes)..=primes.min(MOST_PRIMES) {
            let mut switched = held.ciphertext.clone();
            let evaluator = Evaluator::new(&self.context);
            evaluator.switch_to(&mut switched, level).unwrap();
            if self.is_readable(&switched) {
                held.ciphertext = switched;
                break;
            }
        }
        held
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
            bound: 1e9,
            error: 0.0,
            scale: 1.0,
            first: 0,
            grid: Grid::of(self.set.ring_degree as u32, self.set.ring_degree as u32),
            rounded: None,
            c0: residues.c0,
            c1: residues.c1,
        }
    }
}

fn check(set: &'static ParameterSet) {
    let bench = Bench::new(set);
    let link = LinkKey::random().unwrap();
    for seed in 0..PROGRAMS {
        let blob = [&bench.pair.secret_blob, &bench.pair.secret_ntt_blob][seed as usize / 2 % 2];
        let mut decryptor = Decryptor::new(blob).unwrap();
        let held = bench.program(seed + 5 * set.ring_degree as u64);
        let plaintext = bench
            .secret
            .decrypt_integers(&bench.context, &held.ciphertext);
        let seals = bench.context.decode_integers(&plaintext.unwrap()).unwrap();
        assert_eq!(seals, held.slots, "{} program {seed}: SEAL", set.name);
        let result = bench.result(&held.ciphertext);
        let widened =
            |values: Vec<i32>| -> Vec<i64> { values.into_iter().map(i64::from).collect() };
        let parsed = decryptor.decrypt_integers(&result).unwrap();
        assert_eq!(widened(parsed), held.slots, "{} program {seed}", set.name);
        let sealed = link.seal(result.encode().unwrap());
        let opened = decryptor.decrypt_integers_sealed(&sealed, link.expose());
        assert_eq!(widened(opened.unwrap()), held.slots);
    }
}

fn integer_sets(of: impl Fn(&ParameterSet) -> bool) -> impl Iterator<Item = &'static ParameterSet> {
    sets().filter(move |set| set.scheme() == Scheme::Bfv && of(set))
}

#[test]
fn random_programs_of_sets_up_to_4096() {
    integer_sets(|set| set.ring_degree <= 4096).for_each(check);
}

#[test]
fn random_programs_of_larger_sets() {
    integer_sets(|set| set.ring_degree > 4096).for_each(check);
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let bench = Bench::new(by_name("bfv-8192x6-multiply").unwrap());
    let mut decryptor = Decryptor::new(&bench.pair.secret_blob).unwrap();
    let held = bench.encrypt(2, 6).unwrap();
    let many = bench.result(&held.ciphertext);
    assert!(matches!(
        decryptor.decrypt_integers(&many),
        Err(DeviceError::ResultLevel { max: 3, .. })
    ));
    let mut few = held.ciphertext.clone();
    let evaluator = Evaluator::new(&bench.context);
    evaluator.switch_to(&mut few, 2).unwrap();
    let mut result = bench.result(&few);
    assert!(matches!(
        decryptor.decrypt(&result, None).err(),
        Some(DeviceError::OtherValues { .. })
    ));
    result.c0[0][5] ^= 1 << 20;
    assert_eq!(
        decryptor.decrypt_integers(&result),
        Err(DeviceError::ResultNoise)
    );
    let stranger = LinkKey::random().unwrap();
    let sealed = stranger.seal(result.encode().unwrap());
    assert_eq!(
        decryptor.decrypt_integers_sealed(&sealed, &[0; 32]),
        Err(DeviceError::Authentication)
    );
    result.key_id[3] ^= 1;
    assert!(matches!(
        decryptor.decrypt_integers(&result),
        Err(DeviceError::KeySet(_))
    ));
}
