//! The subset of CBOR that the wire uses, in deterministic encoding only (`[RFC8949]`, section 4.2.1).
//!
//! Lengths are checked against a cap and against the remaining bytes before anything is read, so that no length in an
//! item makes a reader allocate.

use crate::codes::cbor::{ARRAY, BYTES, SIMPLE, TEXT, UNSIGNED};
use crate::{Result, WireError};

/// Major type of a negative integer: -1 less the argument.
const NEGATIVE: u8 = 1;
const FALSE: u64 = 20;
const TRUE: u64 = 21;
const FLOAT64: u8 = SIMPLE << 5 | 27;

/// A cursor over one item.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    position: usize,
    wanted: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            wanted: 0,
        }
    }

    /// Bytes read so far.
    pub(crate) fn position(&self) -> usize {
        self.position
    }

    /// End of what was asked for last and was not there; 0 if all was.
    pub(crate) fn wanted(&self) -> usize {
        self.wanted
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
        let Some(taken) = rest.get(..count) else {
            self.wanted = self.position + count;
            return Err(WireError::Truncated { field });
        };
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

    /// Reads an unsigned integer of 32 bits.
    pub(crate) fn word(&mut self, field: &'static str) -> Result<u32> {
        Ok(self.uint(u64::from(u32::MAX), field)? as u32)
    }

    /// Reads unsigned integers of 32 bits that follow each other.
    pub(crate) fn words<const N: usize>(&mut self, fields: [&'static str; N]) -> Result<[u32; N]> {
        let mut words = [0; N];
        for (word, field) in words.iter_mut().zip(fields) {
            *word = self.word(field)?;
        }
        Ok(words)
    }

    /// Reads a signed integer of 32 bits.
    pub(crate) fn integer(&mut self, field: &'static str) -> Result<i32> {
        let negative = self
            .bytes
            .get(self.position)
            .is_some_and(|byte| byte >> 5 == NEGATIVE);
        let major = if negative { NEGATIVE } else { UNSIGNED };
        let argument = i128::from(self.head(major, field, "an integer")?);
        let value = if negative { -1 - argument } else { argument };
        i32::try_from(value)
            .map_err(|_| WireError::out_of_range(field, value, "integers of 32 bits"))
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

    /// Reads a byte string of N bytes, or an empty one.
    pub(crate) fn optional<const N: usize>(
        &mut self,
        field: &'static str,
    ) -> Result<Option<[u8; N]>> {
        match self.bytes(N, field)? {
            [] => Ok(None),
            bytes => match bytes.try_into() {
                Ok(bytes) => Ok(Some(bytes)),
                Err(_) => Err(WireError::length(field, bytes.len(), format!("0 or {N}"))),
            },
        }
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

/// Encoder of deterministic CBOR, for items and for the bytes that are hashed.
pub struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A writer with room for `capacity` bytes, so that growth leaves no copy of a secret behind.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            bytes: Vec::with_capacity(capacity),
        }
    }

    /// A writer behind what is there.
    pub fn behind(bytes: Vec<u8>) -> Self {
        Self { bytes }
    }

    /// The encoding so far.
    pub fn into_bytes(self) -> Vec<u8> {
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

    /// Writes the head of an array, whose elements follow.
    pub fn array(&mut self, elements: u64) -> &mut Self {
        self.head(ARRAY, elements);
        self
    }

    /// Writes an unsigned integer.
    pub fn uint(&mut self, value: u64) -> &mut Self {
        self.head(UNSIGNED, value);
        self
    }

    /// Writes an integer from -2^64 to 2^64 - 1.
    pub fn integer(&mut self, value: i128) -> &mut Self {
        match u64::try_from(value) {
            Ok(value) => self.head(UNSIGNED, value),
            Err(_) => self.head(NEGATIVE, (-1 - value) as u64),
        }
        self
    }

    /// Writes a byte string.
    pub fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes_head(bytes.len()).raw(bytes)
    }

    /// Writes a byte string, empty for None.
    pub(crate) fn optional<const N: usize>(&mut self, bytes: Option<&[u8; N]>) -> &mut Self {
        self.bytes(bytes.map_or(&[], |bytes| bytes))
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

    /// Writes a text.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.head(TEXT, text.len() as u64);
        self.raw(text.as_bytes())
    }

    /// Writes a boolean.
    pub fn boolean(&mut self, value: bool) -> &mut Self {
        self.head(SIMPLE, if value { TRUE } else { FALSE });
        self
    }

    /// Writes a 64-bit float.
    pub fn float(&mut self, value: f64) -> &mut Self {
        self.bytes.push(FLOAT64);
        self.raw(&value.to_be_bytes())
    }
}
