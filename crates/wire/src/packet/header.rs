//! The header that the frames of packets have, of any scheme.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::size;
use crate::frame::header::MaskOrder;
use crate::packet::{described, tfhe_described};
use crate::packet_form::{Described, PacketForm};
use crate::pad::description;
use crate::{AnySet, FrameHeader, FrameId, KeyId, PadHeader, Result, TfheHeader};

/// Bytes of a TFHE body.
const WIDTH: u8 = 2;

/// The header that the frames of packets have, but for name and mask seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PacketHeader {
    /// CKKS or BFV.
    Rns(FrameHeader),
    /// TFHE.
    Tfhe(TfheHeader),
    /// Pads.
    Pad(PadHeader),
}

impl From<&FrameHeader> for PacketHeader {
    fn from(header: &FrameHeader) -> Self {
        Self::Rns(FrameHeader {
            nonce: Default::default(),
            interleave: 1,
            seed: vec![0; size::MASK_SEED],
            mask_order: MaskOrder::Coefficients,
            ..header.clone()
        })
    }
}

impl From<&TfheHeader> for PacketHeader {
    fn from(header: &TfheHeader) -> Self {
        Self::Tfhe(TfheHeader {
            nonce: Default::default(),
            width: WIDTH,
            ..header.clone()
        })
    }
}

impl From<&PadHeader> for PacketHeader {
    fn from(header: &PadHeader) -> Self {
        Self::Pad(*header)
    }
}

impl<H> Described<H> {
    fn of(self, header: impl FnOnce(H) -> PacketHeader) -> Described<PacketHeader> {
        Described {
            header: header(self.header),
            number: self.number,
            form: self.form,
            bytes: self.bytes,
        }
    }
}

impl PacketHeader {
    /// Reads the fields of a context before its announcement.
    pub(crate) fn read(reader: &mut Reader<'_>, set: AnySet) -> Result<Described<Self>> {
        Ok(match set {
            AnySet::Rns(set) => described::read(reader, set)?.of(Self::Rns),
            AnySet::Tfhe(set) => tfhe_described::read(reader, set, WIDTH)?.of(Self::Tfhe),
            AnySet::Pads => description::read(reader)?.of(Self::Pad),
        })
    }

    /// The name that it announces.
    pub(crate) fn id_mut(&mut self) -> &mut FrameId {
        match self {
            Self::Rns(header) => &mut header.id,
            Self::Tfhe(header) => &mut header.id,
            Self::Pad(header) => &mut header.id,
        }
    }

    pub(crate) fn id(&self) -> FrameId {
        match self {
            Self::Rns(header) => header.id,
            Self::Tfhe(header) => header.id,
            Self::Pad(header) => header.id,
        }
    }

    pub(crate) fn key_id(&self) -> KeyId {
        match self {
            Self::Rns(header) => header.key_id,
            Self::Tfhe(header) => header.key_id,
            Self::Pad(header) => header.key_id,
        }
    }

    /// Bytes of a packet's body.
    pub(crate) fn body_bytes(&self) -> Result<usize> {
        match self {
            Self::Rns(header) => described::body_bytes(header),
            Self::Tfhe(header) => Ok(header.coefficients() * usize::from(WIDTH)),
            Self::Pad(header) => Ok(header.description.body_bytes()),
        }
    }

    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::Rns(header) => described::check(header),
            Self::Tfhe(header) => tfhe_described::check(header),
            Self::Pad(header) => {
                header.description.check()?;
                header.check_name()
            }
        }
    }

    pub(crate) fn describe(&self, writer: &mut Writer, number: u8, form: PacketForm) {
        match self {
            Self::Rns(header) => described::write(writer, header, number),
            Self::Tfhe(header) => tfhe_described::write(writer, header, number),
            // Number and form are within, and no naming.
            Self::Pad(header) => {
                return header
                    .description
                    .write(writer, &header.key_id, header.id.device)
            }
        }
        form.write(writer);
    }
}
