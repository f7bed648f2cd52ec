//! The log: opened by one process, written by one thread of it, read by any.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use isopod_disk::Access;
use isopod_wire::KeyId;

use crate::damage::Damage;
use crate::durations::Durations;
use crate::error::{Result, StoreError};
use crate::index::{Committer, Database, Devices, Index, Totals};
use crate::reader::Frames;
use crate::record::{Head, Kind};
use crate::segments::mark::{Acknowledged, Mark};
use crate::segments::records::{Records, Step};
use crate::segments::recovery::{Found, TornTail, CHUNK};
use crate::segments::{Segments, Tail, BEGIN};
use crate::shared::{Options, Shared};
use crate::threads::atomic::{AtomicBool, AtomicU64};
use crate::threads::mpsc::{sync_channel, SyncSender, TrySendError};
use crate::threads::thread::{self, JoinHandle};
use crate::threads::{Mutex, MutexGuard};
use crate::writer::{AppendOutcome, Command, Done, NewFrame, Writer};
use crate::{DeviceState, Position};

/// Facts of an opening.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Records that were read behind the index.
    pub records: u64,
    /// Bytes behind the last record that was acknowledged.
    pub torn_tail: Option<TornTail>,
    /// Damage that was found by this opening.
    pub damage: Vec<Damage>,
}

/// A log of frames in a folder.
pub struct Log {
    pub(crate) shared: Arc<Shared>,
    commands: Option<SyncSender<Command>>,
    writer: Option<JoinHandle<()>>,
    _lock: Box<dyn Send + Sync>,
}

