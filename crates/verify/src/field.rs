//! Arithmetic modulo p = 2^61 - 1.

use isopod_wire::LinearTag;

const BITS: u32 = 61;
const P: u64 = LinearTag::MODULUS;

/// The number below p with the same remainder.
pub(crate) fn reduced(value: u64) -> u64 {
    let folded = (value & P) + (value >> BITS);
    if folded >= P {
        folded - P
    } else {
        folded
    }
}

pub(crate) fn add(a: u64, b: u64) -> u64 {
    reduced(a + b)
}

pub(crate) fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    add(product as u64 & P, reduced((product >> BITS) as u64))
}

pub(crate) fn power(mut base: u64, mut exponent: u32) -> u64 {
    let mut result = 1;
    while exponent != 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base);
        }
        base = multiply(base, base);
        exponent >>= 1;
    }
    result
}

/// A signed number modulo p.
pub(crate) fn signed(value: i64) -> u64 {
    i128::from(value).rem_euclid(i128::from(P)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_at_the_edges_are_those_of_wide_arithmetic() {
        let edges = [0, 1, 2, 7, P - 2, P - 1, 1 << 60, 0x1234_5678_9abc_def0 % P];
        for a in edges {
            for b in edges {
                let (wide, p) = (|value: u64| u128::from(value), u128::from(P));
                assert_eq!(u128::from(multiply(a, b)), wide(a) * wide(b) % p);
                assert_eq!(u128::from(add(a, b)), (wide(a) + wide(b)) % p);
            }
            assert_eq!(
                power(a, 61),
                (0..61).fold(1, |product, _| multiply(product, a))
            );
        }
        assert_eq!(power(0, 0), 1);
        assert_eq!([signed(-1), signed(i64::MIN)], [P - 1, P - 4]);
        assert_eq!([reduced(u64::MAX), reduced(P)], [7, 0]);
    }
}
