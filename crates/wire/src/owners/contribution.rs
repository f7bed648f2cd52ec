//! Contributions: what a holder adds to an answer, so that it opens.

use crate::cbor::codec::{Reader, Writer};
use crate::codes::{fields, kind, limit, size, VERSION};
use crate::keys::key_file::begin;
use crate::owners::ceremony::read_holder;
use crate::{pack, unpack, KeyId, LinearTag, Result, WireError};

/// Most bits of a value.
const MOST_BITS: u32 = 120;
/// Most bits of the low part of a value, which travels before the other part.
const LOW_BITS: u32 = 60;

/// A holder's part of one result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contribution {
    /// Name of the key.
    pub key_id: KeyId,
    /// Number of the holder, from 1.
    pub holder: u8,
    /// How often the shares were refreshed.
    pub generation: u32,
    /// Numbers of the holders who answer, ascending.
    pub answering: Vec<u8>,
    /// SHA3-256 of all bytes of the results.
    pub answer: [u8; size::DIGEST],
    /// Number of the result, from 0.
    pub index: u32,
    /// Results of the answer.
    pub total: u32,
    /// Primes that are used, the first ones.
    pub primes: u16,
    /// Sum of this holder's pads of the frames, if the result has a linear tag that the holders share.
    pub pads: Option<LinearTag>,
    /// Bits of a value, 1 to 120.
    pub bits: u8,
    /// n numbers below 2^bits.
    pub values: Vec<u128>,
}

/// Packs the low parts of values, then their other parts.
fn split(bits: u32, values: &[u128]) -> Vec<u8> {
    let part = |from: u32, bits: u32| {
        let words: Vec<u64> = values.iter().map(|value| (value >> from) as u64).collect();
        pack(bits, &words)
    };
    match bits.checked_sub(LOW_BITS) {
        None | Some(0) => part(0, bits),
        Some(high) => [part(0, LOW_BITS), part(LOW_BITS, high)].concat(),
    }
}

/// The values that [`split`] packed.
fn joined(bits: u32, count: usize, bytes: &[u8]) -> Vec<u128> {
    let low = bits.min(LOW_BITS);
    let (first, second) = bytes.split_at(count * low as usize / 8);
    let mut values: Vec<u128> = unpack(low, first).map(u128::from).collect();
    if bits > low {
        for (value, high) in values.iter_mut().zip(unpack(bits - low, second)) {
            *value |= u128::from(high) << LOW_BITS;
        }
    }
    values
}

impl Contribution {
    /// Reads all contributions of a file of results under a ring degree.
    ///
    /// Errors: anything but exactly these items.
    pub fn read(mut bytes: &[u8], ring_degree: usize) -> Result<Vec<Self>> {
        let mut contributions = Vec::new();
        while !bytes.is_empty() {
            let (contribution, length) = Self::read_first(bytes, ring_degree)?;
            contributions.push(contribution);
            bytes = &bytes[length..];
        }
        Ok(contributions)
    }

    fn read_first(bytes: &[u8], ring_degree: usize) -> Result<(Self, usize)> {
        let allowed = "59, a contribution";
        let mut reader = begin(bytes, fields::CONTRIBUTION, kind::CONTRIBUTION, allowed)?;
        let key_id = *reader.fixed("key")?;
        let holder = read_holder(&mut reader, "holder")?;
        let generation = reader.word("generation")?;
        let count = reader.list(limit::HOLDERS as u64, "answering")?;
        let answering = (0..count).map(|_| read_holder(&mut reader, "answering"));
        let answering: Vec<u8> = answering.collect::<Result<_>>()?;
        let answer = *reader.fixed("answer")?;
        let [index, total] = reader.words(["index", "total"])?;
        let primes = reader.uint(u16::MAX.into(), "primes")? as u16;
        let pads = reader.bytes(size::LINEAR_TAG, "pads")?;
        let (_, pads) = LinearTag::split("pads", pads, 0)?;
        let (bits, values) = read_values(&mut reader, MOST_BITS, ring_degree)?;
        let contribution = Self {
            key_id,
            holder,
            generation,
            answering,
            answer,
            index,
            total,
            primes,
            pads,
            bits: bits as u8,
            values: joined(bits, ring_degree, values),
        };
        Ok((contribution, reader.position()))
    }

    /// The bytes of the item.
    pub fn write(&self) -> Vec<u8> {
        let values = split(self.bits.into(), &self.values);
        let mut writer = Writer::with_capacity(values.len() + 192);
        writer
            .array(fields::CONTRIBUTION)
            .uint(VERSION)
            .uint(kind::CONTRIBUTION)
            .bytes(&self.key_id)
            .uint(self.holder.into())
            .uint(self.generation.into())
            .array(self.answering.len() as u64);
        for &number in &self.answering {
            writer.uint(number.into());
        }
        writer
            .bytes(&self.answer)
            .uint(self.index.into())
            .uint(self.total.into())
            .uint(self.primes.into())
            .bytes(&LinearTag::write(self.pads))
            .uint(self.bits.into())
            .bytes(&values);
        writer.into_bytes()
    }
}

/// The bits of each value, and the packed values, one for each coefficient.
pub(super) fn read_values<'a>(
    reader: &mut Reader<'a>,
    most_bits: u32,
    ring_degree: usize,
) -> Result<(u32, &'a [u8])> {
    let bits = match reader.uint(u8::MAX.into(), "bits")? as u32 {
        bits if (1..=most_bits).contains(&bits) => bits,
        bits => {
            let allowed = format!("1 to {most_bits}");
            return Err(WireError::out_of_range("bits", bits, allowed));
        }
    };
    let values = reader.bytes(limit::CONTRIBUTION_BYTES, "values")?;
    // The ring degree is a multiple of eight.
    let wanted = ring_degree * bits as usize / 8;
    if values.len() != wanted {
        return Err(WireError::length("values", values.len(), wanted));
    }
    Ok((bits, values))
}
