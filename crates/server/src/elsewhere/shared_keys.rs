//! State of the folders of keys that servers of the same tables share: which devices are revoked, and which frames entered an
//! answer.
//!
//! Revocations only grow, and each is a file of its own. The memory of answers is one file a version: a server takes the newest
//! one before it answers, and its answer leaves only if its own version is the next one. Of two servers that answer at the same
//! time, one begins once more.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use isopod_disk::{Access, Disk, SystemDisk};
use isopod_keys::{enter_revocations, key_name, Revocation, REPLAY_FILE};
use isopod_stream::Folders;
use isopod_wire::KeyId;
use sha3::{Digest, Sha3_256};

use crate::pairs::{Pair, Pairs};

/// Most bytes of a memory of answers.
const MOST_BYTES: u64 = 4 << 30;
/// Versions of a memory that stay.
const KEPT: usize = 3;

/// The newest frame of a revoked device that is taken still; None for none of them.
type Kept = Option<(u32, u64)>;

/// The shared state of all key pairs.
pub struct SharedKeys {
    disk: Arc<dyn Disk>,
    folder: PathBuf,
    /// The memory in the server's own folder, by key pair. Held while an answer is made.
    known: Mutex<BTreeMap<KeyId, Known>>,
}

/// A memory of answers.
#[derive(Debug, Clone, Copy)]
struct Known {
    version: u64,
    digest: [u8; 32],
}

/// The right to answer: nobody else of this server does meanwhile.
pub struct Turn<'a> {
    shared: &'a SharedKeys,
    known: MutexGuard<'a, BTreeMap<KeyId, Known>>,
}

impl SharedKeys {
    /// Opens what is shared beside tables, and takes what is newer than the server's own.
    ///
    /// # Errors
    /// The disk's; a memory that is damaged.
    pub fn open(folders: &Folders, pairs: &Pairs) -> Result<Self> {
        let shared = Self {
            disk: folders.disk.clone(),
            folder: folders.root.join("shared"),
            known: Mutex::default(),
        };
        for pair in pairs.all() {
            shared.exchange_revocations(pair)?;
            shared.turn().begin(pair)?;
        }
        Ok(shared)
    }

    fn of(&self, pair: &Pair, name: &str) -> PathBuf {
        let key = key_name(&pair.server.key_id());
        self.folder.join(key).join(name)
    }

    /// Waits for the right to answer.
    pub fn turn(&self) -> Turn<'_> {
        let known = self.known.lock();
        Turn {
            shared: self,
            known: known.unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Tells the other servers of devices that were revoked here, and learns of theirs.
    ///
    /// # Errors
    /// The disk's.
    pub fn exchange_revocations(&self, pair: &Pair) -> Result<()> {
        let folder = self.of(pair, "revoked");
        let own = pair.revoked()?;
        let mut theirs: BTreeMap<u64, Kept> = BTreeMap::new();
        for path in self.listed(&folder)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if let Some(Revocation { device, kept }) = revocation(&name) {
                let strictest = theirs.entry(device).or_insert(kept);
                *strictest = kept.min(*strictest);
            }
        }
        for entry in own.devices() {
            if theirs
                .get(&entry.device)
                .is_none_or(|theirs| is_stricter(entry.kept, *theirs))
            {
                self.put(&folder.join(name_of(&entry)), &[])?;
            }
        }
        let is_new = |device: &u64, kept: &Kept| {
            let own = own.get(*device);
            own.is_none_or(|own| is_stricter(*kept, own.kept))
        };
        theirs.retain(|device, kept| is_new(device, kept));
        if !theirs.is_empty() {
            let devices: Vec<u64> = theirs.keys().copied().collect();
            tracing::info!(?devices, "revoked by another server");
            let theirs = theirs.into_iter();
            let theirs: Vec<_> = theirs
                .map(|(device, kept)| Revocation { device, kept })
                .collect();
            enter_revocations(pair.folder(), pair.server.key_id(), &theirs)?;
        }
        Ok(())
    }

    fn listed(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        match self.disk.list(folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed.with_context(|| folder.display().to_string()),
        }
    }

