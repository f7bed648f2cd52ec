//! Reading the items of contexts: unsigned integers and byte strings in deterministic CBOR (`[RFC8949]`, section 4.2.1).

use isopod_wire::codes::cbor::{ARRAY, BYTES, UNSIGNED};

use crate::{PadError, Result};

/// A cursor over one item.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, position: 0 }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// Refuses bytes behind the item.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.bytes.len() - self.position {
            0 => Ok(()),
            extra => Err(PadError::field(
                "item",
                format!("{extra} bytes follow"),
                "none",
            )),
        }
    }

    /// Reads the head of an array of so many fields.
    pub(crate) fn array(&mut self, fields: u64) -> Result<()> {
        match self.head("item", ARRAY)? {
            found if found == fields => Ok(()),
            found => Err(PadError::field("item", format!("{found} fields"), fields)),
        }
    }

    /// Reads an unsigned integer.
    pub(crate) fn number(&mut self, field: &'static str) -> Result<u64> {
        self.head(field, UNSIGNED)
    }

    /// Reads an unsigned integer that must be this one.
    pub(crate) fn exactly(&mut self, field: &'static str, allowed: u64) -> Result<()> {
        match self.number(field)? {
            found if found == allowed => Ok(()),
            found => Err(PadError::field(field, found, allowed)),
        }
    }

    /// Reads 0 or 1.
    pub(crate) fn flag(&mut self, field: &'static str) -> Result<bool> {
        match self.number(field)? {
            found @ 0..=1 => Ok(found == 1),
            found => Err(PadError::field(field, found, "0 or 1")),
        }
    }

    /// Reads a byte string of a fixed length.
    pub(crate) fn fixed<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N]> {
        let bytes = self.bytes(field, N)?;
        let found = || PadError::field(field, format!("{} bytes", bytes.len()), N);
        bytes.try_into().map_err(|_| found())
    }

    /// Reads an unsigned integer of a smaller type.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self, field: &'static str) -> Result<T> {
        let found = self.number(field)?;
        T::try_from(found).map_err(|_| {
            let allowed = format!("an integer of {} bytes", size_of::<T>());
            PadError::field(field, found, allowed)
        })
    }

    /// Reads a byte string of at most `most` bytes.
    pub(crate) fn bytes(&mut self, field: &'static str, most: usize) -> Result<&'a [u8]> {
        let length = self.head(field, BYTES)?;
        match usize::try_from(length) {
            Ok(length) if length <= most => self.take(field, length),
            _ => Err(PadError::field(
                field,
                format!("{length} bytes"),
                format!("at most {most}"),
            )),
        }
    }

    fn take(&mut self, field: &'static str, count: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.position..];
        let taken = rest.get(..count).ok_or_else(|| {
            PadError::field(field, "the end of the item", format!("{count} bytes"))
        })?;
        self.position += count;
        Ok(taken)
    }

    /// Reads the argument of a head of this major type, in its shortest form.
    fn head(&mut self, field: &'static str, major: u8) -> Result<u64> {
        let initial = self.take(field, 1)?[0];
        if initial >> 5 != major {
            let found = format!("CBOR type {}", initial >> 5);
            return Err(PadError::field(field, found, format!("type {major}")));
        }
        let width = match initial & 31 {
            small @ 0..=23 => return Ok(small.into()),
            code @ 24..=27 => 1usize << (code - 24),
            _ => {
                return Err(PadError::field(
                    field,
                    "an indefinite length",
                    "a definite one",
                ))
            }
        };
        let tail = self.take(field, width)?;
        let value = tail.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let least = if width == 1 { 24 } else { 1u64 << (4 * width) };
        match value >= least {
            true => Ok(value),
            false => Err(PadError::field(
                field,
                "a longer form than needed",
                "the shortest",
            )),
        }
    }
}
