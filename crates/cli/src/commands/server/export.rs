//! `isopod export`: files that any SEAL from 3.7 to 4.4 loads.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure, Result};
use clap::Args;
use isopod_keys::NewFolder;
use isopod_linear::{Machine, Ring};
use isopod_seal::{Ciphertext, Context};
use isopod_wire::{AnySet, EncryptedResult, ParameterSet};
use isopod_workflow::{coefficients, Owner, Server};
use serde::Serialize;

use crate::input::files;
use crate::input::passphrase::PassphraseSource;
use crate::output::escaped;
use crate::output::new_folder::new_folder;
use crate::output::report::Output;

const CONTENTS: &str = "The folder gets parameters.seal (EncryptionParameters), ciphertext-<number>.seal and contents.json, \
which says what each is; with the owner's choice also secret-key.seal. Files are uncompressed, version 3.7. Values of rounded \
coefficients are coefficients of the plaintext, times the scale. Sets of two primes whose name ends with -air have an unused \
last prime, which SEAL's own limit of bits counts: load them with sec_level_type::none.";

/// Arguments of `isopod export`.
#[derive(Debug, Args)]
#[command(after_help = CONTENTS)]
pub struct Export {
    /// The server's folder for frames, the owner's for results and the secret key
    #[arg(long, value_name = "DIR")]
    pub keys: PathBuf,
    /// Files of frames
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub frames: Vec<PathBuf>,
    /// A file of results; needs the owner's folder
    #[arg(long, value_name = "FILE", conflicts_with = "frames")]
    pub results: Option<PathBuf>,
    /// Write the secret key too, in the clear: whoever reads the file reads all results; needs the owner's folder
    #[arg(long, conflicts_with = "frames")]
    pub insecure_secret_key: bool,
    /// Folder to make
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub passphrase: PassphraseSource,
}

#[derive(Serialize)]
struct Facts {
    folder: String,
    set: &'static str,
    ciphertexts: Vec<Entry>,
    secret_key: bool,
}

#[derive(Serialize)]
struct Entry {
    file: String,
    /// Slots that hold values; none where coefficients do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    slots: Vec<usize>,
    /// Coefficients of the plaintext that hold values; nothing is known of others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    coefficients: Vec<usize>,
    scale: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender: Option<Sender>,
}

#[derive(Serialize)]
struct Sender {
    device: u64,
    epoch: u32,
    sequence: u64,
}

/// Contents of the folder.
struct Contents {
    set: &'static ParameterSet,
    context: Context,
    ciphertexts: Vec<(Ciphertext, Entry)>,
}

impl Export {
    /// Writes the folder, whole or not at all.
    pub fn run(&self) -> Result<Output> {
        let owner = self.owner()?;
        let contents = match &owner {
            Some(owner) => self.results_of(owner)?,
            None => self.frames_of(&Server::open(&self.keys)?)?,
        };
        let (_unfinished, new) = new_folder(&self.out)?;
        let secret_key = owner.filter(|_| self.insecure_secret_key);
        let facts = self.write(&new, contents, secret_key.as_ref())?;
        new.publish()?;
        Output::new(text(&facts), &facts)
    }

    /// The owner, if results or the secret key are asked for.
    fn owner(&self) -> Result<Option<Owner>> {
        if self.results.is_some() || self.insecure_secret_key {
            let owner = Owner::open(&self.keys, || self.passphrase.existing())?;
            return Ok(Some(owner));
        }
        ensure!(
            !self.frames.is_empty(),
            "--frames: missing; give --frames, --results or --insecure-secret-key"
        );
        Ok(None)
    }

    fn frames_of(&self, server: &Server) -> Result<Contents> {
        let set = seal_set(server.set())?;
        let context = Context::for_set(set)?;
        let mut ciphertexts = Vec::new();
        for frame in files::frames(&self.frames, server)? {
            let frame = frame.rns()?;
            let id = frame.header.id;
            let entry = Entry {
                file: name(ciphertexts.len()),
                slots: match frame.header.rounding {
                    None => (0..frame.header.count as usize).collect(),
                    Some(_) => Vec::new(),
                },
                coefficients: frame.header.sent().collect(),
                scale: f64::from(frame.header.log2_scale).exp2(),
                sender: Some(Sender {
                    device: id.device,
                    epoch: id.epoch,
                    sequence: id.sequence,
                }),
            };
            ciphertexts.push((context.frame(&frame)?, entry));
        }
        Ok(Contents {
            set,
            context,
            ciphertexts,
        })
    }

