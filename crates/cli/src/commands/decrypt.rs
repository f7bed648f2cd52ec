//! `isopod decrypt`: results to numbers, with the owner's key.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use isopod_workflow::{JobName, Opened, Owner, Values};
use serde::Serialize;
use serde_json::Number;

use crate::input;
use crate::output::Output;
use crate::passphrase::PassphraseSource;
use crate::progress::Bars;

const PRIVATE: &str = "Decrypted values are approximate and carry traces of the secret key, however they are rounded: keep them; \
`isopod share` publishes. Only results sealed by the server of this key are opened.";

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
    /// Print CSV, the default
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

/// One decrypted value; its result is numbered from 0 in the file.
#[derive(Serialize)]
#[serde(untagged)]
enum Value {
    Slot {
        result: usize,
        slot: usize,
        value: f64,
        /// The sigmoid of a logistic score.
        #[serde(skip_serializing_if = "Option::is_none")]
        probability: Option<f64>,
    },
    Typed {
        result: usize,
        index: usize,
        of: &'static str,
        value: Number,
    },
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
    pub fn run(&self) -> Result<Output> {
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        let results = input::read(&self.input, |file| owner.read(file))?;
        let mut bars = Bars::default();
        let opened = owner.open_results(&results, &mut |progress| bars.show(progress))?;
        let logistic = results.job() == JobName::Logistic.name();
        let numbered = opened.into_iter().enumerate();
        let facts = Facts {
            file: self.input.display().to_string(),
            set: owner.set().name(),
            label: owner.set().label().name(),
            job: results.job().to_owned(),
            values: numbered
                .flat_map(|(result, opened)| values(result, opened, logistic))
                .collect(),
        };
        Output::new(csv(&facts.values), &facts)
    }
}

fn values(result: usize, opened: Opened, logistic: bool) -> Vec<Value> {
    let real = |(slot, value): (usize, f64)| Value::Slot {
        result,
        slot,
        value,
        probability: logistic.then(|| 1.0 / (1.0 + (-value).exp())),
    };
    let places = opened.places.into_iter();
    match opened.values.into_owner_only() {
        Values::Real(values) => places.zip(values).map(real).collect(),
        Values::Integers(values) => places
            .zip(values.into_iter().map(f64::from))
            .map(real)
            .collect(),
        Values::Typed(values) => places
            .zip(values)
            .map(|(index, (of, value))| Value::Typed {
                result,
                index,
                of: of.name(),
                value: number(value),
            })
            .collect(),
    }
}

/// Every type fits one of the two.
fn number(value: i128) -> Number {
    match u64::try_from(value) {
        Ok(value) => value.into(),
        Err(_) => (value as i64).into(),
    }
}

fn csv(values: &[Value]) -> String {
    let mut text = String::from(match values.first() {
        Some(Value::Typed { .. }) => "result,index,type,value\n",
        Some(Value::Slot {
            probability: Some(_),
            ..
        }) => "result,slot,value,probability\n",
        _ => "result,slot,value\n",
    });
    for value in values {
        // Writing to a String cannot fail.
        let _ = match value {
            Value::Slot {
                result,
                slot,
                value,
                probability,
            } => {
                let tail =
                    probability.map_or(String::new(), |probability| format!(",{probability}"));
                writeln!(text, "{result},{slot},{value}{tail}")
            }
            Value::Typed {
                result,
                index,
                of,
                value,
            } => writeln!(text, "{result},{index},{of},{value}"),
        };
    }
    text
}
