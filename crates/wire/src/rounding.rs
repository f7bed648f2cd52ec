//! Coefficients that travel rounded (`spec/coefficients.md`): the numbers that describe them, and whole frames of them.

use crate::bits::{pack, unpack};
use crate::cbor::{Reader, Writer};
use crate::codes::limit::ROUNDED_PRIMES;
use crate::params::prime_bits;
use crate::part::{seal, wrong_c1};
use crate::{
    FrameHeader, Grid, Kind, Layout, PackedPart, ParameterSet, Result, Unsealed, WireError,
};

/// Coefficients that a frame sends, and low bits that it drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rounding {
    /// Coefficients of c0 sent of each row, from its first on: columns to stride. Those beyond the columns encrypt zeros.
    pub run: u32,
    /// Low bits dropped of coefficients of c0 and c1; of c1 0 in [`Kind::SecretKey`].
    pub dropped: [u8; 2],
}

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

impl Rounding {
    pub(crate) fn read(reader: &mut Reader<'_>, layout: Layout) -> Result<Option<Self>> {
        let run = reader.uint(u64::from(u32::MAX), "run")? as u32;
        let dropped = read_dropped(reader)?;
        match layout {
            Layout::CoefficientsRounded => Ok(Some(Self { run, dropped })),
            _ => require_zeros(&[
                ("run", run),
                ("dropped_0", dropped[0].into()),
                ("dropped_1", dropped[1].into()),
            ]),
        }
    }

    pub(crate) fn write(rounding: Option<&Self>, writer: &mut Writer) {
        let (run, dropped) =
            rounding.map_or((0, [0; 2]), |rounding| (rounding.run, rounding.dropped));
        writer
            .uint(run.into())
            .uint(dropped[0].into())
            .uint(dropped[1].into());
    }

    /// Refuses what the rows and the key of a frame do not allow.
    pub(crate) fn check(&self, header: &FrameHeader) -> Result<()> {
        if header.kind == Kind::SecretKey && self.dropped[1] != 0 {
            return Err(WireError::out_of_range(
                "dropped_1",
                self.dropped[1],
                "0 for kinds 2 and 4",
            ));
        }
        self.check_rows(header.params, header.parts, header.grid())
    }

    /// Refuses what these rows of a set at a level do not allow.
    pub(crate) fn check_rows(&self, params: &ParameterSet, parts: u16, grid: Grid) -> Result<()> {
        check_dropped(self.dropped, modulus_of(params, parts.into())?)?;
        let degree = params.ring_degree;
        let last = u64::from(grid.stride) * u64::from(grid.rows - 1) + u64::from(self.run);
        if !(grid.columns..=grid.stride).contains(&self.run) || last > degree as u64 {
            let allowed = format!(
                "{} to {}, the last row below {degree}",
                grid.columns, grid.stride
            );
            return Err(WireError::out_of_range("run", self.run, allowed));
        }
        Ok(())
    }
}

pub(crate) fn read_dropped(reader: &mut Reader<'_>) -> Result<[u8; 2]> {
    let mut number = |field| Ok(reader.uint(u64::from(u8::MAX), field)? as u8);
    Ok([number("dropped_0")?, number("dropped_1")?])
}

