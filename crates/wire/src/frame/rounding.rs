//! Coefficients that travel rounded (`spec/coefficients.md`): the numbers that describe them, and whole frames of them.

use crate::bits::{pack, position_beyond, unpack};
use crate::cbor::codec::{Reader, Writer};
use crate::codes::limit::ROUNDED_PRIMES;
use crate::params::prime_bits;
use crate::{Grid, Layout, ParameterSet, Result, WireError};

/// Coefficients that a frame sends, and low bits that it drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rounding {
    /// Coefficients of c0 sent of each row, from its first on: columns to stride. Those beyond the columns encrypt zeros.
    pub run: u32,
    /// Low bits dropped of coefficients of c0 and c1; of c1 0 in [`Kind::SecretKey`].
    pub dropped: [u8; 2],
}

impl Rounding {
    pub(crate) fn read(reader: &mut Reader<'_>, layout: Layout) -> Result<Option<Self>> {
        let run = reader.word("run")?;
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
    (count * kept(modulus, dropped) as usize).div_ceil(8)
}

/// Reads `count` coefficients of a field that has their length; refuses what [`check`] refuses.
pub(crate) fn read(modulus: u64, bytes: &[u8], count: usize, dropped: u8) -> Result<Vec<u64>> {
    check(modulus, bytes, count, dropped)?;
    let values = unpack(kept(modulus, dropped), bytes).take(count);
    Ok(values.map(|value| value << dropped).collect())
}

/// Refuses coefficients that are not below the modulus, and bits behind the last one.
pub(crate) fn check(modulus: u64, bytes: &[u8], count: usize, dropped: u8) -> Result<()> {
    let width = kept(modulus, dropped);
    let limit = ((modulus - 1) >> dropped) + 1;
    let beyond = position_beyond(width, bytes, limit).filter(|&position| position < count);
    if let Some(position) = beyond {
        return Err(WireError::ResidueRange {
            prime: modulus,
            position,
        });
    }
    let used = count * width as usize % 8;
    match bytes.last() {
        Some(last) if used > 0 && last >> used != 0 => {
            Err(WireError::NotCanonical { field: "residues" })
        }
        _ => Ok(()),
    }
}

/// Bits of a coefficient that travel.
fn kept(modulus: u64, dropped: u8) -> u32 {
    prime_bits(modulus) - u32::from(dropped)
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
    Ok(pack(self::kept(modulus, dropped), &kept))
}
