//! Files as streams: for buffers, and for writers of formats.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use crate::DiskFile;

/// Bytes of a file from an offset on.
#[derive(Debug, Clone)]
pub struct Reader {
    file: Arc<dyn DiskFile>,
    offset: u64,
}

/// Bytes that are appended to a file from an offset on.
#[derive(Debug)]
pub struct Writer {
    file: Arc<dyn DiskFile>,
    offset: u64,
}

impl Reader {
    /// A reader from this offset on.
    pub fn new(file: Arc<dyn DiskFile>, offset: u64) -> Self {
        Self { file, offset }
    }
}

impl Writer {
    /// A writer from this offset on.
    pub fn new(file: Arc<dyn DiskFile>, offset: u64) -> Self {
        Self { file, offset }
    }

    /// Offset behind the last byte that was written.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl Read for Reader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(bytes, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Seek for Reader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, by) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::End(by) => (self.file.length()?, by),
            SeekFrom::Current(by) => (self.offset, by),
        };
        let offset = base.checked_add_signed(by);
        self.offset = offset.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
