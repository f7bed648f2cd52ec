//! Checksums inside of what they cover: eight hexadecimal digits, computed while zeros stand in their place.

/// Digits of a checksum.
pub(super) const DIGITS: &str = "00000000";

/// Writes the checksum of all other bytes at a place that holds [`DIGITS`].
pub(super) fn put(bytes: &mut [u8], place: usize) {
    let digits = format!("{:08x}", of(bytes, place));
    bytes[place..place + DIGITS.len()].copy_from_slice(digits.as_bytes());
}

/// Whether the digits at a place are the checksum of all other bytes.
pub(super) fn is_right(bytes: &[u8], place: usize) -> bool {
    let digits = bytes.get(place..place + DIGITS.len());
    digits.is_some_and(|digits| digits == format!("{:08x}", of(bytes, place)).as_bytes())
}

fn of(bytes: &[u8], place: usize) -> u32 {
    let before = crc32c::crc32c_append(crc32c::crc32c(&bytes[..place]), DIGITS.as_bytes());
    crc32c::crc32c_append(before, &bytes[place + DIGITS.len()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_is_noticed() {
        let mut bytes = *b"before 00000000 and behind";
        put(&mut bytes, 7);
        assert!(is_right(&bytes, 7));
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_right(&bytes, 7), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(!is_right(&bytes[..14], 7));
        assert!(!is_right(&[], 7));
    }
}
