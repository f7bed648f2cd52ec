//! Device, server and owner of one key pair, in one process.

use crate::cases::Case;
use crate::record::{Limits, Tally};
use anyhow::{Context as _, Result};
use isopod_device::{Decryptor, Encoding, Encryptor, FrameClaims, KeyPair, Sender, Values};
use isopod_eval::{Claims, Input, Job, Key, Output, Workspace};
use isopod_keys::SecretKey as DeviceKey;
use isopod_seal::{Ciphertext, Context, EvaluationKeys, SecretKey};
use isopod_wire::{
    pack, Authenticator, Envelope, Frame, PackedFrame, Relation, Scheme, Suite, Tag, WireError,
    BLOB_HEADER_BYTES,
};
use std::collections::VecDeque;

const DEVICE: u64 = 7;
/// Frames of a pool that every run replaces.
const FRESH: usize = 2;
/// Most primes of a result that the device library reads.
const READ: usize = 3;

/// A frame in the clear and as the server holds it.
struct Sent {
    values: Vec<f64>,
    ciphertext: Ciphertext,
    dithered: bool,
}

pub struct Owner<'case> {
    case: &'case Case,
    context: Context,
    job: Box<dyn Job>,
    keys: Option<EvaluationKeys>,
    device: Device,
    decryptor: Decryptor,
    /// Frames of the last runs.
    pool: VecDeque<Sent>,
    seed: u64,
}

struct Device {
    encryptor: Encryptor,
    key: DeviceKey,
    sequence: u64,
}

impl<'case> Owner<'case> {
    pub fn new(case: &'case Case) -> Result<Self> {
        let context = Context::for_set(case.set)?;
        let pair = KeyPair::generate(case.set)?;
        let secret = SecretKey::new(&context, &ternary(&pair.secret_blob))?;
        let job = case.job();
        let rotations = job.rotations(context.parameters(), &[case.claims]);
        let relinearization = job.needs_relinearization();
        let keys = if job.needs_key_switching() {
            let keys = EvaluationKeys::generate(&context, &secret, relinearization, &rotations);
            Some(keys?)
        } else {
            None
        };
        Ok(Self {
            device: Device::new(case, &pair)?,
            decryptor: Decryptor::new(&pair.secret_ntt_blob)?,
            seed: u64::from_le_bytes(pair.key_id[..8].try_into()?),
            case,
            context,
            job,
            keys,
            pool: VecDeque::new(),
        })
    }

    /// One run: fresh frames, the job, and the comparison with the clear.
    pub fn run(&mut self, run: u64, tally: &mut Tally) -> Result<()> {
        self.refresh(run)?;
        let case = self.case;
        let frames: Vec<&Sent> = self.pool.iter().collect();
        let inputs: Vec<Input<'_>> = frames
            .iter()
            .map(|sent| Input {
                ciphertext: &sent.ciphertext,
                claims: Claims {
                    dithered: sent.dithered,
                    ..case.claims
                },
            })
            .collect();
        let mut progress = |_, _| ();
        let mut workspace = Workspace::new(&self.context, &mut progress);
        workspace.keys = self.keys.as_ref();
        let outputs = self.job.run(&mut workspace, &inputs)?;
        let values: Vec<&Vec<f64>> = frames.iter().map(|sent| &sent.values).collect();
        let clear = case.clear(&values);
        let output = outputs.first().context("no output")?;
        let found = self.read(output)?;
        let limits = Limits {
            bound: output.bound,
            error: output.error - case.unmeasured(),
            in_step: (output.in_step - case.unmeasured()).max(0.0),
        };
        tally.add(&found, &clear, limits)
    }

    /// Replaces the oldest frames.
    fn refresh(&mut self, run: u64) -> Result<()> {
        let case = self.case;
        let missing = case.frames - self.pool.len().min(case.frames);
        for frame in 0..missing.max(FRESH.min(case.frames)) {
            if self.pool.len() == case.frames {
                self.pool.pop_front();
            }
            let turn = run * 16 + frame as u64;
            // The turn chooses between values at and within the bound.
            let seed = (self.seed & !0xff_ffff) | (turn / 16 + frame as u64) & 0xff_ffff;
            let values = case.values(seed);
            let frame = self.device.send(case, &values)?;
            let ciphertext = self.context.frame(&frame)?;
            self.pool.push_back(Sent {
                values,
                ciphertext,
                dithered: frame.header.dithered,
            });
        }
        Ok(())
    }

