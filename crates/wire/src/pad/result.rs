//! Results of pads, sent by the server to the owner: sums, and which pads to take off (`spec/wire.md`, section 15).

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{allowed, domain, fields, kind, limit, VERSION};
use crate::packet_form::{Naming, PacketForm};
use crate::pad::description::PadDescription;
use crate::pad::frame::read_integers;
use crate::pad::run::{self, PadRun};
use crate::{
    Authentic, Envelope, FrameRange, ItemKind, KeyId, Manifest, Nonce, PackingId, Provenance,
    Relation, Result, Unsealed, WireError,
};

/// Numbers of a context.
const NUMBERS: u64 = 5;

/// A weighted sum of packets of pads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PadSum {
    /// Contents of the contexts of the packets: ascending, each once, all of one width, number of columns, and packing.
    pub contexts: Vec<PadDescription>,
    /// The packets, in order.
    pub runs: Vec<PadRun>,
    /// For each column the sum of its integers and pads, modulo 2^(8 width).
    pub sums: Vec<u32>,
}

/// A result: a sum, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PadResult {
    /// Which pad master.
    pub key_id: KeyId,
    /// Nonce, fresh per result.
    pub nonce: Nonce,
    /// Which evaluation it is of, what was asked, and what entered.
    pub provenance: Provenance,
    /// The sum.
    pub sum: PadSum,
}

impl PadResult {
    fn check(&self) -> Result<()> {
        self.provenance.check()?;
        self.sum.check(self.provenance.packing)?;
        let packets = self.sum.packets();
        if packets != u128::from(self.provenance.frames) {
            let allowed = format!("{packets}, the packets of the runs");
            return Err(WireError::out_of_range(
                "frames",
                self.provenance.frames,
                allowed,
            ));
        }
        Ok(())
    }

    /// Encodes the result up to its tag, made under the link key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.check()?;
        let mut writer = Writer::with_capacity(1024);
        writer
            .array(fields::PAD_RESULT)
            .uint(VERSION)
            .uint(kind::PAD_RESULT)
            .bytes(&self.key_id)
            .bytes(&self.nonce);
        self.provenance.write(&mut writer);
        self.sum.write(&mut writer)?;
        Ok(Unsealed::new(
            Relation::Link,
            self.nonce,
            domain::RESULT,
            writer.into_bytes(),
        ))
    }
}

impl PadSum {
    /// Refuses contexts, runs and sums that contradict each other or the packing of the item.
    pub(crate) fn check(&self, packing: Option<PackingId>) -> Result<()> {
        let contexts = &self.contexts;
        let Some(first) = contexts.first() else {
            return Err(WireError::length("contexts", 0, "at least 1"));
        };
        let shape = |one: &PadDescription| (one.width, one.columns, one.packing);
        for context in contexts {
            context.check()?;
            context.form.check(0)?;
            if shape(context) != shape(first) || context.packing != packing {
                return Err(WireError::Mismatch { field: "contexts" });
            }
        }
        if !contexts.is_sorted_by(|one, next| one < next) {
            return Err(WireError::NotCanonical { field: "contexts" });
        }
        match self.sums.len() {
            found if found == usize::from(first.columns) => Ok(()),
            found => Err(WireError::length("sums", found, first.columns)),
        }
    }

    fn packets(&self) -> u128 {
        self.runs.iter().map(|run| u128::from(run.packets())).sum()
    }

    /// Packing of the packets, if their contexts say.
    pub fn packing(&self) -> Option<PackingId> {
        self.contexts.first().and_then(|first| first.packing)
    }

    /// The packets, a row each.
    ///
    /// Errors: those of [`Manifest::of`].
    pub fn manifest(&self) -> Result<Manifest> {
        let range = |run: &PadRun| FrameRange {
            device: run.device,
            epoch: run.epoch,
            first: run.first,
            last: run.last,
            rows: 1,
        };
        Manifest::from_ranges(self.runs.iter().map(range).collect())
    }

    /// No sum is larger: over all packets, |weight| times the bound of the context.
    pub fn bound(&self) -> u128 {
        let of_run = |run: &PadRun| {
            let context = self.contexts.get(run.context as usize);
            let bound = context.map_or(0, |context| context.bound);
            let each = u128::from(run.weight.unsigned_abs()) * u128::from(bound);
            each * u128::from(run.packets())
        };
        self.runs.iter().map(of_run).sum()
    }

