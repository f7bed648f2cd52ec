//! Old segments leave the log for a folder `removed`, from where they can be put back, and are deleted from there later.

use std::path::{Path, PathBuf};

use crate::error::{Result, StoreError};
use crate::log::Log;
use crate::segments::Segments;
use crate::Position;

const REMOVED: &str = "removed";

impl Log {
    /// Arrival of the newest frame that the log ever had, in milliseconds since 1970; None for a log without any.
    pub fn newest(&self) -> Option<u64> {
        Some(self.shared.index().now.received).filter(|received| *received > 0)
    }

    /// Number of frames that came before this time, in milliseconds since 1970.
    ///
    /// # Errors
    /// [`StoreError::File`].
    pub fn frames_before(&self, time: u64) -> Result<u64> {
        Ok(self.first_since(time)?.1)
    }

    /// Moves segments all of whose frames came before this time into the folder `removed/NOW`; both are in milliseconds since
    /// 1970. The names of their frames stay known. Returns the number of bytes.
    ///
    /// # Errors
    /// [`StoreError::File`], [`StoreError::Full`]; then some may be moved.
    pub fn retain_since(&self, time: u64, now: u64) -> Result<u64> {
        let _alone = self.maintain();
        self.settle_removed()?;
        let begin = self.begin();
        let (young, old) = self.first_since(time)?;
        let keep = self.shared.segments.of(young).map(|(base, ..)| base);
        let keep = keep.unwrap_or(begin);
        if keep <= begin {
            return Ok(0);
        }
        let removed = old - self.count(keep, young)?;
        {
            let mut index = self.shared.index();
            index.now.totals.stored = index.now.totals.stored.saturating_sub(removed);
            index.now.begin = keep;
        }
        // From the index alone the removed frames are known.
        self.commit_index()?;
        let place = self.shared.folder.join(REMOVED).join(now.to_string());
        self.shared.segments.move_before(keep, &place)?;
        let mut index = self.shared.index();
        index.damage.retain(|damage| damage.end() > keep);
        Ok(keep - begin)
    }

    /// Deletes segments that were removed up to this time, in milliseconds since 1970. Returns the number of bytes.
    ///
    /// # Errors
    /// [`StoreError::File`]; then some may be deleted.
    pub fn forget_removed(&self, until: u64) -> Result<u64> {
        let _alone = self.maintain();
        let disk = self.shared.segments.disk.as_ref();
        let mut bytes = 0;
        for (time, folder) in self.removals()? {
            if time <= until {
                bytes += self.bytes_in(&folder)?;
                disk.remove_folder(&folder)
                    .and_then(|()| disk.sync_folder(isopod_disk::parent(&folder)))
                    .map_err(StoreError::file(&folder))?;
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
        let bytes = folders.iter().map(|(_, folder)| self.bytes_in(folder));
        bytes.sum()
    }

    /// The segments that were removed and are not deleted yet.
    pub(crate) fn removed_segments(&self) -> Result<Vec<(Position, PathBuf)>> {
        let mut found = Vec::new();
        for (_, folder) in self.removals()? {
            let disk = self.shared.segments.disk.as_ref();
            found.extend(Segments::list(disk, &folder)?);
        }
        Ok(found)
    }

    /// Counts frames that are there although they count as removed: a crash came before they were moved, or they were put back.
    pub(crate) fn settle_removed(&self) -> Result<()> {
        let (begin, counted) = (self.begin(), self.shared.index().now.begin);
        let more = match begin < counted {
            true => self.count(begin, counted)?,
            false => 0,
        };
        let mut index = self.shared.index();
        index.now.totals.stored += more;
        index.now.begin = begin;
        Ok(())
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
        let paths = match self.shared.segments.disk.list(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            paths => paths.map_err(StoreError::file(&folder))?,
        };
        let time = |path: &PathBuf| path.file_name()?.to_str()?.parse().ok();
        let times = paths.into_iter().map(|path| (time(&path), path));
        Ok(times
            .filter_map(|(time, path)| Some((time?, path)))
            .collect())
    }

    fn bytes_in(&self, folder: &Path) -> Result<u64> {
        let disk = self.shared.segments.disk.as_ref();
        let paths = disk.list(folder).map_err(StoreError::file(folder))?;
        let length = |path: &PathBuf| disk.length(path).map_err(StoreError::file(path));
        paths.iter().map(length).sum()
    }
}
