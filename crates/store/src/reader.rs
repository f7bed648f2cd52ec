//! Readers of a log, each with a file of its own.

use std::sync::Arc;

use isopod_wire::{FrameId, KeyId};

use crate::error::{Result, StoreError};
use crate::record::{Head, Kind};
use crate::segments::records::{Gap, Records, Step};
use crate::segments::BEGIN;
use crate::shared::Shared;
use crate::Position;

/// Bytes of headers that are read at a time.
const CHUNK: usize = 4096;

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
/// Damage that concerns the frames that are asked for is an error in their place, [`StoreError::Lost`], behind which the reader
/// goes on.
pub struct Frames {
    shared: Arc<Shared>,
    at: Position,
    open: Option<Records>,
    wanted: Box<dyn FnMut(&Head) -> bool + Send>,
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

    /// Headers of the frames with their positions, in place of them. Those that cannot be read are left out.
    pub(crate) fn heads(mut self) -> impl Iterator<Item = Result<(Position, Head)>> {
        let heads = std::iter::from_fn(move || self.head().transpose());
        heads.filter(|head| !matches!(head, Err(StoreError::Lost(_))))
    }

    /// The next header of a frame, and where its record begins; the reader stands behind it.
    fn head(&mut self) -> Result<Option<(Position, Head)>> {
        loop {
            let position = match self.step()? {
                Step::End => return Ok(None),
                Step::Gap(gap) => {
                    self.lost(&gap)?;
                    continue;
                }
                Step::Record(head) if head.kind == Kind::Deleted => continue,
                Step::Record(head) => (self.at - head.record_bytes(), head),
            };
            if (self.wanted)(&position.1) {
                return Ok(Some(position));
            }
        }
    }

    /// The next record or gap; the reader stands behind it.
    fn step(&mut self) -> Result<Step> {
        loop {
            let end = self.shared.end();
            let Some(next) = self.find(end)? else {
                return Ok(Step::End);
            };
            let Some(records) = &mut self.open else {
                return Ok(Step::End);
            };
            let limit = next.unwrap_or(end).min(end);
            records.set_end(limit)?;
            let step = records.head()?;
            self.at = records.position();
            match step {
                Step::End if self.at < limit => {
                    let gap = Gap {
                        position: self.at,
                        bytes: limit - self.at,
                        head: None,
                        is_followed: true,
                    };
                    self.at = limit;
                    return Ok(Step::Gap(gap));
                }
                Step::End if next.is_none() => return Ok(Step::End),
                Step::End => self.at = limit,
                other => return Ok(other),
            }
        }
    }

    /// Opens the segment of the position; where the next one begins, if there is one. None at the end of the log. Goes on behind
    /// segments that were removed.
    fn find(&mut self, end: Position) -> Result<Option<Option<Position>>> {
        loop {
            let segments = &self.shared.segments;
            self.at = self.at.max(segments.begin());
            let Some((base, path, next)) = segments.of(self.at) else {
                return Ok(None);
            };
            self.at = self.at.max(base + BEGIN);
            if self.at >= end {
                return Ok(None);
            }
            if self.open.as_ref().is_some_and(|open| open.base() == base) {
                return Ok(Some(next));
            }
            match Records::open(segments.disk.as_ref(), &path, base, self.at, CHUNK) {
                Ok(records) => {
                    self.open = Some(records);
                    return Ok(Some(next));
                }
                // Retention took it between the look and the opening.
                Err(_) if !segments.files().contains_key(&base) => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Refuses damage that concerns the frames that are asked for.
    fn lost(&mut self, gap: &Gap) -> Result<()> {
        let damage = self.shared.known_damage(gap);
        match damage.concerns(&mut self.wanted) {
            true => Err(StoreError::Lost(Box::new(damage))),
            false => Ok(()),
        }
    }

    fn frame(&mut self) -> Result<Option<Stored>> {
        while let Some((position, head)) = self.head()? {
            let mut bytes = Vec::new();
            let Some(records) = &mut self.open else {
                return Ok(None);
            };
            if records.frame(&head, &mut bytes)? {
                return Ok(Some(Stored {
                    position,
                    key_id: head.key_id,
                    id: head.id,
                    received: head.received,
                    bytes,
                }));
            }
            let gap = records.unreadable(position, head);
            self.lost(&gap)?;
        }
        Ok(None)
    }
}

impl Iterator for Frames {
    type Item = Result<Stored>;

    fn next(&mut self) -> Option<Self::Item> {
        self.frame().transpose()
    }
}
