//! A topic in memory, and servers that read it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use isopod_disk::Disk;
use isopod_stream::{Committed, Folders, Judgement, NewFrame, Partition, Result, Stream};
use isopod_table::Table;
use isopod_wire::FrameId;
use isopod_workflow::{Message, Server};

use super::support::Place;

/// A set of small frames.
const SET: &str = "ckks-1024x1-sum";
const ROOT: &str = "/tables";
pub const TABLE: &str = "/tables/key";
/// Partitions of the topic, of which the devices 1 and 2 have different ones.
pub const COUNT: i32 = 5;

pub type Name = (u64, u64);

/// Records by partition; each is a frame of a device with a sequence.
pub struct Topic {
    /// The server's folder, which goes with it.
    _place: Place,
    pub server: Arc<Server>,
    pub partitions: [(Partition, Vec<Name>); 2],
    frames: BTreeMap<Name, Vec<u8>>,
}

pub fn partition(device: u64) -> Partition {
    Partition {
        topic: "frames".to_owned(),
        number: Partition::of_device(device, COUNT),
    }
}

impl Topic {
    /// A topic whose devices sent these sequences, some of them more than once.
    pub fn new(sequences: &[u64]) -> Self {
        let place = Place::new(SET, &[]);
        let mut frames = BTreeMap::new();
        let partitions = [1, 2].map(|device| {
            let records: Vec<Name> = sequences.iter().map(|at| (device, *at)).collect();
            for name in &records {
                frames.entry(*name).or_insert_with(|| {
                    let message = Message::Real(vec![1.0]);
                    place.items(device, name.1, &message).concat()
                });
            }
            (partition(device), records)
        });
        let server = Arc::new(place.server());
        Self {
            _place: place,
            server,
            partitions,
            frames,
        }
    }

    pub fn frame(&self, (device, sequence): Name) -> NewFrame {
        NewFrame {
            key_id: self.server.key_id(),
            id: FrameId {
                device,
                epoch: self.epoch(),
                sequence,
            },
            received: 1_000 * sequence,
            bytes: self.frames[&(device, sequence)].clone(),
        }
    }

    fn epoch(&self) -> u32 {
        let bytes = self.frames.values().next().unwrap();
        self.server.frame_header(bytes).unwrap().id.epoch
    }

    /// The frames of all records, each once.
    pub fn expected(&self) -> Vec<Name> {
        self.frames.keys().copied().collect()
    }
}

/// A server, and where it reads.
pub struct Reader<'t> {
    pub topic: &'t Topic,
    pub stream: Stream,
    positions: Vec<(Partition, i64)>,
}

impl<'t> Reader<'t> {
    pub fn new(topic: &'t Topic, disk: &Arc<dyn Disk>) -> Result<Self> {
        let table = Arc::new(Table::open_or_create_on(disk.clone(), Path::new(TABLE))?);
        let folders = Folders {
            disk: disk.clone(),
            root: PathBuf::from(ROOT),
        };
        let stream = Stream::new(folders, [(topic.server.clone(), table)]);
        Ok(Self {
            topic,
            stream,
            positions: Vec::new(),
        })
    }

    pub fn assign(&mut self, partitions: &[Partition]) -> Result<()> {
        self.positions.clear();
        let offsets = self.stream.assign(partitions, COUNT)?;
        self.positions = partitions.iter().cloned().zip(offsets).collect();
        Ok(())
    }

    pub fn assign_all(&mut self) -> Result<()> {
        let all = self
            .topic
            .partitions
            .each_ref()
            .map(|(name, _)| name.clone());
        self.assign(&all)
    }

    /// Reads at most so many records of each partition; whether there was one.
    pub fn read(&mut self, most: usize) -> Result<bool> {
        let mut found = false;
        for (partition, next) in &mut self.positions {
            let mut all = self.topic.partitions.iter();
            let (_, records) = all.find(|(name, _)| name == partition).unwrap();
            for name in records.iter().skip(*next as usize).take(most) {
                let frame = self.topic.frame(*name);
                let judged = self.stream.take(partition, *next, frame)?;
                assert!(!matches!(judged, Judgement::Stale(_)), "{judged:?}");
                *next += 1;
                self.stream.passed(partition, *next)?;
                found = true;
            }
        }
        Ok(found)
    }

    /// Commits; after an error nothing is assigned.
    pub fn commit(&mut self) -> Result<Committed> {
        let committed = self.stream.commit();
        if committed.is_err() {
            self.positions.clear();
        }
        committed
    }

    /// Reads and commits to the end.
    pub fn finish(&mut self) -> Result<()> {
        while self.read(3)? {
            self.commit()?;
        }
        self.commit().map(drop)
    }
}

/// Device and sequence of all rows, in order.
pub fn rows(topic: &Topic, disk: &Arc<dyn Disk>) -> Vec<Name> {
    let table = Table::open_or_create_on(disk.clone(), Path::new(TABLE)).unwrap();
    assert_eq!(table.verify().unwrap(), Vec::<String>::new());
    let (mut found, mut named) = (Vec::new(), Vec::new());
    let read = table.rows(|row| {
        let header = topic.server.frame_header(&row.bytes)?;
        found.push((header.id.device, header.id.sequence));
        assert_eq!(row.time, 1_000_000 * header.id.sequence as i64);
        Ok(())
    });
    read.unwrap();
    let names = table.names(|id, _| named.push((id.device, id.sequence)));
    names.unwrap();
    assert_eq!(found, named);
    found.sort_unstable();
    found
}
