//! The owner's account of linear tags: the period that devices get, and the refusals of each. It is on disk before a refusal is
//! told to anyone, because every refusal tells whoever sees it something about the keys.

use std::path::{Path, PathBuf};

use isopod_disk::SystemDisk;
use isopod_wire::{KeyId, LinearTag};

use crate::error::Result;
use crate::files::lock;
use crate::record::{self, problem, Magic, Numbers};

/// The file in the owner's folder.
pub const LINEAR_ACCOUNT_FILE: &str = "linear";
const MAGIC: &Magic = b"ISOPODL2";
/// Refusals that end a period.
pub const MOST_REFUSALS: u32 = 64;

/// The account of one key pair.
#[derive(Debug, Clone)]
pub struct LinearAccount {
    folder: PathBuf,
    key_id: KeyId,
    /// Whether the caller holds the lock of the folder.
    is_locked: bool,
    /// Every period so far, from 0 on.
    periods: Vec<Period>,
}

/// One period.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Period {
    /// Group of its devices.
    group: u32,
    refusals: u32,
}

impl LinearAccount {
    /// The account in the owner's folder; it begins with period 0.
    ///
    /// Errors: [`KeysError::Record`](crate::KeysError::Record) for a file that is damaged or another key pair's.
    pub fn open(folder: &Path, key_id: KeyId) -> Result<Self> {
        let path = folder.join(LINEAR_ACCOUNT_FILE);
        let periods = match record::read(&SystemDisk, &path, MAGIC)? {
            Some(content) => parse(&content, key_id)
                .ok_or_else(|| problem(&path, "not the linear tags of this key pair"))?,
            None => vec![Period::default()],
        };
        Ok(Self {
            folder: folder.to_owned(),
            key_id,
            is_locked: false,
            periods,
        })
    }

    /// The account in a folder whose lock the caller holds as long as the account.
    ///
    /// Errors: those of [`LinearAccount::open`].
    pub(crate) fn open_locked(folder: &Path, key_id: KeyId) -> Result<Self> {
        Ok(Self {
            is_locked: true,
            ..Self::open(folder, key_id)?
        })
    }

    /// The period of devices that get keys now.
    pub fn period(&self) -> u32 {
        self.periods.len() as u32 - 1
    }

    /// The newest period that a tag may be of.
    pub fn period_of(&self, tag: LinearTag) -> Option<u32> {
        let periods = (0..self.periods.len() as u32).rev();
        let mut recent = periods.take(LinearTag::PERIODS as usize);
        recent.find(|period| period % LinearTag::PERIODS == tag.period())
    }

    /// Group of the devices of a period.
    pub fn group(&self, period: u32) -> u32 {
        self.of(period).group
    }

    /// Refusals of a period.
    pub fn refusals(&self, period: u32) -> u32 {
        self.of(period).refusals
    }

    fn of(&self, period: u32) -> Period {
        let period = self.periods.get(period as usize);
        period.copied().unwrap_or_default()
    }

    /// Whether a period has ended: nothing of it is verified any more.
    pub fn has_ended(&self, period: u32) -> bool {
        self.refusals(period) >= MOST_REFUSALS
    }

    /// Counts a refusal, durably and under a lock.
    ///
    /// Errors: those of [`LinearAccount::open`]; [`KeysError::File`](crate::KeysError::File).
    pub fn refuse(&mut self, period: u32) -> Result<()> {
        self.update(|periods| {
            if let Some(period) = periods.get_mut(period as usize) {
                period.refusals = period.refusals.saturating_add(1);
            }
        })
    }

    /// Begins the next period, of the same group or of a new one, durably and under a lock. No group's secret leads to another.
    ///
    /// Errors: those of [`LinearAccount::refuse`].
    pub fn advance(&mut self, is_new_group: bool) -> Result<()> {
        self.update(|periods| {
            let group = periods.last().map_or(0, |period| period.group);
            periods.push(Period {
                group: group + u32::from(is_new_group),
                refusals: 0,
            });
        })
    }

    fn update(&mut self, change: impl FnOnce(&mut Vec<Period>)) -> Result<()> {
        let _lock = match self.is_locked {
            true => None,
            false => Some(lock(&SystemDisk, &self.folder)?),
        };
        let mut account = Self::open(&self.folder, self.key_id)?;
        change(&mut account.periods);
        let mut content = self.key_id.to_vec();
        for period in &account.periods {
            content.extend(period.group.to_le_bytes());
            content.extend(period.refusals.to_le_bytes());
        }
        let path = self.folder.join(LINEAR_ACCOUNT_FILE);
        record::write(&SystemDisk, &path, MAGIC, &content)?;
        self.periods = account.periods;
        Ok(())
    }
}

/// Every period; None for other bytes.
fn parse(bytes: &[u8], key_id: KeyId) -> Option<Vec<Period>> {
    let mut numbers = Numbers(bytes);
    if numbers.bytes() != Some(key_id) {
        return None;
    }
    let mut periods = Vec::new();
    while !numbers.0.is_empty() {
        let (group, refusals) = (numbers.u32()?, numbers.u32()?);
        periods.push(Period { group, refusals });
    }
    (!periods.is_empty()).then_some(periods)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn refusals_are_counted_on_disk_and_end_their_period() {
        let folder = tempfile::tempdir().unwrap();
        let open = || LinearAccount::open(folder.path(), [1; 16]).unwrap();
        for count in 0..MOST_REFUSALS {
            let mut account = open();
            assert_eq!((account.period(), account.refusals(0)), (0, count));
            assert!(!account.has_ended(0));
            account.refuse(0).unwrap();
        }
        assert!(open().has_ended(0));
        open().advance(false).unwrap();
        assert_eq!((open().period(), open().has_ended(1)), (1, false));
        open().advance(true).unwrap();
        let groups = (0..3).map(|period| open().group(period));
        assert_eq!(groups.collect::<Vec<_>>(), [0, 0, 1]);
        assert!(open().has_ended(0));
    }

    #[test]
    fn two_readers_of_one_folder_count_together() {
        let folder = tempfile::tempdir().unwrap();
        let mut one = LinearAccount::open(folder.path(), [1; 16]).unwrap();
        let mut other = one.clone();
        one.refuse(0).unwrap();
        other.refuse(0).unwrap();
        assert_eq!(other.refusals(0), 2);
    }

    #[test]
    fn a_tag_is_of_one_of_the_last_eight_periods() {
        let folder = tempfile::tempdir().unwrap();
        let mut account = LinearAccount::open(folder.path(), [1; 16]).unwrap();
        assert_eq!(account.period_of(LinearTag::new(1, 5)), None);
        for _ in 0..11 {
            account.advance(false).unwrap();
        }
        assert_eq!(account.period_of(LinearTag::new(11, 5)), Some(11));
        assert_eq!(account.period_of(LinearTag::new(12, 5)), Some(4));
        assert_eq!(account.period_of(LinearTag::new(3, 5)), Some(11));
    }

    #[test]
    fn another_pairs_and_damaged_accounts_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut account = LinearAccount::open(folder.path(), [1; 16]).unwrap();
        account.advance(false).unwrap();
        assert!(LinearAccount::open(folder.path(), [2; 16]).is_err());
        let path = folder.path().join(LINEAR_ACCOUNT_FILE);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
        assert!(LinearAccount::open(folder.path(), [1; 16]).is_err());
    }
}
