//! Room for frames that come: memory in two halves, and shares of those who send.
//!
//! One half holds bytes that wait for their sender. Nobody waits for it: bytes that find no room go to a file. The other half is
//! for frames on their way to disk, and no sender's pace decides how long it is held. So slow senders never stop others.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::admit::spill::Spill;
use crate::problem::{Answer, Problem};

/// Bytes that one permit stands for.
const PERMIT_BYTES: usize = 1024;
/// Bytes of frames that an upload stores at a time, at most.
const LARGE_BATCH: usize = 1 << 20;
/// Part of the memory that one batch may take.
const BATCH_PART: usize = 32;
/// Folder of the files of waiting bytes, below the data folder.
const SPILL_FOLDER: &str = "uploads";

/// Who sends: a device, or a connection of somebody with a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Holder {
    /// A device by its certificate.
    Device(u64),
    /// A connection by its number.
    Connection(u64),
}

/// Bounds of uploads.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Bytes in memory.
    pub memory: usize,
    /// Bytes on disk of frames that are not whole yet.
    pub waiting: usize,
    /// Connections among which those bytes are shared.
    pub connections: usize,
    /// Uploads of one holder.
    pub uploads: usize,
    /// Time to wait for memory.
    pub patience: Duration,
    /// Most bytes of an item.
    pub item: usize,
    /// Most bytes of a frame.
    pub frame: usize,
}

impl Bounds {
    /// Bytes that one upload may need: parts of frames that wait for others, and an item.
    fn upload(&self) -> usize {
        2 * self.frame + self.item
    }
}

/// Uploads and bytes on disk of one holder.
#[derive(Default)]
struct Held {
    uploads: usize,
    bytes: usize,
}

#[derive(Default)]
struct Holders {
    bytes: usize,
    each: HashMap<Holder, Held>,
}

/// Room for all uploads.
pub struct Room {
    waiting: Arc<Semaphore>,
    working: Arc<Semaphore>,
    holders: Mutex<Holders>,
    folder: PathBuf,
    bounds: Bounds,
}

/// An upload among those that its holder may have, with its bytes on disk.
pub struct Share {
    room: Arc<Room>,
    holder: Holder,
    bytes: usize,
}

/// Memory that grows and shrinks with what it is for.
pub struct Reservation {
    of: Arc<Semaphore>,
    permit: OwnedSemaphorePermit,
}

impl Room {
    /// Room in this data folder.
    pub fn new(data: &Path, bounds: Bounds) -> Self {
        let half = || Arc::new(Semaphore::new(bounds.memory / 2 / PERMIT_BYTES));
        Self {
            waiting: half(),
            working: half(),
            holders: Mutex::default(),
            folder: data.join(SPILL_FOLDER),
            bounds,
        }
    }

    /// Makes the folder of files, and removes what a crash left there.
    ///
    /// # Errors
    /// The folder cannot be made or read.
    pub fn prepare(&self) -> io::Result<()> {
        fs::DirBuilder::new()
            .mode(0o700)
            .recursive(true)
            .create(&self.folder)?;
        fs::read_dir(&self.folder)?.try_for_each(|entry| fs::remove_file(entry?.path()))
    }

    /// A file for bytes that wait.
    pub fn spill(&self) -> Spill {
        Spill::new(&self.folder, self.bounds.item)
    }

    /// Bytes of whole frames that an upload may collect before it stores them.
    pub fn batch_bytes(&self) -> usize {
        LARGE_BATCH.min(self.bounds.memory / BATCH_PART)
    }

    /// Bytes on disk that one holder may have: an even share, or what one upload may need.
    fn share_bytes(&self) -> usize {
        (self.bounds.waiting / self.bounds.connections).max(self.bounds.upload())
    }

    /// Counts an upload.
    ///
    /// # Errors
    /// Status 429 for a holder that has as many as it may.
    pub fn begin(self: &Arc<Self>, holder: Holder) -> Answer<Share> {
        let mut holders = self.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let held = holders.each.entry(holder).or_default();
        if held.uploads >= self.bounds.uploads {
            let count = held.uploads;
            return Err(too_many(
                holder,
                &format!("sends {count} bodies already; send one after the other"),
            ));
        }
        held.uploads += 1;
        let room = self.clone();
        Ok(Share {
            room,
            holder,
            bytes: 0,
        })
    }

    /// No memory yet, of the half for waiting bytes.
    ///
    /// # Errors
    /// Status 503 never, unless the process ends.
    pub fn reservation(&self) -> Answer<Reservation> {
        let of = self.waiting.clone();
        let permit = of.clone().try_acquire_many_owned(0);
        let permit = permit.map_err(|_| busy())?;
        Ok(Reservation { of, permit })
    }

