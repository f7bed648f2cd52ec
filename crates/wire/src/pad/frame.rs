//! Packets of pads that were opened: integers that nobody reads without two pads.

use crate::pad::description::PadHeader;
use crate::{Result, WireError};

/// An authentic packet of pads: one row of integers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PadFrame {
    /// Its header.
    pub header: PadHeader,
    /// An integer for each column, plus its pads, modulo 2^(8 width).
    pub integers: Vec<u32>,
}

impl PadFrame {
    /// Takes the body of a packet.
    ///
    /// Errors: [`WireError::Length`]; [`WireError::OutOfRange`] for a sequence or an epoch that has no pads.
    pub fn read(header: PadHeader, body: &[u8]) -> Result<Self> {
        let description = &header.description;
        if body.len() != description.body_bytes() {
            return Err(WireError::length(
                "body",
                body.len(),
                description.body_bytes(),
            ));
        }
        header.check_name()?;
        let integers = read_integers(description.width, body);
        Ok(Self { header, integers })
    }
}

/// Numbers of a width of at most four bytes each, the lowest byte first.
pub(crate) fn read_integers(width: u8, bytes: &[u8]) -> Vec<u32> {
    let number = |bytes: &[u8]| {
        let bytes = bytes.iter().rev();
        bytes.fold(0, |sum, &byte| sum << 8 | u32::from(byte))
    };
    bytes.chunks_exact(width.into()).map(number).collect()
}
