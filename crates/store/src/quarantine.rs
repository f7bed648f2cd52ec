//! The quarantine: what did not enter, as it was, with the reason; the oldest goes where it would grow beyond its bound.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use isopod_disk::Disk;
use isopod_wire::FrameId;

use crate::error::{Result, StoreError};
use crate::record::{Head, Kind, MOST_FRAME};
use crate::segments::mark::Acknowledged;
use crate::segments::records::{Records, Step};
use crate::segments::recovery::{Found, CHUNK};
use crate::segments::{Segments, Tail};

/// Bytes of a segment.
const SEGMENT_BYTES: u64 = 4 << 20;

/// Refused items in a folder.
pub struct Quarantine {
    segments: Segments,
    most: u64,
    inside: Mutex<Inside>,
}

struct Inside {
    tail: Tail,
    items: u64,
}

/// An item that did not enter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Time of arrival in milliseconds since 1970.
    pub received: u64,
    /// Name that the item claims, as far as it could be read: nothing proves it.
    pub claims: Option<FrameId>,
    /// Why it did not enter.
    pub reason: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Quarantine {
    /// Opens the quarantine in a folder, which holds at most about this number of bytes. Items that are damaged are left out.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`].
    pub fn open(disk: Arc<dyn Disk>, folder: &Path, most: u64) -> Result<Self> {
        let segments = Segments::open(disk, folder)?;
        let mut items = 0;
        let recovered = segments.recover(0, Acknowledged::default(), |found| {
            items += u64::from(matches!(found, Found::Record(..)));
            Ok(())
        })?;
        let tail = recovered.tail;
        let inside = Mutex::new(Inside { tail, items });
        Ok(Self {
            segments,
            most,
            inside,
        })
    }

    /// Keeps an item. It is not flushed: no sender was told that it is stored.
    ///
    /// # Errors
    /// [`StoreError::Full`], [`StoreError::File`].
    pub fn keep(&self, item: &Refused) -> Result<()> {
        let reason = &item.reason.as_bytes()[..item.reason.len().min(1 << 12)];
        let room = MOST_FRAME - 3 - reason.len();
        let claims = item.claims.unwrap_or(FrameId {
            device: 0,
            epoch: 0,
            sequence: 0,
        });
        let content = [
            &[u8::from(item.claims.is_some())],
            &(reason.len() as u16).to_le_bytes()[..],
            reason,
            &item.bytes[..item.bytes.len().min(room)],
        ]
        .concat();
        let head = Head::new(Kind::Refused, [0; 16], claims, &content).at_time(item.received);
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        let tail = &mut inside.tail;
        let record = [&head.bytes(tail.end)[..], &content].concat();
        let length = tail.end - tail.base;
        if let Err(error) = tail.file.write_at(&record, length) {
            let cut = tail.file.set_length(length);
            cut.map_err(StoreError::file(&tail.path))?;
            return Err(StoreError::file(&tail.path)(error));
        }
        tail.end += record.len() as u64;
        inside.items += 1;
        if inside.tail.end - inside.tail.base >= SEGMENT_BYTES {
            self.roll(&mut inside)?;
        }
        Ok(())
    }

    fn roll(&self, inside: &mut Inside) -> Result<()> {
        inside.tail = self.segments.add(inside.tail.end)?;
        let least = inside.tail.end.saturating_sub(self.most);
        let keep = self
            .segments
            .files()
            .range(least..)
            .next()
            .map(|(base, _)| *base);
        if let Some(keep) = keep {
            self.segments.remove_before(keep)?;
        }
        Ok(())
    }

    /// Number of items since the folder was opened, those among them that it held.
    pub fn items(&self) -> u64 {
        self.inside
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .items
    }

    /// Hands on the items, oldest first.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn read(&self, mut each: impl FnMut(Refused)) -> Result<()> {
        let files: Vec<_> = self.segments.files().clone().into_iter().collect();
        let mut content = Vec::new();
        for (base, path) in files {
            let disk = self.segments.disk.as_ref();
            let mut records = Records::open(disk, &path, base, 0, CHUNK)?;
            loop {
                match records.next(&mut content)? {
                    Step::Record(head) => each(refused(&head, &content)),
                    Step::Gap(_) => {}
                    Step::End => break,
                }
            }
        }
        Ok(())
    }
}

fn refused(head: &Head, content: &[u8]) -> Refused {
    let (claims, rest) = content.split_first().unwrap_or((&0, &[]));
    let (length, rest) = rest.split_at(rest.len().min(2));
    let length = length
        .iter()
        .rev()
        .fold(0, |sum, byte| 256 * sum + usize::from(*byte));
    let (reason, bytes) = rest.split_at(length.min(rest.len()));
    Refused {
        received: head.received,
        claims: (*claims == 1).then_some(head.id),
        reason: String::from_utf8_lossy(reason).into_owned(),
        bytes: bytes.to_vec(),
    }
}
