//! The memory in a server's folder. It is written before an answer leaves.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::Disk;
use isopod_wire::{FrameId, KeyId};

use super::check::ReplayCheck;
use super::file::MemoryFile;
use super::tables::Failure;
use crate::error::Result;
use crate::files::lock;
use crate::fleet::{enter_all, Revocation, Revoked};
use crate::new_folder::NewFolder;
use crate::record::problem;

/// The file in the server's folder.
pub const REPLAY_FILE: &str = "replay";

/// The memory of frames in a server's folder.
pub struct Replay {
    folder: PathBuf,
    pub(super) file: MemoryFile,
}

impl Replay {
    /// The memory of a server's folder, under this key pair.
    pub fn new(folder: &Path, key_id: KeyId) -> Self {
        Self::on(isopod_disk::system(), folder, key_id)
    }

    /// The memory of a server's folder on a disk.
    pub(super) fn on(disk: Arc<dyn Disk>, folder: &Path, key_id: KeyId) -> Self {
        let path = folder.join(REPLAY_FILE);
        Self {
            folder: folder.to_owned(),
            file: MemoryFile { disk, path, key_id },
        }
    }

    /// Writes an empty memory into `folder` of a new folder. A missing one is refused later: without it, old frames would pass.
    pub(crate) fn save(into: &NewFolder, folder: &str, key_id: KeyId) -> Result<()> {
        let folder = into.building().join(folder);
        Self::new(&folder, key_id).file.make()
    }

    /// A judge of the frames of a request before the work. `again` allows frames that entered an answer to this request before.
    ///
    /// Errors: [`KeysError::Record`](crate::KeysError::Record) for a file that is missing, damaged or another key's;
    /// [`KeysError::File`](crate::KeysError::File).
    pub fn judge(&self, request: [u8; 32], again: bool) -> Result<ReplayCheck> {
        let _lock = self.lock()?;
        ReplayCheck::new(self.file.clone(), self.revoked()?, request, again)
    }

    /// Checks once more and enters the frames, durably: when this returns, the answer may leave. It gives the answer's number,
    /// which no other answer under this key has.
    ///
    /// Errors: those of [`ReplayCheck::check`], also for a frame that occurs twice, and then nothing was entered; those of
    /// [`Replay::judge`].
    pub fn commit(&self, frames: &[FrameId], request: &[u8; 32], again: bool) -> Result<u64> {
        self.commit_all(frames, &[], request, again)
    }

    /// Enters frames like [`Replay::commit`], and with them those of partial states: these were judged when the states were made,
    /// and may be old by now.
    ///
    /// Errors: those of [`Replay::commit`], of [`ReplayCheck::check_entered`] for frames of states.
    pub fn commit_all(
        &self,
        frames: &[FrameId],
        of_states: &[FrameId],
        request: &[u8; 32],
        again: bool,
    ) -> Result<u64> {
        let _lock = self.lock()?;
        self.check_devices([frames, of_states])?;
        self.file.change(|entry| {
            entry.check(frames, request, again)?;
            entry.check_entered(of_states, request, again)?;
            let number = entry.enter(&[frames, of_states].concat(), request)?;
            number.ok_or_else(|| self.refused("no numbers are left"))
        })
    }

    /// Enters the frames of several answers to one request, all or none, and gives the number of the first; the others follow it.
    /// Frames may have entered before: whoever stored them judged how old they were.
    ///
    /// Errors: [`KeysError::Revoked`](crate::KeysError::Revoked); those of [`Replay::judge`].
    pub fn commit_each(&self, answers: &[Vec<FrameId>], request: &[u8; 32]) -> Result<u64> {
        let _lock = self.lock()?;
        self.check_devices(answers.iter().map(Vec::as_slice))?;
        self.file.change(|entry| {
            let mut first = None;
            for frames in answers {
                let number = entry.enter(frames, request)?;
                let number = number.ok_or_else(|| self.refused("no numbers are left"))?;
                first = first.or(Some(number));
            }
            first.ok_or_else(|| self.refused("no answers to enter"))
        })
    }

    /// Revokes devices as [`revoke`](crate::revoke) does.
    pub(super) fn revoke(&self, devices: &[u64], keep_earlier: bool) -> Result<Vec<Revocation>> {
        let _lock = self.lock()?;
        let newest = match keep_earlier {
            true => self.newest(devices)?,
            false => vec![None; devices.len()],
        };
        let entries = devices.iter().zip(newest);
        let entries: Vec<Revocation> = entries
            .map(|(&device, kept)| Revocation { device, kept })
            .collect();
        let disk = self.file.disk.as_ref();
        enter_all(disk, &self.folder, self.file.key_id, &entries)?;
        Ok(entries)
    }

    /// Enters revocations as [`enter_revocations`](crate::enter_revocations) does.
    pub(super) fn enter_revocations(&self, entries: &[Revocation]) -> Result<()> {
        let _lock = self.lock()?;
        let disk = self.file.disk.as_ref();
        enter_all(disk, &self.folder, self.file.key_id, entries)
    }

    /// Epoch and sequence of the newest frame that is known of each device.
    fn newest(&self, devices: &[u64]) -> Result<Vec<Option<(u32, u64)>>> {
        let snapshot = self.file.snapshot(&[0; 32])?;
        let each = devices.iter().map(|&device| snapshot.newest(device));
        let each: std::result::Result<Vec<_>, Failure> = each.collect();
        each.map_err(|failure| self.file.failed(failure))
    }

    fn lock(&self) -> Result<Box<dyn Send + Sync>> {
        lock(self.file.disk.as_ref(), &self.folder)
    }

    fn revoked(&self) -> Result<Revoked> {
        Revoked::read_on(self.file.disk.as_ref(), &self.folder, self.file.key_id)
    }

    fn refused(&self, reason: &str) -> Failure {
        Failure::Refused(problem(&self.file.path, reason))
    }

    /// Refuses frames of devices that are revoked by now.
    fn check_devices<'f>(&self, groups: impl IntoIterator<Item = &'f [FrameId]>) -> Result<()> {
        let revoked = self.revoked()?;
        let frames = groups.into_iter().flatten();
        frames.copied().try_for_each(|frame| revoked.check(frame))
    }
}
