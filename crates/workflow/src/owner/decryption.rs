//! The owner's side: from results to values, with the secret key.

use std::io::Read;
use std::path::{Path, PathBuf};

use isopod_device::Decryptor;
use isopod_keys::{KeysError, Novelty, OwnerKeys, Passphrase};
use isopod_pad::OwnerPads;
use isopod_share::Private;
use isopod_tfhe::{secret_coefficients, OwnerSecrets};
use isopod_wire::{
    AnySet, Authenticator, EncryptedResult, KeyBlob, KeyId, Scheme, TfheBlob, TfheResult,
};
use zeroize::Zeroizing;

use crate::item_reader::{authenticate, items};
use crate::owner::opening::extreme;
use crate::owner::opening::opened::{self, check_bound, Opened, Values};
use crate::owner::opening::position;
use crate::owner::opening::readings;
use crate::owner::pad_sums::{pad_master, sums};
use crate::progress::{Report, Stage, Steps};
use crate::{Error, Result, Results};

/// An owner's opened folder.
pub struct Owner {
    keys: OwnerKeys,
    folder: PathBuf,
    /// log2 of the unit of readings of CKKS.
    grid: Option<i8>,
}

impl Owner {
    /// Opens the owner's folder; `passphrase` is asked only if the key file is encrypted.
    ///
    /// # Errors
    /// [`KeysError`], or what `passphrase` returns.
    pub fn open<E: From<KeysError>>(
        folder: &Path,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        let keys = OwnerKeys::open(folder, passphrase)?;
        let folder = folder.to_owned();
        Ok(Self {
            keys,
            folder,
            grid: None,
        })
    }

    /// Parameter set of the key pair.
    pub fn set(&self) -> AnySet {
        self.keys.params()
    }

    /// The owner of readings that are multiples of 2^log2_unit: sums of CKKS with linear tags are rounded to this grid and
    /// verified.
    pub fn with_grid(self, log2_unit: i8) -> Self {
        Self {
            grid: Some(log2_unit),
            ..self
        }
    }

    /// log2 of the unit of readings of CKKS.
    pub(crate) fn grid(&self) -> Option<i8> {
        self.grid
    }

    /// The folder that was opened.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Everything the owner holds.
    pub fn keys(&self) -> &OwnerKeys {
        &self.keys
    }

    /// Reads and authenticates the results of a source. All of them are in memory, a residue in eight bytes.
    ///
    /// # Errors
    /// [`Error::At`] names the result: what [`Envelope::read`] refuses, a tag, another key pair; [`Error::NoResults`],
    /// [`Error::Read`]; [`Error::SeveralRuns`], [`Error::Order`], [`Error::Dropped`] and [`Error::Contradiction`] for what is not
    /// one whole evaluation.
    pub fn read(&self, source: impl Read) -> Result<Results> {
        read(&self.keys, (self.keys.key_id(), self.set()), source)
    }

    /// Remembers an answer in the folder, durably, and says whether it is news: the network may bring an old one once more.
    ///
    /// # Errors
    /// [`Error::Keys`] for a memory that cannot be read or written.
    pub fn remember(&self, results: &Results) -> Result<Novelty> {
        let answer = results.provenance();
        let key_id = self.keys.key_id();
        let remembered = isopod_keys::remember(&self.folder, key_id, answer.sequence, answer.run);
        Ok(remembered?)
    }

    /// Opens results, in order, with the code that runs on devices. Those of one frame, an output of a model each, become one.
    /// Results with linear tags are verified.
    ///
    /// # Errors
    /// The errors of [`Owner::open_verified`].
    pub fn open_results(&self, results: &Results, report: &mut Report<'_>) -> Result<Vec<Opened>> {
        Ok(self.open_verified(results, report)?.0)
    }