    fn results_of(&self, owner: &Owner) -> Result<Contents> {
        let set = seal_set(owner.set())?;
        let context = Context::for_set(set)?;
        let mut ciphertexts = Vec::new();
        let results = match &self.results {
            Some(path) => files::read(path, |file| owner.read(file)?.rns())?,
            None => Vec::new(),
        };
        for result in results {
            let used = result.slots().collect();
            let (slots, coefficients) = match result.rounded {
                None => (used, Vec::new()),
                Some(_) => (Vec::new(), used),
            };
            let entry = Entry {
                file: name(ciphertexts.len()),
                slots,
                coefficients,
                scale: result.scale,
                sender: None,
            };
            ciphertexts.push((ciphertext(&context, set, &result)?, entry));
        }
        Ok(Contents {
            set,
            context,
            ciphertexts,
        })
    }

    fn write(&self, new: &NewFolder, contents: Contents, secret: Option<&Owner>) -> Result<Facts> {
        let context = contents.context;
        new.write("parameters.seal", &context.export_parameters())?;
        if let Some(owner) = secret {
            write_secret_key(new, &context, owner)?;
        }
        let mut entries = Vec::new();
        for (ciphertext, entry) in contents.ciphertexts {
            new.write(&entry.file, &context.export(&ciphertext)?)?;
            entries.push(entry);
        }
        let facts = Facts {
            folder: folder(&self.out),
            set: contents.set.name,
            ciphertexts: entries,
            secret_key: secret.is_some(),
        };
        new.write("contents.json", &serde_json::to_vec_pretty(&facts)?)?;
        Ok(facts)
    }
}

fn ciphertext(
    context: &Context,
    set: &'static ParameterSet,
    result: &EncryptedResult,
) -> Result<Ciphertext> {
    if result.rounded.is_none() {
        return Ok(context.result(result)?);
    }
    let ring = Ring::new(set, result.primes(), Machine::best())?;
    let [c0, c1] = ring.answer(result)?;
    Ok(context.ciphertext(&c0, &c1, result.scale)?)
}

fn write_secret_key(new: &NewFolder, context: &Context, owner: &Owner) -> Result<()> {
    let image = context.export_secret_key(&coefficients(owner.keys())?)?;
    Ok(new.write("secret-key.seal", &image)?)
}

/// A set that SEAL knows.
fn seal_set(set: AnySet) -> Result<&'static ParameterSet> {
    match set {
        AnySet::Rns(set) => Ok(set),
        AnySet::Tfhe(set) if set.message_bits == 1 => bail!(
            "set {}: SEAL has no TFHE; `isopod export-tfhepp` writes the arrays of TFHEpp",
            set.name
        ),
        AnySet::Pads => bail!("set pads: SEAL has no pads; allowed are sets of CKKS or BFV"),
        AnySet::Tfhe(set) => bail!(
            "set {}: SEAL has no TFHE; `isopod evaluate` computes on its frames with tfhe-rs, and the crate isopod-tfhe gives \
             programs of one's own tfhe-rs's ciphertexts",
            set.name
        ),
    }
}

fn folder(path: &Path) -> String {
    path.display().to_string()
}

fn name(number: usize) -> String {
    format!("ciphertext-{number}.seal")
}

fn text(facts: &Facts) -> String {
    let key = if facts.secret_key {
        " and the SECRET KEY, IN THE CLEAR"
    } else {
        ""
    };
    format!(
        "{}: {} ciphertext(s) of set {}{key}, for SEAL 3.7 to 4.4\n",
        escaped::text(&facts.folder),
        facts.ciphertexts.len(),
        facts.set
    )
}