impl Log {
    /// Opens the log in a folder, and makes it. Reads the records behind the index, 64 MB or little more. Damage does not keep it
    /// from opening: it is in [`Recovered::damage`], and whoever reads its frames is refused.
    ///
    /// # Errors
    /// [`StoreError::Locked`] for another server on this folder; [`StoreError::RemovedNames`]; [`StoreError::Damaged`] for
    /// segments of another version; [`StoreError::File`], [`StoreError::Full`].
    pub fn open(folder: &Path, options: Options) -> Result<(Self, Recovered)> {
        let disk = options.disk.clone();
        disk.make_folder(folder).map_err(StoreError::file(folder))?;
        let lock = take_lock(folder, &options)?;
        let segments = Segments::open(disk.clone(), folder)?;
        let mut index = open_index(folder, &options, segments.begin())?;
        let (mut mark, acknowledged) = Mark::open(disk.as_ref(), folder)?;
        // Names that a process before this one made may be in memory alone.
        for folder in [folder, isopod_disk::parent(folder)] {
            disk.sync_folder(folder).map_err(StoreError::file(folder))?;
        }
        let caught_up = match catch_up(&segments, &mut index, acknowledged, &options) {
            Err(StoreError::Index { path, .. }) => {
                index = remake_index(folder, &options, segments.begin(), path)?;
                catch_up(&segments, &mut index, acknowledged, &options)
            }
            caught_up => caught_up,
        };
        let (tail, facts) = caught_up?;
        // The mark may be in memory alone, after a flush that failed.
        mark.set(tail.end)?;
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            segments,
            index: Arc::new(Mutex::new(index)),
            end: AtomicU64::new(tail.end),
            maintenance: Mutex::new(()),
            flushes: Durations::default(),
            is_broken: AtomicBool::new(false),
            options,
        });
        let (commands, receiver) = sync_channel(shared.options.waiting);
        let writer = Writer {
            committer: Committer::new(shared.index.clone()),
            shared: shared.clone(),
            tail,
            mark,
            is_set_aside: false,
        };
        let log = Self {
            shared,
            commands: Some(commands),
            writer: Some(thread::spawn(move || writer.run(receiver))),
            _lock: lock,
        };
        log.settle_removed()?;
        Ok((log, facts))
    }

    /// Hands frames to the writer; `done` learns what came of each after the flush.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where as many batches wait as may, and then `done` is not called. It is called with
    /// [`StoreError::Full`], [`StoreError::File`] and [`StoreError::Broken`], and then no frame of the batch is stored.
    pub fn append(&self, frames: Vec<NewFrame>, done: Done) -> Result<()> {
        let Some(commands) = &self.commands else {
            return Err(StoreError::Broken);
        };
        match commands.try_send(Command::Append(frames, done)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err(StoreError::Busy {
                waiting: self.shared.options.waiting,
            }),
            Err(TrySendError::Disconnected(_)) => Err(StoreError::Broken),
        }
    }

    /// Stores frames and waits for the flush.
    ///
    /// # Errors
    /// The errors of [`Log::append`].
    pub fn append_all(&self, frames: Vec<NewFrame>) -> Result<Vec<AppendOutcome>> {
        let (sender, receiver) = sync_channel(1);
        self.append(
            frames,
            Box::new(move |outcomes| drop(sender.send(outcomes))),
        )?;
        receiver.recv().unwrap_or(Err(StoreError::Broken))
    }

    /// The frames from a position on, in the order in which they were stored, up to the last flush before the reader gets there.
    /// A position is that of a record, or 0. Readers do not hold up the writer.
    pub fn frames(&self, from: Position) -> Frames {
        Frames::new(self.shared.clone(), from)
    }

    /// Hands on the headers of all frames, without reading the frames.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::File`].
    pub fn heads(&self, mut each: impl FnMut(&Head)) -> Result<()> {
        self.frames(0)
            .heads()
            .try_for_each(|head| head.map(|(_, head)| each(&head)))
    }

    /// Whether a flush failed, the index is damaged, or the writer ended: nothing is stored until the log is opened anew.
    pub fn is_broken(&self) -> bool {
        self.shared.is_broken()
    }

    /// Times of all flushes since the log was opened.
    pub fn flushes(&self) -> &Durations {
        &self.shared.flushes
    }

    /// The position behind the last frame that is on disk.
    pub fn end(&self) -> Position {
        self.shared.end()
    }

    /// The position of the first record that retention left.
    pub fn begin(&self) -> Position {
        self.shared.segments.begin()
    }

    /// A position behind this one from which readers may go on, so that between them lie about so many bytes: the begin of a
    /// segment, or the end of all that is on disk.
    pub fn step(&self, from: Position, bytes: u64) -> Position {
        let end = self.end();
        let files = self.shared.segments.files();
        let begins = || {
            files
                .keys()
                .copied()
                .filter(|base| (from + 1..end).contains(base))
        };
        let far = begins().rfind(|base| base - from <= bytes);
        match end - from.min(end) <= bytes {
            true => end,
            false => far.or_else(|| begins().next()).unwrap_or(end),
        }
    }

    /// Begins a new segment if the last one has a frame that came before this time, in milliseconds since 1970, so that retention
    /// need not keep it for frames to come.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`], [`StoreError::Damaged`].
    pub fn divide(&self, time: u64) -> Result<()> {
        let last = self.shared.segments.files().keys().next_back().copied();
        match self
            .frames(last.unwrap_or(0) + BEGIN)
            .heads()
            .next()
            .transpose()?
        {
            Some((_, head)) if head.received < time => self.roll(),
            _ => Ok(()),
        }
    }

    /// Knowledge of one device; None before its first frame.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Index`].
    pub fn device(&self, key_id: &KeyId, device: u64) -> Result<Option<DeviceState>> {
        self.shared.index().get(&(*key_id, device))
    }

    /// Devices of a key pair behind this number, in ascending order, at most `most` of them.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Index`].
    pub fn devices(
        &self,
        key_id: &KeyId,
        after: Option<u64>,
        most: usize,
    ) -> Result<Vec<(u64, DeviceState)>> {
        let found: Devices = self.shared.index().devices(key_id, after, most)?;
        let each = found.into_iter();
        Ok(each.map(|((_, device), state)| (device, state)).collect())
    }

    /// Sums over all devices.
    pub fn totals(&self) -> Totals {
        self.shared.index().now.totals
    }

    /// Writes a copy of the index, `devices.backup`, which may be taken away while the log goes on. Segments that are copied
    /// after it go with it.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`], [`StoreError::Index`].
    pub fn back_up_index(&self) -> Result<PathBuf> {
        let _alone = self.maintain();
        self.commit_index()?;
        let path = self.shared.folder.join("devices.backup");
        let database = self.shared.index().database();
        database.back_up(&path)?;
        Ok(path)
    }

    /// Commits the index, behind a commit that may be under way.
    pub(crate) fn commit_index(&self) -> Result<()> {
        loop {
            let mut index = self.shared.index();
            if !index.is_committing() {
                return index.commit();
            }
            drop(index);
            thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Deletes all frames of a device; positions of others stay, and the names of the deleted ones stay known. The bytes are gone
    /// from the disk as far as the file system lets them go. Returns the number of frames.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`], [`StoreError::Damaged`]; then some may be deleted.
    pub fn delete_device(&self, key_id: &KeyId, device: u64) -> Result<u64> {
        let _alone = self.maintain();
        self.roll()?;
        let files: Vec<_> = self.shared.segments.files().clone().into_iter().collect();
        let is_of = |head: &Head| {
            head.kind == Kind::Frame && head.key_id == *key_id && head.id.device == device
        };
        let mut deleted = 0;
        for (base, path) in files.iter().take(files.len().saturating_sub(1)) {
            let found = self.delete_from(path, *base, is_of)?;
            // Frames whose names damage hid were not counted.
            let stored = &mut self.shared.index().now.totals.stored;
            *stored = stored.saturating_sub(found);
            deleted += found;
        }
        // Removed segments can be put back.
        for (base, path) in self.removed_segments()? {
            self.delete_from(&path, base, is_of)?;
        }
        self.commit_index()?;
        Ok(deleted)
    }

    fn roll(&self) -> Result<()> {
        let (sender, receiver) = sync_channel(1);
        let command = Command::Roll(Box::new(move |rolled| drop(sender.send(rolled))));
        let sent = self
            .commands
            .as_ref()
            .map(|commands| commands.send(command));
        match sent {
            Some(Ok(())) => receiver.recv().unwrap_or(Err(StoreError::Broken)),
            _ => Err(StoreError::Broken),
        }
    }

    /// Deletes frames of a segment; the number of them.
    fn delete_from(
        &self,
        path: &Path,
        base: Position,
        is_of: impl Fn(&Head) -> bool,
    ) -> Result<u64> {
        let disk = self.shared.segments.disk.as_ref();
        let mut records = Records::open(disk, path, base, 0, CHUNK)?;
        let mut found = 0;
        records.run(&mut |step: &Step| match step {
            Step::Record(head) if is_of(head) => found += 1,
            Step::Gap(gap) if gap.head.as_ref().is_some_and(&is_of) => found += 1,
            _ => {}
        })?;
        if found > 0 {
            self.rewrite(path, base, is_of)?;
        }
        Ok(found)
    }

    /// Writes a segment anew, with holes in place of the frames that are deleted. Bytes that cannot be read stay as they are.
    fn rewrite(
        &self,
        path: &Path,
        base: Position,
        is_deleted: impl Fn(&Head) -> bool,
    ) -> Result<()> {
        let disk = self.shared.segments.disk.as_ref();
        let building = path.with_extension("partial");
        let file = disk.open(&building, Access::Empty);
        let file = file.map_err(StoreError::file(&building))?;
        let mut records = Records::open(disk, path, base, 0, CHUNK)?;
        records.copy(file.as_ref(), &is_deleted)?;
        file.sync()
            .and_then(|()| disk.rename(&building, path))
            .and_then(|()| disk.sync_folder(isopod_disk::parent(path)))
            .map_err(StoreError::file(path))?;
        let mut index = self.shared.index();
        let deleted = |damage: &Damage| damage.head.as_ref().is_some_and(&is_deleted);
        index.damage.retain(|damage| !deleted(damage));
        Ok(())
    }

    pub(crate) fn maintain(&self) -> MutexGuard<'_, ()> {
        self.shared
            .maintenance
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Log {
    /// Stores what was handed in, and leaves a checkpoint.
    fn drop(&mut self) {
        drop(self.commands.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

/// Takes the lock of a log's folder.
fn take_lock(folder: &Path, options: &Options) -> Result<Box<dyn Send + Sync>> {
    let path = folder.join("lock");
    options
        .disk
        .lock(&path)
        .map_err(|error| match error.kind() {
            std::io::ErrorKind::WouldBlock => StoreError::Locked(folder.to_owned()),
            _ => StoreError::file(&path)(error),
        })
}

/// Enters what the log has behind the index, and finds its end.
fn catch_up(
    segments: &Segments,
    index: &mut Index,
    acknowledged: Acknowledged,
    options: &Options,
) -> Result<(Tail, Recovered)> {
    let from = index.now.position;
    let acknowledged = Acknowledged {
        end: acknowledged.end.max(from).max(options.least_end),
        ..acknowledged
    };
    let mut records = 0;
    let found = segments.recover(from, acknowledged, |found| {
        match found {
            Found::Record(head, end) => {
                records += 1;
                index.enter(head)?;
                index.now.position = end;
            }
            Found::Damage(damage) => index.enter_damage(damage)?,
        }
        match index.now.devices.len() >= options.changed_devices {
            true => index.commit(),
            false => Ok(()),
        }
    })?;
    index.now.position = found.tail.end;
    let begin = segments.begin();
    index.damage.retain(|damage| damage.end() > begin);
    for damage in &mut index.damage {
        let (_, path, _) = segments.of(damage.position).unwrap_or_default();
        damage.path = path;
    }
    let facts = Recovered {
        records,
        torn_tail: found.torn,
        damage: found.damage,
    };
    Ok((found.tail, facts))
}

/// Opens the index of a log that begins at `begin`. One that is missing or damaged is made anew, if that forgets no frame.
fn open_index(folder: &Path, options: &Options, begin: Position) -> Result<Index> {
    match Index::open(options.disk.clone(), folder) {
        Err(StoreError::Index { path, .. }) => remake_index(folder, options, begin, path),
        Ok(index) if index.now.position == 0 && !can_forget(options, begin) => {
            Err(StoreError::RemovedNames(folder.to_owned()))
        }
        opened => opened,
    }
}

/// Makes an empty index in place of one that is damaged.
fn remake_index(folder: &Path, options: &Options, begin: Position, path: PathBuf) -> Result<Index> {
    if !can_forget(options, begin) {
        return Err(StoreError::RemovedNames(path));
    }
    Database::set_aside(options.disk.as_ref(), folder)?;
    Index::open(options.disk.clone(), folder)
}

/// Whether an index that is made anew knows all names, or need not.
fn can_forget(options: &Options, begin: Position) -> bool {
    begin == 0 || options.forget_removed
}
