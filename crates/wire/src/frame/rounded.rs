//! Frames whose coefficients travel rounded (`spec/coefficients.md`).

use crate::frame::header::{seal, MaskOrder};
use crate::frame::part::wrong_c1;
use crate::frame::rounding::{check, read, write, Rounding};
use crate::{FrameHeader, Kind, PackedFrame, PackedPart, Result, Unsealed, WireError};

/// A frame whose coefficients travel rounded, all of it in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoundedFrame {
    /// Header, with a rounding.
    pub header: FrameHeader,
    /// Coefficients of c0 modulo [`FrameHeader::modulus`], multiples of 2^dropped, at [`FrameHeader::sent`].
    pub c0: Vec<u64>,
    /// n coefficients of c1 likewise; None for [`Kind::SecretKey`].
    pub c1: Option<Vec<u64>>,
}

impl PackedPart<'_> {
    /// Reads the coefficients of a frame in which they travel rounded.
    ///
    /// Errors: [`WireError::OutOfRange`] for other layouts, [`WireError::ResidueRange`], [`WireError::NotCanonical`].
    pub fn rounded(self) -> Result<RoundedFrame> {
        let (c0, c1) = self.polynomials(read)?;
        Ok(RoundedFrame {
            header: self.header,
            c0,
            c1,
        })
    }

    /// Refuses what [`PackedPart::rounded`] refuses, and keeps no coefficient.
    pub(crate) fn check_rounded(&self) -> Result<()> {
        self.polynomials(check).map(drop)
    }

    /// Applies `take` to c0 and, by public key, to c1: modulus, bytes, number of coefficients, dropped bits.
    fn polynomials<T>(
        &self,
        take: fn(u64, &[u8], usize, u8) -> Result<T>,
    ) -> Result<(T, Option<T>)> {
        let (header, rounding) = (&self.header, rounding_of(&self.header)?);
        let [first, _] = header.rounded_bytes(&rounding)?;
        let (c0, c1) = self.residues.split_at(first);
        let (modulus, degree) = (header.modulus()?, header.params.ring_degree);
        let c0 = take(modulus, c0, header.sent().count(), rounding.dropped[0])?;
        Ok(match header.kind {
            Kind::PublicKey => (c0, Some(take(modulus, c1, degree, rounding.dropped[1])?)),
            Kind::SecretKey => (c0, None),
        })
    }
}

impl PackedFrame<'_> {
    /// Reads the coefficients of a frame in which they travel rounded.
    ///
    /// Errors: those of [`PackedPart::rounded`].
    pub fn rounded(&self) -> Result<RoundedFrame> {
        self.parts()[0].clone().rounded()
    }
}

fn rounding_of(header: &FrameHeader) -> Result<Rounding> {
    header.rounding.ok_or_else(|| {
        WireError::out_of_range("layout", header.layout.number(), "5, rounded coefficients")
    })
}

impl RoundedFrame {
    /// Encodes the frame up to its tag, made under the device's key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.header.check()?;
        let (rounding, modulus) = (rounding_of(&self.header)?, self.header.modulus()?);
        if self.header.mask_order != MaskOrder::Ntt {
            return Err(WireError::out_of_range(
                "mask",
                "coefficients",
                "NTT order; only packets differ",
            ));
        }
        check_count("c0", self.c0.len(), self.header.sent().count())?;
        let mut packed = write(modulus, &self.c0, rounding.dropped[0])?;
        match (&self.c1, self.header.kind) {
            (Some(c1), Kind::PublicKey) => {
                check_count("c1", c1.len(), self.header.params.ring_degree)?;
                packed.extend(write(modulus, c1, rounding.dropped[1])?);
            }
            (None, Kind::SecretKey) => {}
            (c1, _) => return Err(wrong_c1(c1.iter().flatten().count())),
        }
        Ok(seal(&self.header, 0, &packed))
    }
}

fn check_count(field: &'static str, found: usize, wanted: usize) -> Result<()> {
    if found == wanted {
        return Ok(());
    }
    Err(WireError::length(field, found, wanted))
}
