//! The file of a database: each page of 4,096 bytes under a checksum, so that a flipped bit is an error and never another answer.
//!
//! The database keeps its pages as a tree that is copied on write, and checks them at a repair alone. Here a page of 1,024
//! checksums stands before every 1,024 pages. A loss of power may tear a page and its checksum apart, but only of a page that
//! no finished commit uses. The database's header alone is written in place: its checksum lies in the same sector.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use redb::StorageBackend;

use crate::DiskFile;

const PAGE: u64 = 4096;
/// Pages behind a page of checksums.
const GROUP: u64 = PAGE / 4;
/// Bytes of the header that the database uses, at most; those behind them hold the checksum.
const HEADER: usize = 508;
const SECTOR: usize = 512;

/// A file of checked pages.
#[derive(Debug)]
pub(super) struct CheckedPages {
    file: Box<dyn DiskFile>,
    checksums: Mutex<Checksums>,
}

#[derive(Debug, Default)]
struct Checksums {
    /// Bytes that the database sees.
    length: u64,
    of_pages: Vec<u32>,
    /// Sectors of checksums that are not written.
    changed: std::collections::BTreeSet<u64>,
}

/// Where a page lies in the file.
fn place(page: u64) -> u64 {
    (page / GROUP * (GROUP + 1) + 1 + page % GROUP) * PAGE
}

/// Where a page's checksum lies in the file.
fn checksum_place(page: u64) -> u64 {
    page / GROUP * (GROUP + 1) * PAGE + page % GROUP * 4
}

/// Checksum of a page; 0 stands for a page of zeros.
fn checksum(page: &[u8]) -> u32 {
    match page.iter().all(|byte| *byte == 0) {
        true => 0,
        false => crc32c::crc32c(page).max(1),
    }
}

impl CheckedPages {
    /// Opens a file for writing. The header is written once more and flushed: after a flush that failed it may be in memory
    /// alone, and the pages of the commit before it must not be used again while it is.
    pub fn open(file: Box<dyn DiskFile>) -> io::Result<Self> {
        if file.length()? >= place(1) {
            let mut sector = [0; SECTOR];
            file.read_exact_at(&mut sector, place(0))?;
            file.write_at(&sector, place(0))?;
            file.sync()?;
        }
        Self::read(file)
    }

    /// Reads the checksums of a file.
    pub fn read(file: Box<dyn DiskFile>) -> io::Result<Self> {
        // A page that a loss of power cut is behind all that a finished commit uses.
        let pages = file.length()? / PAGE;
        let groups = pages.div_ceil(GROUP + 1);
        let count = pages - groups;
        let mut of_pages = Vec::with_capacity(count as usize);
        for group in 0..groups {
            let mut bytes = [0; PAGE as usize];
            let left = count - group * GROUP;
            file.read_exact_at(&mut bytes[..], group * (GROUP + 1) * PAGE)?;
            let number = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap_or_default());
            let numbers = bytes.chunks_exact(4).take(left.min(GROUP) as usize);
            of_pages.extend(numbers.map(number));
        }
        let checksums = Checksums {
            length: count * PAGE,
            of_pages,
            ..Checksums::default()
        };
        Ok(Self {
            file,
            checksums: Mutex::new(checksums),
        })
    }

    fn checksums(&self) -> MutexGuard<'_, Checksums> {
        self.checksums
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a page that is as it was written.
    fn page(&self, number: u64, page: &mut [u8; PAGE as usize]) -> io::Result<()> {
        let known = self.checksums().of_pages.get(number as usize).copied();
        self.file.read_exact_at(&mut page[..], place(number))?;
        let is_whole = match number {
            0 => {
                let stored: [u8; 4] = page[HEADER..SECTOR].try_into().unwrap_or_default();
                let found = checksum(&page[..HEADER]);
                page[HEADER..SECTOR].fill(0);
                found.to_le_bytes() == stored && page[SECTOR..].iter().all(|byte| *byte == 0)
            }
            _ => known == Some(checksum(page)),
        };
        match is_whole {
            true => Ok(()),
            false => Err(damaged(number)),
        }
    }

    /// Writes a page and remembers its checksum.
    fn put(&self, number: u64, page: &[u8; PAGE as usize]) -> io::Result<()> {
        if number == 0 {
            let mut sector = [0; SECTOR];
            sector[..HEADER].copy_from_slice(&page[..HEADER]);
            let sum = checksum(&page[..HEADER]);
            sector[HEADER..].copy_from_slice(&sum.to_le_bytes());
            return self.file.write_at(&sector, place(0));
        }
        self.file.write_at(page, place(number))?;
        let mut checksums = self.checksums();
        checksums.set(number, checksum(page));
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        let mut checksums = self.checksums();
        for &sector in &checksums.changed {
            let first = sector * (SECTOR as u64 / 4);
            let numbers = checksums.of_pages.iter().skip(first as usize);
            let mut bytes: Vec<u8> = numbers
                .take(SECTOR / 4)
                .flat_map(|number| number.to_le_bytes())
                .collect();
            bytes.resize(SECTOR, 0);
            self.file.write_at(&bytes, checksum_place(first))?;
        }
        checksums.changed.clear();
        drop(checksums);
        self.file.sync()
    }

    fn resize(&self, length: u64) -> io::Result<()> {
        let pages = length.div_ceil(PAGE);
        let end = match pages {
            0 => 0,
            _ => place(pages - 1) + PAGE,
        };
        self.file.set_length(end)?;
        let mut checksums = self.checksums();
        let before = checksums.of_pages.len() as u64;
        checksums.of_pages.resize(pages as usize, 0);
        for page in pages.min(before)..pages.max(before) {
            checksums.changed.insert(page / (SECTOR as u64 / 4));
        }
        checksums
            .changed
            .retain(|sector| sector * (SECTOR as u64 / 4) < pages);
        checksums.length = length;
        Ok(())
    }
}

impl Checksums {
    fn set(&mut self, page: u64, checksum: u32) {
        if let Some(known) = self.of_pages.get_mut(page as usize) {
            *known = checksum;
            self.changed.insert(page / (SECTOR as u64 / 4));
        }
    }
}

fn damaged(page: u64) -> io::Error {
    let problem = format!("page {page} is damaged");
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

impl StorageBackend for CheckedPages {
    fn len(&self) -> io::Result<u64> {
        Ok(self.checksums().length)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut page = [0; PAGE as usize];
        let mut at = 0;
        while at < out.len() {
            let position = offset + at as u64;
            let within = (position % PAGE) as usize;
            let count = (out.len() - at).min(PAGE as usize - within);
            self.page(position / PAGE, &mut page)?;
            out[at..at + count].copy_from_slice(&page[within..within + count]);
            at += count;
        }
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.resize(length)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.flush()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut page = [0; PAGE as usize];
        let mut at = 0;
        while at < data.len() {
            let position = offset + at as u64;
            let (number, within) = (position / PAGE, (position % PAGE) as usize);
            let count = (data.len() - at).min(PAGE as usize - within);
            match (number, count as u64) {
                (_, PAGE) => {}
                // The database writes its header whole, and nothing else of the first page.
                (0, _) if within == 0 => page.fill(0),
                _ => self.page(number, &mut page)?,
            }
            page[within..within + count].copy_from_slice(&data[at..at + count]);
            self.put(number, &page)?;
            at += count;
        }
        Ok(())
    }
}
