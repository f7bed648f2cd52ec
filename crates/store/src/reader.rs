//! Readers of a log, each with a file of its own.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::sync::Arc;

use isopod_wire::{FrameId, KeyId};

use crate::error::{Result, StoreError};
use crate::record::{Head, Kind, HEAD};
use crate::segments::{check_begin, BEGIN};
use crate::shared::Shared;
use crate::Position;

/// A frame that was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Position of its record.
    pub position: Position,
    /// Key pair.
    pub key_id: KeyId,
    /// Name of the frame.
    pub id: FrameId,
    /// Time of arrival in milliseconds since 1970, never before that of an earlier frame.
    pub received: u64,
    /// All parts of the frame.
    pub bytes: Vec<u8>,
}

/// Frames in the order in which they were stored. Ends at the last flush; another call of `next` goes on when there are more.
pub struct Frames {
    shared: Arc<Shared>,
    at: Position,
    open: Option<Open>,
    wanted: Box<dyn FnMut(&Head) -> bool + Send>,
}

struct Open {
    base: Position,
    path: PathBuf,
    file: File,
}

impl Frames {
    pub(crate) fn new(shared: Arc<Shared>, at: Position) -> Self {
        let wanted = Box::new(|_: &Head| true);
        Self {
            shared,
            at,
            open: None,
            wanted,
        }
    }

    /// Leaves out frames by their header; their bytes are not read.
    pub fn filter_by(mut self, wanted: impl FnMut(&Head) -> bool + Send + 'static) -> Self {
        self.wanted = Box::new(wanted);
        self
    }

    /// The position from which a reader goes on that begins anew.
    pub fn position(&self) -> Position {
        self.at
    }

    /// Headers of the frames with their positions, in place of them.
    pub(crate) fn heads(mut self) -> impl Iterator<Item = Result<(Position, Head)>> {
        std::iter::from_fn(move || self.head().transpose())
    }

    /// The next header of a frame, and where its record begins; the reader stands behind it.
    fn head(&mut self) -> Result<Option<(Position, Head)>> {
        loop {
            if !self.find()? {
                return Ok(None);
            }
            let position = self.at;
            let mut bytes = [0; HEAD];
            let at = self.read(position, &mut bytes)?;
            let Some(head) = Head::read(&bytes) else {
                return Err(self.damaged(at, "not a record"));
            };
            self.at += head.record_bytes();
            if head.kind != Kind::Deleted && (self.wanted)(&head) {
                return Ok(Some((position, head)));
            }
        }
    }

    /// Opens the segment of the position; false at the end of the log. Goes on behind segments that were removed.
    fn find(&mut self) -> Result<bool> {
        let end = self.shared.end();
        let files = self.shared.segments.files();
        let here = files.range(..=self.at).next_back();
        let next = here.or_else(|| files.iter().next());
        let Some((base, path)) = next.map(|(base, path)| (*base, path.clone())) else {
            return Ok(false);
        };
        drop(files);
        self.at = self.at.max(base + BEGIN);
        if self.at >= end {
            return Ok(false);
        }
        if self.open.as_ref().is_none_or(|open| open.base != base) {
            let mut file = match File::open(&path) {
                Ok(file) => file,
                // Retention took it between the look and the opening.
                Err(error)
                    if error.kind() == std::io::ErrorKind::NotFound && self.is_gone(base) =>
                {
                    return self.find()
                }
                Err(error) => return Err(StoreError::file(&path)(error)),
            };
            check_begin(&path, base, &mut file)?;
            self.open = Some(Open { base, path, file });
        }
        Ok(true)
    }

    fn is_gone(&self, base: Position) -> bool {
        !self.shared.segments.files().contains_key(&base)
    }

    /// Reads bytes at a position; the offset of them in their file.
    fn read(&self, position: Position, bytes: &mut [u8]) -> Result<u64> {
        let Some(open) = &self.open else {
            return Ok(0);
        };
        let at = position - open.base;
        match open.file.read_exact_at(bytes, at) {
            Ok(()) => Ok(at),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                Err(StoreError::damaged(&open.path, at, "the file ends early"))
            }
            Err(error) => Err(StoreError::file(&open.path)(error)),
        }
    }

    fn damaged(&self, at: u64, problem: &'static str) -> StoreError {
        match &self.open {
            Some(open) => StoreError::damaged(&open.path, at, problem),
            None => StoreError::Broken,
        }
    }

    fn frame(&mut self) -> Result<Option<Stored>> {
        let Some((position, head)) = self.head()? else {
            return Ok(None);
        };
        let mut bytes = vec![0; head.length as usize];
        let at = self.read(position + HEAD as u64, &mut bytes)?;
        if !head.verifies(&bytes) {
            return Err(self.damaged(at - HEAD as u64, "its checksum does not match"));
        }
        Ok(Some(Stored {
            position,
            key_id: head.key_id,
            id: head.id,
            received: head.received,
            bytes,
        }))
    }
}

impl Iterator for Frames {
    type Item = Result<Stored>;

    fn next(&mut self) -> Option<Self::Item> {
        self.frame().transpose()
    }
}
