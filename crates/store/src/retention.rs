//! Old segments leave the log for a folder `removed`, from where they can be put back, and are deleted from there later.
//!
//! The file `gone` counts the frames that were removed or deleted, so that the number of those that are stored needs no pass over
//! the log.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::{Result, StoreError};
use crate::files::{make_folder, replace, sync_folder};
use crate::log::Log;
use crate::segments::Segments;
use crate::shared::Gone;
use crate::Position;

const MAGIC: &[u8; 8] = b"ISOPODG1";
const GONE: &str = "gone";
const REMOVED: &str = "removed";

impl Gone {
    fn read(folder: &Path) -> Option<Self> {
        let bytes = fs::read(folder.join(GONE)).ok()?;
        let (content, crc) = bytes.split_last_chunk()?;
        let numbers = content.strip_prefix(MAGIC)?;
        let (begin, frames) = numbers.split_first_chunk()?;
        let is_whole = crc32c::crc32c(content) == u32::from_le_bytes(*crc);
        is_whole.then_some(Self {
            begin: u64::from_le_bytes(*begin),
            frames: u64::from_le_bytes(frames.try_into().ok()?),
        })
    }

    fn write(self, folder: &Path) -> Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(self.begin.to_le_bytes());
        bytes.extend(self.frames.to_le_bytes());
        let crc = crc32c::crc32c(&bytes);
        bytes.extend(crc.to_le_bytes());
        replace(&folder.join(GONE), |file| file.write_all(&bytes))
    }
}

impl Log {
    /// Arrival of the newest frame that the log ever had, in milliseconds since 1970; None for a log without any.
    pub fn newest(&self) -> Option<u64> {
        Some(self.shared.index().received).filter(|received| *received > 0)
    }

    /// Frames that were stored, and that retention or a deletion took since.
    pub fn gone(&self) -> u64 {
        self.shared.gone().frames
    }

    /// Number of frames that came before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError::Damaged`], [`StoreError::File`].
    pub fn frames_before(&self, time: u64) -> Result<u64> {
        Ok(self.first_since(time)?.1)
    }

    /// Moves segments all of whose frames came before this time into the folder `removed/NOW`; both are in milliseconds since
    /// 1970. The names of their frames stay known. Returns the number of bytes.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`], [`StoreError::Damaged`]; then some may be moved.
    pub fn retain_since(&self, time: u64, now: u64) -> Result<u64> {
        let _alone = self.maintain();
        self.settle_gone()?;
        let begin = self.begin();
        let (young, old) = self.first_since(time)?;
        let last_begin = |at| {
            self.shared
                .segments
                .files()
                .range(..=at)
                .next_back()
                .map(|(base, _)| *base)
        };
        let keep = last_begin(young).unwrap_or(begin);
        if keep <= begin {
            return Ok(0);
        }
        // From the checkpoint alone the removed frames are known.
        self.shared.index().write(&self.shared.folder)?;
        let frames = old - self.count(keep, young)?;
        self.count_gone(keep, frames)?;
        let place = self.shared.folder.join(REMOVED).join(now.to_string());
        make_folder(&place)?;
        self.shared.segments.move_before(keep, &place)?;
        Ok(keep - begin)
    }

    /// Deletes segments that were removed up to this time, in milliseconds since 1970. Returns the number of bytes.
    ///
    /// # Errors
    /// [`StoreError::File`]; then some may be deleted.
    pub fn forget_removed(&self, until: u64) -> Result<u64> {
        let _alone = self.maintain();
        let mut bytes = 0;
        for (time, folder) in self.removals()? {
            if time <= until {
                bytes += bytes_in(&folder)?;
                fs::remove_dir_all(&folder).map_err(StoreError::file(&folder))?;
            }
        }
        Ok(bytes)
    }

