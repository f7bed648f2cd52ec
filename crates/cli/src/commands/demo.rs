//! `isopod demo`: the whole story on one table of readings, compared with the model in the clear.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{ensure, Context as _, Result};
use clap::Args;
use isopod_seal::{peer, Context};
use isopod_wire::{by_name, AnySet, ParameterSet};
use isopod_workflow::{JobName, Model, Owner, Packing, Readings, Values};
use serde::Serialize;
use serde_json::{Map, Value as Json};
use tempfile::TempDir;

use crate::commands::device::encoding::{EncodingChoice, LayoutName};
use crate::commands::device::encrypt::Encrypt;
use crate::commands::owner::keygen::{EvaluationChoice, Keygen};
use crate::commands::server::evaluate::Evaluate;
use crate::input::jobs::JobChoice;
use crate::input::passphrase::PassphraseSource;
use crate::input::values::{self, Wanted};
use crate::input::{files, text};
use crate::output::escaped;
use crate::output::progress::Bars;
use crate::output::report::Output;
use crate::output::table::list;

/// The set of new keys, and the error of a reading that its frames have.
const SET: &str = "ckks-2048x2-air";
const PRECISION: f64 = 5e-4;
/// The set of slots under which SEAL alone would score the same rows, by rotations.
const SLOTS_SET: &str = "ckks-4096x2-linear";
const SEAL_BYTES: &str = "SEAL's own bytes per row, ckks-4096x2-linear";
const DEVICE: u64 = 1;

/// Arguments of `isopod demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Standardised readings, one row each
    #[arg(
        long,
        value_name = "FILE",
        default_value = "examples/breast-cancer/readings.csv"
    )]
    readings: PathBuf,
    /// Logistic model
    #[arg(
        long,
        value_name = "FILE",
        default_value = "examples/breast-cancer/model.json"
    )]
    model: PathBuf,
    /// No reading is larger than 2 to this
    #[arg(long, default_value_t = 2, allow_hyphen_values = true, value_parser = clap::value_parser!(i8).range(-20..=40))]
    bound_bits: i8,
    /// A folder of `isopod keygen` [default: new keys]
    #[arg(long, value_name = "DIR")]
    keys: Option<PathBuf>,
    /// Frames (*.bin) that a device encrypted under these keys, in the order of the readings [default: encrypt here]
    #[arg(long, value_name = "DIR", requires = "keys")]
    frames: Option<PathBuf>,
    /// Facts about the device for the table: a JSON object of names and values
    #[arg(long, value_name = "FILE", requires = "frames")]
    device_report: Option<PathBuf>,
    #[command(flatten)]
    passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    set: &'static str,
    rows: usize,
    equal_predictions: usize,
    largest_score_error: f64,
    encrypted_by: &'static str,
    frames: usize,
    bytes_per_row: f64,
    seal_bytes_per_row: f64,
    float32_bytes_per_row: usize,
    result_bytes: u64,
    device: Map<String, Json>,
}

impl Demo {
    /// Tells the story and fails if a prediction differs.
    pub fn run(&self) -> Result<Output> {
        let place = TempDir::new()?;
        let facts = self.story(place.path())?;
        let output = Output::new(text(&facts), &facts)?;
        ensure!(
            facts.equal_predictions == facts.rows,
            "predictions: {} of {} equal those of the model in the clear; allowed is all of them",
            facts.equal_predictions,
            facts.rows
        );
        Ok(output)
    }

    fn story(&self, place: &Path) -> Result<Facts> {
        let model = files::model(&self.model)?;
        let readings = values::real(&self.readings, Wanted::default())?.readings;
        let keys = self.keys(place)?;
        let frames = self.frames(place, &keys)?;
        say("3/4 the server computes scores, without any key that decrypts");
        let results = place.join("results.bin");
        let result_bytes = self.evaluate(&keys, &frames, &results)?;
        say("4/4 the owner decrypts the scores");
        let (set, scores) = self.scores(&keys.join("owner"), &results)?;
        let mut facts = self.facts(set.rns()?, &readings, &frames)?;
        facts.compare(&model, &readings, &scores)?;
        facts.result_bytes = result_bytes;
        Ok(facts)
    }

    fn keys(&self, place: &Path) -> Result<PathBuf> {
        if let Some(folder) = &self.keys {
            say(&format!("1/4 keys from {}", escaped::path(folder)));
            return Ok(folder.clone());
        }
        say("1/4 the owner makes keys");
        let out = place.join("keys");
        let keygen = Keygen {
            set: Some(SET.to_owned()),
            bound_bits: self.bound_bits,
            out: out.clone(),
            devices: vec![DEVICE],
            evaluation: EvaluationChoice {
                purpose: Some(JobName::Logistic),
                ..EvaluationChoice::default()
            },
            insecure_plaintext_key: true,
            ..Keygen::default()
        };
        keygen.run().map(|_| out)
    }

    fn frames(&self, place: &Path, keys: &Path) -> Result<Vec<PathBuf>> {
        if let Some(folder) = &self.frames {
            say(&format!(
                "2/4 frames that the device encrypted, from {}",
                escaped::path(folder)
            ));
            return files::in_folder(folder);
        }
        say("2/4 no frames of a device were given: this machine encrypts, with the code that runs on devices");
        let out = place.join("frames.bin");
        let encrypt = Encrypt {
            keys: keys.join(format!("device-{DEVICE}")),
            values: self.readings.clone(),
            out: out.clone(),
            model: Some(self.model.clone()),
            standardised: true,
            encoding: EncodingChoice {
                bound_bits: self.bound_bits,
                precision: Some(PRECISION),
                ..EncodingChoice::default()
            },
            ..Encrypt::default()
        };
        encrypt.run().map(|_| vec![out])
    }

