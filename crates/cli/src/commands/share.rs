//! `isopod share`: decryptions that may leave their owner.

use std::path::PathBuf;

use anyhow::{ensure, Context as _, Result};
use clap::{Args, ValueEnum};
use isopod_keys::{OwnerKeys, SharingLedger};
use isopod_share::{Circuit, Encryption, Flooding, Private};
use isopod_wire::{EncryptedResult, Scheme, Sharing};
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::decrypt;
use crate::decryption::Decryption;
use crate::jobs::{read_model, JobName};
use crate::passphrase::PassphraseSource;
use crate::progress;

const EXPLANATION: &str = "An approximate decryption carries traces of the secret key. This command hides them under noise that \
fits the circuit you declare, counts every published result in the key file, and refuses where too little precision is left. The \
circuit is what you allow the server to compute, not what it says: results of another one are not protected.";

/// Arguments of `isopod share`.
#[derive(Debug, Args)]
#[command(after_help = EXPLANATION)]
pub struct Share {
    /// The owner's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Results of `isopod evaluate`
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// The largest standard deviation that the error of a published value may have
    #[arg(long, value_name = "ERROR")]
    pub largest_error: f64,
    /// How many results this key will ever share; declared by the first and fixed from then on
    #[arg(long, default_value_t = 1024)]
    pub queries: u64,
    /// Bits of statistical security, 30 to 64; fixed by the first
    #[arg(long, default_value_t = 30)]
    pub statistical_bits: u8,
    #[command(flatten)]
    pub circuit: Declaration,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

/// What the owner allows a result to be.
#[derive(Debug, Args)]
pub struct Declaration {
    /// The job
    #[arg(long)]
    pub job: JobName,
    /// Most frames in one result
    #[arg(long, default_value_t = 1)]
    pub frames: u32,
    /// Slots added by rotations, a power of two
    #[arg(long, default_value_t = 1)]
    pub stride: u32,
    /// The model of inner, linear and logistic
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,
    /// The scale of the frames is 2 to this [default: the set's]
    #[arg(long)]
    pub scale_bits: Option<u8>,
    /// Under which key the devices encrypt
    #[arg(long, value_enum, default_value_t = KeyOfDevices::Public)]
    pub encryption: KeyOfDevices,
}

/// Under which key the devices encrypt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KeyOfDevices {
    /// The public key
    Public,
    /// The secret key
    Secret,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    job: &'static str,
    statistical_bits: u8,
    queries: u64,
    used: u64,
    values: Vec<Value>,
}

#[derive(Serialize)]
struct Value {
    result: usize,
    slot: usize,
    value: f64,
    error: f64,
}

impl Declaration {
    fn circuit(&self, default_scale: u8) -> Result<Circuit> {
        ensure!(
            self.job != JobName::Sigmoid,
            "--job: sigmoid is not linear, and no bound of its noise is derived; allowed are the linear jobs"
        );
        Ok(Circuit {
            encryption: match self.encryption {
                KeyOfDevices::Public => Encryption::PublicKey,
                KeyOfDevices::Secret => Encryption::SecretKey,
            },
            log2_scale: self.scale_bits.unwrap_or(default_scale),
            frames: self.frames,
            stride: self.stride,
            largest_weight: self.largest_weight()?,
        })
    }

    fn largest_weight(&self) -> Result<Option<f64>> {
        if matches!(self.job, JobName::Sum | JobName::Mean | JobName::Total) {
            return Ok(None);
        }
        let path = self.model.as_ref();
        let path =
            path.with_context(|| format!("--model: missing; {} needs one", self.job.name()))?;
        let weights = read_model(path)?.weights;
        Ok(Some(
            weights
                .iter()
                .fold(0.0, |most, weight| weight.abs().max(most)),
        ))
    }
}

impl Share {
    /// Checks everything, counts, and only then publishes.
    pub fn run(&self) -> Result<Answer> {
        let flooding = Flooding::new(self.statistical_bits, self.queries)?;
        let mut ledger = SharingLedger::open(&self.keys, || self.passphrase.existing())?;
        ensure!(
            ledger.keys().params().rns()?.scheme() == Scheme::Ckks,
            "keys: results of integers are exact and carry no noise to hide; publish what `isopod decrypt` prints"
        );
        let results = self.results(ledger.keys())?;
        let errors = self.slot_errors(ledger.keys(), flooding, &results)?;
        let declared = Sharing {
            statistical_bits: self.statistical_bits,
            queries: self.queries,
            used: 0,
        };
        let count = results.len() as u64;
        ledger.check(declared, count)?;
        let raw = decryptions(ledger.keys(), &results)?;
        ledger.charge(declared, count)?;
        let mut values = Vec::new();
        for (number, (result, raw)) in results.iter().zip(&raw).enumerate() {
            let published = flooding.publish(raw, errors[number], self.largest_error)?;
            let slots = result.slots().zip(published.values);
            values.extend(slots.map(|(slot, value)| Value {
                result: number,
                slot,
                value,
                error: published.error,
            }));
        }
        self.answer(ledger.keys(), values)
    }

    fn results(&self, owner: &OwnerKeys) -> Result<Vec<EncryptedResult>> {
        let results = decrypt::read(&self.input, owner)?;
        ensure!(
            results[0].job == self.circuit.job.name(),
            "--job: {} was declared, but {} holds results of {}; share only what you allowed",
            self.circuit.job.name(),
            self.input.display(),
            results[0].job
        );
        Ok(results)
    }

    /// Of every result, each small enough to be published.
    fn slot_errors(
        &self,
        owner: &OwnerKeys,
        flooding: Flooding,
        results: &[EncryptedResult],
    ) -> Result<Vec<f64>> {
        let circuit = self
            .circuit
            .circuit(owner.params().rns()?.log2_scale.default)?;
        let each = results.iter().map(|result| {
            let error = circuit.slot_error(owner.params().rns()?, self.frame_scale(result))?;
            let error = error / self.divisor();
            flooding.check(error, self.largest_error)?;
            Ok(error)
        });
        each.collect()
    }

    /// A mean is a sum whose scale is multiplied by the number of frames.
    fn divisor(&self) -> f64 {
        if self.circuit.job == JobName::Mean {
            f64::from(self.circuit.frames.max(1))
        } else {
            1.0
        }
    }

    fn frame_scale(&self, result: &EncryptedResult) -> f64 {
        result.scale / self.divisor()
    }

    fn answer(&self, owner: &OwnerKeys, values: Vec<Value>) -> Result<Answer> {
        let sharing = owner.sharing();
        let mut text = String::from("result,slot,value,error\n");
        for Value {
            result,
            slot,
            value,
            error,
        } in &values
        {
            text += &format!("{result},{slot},{value},{error:.3e}\n");
        }
        let facts = Facts {
            file: self.input.display().to_string(),
            set: owner.params().rns()?.name,
            job: self.circuit.job.name(),
            statistical_bits: sharing.statistical_bits,
            queries: sharing.queries,
            used: sharing.used,
            values,
        };
        Answer::new(text, &facts)
    }
}

/// The slots of each result's answer.
fn decryptions(owner: &OwnerKeys, results: &[EncryptedResult]) -> Result<Vec<Private<Vec<f64>>>> {
    let mut decryption = Decryption::new(owner)?;
    let bar = progress::bar("decrypting", results.len() as u64);
    let each = results.iter().map(|result| {
        let values = decryption.values(result);
        bar.inc(1);
        values
    });
    let all = each.collect();
    bar.finish_and_clear();
    all
}
