//! End of old entries: those behind a checkpoint that is older than the log is kept, as every reader begins at it or later.

use std::path::Path;

use isopod_disk::Disk;
use serde_json::Value;

use super::{checkpoint, entry, version, MOST};
use crate::{Error, Result};

/// Milliseconds for which old versions of a table can be read, as by default in Delta: 30 days.
const KEPT: u64 = 30 * 86_400_000;

/// Removes entries and checkpoints before the newest checkpoint that was old at this time. It and a newer one stay, so that a
/// damaged one can be passed over.
pub(super) fn expire(disk: &dyn Disk, folder: &Path, now: u64) -> Result<()> {
    let paths = disk.list(folder).map_err(Error::at(folder))?;
    let mut checkpoints: Vec<u64> = paths
        .iter()
        .filter_map(|path| checkpoint::version(path))
        .collect();
    checkpoints.pop();
    let is_old = |version: &u64| {
        let time = time(disk, folder, *version);
        time.is_some_and(|time| time.saturating_add(KEPT) <= now)
    };
    let Some(kept) = checkpoints.into_iter().take_while(is_old).last() else {
        return Ok(());
    };
    if checkpoint::read(disk, folder, kept).is_none() {
        return Ok(());
    }
    // In ascending order: what a crash leaves has no gap.
    for path in paths {
        if version(&path).is_some_and(|version| version < kept) {
            disk.remove(&path).map_err(Error::at(&path))?;
        }
    }
    disk.sync_folder(folder).map_err(Error::at(folder))
}

/// When an entry was written.
fn time(disk: &dyn Disk, folder: &Path, version: u64) -> Option<u64> {
    let bytes = isopod_disk::read(disk, &entry(folder, version), MOST).ok()?;
    let mut actions = serde_json::Deserializer::from_slice(&bytes).into_iter::<Value>();
    let first = actions.next()?.ok()?;
    first["commitInfo"]["timestamp"].as_u64()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use isopod_disk::SimulatedDisk;

    use super::super::{DeltaLog, Progress, Transaction};
    use super::*;
    use crate::files::now;

    #[test]
    fn old_entries_end_at_a_checkpoint_that_is_followed_by_another() {
        let disk = SimulatedDisk::new(1);
        let log = || DeltaLog::of(Arc::new(disk.clone()), Path::new("/table"));
        log().create().unwrap();
        let writing = log();
        for version in 1..=350 {
            let writer = "log".to_owned();
            let progress = Transaction { writer, version };
            writing.append(&[], Progress::Once(&progress)).unwrap();
        }
        let folder = Path::new("/table").join(super::super::LOG);
        let first = || {
            let paths = disk.list(&folder).unwrap();
            paths.iter().find_map(|path| version(path)).unwrap()
        };
        expire(&disk, &folder, now()).unwrap();
        assert_eq!(first(), 0, "too young");
        let later = now() + KEPT;
        disk.flip(&checkpoint::path(&folder, 200), 5000).unwrap();
        expire(&disk, &folder, later).unwrap();
        assert_eq!(first(), 0, "damaged");
        disk.flip(&checkpoint::path(&folder, 200), 5000).unwrap();
        expire(&disk, &folder, later).unwrap();
        assert_eq!(first(), 200);
        let state = log().read().unwrap();
        assert_eq!((state.version(), state.writers["log"]), (350, 350));
        assert_eq!(writing.read().unwrap().version(), 350);
        assert!(log().is_begun().unwrap());
    }
}
