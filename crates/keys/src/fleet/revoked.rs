//! The file in the server's folder that says whose frames are refused. It is read anew at every answer, under the folder's lock,
//! so that no answer leaves with a frame of a device that was revoked before.

use std::collections::BTreeMap;
use std::path::Path;

use isopod_disk::{Disk, SystemDisk};
use isopod_wire::{FrameId, KeyId};

use crate::error::{KeysError, Result};
use crate::new_folder::NewFolder;
use crate::record::{self, other_pair, problem, Magic, Numbers};

/// The file in the server's folder.
pub const REVOKED_FILE: &str = "revoked";
const MAGIC: &Magic = b"ISOPODV2";

/// A device that was revoked, and the newest of its frames that are taken still; None if none is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Revocation {
    /// Its number.
    pub device: u64,
    /// Epoch and sequence of the newest frame that is taken.
    pub kept: Option<(u32, u64)>,
}

/// The revoked devices of a key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    key_id: KeyId,
    devices: BTreeMap<u64, Option<(u32, u64)>>,
}

impl Revoked {
    pub(crate) fn new(key_id: KeyId) -> Self {
        Self {
            key_id,
            devices: BTreeMap::new(),
        }
    }

    /// Reads the list in a server's folder.
    ///
    /// Errors: [`KeysError::Record`] for a file that is missing, damaged or another key pair's; [`KeysError::File`].
    pub fn read(folder: &Path, key_id: KeyId) -> Result<Self> {
        Self::read_on(&SystemDisk, folder, key_id)
    }

    /// Reads the list in a server's folder on a disk.
    pub(crate) fn read_on(disk: &dyn Disk, folder: &Path, key_id: KeyId) -> Result<Self> {
        let path = folder.join(REVOKED_FILE);
        let missing = || {
            let why = "missing, and without it frames of revoked devices would pass";
            problem(&path, why)
        };
        let content = record::read(disk, &path, MAGIC)?.ok_or_else(missing)?;
        let revoked = Self::parse(&content);
        let revoked = revoked.ok_or_else(|| problem(&path, "not a list of revoked devices"))?;
        if revoked.key_id != key_id {
            return Err(other_pair(&path, &revoked.key_id, &key_id));
        }
        Ok(revoked)
    }

    /// Writes an empty list into a server's folder on a disk, durably.
    pub(crate) fn make(disk: &dyn Disk, folder: &Path, key_id: KeyId) -> Result<()> {
        let empty = Self::new(key_id).bytes();
        record::write(disk, &folder.join(REVOKED_FILE), MAGIC, &empty)
    }

    /// Writes an empty list into `folder` of a new folder.
    pub(crate) fn save(into: &NewFolder, folder: &str, key_id: KeyId) -> Result<()> {
        Self::make(&SystemDisk, &into.building().join(folder), key_id)
    }

    /// Refuses a frame of a revoked device, but for those that were kept. For frames in a row the last one decides.
    ///
    /// Errors: [`KeysError::Revoked`].
    pub fn check(&self, frame: FrameId) -> Result<()> {
        match self.devices.get(&frame.device) {
            Some(kept) if *kept < Some((frame.epoch, frame.sequence)) => Err(KeysError::Revoked {
                device: frame.device,
                allowed: allowed(*kept),
            }),
            _ => Ok(()),
        }
    }

    /// The revoked devices, ascending.
    pub fn devices(&self) -> impl Iterator<Item = Revocation> + '_ {
        let each = self.devices.iter();
        each.map(|(&device, &kept)| Revocation { device, kept })
    }

    /// The revocation of a device.
    pub fn get(&self, device: u64) -> Option<Revocation> {
        let kept = *self.devices.get(&device)?;
        Some(Revocation { device, kept })
    }

    /// Enters a revocation. One that kept frames may be followed by one that keeps none.
    fn enter(&mut self, entry: Revocation) -> Result<()> {
        let device = entry.device;
        match self.devices.get(&device) {
            Some(None) => Err(KeysError::RevokedBefore { device }),
            Some(Some(_)) if entry.kept.is_some() => Err(KeysError::RevokedBefore { device }),
            _ => {
                self.devices.insert(device, entry.kept);
                Ok(())
            }
        }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.key_id.to_vec();
        for (device, kept) in &self.devices {
            let (epoch, sequence) = kept.unwrap_or_default();
            bytes.extend(device.to_le_bytes());
            bytes.extend(u32::from(kept.is_some()).to_le_bytes());
            bytes.extend(epoch.to_le_bytes());
            bytes.extend(sequence.to_le_bytes());
        }
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let mut revoked = Self::new(numbers.bytes()?);
        while !numbers.0.is_empty() {
            let device = numbers.u64()?;
            let kept = parse_kept(&mut numbers)?;
            let last = revoked.devices.last_key_value();
            if last.is_some_and(|(&last, _)| last >= device) {
                return None;
            }
            revoked.devices.insert(device, kept);
        }
        Some(revoked)
    }
}

/// Epoch and sequence of the newest frame that is taken still, if any is.
fn parse_kept(numbers: &mut Numbers<'_>) -> Option<Option<(u32, u64)>> {
    let keeps = numbers.u32()?;
    let newest = (numbers.u32()?, numbers.u64()?);
    match keeps {
        0 if newest == (0, 0) => Some(None),
        1 => Some(Some(newest)),
        _ => None,
    }
}

fn allowed(kept: Option<(u32, u64)>) -> String {
    match kept {
        None => "no frame of it".to_owned(),
        Some((epoch, sequence)) => {
            format!("its frames up to sequence {sequence} of epoch {epoch}, which were kept")
        }
    }
}

/// Enters devices into the list of a server's folder, all or none, durably; the caller holds the folder's lock.
pub(crate) fn enter_all(
    disk: &dyn Disk,
    folder: &Path,
    key_id: KeyId,
    entries: &[Revocation],
) -> Result<()> {
    let mut revoked = Revoked::read_on(disk, folder, key_id)?;
    for entry in entries {
        revoked.enter(*entry)?;
    }
    let path = folder.join(REVOKED_FILE);
    record::write(disk, &path, MAGIC, &revoked.bytes())
}
