//! Items of the wire format from any source, one after the other.

use std::io::Read;

use isopod_wire::{Authentic, Authenticator, Envelope, KeyId, Submission, WireError};

use crate::{Error, Result};

/// Verifies the tag of an item; one that says it is of another key pair is refused with both names.
pub(crate) fn authenticate<'a>(
    envelope: Envelope<'a>,
    keys: &dyn Authenticator,
    wanted: KeyId,
) -> Result<Authentic<Envelope<'a>>> {
    let found = envelope.key_id();
    let authentic = envelope.authenticate(keys);
    authentic.map_err(|error| foreign(error, found, wanted))
}

/// The refusal of an item that names this key pair: of another pair, with both names.
pub(crate) fn foreign(error: WireError, found: KeyId, wanted: KeyId) -> Error {
    match error {
        WireError::Tag | WireError::UnknownContext { .. } if found != wanted => {
            Error::ForeignTag { found, wanted }
        }
        error => error.into(),
    }
}

/// Bytes that are read at a time, at least.
const CHUNK: usize = 1 << 16;

/// A source of items. Holds one item at a time, and bytes read beyond it: at most `most` bytes and one.
pub struct Items<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    position: u64,
    most: usize,
    ended: bool,
}

impl<R: Read> Items<R> {
    /// A reader of items of at most `most` bytes.
    pub fn new(source: R, most: usize) -> Self {
        Self {
            source,
            buffer: Vec::new(),
            start: 0,
            position: 0,
            most,
            ended: false,
        }
    }

    /// The bytes that were read and are no element yet.
    pub(crate) fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Offset of the next item, in bytes.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Applies `take` to the next item; None at the end.
    ///
    /// # Errors
    /// The errors of [`Envelope::read`] and of `take`; [`WireError::Length`] for an item beyond the limit; [`Error::Read`].
    pub fn next<T>(&mut self, take: impl FnOnce(Envelope<'_>) -> Result<T>) -> Result<Option<T>> {
        self.next_bytes(|bytes| take(Envelope::read_only(bytes)?))
    }

    /// Applies `take` to the bytes of the next element, which may be a context or a packet, too; None at the end.
    ///
    /// # Errors
    /// The errors of [`Submission::read`] and of `take`; [`WireError::Length`], [`Error::Read`].
    pub fn next_bytes<T>(&mut self, take: impl FnOnce(&[u8]) -> Result<T>) -> Result<Option<T>> {
        while !self.has_item()? {
            if self.ended {
                return Ok(None);
            }
            self.fill()?;
        }
        let bytes = &self.buffer[self.start..];
        let used = bytes.len() - Submission::read(bytes)?.1.len();
        let taken = take(&bytes[..used])?;
        self.start += used;
        self.position += used as u64;
        Ok(Some(taken))
    }

    /// Whether a whole item is in the buffer.
    fn has_item(&self) -> Result<bool> {
        let bytes = &self.buffer[self.start..];
        if bytes.is_empty() {
            return Ok(false);
        }
        match Submission::read(bytes) {
            Err(WireError::Truncated { .. }) if !self.ended => Ok(false),
            Err(error) => Err(error.into()),
            Ok(_) => Ok(true),
        }
    }

    /// Reads as many bytes again as the buffer holds.
    fn fill(&mut self) -> Result<()> {
        self.buffer.drain(..self.start);
        self.start = 0;
        let before = self.buffer.len();
        if before > self.most {
            let (field, found) = ("item", before as u64);
            let allowed = format!("at most {}", self.most);
            return Err(Error::Wire(WireError::Length {
                field,
                found,
                allowed,
            }));
        }
        let more = before.max(CHUNK).min(self.most + 1 - before) as u64;
        self.source
            .by_ref()
            .take(more)
            .read_to_end(&mut self.buffer)?;
        self.ended = self.buffer.len() == before;
        Ok(())
    }
}

/// Most bytes of any item of the format; the caps of a result itself are far below.
#[cfg(feature = "owner")]
const ITEM_BYTES: usize = 2 << 30;

/// Applies `take` to each result of a source; there is one at least.
#[cfg(feature = "owner")]
pub(crate) fn items<T>(
    source: impl Read,
    take: impl Fn(Envelope<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut items = Items::new(source, ITEM_BYTES);
    let mut taken = Vec::new();
    while let Some(item) = items
        .next(&take)
        .map_err(|error| error.at(format!("result {}", taken.len())))?
    {
        taken.push(item);
    }
    if taken.is_empty() {
        return Err(Error::NoResults);
    }
    Ok(taken)
}
