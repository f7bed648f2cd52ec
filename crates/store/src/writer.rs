//! The one thread that writes: everything that waits goes to disk with one flush, and is acknowledged after it.

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::sync::Arc;

use isopod_wire::{FrameId, KeyId};

use crate::error::{Result, StoreError};
use crate::index::Devices;
use crate::record::{Head, Kind, HEAD, MOST_FRAME};
use crate::segments::{Tail, BEGIN};
use crate::shared::Shared;
use crate::Position;

/// Bytes that go to disk with one flush, about.
const GROUP_BYTES: usize = 8 << 20;

/// A frame to be stored.
#[derive(Debug, Clone)]
pub struct NewFrame {
    /// Key pair.
    pub key_id: KeyId,
    /// Name of the frame.
    pub id: FrameId,
    /// Time of arrival in milliseconds since 1970.
    pub received: u64,
    /// All parts of the frame.
    pub bytes: Vec<u8>,
}

/// Outcome of a frame that was handed in, after the flush.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AppendOutcome {
    /// It is on disk, at this position.
    Stored(Position),
    /// A frame of this name was stored before; this one is not kept.
    Known,
    /// Its name is unknown and too old to be judged: what would be allowed.
    Stale(String),
}

/// Receiver of the outcomes of a batch, in its order; called from the writing thread, so it must not block.
pub type Done = Box<dyn FnOnce(Result<Vec<AppendOutcome>>) + Send>;

/// Work of the writing thread.
pub(crate) enum Command {
    Append(Vec<NewFrame>, Done),
    /// Begins a new segment, so that all others can be rewritten or removed.
    Roll(Box<dyn FnOnce(Result<()>) + Send>),
}

/// State of the writing thread.
pub(crate) struct Writer {
    pub shared: Arc<Shared>,
    pub tail: Tail,
}

/// A group on its way to disk.
#[derive(Default)]
struct Group {
    bytes: Vec<u8>,
    entered: Devices,
    received: u64,
}

impl Writer {
    /// Works until the last sender is gone, and leaves a checkpoint.
    pub fn run(mut self, commands: Receiver<Command>) {
        while let Ok(first) = commands.recv() {
            let mut batches = Vec::new();
            let mut bytes = 0;
            let mut next = Some(first);
            while let Some(command) = next.take() {
                match command {
                    Command::Append(frames, done) => {
                        bytes += frames
                            .iter()
                            .map(|frame| HEAD + frame.bytes.len())
                            .sum::<usize>();
                        batches.push((frames, done));
                        if bytes < GROUP_BYTES {
                            next = commands.try_recv().ok();
                        }
                    }
                    Command::Roll(done) => {
                        self.commit(std::mem::take(&mut batches));
                        done(self.roll());
                    }
                }
            }
            self.commit(batches);
        }
        // The next start reads from the log whatever the checkpoint lacks.
        let _ = self.checkpoint();
    }

    /// Stores batches with one flush, and then tells each what came of it.
    fn commit(&mut self, batches: Vec<(Vec<NewFrame>, Done)>) {
        if batches.is_empty() {
            return;
        }
        #[cfg(feature = "acknowledge-early")]
        let batches = early::acknowledge(batches);
        let mut group = Group {
            received: self.shared.index().received,
            ..Group::default()
        };
        let begin = self.tail.end;
        let mut ended = Vec::new();
        for (frames, done) in batches {
            ended.push((self.take(&mut group, frames), done));
        }
        let stored = self.store(group, begin);
        if stored.is_err() {
            self.tail.end = begin;
        }
        for (outcomes, done) in ended {
            done(stored.clone().and(outcomes));
        }
    }

    /// Judges the frames of a batch, all or none, and appends those that are new to the group.
    fn take(&mut self, group: &mut Group, frames: Vec<NewFrame>) -> Result<Vec<AppendOutcome>> {
        if let Some(frame) = frames
            .iter()
            .find(|frame| !(1..=MOST_FRAME).contains(&frame.bytes.len()))
        {
            let (found, most) = (frame.bytes.len(), MOST_FRAME);
            return Err(StoreError::Length { found, most });
        }
        Ok(frames
            .iter()
            .map(|frame| self.take_one(group, frame))
            .collect())
    }

