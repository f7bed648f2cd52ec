//! `isopod decrypt`: results to numbers, with the owner's key.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Context as _, Result};
use clap::Args;
use isopod_keys::OwnerKeys;
use isopod_wire::{AnySet, EncryptedResult, Envelope};
use serde::Serialize;

use crate::answer::Answer;
use crate::decryption::Decryption;
use crate::jobs::JobName;
use crate::passphrase::PassphraseSource;
use crate::{progress, tfhe};

const PRIVATE: &str = "Decrypted values are approximate and carry traces of the secret key: keep them, or publish rounded ones \
only. Only results sealed by the server of this key are opened.";

/// Arguments of `isopod decrypt`.
#[derive(Debug, Args)]
#[command(after_help = PRIVATE)]
pub struct Decrypt {
    /// The owner's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Results of `isopod evaluate`
    #[arg(long = "in", value_name = "FILE")]
    pub input: PathBuf,
    /// Answer in CSV, which is also the default
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

/// One decrypted value.
#[derive(Debug, Clone, Serialize)]
pub struct Value {
    /// Number of the result in the file.
    pub result: usize,
    /// Its slot.
    pub slot: usize,
    /// The value.
    pub value: f64,
    /// The sigmoid of a logistic score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    label: &'static str,
    job: String,
    values: Vec<Value>,
}

impl Decrypt {
    /// Authenticates every result, then decrypts.
    pub fn run(&self) -> Result<Answer> {
        let owner = OwnerKeys::open(&self.keys, || self.passphrase.existing())?;
        if let AnySet::Tfhe(_) = owner.params() {
            return tfhe::decrypt::run(self, &owner);
        }
        let results = read(&self.input, &owner)?;
        let job = results[0].job.clone();
        let values = values(&owner, &results)?;
        let text = csv(&values);
        let set = owner.params().rns()?;
        let file = self.input.display().to_string();
        Answer::new(
            text,
            &Facts {
                file,
                set: set.name,
                label: set.label.name(),
                job,
                values,
            },
        )
    }
}

/// The results of a file, authenticated, all of the owner's key and of one job.
pub fn read(path: &Path, owner: &OwnerKeys) -> Result<Vec<EncryptedResult>> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    let (mut results, mut rest) = (Vec::new(), &bytes[..]);
    while !rest.is_empty() {
        let place = || format!("{}: result {}", path.display(), results.len());
        let (envelope, after) = Envelope::read(rest).with_context(place)?;
        let result = envelope
            .authenticate(owner)
            .and_then(|item| item.result())
            .with_context(place)?;
        if (result.key_id, AnySet::Rns(result.params)) != (owner.key_id(), owner.params()) {
            bail!(
                "{}: key: another key pair's; allowed are results of this owner's key",
                place()
            );
        }
        results.push(result);
        rest = after;
    }
    ensure!(
        !results.is_empty(),
        "{}: holds no results; allowed is at least one",
        name()
    );
    ensure!(
        results.iter().all(|result| result.job == results[0].job),
        "{}: job: results of different jobs; allowed is one job per file",
        name()
    );
    Ok(results)
}

/// Every value of every result, in order.
pub fn values(owner: &OwnerKeys, results: &[EncryptedResult]) -> Result<Vec<Value>> {
    let mut decryption = Decryption::new(owner)?;
    let bar = progress::bar("decrypting", results.len() as u64);
    let mut values = Vec::new();
    for (number, result) in results.iter().enumerate() {
        values.extend(one(&mut decryption, number, result)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(values)
}

fn one(decryption: &mut Decryption, number: usize, result: &EncryptedResult) -> Result<Vec<Value>> {
    let values = decryption.values(result)?.into_owner_only();
    let logistic = result.job == JobName::Logistic.name();
    let values = result.slots().zip(values).map(|(slot, value)| Value {
        result: number,
        slot,
        value,
        probability: logistic.then(|| 1.0 / (1.0 + (-value).exp())),
    });
    Ok(values.collect())
}

fn csv(values: &[Value]) -> String {
    let logistic = values
        .first()
        .is_some_and(|value| value.probability.is_some());
    let mut text = String::from(if logistic {
        "result,slot,value,probability\n"
    } else {
        "result,slot,value\n"
    });
    for value in values {
        let tail = value
            .probability
            .map_or(String::new(), |probability| format!(",{probability}"));
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{},{},{}{tail}",
            value.result, value.slot, value.value
        );
    }
    text
}
