//! The one thread that writes: everything that waits goes to disk with one flush, and is acknowledged after it.

use std::collections::btree_map::Entry;
use std::sync::Arc;

use isopod_wire::{FrameId, KeyId};

use crate::error::{Result, StoreError};
use crate::index::{Changes, Committer, Database, Index};
use crate::record::{Head, Kind, HEAD, MOST_FRAME};
use crate::segments::mark::Mark;
use crate::segments::{Tail, BEGIN};
use crate::shared::Shared;
use crate::threads::mpsc::Receiver;
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
    pub mark: Mark,
    pub committer: Committer,
    pub is_set_aside: bool,
}

/// A group on its way to disk.
#[derive(Default)]
struct Group {
    bytes: Vec<u8>,
    changes: Changes,
    /// Frames that came once more in place of damaged ones.
    replaced: Vec<(KeyId, FrameId)>,
}

impl Writer {
    /// Works until the last sender is gone, and commits the index.
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
        self.committer.finish();
        // The next start reads from the log whatever the index lacks.
        let _ = self.shared.index().commit();
        self.check_index();
    }

    /// Stores batches with one flush, and then tells each what came of it.
    fn commit(&mut self, batches: Vec<(Vec<NewFrame>, Done)>) {
        if batches.is_empty() {
            return;
        }
        #[cfg(feature = "acknowledge-early")]
        let batches = early::acknowledge(batches);
        self.check_index();
        let begin = self.tail.end;
        let mut group = Group::default();
        let mut ended = Vec::new();
        {
            let shared = self.shared.clone();
            let index = shared.index();
            group.changes.received = index.now.received;
            group.changes.totals = index.now.totals;
            for (frames, done) in batches {
                ended.push((self.take(&index, &mut group, frames), done));
            }
        }
        let stored = self.store(group, begin);
        if stored.is_err() {
            self.tail.end = begin;
        }
        for (outcomes, done) in ended {
            done(outcomes.and_then(|outcomes| stored.clone().map(|()| outcomes)));
        }
    }

    /// Judges the frames of a batch, all or none, and appends those that are new to the group.
    fn take(
        &mut self,
        index: &Index,
        group: &mut Group,
        frames: Vec<NewFrame>,
    ) -> Result<Vec<AppendOutcome>> {
        if let Some(frame) = frames
            .iter()
            .find(|frame| !(1..=MOST_FRAME).contains(&frame.bytes.len()))
        {
            let (found, most) = (frame.bytes.len(), MOST_FRAME);
            return Err(StoreError::Length { found, most });
        }
        // The devices are known before the first frame is taken, so that an error takes none.
        for frame in &frames {
            let name = (frame.key_id, frame.id.device);
            if let Entry::Vacant(entry) = group.changes.devices.entry(name) {
                let state = index.get(&name).inspect_err(|error| {
                    if matches!(error, StoreError::Index { .. }) {
                        self.set_index_aside();
                    }
                })?;
                entry.insert(state.unwrap_or_default());
            }
        }
        let outcomes = frames
            .iter()
            .map(|frame| self.take_one(index, group, frame));
        Ok(outcomes.collect())
    }

    fn take_one(&mut self, index: &Index, group: &mut Group, frame: &NewFrame) -> AppendOutcome {
        let name = (frame.key_id, frame.id.device);
        let changes = &mut group.changes;
        let device = changes.devices.entry(name).or_default();
        match device.seen.is_new(frame.id) {
            Ok(true) => {}
            Ok(false) => {
                let lost = (frame.key_id, frame.id);
                if index.damage_of(&lost.0, lost.1).is_none() || group.replaced.contains(&lost) {
                    return AppendOutcome::Known;
                }
                group.replaced.push(lost);
            }
            Err(stale) => return AppendOutcome::Stale(stale.to_string()),
        }
        // A clock that goes back leaves times where they are, so that they stay in the order of the log.
        changes.received = changes.received.max(frame.received);
        let head = Head::new(Kind::Frame, frame.key_id, frame.id, &frame.bytes);
        let head = head.at_time(changes.received);
        changes.totals.leave(device);
        device.enter(frame.id, head.received, head.length.into());
        changes.totals.enter(device);
        changes.totals.stored += 1;
        let position = self.tail.end;
        group.bytes.extend(head.bytes(position));
        group.bytes.extend(&frame.bytes);
        self.tail.end += head.record_bytes();
        AppendOutcome::Stored(position)
    }

    /// Looks whether a commit met damage.
    fn check_index(&mut self) {
        let is_damaged = self.shared.index().is_damaged;
        if is_damaged {
            self.set_index_aside();
        }
    }

    /// Takes nothing more: the index is damaged, and the next start makes a new one.
    fn set_index_aside(&mut self) {
        if !self.is_set_aside {
            self.is_set_aside = true;
            self.shared.give_up();
            let disk = self.shared.segments.disk.as_ref();
            let _ = Database::set_aside(disk, &self.shared.folder);
        }
    }

    /// Writes a group and flushes it, and then the mark; a group that is written in part is cut off again.
    fn store(&mut self, group: Group, begin: Position) -> Result<()> {
        if self.shared.is_broken() {
            return Err(StoreError::Broken);
        }
        if group.bytes.is_empty() {
            return Ok(());
        }
        let offset = begin - self.tail.base;
        if let Err(error) = self.tail.file.write_at(&group.bytes, offset) {
            let error = StoreError::file(&self.tail.path)(error);
            if self.tail.file.set_length(offset).is_err() {
                self.shared.give_up();
            }
            return Err(error);
        }
        if let Err(error) = self.shared.flush(self.tail.file.as_ref()) {
            // Pages whose flush failed may be dropped and yet read back, so nothing here is known any more. Nobody was told of
            // them.
            self.shared.give_up();
            let _ = self.tail.file.set_length(offset);
            return Err(StoreError::file(&self.tail.path)(error));
        }
        let marked = self.mark.set(self.tail.end);
        marked.inspect_err(|_| self.shared.give_up())?;
        self.publish(group);
        match self.tail.end - self.tail.base >= self.shared.options.segment_bytes {
            // The group is stored; a segment that cannot be begun now is tried again after the next one.
            true => self.roll().or(Ok(())),
            false => Ok(()),
        }
    }

    /// Lets readers see all that is on disk.
    fn publish(&mut self, group: Group) {
        let mut index = self.shared.index();
        for (key_id, id) in group.replaced {
            index.replace(&key_id, id);
        }
        index.now.devices.extend(group.changes.devices);
        index.now.totals = group.changes.totals;
        index.now.received = group.changes.received;
        index.now.position = self.tail.end;
        let is_due = index.now.devices.len() >= self.shared.options.changed_devices;
        self.shared.set_end(self.tail.end);
        if is_due {
            self.committer.begin(&mut index);
        }
    }

    /// Begins a new segment behind this one, unless it has no record yet, and begins to commit the index.
    fn roll(&mut self) -> Result<()> {
        if self.shared.is_broken() {
            return Err(StoreError::Broken);
        }
        if self.tail.end - self.tail.base > BEGIN {
            let added = self.shared.segments.add(self.tail.end);
            self.tail = added.inspect_err(|error| {
                if matches!(error, StoreError::Broken) {
                    self.shared.give_up();
                }
            })?;
            self.shared.index().now.position = self.tail.end;
            self.shared.set_end(self.tail.end);
        }
        self.committer.begin(&mut self.shared.index());
        Ok(())
    }
}

impl Drop for Writer {
    /// Without its thread nothing is stored, also where a fault of the program ended it.
    fn drop(&mut self) {
        self.shared.give_up();
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