    /// Most contexts of one sum.
    pub const CONTEXTS: usize = limit::PAD_CONTEXT_NUMBERS / NUMBERS as usize;

    /// Refuses a sum that no result holds, before its packets are entered anywhere.
    ///
    /// Errors: [`WireError::Length`] of contexts or runs.
    pub fn check_size(&self) -> Result<()> {
        self.encoded_runs().map(drop)
    }

    /// The bytes of the runs, of a sum that fits a result.
    fn encoded_runs(&self) -> Result<Vec<u8>> {
        if self.contexts.len() > Self::CONTEXTS {
            let allowed = format!("at most {}", Self::CONTEXTS);
            return Err(WireError::length("contexts", self.contexts.len(), allowed));
        }
        let runs = run::encode(&self.runs);
        match runs.len() <= limit::MANIFEST_BYTES {
            true => Ok(runs),
            false => {
                let allowed = format!("runs of {} bytes at most", limit::MANIFEST_BYTES);
                Err(WireError::length("runs", runs.len(), allowed))
            }
        }
    }

    pub(crate) fn write(&self, writer: &mut Writer) -> Result<()> {
        let (width, columns) = self
            .contexts
            .first()
            .map_or((0, 0), |first| (first.width, first.columns));
        let numbers = NUMBERS * self.contexts.len() as u64;
        let runs = self.encoded_runs()?;
        writer
            .uint(width.into())
            .uint(columns.into())
            .array(numbers);
        for context in &self.contexts {
            writer
                .uint(context.number.into())
                .uint(context.bound.into())
                .uint(context.ratchet.into())
                .uint(context.form.device_bytes.into())
                .uint(context.form.tag_bytes.into());
        }
        let mut sums = Vec::with_capacity(self.sums.len() * usize::from(width));
        for sum in &self.sums {
            sums.extend(&sum.to_le_bytes()[..width.into()]);
        }
        writer.bytes(&runs).bytes(&sums);
        Ok(())
    }

    pub(crate) fn read(reader: &mut Reader<'_>, packing: Option<PackingId>) -> Result<Self> {
        let width = reader.uint(u8::MAX.into(), "width")? as u8;
        let columns = reader.uint(u16::MAX.into(), "columns")? as u16;
        if !(2..=4).contains(&width) {
            return Err(WireError::out_of_range("width", width, "2, 3 or 4"));
        }
        let numbers = reader.list(limit::PAD_CONTEXT_NUMBERS as u64, "contexts")?;
        if numbers % NUMBERS != 0 {
            let allowed = "five for each context";
            return Err(WireError::length("contexts", numbers as usize, allowed));
        }
        let mut contexts = Vec::new();
        for _ in 0..numbers / NUMBERS {
            let mut number = |most| reader.uint(most, "contexts");
            contexts.push(PadDescription {
                number: number(limit::CONTEXTS as u64 - 1)? as u8,
                width,
                columns,
                bound: number(u32::MAX.into())? as u32,
                packing,
                ratchet: number(1)? == 1,
                form: PacketForm {
                    naming: Naming::Sequence,
                    device_bytes: number(u8::MAX.into())? as u8,
                    tag_bytes: number(u8::MAX.into())? as u8,
                },
            });
        }
        let runs = run::read(reader.bytes(limit::MANIFEST_BYTES, "runs")?, contexts.len())?;
        let sums = reader.bytes(limit::PACKET_BYTES, "sums")?;
        let wanted = usize::from(columns) * usize::from(width);
        if sums.len() != wanted {
            return Err(WireError::length("sums", sums.len(), wanted));
        }
        Ok(Self {
            contexts,
            runs,
            sums: read_integers(width, sums),
        })
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a result of pads.
    ///
    /// Errors: every field outside of what is allowed.
    pub fn pad_result(&self) -> Result<PadResult> {
        let (mut reader, _) = self.body(ItemKind::PadResult, allowed::PAD_RESULT)?;
        let (key_id, nonce) = (*reader.fixed("key")?, *reader.fixed("nonce")?);
        let provenance = Provenance::read(&mut reader)?;
        let sum = PadSum::read(&mut reader, provenance.packing)?;
        let result = PadResult {
            key_id,
            nonce,
            provenance,
            sum,
        };
        result.check().map(|()| result)
    }
}
