//! The partitions of one table: how far each is in it, and what waits for the next entry.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use isopod_disk::Disk;
use isopod_keys::key_name;
use isopod_packet::Windows;
use isopod_store::{DeviceState, NewFrame};
use isopod_table::{Step, Stored, Table};
use isopod_workflow::Server;

use crate::state::State;
use crate::state_file::StateFiles;
use crate::{Error, Judgement, Partition, Result};

/// Records that are read again after a start, at most, where none of them had a frame of the table.
const IDLE_RECORDS: i64 = 10_000;

/// One partition in a table.
struct Position {
    /// Offset up to which it is in the table.
    from: i64,
    /// Number of its state there.
    number: Option<i64>,
    /// Offset up to which it was read.
    next: i64,
    state: State,
    /// Whether the state is another one than in the table.
    is_changed: bool,
    files: StateFiles,
}

/// A table, and the partitions that this server reads.
pub(crate) struct StreamTable {
    pub server: Arc<Server>,
    table: Arc<Table>,
    disk: Arc<dyn Disk>,
    positions: BTreeMap<Partition, Position>,
    waiting: Vec<Stored>,
    bytes: usize,
}

impl StreamTable {
    pub fn new(server: Arc<Server>, table: Arc<Table>, disk: Arc<dyn Disk>) -> Self {
        Self {
            server,
            table,
            disk,
            positions: BTreeMap::new(),
            waiting: Vec::new(),
            bytes: 0,
        }
    }

    /// Bytes of frames that wait for the next entry.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Reads where a partition is; `states` is the folder of all states.
    pub fn assign(&mut self, partition: &Partition, count: i32, states: &Path) -> Result<i64> {
        self.check_count(partition, count)?;
        let writer = partition.writer();
        let key_id = self.server.key_id();
        let folder = states.join(key_name(&key_id)).join(partition.folder());
        let files = StateFiles::new(folder, key_id);
        let from = self.table.version_of(&writer)?.unwrap_or(0);
        let number = self.table.version_of(&Step::state_of(&writer))?;
        let state = match number {
            None => State::default(),
            Some(number) => match files.read(&*self.disk, from, number)? {
                Some(state) => state,
                None => self.state_of_rows(partition, count)?,
            },
        };
        for item in state.contexts() {
            // One that was refused since, such as of a device that was revoked, counts no more.
            let _ = self.server.register_context(item);
        }
        files.clean(&*self.disk, from)?;
        let position = Position {
            from,
            number,
            next: from,
            state,
            is_changed: false,
            files,
        };
        self.positions.insert(partition.clone(), position);
        Ok(from)
    }

    /// Refuses a topic that has another number of partitions than before.
    fn check_count(&self, partition: &Partition, count: i32) -> Result<()> {
        match self.table.version_of(&counted(partition))? {
            Some(allowed) if allowed != i64::from(count) => Err(Error::Partitions {
                topic: partition.topic.clone(),
                found: count,
                allowed,
            }),
            _ => Ok(()),
        }
    }

    /// The state of a partition by the rows of the table. Contexts are missing: devices announce theirs again. Bytes are, too.
    fn state_of_rows(&self, partition: &Partition, count: i32) -> Result<State> {
        let mut state = State::default();
        self.table.names(|id, time| {
            if Partition::of_device(id.device, count) == partition.number {
                let received = u64::try_from(time / 1000).unwrap_or(0);
                state.enter(id, received, 0);
            }
        })?;
        Ok(state)
    }

    /// Forgets all partitions, and what waits for the next entry.
    pub fn forget(&mut self) {
        self.positions.clear();
        self.waiting.clear();
        self.bytes = 0;
    }

