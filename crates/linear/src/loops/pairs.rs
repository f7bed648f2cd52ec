//! Places of packed values for kernels that load vectors.

use crate::Modulus;

/// Values that fill whole bytes, whatever their width.
pub(crate) const GROUP: usize = 8;
/// Bytes that one vector load takes.
pub(crate) const LOAD: usize = 16;

/// Places of the values of one width, for kernels that load 16 bytes for two values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pairs {
    /// Width of a value in bits, and of a group in bytes.
    pub width: usize,
    /// First byte of each pair in its group.
    pub offsets: [usize; GROUP / 2],
    /// The eight bytes that hold each value of a pair, counted from the first byte of the pair.
    pub shuffles: [[u8; LOAD]; GROUP / 2],
    /// First bit of each value in those bytes.
    pub shifts: [u64; GROUP],
    /// The prime.
    pub prime: u64,
}

impl Pairs {
    pub fn new(modulus: Modulus) -> Option<Self> {
        let width = modulus.bits() as usize;
        let mut pairs = Self {
            width,
            offsets: [0; GROUP / 2],
            shuffles: [[0; LOAD]; GROUP / 2],
            shifts: [0; GROUP],
            prime: modulus.prime(),
        };
        for value in 0..GROUP {
            let (byte, bit) = (value * width / 8, value * width % 8);
            if bit + width > 64 {
                return None;
            }
            let (pair, second) = (value / 2, value % 2);
            if second == 0 {
                pairs.offsets[pair] = byte;
            }
            // At most 8: a pair's second value begins at most 7 + 61 bits behind the first byte.
            let from = byte - pairs.offsets[pair];
            for at in 0..8 {
                pairs.shuffles[pair][8 * second + at] = (from + at) as u8;
            }
            pairs.shifts[value] = bit as u64;
        }
        Some(pairs)
    }

    /// Bytes from the begin of a group to the end of its last load.
    pub fn reach(&self) -> usize {
        self.offsets[GROUP / 2 - 1] + LOAD
    }
}
