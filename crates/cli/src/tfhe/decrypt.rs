//! TFHE results to numbers, with the owner's key. No engine is needed.

use std::fmt::Write;

use anyhow::{bail, ensure, Context as _, Result};
use isopod_keys::OwnerKeys;
use isopod_tfhe::OwnerSecrets;
use isopod_wire::{Envelope, TfheResult};
use serde::Serialize;

use crate::answer::Answer;
use crate::commands::decrypt::Decrypt;

#[derive(Serialize)]
struct Value {
    result: usize,
    index: usize,
    of: &'static str,
    value: serde_json::Number,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    label: &'static str,
    job: String,
    values: Vec<Value>,
}

/// Authenticates every result, then decrypts.
pub fn run(arguments: &Decrypt, owner: &OwnerKeys) -> Result<Answer> {
    let set = owner.params().tfhe()?;
    let results = read(arguments, owner)?;
    let secrets = OwnerSecrets::new(&super::coefficients(owner)?)?;
    let (mut values, mut text) = (Vec::new(), String::from("result,index,type,value\n"));
    for (number, result) in results.iter().enumerate() {
        let decrypted = secrets
            .decrypt(result)?
            .into_iter()
            .zip(result.schema.types());
        for (index, (value, of)) in decrypted.enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{number},{index},{},{value}", of.name());
            values.push(Value {
                result: number,
                index,
                of: of.name(),
                value: json(value),
            });
        }
    }
    let facts = Facts {
        file: arguments.input.display().to_string(),
        set: set.name,
        label: set.label.name(),
        job: results[0].job.clone(),
        values,
    };
    Answer::new(text, &facts)
}

/// Every type fits one of the two.
fn json(value: i128) -> serde_json::Number {
    match u64::try_from(value) {
        Ok(value) => value.into(),
        Err(_) => (value as i64).into(),
    }
}

fn read(arguments: &Decrypt, owner: &OwnerKeys) -> Result<Vec<TfheResult>> {
    let name = arguments.input.display().to_string();
    let bytes = std::fs::read(&arguments.input).with_context(|| name.clone())?;
    let (mut results, mut rest) = (Vec::new(), &bytes[..]);
    while !rest.is_empty() {
        let place = || format!("{name}: result {}", results.len());
        let (envelope, after) = Envelope::read(rest).with_context(place)?;
        let result = envelope
            .authenticate(owner)
            .and_then(|item| item.tfhe_result());
        let result: TfheResult = result.with_context(place)?;
        if (result.key_id, result.params) != (owner.key_id(), owner.params().tfhe()?) {
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
        "{name}: holds no results; allowed is at least one"
    );
    Ok(results)
}
