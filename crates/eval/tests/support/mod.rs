//! Keys, encryption and data for the tests. The secret key is of a feature of `isopod-seal` that this crate does not use.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "every test file uses its part, and may fail"
)]

use isopod_eval::{Error, Input, Job, Output, Workspace};
use isopod_seal::peer::Peer;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, Parameters, SecretKey};

/// Owner and server in one object.
pub struct Bench {
    pub context: Context,
    pub secret: SecretKey,
    pub scale: f64,
}

fn integer(value: &toml::Value) -> u64 {
    value.as_integer().unwrap().try_into().unwrap()
}

fn set(name: &str) -> Parameters {
    let file: toml::Table = include_str!("../../../../spec/params.toml")
        .parse()
        .unwrap();
    let scheme = name.split('-').next().unwrap();
    let set = file[scheme]
        .as_array()
        .unwrap()
        .iter()
        .find(|set| set["name"].as_str() == Some(name))
        .unwrap();
    let special_prime = integer(&set["special_prime"]);
    Parameters {
        name: name.to_owned(),
        ring_degree: integer(&set["ring_degree"]) as usize,
        data_primes: set["data_primes"]
            .as_array()
            .unwrap()
            .iter()
            .map(integer)
            .collect(),
        special_prime: (special_prime != 0).then_some(special_prime),
        plain_modulus: set.get("plain_modulus").map(integer),
    }
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

    pub fn keys(&self, job: &dyn Job) -> EvaluationKeys {
        let relinearization = job.needs_relinearization();
        EvaluationKeys::generate(
            &self.context,
            &self.secret,
            relinearization,
            &job.required_rotations(),
        )
        .unwrap()
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
        output.slots.iter().map(|slot| slots[slot]).collect()
    }
}

pub fn inputs(ciphertexts: &[Ciphertext], count: usize) -> Vec<Input<'_>> {
    ciphertexts
        .iter()
        .map(|ciphertext| Input { ciphertext, count })
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
