//! Files of the disk: objects, read in pieces, and files that have no object yet.

use std::fs::File;
use std::io::Result;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use isopod_disk::DiskFile;
use object_store::path::Path as Name;
use object_store::{GetOptions, GetRange, ObjectStoreExt};

use crate::connection::Connection;

/// Bytes of an object that are fetched at once.
const PIECE_BYTES: u64 = 4 << 20;

/// An object for reading.
pub(crate) struct ObjectFile {
    connection: Arc<Connection>,
    name: Name,
    length: u64,
    /// The piece that was read last, and its offset.
    piece: Mutex<(u64, Bytes)>,
}

impl ObjectFile {
    /// Opens an object, and reads its first piece.
    pub fn open(connection: Arc<Connection>, name: Name) -> Result<Self> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(0..PIECE_BYTES)),
            ..GetOptions::default()
        };
        let read = async {
            let object = connection.store.get_opts(&name, options).await?;
            let length = object.meta.size;
            Ok((length, object.bytes().await?))
        };
        let (length, first) = match connection.wait(read) {
            Ok(read) => read,
            // A store has no range of an empty object.
            Err(error) => match connection.wait(connection.store.head(&name))?.size {
                0 => (0, Bytes::new()),
                _ => return Err(error),
            },
        };
        Ok(Self {
            connection,
            name,
            length,
            piece: Mutex::new((0, first)),
        })
    }
}

impl DiskFile for ObjectFile {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<usize> {
        if offset >= self.length {
            return Ok(0);
        }
        let mut kept = self.piece.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, piece) = &*kept;
        if !(*begin..begin + piece.len() as u64).contains(&offset) {
            let end = (offset + PIECE_BYTES).min(self.length);
            let range = self.connection.store.get_range(&self.name, offset..end);
            *kept = (offset, self.connection.wait(range)?);
        }
        let (begin, piece) = &*kept;
        let from = &piece[(offset - begin) as usize..];
        let length = bytes.len().min(from.len());
        bytes[..length].copy_from_slice(&from[..length]);
        Ok(length)
    }

    fn write_at(&self, _bytes: &[u8], _offset: u64) -> Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn set_length(&self, _length: u64) -> Result<()> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    fn length(&self) -> Result<u64> {
        Ok(self.length)
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for ObjectFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ObjectFile({})", self.name)
    }
}

/// A file that has no object yet. It is durable once it has one.
#[derive(Debug)]
pub(crate) struct StagedFile(pub Arc<File>);

impl DiskFile for StagedFile {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> Result<usize> {
        FileExt::read_at(&*self.0, bytes, offset)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn set_length(&self, length: u64) -> Result<()> {
        self.0.set_len(length)
    }

    fn length(&self) -> Result<u64> {
        Ok(self.0.metadata()?.len())
    }

    fn sync(&self) -> Result<()> {
        Ok(())
    }
}
