//! The contexts of a key pair in the server's folder: items one behind the other, each authentic by its own tag.
//!
//! A context is on disk before it counts. Bytes that are no authentic context are passed over, so that neither a torn end nor a
//! flipped bit hides another context.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use isopod_disk::{parent, Access, Disk};
use isopod_keys::ServerKeys;
use isopod_wire::{FrameId, Submission};

use crate::{Contexts, PacketError, Result};

/// Name of the file in the server's folder.
pub const CONTEXTS_FILE: &str = "contexts";
/// Bytes up to which a file is never written anew.
const FEW_BYTES: u64 = 1 << 20;
/// The lock of a server's folder.
const LOCK: &str = ".lock";
/// Name of a file that is not finished.
const PARTIAL: &str = ".contexts.partial";

/// Contexts in memory, and their file.
pub struct Registry {
    contexts: RwLock<Contexts>,
    file: Mutex<ContextsFile>,
}

/// The file, and how far it is in memory.
struct ContextsFile {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    /// Length when it was read or written last.
    length: u64,
    /// Bytes that are no authentic context.
    damaged: u64,
}

impl Registry {
    /// Reads the contexts in a server's folder; a missing file is empty.
    ///
    /// # Errors
    /// [`PacketError::File`].
    pub fn open(disk: Arc<dyn Disk>, folder: &Path, keys: &ServerKeys) -> Result<Self> {
        let registry = Self {
            contexts: RwLock::default(),
            file: Mutex::new(ContextsFile {
                disk,
                path: folder.join(CONTEXTS_FILE),
                length: 0,
                damaged: 0,
            }),
        };
        registry.refresh(keys)?;
        Ok(registry)
    }

    /// The contexts in memory.
    pub fn contexts(&self) -> RwLockReadGuard<'_, Contexts> {
        self.contexts.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Bytes of the file that are no authentic context: a torn end, or damage. Their devices have to send theirs again.
    pub fn damaged(&self) -> u64 {
        self.file().damaged
    }

    /// Reads the file again if another process changed it. Whether it did.
    ///
    /// # Errors
    /// [`PacketError::File`].
    pub fn refresh(&self, keys: &ServerKeys) -> Result<bool> {
        self.catch_up(&mut self.file(), keys)
    }

    /// Registers a context durably, or learns from the announcement of a known one where its device is; the announced name.
    ///
    /// # Errors
    /// Those of [`Contexts::check`]; [`PacketError::File`]. Then nothing changed.
    pub fn register(&self, keys: &ServerKeys, item: &[u8]) -> Result<FrameId> {
        let mut file = self.file();
        let known = self.contexts().check(keys, item)?;
        let announced = known.announced();
        if known.changes {
            let _alone = file.lock()?;
            self.catch_up(&mut file, keys)?;
            file.shrink(&self.contexts())?;
            let registration = self.contexts().check(keys, item)?;
            file.append(item)?;
            self.contexts_mut().register(registration);
        }
        Ok(announced)
    }

    fn contexts_mut(&self) -> RwLockWriteGuard<'_, Contexts> {
        self.contexts
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn file(&self) -> MutexGuard<'_, ContextsFile> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn catch_up(&self, file: &mut ContextsFile, keys: &ServerKeys) -> Result<bool> {
        let Some(bytes) = file.changed()? else {
            return Ok(false);
        };
        file.damaged = take(&mut self.contexts_mut(), keys, &bytes);
        Ok(true)
    }
}

/// Registers the contexts in the bytes of a file; the number of bytes that are none.
fn take(contexts: &mut Contexts, keys: &ServerKeys, mut bytes: &[u8]) -> u64 {
    let mut damaged = 0;
    while !bytes.is_empty() {
        let context = match Submission::read(bytes) {
            Ok((Submission::Context { item, .. }, rest)) => contexts
                .check(keys, item)
                .ok()
                .map(|registration| (registration, rest)),
            _ => None,
        };
        bytes = match context {
            Some((registration, rest)) => {
                contexts.register(registration);
                rest
            }
            None => {
                damaged += 1;
                &bytes[1..]
            }
        };
    }
    damaged
}

impl ContextsFile {
    /// The bytes of the file, if its length is another one than before.
    fn changed(&mut self) -> Result<Option<Vec<u8>>> {
        let length = match self.disk.length(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            length => self.told(length)?,
        };
        if length == self.length {
            return Ok(None);
        }
        let mut bytes = vec![0; length as usize];
        let file = self.told(self.disk.open(&self.path, Access::Read))?;
        self.told(file.read_exact_at(&mut bytes, 0))?;
        self.length = length;
        Ok(Some(bytes))
    }

    /// Waits for the lock of the folder.
    fn lock(&self) -> Result<Box<dyn Send + Sync>> {
        self.told(self.disk.wait_for_lock(&parent(&self.path).join(LOCK)))
    }

    /// Adds an item behind all that is in the file, durably.
    fn append(&mut self, item: &[u8]) -> Result<()> {
        let appended = self.open().and_then(|file| {
            let end = file.length()?;
            file.write_at(item, end)?;
            file.sync()?;
            file.length()
        });
        self.length = self.told(appended)?;
        Ok(())
    }

    /// The file; makes it, durably, if it is missing.
    fn open(&self) -> io::Result<Box<dyn isopod_disk::DiskFile>> {
        match self.disk.open(&self.path, Access::Write) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let file = self.disk.open(&self.path, Access::New)?;
                self.disk.sync_folder(parent(&self.path))?;
                Ok(file)
            }
            opened => opened,
        }
    }

    /// Writes the file anew without announcements that others overtook, once they are most of it.
    fn shrink(&mut self, contexts: &Contexts) -> Result<()> {
        let least: usize = contexts.items().map(<[u8]>::len).sum();
        if self.length < FEW_BYTES.max(2 * least as u64) {
            return Ok(());
        }
        let bytes: Vec<u8> = contexts.items().flatten().copied().collect();
        let building = self.path.with_file_name(PARTIAL);
        let replaced = self
            .disk
            .open(&building, Access::Empty)
            .and_then(|file| file.write_at(&bytes, 0).and_then(|()| file.sync()))
            .and_then(|()| self.disk.rename(&building, &self.path))
            .and_then(|()| self.disk.sync_folder(parent(&self.path)));
        self.told(replaced)?;
        self.length = bytes.len() as u64;
        Ok(())
    }

    fn told<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| PacketError::File {
            path: self.path.clone(),
            problem: error.to_string(),
        })
    }
}
