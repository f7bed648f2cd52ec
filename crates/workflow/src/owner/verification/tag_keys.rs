//! Keys of linear tags for devices (`spec/verify.md`, section 2).

use std::path::Path;

use isopod_keys::{DeviceKeys, LinearAccount};

use crate::owner::decryption::Owner;
use crate::{Error, Result};

/// The period that devices get keys of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagPeriodChoice {
    /// The present one.
    Present,
    /// The next one, of the same group.
    Next,
    /// The next one, with secrets that follow from no earlier ones.
    NewGroup,
}

impl TagPeriodChoice {
    /// The choice of who may ask for the next period, or for a new group, which begins one, too.
    pub fn new(is_next_period: bool, is_new_group: bool) -> Self {
        match (is_new_group, is_next_period) {
            (true, _) => Self::NewGroup,
            (false, true) => Self::Next,
            (false, false) => Self::Present,
        }
    }
}

/// A period, and the group of its devices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TagPeriod {
    /// The group.
    pub group: u32,
    /// The period.
    pub period: u32,
}

impl TagPeriod {
    /// The period of an account, begun if that is chosen.
    ///
    /// # Errors
    /// [`Error::Keys`].
    pub(crate) fn chosen(account: &mut LinearAccount, choice: TagPeriodChoice) -> Result<Self> {
        if choice != TagPeriodChoice::Present {
            account.advance(choice == TagPeriodChoice::NewGroup)?;
        }
        let period = account.period();
        let group = account.group(period);
        Ok(Self { group, period })
    }
}

impl Owner {
    /// Writes `linear.key` into the folders `device-ID` of `folder`, after a look into all of them.
    ///
    /// # Errors
    /// [`Error::Parameter`] for a set without linear tags and for the folder of another device; [`Error::Keys`].
    pub fn give_tag_keys(
        &self,
        folder: &Path,
        devices: &[u64],
        choice: TagPeriodChoice,
    ) -> Result<TagPeriod> {
        let master = self.keys().linear_master();
        let none = || {
            Error::parameter(
                "keys",
                "a set without linear tags; allowed are sets of BFV and CKKS",
            )
        };
        let (master, key_id) = (master.ok_or_else(none)?, self.keys().key_id());
        let of = |device: u64| folder.join(format!("device-{device}"));
        for &device in devices {
            let found = DeviceKeys::open(&of(device))?;
            if (found.key_id(), found.device()) != (key_id, device) {
                let problem = format!("{} is of another device or key pair", of(device).display());
                return Err(Error::parameter("devices", problem));
            }
        }
        let mut account = LinearAccount::open(self.folder(), key_id)?;
        let TagPeriod { group, period } = TagPeriod::chosen(&mut account, choice)?;
        for &device in devices {
            let secrets = master.secrets(group, device, period);
            secrets.save(&of(device), key_id, device)?;
        }
        Ok(TagPeriod { group, period })
    }
}
