//! Bytes of a device's folder, once it has numbered a frame.

use crate::record::Record;
use anyhow::{Context as _, Result};
use isopod_device::KeyPair;
use isopod_keys::{reserve, NewFolder, NumberChoice, OwnerKeys};
use isopod_wire::by_name;
use std::fs;

pub const CASE: &str = "device-folder";
const SET: &str = "ckks-4096x2-linear";
/// The longest number.
const DEVICE: u64 = u64::MAX;
const METHOD: &str = "All files of a folder of isopod device add, with the longest number, after isopod encrypt took numbers \
from it; the public key is the fleet's and lies elsewhere.";

/// Measures, and makes the record.
pub fn record() -> Result<Record> {
    let pair = KeyPair::generate(by_name(SET).context("no such set")?)?;
    let owner = OwnerKeys::new(pair.secret_blob.to_vec().into())?;
    let place = tempfile::tempdir()?;
    let new = NewFolder::new(&place.path().join("keys"))?;
    new.folder("device")?;
    owner.device_keys(DEVICE).save(&new, "device", None)?;
    new.publish()?;
    let folder = place.path().join("keys/device");
    reserve(&folder, DEVICE, NumberChoice::default(), 1)?;
    let mut bytes = 0;
    for entry in fs::read_dir(&folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(Record::of_bytes((CASE, SET), bytes, METHOD))
}
