//! Frames whose residues stay packed: for kernels that check and use them in one pass over the bytes.

use crate::frame::header::{read_header, residue_bytes};
use crate::frame::part::{not_residues, read_residues};
use crate::frame::residues;
use crate::{
    codes::allowed, Authentic, Envelope, Frame, FrameHeader, ItemKind, Kind, LinearTag, Mask, Part,
    Result, WireError,
};

/// One part, authenticated, its header checked; whether the residues are below the prime is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedPart<'a> {
    /// Header that all parts of the frame share.
    pub header: FrameHeader,
    /// Number of the data prime, from 0.
    pub part: u16,
    pub(crate) residues: &'a [u8],
    /// The linear tag of the frame, in its last part.
    pub linear_tag: Option<LinearTag>,
    /// The second one, of its columns.
    pub column_tag: Option<LinearTag>,
}

/// The parts of one ciphertext, in the order of the primes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFrame<'a> {
    parts: Vec<PackedPart<'a>>,
}

impl<'a> Authentic<Envelope<'a>> {
    /// Parses a part up to its residues, which have the right length.
    ///
    /// Errors: every other field outside of what its set, kind and suite allow.
    pub fn packed_part(&self) -> Result<PackedPart<'a>> {
        let (mut reader, kind) = self.body(ItemKind::Part, allowed::PART)?;
        let (header, part) = read_header(&mut reader, kind)?;
        let residues = reader.bytes(usize::MAX, "residues")?;
        let wanted = residue_bytes(&header, part)?;
        let (residues, [linear_tag, column_tag]) =
            LinearTag::split_frame("residues", residues, wanted)?;
        if linear_tag.is_some() && part + 1 != header.items() {
            return Err(WireError::length("residues", residues.len(), wanted));
        }
        Ok(PackedPart {
            header,
            part,
            residues,
            linear_tag,
            column_tag,
        })
    }
}

impl Authentic<Envelope<'_>> {
    /// Parses a part.
    ///
    /// Errors: every field outside of what its set, kind and suite allow.
    pub fn part(&self) -> Result<Part> {
        self.packed_part()?.unpack()
    }
}

impl<'a> PackedPart<'a> {
    /// The prime.
    pub fn prime(&self) -> u64 {
        self.header.primes()[usize::from(self.part)]
    }

    /// Packed residues of c0 (`polynomial` 0) or c1 (1), each slice with the position of its first residue. A frame by secret key
    /// has none of c1, one whose coefficients travel none at all.
    pub fn slices(&self, polynomial: usize) -> impl Iterator<Item = (usize, &'a [u8])> {
        let polynomials = match self.header.kind {
            Kind::PublicKey => 2,
            Kind::SecretKey => 1,
        };
        let slices = usize::from(self.header.interleave);
        let length = self.header.params.ring_degree / slices;
        let bytes = self.header.params.packed_bytes(self.prime()) / slices;
        let residues = match self.header.rounding {
            None => self.residues,
            Some(_) => &[],
        };
        let chunks = residues.chunks_exact(bytes * polynomials).enumerate();
        let within = bytes * polynomial..bytes * (polynomial + 1);
        chunks.filter_map(move |(slice, chunk)| Some((slice * length, chunk.get(within.clone())?)))
    }

    /// Checks every residue, or rounded coefficient, and keeps none.
    ///
    /// Errors: those of [`PackedPart::unpack`] and [`PackedPart::rounded`].
    pub fn check(&self) -> Result<()> {
        match self.header.rounding {
            Some(_) => self.check_rounded(),
            None => residues::check(
                self.prime(),
                self.residues,
                2 * self.header.params.ring_degree,
            ),
        }
    }

    /// Unpacks the residues.
    ///
    /// Errors: [`WireError::ResidueRange`]; [`WireError::OutOfRange`] where coefficients travel.
    pub fn unpack(self) -> Result<Part> {
        if self.header.rounding.is_some() {
            return Err(not_residues(&self.header));
        }
        let (c0, c1) = read_residues(&self.header, self.prime(), self.residues)?;
        Ok(Part {
            header: self.header,
            part: self.part,
            c0,
            c1,
        })
    }
}

impl<'a> PackedFrame<'a> {
    /// Takes the parts of one frame in any order.
    ///
    /// Errors: [`WireError::MissingParts`], [`WireError::Duplicate`]; [`WireError::Mismatch`] of headers.
    pub fn new(mut parts: Vec<PackedPart<'a>>) -> Result<Self> {
        parts.sort_unstable_by_key(|part| part.part);
        let Some(first) = parts.first() else {
            return Err(WireError::length("parts", 0, "at least 1"));
        };
        let (header, id) = (&first.header, first.header.id);
        for pair in parts.windows(2) {
            if pair[1].header.id != id {
                return Err(WireError::Mismatch { field: "sequence" });
            }
            if let Some(field) = header.difference(&pair[1].header) {
                return Err(WireError::Mismatch { field });
            }
            if pair[0].part == pair[1].part {
                return Err(WireError::duplicate(id, pair[0].part));
            }
        }
        let is_there = |number: &u16| parts.iter().any(|part| part.part == *number);
        let missing: Vec<u16> = (0..header.items()).filter(|part| !is_there(part)).collect();
        match missing.is_empty() {
            true => Ok(Self { parts }),
            false => Err(WireError::missing_parts(id, missing)),
        }
    }

    /// Unpacks the residues.
    ///
    /// Errors: [`WireError::ResidueRange`].
    pub fn unpack(self) -> Result<Frame> {
        let header = self.parts[0].header.clone();
        let (mut c0, mut c1) = (Vec::new(), Vec::new());
        for part in self.parts {
            let part = part.unpack()?;
            c0.push(part.c0);
            c1.extend(part.c1);
        }
        let mask = match header.kind {
            Kind::PublicKey => Mask::Polynomials(c1),
            Kind::SecretKey => Mask::Seed {
                suite: header.suite,
                seed: header.seed.clone(),
            },
        };
        Ok(Frame { header, c0, mask })
    }

    /// Header that all parts share.
    pub fn header(&self) -> &FrameHeader {
        &self.parts[0].header
    }

    /// Its linear tag, if it has one.
    pub fn linear_tag(&self) -> Option<LinearTag> {
        self.parts.last().and_then(|part| part.linear_tag)
    }

    /// Its linear tag of columns, if it has one.
    pub fn column_tag(&self) -> Option<LinearTag> {
        self.parts.last().and_then(|part| part.column_tag)
    }

    /// The parts, one for each prime of the level, in order.
    pub fn parts(&self) -> &[PackedPart<'a>] {
        &self.parts
    }
}
