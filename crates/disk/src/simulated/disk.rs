//! The simulated disk as a disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::state::{FileNumber, State};
use super::{Faults, Loss};
use crate::{Access, Disk, DiskFile};

/// A disk in memory. Clones are the same disk; after a restart they are alive, and files and locks from before it are dead.
#[derive(Debug, Clone)]
pub struct SimulatedDisk {
    state: Arc<Mutex<State>>,
    /// Restarts up to which it is alive; None for ever.
    process: Option<u64>,
}

impl SimulatedDisk {
    /// An empty disk whose choices this seed repeats.
    pub fn new(seed: u64) -> Self {
        Self {
            state: Arc::new(Mutex::new(State::new(seed))),
            process: None,
        }
    }

    /// The disk as a process sees it that ends with the next restart: all that it does afterwards fails.
    pub fn process(&self) -> Self {
        let process = Some(self.state().generation);
        let state = self.state.clone();
        Self { state, process }
    }

    /// Another disk with the same content.
    pub fn fork(&self) -> Self {
        let state = self.state().clone();
        Self {
            state: Arc::new(Mutex::new(state)),
            process: None,
        }
    }

    /// Sets the faults to come, in place of those that wait.
    pub fn inject(&self, faults: Faults) {
        self.state().faults = faults;
    }

    /// Lets a new process see the disk after a loss. Files that are open are dead, and no fault waits.
    pub fn restart(&self, loss: Loss) {
        self.state().restart(loss);
    }

    /// Changes one bit of a file at rest.
    ///
    /// # Errors
    /// A file that is not there.
    pub fn flip(&self, path: &Path, bit: u64) -> io::Result<()> {
        let mut state = self.state();
        let number = state.find(path)?;
        state.content(number)?.flip(bit);
        Ok(())
    }

    /// All files and their lengths.
    pub fn files(&self) -> Vec<(PathBuf, u64)> {
        let state = self.state();
        let length = |number| state.files.get(number).map_or(0, |file| file.seen.len());
        let names = state.names.iter();
        names
            .map(|(path, number)| (path.clone(), length(number) as u64))
            .collect()
    }

    /// Operations so far that changed the disk, to choose one at which the power is lost.
    pub fn operations(&self) -> u64 {
        self.state().operations
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state, for an operation that changes it.
    fn begin(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        let generation = self.process.unwrap_or(state.generation);
        state.begin(generation)?;
        Ok(state)
    }

    /// The state, for an operation that reads it.
    fn look(&self) -> io::Result<MutexGuard<'_, State>> {
        let state = self.state();
        state.look(self.process.unwrap_or(state.generation))?;
        Ok(state)
    }

    fn handle(&self, generation: u64, number: FileNumber) -> Box<dyn DiskFile> {
        Box::new(Handle {
            state: self.state.clone(),
            generation,
            number,
        })
    }
}

impl Disk for SimulatedDisk {
    fn open(&self, path: &Path, access: Access) -> io::Result<Box<dyn DiskFile>> {
        let mut state = match access {
            Access::Read | Access::Write => self.look()?,
            Access::New | Access::Empty => self.begin()?,
        };
        let number = match (state.find(path), access) {
            (Ok(_), Access::New) => return Err(io::ErrorKind::AlreadyExists.into()),
            (Ok(number), Access::Empty) => {
                state.content(number)?.set_length(0);
                number
            }
            (Err(_), Access::New | Access::Empty) => state.create(path)?,
            (found, _) => found?,
        };
        Ok(self.handle(state.generation, number))
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        let mut state = self.begin()?;
        if !state.locks.insert(path.to_owned()) {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        Ok(Box::new(Held {
            state: self.state.clone(),
            generation: state.generation,
            path: path.to_owned(),
        }))
    }

    fn wait_for_lock(&self, path: &Path) -> io::Result<Box<dyn Send + Sync>> {
        loop {
            match self.lock(path) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::yield_now(),
                taken => return taken,
            }
        }
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        let number = state.find(from)?;
        state.rename_to(Some((to.to_owned(), number)), Some(from.to_owned()));
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        if state.find(to).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let number = state.find(from)?;
        state.rename_to(Some((to.to_owned(), number)), None);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        state.find(path)?;
        state.rename_to(None, Some(path.to_owned()));
        Ok(())
    }

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        let folders = path.ancestors().map(Path::to_owned);
        state.folders.extend(folders);
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut state = self.begin()?;
        let inside = |of: &PathBuf| of.starts_with(path);
        let names: Vec<_> = state
            .names
            .keys()
            .filter(|name| inside(name))
            .cloned()
            .collect();
        for name in names {
            state.rename_to(None, Some(name));
        }
        state.folders.retain(|folder| !inside(folder));
        Ok(())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        let state = self.look()?;
        if !state.folders.contains(folder) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let names = state.names.keys().chain(&state.folders);
        let mut inside: Vec<_> = names
            .filter(|name| name.parent() == Some(folder))
            .cloned()
            .collect();
        inside.sort_unstable();
        Ok(inside)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.begin()?.flush_names(folder);
        Ok(())
    }

    fn length(&self, path: &Path) -> io::Result<u64> {
        let mut state = self.look()?;
        let number = state.find(path)?;
        Ok(state.content(number)?.seen.len() as u64)
    }
}

/// An open file.
#[derive(Debug)]
struct Handle {
    state: Arc<Mutex<State>>,
    generation: u64,
    number: FileNumber,
}

impl Handle {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.begin(self.generation)?;
        Ok(state)
    }
}

impl DiskFile for Handle {
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut state = self.state();
        state.look(self.generation)?;
        let seen = &state.content(self.number)?.seen;
        let from = seen.len().min(offset as usize);
        let count = bytes.len().min(seen.len() - from);
        bytes[..count].copy_from_slice(&seen[from..from + count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<()> {
        self.begin()?.write(self.number, bytes, offset)
    }

    fn set_length(&self, length: u64) -> io::Result<()> {
        let mut state = self.begin()?;
        state.content(self.number)?.set_length(length as usize);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        let mut state = self.state();
        state.look(self.generation)?;
        Ok(state.content(self.number)?.seen.len() as u64)
    }

    fn sync(&self) -> io::Result<()> {
        self.begin()?.flush(self.number)
    }
}

/// A lock that is held.
struct Held {
    state: Arc<Mutex<State>>,
    generation: u64,
    path: PathBuf,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.generation == self.generation {
            state.locks.remove(&self.path);
        }
    }
}