    fn take_one(&mut self, group: &mut Group, frame: &NewFrame) -> AppendOutcome {
        let name = (frame.key_id, frame.id.device);
        let device = group.entered.entry(name).or_insert_with(|| {
            let index = self.shared.index();
            index.devices.get(&name).cloned().unwrap_or_default()
        });
        match device.seen.is_new(frame.id) {
            Ok(true) => {}
            Ok(false) => return AppendOutcome::Known,
            Err(stale) => return AppendOutcome::Stale(stale.to_string()),
        }
        // A clock that goes back leaves times where they are, so that they stay in the order of the log.
        group.received = group.received.max(frame.received);
        let head = Head {
            id: frame.id,
            key_id: frame.key_id,
            received: group.received,
            length: frame.bytes.len() as u32,
            kind: Kind::Frame,
            crc: 0,
        };
        device.enter(frame.id, head.received, head.length.into());
        head.write(&frame.bytes, &mut group.bytes);
        let position = self.tail.end;
        self.tail.end += head.record_bytes();
        AppendOutcome::Stored(position)
    }

    /// Writes a group and flushes it; what fails is cut off again.
    fn store(&mut self, group: Group, begin: Position) -> Result<()> {
        if self.shared.is_broken.load(Ordering::Acquire) {
            return Err(StoreError::Broken);
        }
        if group.bytes.is_empty() {
            return Ok(());
        }
        if let Err(error) = self.tail.file.write_all(&group.bytes) {
            let error = StoreError::file(&self.tail.path)(error);
            return Err(self.cut(begin, error));
        }
        if let Err(error) = self.shared.flush(&self.tail.file) {
            // Pages whose flush failed may be dropped and yet read back, so nothing here is known any more. What nobody was told
            // of is cut off, so that the next start does not take it for stored.
            self.shared.is_broken.store(true, Ordering::Release);
            let error = StoreError::file(&self.tail.path)(error);
            return Err(self.cut(begin, error));
        }
        self.shared
            .publish(self.tail.end, group.entered, group.received);
        match self.tail.end - self.tail.base >= self.shared.options.segment_bytes {
            // The group is stored; a segment that cannot be begun now is tried again after the next one.
            true => self.roll().or(Ok(())),
            false => Ok(()),
        }
    }

    /// Cuts off what was written in part.
    fn cut(&mut self, end: Position, error: StoreError) -> StoreError {
        let length = end - self.tail.base;
        let file = &mut self.tail.file;
        let cut = file
            .set_len(length)
            .and_then(|()| file.seek(SeekFrom::Start(length)));
        self.shared
            .is_broken
            .fetch_or(cut.is_err(), Ordering::AcqRel);
        error
    }

    /// Begins a new segment behind this one, unless it has no record yet, and leaves a checkpoint.
    fn roll(&mut self) -> Result<()> {
        if self.shared.is_broken.load(Ordering::Acquire) {
            return Err(StoreError::Broken);
        }
        if self.tail.end - self.tail.base > BEGIN {
            self.tail = self.shared.segments.add(self.tail.end)?;
            self.shared.publish(self.tail.end, BTreeMap::new(), 0);
        }
        self.checkpoint()
    }

    fn checkpoint(&self) -> Result<()> {
        self.shared.index().write(&self.shared.folder)
    }
}

/// The control of the tests: tells writers that their frames are stored before they are.
#[cfg(feature = "acknowledge-early")]
pub mod early {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::{AppendOutcome, Done, NewFrame};

    static EARLY: AtomicBool = AtomicBool::new(false);

    /// Makes a control of all logs of this process.
    pub fn begin() {
        EARLY.store(true, Ordering::Release);
    }

    pub(super) fn acknowledge(batches: Vec<(Vec<NewFrame>, Done)>) -> Vec<(Vec<NewFrame>, Done)> {
        if !EARLY.load(Ordering::Acquire) {
            return batches;
        }
        let early = |(frames, done): (Vec<NewFrame>, Done)| {
            done(Ok(vec![AppendOutcome::Stored(0); frames.len()]));
            (frames, Box::new(|_| {}) as Done)
        };
        let batches = batches.into_iter().map(early).collect();
        std::thread::sleep(Duration::from_millis(20));
        batches
    }
}
