//! Files that a program keeps for itself: a magic text, the content, and SHA3-256 of both. What is torn or foreign is refused.

use std::io;
use std::path::Path;

use isopod_disk::Disk;
use isopod_wire::KeyId;
use sha3::{Digest, Sha3_256};

use crate::error::{KeysError, Result};
use crate::files::replace;
use crate::key_name::key_name;

/// First bytes of a file.
pub(crate) type Magic = [u8; 8];

/// Bytes of the digest at the end.
const DIGEST: usize = 32;

/// Largest file, in bytes.
pub(crate) const MOST_BYTES: u64 = 1 << 28;

/// Reads the content of the file; None if there is none.
///
/// Errors: [`KeysError::Record`], [`KeysError::TooLarge`], [`KeysError::File`].
pub(crate) fn read(disk: &dyn Disk, path: &Path, magic: &Magic) -> Result<Option<Vec<u8>>> {
    let mut bytes = match isopod_disk::read(disk, path, MOST_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::FileTooLarge => return Err(too_large(path)),
        read => read.map_err(KeysError::file(path))?,
    };
    if !bytes.starts_with(magic) {
        return Err(problem(path, "not a file of this kind"));
    }
    let end = bytes.len().saturating_sub(DIGEST);
    if end < magic.len() || Sha3_256::digest(&bytes[..end])[..] != bytes[end..] {
        return Err(problem(path, "torn or changed, its digest does not match"));
    }
    bytes.truncate(end);
    bytes.drain(..magic.len());
    Ok(Some(bytes))
}

/// Writes the content durably: when this returns, it is on disk. The caller holds the lock of the folder.
///
/// Errors: [`KeysError::TooLarge`], [`KeysError::File`]; the old content is there still.
pub(crate) fn write(disk: &dyn Disk, path: &Path, magic: &Magic, content: &[u8]) -> Result<()> {
    let bytes = bytes(magic, content);
    if bytes.len() as u64 > MOST_BYTES {
        return Err(too_large(path));
    }
    replace(disk, path, &bytes)
}

fn too_large(path: &Path) -> KeysError {
    let (path, most) = (path.to_owned(), MOST_BYTES);
    KeysError::TooLarge { path, most }
}

/// The bytes of a file.
pub(crate) fn bytes(magic: &Magic, content: &[u8]) -> Vec<u8> {
    let mut bytes = [magic, content].concat();
    let digest = Sha3_256::digest(&bytes);
    bytes.extend(digest);
    bytes
}

/// The refusal of a file.
pub(crate) fn problem(path: &Path, problem: &str) -> KeysError {
    KeysError::Record {
        path: path.to_owned(),
        problem: problem.to_owned(),
    }
}

/// The refusal of a file of another key pair.
pub(crate) fn other_pair(path: &Path, found: &KeyId, wanted: &KeyId) -> KeysError {
    let (found, wanted) = (key_name(found), key_name(wanted));
    let text = format!("of another key pair, {found}; allowed is {wanted}");
    problem(path, &text)
}

/// Numbers of a content, little endian, one after the other.
pub(crate) struct Numbers<'a>(pub(crate) &'a [u8]);

impl Numbers<'_> {
    /// The next bytes; None at the end.
    pub(crate) fn bytes<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*first)
    }

    /// The next number of 32 bits.
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    /// The next number of 64 bits.
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.bytes().map(u64::from_le_bytes)
    }
}
