//! The memory as it was at one moment, of which only the rows that are asked for are read.

use isopod_wire::KeyId;
use redb::{ReadOnlyDatabase, ReadOnlyTable, ReadableDatabase};

use super::tables::{ranges, DeviceFrames, Key, Outcome, Request, State};
use super::tables::{FRAMES, KNOWN, REQUESTS, STATE};

/// Reads of the file without a lock. A writer that uses pages again makes a read fail as damage.
pub(super) struct Snapshot {
    pub(super) key_id: KeyId,
    request: Option<u64>,
    frames: ReadOnlyTable<&'static Key, &'static [u8]>,
    /// Whoever reads the table keeps it open.
    _database: ReadOnlyDatabase,
}

impl Snapshot {
    pub(super) fn of(database: ReadOnlyDatabase, request: &Request) -> Outcome<Self> {
        let transaction = database.begin_read()?;
        let state = State::read(&transaction.open_table(STATE)?)?;
        let requests = transaction.open_table(REQUESTS)?;
        let request = requests.get(request)?.map(|number| number.value());
        Ok(Self {
            key_id: state.key_id,
            request,
            frames: transaction.open_table(FRAMES)?,
            _database: database,
        })
    }

    /// Frames of a device that are known, and that entered answers to the request.
    pub(super) fn device(&self, device: u64) -> Outcome<DeviceFrames> {
        DeviceFrames::read(&self.frames, device, self.request)
    }

    /// Epoch and sequence of the newest frame that is known of a device, of those that were counted.
    pub(super) fn newest(&self, device: u64) -> Outcome<Option<(u32, u64)>> {
        let known = ranges(&self.frames, device, KNOWN)?;
        Ok(known.and_then(|known| known.newest_counted()))
    }
}
