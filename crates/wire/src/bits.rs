//! Packed residues: equal widths, one after the other, least significant bit first (`spec/wire.md`, section 1).

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
    let mask = (1u64 << bits) - 1;
    let (mut held, mut width) = (0u128, 0);
    let mut source = bytes.iter();
    std::iter::from_fn(move || {
        while width < bits {
            held |= u128::from(*source.next()?) << width;
            width += 8;
        }
        let value = held as u64 & mask;
        held >>= bits;
        width -= bits;
        Some(value)
    })
}
