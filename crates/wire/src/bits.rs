//! Packed residues: equal widths, one after the other, least significant bit first (`spec/wire.md`, section 1).

/// Bytes that hold any value of up to 61 bits, wherever it begins in its first byte.
const WINDOW: usize = 16;

/// Packs values of `bits` bits (1 to 61) and fills the last byte with zeros.
/// Bits of a value above the lowest `bits` are dropped.
pub fn pack(bits: u32, values: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity((values.len() * bits as usize).div_ceil(8));
    let mask = (1u64 << bits) - 1;
    let (mut held, mut width) = (0u128, 0);
    for &value in values {
        held |= u128::from(value & mask) << width;
        width += bits;
        while width >= 8 {
            bytes.push(held as u8);
            held >>= 8;
            width -= 8;
        }
    }
    if width > 0 {
        bytes.push(held as u8);
    }
    bytes
}

/// Unpacks the values of `bits` bits (1 to 61) in `bytes`; bits that remain at the end are ignored.
pub fn unpack(bits: u32, bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let (width, mask) = (bits as usize, (1u64 << bits) - 1);
    (0..bytes.len() * 8 / width).map(move |at| {
        let first = at * width;
        (window(bytes, first / 8) >> (first % 8)) as u64 & mask
    })
}

/// Position of the first value in `bytes`, each of `bits` bits (1 to 61), that is not below `limit`.
///
/// Eight values fill `bits` whole bytes, so that each begins at the same bit of every group. If a value has 57 bits at most, a
/// word of eight bytes holds it, whatever that bit is.
pub(crate) fn position_beyond(bits: u32, bytes: &[u8], limit: u64) -> Option<usize> {
    let (width, mask) = (bits as usize, (1u64 << bits) - 1);
    let starts: [usize; 8] = std::array::from_fn(|at| at * width);
    let whole = match width <= 57 {
        true => bytes.len().saturating_sub(8) / width,
        false => 0,
    };
    let is_below = |group: &usize| {
        let group = &bytes[group * width..];
        let mut beyond = false;
        for start in starts {
            let word = group[start / 8..]
                .first_chunk()
                .map_or(0, |word| u64::from_le_bytes(*word));
            beyond |= word >> (start % 8) & mask >= limit;
        }
        !beyond
    };
    let groups = (0..whole).take_while(is_below).count();
    let rest = unpack(bits, &bytes[groups * width..]).position(|value| value >= limit);
    rest.map(|position| 8 * groups + position)
}

/// The bytes from `first` on as a number; zeros follow the last one.
fn window(bytes: &[u8], first: usize) -> u128 {
    let rest = &bytes[first..];
    if let Some(whole) = rest.first_chunk::<WINDOW>() {
        return u128::from_le_bytes(*whole);
    }
    let mut padded = [0; WINDOW];
    padded[..rest.len()].copy_from_slice(rest);
    u128::from_le_bytes(padded)
}

#[cfg(test)]
mod tests {
    use super::{pack, position_beyond, unpack};

    /// Every width, with one value at the limit, wherever it is.
    #[test]
    fn the_first_value_beyond_a_limit_is_found_at_every_place() {
        for bits in 1..=61u32 {
            let limit = (1u64 << bits) - 1;
            let least = |at: usize| (at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % limit;
            let values: Vec<u64> = (0..35).map(least).collect();
            assert_eq!(position_beyond(bits, &pack(bits, &values), limit), None);
            for at in 0..values.len() {
                let mut values = values.clone();
                values[at] = limit;
                let bytes = pack(bits, &values);
                assert_eq!(unpack(bits, &bytes).nth(at), Some(limit), "{bits}");
                assert_eq!(position_beyond(bits, &bytes, limit), Some(at), "{bits}");
            }
        }
    }
}
