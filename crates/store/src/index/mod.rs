//! The memory of frames that were taken: a B-tree on disk, and in front of it what came since its last commit.
//!
//! A commit takes the devices that changed and the position up to which the log is in them, so that a start reads the log behind
//! that position alone. Memory does not grow with the number of devices: it holds the changes of a segment and a bounded cache.

mod committer;
mod database;
mod device_state;
mod upgrade;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use isopod_disk::Disk;
use isopod_wire::{FrameId, KeyId};

pub(crate) use committer::Committer;
pub(crate) use database::Database;
pub use device_state::{DeviceState, Totals};

use crate::damage::{Damage, DamageState};
use crate::error::{Result, StoreError};
use crate::record::{Head, Kind};
use crate::Position;

/// Key pair and number of a device.
pub(crate) type Name = (KeyId, u64);
/// Devices by key pair and number.
pub(crate) type Devices = BTreeMap<Name, DeviceState>;

/// Devices that changed, and what goes into the database with them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes {
    pub devices: Devices,
    pub position: Position,
    pub received: u64,
    pub totals: Totals,
    /// Position from which the frames in the log are counted.
    pub begin: Position,
    /// Damage that is known, where it changed.
    pub damage: Option<Vec<Damage>>,
}

/// All devices: the database, changes on their way to it, and changes since.
pub(crate) struct Index {
    database: Arc<Database>,
    committing: Option<Arc<Changes>>,
    /// Whether a commit met damage: a new index must be made.
    pub is_damaged: bool,
    pub now: Changes,
    pub damage: Vec<Damage>,
}

impl Index {
    /// Opens the index of a log, and makes it.
    ///
    /// Errors: [`StoreError::Damaged`](crate::StoreError::Damaged) for an index that cannot be read.
    pub fn open(disk: Arc<dyn Disk>, folder: &Path) -> Result<Self> {
        let database = Database::open(disk.clone(), folder)?;
        let (mut now, mut damage) = database.state()?;
        if now.position == 0 {
            upgrade::upgrade(disk.as_ref(), folder, &database)?;
            (now, damage) = database.state()?;
        }
        Ok(Self {
            database: Arc::new(database),
            committing: None,
            is_damaged: false,
            now,
            damage,
        })
    }

    /// The database.
    pub fn database(&self) -> Arc<Database> {
        self.database.clone()
    }

    /// Knowledge of a device.
    pub fn get(&self, name: &Name) -> Result<Option<DeviceState>> {
        let committing = self.committing.as_ref().map(|changes| &changes.devices);
        let recent = [Some(&self.now.devices), committing].into_iter().flatten();
        let recent = recent.filter_map(|devices| devices.get(name)).next();
        match recent {
            Some(state) => Ok(Some(state.clone())),
            None => self.database.get(name),
        }
    }

    /// Enters a record that a start finds. A name that is damaged before it came once more.
    pub fn enter(&mut self, head: &Head) -> Result<()> {
        if head.kind != Kind::Refused {
            let name = (head.key_id, head.id.device);
            let mut state = self.get(&name)?.unwrap_or_default();
            self.replace(&head.key_id, head.id);
            self.now.totals.leave(&state);
            state.enter(head.id, head.received, head.length.into());
            self.now.totals.enter(&state);
            self.now.totals.stored += u64::from(head.kind == Kind::Frame);
            self.now.devices.insert(name, state);
        }
        self.now.received = self.now.received.max(head.received);
        Ok(())
    }

    /// Devices of a key pair behind this number, at most `most` of them.
    pub fn devices(&self, key_id: &KeyId, after: Option<u64>, most: usize) -> Result<Devices> {
        let Some(first) = after.map_or(Some(0), |after| after.checked_add(1)) else {
            return Ok(Devices::new());
        };
        let range = (*key_id, first)..=(*key_id, u64::MAX);
        let mut found = self.database.range(range.clone(), most)?;
        let committing = self.committing.as_ref().map(|changes| &changes.devices);
        for devices in [committing, Some(&self.now.devices)].into_iter().flatten() {
            let recent = devices.range(range.clone()).take(most);
            found.extend(recent.map(|(name, state)| (*name, state.clone())));
        }
        while found.len() > most {
            found.pop_last();
        }
        Ok(found)
    }

    /// Enters a record that was mended, if its name is not known.
    pub fn learn(&mut self, head: &Head) -> Result<()> {
        let state = self.get(&(head.key_id, head.id.device))?;
        let is_known = state.is_some_and(|state| matches!(state.seen.is_new(head.id), Ok(false)));
        match is_known {
            true => Ok(()),
            false => self.enter(head),
        }
    }

    /// Enters damage that a start finds, and the name of its frame where it is known. A start that ended early may have entered
    /// it before: then it is no frame that came once more.
    pub fn enter_damage(&mut self, found: &Damage) -> Result<()> {
        let mut known = self.damage.iter();
        if known.any(|known| known.position == found.position) {
            return Ok(());
        }
        if let Some(head) = &found.head {
            self.enter(head)?;
        }
        self.damage.push(found.clone());
        Ok(())
    }

    /// Takes the changes since the last commit for the next; None while one is under way.
    pub fn begin_commit(&mut self) -> Option<Arc<Changes>> {
        if self.committing.is_some() {
            return None;
        }
        let devices = std::mem::take(&mut self.now.devices);
        let damage = Some(self.damage.clone());
        let changes = Arc::new(Changes {
            devices,
            damage,
            ..self.now.clone()
        });
        self.committing = Some(changes.clone());
        Some(changes)
    }

    /// Whether a commit is under way.
    pub fn is_committing(&self) -> bool {
        self.committing.is_some()
    }

    /// Ends a commit: what did not reach the database waits for the next.
    pub fn end_commit(&mut self, committed: &Result<()>) {
        let Some(changes) = self.committing.take() else {
            return;
        };
        self.is_damaged |= matches!(committed, Err(StoreError::Index { .. }));
        if committed.is_err() {
            for (name, state) in &changes.devices {
                let newer = self.now.devices.entry(*name);
                newer.or_insert_with(|| state.clone());
            }
        }
    }

    /// Writes all changes to the database and waits for it, where no other commit is under way.
    pub fn commit(&mut self) -> Result<()> {
        let Some(changes) = self.begin_commit() else {
            return Ok(());
        };
        let committed = self.database.commit(&changes);
        self.end_commit(&committed);
        committed
    }

    /// Damage of a frame of this name that nothing has replaced.
    pub fn damage_of(&self, key_id: &KeyId, id: FrameId) -> Option<&Damage> {
        let name = Some((*key_id, id));
        let mut open = self.damage.iter();
        open.find(|damage| damage.frame() == name && damage.state != DamageState::Replaced)
    }

    /// Leaves damage of a frame of this name alone from now on: the frame came once more.
    pub fn replace(&mut self, key_id: &KeyId, id: FrameId) {
        let name = Some((*key_id, id));
        for damage in &mut self.damage {
            if damage.frame() == name {
                damage.state = DamageState::Replaced;
            }
        }
    }
}