    /// Bytes of the segments that were removed and are not deleted yet.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn removed_bytes(&self) -> Result<u64> {
        let folders = self.removals()?;
        folders.iter().map(|(_, folder)| bytes_in(folder)).sum()
    }

    /// The segments that were removed and are not deleted yet.
    pub(crate) fn removed_segments(&self) -> Result<Vec<(Position, PathBuf)>> {
        let mut found = Vec::new();
        for (_, folder) in self.removals()? {
            found.extend(Segments::list(&folder)?);
        }
        Ok(found)
    }

    /// Counts frames that leave the log; those before `begin` are all gone.
    pub(crate) fn count_gone(&self, begin: Position, frames: u64) -> Result<()> {
        let mut gone = self.shared.gone();
        if frames == 0 && begin <= gone.begin {
            return Ok(());
        }
        let counted = Gone {
            begin: gone.begin.max(begin),
            frames: gone.frames + frames,
        };
        counted.write(&self.shared.folder)?;
        *gone = counted;
        Ok(())
    }

    /// Reads the count of frames that are gone, or makes it by a pass over the log. A log that cannot be counted opens all the
    /// same.
    pub(crate) fn open_gone(&self) {
        let read = Gone::read(&self.shared.folder).filter(|gone| gone.begin >= self.begin());
        *self.shared.gone() = read.unwrap_or_default();
        let settled = match read {
            Some(_) => self.settle_gone(),
            None => self.recount_gone(),
        };
        // The next start counts again.
        let _ = settled;
    }

    fn recount_gone(&self) -> Result<()> {
        let taken: u64 = {
            let index = self.shared.index();
            index.devices.values().map(|device| device.frames).sum()
        };
        let frames = taken.saturating_sub(self.count(0, self.end())?);
        self.set_gone(frames)
    }

    /// Takes frames out of the count that are there all the same: a crash came before they were moved, or they were put back.
    fn settle_gone(&self) -> Result<()> {
        let gone = *self.shared.gone();
        let begin = self.begin();
        if begin >= gone.begin {
            return Ok(());
        }
        self.set_gone(gone.frames.saturating_sub(self.count(begin, gone.begin)?))
    }

    fn set_gone(&self, frames: u64) -> Result<()> {
        let begin = self.begin();
        let gone = Gone { begin, frames };
        *self.shared.gone() = gone;
        gone.write(&self.shared.folder)
    }

    /// Number of frames between two positions.
    fn count(&self, from: Position, to: Position) -> Result<u64> {
        let mut count = 0;
        for head in self.frames(from).heads() {
            if head?.0 >= to {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Position of the first frame that came at this time or later, and the number of frames before it. Times are in order.
    fn first_since(&self, time: u64) -> Result<(Position, u64)> {
        let mut old = 0;
        let end = self.end();
        for head in self.frames(0).heads() {
            let (position, head) = head?;
            if head.received >= time {
                return Ok((position, old));
            }
            old += 1;
        }
        Ok((end, old))
    }

    /// Folders of removed segments, each with the time of the removal.
    fn removals(&self) -> Result<Vec<(u64, PathBuf)>> {
        let folder = self.shared.folder.join(REMOVED);
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(StoreError::file(&folder))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(StoreError::file(&folder))?.path();
            let name = path.file_name().and_then(|name| name.to_str());
            if let Some(time) = name.and_then(|name| name.parse().ok()) {
                found.push((time, path));
            }
        }
        Ok(found)
    }
}

impl Segments {
    /// Moves the segments before this one into a folder, the first one first, so that those that are left follow each other.
    fn move_before(&self, base: Position, into: &Path) -> Result<()> {
        let files = self.files().clone();
        for (base, path) in files.range(..base) {
            let name = path.file_name().unwrap_or_default();
            fs::rename(path, into.join(name)).map_err(StoreError::file(path))?;
            self.change(|files| {
                files.remove(base);
            });
        }
        // The new names must be durable before the old ones are gone for good.
        for folder in into.ancestors().take(3) {
            sync_folder(folder)?;
        }
        Ok(())
    }
}

fn bytes_in(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(StoreError::file(folder))? {
        let metadata = entry.and_then(|entry| entry.metadata());
        bytes += metadata.map_err(StoreError::file(folder))?.len();
    }
    Ok(bytes)
}
