//! The file in the owner's folder that says which device numbers were given. A number stands for one key, so it is given once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use isopod_disk::SystemDisk;
use isopod_wire::KeyId;

use super::numbers::DeviceNumbers;
use crate::error::{KeysError, Result};
use crate::files::lock;
use crate::new_folder::NewFolder;
use crate::record::{self, other_pair, problem, Magic, Numbers};

/// The file in the owner's folder.
pub const REGISTER_FILE: &str = "devices";
const MAGIC: &Magic = b"ISOPODD2";

/// Numbers of the devices of a key pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Register {
    key_id: KeyId,
    given: DeviceNumbers,
    secret: BTreeSet<u64>,
}

impl Register {
    /// A register without devices.
    pub fn new(key_id: KeyId) -> Self {
        Self {
            key_id,
            given: DeviceNumbers::default(),
            secret: BTreeSet::new(),
        }
    }

    /// Reads the register in an owner's folder.
    ///
    /// Errors: [`KeysError::Record`] for a file that is missing or damaged; [`KeysError::File`].
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(REGISTER_FILE);
        let missing = || {
            let why = "missing, and without it a number could be given twice";
            problem(&path, why)
        };
        let content = record::read(&SystemDisk, &path, MAGIC)?.ok_or_else(missing)?;
        Self::parse(&content).ok_or_else(|| problem(&path, "not a register of devices"))
    }

    /// Writes the register into `folder` of a new folder.
    ///
    /// Errors: [`KeysError::File`].
    pub fn save(&self, into: &NewFolder, folder: &str) -> Result<()> {
        into.write(&format!("{folder}/{REGISTER_FILE}"), &self.file())
    }

    /// The bytes of the file.
    pub(crate) fn file(&self) -> Vec<u8> {
        record::bytes(MAGIC, &self.bytes())
    }

    /// Gives a number, to a device that holds the secret key too or to one that does not.
    ///
    /// Errors: [`KeysError::DeviceGiven`].
    pub fn give(&mut self, device: u64, secret_key: bool) -> Result<()> {
        if !self.given.insert(device) {
            return Err(KeysError::DeviceGiven { device });
        }
        if secret_key {
            self.secret.insert(device);
        }
        Ok(())
    }

    /// Refuses numbers that were never given.
    ///
    /// Errors: [`KeysError::DeviceUnknown`].
    pub fn check(&self, devices: &[u64]) -> Result<()> {
        let unknown = devices.iter().find(|&&device| !self.given.contains(device));
        unknown.map_or(Ok(()), |&device| {
            let given = self.given.to_string();
            Err(KeysError::DeviceUnknown { device, given })
        })
    }

    /// Name of the key pair.
    pub fn key_id(&self) -> KeyId {
        self.key_id
    }

    /// The numbers that were given.
    pub fn given(&self) -> &DeviceNumbers {
        &self.given
    }

    /// Devices that hold the secret key too.
    pub fn with_secret_key(&self) -> &BTreeSet<u64> {
        &self.secret
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.key_id.to_vec();
        self.given.write(&mut bytes);
        bytes.extend(self.secret.iter().flat_map(|device| device.to_le_bytes()));
        bytes
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(bytes);
        let mut register = Self::new(numbers.bytes()?);
        register.given = DeviceNumbers::parse(&mut numbers)?;
        while !numbers.0.is_empty() {
            let device = numbers.u64()?;
            let given = register.given.contains(device);
            if !(given && register.secret.insert(device)) {
                return None;
            }
        }
        Some(register)
    }
}

/// The register of an owner's folder, locked, so that nobody else gives numbers meanwhile.
pub struct RegisterLock {
    register: Register,
    path: PathBuf,
    _lock: Box<dyn Send + Sync>,
}

impl RegisterLock {
    /// Reads and locks the register of this key pair.
    ///
    /// Errors: those of [`Register::read`], and [`KeysError::Record`] for another key pair's.
    pub fn open(folder: &Path, key_id: KeyId) -> Result<Self> {
        let _lock = lock(&SystemDisk, folder)?;
        let register = Register::read(folder)?;
        let path = folder.join(REGISTER_FILE);
        if register.key_id != key_id {
            return Err(other_pair(&path, &register.key_id, &key_id));
        }
        Ok(Self {
            register,
            path,
            _lock,
        })
    }

    /// The register as it is.
    pub fn register(&self) -> &Register {
        &self.register
    }

    /// Gives numbers, all or none, durably: when this returns, they are taken.
    ///
    /// Errors: those of [`Register::give`]; [`KeysError::File`], and then nothing changed.
    pub fn give(&mut self, devices: &[u64]) -> Result<()> {
        let mut register = self.register.clone();
        for &device in devices {
            register.give(device, false)?;
        }
        record::write(&SystemDisk, &self.path, MAGIC, &register.bytes())?;
        self.register = register;
        Ok(())
    }
}
