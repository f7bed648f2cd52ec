//! The subset of CBOR that the wire uses, in deterministic encoding only (`[RFC8949]`, section 4.2.1).
//!
//! Lengths are checked against a cap and against the remaining bytes before anything is read, so that no length in an
//! item makes a reader allocate.

use crate::codes::cbor::{ARRAY, BYTES, SIMPLE, TEXT, UNSIGNED};
use crate::{Result, WireError};

const FALSE: u64 = 20;
const TRUE: u64 = 21;
const FLOAT64: u8 = SIMPLE << 5 | 27;

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

    /// Refuses bytes after the item.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.bytes.len() - self.position {
            0 => Ok(()),
            extra => Err(WireError::TrailingBytes { extra }),
        }
    }

    fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.position..];
        let taken = rest.get(..count).ok_or(WireError::Truncated { field })?;
        self.position += count;
        Ok(taken)
    }

    /// Reads the argument of a head of the given major type; an encoding longer than necessary is refused.
    fn head(&mut self, major: u8, field: &'static str, expected: &'static str) -> Result<u64> {
        let initial = self.take(1, field)?[0];
        if initial >> 5 != major {
            return Err(WireError::WrongType { field, expected });
        }
        let width = match initial & 31 {
            small @ 0..=23 => return Ok(u64::from(small)),
            code @ 24..=27 => 1usize << (code - 24),
            _ => return Err(WireError::NotCanonical { field }),
        };
        let tail = self.take(width, field)?;
        let value = tail.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
        let shortest = match width {
            1 => value > 23,
            2 => value > 0xff,
            4 => value > 0xffff,
            _ => value > 0xffff_ffff,
        };
        if shortest {
            Ok(value)
        } else {
            Err(WireError::NotCanonical { field })
        }
    }

    /// Reads an array head of exactly `elements`.
    pub(crate) fn array(&mut self, elements: u64, field: &'static str) -> Result<()> {
        match self.head(ARRAY, field, "an array")? {
            found if found == elements => Ok(()),
            found => Err(WireError::length(field, found as usize, elements)),
        }
    }

    /// Reads an array head of at most `most` elements.
    pub(crate) fn list(&mut self, most: u64, field: &'static str) -> Result<u64> {
        match self.head(ARRAY, field, "an array")? {
            found if found <= most => Ok(found),
            found => Err(WireError::length(
                field,
                found as usize,
                format!("0 to {most}"),
            )),
        }
    }

    /// Reads an unsigned integer of at most `most`.
    pub(crate) fn uint(&mut self, most: u64, field: &'static str) -> Result<u64> {
        match self.head(UNSIGNED, field, "an unsigned integer")? {
            value if value <= most => Ok(value),
            value => Err(WireError::out_of_range(
                field,
                value,
                format!("0 to {most}"),
            )),
        }
    }

    /// Reads a byte string of at most `most` bytes.
    pub(crate) fn bytes(&mut self, most: usize, field: &'static str) -> Result<&'a [u8]> {
        let length = self.head(BYTES, field, "a byte string")?;
        self.string(length, most, field)
    }

    /// Reads a byte string of exactly N bytes.
    pub(crate) fn fixed<const N: usize>(&mut self, field: &'static str) -> Result<&'a [u8; N]> {
        let length = self.head(BYTES, field, "a byte string")?;
        if length != N as u64 {
            return Err(WireError::length(field, length as usize, N));
        }
        let bytes = self.take(N, field)?;
        bytes.try_into().map_err(|_| WireError::Truncated { field })
    }

    /// Reads a text of at most `most` bytes.
    pub(crate) fn text(&mut self, most: usize, field: &'static str) -> Result<&'a str> {
        let length = self.head(TEXT, field, "a text")?;
        let bytes = self.string(length, most, field)?;
        std::str::from_utf8(bytes).map_err(|_| WireError::NotCanonical { field })
    }

    fn string(&mut self, length: u64, most: usize, field: &'static str) -> Result<&'a [u8]> {
        if length > most as u64 {
            return Err(WireError::length(
                field,
                length as usize,
                format!("0 to {most}"),
            ));
        }
        self.take(length as usize, field)
    }

    /// Reads a boolean.
    pub(crate) fn boolean(&mut self, field: &'static str) -> Result<bool> {
        match self.head(SIMPLE, field, "true or false")? {
            FALSE => Ok(false),
            TRUE => Ok(true),
            _ => Err(WireError::WrongType {
                field,
                expected: "true or false",
            }),
        }
    }

    /// Reads a float64; the grammar fixes the width, even where a shorter float would do.
    pub(crate) fn float(&mut self, field: &'static str) -> Result<f64> {
        if self.take(1, field)?[0] != FLOAT64 {
            return Err(WireError::WrongType {
                field,
                expected: "a 64-bit float",
            });
        }
        let tail = self.take(8, field)?;
        Ok(f64::from_bits(
            tail.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)),
        ))
    }
}

/// Encoder of items that [`Reader`] accepts.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A writer with room for `capacity` bytes, so that growth leaves no copy of a secret behind.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn head(&mut self, major: u8, value: u64) {
        let tail = value.to_be_bytes();
        let (code, width) = match value {
            0..=23 => (value as u8, 0),
            24..=0xff => (24, 1),
            0x100..=0xffff => (25, 2),
            0x1_0000..=0xffff_ffff => (26, 4),
            _ => (27, 8),
        };
        self.bytes.push(major << 5 | code);
        self.bytes.extend_from_slice(&tail[8 - width..]);
    }

    pub(crate) fn array(&mut self, elements: u64) -> &mut Self {
        self.head(ARRAY, elements);
        self
    }

    pub(crate) fn uint(&mut self, value: u64) -> &mut Self {
        self.head(UNSIGNED, value);
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes_head(bytes.len()).raw(bytes)
    }

    /// Writes the head of a byte string whose content follows by [`Writer::raw`].
    pub(crate) fn bytes_head(&mut self, length: usize) -> &mut Self {
        self.head(BYTES, length as u64);
        self
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.head(TEXT, text.len() as u64);
        self.raw(text.as_bytes())
    }

    pub(crate) fn boolean(&mut self, value: bool) -> &mut Self {
        self.head(SIMPLE, if value { TRUE } else { FALSE });
        self
    }

    pub(crate) fn float(&mut self, value: f64) -> &mut Self {
        self.bytes.push(FLOAT64);
        self.raw(&value.to_be_bytes())
    }
}
