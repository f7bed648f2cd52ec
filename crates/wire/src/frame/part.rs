//! Parts: the residues of a ciphertext modulo one prime, under the header of its frame (`spec/wire.md`, section 1).

use crate::frame::header::seal;
use crate::frame::residues;
use crate::{FrameHeader, Kind, Result, Unsealed, WireError};

/// One part, authenticated and fully checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Header that all parts of the frame share.
    pub header: FrameHeader,
    /// Number of the data prime, from 0.
    pub part: u16,
    /// n residues below the prime, in NTT order.
    pub c0: Vec<u64>,
    /// n residues of c1 likewise; None for [`Kind::SecretKey`].
    pub c1: Option<Vec<u64>>,
}

pub(crate) fn wrong_c1(found: usize) -> WireError {
    WireError::length("c1", found, "n for kinds 1 and 3, none for kinds 2 and 4")
}

/// The error of a frame whose coefficients travel, where residues are wanted.
pub(crate) fn not_residues(header: &FrameHeader) -> WireError {
    WireError::out_of_range("layout", header.layout.number(), "0 to 4, residues")
}

pub(crate) type Polynomials = (Vec<u64>, Option<Vec<u64>>);

pub(crate) fn read_residues(header: &FrameHeader, prime: u64, bytes: &[u8]) -> Result<Polynomials> {
    let degree = header.params.ring_degree;
    if header.kind == Kind::SecretKey {
        return Ok((residues::read(prime, bytes, degree)?, None));
    }
    let slice = degree / usize::from(header.interleave);
    let values = residues::read(prime, bytes, 2 * degree)?;
    let (mut c0, mut c1) = (Vec::with_capacity(degree), Vec::with_capacity(degree));
    for pair in values.chunks(2 * slice) {
        c0.extend_from_slice(&pair[..slice]);
        c1.extend_from_slice(&pair[slice..]);
    }
    Ok((c0, Some(c1)))
}

impl Part {
    /// Encodes the part up to its tag, made under the device's key.
    ///
    /// Errors: those of reading.
    pub fn encode(&self) -> Result<Unsealed> {
        self.header.check()?;
        let part = self.header.check_part(self.part.into())?;
        if self.header.rounding.is_some() {
            return Err(not_residues(&self.header));
        }
        let packed = self.pack(self.header.primes()[usize::from(part)])?;
        Ok(seal(&self.header, part, &packed))
    }

    fn pack(&self, prime: u64) -> Result<Vec<u8>> {
        let degree = self.header.params.ring_degree;
        check_degree("c0", self.c0.len(), degree)?;
        let c1 = match (&self.c1, self.header.kind) {
            (None, Kind::SecretKey) => return residues::write(prime, &self.c0),
            (Some(c1), Kind::PublicKey) => c1,
            (c1, _) => return Err(wrong_c1(c1.iter().flatten().count())),
        };
        check_degree("c1", c1.len(), degree)?;
        let slice = degree / usize::from(self.header.interleave);
        let slices = self.c0.chunks(slice).zip(c1.chunks(slice));
        let values: Vec<u64> = slices.flat_map(|(c0, c1)| [c0, c1].concat()).collect();
        residues::write(prime, &values)
    }
}

fn check_degree(field: &'static str, found: usize, degree: usize) -> Result<()> {
    if found == degree {
        return Ok(());
    }
    Err(WireError::length(field, found, degree))
}
