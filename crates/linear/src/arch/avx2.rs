//! AVX2: four values in a vector, two from each load.
#![allow(unsafe_code, reason = "vector loads and stores")]

use std::arch::x86_64::*;

use crate::loops::pairs::{Pairs, GROUP};

/// See [`super::add_packed`]; without TIMES the weight is 1.
///
/// # Safety
/// The processor has AVX2, and the bytes reach to the last load of the last group of words.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn add<const TIMES: bool>(
    pairs: &Pairs,
    bytes: &[u8],
    weight: i64,
    words: &mut [u64],
) -> bool {
    let zero = _mm256_setzero_si256();
    let mut constants = [(zero, zero); 2];
    for (half, constant) in constants.iter_mut().enumerate() {
        // SAFETY: 32 bytes of shuffles and four words of shifts from these places on are within the arrays.
        *constant = unsafe {
            (
                _mm256_loadu_si256(pairs.shuffles[2 * half..].as_ptr().cast()),
                _mm256_loadu_si256(pairs.shifts[4 * half..].as_ptr().cast()),
            )
        };
    }
    let mask = _mm256_set1_epi64x((1i64 << pairs.width) - 1);
    let most = _mm256_set1_epi64x(pairs.prime as i64 - 1);
    let factor = _mm256_set1_epi64x(weight);
    let mut outside = zero;
    for (group, eight) in words.chunks_exact_mut(GROUP).enumerate() {
        for (half, &(shuffle, shift)) in constants.iter().enumerate() {
            // SAFETY: both loads end within the bytes, as the caller promises; the words are half a group.
            unsafe {
                let from = bytes.as_ptr().add(group * pairs.width);
                let low = _mm_loadu_si128(from.add(pairs.offsets[2 * half]).cast());
                let high = _mm_loadu_si128(from.add(pairs.offsets[2 * half + 1]).cast());
                let both = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
                let bits = _mm256_srlv_epi64(_mm256_shuffle_epi8(both, shuffle), shift);
                let mut value = _mm256_and_si256(bits, mask);
                outside = _mm256_or_si256(outside, _mm256_cmpgt_epi64(value, most));
                if TIMES {
                    value = _mm256_mul_epi32(value, factor);
                }
                let place = eight.as_mut_ptr().add(4 * half).cast();
                _mm256_storeu_si256(place, _mm256_add_epi64(_mm256_loadu_si256(place), value));
            }
        }
    }
    _mm256_testz_si256(outside, outside) == 1
}
