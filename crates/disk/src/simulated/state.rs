//! Files and names of a simulated disk, and the faults that wait.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::file::{Content, Kept};
use super::random::Random;
use super::{Faults, Loss};
use crate::parent;

/// Number of a file, whatever its names.
pub(super) type FileNumber = u64;
type Names = BTreeMap<PathBuf, FileNumber>;

/// A change of names: one appears, one goes, or both at once.
#[derive(Debug, Clone)]
struct NameChange {
    appears: Option<(PathBuf, FileNumber)>,
    goes: Option<PathBuf>,
}

/// All that a simulated disk holds.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub files: BTreeMap<FileNumber, Content>,
    pub names: Names,
    pub folders: BTreeSet<PathBuf>,
    pub locks: BTreeSet<PathBuf>,
    pub faults: Faults,
    /// Restarts so far: handles of earlier ones are dead.
    pub generation: u64,
    /// Operations since the begin that change the disk.
    pub operations: u64,
    flushed_names: Names,
    waiting_names: Vec<NameChange>,
    random: Random,
    next: FileNumber,
    is_off: bool,
}

impl State {
    pub fn new(seed: u64) -> Self {
        Self {
            files: BTreeMap::new(),
            names: Names::new(),
            folders: BTreeSet::from([PathBuf::from("/")]),
            locks: BTreeSet::new(),
            faults: Faults::default(),
            generation: 0,
            operations: 0,
            flushed_names: Names::new(),
            waiting_names: Vec::new(),
            random: Random(seed),
            next: 0,
            is_off: false,
        }
    }

    /// Counts an operation, which fails while the power is off and for handles of an earlier generation.
    pub fn begin(&mut self, generation: u64) -> io::Result<()> {
        self.look(generation)?;
        self.operations += 1;
        if let Some(left) = &mut self.faults.power_after {
            match left.checked_sub(1) {
                Some(less) => *left = less,
                None => self.is_off = true,
            }
        }
        self.look(generation)
    }

    /// Whether the disk can be read.
    pub fn look(&self, generation: u64) -> io::Result<()> {
        match self.is_off || generation != self.generation {
            true => Err(Errno::IO.into()),
            false => Ok(()),
        }
    }

    pub fn find(&self, path: &Path) -> io::Result<FileNumber> {
        let found = self.names.get(path).copied();
        found.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    pub fn content(&mut self, number: FileNumber) -> io::Result<&mut Content> {
        self.files
            .get_mut(&number)
            .ok_or_else(|| Errno::BADF.into())
    }

    /// Makes an empty file.
    pub fn create(&mut self, path: &Path) -> io::Result<FileNumber> {
        if !self.folders.contains(parent(path)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        let number = self.next;
        self.next += 1;
        self.files.insert(number, Content::default());
        self.rename_to(Some((path.to_owned(), number)), None);
        Ok(number)
    }

    /// Changes names as one step, which waits for the flush of its folder.
    pub fn rename_to(&mut self, appears: Option<(PathBuf, FileNumber)>, goes: Option<PathBuf>) {
        let change = NameChange { appears, goes };
        change.apply(&mut self.names);
        self.waiting_names.push(change);
    }

    pub fn flush_names(&mut self, folder: &Path) {
        let (here, elsewhere) = std::mem::take(&mut self.waiting_names)
            .into_iter()
            .partition(|change| change.is_of(folder));
        self.waiting_names = elsewhere;
        for change in here {
            change.apply(&mut self.flushed_names);
        }
    }

    /// Writes bytes as far as there is room.
    pub fn write(&mut self, number: FileNumber, bytes: &[u8], offset: u64) -> io::Result<()> {
        let used: usize = self.files.values().map(|file| file.seen.len()).sum();
        let room = self.faults.room.map(|room| room as usize);
        let file = self.content(number)?;
        let offset = offset as usize;
        let growth = (offset + bytes.len()).saturating_sub(file.seen.len());
        match room.map(|room| room.saturating_sub(used)) {
            Some(room) if growth > room => {
                let fits = bytes.len().saturating_sub(growth - room);
                file.write(&bytes[..fits], offset);
                Err(Errno::NOSPC.into())
            }
            _ => {
                file.write(bytes, offset);
                Ok(())
            }
        }
    }

    /// Flushes a file, or fails and forgets.
    pub fn flush(&mut self, number: FileNumber) -> io::Result<()> {
        let fails = match &mut self.faults.flush_fails_after {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        };
        let Self { files, random, .. } = self;
        let file = files.get_mut(&number).ok_or(Errno::BADF)?;
        if fails {
            self.faults.flush_fails_after = None;
            file.lose(Kept::choose(random), random);
            return Err(Errno::IO.into());
        }
        file.flush();
        Ok(())
    }

    /// Begins anew after a loss, without faults.
    pub fn restart(&mut self, loss: Loss) {
        if loss == Loss::Power {
            self.lose();
        }
        let linked: BTreeSet<FileNumber> = self.names.values().copied().collect();
        self.files.retain(|number, _| linked.contains(number));
        self.locks.clear();
        self.faults = Faults::default();
        self.generation += 1;
        self.is_off = false;
    }

    fn lose(&mut self) {
        let random = &mut self.random;
        let kept = Kept::choose(random);
        for file in self.files.values_mut() {
            file.lose(kept, random);
            file.restart();
        }
        let waiting = std::mem::take(&mut self.waiting_names);
        let (whole, some) = kept.split(waiting.len(), random);
        for (at, change) in waiting.iter().enumerate() {
            if at < whole || (at < whole + some && random.below(2) == 0) {
                change.apply(&mut self.flushed_names);
            }
        }
        self.names = self.flushed_names.clone();
    }
}

impl NameChange {
    fn apply(&self, names: &mut Names) {
        if let Some(path) = &self.goes {
            names.remove(path);
        }
        if let Some((path, number)) = &self.appears {
            names.insert(path.clone(), *number);
        }
    }

    fn is_of(&self, folder: &Path) -> bool {
        let appears = self.appears.as_ref().map(|(path, _)| path);
        let mut paths = appears.into_iter().chain(&self.goes);
        paths.any(|path| parent(path) == folder)
    }
}
