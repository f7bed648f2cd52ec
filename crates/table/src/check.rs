//! Checksums of data files: each file is verified before a process uses it first, and one that is damaged is used by nothing.

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::PoisonError;

use isopod_disk::{Access, Disk, Reader};

use crate::files::Added;
use crate::{Error, Result, Table};

/// Bytes that are read at once.
const BUFFER: usize = 1 << 20;
/// The system's number for sectors that cannot be read.
const EIO: i32 = 5;

impl Table {
    /// Names of data files that are damaged or missing. All are read anew, whenever they were verified last.
    ///
    /// # Errors
    /// [`Error::File`] for a disk that fails otherwise, [`Error::Log`].
    pub fn verify(&self) -> Result<Vec<String>> {
        let mut damaged = Vec::new();
        for (name, file) in &self.log.read()?.files {
            self.verified().remove(name);
            match self.check(name, file) {
                Ok(()) => {}
                // A file that was taken out meanwhile may be gone.
                Err(Error::Damaged { .. }) if !self.log.read()?.files.contains_key(name) => {}
                Err(Error::Damaged { .. }) => damaged.push(name.clone()),
                Err(error) => return Err(error),
            }
        }
        Ok(damaged)
    }

    /// Verifies a data file, unless this process has done so.
    pub(crate) fn check(&self, name: &str, file: &Added) -> Result<()> {
        if self.verified().contains(name) {
            return Ok(());
        }
        let path = self.folder.join(name);
        let damaged = |problem: &str| Error::Damaged {
            file: name.to_owned(),
            problem: problem.to_owned(),
        };
        let found = sum(&*self.disk, &path).map_err(|error| match error.kind() {
            ErrorKind::NotFound => damaged("it is missing"),
            _ if error.raw_os_error() == Some(EIO) => damaged("the disk cannot read it"),
            _ => Error::at(&path)(error),
        })?;
        let is_same = file
            .checksum
            .is_none_or(|checksum| found == (file.bytes, checksum));
        if !is_same {
            return Err(damaged(
                "its bytes are not those of its checksum in the log",
            ));
        }
        self.verified().insert(name.to_owned());
        Ok(())
    }

    fn verified(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeSet<String>> {
        self.verified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a file, and their checksum.
fn sum(disk: &dyn Disk, path: &Path) -> io::Result<(u64, u32)> {
    let mut reader = Reader::new(disk.open(path, Access::Read)?.into(), 0);
    let mut buffer = vec![0; BUFFER];
    let (mut bytes, mut checksum) = (0, 0);
    loop {
        match reader.read(&mut buffer)? {
            0 => return Ok((bytes, checksum)),
            read => {
                bytes += read as u64;
                checksum = crc32c::crc32c_append(checksum, &buffer[..read]);
            }
        }
    }
}
