//! The tables of the memory, and their rows.

use std::io;

use isopod_wire::{FrameId, KeyId};
use redb::{ReadableTable, TableDefinition};

use super::ranges::Ranges;
use super::window;
use crate::error::KeysError;
use crate::record::Numbers;

/// Digest of a request.
pub(super) type Request = [u8; 32];
/// Device and number of a request, each with its highest byte first, so that all rows of a device lie together.
pub(super) type Key = [u8; 16];

/// One row: version, key pair, number of the next answer, number of requests.
pub(super) const STATE: TableDefinition<'static, u64, &[u8]> = TableDefinition::new("state");
/// Numbers of requests, from 1 on.
pub(super) const REQUESTS: TableDefinition<'static, &Request, u64> =
    TableDefinition::new("requests");
/// Frames by device and number of a request.
pub(super) const FRAMES: TableDefinition<'static, &Key, &[u8]> = TableDefinition::new("frames");
/// Number under which all known frames of a device lie, whatever request they entered.
pub(super) const KNOWN: u64 = 0;

/// Version of the tables.
const VERSION: u32 = 1;

/// Reason why an operation did not succeed.
pub(super) enum Failure {
    /// Frames are refused, and the memory is fine.
    Refused(KeysError),
    /// Memory that cannot be read or written; [`io::ErrorKind::InvalidData`] for damage.
    Disk(io::Error),
}

pub(super) type Outcome<T> = std::result::Result<T, Failure>;

impl<E: Into<redb::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Disk(isopod_disk::database_error(error.into()))
    }
}

/// The row of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct State {
    pub(super) key_id: KeyId,
    /// Number of the next answer.
    pub(super) next: u64,
    pub(super) requests: u64,
}

impl State {
    /// The state of an empty memory.
    pub(super) fn new(key_id: KeyId) -> Self {
        Self {
            key_id,
            next: 0,
            requests: 0,
        }
    }

    pub(super) fn read(table: &impl ReadableTable<u64, &'static [u8]>) -> Outcome<Self> {
        let row = table.get(0)?;
        let row = row.ok_or_else(|| unknown("it has no state"))?;
        let mut numbers = Numbers(row.value());
        let version = numbers.u32();
        if version != Some(VERSION) {
            let found = version.unwrap_or_default();
            return Err(unknown(&format!("version: {found}; allowed is {VERSION}")));
        }
        let state = Self::parse(&mut numbers);
        state.ok_or_else(|| unknown("its state is not one of this version"))
    }

    fn parse(numbers: &mut Numbers<'_>) -> Option<Self> {
        let state = Self {
            key_id: numbers.bytes()?,
            next: numbers.u64()?,
            requests: numbers.u64()?,
        };
        numbers.0.is_empty().then_some(state)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let Self {
            key_id,
            next,
            requests,
        } = self;
        let numbers = [next.to_le_bytes(), requests.to_le_bytes()].concat();
        [&VERSION.to_le_bytes()[..], key_id, &numbers].concat()
    }
}

/// Key of a device's frames.
pub(super) fn key(device: u64, request: u64) -> Key {
    (u128::from(device) << 64 | u128::from(request)).to_be_bytes()
}

/// Frames of a device under a number; None if there are none.
pub(super) fn ranges(
    frames: &impl ReadableTable<&'static Key, &'static [u8]>,
    device: u64,
    request: u64,
) -> Outcome<Option<Ranges>> {
    let Some(row) = frames.get(&key(device, request))? else {
        return Ok(None);
    };
    let ranges = Ranges::parse(row.value());
    let ranges = ranges.ok_or_else(|| unknown("a row is not one of this version"));
    ranges.map(Some)
}

/// All that judges the frames of a device for a request.
#[derive(Debug, Default)]
pub(super) struct DeviceFrames {
    known: Option<Ranges>,
    entered: Option<Ranges>,
}

impl DeviceFrames {
    /// Reads both rows; a request without a number was never answered.
    pub(super) fn read(
        frames: &impl ReadableTable<&'static Key, &'static [u8]>,
        device: u64,
        request: Option<u64>,
    ) -> Outcome<Self> {
        let known = ranges(frames, device, KNOWN)?;
        let entered = request.map(|request| ranges(frames, device, request));
        Ok(Self {
            known,
            entered: entered.transpose()?.flatten(),
        })
    }

    /// Refuses a frame that is stale, or that entered an answer to the request before; `again` allows the last.
    pub(super) fn judge(&self, id: FrameId, again: bool) -> crate::Result<()> {
        if let Some(known) = &self.known {
            window::check(known, id)?;
        }
        self.check_entered(id, again)
    }

    /// Refuses a frame that entered an answer to the request before, unless `again` allows it.
    pub(super) fn check_entered(&self, id: FrameId, again: bool) -> crate::Result<()> {
        let entered = self.entered.as_ref();
        match entered.is_some_and(|ranges| ranges.contains(id.epoch, id.sequence)) && !again {
            true => Err(repeated(id)),
            false => Ok(()),
        }
    }

    /// Ranges of both rows.
    pub(super) fn len(&self) -> usize {
        let rows = [&self.known, &self.entered].into_iter().flatten();
        rows.map(|ranges| ranges.all().len()).sum()
    }
}

pub(super) fn repeated(id: FrameId) -> KeysError {
    KeysError::Repeated {
        device: id.device,
        epoch: id.epoch,
        sequence: id.sequence,
    }
}

/// A memory that is whole and not one of this version.
pub(super) fn unknown(problem: &str) -> Failure {
    let problem = format!("not a memory of frames: {problem}");
    Failure::Disk(io::Error::new(io::ErrorKind::InvalidData, problem))
}
