//! AVX-512: a group in a vector, two values from each load.
#![allow(unsafe_code, reason = "vector loads and stores")]

use std::arch::x86_64::*;

use crate::loops::pairs::{Pairs, GROUP};

/// See [`super::add_packed`]; without TIMES the weight is 1.
///
/// # Safety
/// The processor has AVX-512F and BW, and the bytes reach to the last load of the last group of words.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) unsafe fn add<const TIMES: bool>(
    pairs: &Pairs,
    bytes: &[u8],
    weight: i64,
    words: &mut [u64],
) -> bool {
    // SAFETY: both arrays have 64 bytes.
    let (shuffle, shift) = unsafe {
        (
            _mm512_loadu_si512(pairs.shuffles.as_ptr().cast()),
            _mm512_loadu_si512(pairs.shifts.as_ptr().cast()),
        )
    };
    let mask = _mm512_set1_epi64((1i64 << pairs.width) - 1);
    let most = _mm512_set1_epi64(pairs.prime as i64 - 1);
    let factor = _mm512_set1_epi64(weight);
    let mut outside = 0;
    for (group, eight) in words.chunks_exact_mut(GROUP).enumerate() {
        // SAFETY: all four loads end within the bytes, as the caller promises; the words are a group.
        unsafe {
            let from = bytes.as_ptr().add(group * pairs.width);
            let load = |pair: usize| _mm_loadu_si128(from.add(pairs.offsets[pair]).cast());
            let all = _mm512_castsi128_si512(load(0));
            let all = _mm512_inserti32x4::<1>(all, load(1));
            let all = _mm512_inserti32x4::<2>(all, load(2));
            let all = _mm512_inserti32x4::<3>(all, load(3));
            let bits = _mm512_srlv_epi64(_mm512_shuffle_epi8(all, shuffle), shift);
            let mut value = _mm512_and_si512(bits, mask);
            outside |= _mm512_cmpgt_epu64_mask(value, most);
            if TIMES {
                value = _mm512_mul_epi32(value, factor);
            }
            let place = eight.as_mut_ptr().cast();
            _mm512_storeu_si512(place, _mm512_add_epi64(_mm512_loadu_si512(place), value));
        }
    }
    outside == 0
}
