//! Keys, encryption and data for the tests. The secret key is of a feature of `isopod-seal` that this crate does not use.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test file uses its part, and may fail"
)]

use isopod_eval::{Claims, Error, Input, Job, Key, Output, Workspace};
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Parameters, SecretKey};

/// Owner and server in one object.
pub struct Bench {
    pub context: Context,
    pub secret: SecretKey,
    pub scale: f64,
}

pub fn set(name: &str) -> Parameters {
    isopod_wire::by_name(name).unwrap().into()
}

impl Bench {
    pub fn new(name: &str, log2_scale: i32) -> Self {
        let context = Context::new(&set(name)).unwrap();
        let ternary: Vec<i8> = values(9, context.parameters().ring_degree, 1.5)
            .iter()
            .map(|value| value.round() as i8)
            .collect();
        let secret = SecretKey::new(
            &context,
            &ternary
                .iter()
                .map(|x| (*x).clamp(-1, 1))
                .collect::<Vec<_>>(),
        )
        .unwrap();
        Bench {
            context,
            secret,
            scale: 2f64.powi(log2_scale),
        }
    }

    pub fn slots(&self) -> usize {
        self.context.parameters().slots()
    }

    pub fn keys(&self, job: &dyn Job, claims: Claims) -> EvaluationKeys {
        let relinearization = job.needs_relinearization();
        let rotations = job.rotations(self.context.parameters(), &[claims]);
        EvaluationKeys::generate(&self.context, &self.secret, relinearization, &rotations).unwrap()
    }

    /// Claims of a frame of all primes, as one full row.
    pub fn claims(&self, bound: f64) -> Claims {
        let slots = self.slots();
        Claims {
            bound,
            scale: self.scale,
            primes: self.context.parameters().data_primes.len(),
            key: Key::Public,
            dithered: false,
            rows: 1,
            columns: slots,
            stride: slots,
            buckets: 1,
            frames: 1,
        }
    }

    /// Claims of rows that fill the frame.
    pub fn rows(&self, bound: f64, columns: usize, stride: usize) -> Claims {
        let rows = self.context.parameters().ring_degree / 2 / stride;
        Claims {
            rows,
            columns,
            stride,
            ..self.claims(bound)
        }
    }

    /// Encrypts rows under the public key, whose noise is the larger one.
    pub fn encrypt(&self, rows: &[Vec<f64>]) -> Vec<Ciphertext> {
        let peer = Peer::new(&self.context, &self.secret).unwrap();
        rows.iter()
            .map(|row| peer.encrypt(row, self.scale).unwrap())
            .collect()
    }

    pub fn run(
        &self,
        job: &dyn Job,
        keys: Option<&EvaluationKeys>,
        inputs: &[Input<'_>],
    ) -> Result<Vec<Output>, Error> {
        let mut seen = 0;
        let mut progress = |done: usize, total: usize| {
            seen += 1;
            assert_eq!((done, total), (seen, inputs.len()));
        };
        let mut workspace = Workspace::new(&self.context, &mut progress);
        workspace.keys = keys;
        let outputs = job.run(&mut workspace, inputs)?;
        assert_eq!(seen, inputs.len());
        Ok(outputs)
    }

    pub fn read(&self, output: &Output) -> Vec<f64> {
        let slots = self
            .secret
            .decrypt(&self.context, &output.ciphertext)
            .unwrap()
            .into_owner_only();
        output.shape.slots().map(|slot| slots[slot]).collect()
    }
}

pub fn inputs(ciphertexts: &[Ciphertext], claims: Claims) -> Vec<Input<'_>> {
    ciphertexts
        .iter()
        .map(|ciphertext| Input { ciphertext, claims })
        .collect()
}

/// Repeatable values in [-limit, limit].
pub fn values(seed: u64, count: usize, limit: f64) -> Vec<f64> {
    let mix = |i: u64| {
        let z = (seed << 32 ^ i).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (z ^ (z >> 32)) as f64 / u64::MAX as f64
    };
    (1..=count as u64)
        .map(|i| (2.0 * mix(i) - 1.0) * limit)
        .collect()
}

pub fn assert_close(got: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(got.len(), wanted.len());
    let error = got
        .iter()
        .zip(wanted)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    eprintln!("largest error {error:.3e}");
    assert!(error < tolerance, "error {error}");
}
