//! Frames that enter the memory, in one transaction.

use isopod_wire::FrameId;
use redb::{ReadableTable, Table, WriteTransaction};

use super::former::Former;
use super::ranges::Ranges;
use super::tables::{key, ranges, repeated, unknown, DeviceFrames, Failure, Key, Outcome, Request};
use super::tables::{State, FRAMES, KNOWN, REQUESTS, STATE};
use super::MOST_RANGES;

/// The memory under a transaction.
pub(super) struct Entry<'t> {
    state: State,
    states: Table<'t, u64, &'static [u8]>,
    requests: Table<'t, &'static Request, u64>,
    frames: Table<'t, &'static Key, &'static [u8]>,
}

impl<'t> Entry<'t> {
    /// Writes an empty memory.
    pub(super) fn begin(transaction: &'t WriteTransaction, state: State) -> Outcome<Self> {
        let mut states = transaction.open_table(STATE)?;
        states.insert(0, &state.bytes()[..])?;
        drop(states);
        Self::open(transaction)
    }

    /// Opens the tables.
    pub(super) fn open(transaction: &'t WriteTransaction) -> Outcome<Self> {
        let states = transaction.open_table(STATE)?;
        Ok(Self {
            state: State::read(&states)?,
            states,
            requests: transaction.open_table(REQUESTS)?,
            frames: transaction.open_table(FRAMES)?,
        })
    }

    /// Writes all that a file of the former form remembers.
    pub(super) fn take(&mut self, former: &Former) -> Outcome<()> {
        self.state.next = former.next;
        for (&device, known) in &former.known {
            self.put(device, KNOWN, known)?;
        }
        for (request, table) in &former.entered {
            let number = self.number(request)?;
            for (&device, entered) in table {
                self.put(device, number, entered)?;
            }
        }
        self.save()
    }

    /// Refuses frames that are stale, that occur twice, or that entered an answer to the request before; `again` allows the last.
    pub(super) fn check(&self, frames: &[FrameId], request: &Request, again: bool) -> Outcome<()> {
        let ordered = ordered(frames);
        if let Some(pair) = ordered.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Failure::Refused(repeated(pair[0])));
        }
        self.each(&ordered, request, |device, id| device.judge(id, again))
    }

    /// Refuses frames that entered an answer to the request before, unless `again` allows it.
    pub(super) fn check_entered(
        &self,
        frames: &[FrameId],
        request: &Request,
        again: bool,
    ) -> Outcome<()> {
        let judge = |device: &DeviceFrames, id| device.check_entered(id, again);
        self.each(&ordered(frames), request, judge)
    }

    fn each(
        &self,
        ordered: &[FrameId],
        request: &Request,
        judge: impl Fn(&DeviceFrames, FrameId) -> crate::Result<()>,
    ) -> Outcome<()> {
        let request = self.requests.get(request)?.map(|number| number.value());
        for frames in ordered.chunk_by(|one, other| one.device == other.device) {
            let device = DeviceFrames::read(&self.frames, frames[0].device, request)?;
            for &id in frames {
                judge(&device, id).map_err(Failure::Refused)?;
            }
        }
        Ok(())
    }

    /// Enters the frames of an answer, and gives the answer its number; None if none is left.
    pub(super) fn enter(&mut self, frames: &[FrameId], request: &Request) -> Outcome<Option<u64>> {
        let number = self.state.next;
        let Some(next) = number.checked_add(1) else {
            return Ok(None);
        };
        self.state.next = next;
        let request = self.number(request)?;
        for frames in ordered(frames).chunk_by(|one, other| one.device == other.device) {
            self.enter_device(frames, request)?;
        }
        Ok(Some(number))
    }

    /// Enters frames of one device. Where its ranges become too many, the oldest frames are forgotten, under all requests: else
    /// one that is forgotten here and known there would be judged by what is left of it.
    fn enter_device(&mut self, frames: &[FrameId], request: u64) -> Outcome<()> {
        let device = frames[0].device;
        let mut excess = None;
        let mut rows = Vec::new();
        for of in [KNOWN, request] {
            let mut row = ranges(&self.frames, device, of)?.unwrap_or_default();
            for id in frames {
                row.insert(id.epoch, id.sequence);
            }
            excess = excess.max(row.excess(MOST_RANGES));
            rows.push((of, row));
        }
        for (of, row) in &rows {
            self.put(device, *of, row)?;
        }
        excess.map_or(Ok(()), |(epoch, last)| self.forget(device, epoch, last))
    }

    /// Forgets a device's frames up to this one, under all requests.
    fn forget(&mut self, device: u64, epoch: u32, last: u64) -> Outcome<()> {
        let (first, end) = (key(device, KNOWN), key(device, u64::MAX));
        let rows = self.frames.range::<&Key>(&first..=&end)?;
        let keys = rows.map(|row| row.map(|(key, _)| *key.value()));
        for key in keys.collect::<std::result::Result<Vec<Key>, _>>()? {
            let request = u128::from_be_bytes(key) as u64;
            let mut row = ranges(&self.frames, device, request)?.unwrap_or_default();
            row.forget(epoch, last);
            self.put(device, request, &row)?;
        }
        Ok(())
    }

    /// Writes a row; one without frames goes.
    fn put(&mut self, device: u64, request: u64, row: &Ranges) -> Outcome<()> {
        let key = key(device, request);
        if row.all().is_empty() {
            self.frames.remove(&key)?;
            return Ok(());
        }
        let mut bytes = Vec::new();
        row.append_to(&mut bytes);
        self.frames.insert(&key, &bytes[..])?;
        Ok(())
    }

    /// Number of a request; a new one for one that was never answered.
    fn number(&mut self, request: &Request) -> Outcome<u64> {
        if let Some(number) = self.requests.get(request)? {
            return Ok(number.value());
        }
        let number = self.state.requests.checked_add(1);
        let number = number.ok_or_else(|| unknown("no numbers of requests are left"))?;
        self.state.requests = number;
        self.requests.insert(request, number)?;
        Ok(number)
    }

    /// Writes the state. It comes last.
    pub(super) fn save(&mut self) -> Outcome<()> {
        self.states.insert(0, &self.state.bytes()[..])?;
        Ok(())
    }

    /// Key pair of the memory.
    pub(super) fn key_id(&self) -> isopod_wire::KeyId {
        self.state.key_id
    }
}

fn ordered(frames: &[FrameId]) -> Vec<FrameId> {
    let mut ordered = frames.to_vec();
    ordered.sort_unstable();
    ordered
}