    /// Waits for memory for work on whole items, which no sender can hold up.
    ///
    /// # Errors
    /// Status 503 where there is none for too long.
    pub async fn work(&self) -> Answer<OwnedSemaphorePermit> {
        let all = self.bounds.memory / 2;
        let permits = self.bounds.upload().min(all).div_ceil(PERMIT_BYTES) as u32;
        let waiting = self.working.clone().acquire_many_owned(permits);
        match tokio::time::timeout(self.bounds.patience, waiting).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(busy()),
        }
    }
}

/// The refusal where memory is full.
pub fn busy() -> Problem {
    let detail = "as many frames are on their way to disk as fit; send again later";
    Problem::busy("memory", detail)
}

fn too_many(holder: Holder, detail: &str) -> Problem {
    let (field, who) = match holder {
        Holder::Device(device) => ("device", device.to_string()),
        Holder::Connection(_) => ("connection", "this one".to_owned()),
    };
    Problem::new(
        StatusCode::TOO_MANY_REQUESTS,
        field,
        format!("{field}: {who} {detail}"),
    )
}

impl Reservation {
    /// Grows or shrinks to this many bytes; false, and unchanged, if there is no room.
    pub fn fit(&mut self, bytes: usize) -> bool {
        let (has, wants) = (self.permit.num_permits(), bytes.div_ceil(PERMIT_BYTES));
        if wants < has {
            drop(self.permit.split(has - wants));
            return true;
        }
        match self.of.clone().try_acquire_many_owned((wants - has) as u32) {
            Ok(more) => {
                self.permit.merge(more);
                true
            }
            Err(_) => false,
        }
    }
}

impl Share {
    /// Counts this many bytes on disk as the upload's.
    ///
    /// # Errors
    /// Status 429 for a holder that would have more than its share, 503 where all together have as many as they may.
    pub fn hold(&mut self, bytes: usize) -> Answer<()> {
        let room = self.room.clone();
        let mut holders = room.holders.lock().unwrap_or_else(PoisonError::into_inner);
        let all = holders.bytes - self.bytes + bytes;
        let held = holders.each.entry(self.holder).or_default();
        let own = held.bytes - self.bytes + bytes;
        if bytes > self.bytes && own > room.share_bytes() {
            return Err(too_many(
                self.holder,
                &format!(
                    "has begun frames of {own} bytes; allowed are {}",
                    room.share_bytes()
                ),
            ));
        }
        if bytes > self.bytes && all > room.bounds.waiting {
            return Err(busy());
        }
        held.bytes = own;
        holders.bytes = all;
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut holders = self
            .room
            .holders
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        holders.bytes -= self.bytes;
        if let Some(held) = holders.each.get_mut(&self.holder) {
            held.bytes -= self.bytes;
            held.uploads -= 1;
            if held.uploads == 0 {
                holders.each.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn room() -> Arc<Room> {
        let bounds = Bounds {
            memory: 64 << 10,
            waiting: 1000,
            connections: 4,
            uploads: 2,
            patience: Duration::from_millis(50),
            item: 100,
            frame: 100,
        };
        Arc::new(Room::new(Path::new("/nowhere"), bounds))
    }

    fn status<T>(answer: Answer<T>) -> u16 {
        answer.map_or_else(|problem| problem.status, |_| 200)
    }

    #[test]
    fn a_holder_has_so_many_uploads_and_gets_back_what_ends() {
        let room = room();
        let held = [1, 1, 2].map(|device| room.begin(Holder::Device(device)).unwrap());
        assert_eq!(status(room.begin(Holder::Device(1))), 429);
        assert_eq!(status(room.begin(Holder::Connection(1))), 200);
        drop(held);
        assert_eq!(status(room.begin(Holder::Device(1))), 200);
        assert!(room.holders.lock().unwrap().each.is_empty());
    }

    #[test]
    fn a_holder_has_its_share_of_the_disk_and_all_have_no_more_than_there_is() {
        let room = room();
        let begin = |device| room.begin(Holder::Device(device)).unwrap();
        let (mut one, mut two) = (begin(1), begin(1));
        // A share is what one upload may need: two frames and an item.
        assert_eq!((status(one.hold(200)), status(two.hold(101))), (200, 429));
        assert_eq!((status(one.hold(100)), status(two.hold(200))), (200, 200));
        let mut others = [3, 4].map(begin);
        let held = others.each_mut().map(|other| status(other.hold(300)));
        assert_eq!((held, status(begin(5).hold(101))), ([200, 200], 503));
        drop((one, two, others));
        assert_eq!(room.holders.lock().unwrap().bytes, 0);
    }

    #[tokio::test]
    async fn waiting_bytes_never_take_the_memory_for_work() {
        let room = room();
        let mut waiting = room.reservation().unwrap();
        assert!(waiting.fit(32 << 10));
        assert!(!room.reservation().unwrap().fit(1));
        assert!(waiting.fit(1) && room.reservation().unwrap().fit(31 << 10));
        let mut working = Vec::new();
        for _ in 0..32 {
            working.push(room.work().await.unwrap());
        }
        assert_eq!(status(room.work().await), 503);
        working.pop();
        assert_eq!(status(room.work().await), 200);
    }
}
