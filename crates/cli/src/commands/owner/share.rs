//! `isopod share`: decryptions that may leave their owner.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{ensure, Context as _, Result};
use clap::{Args, ValueEnum};
use isopod_eval::rounded_up;
use isopod_share::{Circuit, Encryption, Flooding};
use isopod_workflow::{Declaration, JobName, Published, Publisher};
use serde::Serialize;

use crate::input::files;
use crate::input::jobs::job_name;
use crate::input::passphrase::PassphraseSource;
use crate::output::progress::Bars;
use crate::output::report::Output;

const EXPLANATION: &str = "An approximate decryption carries traces of the secret key. This command hides them under noise that \
fits the circuit you declare, counts every published result in the key file, and refuses where too little precision is left. The \
circuit is what you allow the server to compute, not what it says: results of another one are not protected. The count is kept \
once more outside of the folder, in $XDG_STATE_HOME/isopod or ~/.local/state/isopod, so that an old copy of the folder is \
refused on this machine; on another machine it is not.";

const LIMIT: &str = "NOTE: THE COUNT HOLDS ON THIS MACHINE ONLY. A copy of the owner's folder on another machine, or for \
another user, counts for itself, and the protection of the key is lost: publish from one machine.";

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
    pub circuit: CircuitChoice,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

/// The circuit that the owner declares.
#[derive(Debug, Args)]
pub struct CircuitChoice {
    /// The job
    #[arg(long, value_parser = job_name())]
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
    /// log2 of the frames' scale [default: the set's]
    #[arg(long)]
    pub scale_bits: Option<u8>,
    /// Key that the devices encrypt under
    #[arg(long, value_enum, default_value_t = KeyOfDevices::Public)]
    pub encryption: KeyOfDevices,
}

/// Key that the devices encrypt under.
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

impl Share {
    /// Checks everything, counts, and only then publishes.
    pub fn run(&self) -> Result<Output> {
        let flooding = Flooding::new(self.statistical_bits, self.queries)?;
        let anchors = anchors()?;
        let mut publisher = Publisher::open((&self.keys, &anchors), flooding, || {
            self.passphrase.existing()
        })?;
        let set = publisher.check()?;
        let results = files::read(&self.input, |file| publisher.read(file))?;
        ensure!(
            results[0].provenance.job == self.circuit.job.name(),
            "--job: {} was declared, but {} holds results of {}; share only what you allowed",
            self.circuit.job.name(),
            self.input.display(),
            results[0].provenance.job
        );
        let declaration = Declaration {
            job: self.circuit.job,
            circuit: self.circuit.circuit(set.log2_scale.default)?,
            largest_error: self.largest_error,
        };
        let mut bars = Bars::default();
        let published =
            publisher.publish(&results, &declaration, &mut |progress| bars.show(progress))?;
        // A closed standard error changes nothing.
        let _ = writeln!(std::io::stderr(), "{LIMIT}");
        self.output(&publisher, &published)
    }

    fn output(&self, publisher: &Publisher, published: &[Published]) -> Result<Output> {
        let sharing = publisher.keys().sharing();
        let values = published.iter().map(|published| Value {
            result: published.result,
            slot: published.slot,
            value: published.value,
            error: published.error,
        });
        let facts = Facts {
            file: self.input.display().to_string(),
            set: publisher.keys().params().name(),
            job: self.circuit.job.name(),
            statistical_bits: sharing.statistical_bits,
            queries: sharing.queries,
            used: sharing.used,
            values: values.collect(),
        };
        let mut text = String::from("result,slot,value,error\n");
        for Value {
            result,
            slot,
            value,
            error,
        } in &facts.values
        {
            let error = rounded_up(*error, 3);
            text += &format!("{result},{slot},{value},{error}\n");
        }
        Output::new(text, &facts)
    }
}

/// The folder that keeps the count outside of the owner's folder.
pub fn anchors() -> Result<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let home = variable("HOME").map(|home| home.join(".local/state"));
    let state = variable("XDG_STATE_HOME").into_iter().chain(home);
    let state = state.into_iter().find(|folder| folder.is_absolute());
    let state = state.context("XDG_STATE_HOME and HOME: neither is an absolute path; allowed is one that is, for the count")?;
    Ok(state.join("isopod").join("published"))
}

impl CircuitChoice {
    fn circuit(&self, default_scale: u8) -> Result<Circuit> {
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
        let without = [
            JobName::Sum,
            JobName::Mean,
            JobName::Total,
            JobName::Sigmoid,
            JobName::Network,
            JobName::Forest,
            JobName::Classify,
            JobName::Variance,
            JobName::Covariance,
        ];
        if without.contains(&self.job) || self.job.is_of_columns() {
            return Ok(None);
        }
        let path = self.model.as_ref();
        let path =
            path.with_context(|| format!("--model: missing; {} needs one", self.job.name()))?;
        let outputs = files::model(path)?.outputs;
        let weights = outputs.iter().flat_map(|output| &output.weights);
        let largest = weights.fold(0.0, |most: f64, weight| weight.abs().max(most));
        Ok(Some(largest))
    }
}
