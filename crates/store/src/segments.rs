//! Segments: files of consecutive records, each named by the position of its first byte.
//!
//! A segment begins with 16 bytes, a magic text and its own position. Only the last one grows. Its end may be torn after a crash:
//! what follows the last whole record is kept beside it and cut off.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

use crate::error::{Result, StoreError};
use crate::files::{create, make_folder, sync_folder};
use crate::record::{Head, HEAD};
use crate::Position;

const MAGIC: &[u8; 8] = b"ISOPODL1";
/// Bytes before the first record.
pub(crate) const BEGIN: u64 = 16;
const ENDING: &str = "segment";

/// The files of a log, by the position at which each begins.
pub(crate) struct Segments {
    folder: PathBuf,
    files: RwLock<BTreeMap<Position, PathBuf>>,
}

/// The end of the last segment, where records are appended.
pub(crate) struct Tail {
    pub file: File,
    pub path: PathBuf,
    pub base: Position,
    pub end: Position,
}

impl Tail {
    fn go_to_end(&mut self) -> Result<()> {
        let sought = self.file.seek(SeekFrom::Start(self.end - self.base));
        sought.map(drop).map_err(StoreError::file(&self.path))
    }
}

/// Bytes behind the last whole record, as a crash left them.
pub(crate) struct TornTail {
    pub bytes: u64,
    pub kept: PathBuf,
}

impl Segments {
    /// Opens the folder, and makes it. The segments must follow each other.
    pub fn open(folder: &Path) -> Result<Self> {
        make_folder(folder)?;
        let segments = Self {
            folder: folder.to_owned(),
            files: RwLock::new(Self::list(folder)?),
        };
        segments.check_order()?;
        Ok(segments)
    }

    /// The segments in a folder.
    pub fn list(folder: &Path) -> Result<BTreeMap<Position, PathBuf>> {
        let mut files = BTreeMap::new();
        let entries = fs::read_dir(folder).map_err(StoreError::file(folder))?;
        for entry in entries {
            let path = entry.map_err(StoreError::file(folder))?.path();
            let is_segment = path.extension().is_some_and(|ending| ending == ENDING);
            let base = path
                .file_stem()
                .and_then(|name| name.to_str()?.parse().ok());
            if let (true, Some(base)) = (is_segment, base) {
                files.insert(base, path);
            }
        }
        Ok(files)
    }

    fn check_order(&self) -> Result<()> {
        let files = self.files();
        for ((base, path), (next, _)) in files.iter().zip(files.iter().skip(1)) {
            let length = path.metadata().map_err(StoreError::file(path))?.len();
            if base + length != *next {
                return Err(StoreError::damaged(
                    path,
                    length,
                    "the next segment does not follow",
                ));
            }
        }
        Ok(())
    }

