//! A server's part of a topic: the partitions that it reads, and the tables that they go into.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use isopod_disk::Disk;
use isopod_keys::key_name;
use isopod_packet::Windows;
use isopod_store::{DeviceState, NewFrame, Totals};
use isopod_table::Table;
use isopod_wire::KeyId;
use isopod_workflow::Server;

use crate::table::StreamTable;
use crate::{Error, Judgement, Partition, RefusedRecord, Result};

/// Where states and refused records lie.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The disk of the tables.
    pub disk: Arc<dyn Disk>,
    /// The folder that the tables are in.
    pub root: PathBuf,
}

/// Outcome of a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Committed {
    /// Frames that entered.
    pub frames: u64,
    /// Refused records that were kept.
    pub refused: u64,
    /// Further refused records, which the topic alone has.
    pub passed_over: u64,
}

/// Refused records that are kept between two commits: whoever may write to the topic must take neither memory nor time.
const MOST_REFUSED: usize = 100;

/// The partitions that a server reads, into tables. It holds frames in memory until [`Stream::commit`].
pub struct Stream {
    folders: Folders,
    tables: Vec<StreamTable>,
    partitions: BTreeSet<Partition>,
    /// Partitions of the topic.
    count: i32,
    refused: Vec<RefusedRecord>,
    passed_over: u64,
}

impl Stream {
    /// A stream into these tables, which has no partition yet.
    pub fn new(
        folders: Folders,
        tables: impl IntoIterator<Item = (Arc<Server>, Arc<Table>)>,
    ) -> Self {
        let tables = tables.into_iter();
        let disk = folders.disk.clone();
        Self {
            tables: tables
                .map(|(server, table)| StreamTable::new(server, table, disk.clone()))
                .collect(),
            folders,
            partitions: BTreeSet::new(),
            count: 0,
            refused: Vec::new(),
            passed_over: 0,
        }
    }

    /// Takes the partitions that the server reads from now on, in place of all before; what was read since the last commit is
    /// forgotten. Gives the offset of the first record of each that a table lacks. `count` is the number of the topic's
    /// partitions.
    ///
    /// # Errors
    /// [`Error::Partitions`]; [`Error::Table`], [`Error::File`]. Then the server has no partition.
    pub fn assign(&mut self, partitions: &[Partition], count: i32) -> Result<Vec<i64>> {
        self.forget();
        self.count = count;
        let states = self.folders.root.join("partitions");
        let mut offsets = Vec::new();
        for partition in partitions {
            let tables = self.tables.iter_mut();
            let offset: Result<Vec<i64>> = tables
                .map(|table| table.assign(partition, count, &states))
                .collect();
            match offset {
                Ok(of_tables) => offsets.push(of_tables.into_iter().min().unwrap_or(0)),
                Err(error) => {
                    self.forget();
                    return Err(error);
                }
            }
            self.partitions.insert(partition.clone());
        }
        Ok(offsets)
    }

    /// Gives up all partitions. What was read since the last commit is forgotten, and read by whoever has them next.
    pub fn forget(&mut self) {
        self.partitions.clear();
        self.refused.clear();
        self.passed_over = 0;
        self.tables.iter_mut().for_each(StreamTable::forget);
    }

    /// The partitions that the server reads.
    pub fn partitions(&self) -> impl Iterator<Item = &Partition> {
        self.partitions.iter()
    }

    /// Devices of a key pair behind this number whose frames were read in the partitions of this server, by number, at most
    /// `most` of them.
    pub fn devices(
        &self,
        key_id: &KeyId,
        after: Option<u64>,
        most: usize,
    ) -> Vec<(u64, DeviceState)> {
        let tables = self.tables.iter();
        let tables = tables.filter(|table| table.server.key_id() == *key_id);
        let devices = tables.flat_map(StreamTable::devices);
        let is_behind = |device: u64| after.is_none_or(|after| device > after);
        let mut devices: Vec<_> = devices.filter(|(device, _)| is_behind(*device)).collect();
        devices.sort_unstable_by_key(|(device, _)| *device);
        devices.truncate(most);
        let devices = devices.into_iter();
        devices
            .map(|(device, state)| (device, state.clone()))
            .collect()
    }

