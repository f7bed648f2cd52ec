//! A device's state on this machine: the epoch of its folder and the next sequence, reserved before anything is encrypted.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{KeysError, Result};
use crate::files::lock;
use crate::record::{self, problem, Magic, Numbers};
use isopod_disk::SystemDisk;

/// The file in the device's folder.
pub const STATE_FILE: &str = "state";
const MAGIC: &Magic = b"ISOPODS2";

/// Numbers of frames that nobody else is given: an epoch, and `first`, `first` + 1, ...
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserved {
    /// Epoch of the frames.
    pub epoch: u32,
    /// Sequence of the first.
    pub first: u64,
}

/// Numbers that the caller wants in place of the next ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NumberChoice {
    /// Epoch, not below the present one.
    pub epoch: Option<u32>,
    /// Sequence of the first frame, not below the next one of the epoch.
    pub sequence: Option<u64>,
}

/// Reserves the numbers of `frames` frames of a device, durably and under a lock. A folder begins with an epoch from the clock,
/// so that one that is made again does not repeat the old one's; from then on its sequence goes on and on.
///
/// Errors: [`KeysError::Used`], [`KeysError::Exhausted`]; [`KeysError::Record`] for a file that is damaged or another device's;
/// [`KeysError::File`]. The state is unchanged then.
pub fn reserve(folder: &Path, device: u64, wanted: NumberChoice, frames: u64) -> Result<Reserved> {
    let _lock = lock(&SystemDisk, folder)?;
    let path = folder.join(STATE_FILE);
    let held = match record::read(&SystemDisk, &path, MAGIC)? {
        Some(content) => Some(parse(&path, &content, device)?),
        None => None,
    };
    let reserved = choose(held, wanted)?;
    let first = reserved.first;
    let next = first.checked_add(frames);
    let next = next.ok_or(KeysError::Exhausted {
        found: first,
        frames,
    })?;
    let content = [
        &device.to_le_bytes()[..],
        &reserved.epoch.to_le_bytes(),
        &next.to_le_bytes(),
    ];
    record::write(&SystemDisk, &path, MAGIC, &content.concat())?;
    Ok(reserved)
}

/// The epoch and the next sequence of a device.
fn parse(path: &Path, content: &[u8], device: u64) -> Result<Reserved> {
    let mut numbers = Numbers(content);
    let mut read = || Some((numbers.u64()?, numbers.u32()?, numbers.u64()?));
    let read = read().filter(|_| content.len() == 20);
    match read.ok_or_else(|| problem(path, "not a device's state"))? {
        (found, epoch, first) if found == device => Ok(Reserved { epoch, first }),
        (found, ..) => Err(problem(
            path,
            &format!("the state of device {found}; allowed is that of device {device}"),
        )),
    }
}

fn choose(held: Option<Reserved>, wanted: NumberChoice) -> Result<Reserved> {
    let held = match held {
        Some(held) => held,
        None => Reserved {
            epoch: wanted.epoch.map_or_else(now, Ok)?,
            first: 0,
        },
    };
    let epoch = wanted.epoch.unwrap_or(held.epoch);
    at_least("epoch", epoch.into(), held.epoch.into())?;
    let least = if epoch == held.epoch { held.first } else { 0 };
    let first = wanted.sequence.unwrap_or(least);
    at_least("sequence", first, least)?;
    Ok(Reserved { epoch, first })
}

fn at_least(field: &'static str, found: u64, least: u64) -> Result<()> {
    if found >= least {
        return Ok(());
    }
    Err(KeysError::Used {
        field,
        found,
        least,
    })
}

/// Seconds of the clock.
fn now() -> Result<u32> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since
        .ok()
        .and_then(|since| u32::try_from(since.as_secs()).ok());
    seconds.ok_or(KeysError::Clock)
}
