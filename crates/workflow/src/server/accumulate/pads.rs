//! Packets of pads: added up as they come, in all threads, or added to encryptions of their pads.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use isopod_pad::PadAccumulator;
use isopod_wire::codes::size;
use isopod_wire::{FrameId, PadFrame, PadHeader, PadPartial, TfheHeader, ValueType};

use crate::request::descriptor::JobName;
use crate::server::accumulate::compatibility::check_pair;
use crate::server::accumulate::frame::{named, Header};
use crate::{Error, Frame, Result};

/// The sum that all threads make together: its job, and the first packet.
pub(crate) struct PadSumDefinition {
    job: JobName,
    first: OnceLock<PadHeader>,
}

/// The share of one thread.
#[derive(Clone)]
pub(crate) struct PadShare {
    definition: Arc<PadSumDefinition>,
    pub sum: PadAccumulator,
}

impl PadSumDefinition {
    pub fn new(job: JobName) -> Self {
        Self {
            job,
            first: OnceLock::new(),
        }
    }

    /// Refuses a partial state of another job or request.
    pub fn check(&self, state: &PadPartial, request: &[u8; size::DIGEST]) -> Result<()> {
        let field = match (state.job == self.job.name(), state.request == *request) {
            (true, true) => return Ok(()),
            (false, _) => "job",
            (true, false) => "request",
        };
        Err(isopod_linear::Error::Differs { field }.into())
    }
}

impl PadShare {
    /// A share without packets.
    pub fn new(definition: &Arc<PadSumDefinition>) -> Self {
        Self {
            definition: definition.clone(),
            sum: PadAccumulator::default(),
        }
    }

    /// Adds a packet; refuses one that does not belong to the first.
    pub fn add(&mut self, frame: &PadFrame) -> Result<()> {
        let definition = &self.definition;
        let first = definition.first.get_or_init(|| frame.header);
        check_pair(
            definition.job,
            Header::Pad(first),
            Header::Pad(&frame.header),
        )?;
        Ok(self.sum.add(frame, 1)?)
    }
}

/// The type of TFHE that has the integers of a width; None of three bytes.
pub(crate) fn pad_type(width: u8) -> Option<ValueType> {
    match width {
        2 => Some(ValueType::I16),
        4 => Some(ValueType::I32),
        _ => None,
    }
}

/// Packets of pads, by their names. A frame of TFHE of the same name that encrypts minus their pads becomes their integers, once
/// they are added to it.
#[derive(Default)]
pub struct PadPackets(BTreeMap<FrameId, PadFrame>);

impl PadPackets {
    /// The packets among frames of one inbox.
    ///
    /// # Errors
    /// [`Error::OtherScheme`] for frames of ciphertexts.
    pub fn new(frames: Vec<Frame>) -> Result<Self> {
        let named = frames.into_iter().map(|frame| {
            let packet = frame.pad()?;
            Ok((packet.header.id, packet))
        });
        named.collect::<Result<_>>().map(Self)
    }

    /// The integers to be added to the values of a frame; refuses a frame whose packet is missing, or holds other integers.
    #[cfg_attr(
        not(feature = "tfhe"),
        expect(dead_code, reason = "only tfhe-rs adds packets to their pads")
    )]
    pub(crate) fn integers(&self, frame: &TfheHeader) -> Result<Vec<u64>> {
        let refused = |problem: &str| {
            let allowed = "allowed is a frame that `isopod pads encrypt` made of the pads of one of the packets";
            let frame = named(frame.id);
            Error::parameter("packets", format!("{frame}: {problem}; {allowed}"))
        };
        let packet = self.0.get(&frame.id);
        let packet = packet.ok_or_else(|| refused("no packet has its name"))?;
        let description = &packet.header.description;
        let of =
            pad_type(description.width).ok_or_else(|| refused("packet of integers of 24 bits"))?;
        let columns = usize::from(description.columns);
        if frame.schema.values() != columns || !frame.schema.types().all(|found| found == of) {
            return Err(refused("values of other types than those of its packet"));
        }
        if frame.packing != description.packing {
            return Err(refused("of other columns than its packet"));
        }
        Ok(packet.integers.iter().copied().map(u64::from).collect())
    }
}
