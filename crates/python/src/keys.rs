//! Key pairs.

use std::path::PathBuf;

use isopod_keys::{key_name, NewFolder, Passphrase, Protection};
use isopod_workflow::{EvaluationKeyChoice, JobName, NewDevice, NewKeys, USUAL_SET};
use pyo3::prelude::*;

use crate::error::{raised, refused};
use crate::progress::Callback;
use crate::sets::{by_name, check_label};

/// Keys to be made.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct KeyOptions {
    set: Option<String>,
    devices: Vec<u64>,
    passphrase: Option<String>,
    secret_key_on_device: bool,
    seeded_public_key: bool,
    evaluation_keys: bool,
    job: Option<String>,
    stride: Option<usize>,
    label: String,
}

impl KeyOptions {
    fn keys(&self) -> PyResult<NewKeys> {
        let job = self.job.as_deref().map(job_name).transpose()?;
        let usual = job.map_or(USUAL_SET, JobName::usual_set);
        let set = by_name(self.set.as_deref().unwrap_or(usual))?;
        check_label(set, &self.label)?;
        if self.secret_key_on_device && self.devices.len() != 1 {
            let problem = format!(
                "{} devices; allowed with a secret key is one, since each needs a key pair of its own",
                self.devices.len()
            );
            return Err(refused("devices", problem));
        }
        let shape = EvaluationKeyChoice::of_job(set, job, self.stride).map_err(raised)?;
        let device = |&number: &u64| NewDevice {
            number,
            secret_key: self.secret_key_on_device,
        };
        Ok(NewKeys {
            set,
            seeded_public_key: self.seeded_public_key,
            devices: self.devices.iter().map(device).collect(),
            evaluation: self.evaluation_keys.then_some(shape),
        })
    }
}

/// The job of that name.
fn job_name(name: &str) -> PyResult<JobName> {
    JobName::from_name(name).ok_or_else(|| {
        let names: Vec<_> = JobName::ALL.iter().map(|job| job.name()).collect();
        let problem = format!("{name} is unknown; allowed is one of {}", names.join(", "));
        refused("job", problem)
    })
}

/// The passphrase of a key file.
pub fn passphrase(text: Option<String>) -> Result<Passphrase, isopod_keys::KeysError> {
    Passphrase::new(text.unwrap_or_default())
}

/// Makes keys and their folder, whole or not at all. Gives the name of the key pair, and the bytes of public and evaluation keys.
#[pyfunction]
pub fn keygen(
    py: Python<'_>,
    folder: PathBuf,
    wanted: KeyOptions,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, usize, usize)> {
    let keys = wanted.keys()?;
    py.detach(|| {
        let protection = match wanted.passphrase {
            Some(text) => Protection::Passphrase(passphrase(Some(text)).map_err(raised)?),
            None => Protection::InsecurePlaintext,
        };
        keys.check().map_err(raised)?;
        let new = NewFolder::new(&folder).map_err(raised)?;
        let mut callback = Callback::new(progress);
        let made = keys.write(&new, &protection, &mut |progress| callback.report(progress));
        let made = made.map_err(raised)?;
        callback.finish()?;
        new.publish().map_err(raised)?;
        Ok((
            key_name(&made.key_id),
            made.public_key_bytes,
            made.evaluation_key_bytes,
        ))
    })
}
