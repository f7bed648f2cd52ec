//! Runs: packets of one device and epoch, without a gap, that entered a sum with one weight (`spec/wire.md`, section 15).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit;
use crate::{FrameId, Result, WireError};

/// Fields of a run.
const FIELDS: u64 = 6;

/// Packets of one device and epoch, without a gap, that have the same context and weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PadRun {
    /// The device.
    pub device: u64,
    /// The epoch.
    pub epoch: u32,
    /// The first sequence.
    pub first: u64,
    /// The last sequence.
    pub last: u64,
    /// Place of the context among those of the sum.
    pub context: u32,
    /// Factor of each packet.
    pub weight: i32,
}

impl PadRun {
    /// The run of one packet.
    pub fn of(id: FrameId, context: u32, weight: i32) -> Self {
        Self {
            device: id.device,
            epoch: id.epoch,
            first: id.sequence,
            last: id.sequence,
            context,
            weight,
        }
    }

    /// Number of packets.
    pub fn packets(&self) -> u64 {
        self.last - self.first + 1
    }

    /// Whether a packet of this name, context and weight lies just behind it.
    pub fn is_continued_by(&self, next: &Self) -> bool {
        let of = |run: &Self| (run.device, run.epoch, run.context, run.weight);
        of(self) == of(next) && self.last.checked_add(1) == Some(next.first)
    }

    fn overlaps(&self, next: &Self) -> bool {
        (self.device, self.epoch) == (next.device, next.epoch) && self.last >= next.first
    }

    /// Sorts runs, and joins those that continue each other.
    ///
    /// Errors: [`WireError::Overlap`] for a packet that occurs twice.
    pub fn joined(mut runs: Vec<Self>) -> Result<Vec<Self>> {
        runs.sort_unstable();
        let mut joined: Vec<Self> = Vec::new();
        for run in runs {
            match joined.last_mut() {
                Some(before) if before.overlaps(&run) => {
                    return Err(WireError::Overlap {
                        device: run.device,
                        epoch: run.epoch,
                        first: run.first,
                        last: run.last.min(before.last),
                    });
                }
                Some(before) if before.is_continued_by(&run) => before.last = run.last,
                _ => joined.push(run),
            }
        }
        Ok(joined)
    }
}

/// The bytes of runs that are in order.
pub(crate) fn encode(runs: &[PadRun]) -> Vec<u8> {
    let mut writer = Writer::with_capacity(9 + 24 * runs.len());
    writer.array(FIELDS * runs.len() as u64);
    for run in runs {
        writer
            .uint(run.device)
            .uint(run.epoch.into())
            .uint(run.first)
            .uint(run.last)
            .uint(run.context.into())
            .uint((run.weight as u32).into());
    }
    writer.into_bytes()
}

/// Reads runs that fill `bytes`, of a number of contexts.
///
/// Errors: other encodings; runs that are not in order, overlap, or could be one.
pub(crate) fn read(bytes: &[u8], contexts: usize) -> Result<Vec<PadRun>> {
    let mut reader = Reader::new(bytes);
    let elements = reader.list(limit::MANIFEST_BYTES as u64, "runs")?;
    if elements == 0 || elements % FIELDS != 0 {
        let allowed = "runs of device, epoch, first, last, context, weight";
        return Err(WireError::length("runs", elements as usize, allowed));
    }
    let runs: Vec<PadRun> = (0..elements / FIELDS)
        .map(|_| read_one(&mut reader, contexts))
        .collect::<Result<_>>()?;
    reader.finish()?;
    match PadRun::joined(runs.clone())? == runs {
        true => Ok(runs),
        false => Err(WireError::NotCanonical { field: "runs" }),
    }
}

fn read_one(reader: &mut Reader<'_>, contexts: usize) -> Result<PadRun> {
    let mut number = |most| reader.uint(most, "runs");
    let word = u64::from(u32::MAX);
    let run = PadRun {
        device: number(u64::MAX)?,
        epoch: number(word)? as u32,
        first: number(word)?,
        last: number(word)?,
        context: number(word)? as u32,
        weight: number(word)? as u32 as i32,
    };
    if run.first > run.last || run.last == word {
        let allowed = format!("{} to {}", run.first, word - 1);
        return Err(WireError::out_of_range("runs", run.last, allowed));
    }
    if run.context as usize >= contexts {
        let allowed = format!("a place in contexts, below {contexts}");
        return Err(WireError::out_of_range("runs", run.context, allowed));
    }
    Ok(run)
}
