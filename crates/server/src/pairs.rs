//! The key pairs whose frames the server takes, and the devices that are revoked.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::{bail, Context, Result};
use isopod_keys::{key_name, Revoked, REVOKED_FILE};
use isopod_wire::codes::limit::PACKET_BYTES;
use isopod_wire::{AnySet, FrameId, KeyId, Outcome};
use isopod_workflow::{LargeRing, Server};

/// A server's folder of one key pair.
pub struct Pair {
    /// Its keys, none of them secret to the owner.
    pub server: Arc<Server>,
    folder: PathBuf,
    revoked: Mutex<(Option<SystemTime>, Arc<Revoked>)>,
}

/// All key pairs of a server.
pub struct Pairs(Vec<Pair>);

impl Pair {
    fn new(server: Server, folder: &Path) -> Result<Self> {
        let revoked = Arc::new(Revoked::read(folder, server.key_id())?);
        if server.damaged_contexts() > 0 {
            let (bytes, keys) = (server.damaged_contexts(), folder.display());
            tracing::warn!(bytes, %keys, "contexts that were damaged: their devices have to send them again");
        }
        Ok(Self {
            server: Arc::new(server),
            folder: folder.to_owned(),
            revoked: Mutex::new((changed(folder), revoked)),
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The list of revoked devices as it is now.
    ///
    /// # Errors
    /// A list that cannot be read: then nobody is let in.
    pub fn revoked(&self) -> isopod_keys::Result<Arc<Revoked>> {
        let mut known = self.revoked.lock().unwrap_or_else(PoisonError::into_inner);
        let time = changed(&self.folder);
        if time.is_none() || known.0 != time {
            *known = (
                time,
                Arc::new(Revoked::read(&self.folder, self.server.key_id())?),
            );
        }
        Ok(known.1.clone())
    }

    /// Refuses a frame of a revoked device.
    ///
    /// # Errors
    /// [`isopod_keys::KeysError::Revoked`]; those of [`Pair::revoked`].
    pub fn check_device(&self, frame: FrameId) -> isopod_keys::Result<()> {
        self.revoked()?.check(frame)
    }
}

fn changed(folder: &Path) -> Option<SystemTime> {
    folder.join(REVOKED_FILE).metadata().ok()?.modified().ok()
}

impl Pairs {
    /// Opens the folders, each of another key pair, and gives one of them the keys of a large ring, if there are any.
    ///
    /// # Errors
    /// A folder that is no server's, and two of one key pair; the errors of [`LargeRing::attach`].
    pub fn open(folders: &[PathBuf], large_ring: &LargeRing) -> Result<Self> {
        let mut servers: Vec<Server> = Vec::new();
        for folder in folders {
            let server =
                Server::open(folder).with_context(|| format!("--keys {}", folder.display()))?;
            let key_id = server.key_id();
            if servers.iter().any(|other| other.key_id() == key_id) {
                let key = key_name(&key_id);
                bail!(
                    "--keys {}: of key pair {key}, as a folder before it; allowed is each once",
                    folder.display()
                );
            }
            servers.push(server);
        }
        let servers = large_ring.attach(servers)?.into_iter().zip(folders);
        let pairs = servers.map(|(server, folder)| Pair::new(server, folder));
        Ok(Self(pairs.collect::<Result<_>>()?))
    }

    /// The key pair of that name.
    pub fn get(&self, key_id: &KeyId) -> Option<&Pair> {
        self.all().find(|pair| pair.server.key_id() == *key_id)
    }

    /// All of them, in the order in which they were given.
    pub fn all(&self) -> impl Iterator<Item = &Pair> {
        self.0.iter()
    }

    /// The receipt of a frame of one of them.
    pub fn receipt(&self, key_id: &KeyId, frame: FrameId, outcome: Outcome) -> Vec<u8> {
        let pair = self.get(key_id);
        pair.map_or_else(Vec::new, |pair| pair.server.receipt(frame, outcome))
    }

    /// Most bytes of one item of a frame, whichever key pair it is of.
    pub fn most_item_bytes(&self) -> usize {
        let most = self.all().map(|pair| most_bytes(pair.server.set()).0).max();
        most.unwrap_or(0)
    }

    /// Most bytes of a frame with all its parts.
    pub fn most_frame_bytes(&self) -> usize {
        let most = self.all().map(|pair| most_bytes(pair.server.set()).1).max();
        most.unwrap_or(0)
    }
}

/// Bytes of an item beside its residues or bodies, at most: its header, a seed and a tag.
const HEADER_BYTES: usize = 512;

/// Most bytes of an item and of a frame of a set.
fn most_bytes(set: AnySet) -> (usize, usize) {
    match set {
        AnySet::Rns(set) => {
            let part = |prime: &u64| 2 * set.packed_bytes(*prime) + HEADER_BYTES;
            let primes = &set.data_primes;
            let frame: usize = primes.iter().map(part).sum();
            // A frame whose coefficients travel rounded is one item.
            let rounded = primes.iter().take(2).map(part).sum();
            let item = primes.iter().map(part).max().unwrap_or(0).max(rounded);
            (item, frame.max(rounded))
        }
        AnySet::Tfhe(set) => {
            let bytes = 2 * set.ring_degree * set.word_bytes() + HEADER_BYTES;
            (bytes, bytes)
        }
        AnySet::Pads => (PACKET_BYTES + HEADER_BYTES, PACKET_BYTES + HEADER_BYTES),
    }
}