    /// Writes a file if there is none of the name; whether it did.
    fn put(&self, path: &Path, bytes: &[u8]) -> Result<bool> {
        let name = || path.display().to_string();
        let folder = isopod_disk::parent(path);
        let random: [u8; 8] = isopod_keys::random()?;
        let temporary = folder.join(format!(".{:016x}", u64::from_le_bytes(random)));
        self.disk.make_folder(folder).with_context(name)?;
        let file = self.disk.open(&temporary, Access::New);
        let file = file.with_context(name)?;
        let linked = file
            .write_at(bytes, 0)
            .and_then(|()| file.sync())
            .and_then(|()| self.disk.link(&temporary, path));
        let removed = self.disk.remove(&temporary);
        match linked {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error).with_context(name),
            Ok(()) => {
                removed.with_context(name)?;
                self.disk.sync_folder(folder).with_context(name)?;
                Ok(true)
            }
        }
    }
}

impl Turn<'_> {
    /// Takes the newest memory of answers, if it is newer than the server's own.
    ///
    /// # Errors
    /// The disk's.
    pub fn begin(&mut self, pair: &Pair) -> Result<()> {
        let folder = self.shared.of(pair, "answers");
        let mut versions = self.shared.listed(&folder)?;
        versions.retain(|path| version(path).is_some());
        // The own memory of the first server is what the first version follows.
        let number = versions.last().and_then(|path| version(path)).unwrap_or(0);
        let known = self.known.get(&pair.server.key_id());
        if known.is_none_or(|known| known.version != number) {
            if let Some(newest) = versions.last() {
                let bytes = isopod_disk::read(&*self.shared.disk, newest, MOST_BYTES);
                let bytes = bytes.with_context(|| newest.display().to_string())?;
                let own = pair.folder().join(REPLAY_FILE);
                isopod_disk::replace(&SystemDisk, &own, &mut |file| file.write_at(&bytes, 0))
                    .with_context(|| own.display().to_string())?;
            }
            for old in versions.iter().rev().skip(KEPT) {
                // Another server may have removed it.
                let _ = self.shared.disk.remove(old);
            }
        }
        self.know(pair, number).map(drop)
    }

    /// Makes the server's own memory the next version, if the answer entered anything; false if another server answered
    /// meanwhile. Then the answer does not leave.
    ///
    /// # Errors
    /// The disk's; then the answer does not leave.
    pub fn end(&mut self, pair: &Pair) -> Result<bool> {
        // Whatever comes of it: the own memory may have an answer that does not count.
        let known = self.known.remove(&pair.server.key_id());
        let next = known.map_or(1, |known| known.version + 1);
        let bytes = self.know(pair, next)?;
        let is_changed = known.is_none_or(|known| known.digest != digest(&bytes));
        if !is_changed {
            self.known
                .extend(known.map(|known| (pair.server.key_id(), known)));
            return Ok(true);
        }
        let path = self.shared.of(pair, "answers").join(format!("{next:020}"));
        let put = self.shared.put(&path, &bytes);
        if !matches!(put, Ok(true)) {
            self.known.remove(&pair.server.key_id());
        }
        put
    }

    /// Notes that the server's own memory is this version; its bytes.
    fn know(&mut self, pair: &Pair, version: u64) -> Result<Vec<u8>> {
        let own = pair.folder().join(REPLAY_FILE);
        let bytes = isopod_disk::read(&SystemDisk, &own, MOST_BYTES);
        let bytes = bytes.with_context(|| own.display().to_string())?;
        let digest = digest(&bytes);
        let known = Known { version, digest };
        self.known.insert(pair.server.key_id(), known);
        Ok(bytes)
    }
}

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha3_256::digest(bytes).into()
}

/// Whether a revocation may follow another one: of two that keep frames, the first counts.
fn is_stricter(kept: Kept, than: Kept) -> bool {
    kept.is_none() && than.is_some()
}

fn version(path: &Path) -> Option<u64> {
    path.file_name()?.to_str()?.parse().ok()
}

/// Name of the file of a revocation: the device, and the newest frame that stays.
fn name_of(entry: &Revocation) -> String {
    match entry.kept {
        None => entry.device.to_string(),
        Some((epoch, sequence)) => format!("{}-{epoch}-{sequence}", entry.device),
    }
}

fn revocation(name: &str) -> Option<Revocation> {
    let mut numbers = name.split('-').map(str::parse::<u64>);
    let device = numbers.next()?.ok()?;
    let kept = match (numbers.next(), numbers.next(), numbers.next()) {
        (None, None, None) => None,
        (Some(Ok(epoch)), Some(Ok(sequence)), None) => Some((u32::try_from(epoch).ok()?, sequence)),
        _ => return None,
    };
    Some(Revocation { device, kept })
}
