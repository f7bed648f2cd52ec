//! A pass over the records of a segment: what verifies is handed on, and what does not is measured.

use std::path::{Path, PathBuf};

use isopod_disk::{Access, Disk, DiskFile};

use crate::error::{Result, StoreError};
use crate::record::{Head, Kind, HEAD};
use crate::segments::{begin, BEGIN};
use crate::Position;

/// Bytes that are searched at a time for the next record behind damage.
const SEARCH: u64 = 1 << 20;

/// Stretch of a segment that holds no record that verifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    pub position: Position,
    pub bytes: u64,
    /// Header, where it can be read.
    pub head: Option<Head>,
    /// Whether a record that verifies follows in the segment.
    pub is_followed: bool,
}

impl Gap {
    /// The position behind it.
    pub fn end(&self) -> Position {
        self.position + self.bytes
    }
}

/// Outcome of a step.
pub(crate) enum Step {
    Record(Head),
    Gap(Gap),
    End,
}

/// A pass over a segment up to a position in it.
pub(crate) struct Records {
    file: Box<dyn DiskFile>,
    path: PathBuf,
    base: Position,
    length: Position,
    end: Position,
    at: Position,
    chunk: usize,
    buffer: Vec<u8>,
    buffer_at: Position,
}

impl Records {
    /// A pass from a position on, or from the first record; it reads `chunk` bytes at a time.
    pub fn open(
        disk: &dyn Disk,
        path: &Path,
        base: Position,
        from: Position,
        chunk: usize,
    ) -> Result<Self> {
        let file = disk.open(path, Access::Read);
        let file = file.map_err(StoreError::file(path))?;
        let end = base + file.length().map_err(StoreError::file(path))?;
        Ok(Self {
            file,
            path: path.to_owned(),
            base,
            length: end,
            end,
            at: from.max(base + BEGIN),
            chunk,
            buffer: Vec::new(),
            buffer_at: 0,
        })
    }

    /// Position of the next record.
    pub fn position(&self) -> Position {
        self.at
    }

    /// Position behind the last byte of the pass.
    pub fn end(&self) -> Position {
        self.end
    }

    /// Moves the end, up to which the records of a file that may have grown are taken, as far as the file goes.
    pub fn set_end(&mut self, end: Position) -> Result<()> {
        if end > self.length {
            let length = self.file.length().map_err(StoreError::file(&self.path))?;
            self.length = self.base + length;
        }
        self.end = end.min(self.length);
        Ok(())
    }

    /// Position of the segment's first byte.
    pub fn base(&self) -> Position {
        self.base
    }

    /// Hands on every record that verifies, and every gap.
    pub fn run(&mut self, each: &mut impl FnMut(&Step)) -> Result<()> {
        let mut frame = Vec::new();
        loop {
            let step = self.next(&mut frame)?;
            each(&step);
            if matches!(step, Step::End) {
                return Ok(());
            }
        }
    }

    /// Copies the segment into an empty file, with holes in place of the frames that are deleted. Bytes that are none of a record
    /// stay as they are.
    pub fn copy(&mut self, into: &dyn DiskFile, is_deleted: &impl Fn(&Head) -> bool) -> Result<()> {
        let (path, base) = (self.path.clone(), self.base);
        let write = |bytes: &[u8], at: Position| {
            let written = into.write_at(bytes, at - base);
            written.map_err(StoreError::file(&path))
        };
        let mut frame = Vec::new();
        write(&begin(base), base)?;
        loop {
            let at = self.at;
            let (head, bytes) = match self.next(&mut frame)? {
                Step::End => break,
                Step::Record(head) => (Some(head), head.record_bytes()),
                Step::Gap(gap) => (gap.head, gap.bytes),
            };
            match head {
                Some(head) if is_deleted(&head) || head.kind == Kind::Deleted => {
                    write(&head.deleted().bytes(at), at)?;
                }
                _ => {
                    frame.resize(bytes as usize, 0);
                    self.read_file(at, &mut frame)?;
                    write(&frame, at)?;
                }
            }
        }
        let length = into.set_length(self.end - base);
        length.map_err(StoreError::file(&path))
    }