/// None, for layouts whose coefficients do not travel.
pub(crate) fn require_zeros<T>(fields: &[(&'static str, u32)]) -> Result<Option<T>> {
    match fields.iter().find(|(_, value)| *value != 0) {
        None => Ok(None),
        Some((field, value)) => Err(WireError::out_of_range(
            field,
            value,
            "0 for layouts other than 5",
        )),
    }
}

/// The product of the first primes of a set; refuses sets and levels whose coefficients do not travel.
pub(crate) fn modulus_of(params: &ParameterSet, primes: usize) -> Result<u64> {
    if params.has_primes64() || primes > ROUNDED_PRIMES {
        let allowed = format!("1 to {ROUNDED_PRIMES} primes below 2^30 for layout 5");
        return Err(WireError::out_of_range("parts", primes, allowed));
    }
    Ok(params.data_primes[..primes].iter().product())
}

pub(crate) fn check_dropped(dropped: [u8; 2], modulus: u64) -> Result<()> {
    let most = prime_bits(modulus) - 1;
    for (field, bits) in [("dropped_0", dropped[0]), ("dropped_1", dropped[1])] {
        if u32::from(bits) > most {
            return Err(WireError::out_of_range(field, bits, format!("0 to {most}")));
        }
    }
    Ok(())
}

/// Bytes of packed coefficients.
pub(crate) fn packed_bytes(modulus: u64, count: usize, dropped: u8) -> usize {
    (count * (prime_bits(modulus) - u32::from(dropped)) as usize).div_ceil(8)
}

/// Reads `count` coefficients of a field that has their length; refuses those that are not below the modulus, and bits behind the
/// last one.
pub(crate) fn read(modulus: u64, bytes: &[u8], count: usize, dropped: u8) -> Result<Vec<u64>> {
    let kept = prime_bits(modulus) - u32::from(dropped);
    let values: Vec<u64> = unpack(kept, bytes).take(count).collect();
    let lifted = values.iter().map(|value| value << dropped);
    let lifted: Vec<u64> = lifted.collect();
    if let Some(position) = lifted.iter().position(|&value| value >= modulus) {
        return Err(WireError::ResidueRange {
            prime: modulus,
            position,
        });
    }
    if pack(kept, &values) != bytes {
        return Err(WireError::NotCanonical { field: "residues" });
    }
    Ok(lifted)
}

/// Packs coefficients; refuses those that are not below the modulus, or not multiples of 2^dropped.
pub(crate) fn write(modulus: u64, values: &[u64], dropped: u8) -> Result<Vec<u8>> {
    let low = (1u64 << dropped) - 1;
    if let Some(position) = values
        .iter()
        .position(|&value| value >= modulus || value & low != 0)
    {
        return Err(WireError::ResidueRange {
            prime: modulus,
            position,
        });
    }
    let kept: Vec<u64> = values.iter().map(|value| value >> dropped).collect();
    Ok(pack(prime_bits(modulus) - u32::from(dropped), &kept))
}

impl FrameHeader {
    /// The product of the primes of a frame whose coefficients travel.
    ///
    /// Errors: [`WireError::OutOfRange`] for a set or level that has no such frames.
    pub fn modulus(&self) -> Result<u64> {
        modulus_of(self.params, self.parts.into())
    }

    /// The coefficients of c0 that travel rounded, in their order; none in other layouts.
    pub fn sent(&self) -> impl Iterator<Item = usize> {
        let (grid, run) = (
            self.grid(),
            self.rounding.map_or(0, |rounding| rounding.run),
        );
        (0..grid.rows)
            .flat_map(move |row| (0..run).map(move |index| (row * grid.stride + index) as usize))
    }

    /// Number of the frame's items: one for each prime, or one for all.
    pub fn items(&self) -> u16 {
        self.rounding.map_or(self.parts, |_| 1)
    }

    /// Bytes of rounded c0 and c1.
    pub(crate) fn rounded_bytes(&self, rounding: &Rounding) -> Result<[usize; 2]> {
        let modulus = self.modulus()?;
        let c1 = match self.kind {
            Kind::PublicKey => packed_bytes(modulus, self.params.ring_degree, rounding.dropped[1]),
            Kind::SecretKey => 0,
        };
        let sent = self.grid().rows as usize * rounding.run as usize;
        Ok([packed_bytes(modulus, sent, rounding.dropped[0]), c1])
    }
}

impl PackedPart<'_> {
    /// Reads the coefficients of a frame in which they travel rounded.
    ///
    /// Errors: [`WireError::OutOfRange`] for other layouts, [`WireError::ResidueRange`], [`WireError::NotCanonical`].
    pub fn rounded(self) -> Result<RoundedFrame> {
        let rounding = rounding_of(&self.header)?;
        let (modulus, degree) = (self.header.modulus()?, self.header.params.ring_degree);
        let [first, _] = self.header.rounded_bytes(&rounding)?;
        let (c0, c1) = self.residues.split_at(first);
        let c0 = read(modulus, c0, self.header.sent().count(), rounding.dropped[0])?;
        let c1 = match self.header.kind {
            Kind::PublicKey => Some(read(modulus, c1, degree, rounding.dropped[1])?),
            Kind::SecretKey => None,
        };
        Ok(RoundedFrame {
            header: self.header,
            c0,
            c1,
        })
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