    pub fn files(&self) -> RwLockReadGuard<'_, BTreeMap<Position, PathBuf>> {
        self.files.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn change(&self, change: impl FnOnce(&mut BTreeMap<Position, PathBuf>)) {
        change(&mut self.files.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The position of the first byte that is kept.
    pub fn begin(&self) -> Position {
        self.files().keys().next().copied().unwrap_or(0)
    }

    /// The last segment; the first one of a new log.
    pub fn last(&self) -> Result<(Position, PathBuf)> {
        let last = self
            .files()
            .iter()
            .next_back()
            .map(|(base, path)| (*base, path.clone()));
        match last {
            Some(last) => Ok(last),
            None => self.add(0).map(|tail| (tail.base, tail.path)),
        }
    }

    /// Makes a segment at this position, durably.
    pub fn add(&self, base: Position) -> Result<Tail> {
        let path = self.folder.join(format!("{base:020}.{ENDING}"));
        let mut file = create(&path)?;
        let written = file
            .write_all(&begin(base))
            .and_then(|()| file.sync_all())
            .map_err(StoreError::file(&path))
            .and_then(|()| sync_folder(&self.folder));
        if let Err(error) = written {
            // A segment that could not be begun holds nothing.
            let _ = fs::remove_file(&path);
            return Err(error);
        }
        self.change(|files| {
            files.insert(base, path.clone());
        });
        let end = base + BEGIN;
        Ok(Tail {
            file,
            path,
            base,
            end,
        })
    }

    /// Opens the last segment for appending: hands its records from `from` on to `each`, and cuts off a torn record.
    pub fn recover(
        &self,
        from: Position,
        mut each: impl FnMut(&Head),
    ) -> Result<(Tail, Option<TornTail>)> {
        let (last, path) = self.last()?;
        if path.metadata().map_err(StoreError::file(&path))?.len() < BEGIN {
            // The crash came before the first record.
            let tail = self.add(last)?;
            return Ok((tail, None));
        }
        self.check_earlier(last, from, &mut each)?;
        let end = Scan::open(&path, last, from)?.run(&mut each)?;
        let options = File::options().read(true).write(true).open(&path);
        let mut tail = Tail {
            file: options.map_err(StoreError::file(&path))?,
            path,
            base: last,
            end,
        };
        let torn = self.cut_torn(&mut tail)?;
        tail.go_to_end()?;
        Ok((tail, torn))
    }

    /// Cuts off the bytes behind the end.
    fn cut_torn(&self, tail: &mut Tail) -> Result<Option<TornTail>> {
        let metadata = tail.file.metadata();
        let length = metadata.map_err(StoreError::file(&tail.path))?.len();
        match length.checked_sub(tail.end - tail.base) {
            None => {
                let problem = "shorter than the index says";
                Err(StoreError::damaged(&tail.path, length, problem))
            }
            Some(0) => Ok(None),
            Some(bytes) => self.cut(tail, bytes).map(Some),
        }
    }

    /// Hands on the records from a position on of the segments before the last, all of which must be whole.
    fn check_earlier(
        &self,
        last: Position,
        from: Position,
        each: &mut impl FnMut(&Head),
    ) -> Result<()> {
        let files = self.files().clone();
        for (&base, path) in files.range(..last) {
            let length = path.metadata().map_err(StoreError::file(path))?.len();
            if base + length <= from {
                continue;
            }
            let end = Scan::open(path, base, from)?.run(each)?;
            if end != base + length {
                let problem = "no record, and it is not the last segment";
                return Err(StoreError::damaged(path, end - base, problem));
            }
        }
        Ok(())
    }

    /// Copies the torn bytes into a file of their own, and then cuts them off.
    fn cut(&self, tail: &mut Tail, bytes: u64) -> Result<TornTail> {
        let kept = self.folder.join(format!("{:020}.torn", tail.end));
        let mut copy = create(&kept)?;
        let length = tail.end - tail.base;
        tail.file
            .seek(SeekFrom::Start(length))
            .map_err(StoreError::file(&tail.path))?;
        std::io::copy(&mut tail.file, &mut copy)
            .and_then(|_| copy.sync_all())
            .map_err(StoreError::file(&kept))?;
        tail.file
            .set_len(length)
            .and_then(|()| tail.file.sync_all())
            .map_err(StoreError::file(&tail.path))?;
        Ok(TornTail { bytes, kept })
    }

    /// Removes the segments before this one.
    pub fn remove_before(&self, base: Position) -> Result<Vec<Position>> {
        let old: Vec<_> = self
            .files()
            .range(..base)
            .map(|(base, path)| (*base, path.clone()))
            .collect();
        for (base, path) in &old {
            fs::remove_file(path).map_err(StoreError::file(path))?;
            self.change(|files| {
                files.remove(base);
            });
        }
        sync_folder(&self.folder)?;
        Ok(old.into_iter().map(|(base, _)| base).collect())
    }
}

fn begin(base: Position) -> [u8; BEGIN as usize] {
    let mut bytes = [0; BEGIN as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..].copy_from_slice(&base.to_le_bytes());
    bytes
}

/// Refuses a file that is no segment of this position.
pub(crate) fn check_begin(path: &Path, base: Position, file: &mut impl Read) -> Result<()> {
    let mut found = [0; BEGIN as usize];
    file.read_exact(&mut found)
        .map_err(StoreError::file(path))?;
    match found == begin(base) {
        true => Ok(()),
        false => Err(StoreError::damaged(
            path,
            0,
            "not a segment of this position",
        )),
    }
}

/// A pass over the records of a segment, all of them verified.
pub(crate) struct Scan<'a> {
    path: &'a Path,
    file: BufReader<File>,
    at: Position,
}

impl<'a> Scan<'a> {
    /// A pass from this position on, if it is in the segment; from the first record if it is before.
    pub fn open(path: &'a Path, base: Position, from: Position) -> Result<Self> {
        let file = File::open(path).map_err(StoreError::file(path))?;
        let mut file = BufReader::with_capacity(1 << 20, file);
        check_begin(path, base, &mut file)?;
        let at = from.max(base + BEGIN);
        file.seek(SeekFrom::Start(at - base))
            .map_err(StoreError::file(path))?;
        Ok(Self { path, file, at })
    }

    /// Hands on every record; the position behind the last whole one.
    pub fn run(mut self, each: &mut impl FnMut(&Head)) -> Result<Position> {
        let mut frame = Vec::new();
        while let Some(head) = self.next(&mut frame)? {
            each(&head);
        }
        Ok(self.at)
    }

    /// The next whole record; None at the end, or at bytes that are none.
    pub fn next(&mut self, frame: &mut Vec<u8>) -> Result<Option<Head>> {
        let mut head = [0; HEAD];
        if !self.fill(&mut head)? {
            return Ok(None);
        }
        let Some(head) = Head::read(&head) else {
            return Ok(None);
        };
        frame.resize(head.length as usize, 0);
        if !self.fill(frame)? || !head.verifies(frame) {
            return Ok(None);
        }
        self.at += head.record_bytes();
        Ok(Some(head))
    }

    /// Fills the buffer; false at the end of the file.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<bool> {
        match self.file.read_exact(buffer) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(StoreError::file(self.path)(error)),
        }
    }
}
