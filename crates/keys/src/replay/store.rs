//! The file in the server's folder. It is written before an answer leaves, and replaced as a whole.

use std::path::{Path, PathBuf};

use isopod_wire::{FrameId, KeyId};

use super::book::Book;
use crate::error::Result;
use crate::files::{lock, NewFolder};
use crate::record::{self, problem, Magic};

/// The file in the server's folder.
pub const REPLAY_FILE: &str = "replay";
const MAGIC: &Magic = b"ISOPODR2";

/// The memory of frames as it was, beside a request.
pub struct Judge {
    book: Book,
    request: [u8; 32],
    again: bool,
}

impl Judge {
    /// Refuses a frame that is stale or entered an answer to the request before.
    ///
    /// Errors: [`KeysError::Stale`](crate::KeysError::Stale), [`KeysError::Repeated`](crate::KeysError::Repeated).
    pub fn check(&self, frame: FrameId) -> Result<()> {
        self.book.judge(frame, &self.request, self.again)
    }

    /// Refuses a frame of a partial state that entered an answer to the request before; it was judged when the state was made.
    ///
    /// Errors: [`KeysError::Repeated`](crate::KeysError::Repeated).
    pub fn check_entered(&self, frame: FrameId) -> Result<()> {
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
    pub fn judge(&self, request: [u8; 32], again: bool) -> Result<Judge> {
        let _lock = lock(&self.folder)?;
        let book = self.read()?;
        Ok(Judge {
            book,
            request,
            again,
        })
    }

    /// Checks once more and enters the frames, durably: when this returns, the answer may leave. It gives the answer's number,
    /// which no other answer under this key has.
    ///
    /// Errors: those of [`Judge::check`], also for a frame that occurs twice, and then nothing was entered; those of
    /// [`Replay::judge`].
    pub fn commit(&self, frames: &[FrameId], request: &[u8; 32], again: bool) -> Result<u64> {
        self.commit_all(frames, &[], request, again)
    }

    /// Enters frames like [`Replay::commit`], and with them those of partial states: these were judged when the states were made,
    /// and may be old by now.
    ///
    /// Errors: those of [`Replay::commit`], of [`Judge::check_entered`] for frames of states.
    pub fn commit_all(
        &self,
        frames: &[FrameId],
        of_states: &[FrameId],
        request: &[u8; 32],
        again: bool,
    ) -> Result<u64> {
        let _lock = lock(&self.folder)?;
        let mut book = self.read()?;
        book.check(frames, request, again)?;
        for &id in of_states {
            book.check_entered(id, request, again)?;
        }
        let number = book.enter(&[frames, of_states].concat(), request);
        let number = number.ok_or_else(|| problem(&self.path(), "no numbers are left"))?;
        record::write(&self.path(), MAGIC, &book.bytes())?;
        Ok(number)
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
            return Err(problem(&path, "of another key pair"));
        }
        Ok(book)
    }
}
