//! The shape of each authenticated item: enough to find its end and its tag without understanding it.

use crate::cbor::Reader;
use crate::{Result, TfheServerKeys};

/// Longest packed polynomial: ring degree 32768, 61-bit prime.
const POLYNOMIAL_BYTES: usize = 32768 * 61 / 8;
/// Most primes of a chain.
const PRIMES: usize = 32;
/// Most bytes of all evaluation keys: every set has room for relinearization and rotations by all powers of two.
const EVALUATION_BYTES: usize = 1 << 31;
/// Most Galois keys of an item.
pub(crate) const GALOIS_KEYS: u64 = 1024;
/// Most numbers of a schema: eight runs of a type and a count.
const SCHEMA: u64 = 16;
/// Most bytes of a job's name.
pub(crate) const JOB_BYTES: usize = 64;

/// One field of an array and its cap.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Uint(u64),
    Fixed16,
    Fixed8,
    Bytes(usize),
    Text(usize),
    Boolean,
    Float,
    List(u64),
}

/// A named field.
pub(crate) type Field = (&'static str, Shape);

const U8: Shape = Shape::Uint(u8::MAX as u64);
const U16: Shape = Shape::Uint(u16::MAX as u64);
const U32: Shape = Shape::Uint(u32::MAX as u64);
const U64: Shape = Shape::Uint(u64::MAX);

/// Fields after version and kind, up to the tag. The nonce and what chooses the key come first where they can.
pub(crate) const PART: &[Field] = &[
    ("set", Shape::Fixed8),
    ("suite", U64),
    ("key", Shape::Fixed16),
    ("device", U64),
    ("epoch", U32),
    ("sequence", U64),
    ("nonce", Shape::Fixed16),
    ("part", U16),
    ("parts", U16),
    ("interleave", U8),
    ("log2_scale", U8),
    ("count", U32),
    ("layout", U64),
    ("seed", Shape::Bytes(64)),
    ("residues", Shape::Bytes(2 * POLYNOMIAL_BYTES)),
];

/// As [`PART`], for results.
pub(crate) const RESULT: &[Field] = &[
    ("set", Shape::Fixed8),
    ("key", Shape::Fixed16),
    ("nonce", Shape::Fixed16),
    ("job", Shape::Text(JOB_BYTES)),
    ("primes", U16),
    ("scale", Shape::Float),
    ("first", U32),
    ("step", U32),
    ("count", U32),
    ("c0", Shape::Bytes(PRIMES * POLYNOMIAL_BYTES)),
    ("c1", Shape::Bytes(PRIMES * POLYNOMIAL_BYTES)),
];

/// As [`PART`], for evaluation keys.
pub(crate) const EVALUATION_KEYS: &[Field] = &[
    ("set", Shape::Fixed8),
    ("key", Shape::Fixed16),
    ("nonce", Shape::Fixed16),
    ("relinearization", Shape::Boolean),
    ("galois", Shape::List(GALOIS_KEYS)),
    ("residues", Shape::Bytes(EVALUATION_BYTES)),
];

/// As [`PART`], for TFHE frames: at most a mask and bodies of 2048 words of 8 bytes.
pub(crate) const TFHE_FRAME: &[Field] = &[
    ("suite", U64),
    ("key", Shape::Fixed16),
    ("device", U64),
    ("epoch", U32),
    ("sequence", U64),
    ("nonce", Shape::Fixed16),
    ("width", U8),
    ("schema", Shape::List(SCHEMA)),
    ("bodies", Shape::Bytes(2 * 2048 * 8)),
];

/// As [`PART`], for TFHE results.
pub(crate) const TFHE_RESULT: &[Field] = &[
    ("set", Shape::Fixed8),
    ("key", Shape::Fixed16),
    ("nonce", Shape::Fixed16),
    ("job", Shape::Text(JOB_BYTES)),
    ("schema", Shape::List(SCHEMA)),
    ("packed", Shape::Bytes(1 << 26)),
];

/// As [`PART`], for server keys of TFHE.
pub(crate) const TFHE_SERVER_KEYS: &[Field] = &[
    ("set", Shape::Fixed8),
    ("key", Shape::Fixed16),
    ("nonce", Shape::Fixed16),
    ("engine", Shape::Text(JOB_BYTES)),
    ("server", Shape::Bytes(TfheServerKeys::SERVER_BYTES)),
    ("packing", Shape::Bytes(TfheServerKeys::PACKING_BYTES)),
];

/// What stepping over a field tells.
pub(crate) enum Seen<'a> {
    Number(u64),
    Bytes(&'a [u8]),
    Other,
}

/// Steps over one field.
pub(crate) fn skip<'a>(reader: &mut Reader<'a>, (name, shape): Field) -> Result<Seen<'a>> {
    Ok(match shape {
        Shape::Uint(most) => Seen::Number(reader.uint(most, name)?),
        Shape::Fixed8 => Seen::Bytes(reader.fixed::<8>(name)?),
        Shape::Fixed16 => Seen::Bytes(reader.fixed::<16>(name)?),
        Shape::Bytes(most) => Seen::Bytes(reader.bytes(most, name)?),
        Shape::Text(most) => Seen::Bytes(reader.text(most, name)?.as_bytes()),
        Shape::Boolean => reader.boolean(name).map(|_| Seen::Other)?,
        Shape::Float => reader.float(name).map(|_| Seen::Other)?,
        Shape::List(most) => skip_list(reader, most, name)?,
    })
}

fn skip_list<'a>(reader: &mut Reader<'a>, most: u64, name: &'static str) -> Result<Seen<'a>> {
    for _ in 0..reader.list(most, name)? {
        reader.uint(u64::from(u32::MAX), name)?;
    }
    Ok(Seen::Other)
}

#[cfg(test)]
mod tests {
    use super::EVALUATION_BYTES;
    use crate::params::sets;

    #[test]
    fn usual_evaluation_keys_of_every_set_fit() {
        for set in sets() {
            let polynomials: usize = set.chain().map(|prime| set.packed_bytes(prime)).sum();
            let key = 2 * set.data_primes.len() * polynomials;
            let keys = set.ring_degree.ilog2() as usize;
            assert!(keys * key <= EVALUATION_BYTES, "{}", set.name);
        }
    }
}
