//! Integers modulo 2^130 - 5 in limbs of 44, 44 and 42 bits.

use zeroize::DefaultIsZeroes;

/// Low 44 bits.
pub(crate) const LOW44: u64 = (1 << 44) - 1;
/// Low 42 bits.
const LOW42: u64 = (1 << 42) - 1;

/// A value below 2^131: limbs of 44, 44 and 43 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Element(pub [u64; 3]);

impl DefaultIsZeroes for Element {}

impl Element {
    /// A number of 128 bits.
    pub fn new(number: u128) -> Self {
        let limb = |bit: u32| (number >> bit) as u64 & LOW44;
        Self([limb(0), limb(44), limb(88)])
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        let ([a0, a1, a2], [b0, b1, b2]) = (self.0.map(u128::from), other.0.map(u128::from));
        // 2^132 = 4 * 2^130 = 20.
        Self::carry([
            a0 * b0 + 20 * (a1 * b2 + a2 * b1),
            a0 * b1 + a1 * b0 + 20 * a2 * b2,
            a0 * b2 + a1 * b1 + a2 * b0,
        ])
    }

    /// Limbs of a sum or product below 2^97, brought into range.
    pub fn carry(limbs: [u128; 3]) -> Self {
        let [low, middle, high] = limbs;
        let middle = middle + (low >> 44);
        let high = high + (middle >> 44);
        let low = u128::from(low as u64 & LOW44) + 5 * (high >> 42);
        let middle = u128::from(middle as u64 & LOW44) + (low >> 44);
        let high = (high as u64 & LOW42) + (middle >> 44) as u64;
        Self([low as u64 & LOW44, middle as u64 & LOW44, high])
    }

    /// The low 128 bits of the value below 2^130 - 5.
    pub fn low_bits(self) -> u128 {
        let Self([low, middle, high]) = Self::carry(self.0.map(u128::from));
        // The quotient by 2^130 - 5 is 0 or 1: the carry of value + 5 out of 130 bits.
        let carry = ((low + 5) >> 44).wrapping_add(middle) >> 44;
        let quotient = (carry + high) >> 42;
        let [low, middle, high] = [low + 5 * quotient, middle, high].map(u128::from);
        low.wrapping_add(middle << 44).wrapping_add(high << 88)
    }
}
