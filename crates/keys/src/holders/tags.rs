//! Linear tags of several owners (`spec/owners.md`, section 7): who answers what is verified, and the keys of one of them.

use std::path::Path;

use isopod_disk::SystemDisk;
use isopod_wire::KeyId;
use zeroize::Zeroizing;

use crate::error::Result;
use crate::holders::keys::HolderKeys;
use crate::linear::secrets::{LinearMaster, LinearSecrets};
use crate::record::{self, problem, Magic, Numbers};

/// The file in a holder's folder.
const TAGS_FILE: &str = "tags";
const MAGIC: &Magic = b"ISOPODT2";

/// The agreement of holders whose answers are verified.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HolderTags {
    /// Number of the holder who verifies.
    pub verifier: u8,
    /// Numbers of all who answer, ascending, the verifier among them.
    pub answering: Vec<u8>,
    /// The period that it began with. Pads of earlier ones stay secret: they may be those of a verifier.
    pub since: u32,
}

impl HolderTags {
    /// Number of a holder among the files of a device, from 1: the verifier's is the first.
    pub fn part(&self, holder: u8) -> u8 {
        let before = |&&other: &&u8| other != self.verifier && other < holder;
        match holder == self.verifier {
            true => 1,
            false => 2 + self.answering.iter().filter(before).count() as u8,
        }
    }

    /// The secrets that a holder gives a device in a period.
    pub fn secrets(
        &self,
        keys: &HolderKeys,
        device: u64,
        (group, period): (u32, u32),
    ) -> LinearSecrets {
        LinearSecrets {
            part: self.part(keys.holder),
            parts: self.answering.len() as u8,
            ..keys.linear_master().secrets(group, device, period)
        }
    }

    /// The agreement in a holder's folder; None if there is none.
    pub(crate) fn read(folder: &Path, key_id: KeyId) -> Result<Option<Self>> {
        let path = folder.join(TAGS_FILE);
        let Some(content) = record::read(&SystemDisk, &path, MAGIC)? else {
            return Ok(None);
        };
        let parsed = parse(&content, key_id);
        parsed
            .map(Some)
            .ok_or_else(|| problem(&path, "not the tags of this key"))
    }

    /// Keeps the agreement in a holder's folder, durably. The caller holds its lock.
    pub(crate) fn keep(&self, folder: &Path, key_id: KeyId) -> Result<()> {
        let since = self.since.to_le_bytes();
        let content = [&key_id[..], &since, &[self.verifier], &self.answering].concat();
        record::write(&SystemDisk, &folder.join(TAGS_FILE), MAGIC, &content)
    }
}

/// None for other bytes.
fn parse(bytes: &[u8], key_id: KeyId) -> Option<HolderTags> {
    let mut numbers = Numbers(bytes);
    if numbers.bytes() != Some(key_id) {
        return None;
    }
    let since = numbers.u32()?;
    let (&verifier, answering) = numbers.0.split_first()?;
    let tags = HolderTags {
        verifier,
        answering: answering.to_vec(),
        since,
    };
    (tags.answering.contains(&verifier) && tags.answering.is_sorted_by(|a, b| a < b))
        .then_some(tags)
}

impl HolderKeys {
    /// The holder's own key of linear tags.
    pub fn linear_master(&self) -> LinearMaster {
        let identity = self.identity.text();
        let payload = Zeroizing::new([&self.fingerprint[..], identity.as_bytes()].concat());
        LinearMaster::of_payload(&payload)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn parts_are_numbered_from_the_verifier_on() {
        let tags = HolderTags {
            verifier: 4,
            answering: vec![1, 4, 7],
            since: 0,
        };
        assert_eq!([4, 1, 7].map(|holder| tags.part(holder)), [1, 2, 3]);
    }

    #[test]
    fn another_keys_and_damaged_agreements_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let read = |key| HolderTags::read(folder.path(), [key; 16]);
        assert_eq!(read(1).unwrap(), None);
        let tags = HolderTags {
            verifier: 3,
            answering: vec![2, 3],
            since: 9,
        };
        tags.keep(folder.path(), [1; 16]).unwrap();
        assert_eq!(read(1).unwrap(), Some(tags));
        assert!(read(2).is_err());
        for content in [&[2, 1, 3][..], &[3, 3, 2], &[]] {
            let content = [&[1; 16][..], &[0; 4], content].concat();
            assert_eq!(parse(&content, [1; 16]), None);
        }
    }
}
