//! Devices that join a key pair, on the owner's side.

use isopod_keys::{DeviceSecret, KeysError, NewFolder, RegisterLock, Revoked};

use crate::progress::{Report, Stage, Steps};
use crate::{Error, Owner, Result};

/// Devices about to join, under the lock of the owner's register: nobody else gives numbers until this is dropped.
pub struct Joining<'a> {
    owner: &'a Owner,
    register: RegisterLock,
    devices: Vec<u64>,
    again: bool,
}

impl Owner {
    /// Prepares to give these numbers; with `again` they were given before, and their folders were lost. `revoked` is the
    /// server's list, if it is at hand.
    ///
    /// # Errors
    /// [`Error::Keys`] for numbers that were given, or with `again` were not, that are revoked, or that occur twice;
    /// [`Error::Parameter`] for a key pair whose secret key a device holds.
    pub fn join(
        &self,
        devices: Vec<u64>,
        again: bool,
        revoked: Option<&Revoked>,
    ) -> Result<Joining<'_>> {
        let register = RegisterLock::open(self.folder(), self.keys().key_id())?;
        let known = register.register();
        if let Some(holder) = known.with_secret_key().first() {
            let problem = format!(
                "device {holder} holds the secret key of this pair, and whoever opens it would read what a new device sends; \
                 allowed is a pair of its own for each, by keygen"
            );
            return Err(Error::parameter("keys", problem));
        }
        for &device in &devices {
            if revoked.is_some_and(|revoked| revoked.get(device).is_some()) {
                return Err(KeysError::RevokedNumber { device }.into());
            }
        }
        match again {
            true => known.check(&devices)?,
            false => devices
                .iter()
                .try_fold(known.clone(), |mut next, &device| {
                    next.give(device, false).map(|()| next)
                })
                .map(drop)?,
        }
        Ok(Joining {
            owner: self,
            register,
            devices,
            again,
        })
    }
}

impl Joining<'_> {
    /// The numbers.
    pub fn devices(&self) -> &[u64] {
        &self.devices
    }

    /// Names of their folders.
    fn names(&self) -> Vec<String> {
        let names = self.devices.iter();
        names.map(|device| format!("device-{device}")).collect()
    }

    /// Writes a folder for each device into a new one, gives the numbers, durably, and moves the folders to where the new one was
    /// to be. What fails before the numbers are given leaves nothing behind; a folder that is missing afterwards is made again.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub fn write(mut self, into: NewFolder, report: &mut Report<'_>) -> Result<()> {
        let (names, into) = (self.names(), into.flushed_together());
        into.check_beside(&names)?;
        let mut steps = Steps::new(report, Stage::MakingKeys, names.len());
        for (&device, name) in self.devices.iter().zip(&names) {
            into.folder(name)?;
            let keys = self.owner.keys().device_keys(device);
            let pad_key = self.owner.keys().pad_key(device);
            keys.save(&into, name, pad_key.as_ref().map(DeviceSecret::Pad))?;
            steps.step();
        }
        into.flush()?;
        if !self.again {
            self.register.give(&self.devices)?;
        }
        Ok(into.publish_beside(&names)?)
    }
}