    /// Judges a frame of a record, and keeps it for the next entry if it is new.
    pub fn take(
        &mut self,
        partition: &Partition,
        offset: i64,
        frame: NewFrame,
    ) -> Result<Judgement> {
        let position = self.position(partition)?;
        if offset < position.from {
            return Ok(Judgement::Known);
        }
        let length = frame.bytes.len() as u64;
        match position.state.take(frame.id, frame.received, length) {
            Ok(true) => {}
            Ok(false) => return Ok(Judgement::Known),
            Err(error) => return Ok(Judgement::Stale(error.to_string())),
        }
        position.is_changed = true;
        self.bytes += frame.bytes.len();
        self.waiting.push(Stored {
            time: i64::try_from(frame.received)
                .unwrap_or(i64::MAX)
                .saturating_mul(1000),
            bytes: frame.bytes,
        });
        Ok(Judgement::New)
    }

    /// Keeps a context that was registered.
    pub fn keep_context(&mut self, partition: &Partition, offset: i64, item: &[u8]) -> Result<()> {
        let Ok((announced, number)) = self.server.check_context(item) else {
            return Ok(());
        };
        let position = self.position(partition)?;
        if offset >= position.from {
            position.state.keep_context(announced.device, number, item);
            position.is_changed = true;
        }
        Ok(())
    }

    /// The devices whose frames were read in the partitions of this server, in no order.
    pub fn devices(&self) -> impl Iterator<Item = (u64, &DeviceState)> {
        let states = self.positions.values().map(|position| &position.state);
        states.flat_map(State::devices)
    }

    /// Where the stored frames of a device are.
    pub fn windows(&self, device: u64) -> Windows {
        let states = self.positions.values().map(|position| &position.state);
        let seen = states.filter_map(|state| state.seen(device)).next();
        seen.map_or_else(Windows::default, Windows::from)
    }

    /// Records up to this offset were read.
    pub fn passed(&mut self, partition: &Partition, next: i64) -> Result<()> {
        let position = self.position(partition)?;
        position.next = position.next.max(next);
        Ok(())
    }

    fn position(&mut self, partition: &Partition) -> Result<&mut Position> {
        let position = self.positions.get_mut(partition);
        position.ok_or_else(|| Error::Unassigned(partition.to_string()))
    }

    /// Writes what was read since the last entry: states, then frames, offsets and the numbers of the states in one entry of the
    /// table. Gives the number of frames. After an error everything is read anew.
    pub fn commit(&mut self, count: i32) -> Result<u64> {
        let due = |position: &Position| {
            position.is_changed || position.next - position.from >= IDLE_RECORDS
        };
        let mut steps = Vec::new();
        let due = self.positions.iter().filter(|(_, position)| due(position));
        for (partition, position) in due {
            let state = number()?;
            position
                .files
                .write(&*self.disk, position.next, state, &position.state)?;
            steps.push(Step {
                writer: partition.writer(),
                from: position.from,
                to: position.next,
                state,
            });
        }
        let Some(topic) = self.positions.keys().next().filter(|_| !steps.is_empty()) else {
            return Ok(0);
        };
        let writer = counted(topic);
        if self.table.version_of(&writer)?.is_none() {
            steps.push(Step {
                writer,
                from: 0,
                to: count.into(),
                state: number()?,
            });
        }
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        let rows = waiting.into_iter().map(Ok);
        let rows = self.table.append_steps(&self.server, rows, &steps)?.rows;
        for (partition, position) in &mut self.positions {
            let writer = partition.writer();
            let step = steps.iter().find(|step| step.writer == writer);
            let Some(step) = step else {
                continue;
            };
            // No server reads the state before any more.
            if let Some(before) = position.number.replace(step.state) {
                position.files.remove(&*self.disk, position.from, before)?;
            }
            position.from = step.to;
            position.is_changed = false;
        }
        Ok(rows)
    }
}

/// Name under which a table remembers the number of a topic's partitions.
fn counted(partition: &Partition) -> String {
    format!("{}/partitions", partition.topic)
}

/// A random number that no other step has.
fn number() -> Result<i64> {
    let bytes: [u8; 8] = isopod_keys::random()?;
    Ok(i64::from_le_bytes(bytes) & i64::MAX)
}