    /// Sums over all devices whose frames were read in the partitions of this server.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for (_, state) in self.tables.iter().flat_map(StreamTable::devices) {
            totals.enter(state);
        }
        totals
    }

    /// Takes a frame of a record. It must be in the partition of its device.
    ///
    /// # Errors
    /// [`Error::WithoutTable`], [`Error::Unassigned`].
    pub fn take(
        &mut self,
        partition: &Partition,
        offset: i64,
        frame: NewFrame,
    ) -> Result<Judgement> {
        let key_id = frame.key_id;
        self.table(&key_id)?.take(partition, offset, frame)
    }

    /// Why a device's records may not be in a partition; None if they may.
    pub fn misplaced(&self, partition: &Partition, device: u64) -> Option<String> {
        let allowed = Partition::of_device(device, self.count);
        let count = self.count;
        (allowed != partition.number).then(|| {
            format!(
                "partition: {}; allowed is {allowed}, that of device {device} among {count} by its key of eight bytes",
                partition.number
            )
        })
    }

    /// Keeps a context that was registered, for whoever reads the partition next.
    ///
    /// # Errors
    /// Those of [`Stream::take`].
    pub fn keep_context(
        &mut self,
        partition: &Partition,
        offset: i64,
        (key_id, item): (&KeyId, &[u8]),
    ) -> Result<()> {
        self.table(key_id)?.keep_context(partition, offset, item)
    }

    /// Keeps a record that does not enter, with the next commit; false if as many are kept as may be.
    pub fn refuse(&mut self, record: impl FnOnce() -> RefusedRecord) -> bool {
        let fits = self.refused.len() < MOST_REFUSED;
        match fits {
            true => self.refused.push(record()),
            false => self.passed_over += 1,
        }
        fits
    }

    /// Where the stored frames of a device are.
    pub fn windows(&self, key_id: &KeyId, device: u64) -> Windows {
        let mut tables = self.tables.iter();
        let table = tables.find(|table| table.server.key_id() == *key_id);
        table.map_or_else(Windows::default, |table| table.windows(device))
    }

    /// All records of a partition before this offset were taken.
    ///
    /// # Errors
    /// [`Error::Unassigned`].
    pub fn passed(&mut self, partition: &Partition, next: i64) -> Result<()> {
        let mut tables = self.tables.iter_mut();
        tables.try_for_each(|table| table.passed(partition, next))
    }

    /// Bytes that wait for the next commit.
    pub fn waiting_bytes(&self) -> usize {
        let refused: usize = self.refused.iter().map(|record| record.bytes.len()).sum();
        let frames: usize = self.tables.iter().map(StreamTable::bytes).sum();
        frames + refused
    }

    /// Writes all that was taken, durably. After an error the server has no partition: it takes them once more, and reads on from
    /// where the tables are.
    ///
    /// # Errors
    /// [`Error::Table`], for which [`Error::is_taken_over`] tells whether another server has a partition; [`Error::File`].
    pub fn commit(&mut self) -> Result<Committed> {
        let committed = self.commit_all();
        if committed.is_err() {
            self.forget();
        }
        committed
    }

    fn commit_all(&mut self) -> Result<Committed> {
        let mut committed = Committed {
            passed_over: std::mem::take(&mut self.passed_over),
            ..Committed::default()
        };
        let folder = self.folders.root.join("quarantine");
        for record in self.refused.drain(..) {
            record.keep(&*self.folders.disk, &folder)?;
            committed.refused += 1;
        }
        for table in &mut self.tables {
            committed.frames += table.commit(self.count)?;
        }
        Ok(committed)
    }

    fn table(&mut self, key_id: &KeyId) -> Result<&mut StreamTable> {
        let mut tables = self.tables.iter_mut();
        let table = tables.find(|table| table.server.key_id() == *key_id);
        table.ok_or_else(|| Error::WithoutTable(key_name(key_id)))
    }
}