    /// Opens results without a look at their linear tags.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Tfhe`]; [`Error::Contradiction`] for a value beyond the result's bound, or a manifest that
    /// does not fit its values.
    pub(crate) fn open_unverified(
        &self,
        results: &Results,
        report: &mut Report<'_>,
    ) -> Result<Vec<Opened>> {
        let mut steps = Steps::new(report, Stage::Decrypting, results.count());
        let (outputs, are_of_slots) = (results.outputs(), results.are_of_slots());
        let job = results.job_name();
        match results {
            Results::Rns(results) => {
                let mut decryptor = Decryptor::new(self.keys.secret_blob())?;
                if are_of_slots {
                    return readings::opened(&mut decryptor, results, outputs, &mut steps);
                }
                let each = results.iter().enumerate().map(|(at, result)| {
                    let opened = slots(at, &mut decryptor, result);
                    steps.step();
                    opened
                });
                let each: Vec<Opened> = each.collect::<Result<_>>()?;
                match job.filter(|job| job.is_of_occurrences()) {
                    Some(job) => Ok(vec![extreme::opened(job, each)?]),
                    None => opened::joined(each, outputs),
                }
            }
            Results::Tfhe(results) => {
                let secrets = OwnerSecrets::new(&coefficients(&self.keys)?)?;
                let each = results.iter().enumerate().map(|(at, result)| {
                    let opened = typed(at, &secrets, result);
                    steps.step();
                    opened
                });
                each.collect()
            }
            Results::Pads(results) => {
                let mut pads = OwnerPads::new(pad_master(&self.keys)?);
                let each = results.iter().enumerate().map(|(at, result)| {
                    let opened = sums(at, &mut pads, result);
                    steps.step();
                    opened
                });
                each.collect()
            }
        }
    }
}

pub(crate) fn slots(
    at: usize,
    decryptor: &mut Decryptor,
    result: &EncryptedResult,
) -> Result<Opened> {
    let values = match result.params.scheme() {
        Scheme::Ckks => Values::Real(decryptor.decrypt(result, None)?.into_owner_only()),
        Scheme::Bfv => Values::Integers(decryptor.decrypt_integers(result)?),
    };
    check_bound(at, result, &values)?;
    Ok(Opened {
        places: position::of_slots(at, result)?,
        bound: Some(result.bound),
        error: result.error,
        values: Private::new(values),
    })
}

fn typed(at: usize, secrets: &OwnerSecrets, result: &TfheResult) -> Result<Opened> {
    let values = secrets.decrypt(result)?;
    Ok(Opened {
        places: position::of_values(at, result, &values)?,
        bound: None,
        error: 0.0,
        values: Private::new(Values::Typed(result.schema.types().zip(values).collect())),
    })
}

/// The coefficients of the owner's secret key, each -1, 0 or 1.
///
/// # Errors
/// [`Error::Wire`], [`Error::Tfhe`] for a blob that does not read.
pub fn coefficients(keys: &OwnerKeys) -> Result<Zeroizing<Vec<i8>>> {
    let AnySet::Rns(set) = keys.params() else {
        return Ok(secret_coefficients(&TfheBlob::read(keys.secret_blob())?)?);
    };
    let mut coefficients = Zeroizing::new(Vec::with_capacity(set.ring_degree));
    for byte in KeyBlob::read(keys.secret_blob())?.payload {
        coefficients.extend([0, 2, 4, 6].map(|shift| (byte >> shift & 3) as i8 - 1));
    }
    Ok(coefficients)
}

/// Reads the results of a source that are of this key pair.
pub(crate) fn read(
    keys: &dyn Authenticator,
    own: (KeyId, AnySet),
    source: impl Read,
) -> Result<Results> {
    let results = match own.1 {
        AnySet::Rns(_) => items(source, |envelope| {
            let result = authenticate(envelope, keys, own.0)?.result()?;
            check_own(own, (result.key_id, AnySet::Rns(result.params)))?;
            Ok(result)
        })
        .map(Results::Rns),
        AnySet::Tfhe(_) => items(source, |envelope| {
            let result = authenticate(envelope, keys, own.0)?.tfhe_result()?;
            check_own(own, (result.key_id, AnySet::Tfhe(result.params)))?;
            Ok(result)
        })
        .map(Results::Tfhe),
        AnySet::Pads => items(source, |envelope| {
            let result = authenticate(envelope, keys, own.0)?.pad_result()?;
            check_own(own, (result.key_id, AnySet::Pads))?;
            Ok(result)
        })
        .map(Results::Pads),
    };
    results?.check()
}

fn check_own(own: (KeyId, AnySet), found: (KeyId, AnySet)) -> Result<()> {
    if found == own {
        return Ok(());
    }
    Err(Error::OtherOwner {
        found: found.0,
        wanted: own.0,
    })
}