    /// Computes the scores and gives the bytes of all results.
    fn evaluate(&self, keys: &Path, frames: &[PathBuf], out: &Path) -> Result<u64> {
        let evaluate = Evaluate {
            keys: keys.join("server"),
            choice: JobChoice {
                job: Some(JobName::Logistic),
                model: Some(self.model.clone()),
                ..JobChoice::default()
            },
            again: true,
            input: frames.to_vec(),
            out: out.to_owned(),
            strict: true,
            ..Evaluate::default()
        };
        evaluate.run()?;
        file_bytes(out)
    }

    /// The scores of all results, in order, and the owner's set.
    fn scores(&self, owner: &Path, results: &Path) -> Result<(AnySet, Vec<f64>)> {
        let owner = Owner::open(owner, || self.passphrase.existing())?;
        let results = files::read(results, |file| owner.read(file))?;
        let mut bars = Bars::default();
        let opened = owner.open_results(&results, &mut |progress| bars.show(progress))?;
        let mut scores = Vec::new();
        for opened in opened {
            if let Values::Real(values) = opened.values.into_owner_only() {
                scores.extend(values);
            }
        }
        Ok((owner.set(), scores))
    }

    /// Facts but the comparison with the clear.
    fn facts(
        &self,
        set: &'static ParameterSet,
        readings: &Readings<f64>,
        frames: &[PathBuf],
    ) -> Result<Facts> {
        let rows = readings.rows.len();
        let columns = readings.columns.len();
        let packing = match LayoutName::of(None, set) {
            LayoutName::Rounded => Packing::dense(columns, set.ring_degree, None)?,
            _ => Packing::new(columns, set.slots(), None)?,
        };
        let frame_count = rows.div_ceil(packing.rows);
        let sent: u64 = frames
            .iter()
            .map(|path| file_bytes(path))
            .sum::<Result<u64>>()?;
        let seal = seal_bytes(rows, columns)?;
        Ok(Facts {
            set: set.name,
            rows,
            equal_predictions: 0,
            largest_score_error: 0.0,
            encrypted_by: if self.frames.is_some() {
                "device"
            } else {
                "this machine"
            },
            frames: frame_count,
            bytes_per_row: sent as f64 / rows as f64,
            seal_bytes_per_row: seal as f64 / rows as f64,
            float32_bytes_per_row: 4 * columns,
            result_bytes: 0,
            device: self.device_report()?,
        })
    }

    fn device_report(&self) -> Result<Map<String, Json>> {
        let Some(path) = &self.device_report else {
            return Ok(Map::new());
        };
        let text = text::text(path)?;
        serde_json::from_str(&text)
            .with_context(|| format!("{}: allowed is a JSON object", path.display()))
    }
}

impl Facts {
    fn compare(&mut self, model: &Model, readings: &Readings<f64>, scores: &[f64]) -> Result<()> {
        ensure!(
            scores.len() == self.rows,
            "scores: {} for {} rows; allowed is one each",
            scores.len(),
            self.rows
        );
        for (&score, row) in scores.iter().zip(&readings.rows) {
            let clear = model.outputs[0].score(row);
            self.equal_predictions += usize::from((score > 0.0) == (clear > 0.0));
            self.largest_score_error = self.largest_score_error.max((score - clear).abs());
        }
        Ok(())
    }
}

/// Bytes of the ciphertexts under which SEAL alone would send these rows.
fn seal_bytes(rows: usize, columns: usize) -> Result<usize> {
    let set = by_name(SLOTS_SET).context("no such set")?;
    let packing = Packing::new(columns, set.slots(), None)?;
    let each = peer::serialized_sizes(&Context::for_set(set)?)?.public_key;
    Ok(each * rows.div_ceil(packing.rows))
}

fn file_bytes(path: &Path) -> Result<u64> {
    Ok(std::fs::metadata(path)
        .with_context(|| path.display().to_string())?
        .len())
}

/// A step of the story, on standard error.
fn say(step: &str) {
    // The story goes on where standard error is closed.
    let _ = writeln!(std::io::stderr(), "{step}");
}

fn text(facts: &Facts) -> String {
    let rows = [
        ("parameter set", facts.set.to_owned()),
        ("rows encrypted, scored, decrypted", facts.rows.to_string()),
        (
            "predictions equal to the clear",
            format!("{} of {}", facts.equal_predictions, facts.rows),
        ),
        (
            "largest error of a score",
            format!("{:.6}", facts.largest_score_error),
        ),
        ("encrypted by", facts.encrypted_by.to_owned()),
        ("frames", facts.frames.to_string()),
        ("bytes sent per row", format!("{:.0}", facts.bytes_per_row)),
        (
            "bytes of its readings as float32",
            facts.float32_bytes_per_row.to_string(),
        ),
        (SEAL_BYTES, format!("{:.0}", facts.seal_bytes_per_row)),
        ("bytes of all results", facts.result_bytes.to_string()),
    ];
    let mut rows = rows.map(|(name, value)| (name.to_owned(), value)).to_vec();
    let device = facts.device.iter().map(|(name, value)| {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (format!("device: {}", name.replace('_', " ")), value)
    });
    rows.extend(device);
    list(&rows)
}
