//! Items of devices: parts and frames with tags of their own, and packets, whose tags need their contexts.

use crate::codes::{allowed, kind};
use crate::{
    AnySet, Authenticator, Envelope, FrameId, PackedPart, PadFrame, Result, TfheFrame, WireError,
};

/// An authentic item of a device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeviceItem<'a> {
    /// A part of a frame of CKKS or BFV, or all of it in a packet.
    Part(PackedPart<'a>),
    /// A frame of TFHE.
    Frame(TfheFrame),
    /// A packet of pads.
    Pad(PadFrame),
}

/// Verifies tags of items and of packets.
pub trait DeviceAuthenticator: Authenticator {
    /// The frame of a packet of this name, whose tag verifies under the key of its context.
    ///
    /// Errors: [`WireError::UnknownContext`], [`WireError::Tag`]; what the context does not allow.
    fn open_packet<'a>(&self, name: FrameId, packet: &'a [u8]) -> Result<DeviceItem<'a>>;
}

impl<'a> DeviceItem<'a> {
    /// Authenticates an item of a device under a key pair of this set, and then parses it.
    ///
    /// Errors: [`WireError::Tag`]; every field outside of what its set, kind and suite allow; those of
    /// [`DeviceAuthenticator::open_packet`].
    pub fn open(
        envelope: Envelope<'a>,
        set: AnySet,
        with: &dyn DeviceAuthenticator,
    ) -> Result<Self> {
        if let Some(stored) = envelope.packet() {
            return with.open_packet(stored.name, stored.packet);
        }
        let authentic = envelope.authenticate(with)?;
        Ok(match set {
            AnySet::Rns(_) => Self::Part(authentic.packed_part()?),
            AnySet::Tfhe(set) => Self::Frame(authentic.tfhe_frame(set)?),
            // Only a packet is under pads, and no item with a tag of its own.
            AnySet::Pads => {
                return Err(WireError::UnknownKind {
                    found: authentic.kind_number()?,
                    allowed: allowed::PACKET,
                })
            }
        })
    }

    /// The part.
    ///
    /// Errors: [`WireError::UnknownKind`] for a frame of TFHE, and for pads.
    pub fn part(self) -> Result<PackedPart<'a>> {
        match self {
            Self::Part(part) => Ok(part),
            Self::Frame(_) => Err(other_kind(kind::TFHE_SECRET)),
            Self::Pad(_) => Err(other_kind(kind::PACKET)),
        }
    }
}

fn other_kind(found: u64) -> WireError {
    WireError::UnknownKind {
        found,
        allowed: allowed::PART,
    }
}
