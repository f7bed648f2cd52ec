//! NEON: two values in a vector, from one load.
#![allow(unsafe_code, reason = "vector loads and stores")]

use std::arch::aarch64::*;

use crate::loops::pairs::{Pairs, GROUP};

/// See [`super::add_packed`]; without TIMES the weight is 1.
///
/// # Safety
/// The processor has NEON, and the bytes reach to the last load of the last group of words.
#[target_feature(enable = "neon")]
pub(super) unsafe fn add<const TIMES: bool>(
    pairs: &Pairs,
    bytes: &[u8],
    weight: i64,
    words: &mut [u64],
) -> bool {
    let zero = vdupq_n_u8(0);
    let mut constants = [(zero, vdupq_n_s64(0)); GROUP / 2];
    for (pair, constant) in constants.iter_mut().enumerate() {
        // Shifts to the right are negative.
        let shifts = [pairs.shifts[2 * pair], pairs.shifts[2 * pair + 1]].map(|by| -(by as i64));
        // SAFETY: both arrays have 16 bytes.
        *constant = unsafe {
            (
                vld1q_u8(pairs.shuffles[pair].as_ptr()),
                vld1q_s64(shifts.as_ptr()),
            )
        };
    }
    let mask = vdupq_n_u64((1 << pairs.width) - 1);
    let most = vdupq_n_u64(pairs.prime - 1);
    let factor = vdup_n_s32(weight as i32);
    let mut outside = vdupq_n_u64(0);
    for (group, eight) in words.chunks_exact_mut(GROUP).enumerate() {
        for (pair, &(shuffle, shift)) in constants.iter().enumerate() {
            // SAFETY: the load ends within the bytes, as the caller promises; the words are a quarter of a group.
            unsafe {
                let from = bytes
                    .as_ptr()
                    .add(group * pairs.width + pairs.offsets[pair]);
                let bytes = vqtbl1q_u8(vld1q_u8(from), shuffle);
                let bits = vshlq_u64(vreinterpretq_u64_u8(bytes), shift);
                let mut value = vandq_u64(bits, mask);
                outside = vorrq_u64(outside, vcgtq_u64(value, most));
                if TIMES {
                    let narrow = vmovn_s64(vreinterpretq_s64_u64(value));
                    value = vreinterpretq_u64_s64(vmull_s32(narrow, factor));
                }
                let place = eight.as_mut_ptr().add(2 * pair);
                vst1q_u64(place, vaddq_u64(vld1q_u64(place), value));
            }
        }
    }
    vgetq_lane_u64::<0>(outside) | vgetq_lane_u64::<1>(outside) == 0
}