    /// Decrypts with the device library, as an owner does.
    fn read(&mut self, output: &Output) -> Result<Vec<f64>> {
        let residues = self.context.residues(&output.ciphertext)?;
        let most = match self.case.set.scheme() {
            Scheme::Ckks => READ,
            Scheme::Bfv => residues.c0.len(),
        };
        let packed = |polynomials: &[Vec<u64>]| -> Vec<u8> {
            let primes = self.case.set.data_primes.iter().take(most);
            let each = polynomials.iter().zip(primes);
            each.flat_map(|(residues, prime)| pack(u64::BITS - prime.leading_zeros(), residues))
                .collect()
        };
        let (c0, c1) = (packed(&residues.c0), packed(&residues.c1));
        let slots: Vec<f64> = match self.case.set.scheme() {
            Scheme::Ckks => {
                // Noise up to 0.4 of the declared bound is never refused (spec/decryption.md, section 2).
                let bound = output.bound.max(output.error / 0.4);
                let bound = bound.log2().ceil().max(-60.0) as i8;
                self.decryptor
                    .decrypt_unauthenticated([&c0, &c1], residues.scale, bound)?
            }
            Scheme::Bfv => {
                let integers = self
                    .decryptor
                    .decrypt_integers_unauthenticated([&c0, &c1])?;
                integers.into_iter().map(f64::from).collect()
            }
        };
        Ok(output.shape.slots().map(|slot| slots[slot]).collect())
    }
}

impl Device {
    fn new(case: &Case, pair: &KeyPair) -> Result<Self> {
        let (set, claims) = (case.set, &case.claims);
        let encoding = match set.scheme() {
            Scheme::Ckks => Encoding {
                log2_scale: set.log2_scale.default,
                log2_bound: claims.bound.log2() as i8,
                claims: FrameClaims::default(),
                chunks: 1,
                suite: Suite::Chacha20,
                accept_label: set.label,
            },
            Scheme::Bfv => Encoding::integers(1, Suite::Chacha20, set.label),
        };
        let blob = match case.key {
            Key::Public => pair.public_blob.as_slice(),
            Key::Secret => pair.secret_ntt_blob.as_slice(),
        };
        Ok(Self {
            encryptor: Encryptor::new(blob, encoding)?,
            key: DeviceKey::random()?,
            sequence: 0,
        })
    }

    /// Encrypts values, and reads the frame as a server does.
    fn send(&mut self, case: &Case, values: &[f64]) -> Result<Frame> {
        let mut sender = Sender {
            device: DEVICE,
            epoch: 1,
            sequence: self.sequence,
            key: self.key.expose(),
        };
        self.sequence += 1;
        let integers: Vec<i32>;
        let values = match case.set.scheme() {
            Scheme::Ckks => Values::Real(values),
            Scheme::Bfv => {
                integers = values.iter().map(|&value| value as i32).collect();
                Values::Signed(&integers)
            }
        };
        let parts = self.encryptor.encrypt_values(values, &mut sender)?;
        receive(&parts, &self.key)
    }
}

struct Verifier<'a>(&'a DeviceKey);

impl Authenticator for Verifier<'_> {
    fn verify(&self, relation: Relation, nonce: &[u8; 24], message: &[u8], tag: &Tag) -> bool {
        matches!(relation, Relation::Device(DEVICE)) && self.0.verify(nonce, message, tag)
    }
}

fn receive(parts: &[Vec<u8>], key: &DeviceKey) -> Result<Frame> {
    let part = |bytes| {
        let envelope = Envelope::read_only(bytes)?;
        envelope.authenticate(&Verifier(key))?.packed_part()
    };
    let parts = parts.iter().map(|bytes| part(bytes));
    let parts = parts.collect::<Result<_, WireError>>()?;
    Ok(PackedFrame::new(parts)?.unpack()?)
}

/// Coefficients of a ternary blob.
fn ternary(blob: &[u8]) -> Vec<i8> {
    let symbols = |byte: &u8| [0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1);
    blob[BLOB_HEADER_BYTES..].iter().flat_map(symbols).collect()
}
