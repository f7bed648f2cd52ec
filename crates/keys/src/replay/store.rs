//! The file in the server's folder. It is written before an answer leaves, and replaced as a whole.

use std::path::{Path, PathBuf};

use isopod_wire::{FrameId, KeyId};

use super::book::Book;
use crate::error::Result;
use crate::files::lock;
use crate::fleet::Revoked;
use crate::new_folder::NewFolder;
use crate::record::{self, other_pair, problem, Magic};

/// The file in the server's folder.
pub const REPLAY_FILE: &str = "replay";
const MAGIC: &Magic = b"ISOPODR2";

/// The memory of frames as it was, beside a request.
pub struct ReplayCheck {
    book: Book,
    revoked: Revoked,
    request: [u8; 32],
    again: bool,
    stored: bool,
}

impl ReplayCheck {
    /// The judge of frames from a store that judged their age as they came.
    pub fn of_stored(mut self) -> Self {
        self.stored = true;
        self
    }

    /// Refuses a frame that is stale, entered an answer to the request before, or is of a revoked device.
    ///
    /// Errors: [`KeysError::Stale`](crate::KeysError::Stale), [`KeysError::Repeated`](crate::KeysError::Repeated),
    /// [`KeysError::Revoked`](crate::KeysError::Revoked).
    pub fn check(&self, frame: FrameId) -> Result<()> {
        if self.stored {
            return self.check_entered(frame);
        }
        self.revoked.check(frame)?;
        self.book.judge(frame, &self.request, self.again)
    }

    /// Refuses a frame of a partial state that entered an answer to the request before, or is of a device that was revoked since;
    /// how old it may be was judged when the state was made.
    ///
    /// Errors: [`KeysError::Repeated`](crate::KeysError::Repeated), [`KeysError::Revoked`](crate::KeysError::Revoked).
    pub fn check_entered(&self, frame: FrameId) -> Result<()> {
        self.revoked.check(frame)?;
        self.book.check_entered(frame, &self.request, self.again)
    }
}

/// The memory of frames in a server's folder.
pub struct Replay {
    folder: PathBuf,
    key_id: KeyId,
}

impl Replay {
    /// The memory of a server's folder, under this key pair.
    pub fn new(folder: &Path, key_id: KeyId) -> Self {
        Self {
            folder: folder.to_owned(),
            key_id,
        }
    }

    /// Writes an empty memory into `folder` of a new folder. A missing one is refused later: without it, old frames would pass.
    pub(crate) fn save(into: &NewFolder, folder: &str, key_id: KeyId) -> Result<()> {
        let bytes = record::bytes(MAGIC, &Book::new(key_id).bytes());
        into.write(&format!("{folder}/{REPLAY_FILE}"), &bytes)
    }

    /// A judge of the frames of a request before the work. `again` allows frames that entered an answer to this request before.
    ///
    /// Errors: [`KeysError::Record`](crate::KeysError::Record) for a file that is missing, damaged or another key's;
    /// [`KeysError::File`](crate::KeysError::File).
    pub fn judge(&self, request: [u8; 32], again: bool) -> Result<ReplayCheck> {
        let _lock = lock(&self.folder)?;
        Ok(ReplayCheck {
            book: self.read()?,
            revoked: Revoked::read(&self.folder, self.key_id)?,
            request,
            again,
            stored: false,
        })
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
        let _lock = lock(&self.folder)?;
        self.check_devices(frames)?;
        self.check_devices(of_states)?;
        let mut book = self.read()?;
        book.check(frames, request, again)?;
        for &id in of_states {
            book.check_entered(id, request, again)?;
        }
        let number = self.numbered(book.enter(&[frames, of_states].concat(), request))?;
        record::write(&self.path(), MAGIC, &book.bytes())?;
        Ok(number)
    }

    /// Enters the frames of several answers to one request, all or none, and gives the number of the first; the others follow it.
    /// Frames may have entered before: whoever stored them judged how old they were.
    ///
    /// Errors: [`KeysError::Revoked`](crate::KeysError::Revoked); those of [`Replay::judge`].
    pub fn commit_each(&self, answers: &[Vec<FrameId>], request: &[u8; 32]) -> Result<u64> {
        let _lock = lock(&self.folder)?;
        for frames in answers {
            self.check_devices(frames)?;
        }
        let mut book = self.read()?;
        let mut first = None;
        for frames in answers {
            let number = self.numbered(book.enter(frames, request))?;
            first = first.or(Some(number));
        }
        let first = first.ok_or_else(|| problem(&self.path(), "no answers to enter"))?;
        record::write(&self.path(), MAGIC, &book.bytes())?;
        Ok(first)
    }

    /// Epoch and sequence of the newest frame that is known of each device. It takes no lock: the file is replaced as a whole.
    pub fn newest(&self, devices: &[u64]) -> Result<Vec<Option<(u32, u64)>>> {
        let book = self.read()?;
        let each = devices.iter().map(|&device| book.newest(device));
        Ok(each.collect())
    }

    fn numbered(&self, number: Option<u64>) -> Result<u64> {
        number.ok_or_else(|| problem(&self.path(), "no numbers are left"))
    }

    /// Refuses frames of devices that are revoked by now.
    fn check_devices(&self, frames: &[FrameId]) -> Result<()> {
        let revoked = Revoked::read(&self.folder, self.key_id)?;
        frames.iter().try_for_each(|&frame| revoked.check(frame))
    }

    fn path(&self) -> PathBuf {
        self.folder.join(REPLAY_FILE)
    }

    fn read(&self) -> Result<Book> {
        let path = self.path();
        let missing = || {
            problem(
                &path,
                "missing, and without it old frames would pass as new",
            )
        };
        let content = record::read(&path, MAGIC)?.ok_or_else(missing)?;
        let book = Book::parse(&content);
        let book = book.ok_or_else(|| problem(&path, "not a memory of frames"))?;
        if book.key_id != self.key_id {
            return Err(other_pair(&path, &book.key_id, &self.key_id));
        }
        Ok(book)
    }
}
