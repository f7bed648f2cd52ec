//! The disk: names of files and folders as names of objects.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::TryStreamExt;
use isopod_disk::{Access, Disk, DiskFile};
use object_store::path::Path as Name;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload, WriteMultipart};

use crate::connection::Connection;
use crate::file::{ObjectFile, StagedFile};

/// Bytes of an object that are sent in one request.
const PART_BYTES: u64 = 8 << 20;
/// Parts of an object that are sent at the same time.
const PARTS: usize = 2;

/// The objects of a store as a disk. Its calls wait for the store: they are made in threads that may wait.
pub struct ObjectDisk {
    connection: Arc<Connection>,
    /// Files that have no object yet, by their temporary names.
    staged: Mutex<BTreeMap<PathBuf, Arc<File>>>,
    /// Folder of this machine that their bytes are in.
    folder: PathBuf,
}

impl ObjectDisk {
    /// The disk of a store. Files that are being written are in a folder of this machine, without names.
    ///
    /// # Errors
    /// The folder or a thread cannot be made.
    pub fn new(store: Arc<dyn ObjectStore>, folder: &Path) -> Result<Self> {
        isopod_disk::system().make_folder(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            connection: Arc::new(Connection::new(store)?),
            staged: Mutex::default(),
        })
    }

    fn staged(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Arc<File>>> {
        self.staged.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn staged_file(&self, path: &Path) -> Result<Arc<File>> {
        let staged = self.staged().get(path).cloned();
        staged.ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Writes the object of a staged file, in place of another one or as a new one.
    fn put(&self, file: &File, to: &Path, mode: PutMode) -> Result<()> {
        let length = file.metadata()?.len();
        let name = name(to)?;
        if length > PART_BYTES && mode == PutMode::Overwrite {
            return self.put_parts(file, length, &name);
        }
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| ErrorKind::FileTooLarge)?];
        file.read_exact_at(&mut bytes, 0)?;
        let payload = PutPayload::from_bytes(bytes.into());
        let options = PutOptions::from(mode);
        let store = &self.connection.store;
        self.connection
            .wait(store.put_opts(&name, payload, options))
            .map(drop)
    }

    fn put_parts(&self, file: &File, length: u64, name: &Name) -> Result<()> {
        let upload = self
            .connection
            .wait(self.connection.store.put_multipart(name))?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART_BYTES as usize);
        let mut at = 0;
        while at < length {
            let mut part = vec![0; (length - at).min(PART_BYTES) as usize];
            file.read_exact_at(&mut part, at)?;
            at += part.len() as u64;
            self.connection.wait(upload.wait_for_capacity(PARTS))?;
            let _in_runtime = self.connection.enter();
            upload.put(Bytes::from(part));
        }
        self.connection.wait(upload.finish()).map(drop)
    }
}

impl Disk for ObjectDisk {
    fn open(&self, path: &Path, access: Access) -> Result<Box<dyn DiskFile>> {
        let staged = self.staged().get(path).cloned();
        match (access, staged) {
            (Access::Read | Access::Write, Some(file)) => Ok(Box::new(StagedFile(file))),
            (Access::Read, None) => {
                let file = ObjectFile::open(self.connection.clone(), name(path)?)?;
                Ok(Box::new(file))
            }
            (Access::New, Some(_)) => Err(ErrorKind::AlreadyExists.into()),
            (Access::New | Access::Empty, _) if is_temporary(path) => {
                let file = Arc::new(tempfile::tempfile_in(&self.folder)?);
                self.staged().insert(path.to_owned(), file.clone());
                Ok(Box::new(StagedFile(file)))
            }
            _ => Err(unsupported("changes within an object")),
        }
    }

    fn lock(&self, _path: &Path) -> Result<Box<dyn Send + Sync>> {
        Err(unsupported("locks"))
    }

    fn wait_for_lock(&self, _path: &Path) -> Result<Box<dyn Send + Sync>> {
        Err(unsupported("locks"))
    }

    fn rename(&self, from: &Path, to: &Path) -> Result<()> {
        let file = self.staged_file(from)?;
        self.put(&file, to, PutMode::Overwrite)?;
        self.staged().remove(from);
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> Result<()> {
        self.put(&*self.staged_file(from)?, to, PutMode::Create)
    }

    fn remove(&self, path: &Path) -> Result<()> {
        if self.staged().remove(path).is_some() {
            return Ok(());
        }
        let name = name(path)?;
        // A store deletes a name that no object has without a word.
        self.connection.wait(self.connection.store.head(&name))?;
        self.connection.wait(self.connection.store.delete(&name))
    }

    fn make_folder(&self, _path: &Path) -> Result<()> {
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> Result<()> {
        self.staged().retain(|staged, _| !staged.starts_with(path));
        let store = &self.connection.store;
        let prefix = name(path)?;
        let names = store.list(Some(&prefix)).map_ok(|object| object.location);
        let names: Vec<Name> = self.connection.wait(names.try_collect())?;
        for name in names {
            self.connection.wait(store.delete(&name))?;
        }
        Ok(())
    }

    fn list(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let store = &self.connection.store;
        let prefix = name(folder)?;
        let found = self
            .connection
            .wait(store.list_with_delimiter(Some(&prefix)))?;
        let objects = found.objects.into_iter().map(|object| object.location);
        let names = objects.chain(found.common_prefixes);
        let path = |name: Name| Path::new("/").join(name.as_ref());
        let mut paths: Vec<PathBuf> = names.map(path).collect();
        let staged = self.staged();
        let here = staged.keys().filter(|path| path.parent() == Some(folder));
        paths.extend(here.cloned());
        paths.sort_unstable();
        Ok(paths)
    }

    fn sync_folder(&self, _folder: &Path) -> Result<()> {
        Ok(())
    }

    fn length(&self, path: &Path) -> Result<u64> {
        if let Ok(file) = self.staged_file(path) {
            return Ok(file.metadata()?.len());
        }
        let name = name(path)?;
        let object = self.connection.wait(self.connection.store.head(&name))?;
        Ok(object.size)
    }
}

impl fmt::Debug for ObjectDisk {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "ObjectDisk({})", self.connection.store)
    }
}

/// Whether a file of this name is not finished.
fn is_temporary(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with('.') || name.ends_with(".partial"))
}

/// Name of the object of a path.
fn name(path: &Path) -> Result<Name> {
    let text = path.to_str().ok_or(ErrorKind::InvalidInput)?;
    Name::parse(text.trim_start_matches('/'))
        .map_err(|error| Error::new(ErrorKind::InvalidInput, error))
}

fn unsupported(what: &str) -> Error {
    let detail = format!("an object store has no {what}; allowed is a local disk");
    Error::new(ErrorKind::Unsupported, detail)
}
