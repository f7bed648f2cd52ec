//! Frames of any scheme, as a device sent them.

use isopod_wire::{FrameHeader, FrameId, PackingId, TfheFrame, TfheHeader};

use crate::{Error, Result};

/// One ciphertext as a device sent it. In memory a residue has eight bytes, about twice its bytes on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame {
    /// A frame of CKKS or BFV.
    Rns(isopod_wire::Frame),
    /// A frame of TFHE.
    Tfhe(TfheFrame),
}

/// Header of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Header<'a> {
    Rns(&'a FrameHeader),
    Tfhe(&'a TfheHeader),
}

impl Header<'_> {
    pub fn id(self) -> FrameId {
        match self {
            Self::Rns(header) => header.id,
            Self::Tfhe(header) => header.id,
        }
    }

    pub fn rows(self) -> u32 {
        match self {
            Self::Rns(header) => header.grid().rows,
            // At most as many as the ring has coefficients.
            Self::Tfhe(header) => header.rows() as u32,
        }
    }

    pub fn columns(self) -> usize {
        match self {
            Self::Rns(header) => header.grid().columns as usize,
            Self::Tfhe(header) => header.columns as usize,
        }
    }

    pub fn packing(self) -> Option<PackingId> {
        match self {
            Self::Rns(header) => header.claims.packing,
            Self::Tfhe(header) => header.packing,
        }
    }
}

impl Frame {
    pub(crate) fn header(&self) -> Header<'_> {
        match self {
            Self::Rns(frame) => Header::Rns(&frame.header),
            Self::Tfhe(frame) => Header::Tfhe(&frame.header),
        }
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

    /// Names and standardisation of the columns, if the device says.
    pub fn packing(&self) -> Option<PackingId> {
        self.header().packing()
    }

    /// The frame of CKKS or BFV; refuses those of TFHE.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub fn rns(self) -> Result<isopod_wire::Frame> {
        match self {
            Self::Rns(frame) => Ok(frame),
            Self::Tfhe(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }

    /// The frame of TFHE; refuses the others.
    ///
    /// # Errors
    /// [`Error::OtherScheme`].
    pub fn tfhe(self) -> Result<TfheFrame> {
        match self {
            Self::Tfhe(frame) => Ok(frame),
            Self::Rns(_) => Err(Error::OtherScheme { item: "frame" }),
        }
    }
}
