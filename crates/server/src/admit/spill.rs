//! Bytes that wait for their sender, in a file instead of memory.
//!
//! The file has no name as soon as it is open, so that it is gone with the upload, or with the process.

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A file of places for items that wait.
pub struct Spill {
    folder: PathBuf,
    /// Most bytes of one item.
    place_bytes: usize,
    file: Option<File>,
    free: Vec<u64>,
    places: u64,
    bytes: usize,
}

/// An item, or its begin, in the file.
pub struct Place {
    number: u64,
    bytes: usize,
}

impl Place {
    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Spill {
    /// A file in this folder, made when it is first used.
    pub fn new(folder: &Path, place_bytes: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            place_bytes,
            file: None,
            free: Vec::new(),
            places: 0,
            bytes: 0,
        }
    }

    /// Bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Moves bytes here.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub fn keep(&mut self, bytes: &[u8]) -> io::Result<Place> {
        let number = self.free.pop().unwrap_or(self.places);
        self.places = self.places.max(number + 1);
        let mut place = Place { number, bytes: 0 };
        self.extend(&mut place, bytes)?;
        Ok(place)
    }

    /// Adds bytes to a place.
    ///
    /// # Errors
    /// The file cannot be written, or the place is full.
    pub fn extend(&mut self, place: &mut Place, bytes: &[u8]) -> io::Result<()> {
        if place.bytes + bytes.len() > self.place_bytes {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let at = place.number * self.place_bytes as u64 + place.bytes as u64;
        self.open()?.write_all_at(bytes, at)?;
        place.bytes += bytes.len();
        self.bytes += bytes.len();
        Ok(())
    }

    /// Takes bytes back, and frees their place.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn take(&mut self, place: Place) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; place.bytes];
        let at = place.number * self.place_bytes as u64;
        let read = self.open()?.read_exact_at(&mut bytes, at);
        self.bytes -= place.bytes;
        self.free.push(place.number);
        read.map(|()| bytes)
    }

    fn open(&mut self) -> io::Result<&File> {
        if self.file.is_none() {
            let file = tempfile::tempfile_in(&self.folder)?;
            file.set_permissions(Permissions::from_mode(0o600))?;
            self.file = Some(file);
        }
        self.file.as_ref().ok_or(io::ErrorKind::NotFound.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn places_grow_apart_are_used_again_and_have_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path(), 8);
        let mut first = spill.keep(b"ab").unwrap();
        let second = spill.keep(b"wxyz").unwrap();
        spill.extend(&mut first, b"cdefgh").unwrap();
        assert_eq!((spill.bytes(), first.bytes()), (12, 8));
        assert!(spill.extend(&mut first, b"i").is_err());
        assert_eq!(spill.take(first).unwrap(), b"abcdefgh");
        let third = spill.keep(b"12").unwrap();
        assert_eq!(spill.take(second).unwrap(), b"wxyz");
        assert_eq!(spill.take(third).unwrap(), b"12");
        let file = spill.file.as_ref().unwrap().metadata().unwrap();
        assert_eq!(
            (file.mode() & 0o777, file.nlink(), file.len()),
            (0o600, 0, 12)
        );
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}
