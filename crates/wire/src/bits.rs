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
