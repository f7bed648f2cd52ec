//! `isopod server-keys`: a server's evaluation keys, made anew from the owner's key.

use std::path::PathBuf;

use anyhow::{ensure, Result};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::Args;
use isopod_lattigo::{Size, SIZES};
use isopod_wire::AnySet;
use isopod_workflow::{EvaluationKeyChoice, Owner};
use serde::Serialize;

use crate::commands::owner::keygen::EvaluationChoice;
use crate::input::passphrase::PassphraseSource;
use crate::keys::label::LabelChoice;
use crate::keys::large_ring::program;
use crate::output::escaped;
use crate::output::new_file::{check_apart, NewFile};
use crate::output::progress::Bars;
use crate::output::report::Output;
use crate::output::table::hex;

const USE: &str = "For a server that shall do more than its keys allow, or that lost them: put the file into the server's folder \
as evaluation.keys. Devices, frames and the server's memory stay as they are. With --size: keys with which a server bootstraps \
merged frames, a folder of gigabytes; a call that was interrupted goes on where it ended.";

/// The program that makes keys of a large ring.
const KEYS_PROGRAM: &str = "isopod-deep-keys";

/// Arguments of `isopod server-keys`.
#[derive(Debug, Args)]
#[command(after_help = USE)]
pub struct ServerKeys {
    /// The owner's folder
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    #[command(flatten)]
    pub evaluation: EvaluationChoice,
    /// Keys of the large ring of this size, with which merged frames are bootstrapped; --out is then a folder
    #[arg(long, value_name = "SIZE", value_parser = size(),
          conflicts_with_all = ["rotations", "purpose", "stride", "relinearization", "force"])]
    pub size: Option<Size>,
    /// Folder of the programs that `make deep` builds [default: that of this program]
    #[arg(long, value_name = "DIR", requires = "size")]
    pub programs: Option<PathBuf>,
    /// File of evaluation keys to write; - for standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
    #[command(flatten)]
    pub label: LabelChoice,
}

fn size() -> impl TypedValueParser<Value = Size> {
    let names = Size::all().map(|size| PossibleValue::new(size.name).hide(!SIZES.contains(&size)));
    PossibleValuesParser::new(names)
        .try_map(|name| Size::by_name(&name).ok_or("allowed are the sizes of --help"))
}

#[derive(Serialize)]
struct LargeRingFacts {
    folder: String,
    size: &'static str,
    label: String,
    parameters: String,
    keys: String,
    key: String,
}

#[derive(Serialize)]
struct Facts {
    file: String,
    set: &'static str,
    key: String,
    rotations: Vec<i32>,
    relinearization: bool,
    bytes: usize,
}

impl ServerKeys {
    fn shape(&self, set: AnySet) -> Result<EvaluationKeyChoice> {
        self.label.check(set)?;
        let shape = self.evaluation.shape(set)?;
        isopod_workflow::check_server_keys(set)?;
        Ok(shape)
    }

    /// Writes the file, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        check_apart(&self.out, [self.keys.as_path()])?;
        let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
        if let Some(size) = &self.size {
            return self.large_ring(&owner, size);
        }
        let set = owner.set();
        let shape = self.shape(set)?;
        let file = NewFile::new(&self.out, self.force)?;
        let bytes = owner.evaluation_keys(&shape)?.unwrap_or_default();
        ensure!(
            !bytes.is_empty(),
            "set {}: needs no evaluation keys for that; allowed are sets and jobs that rotate, multiply or bootstrap",
            set.name()
        );
        file.publish_with(&bytes)?;
        let facts = Facts {
            file: self.out.display().to_string(),
            set: set.name(),
            key: hex(&owner.keys().key_id()),
            rotations: shape.rotations,
            relinearization: shape.relinearization,
            bytes: bytes.len(),
        };
        Ok(Output::new(facts.text(), &facts)?.beside(&self.out))
    }

    /// Writes the folder of a large ring, or goes on with it.
    fn large_ring(&self, owner: &Owner, size: &Size) -> Result<Output> {
        let program = program(self.programs.as_deref(), KEYS_PROGRAM)?;
        let mut bars = Bars::default();
        let made = owner.large_ring_keys(&program, size, &self.out, &mut |progress| {
            bars.show(progress);
        })?;
        drop(bars);
        let facts = LargeRingFacts {
            folder: self.out.display().to_string(),
            size: size.name,
            label: made.label,
            parameters: hex(&made.parameters),
            keys: hex(&made.set),
            key: hex(&owner.keys().key_id()),
        };
        Output::new(facts.text(), &facts)
    }
}

impl LargeRingFacts {
    fn text(&self) -> String {
        format!(
            "{}: keys of {} ({}); key {}, keys {}\n",
            escaped::text(&self.folder),
            self.size,
            self.label,
            self.key,
            self.keys
        )
    }
}

impl Facts {
    fn text(&self) -> String {
        format!(
            "{}: evaluation keys of {} bytes; key {} of set {}\n",
            escaped::text(&self.file),
            self.bytes,
            self.key,
            self.set
        )
    }
}
