//! The log: opened by one process, written by one thread of it, read by any.

use std::fs::File;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{sync_channel, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use isopod_wire::KeyId;

use crate::error::{Result, StoreError};
use crate::files::{lock, make_folder, replace};
use crate::index::{DeviceState, Index};
use crate::reader::Frames;
use crate::record::{Head, Kind, HEAD};
use crate::segments::{Scan, Segments, BEGIN};
use crate::shared::{Durations, Options, Shared};
use crate::writer::{AppendOutcome, Command, Done, NewFrame, Writer};
use crate::Position;

/// Facts of an opening.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Records that were read behind the checkpoint.
    pub records: u64,
    /// Bytes behind the last whole record, which a crash left, and the file that keeps them now.
    pub torn_tail: Option<(u64, PathBuf)>,
}

/// A log of frames in a folder.
pub struct Log {
    pub(crate) shared: Arc<Shared>,
    commands: Option<SyncSender<Command>>,
    writer: Option<JoinHandle<()>>,
    _lock: File,
}

impl Log {
    /// Opens the log in a folder, and makes it. Reads the checkpoint and the records behind it, 64 MB or little more.
    ///
    /// # Errors
    /// [`StoreError::Locked`] for another server on this folder; [`StoreError::Damaged`] for segments or an index that are not as
    /// they were written, but for the end of the last one; [`StoreError::File`], [`StoreError::Full`].
    pub fn open(folder: &Path, options: Options) -> Result<(Self, Recovered)> {
        make_folder(folder)?;
        let lock = lock(folder)?;
        let segments = Segments::open(folder)?;
        let mut index = Index::read(folder, segments.begin())?;
        let mut recovered = Recovered::default();
        let (tail, torn) = segments.recover(index.position, |head| {
            index.enter(head);
            recovered.records += 1;
        })?;
        recovered.torn_tail = torn.map(|torn| (torn.bytes, torn.kept));
        index.position = tail.end;
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            segments,
            options,
            index: Mutex::new(index),
            end: AtomicU64::new(tail.end),
            maintenance: Mutex::new(()),
            gone: Mutex::default(),
            flushes: Durations::default(),
            is_broken: AtomicBool::new(false),
        });
        let (commands, receiver) = sync_channel(options.waiting);
        let writer = Writer {
            shared: shared.clone(),
            tail,
        };
        let log = Self {
            shared,
            commands: Some(commands),
            writer: Some(std::thread::spawn(move || writer.run(receiver))),
            _lock: lock,
        };
        log.open_gone();
        Ok((log, recovered))
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

    /// Whether a flush failed, or the writer ended: nothing is stored until the log is opened anew.
    pub fn is_broken(&self) -> bool {
        let ended = self.writer.as_ref().is_none_or(JoinHandle::is_finished);
        ended || self.shared.is_broken.load(Ordering::Acquire)
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
        let (last, _) = self.shared.segments.last()?;
        match self.frames(last + BEGIN).heads().next().transpose()? {
            Some((_, head)) if head.received < time => self.roll(),
            _ => Ok(()),
        }
    }

    /// Hands on every device that sent a frame, by key pair and number.
    pub fn devices(&self, mut each: impl FnMut(&KeyId, u64, &DeviceState)) {
        for ((key_id, device), state) in &self.shared.index().devices {
            each(key_id, *device, state);
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
            let found = delete_from(path, *base, is_of)?;
            self.count_gone(self.begin(), found)?;
            deleted += found;
        }
        // Removed segments can be put back.
        for (base, path) in self.removed_segments()? {
            delete_from(&path, base, is_of)?;
        }
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

/// Deletes frames of a segment; the number of them.
fn delete_from(path: &Path, base: Position, is_of: impl Fn(&Head) -> bool) -> Result<u64> {
    let mut found = 0;
    Scan::open(path, base, 0)?.run(&mut |head: &Head| found += u64::from(is_of(head)))?;
    if found > 0 {
        rewrite(path, base, is_of)?;
    }
    Ok(found)
}

/// Writes a segment anew, with holes in place of the frames that are deleted.
fn rewrite(path: &Path, base: Position, is_deleted: impl Fn(&Head) -> bool) -> Result<()> {
    let mut scan = Scan::open(path, base, 0)?;
    let length = path.metadata().map_err(StoreError::file(path))?.len();
    let mut first = File::open(path).map_err(StoreError::file(path))?;
    let mut refused = None;
    replace(path, |file| {
        let mut into = BufWriter::new(&*file);
        std::io::copy(&mut std::io::Read::take(&mut first, BEGIN), &mut into)?;
        refused = copy_records(&mut scan, &mut into, is_deleted)?;
        let end = into.stream_position()?;
        drop(into);
        file.set_len(end)?;
        match refused.is_none() && end == length {
            true => Ok(()),
            false => Err(std::io::ErrorKind::InvalidData.into()),
        }
    })
    .map_err(|error| refused.unwrap_or(error))
}

/// Copies records up to the end, or up to one that cannot be read, and gives its error.
fn copy_records(
    scan: &mut Scan,
    into: &mut BufWriter<&File>,
    is_deleted: impl Fn(&Head) -> bool,
) -> std::io::Result<Option<StoreError>> {
    let (mut frame, mut record) = (Vec::new(), Vec::with_capacity(HEAD));
    loop {
        let head = match scan.next(&mut frame) {
            Ok(Some(head)) => head,
            Ok(None) => return Ok(None),
            Err(error) => return Ok(Some(error)),
        };
        if is_deleted(&head) || head.kind == Kind::Deleted {
            into.write_all(&head.deleted())?;
            into.seek(SeekFrom::Current(head.length.into()))?;
        } else {
            record.clear();
            head.write(&frame, &mut record);
            into.write_all(&record)?;
        }
    }
}
