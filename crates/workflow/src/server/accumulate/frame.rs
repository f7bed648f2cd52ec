//! Frames of any scheme, as a device sent them.

use isopod_linear::{Machine, Ring};
use isopod_wire::{
    FrameHeader, FrameId, Layout, Mask, MaskOrder, PackedFrame, PackingId, PadFrame, PadHeader,
    RoundedFrame, TfheFrame, TfheHeader,
};

use crate::server::accumulate::residues::ciphertext;
use crate::{Error, Result};

/// One ciphertext as a device sent it. In memory a residue has eight bytes, about twice its bytes on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A frame of CKKS or BFV.
    Rns(isopod_wire::Frame),
    /// A frame of CKKS or BFV whose coefficients travelled rounded.
    Rounded(RoundedFrame),
    /// A frame of TFHE.
    Tfhe(TfheFrame),
    /// A packet of pads.
    Pad(PadFrame),
}

/// Header of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Header<'a> {
    Rns(&'a FrameHeader),
    Tfhe(&'a TfheHeader),
    Pad(&'a PadHeader),
}

impl Header<'_> {
    pub fn id(self) -> FrameId {
        match self {
            Self::Rns(header) => header.id,
            Self::Tfhe(header) => header.id,
            Self::Pad(header) => header.id,
        }
    }

    pub fn rows(self) -> u32 {
        match self {
            Self::Rns(header) => header.grid().rows,
            // At most as many as the ring has coefficients.
            Self::Tfhe(header) => header.rows() as u32,
            Self::Pad(_) => 1,
        }
    }

    pub fn columns(self) -> usize {
        match self {
            Self::Rns(header) => header.grid().columns as usize,
            Self::Tfhe(header) => header.columns as usize,
            Self::Pad(header) => header.description.columns.into(),
        }
    }

    pub fn packing(self) -> Option<PackingId> {
        match self {
            Self::Rns(header) => header.claims.packing,
            Self::Tfhe(header) => header.packing,
            Self::Pad(header) => header.description.packing,
        }
    }
}

impl Frame {
    pub(crate) fn header(&self) -> Header<'_> {
        match self {
            Self::Rns(frame) => Header::Rns(&frame.header),
            Self::Rounded(frame) => Header::Rns(&frame.header),
            Self::Tfhe(frame) => Header::Tfhe(&frame.header),
            Self::Pad(frame) => Header::Pad(&frame.header),
        }
    }

    /// A packed frame, of which coefficients that travelled stay as they are.
    pub(crate) fn unpacked(frame: PackedFrame<'_>) -> Result<Self> {
        Ok(match frame.header().rounding {
            None => Self::Rns(frame.unpack()?),
            Some(_) => Self::Rounded(frame.rounded()?),
        })
    }

    /// The sender, and the number of the frame.
    pub fn id(&self) -> FrameId {
        self.header().id()
    }

    /// Number of its rows.
    pub fn rows(&self) -> u32 {
        self.header().rows()
    }

    /// Values of a row.
    pub fn columns(&self) -> usize {
        self.header().columns()
    }

    /// AdmittedFrames and standardisation of the columns, if the device says.
    pub fn packing(&self) -> Option<PackingId> {
        self.header().packing()
    }

    /// The frame of CKKS or BFV, all of its coefficients back in NTT order; refuses those of TFHE.
    ///
    /// # Errors
    /// [`Error::OtherScheme`], [`Error::Linear`].
    pub fn rns(self) -> Result<isopod_wire::Frame> {
        match self {
            Self::Rns(frame) => Ok(frame),
            Self::Rounded(frame) => transformed(frame),
            Self::Tfhe(_) | Self::Pad(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// The frame whose coefficients travelled; refuses others.
    ///
    /// # Errors
    /// [`Error::Layout`], [`Error::OtherScheme`].
    pub(crate) fn rounded(self) -> Result<RoundedFrame> {
        match self {
            Self::Rounded(frame) => Ok(frame),
            Self::Rns(frame) => Err(Error::Layout {
                frame: named(frame.header.id),
                layout: frame.header.layout.name(),
                allowed: Layout::CoefficientsRounded.name(),
            }),
            Self::Tfhe(_) | Self::Pad(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// The frame of TFHE; refuses the others.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub fn tfhe(self) -> Result<TfheFrame> {
        match self {
            Self::Tfhe(frame) => Ok(frame),
            _ => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// The packet of pads; refuses the others.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub(crate) fn pad(self) -> Result<PadFrame> {
        match self {
            Self::Pad(frame) => Ok(frame),
            _ => Err(Error::OtherScheme { item: "frame" }),
        }
    }
}

/// A frame in NTT order; coefficients of c0 that were not sent are zero.
fn transformed(frame: RoundedFrame) -> Result<isopod_wire::Frame> {
    let header = &frame.header;
    let ring = Ring::new(header.params, header.parts.into(), Machine::best())?;
    let [c0, c1] = ciphertext(&ring, &frame)?;
    let is_seed_whole = !header.seed.is_empty() && header.mask_order == MaskOrder::Ntt;
    let mask = match is_seed_whole {
        false => Mask::Polynomials(c1),
        true => Mask::Seed {
            suite: header.suite,
            seed: header.seed.clone(),
        },
    };
    let header = frame.header;
    Ok(isopod_wire::Frame { header, c0, mask })
}

/// A frame in messages.
pub(crate) fn named(id: FrameId) -> String {
    format!(
        "frame {} of device {}, epoch {}",
        id.sequence, id.device, id.epoch
    )
}