    /// The next record with its frame, or the next gap; the pass stands behind it.
    pub fn next(&mut self, frame: &mut Vec<u8>) -> Result<Step> {
        let position = self.at;
        let step = self.head()?;
        let Step::Record(head) = step else {
            return Ok(step);
        };
        match self.frame(&head, frame)? {
            true => Ok(step),
            false => Ok(Step::Gap(self.unreadable(position, head))),
        }
    }

    /// The next header, or the next gap; the pass stands behind the record.
    pub fn head(&mut self) -> Result<Step> {
        let position = self.at;
        if position >= self.end {
            return Ok(Step::End);
        }
        let Some(head) = self.header(position)? else {
            return self.gap(position).map(Step::Gap);
        };
        self.at = position + head.record_bytes();
        match self.at > self.end {
            false => Ok(Step::Record(head)),
            true => {
                self.at = self.end;
                Ok(Step::Gap(self.unreadable(position, head)))
            }
        }
    }

    /// Reads the frame of the record that the pass stands behind; false if it does not verify.
    pub fn frame(&mut self, head: &Head, into: &mut Vec<u8>) -> Result<bool> {
        into.resize(head.length as usize, 0);
        let at = self.at - u64::from(head.length);
        self.read(at, into)?;
        Ok(head.verifies(into))
    }

    /// Gap of a record that the pass stands behind.
    pub fn unreadable(&self, position: Position, head: Head) -> Gap {
        Gap {
            position,
            bytes: self.at - position,
            head: Some(head),
            is_followed: self.at < self.end,
        }
    }

    fn header(&mut self, position: Position) -> Result<Option<Head>> {
        let mut bytes = [0; HEAD];
        if position + HEAD as u64 > self.end {
            return Ok(None);
        }
        self.read(position, &mut bytes)?;
        let read = Head::read(&bytes, position);
        Ok(read.or_else(|| Head::mended(&bytes, position)))
    }

    /// The gap that begins here, up to the next header that verifies at its own position.
    fn gap(&mut self, position: Position) -> Result<Gap> {
        let mut gap = Gap {
            position,
            bytes: self.end - position,
            head: None,
            is_followed: false,
        };
        let mut from = position + 1;
        while from + HEAD as u64 <= self.end {
            let length = (self.end - from).min(SEARCH) as usize;
            let mut bytes = vec![0; length];
            self.read(from, &mut bytes)?;
            let found = bytes.windows(HEAD).enumerate().find(|(at, window)| {
                let window = (*window).try_into().ok();
                window.is_some_and(|window| Head::read(window, from + *at as u64).is_some())
            });
            if let Some((at, _)) = found {
                gap.bytes = from + at as u64 - position;
                gap.is_followed = true;
                break;
            }
            from += (length - HEAD + 1) as u64;
        }
        self.at = gap.end();
        Ok(gap)
    }

    /// Reads bytes at a position, through the buffer where they are few.
    fn read(&mut self, position: Position, mut into: &mut [u8]) -> Result<()> {
        let mut position = position;
        let buffered = self.buffer_at..self.buffer_at + self.buffer.len() as u64;
        if buffered.contains(&position) {
            let from = (position - self.buffer_at) as usize;
            let count = into.len().min(self.buffer.len() - from);
            into[..count].copy_from_slice(&self.buffer[from..from + count]);
            into = &mut into[count..];
            position += count as u64;
        }
        if into.is_empty() {
            return Ok(());
        }
        if into.len() >= self.chunk {
            return self.read_file(position, into);
        }
        let length = (self.chunk as u64).min(self.end.saturating_sub(position));
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.resize((length as usize).max(into.len()), 0);
        self.read_file(position, &mut buffer)?;
        into.copy_from_slice(&buffer[..into.len()]);
        (self.buffer, self.buffer_at) = (buffer, position);
        Ok(())
    }

    fn read_file(&self, position: Position, into: &mut [u8]) -> Result<()> {
        let read = self.file.read_exact_at(into, position - self.base);
        read.map_err(StoreError::file(&self.path))
    }
}
