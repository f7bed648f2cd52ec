//! The judge of the frames of one request, before the work.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use isopod_wire::FrameId;

use super::file::MemoryFile;
use super::snapshot::Snapshot;
use super::tables::{DeviceFrames, Failure, Outcome, Request};
use crate::error::Result;
use crate::files::lock;
use crate::fleet::Revoked;

/// Ranges of the devices asked for last that a judge keeps; 24 bytes each.
const MOST_KEPT: usize = 1 << 16;

/// The memory of frames beside a request. It reads what it is asked for, and holds no lock: answers enter meanwhile.
pub struct ReplayCheck {
    file: MemoryFile,
    revoked: Revoked,
    request: Request,
    again: bool,
    stored: bool,
    reader: Mutex<Reader>,
}

struct Reader {
    snapshot: Arc<Snapshot>,
    devices: HashMap<u64, Arc<DeviceFrames>>,
    ranges: usize,
}

impl ReplayCheck {
    /// A judge; the caller holds the folder's lock.
    pub(super) fn new(
        file: MemoryFile,
        revoked: Revoked,
        request: Request,
        again: bool,
    ) -> Result<Self> {
        let reader = Reader {
            snapshot: Arc::new(file.snapshot(&request)?),
            devices: HashMap::new(),
            ranges: 0,
        };
        Ok(Self {
            file,
            revoked,
            request,
            again,
            stored: false,
            reader: Mutex::new(reader),
        })
    }

    /// The judge of frames from a store that judged their age as they came.
    pub fn of_stored(mut self) -> Self {
        self.stored = true;
        self
    }

    /// Refuses a frame that is stale, entered an answer to the request before, or is of a revoked device.
    ///
    /// Errors: [`KeysError::Stale`](crate::KeysError::Stale), [`KeysError::Repeated`](crate::KeysError::Repeated),
    /// [`KeysError::Revoked`](crate::KeysError::Revoked); [`KeysError::Record`](crate::KeysError::Record) and
    /// [`KeysError::File`](crate::KeysError::File) for a memory that cannot be read.
    pub fn check(&self, frame: FrameId) -> Result<()> {
        if self.stored {
            return self.check_entered(frame);
        }
        self.revoked.check(frame)?;
        self.device(frame.device)?.judge(frame, self.again)
    }

    /// Refuses a frame of a partial state that entered an answer to the request before, or is of a device that was revoked since;
    /// how old it may be was judged when the state was made.
    ///
    /// Errors: those of [`ReplayCheck::check`], without [`KeysError::Stale`](crate::KeysError::Stale).
    pub fn check_entered(&self, frame: FrameId) -> Result<()> {
        self.revoked.check(frame)?;
        self.device(frame.device)?.check_entered(frame, self.again)
    }

    /// Frames of a device, of those that are kept or from the file.
    fn device(&self, device: u64) -> Result<Arc<DeviceFrames>> {
        let (kept, snapshot) = {
            let reader = self.reader();
            (
                reader.devices.get(&device).cloned(),
                reader.snapshot.clone(),
            )
        };
        if let Some(kept) = kept {
            return Ok(kept);
        }
        let read = match snapshot.device(device) {
            Err(Failure::Disk(error)) if is_overtaken(&error) => self.read_anew(device)?,
            read => self.told(read)?,
        };
        let read = Arc::new(read);
        self.reader().keep(device, read.clone());
        Ok(read)
    }

    /// Reads a device from a new snapshot, under the lock: pages that changed since the last one are no damage.
    fn read_anew(&self, device: u64) -> Result<DeviceFrames> {
        let _lock = lock(
            self.file.disk.as_ref(),
            isopod_disk::parent(&self.file.path),
        )?;
        let snapshot = self.file.snapshot(&self.request)?;
        let read = self.told(snapshot.device(device))?;
        self.reader().snapshot = Arc::new(snapshot);
        Ok(read)
    }

    fn told<T>(&self, read: Outcome<T>) -> Result<T> {
        read.map_err(|failure| self.file.failed(failure))
    }

    fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reader {
    fn keep(&mut self, device: u64, frames: Arc<DeviceFrames>) {
        if self.ranges > MOST_KEPT {
            self.devices.clear();
            self.ranges = 0;
        }
        self.ranges += 1 + frames.len();
        self.devices.insert(device, frames);
    }
}

/// Whether a read failed as it does when a writer used its page again, cut the file, or another thread's read failed so.
fn is_overtaken(error: &io::Error) -> bool {
    use io::ErrorKind::{InvalidData, Other, UnexpectedEof};
    matches!(error.kind(), InvalidData | UnexpectedEof | Other)
}
