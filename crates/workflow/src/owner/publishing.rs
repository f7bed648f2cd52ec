//! Decryptions that may leave their owner: flooded with noise for a declared circuit, and counted in the key file.

use std::io::Read;
use std::path::Path;

use isopod_device::Decryptor;
use isopod_keys::{KeysError, OwnerKeys, Passphrase, SharingLedger};
use isopod_share::{Circuit, Flooding, Private};
use isopod_wire::{EncryptedResult, ParameterSet, Scheme, Sharing};

use crate::owner::decryption;
use crate::progress::{Report, Stage, Steps};
use crate::request::descriptor::{Evaluator, JobName};
use crate::{Error, Result};

/// The circuit that the owner declares. Results of another one are not protected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Declaration {
    /// The job; sigmoid is not linear and cannot be declared.
    pub job: JobName,
    /// Its effect on the frames.
    pub circuit: Circuit,
    /// The largest standard deviation that the error of a published value may have.
    pub largest_error: f64,
}

/// One published value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Published {
    /// Number of the result in its source.
    pub result: usize,
    /// Its slot.
    pub slot: usize,
    /// The value.
    pub value: f64,
    /// Standard deviation of its error.
    pub error: f64,
}

/// The owner's keys, locked for counting.
pub struct Publisher {
    ledger: SharingLedger,
    flooding: Flooding,
}

impl Publisher {
    /// Opens the owner's folder and the count outside of it, and keeps others from counting meanwhile.
    ///
    /// # Errors
    /// The errors of [`SharingLedger::open`]; what `passphrase` returns.
    pub fn open<E: From<KeysError>>(
        (folder, anchors): (&Path, &Path),
        flooding: Flooding,
        passphrase: impl FnOnce() -> std::result::Result<Passphrase, E>,
    ) -> std::result::Result<Self, E> {
        let ledger = SharingLedger::open(folder, anchors, passphrase)?;
        Ok(Self { ledger, flooding })
    }

    /// The owner's keys, with the count.
    pub fn keys(&self) -> &OwnerKeys {
        self.ledger.keys()
    }

    /// Reads the results of a source.
    ///
    /// # Errors
    /// The errors of [`crate::Owner::read`].
    pub fn read(&self, source: impl Read) -> Result<Vec<EncryptedResult>> {
        let keys = self.keys();
        decryption::read(keys, (keys.key_id(), keys.params()), source)?.rns()
    }

    /// Checks everything, counts, and only then gives the values.
    ///
    /// # Errors
    /// [`Error::Share`], [`Error::Keys`] without room in the count, [`Error::Device`]. After an error nothing may be
    /// published.
    pub fn publish(
        &mut self,
        results: &[EncryptedResult],
        declaration: &Declaration,
        report: &mut Report<'_>,
    ) -> Result<Vec<Published>> {
        let errors = self.slot_errors(results, declaration)?;
        let declared = Sharing {
            statistical_bits: self.flooding.statistical_bits(),
            queries: self.flooding.queries(),
            used: 0,
        };
        let count = results.len() as u64;
        self.ledger.check(declared, count)?;
        let raw = decryptions(self.keys(), results, report)?;
        self.ledger.charge(declared, count)?;
        let mut values = Vec::new();
        for (number, (result, raw)) in results.iter().zip(&raw).enumerate() {
            let (error, largest) = (errors[number], declaration.largest_error);
            let published = self.flooding.publish(raw, error, largest)?;
            let slots = result.slots().zip(published.values);
            values.extend(slots.map(|(slot, value)| Published {
                result: number,
                slot,
                value,
                error: published.error,
            }));
        }
        Ok(values)
    }

    /// The set; refuses those whose results carry no noise to hide.
    ///
    /// # Errors
    /// [`Error::Parameter`] for results of integers, [`Error::Wire`] for those of TFHE.
    pub fn check(&self) -> Result<&'static ParameterSet> {
        let set = self.keys().params().rns()?;
        if set.scheme() == Scheme::Ckks {
            return Ok(set);
        }
        let problem = "results of integers are exact and carry no noise to hide; publish what `isopod decrypt` prints";
        Err(Error::parameter("keys", problem))
    }

    /// Error of the slots of each result, all small enough to be published.
    fn slot_errors(&self, results: &[EncryptedResult], declared: &Declaration) -> Result<Vec<f64>> {
        let set = self.check()?;
        declared.check()?;
        let each = results.iter().map(|result| {
            let error = declared
                .circuit
                .slot_error(set, result.scale / declared.divisor())?;
            let error = error / declared.divisor();
            let values = result.grid.values() as usize;
            self.flooding.check(error, declared.largest_error, values)?;
            Ok(error)
        });
        each.collect()
    }
}

impl Declaration {
    fn check(&self) -> Result<()> {
        let why = match self.job {
            JobName::Sigmoid => "is not linear",
            job if job.evaluator() == Some(Evaluator::Lattigo) => "is not linear",
            job if job.is_of_columns() => "adds up rows",
            _ => return Ok(()),
        };
        let problem = format!(
            "{} {why}, and no bound of its noise is derived; allowed are sum, mean, total and scores of linear models",
            self.job.name()
        );
        Err(Error::parameter("job", problem))
    }

    /// Divisor of the scale: a mean is a sum whose scale is multiplied by the number of frames.
    fn divisor(&self) -> f64 {
        match self.job {
            JobName::Mean => f64::from(self.circuit.frames.max(1)),
            _ => 1.0,
        }
    }
}

fn decryptions(
    keys: &OwnerKeys,
    results: &[EncryptedResult],
    report: &mut Report<'_>,
) -> Result<Vec<Private<Vec<f64>>>> {
    let mut steps = Steps::new(report, Stage::Decrypting, results.len());
    let mut decryptor = Decryptor::new(keys.secret_blob())?;
    let each = results.iter().map(|result| {
        let values = decryptor.decrypt(result, None);
        steps.step();
        Ok(values?)
    });
    each.collect()
}
