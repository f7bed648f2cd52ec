//! Poly1305 with AVX-512 IFMA: sixteen blocks at a time in two vectors, multiplied by r^16 between them.
#![allow(unsafe_code, reason = "vector loads; instructions that were found")]

use std::arch::x86_64::*;

use zeroize::Zeroizing;

use crate::field::{Element, LOW44};
use crate::BLOCK;

/// Blocks of one vector.
const LANES: usize = 8;
/// Blocks of a step, and its bytes.
const STEP: usize = 2 * LANES;
const BYTES: usize = STEP * BLOCK;
/// Bytes of a message from which the powers of r pay.
const LONG: usize = 8 * BYTES;
/// Block of each lane: loads of 64 bytes are interleaved by 16.
const ORDER: [usize; LANES] = [0, 4, 1, 5, 2, 6, 3, 7];
/// Bits of r that are kept.
const CLAMP: u128 = 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;

/// Poly1305 of a long message, filled with zeros to whole blocks, and of one block behind it; None where it is short, or where
/// the processor lacks the instructions.
pub(crate) fn authenticate(
    once: &[u8; 32],
    message: &[u8],
    last: &[u8; BLOCK],
) -> Option<[u8; BLOCK]> {
    if message.len() < LONG || !is_x86_feature_detected!("avx512ifma") {
        return None;
    }
    let (r, s) = once.split_at(BLOCK);
    let r = Element::new(number(r) & CLAMP);
    // SAFETY: the processor has AVX-512 IFMA, and thus AVX-512F.
    let sum = unsafe { evaluate(r, &Blocks::new(message, last)) };
    Some(sum.low_bits().wrapping_add(number(s)).to_le_bytes())
}

fn number(bytes: &[u8]) -> u128 {
    let mut block = [0; BLOCK];
    block[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(block)
}

/// A message in steps, aligned to its end: a first one that begins with blocks of value 0, whole ones, and a copy of the last.
struct Blocks<'a> {
    first: [Element; STEP],
    whole: &'a [[u8; BYTES]],
    last: [u8; BYTES],
}

impl<'a> Blocks<'a> {
    fn new(message: &'a [u8], last: &[u8; BLOCK]) -> Self {
        let blocks = message.len().div_ceil(BLOCK) + 1;
        let (head, rest) = message.split_at(blocks % STEP * BLOCK);
        let mut first = [Element::default(); STEP];
        for (element, bytes) in first.iter_mut().rev().zip(head.rchunks(BLOCK)) {
            *element = Element::new(number(bytes));
            element.0[2] |= 1 << 40;
        }
        let (whole, rest) = rest.as_chunks();
        let mut end = [0; BYTES];
        end[..rest.len()].copy_from_slice(rest);
        end[BYTES - BLOCK..].copy_from_slice(last);
        Self {
            first,
            whole,
            last: end,
        }
    }
}

/// Eight values in limbs of 44 bits, of less than 2^46.
#[derive(Clone, Copy)]
struct Vector([__m512i; 3]);

/// Factors of eight values, and 20 times their upper two limbs.
#[derive(Clone, Copy)]
struct Factor {
    limbs: [__m512i; 3],
    twenty: [__m512i; 2],
}

impl Factor {
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn new(elements: [Element; LANES]) -> Self {
        let Vector(limbs) = Vector::new(elements);
        let twenty = |limb| {
            let four = _mm512_slli_epi64::<2>(limb);
            _mm512_add_epi64(_mm512_slli_epi64::<2>(four), four)
        };
        Self {
            limbs,
            twenty: [twenty(limbs[1]), twenty(limbs[2])],
        }
    }
}

impl Vector {
    /// Elements by lane.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn new(elements: [Element; LANES]) -> Self {
        Self([0, 1, 2].map(|limb| {
            let lanes = elements.map(|element| element.0[limb]);
            // SAFETY: 64 bytes of the array.
            unsafe { _mm512_loadu_si512(lanes.as_ptr().cast()) }
        }))
    }

    /// The sum of this and of eight blocks.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn plus(self, bytes: &[u8; BYTES / 2]) -> Self {
        // SAFETY: 128 bytes of the array.
        let (front, back) = unsafe {
            let from = bytes.as_ptr();
            (
                _mm512_loadu_si512(from.cast()),
                _mm512_loadu_si512(from.add(64).cast()),
            )
        };
        let low = _mm512_unpacklo_epi64(front, back);
        let high = _mm512_unpackhi_epi64(front, back);
        let limb = _mm512_set1_epi64(LOW44 as i64);
        let across = _mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high));
        let top = _mm512_or_si512(_mm512_srli_epi64::<24>(high), _mm512_set1_epi64(1 << 40));
        let Self([h0, h1, h2]) = self;
        Self([
            _mm512_add_epi64(h0, _mm512_and_si512(low, limb)),
            _mm512_add_epi64(h1, _mm512_and_si512(across, limb)),
            _mm512_add_epi64(h2, top),
        ])
    }

    /// The product, with limbs below 2^45.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn times(self, by: &Factor) -> Self {
        let (Self([h0, h1, h2]), [r0, r1, r2], [s1, s2]) = (self, by.limbs, by.twenty);
        let (low0, high0) = products([(h0, r0), (h1, s2), (h2, s1)]);
        let (low1, high1) = products([(h0, r1), (h1, r0), (h2, s2)]);
        let (low2, high2) = products([(h0, r2), (h1, r1), (h2, r0)]);
        let limb = _mm512_set1_epi64(LOW44 as i64);
        let last = _mm512_set1_epi64((1 << 42) - 1);
        // The upper halves count from bit 52, eight bits above the next limb of 44 and ten above that of 42.
        let carry = _mm512_srli_epi64::<44>(low0);
        let low1 = _mm512_add_epi64(_mm512_add_epi64(low1, _mm512_slli_epi64::<8>(high0)), carry);
        let carry = _mm512_srli_epi64::<44>(low1);
        let low2 = _mm512_add_epi64(_mm512_add_epi64(low2, _mm512_slli_epi64::<8>(high1)), carry);
        let carry = _mm512_add_epi64(
            _mm512_slli_epi64::<10>(high2),
            _mm512_srli_epi64::<42>(low2),
        );
        let five = _mm512_add_epi64(_mm512_slli_epi64::<2>(carry), carry);
        let low0 = _mm512_add_epi64(_mm512_and_si512(low0, limb), five);
        let low1 = _mm512_add_epi64(_mm512_and_si512(low1, limb), _mm512_srli_epi64::<44>(low0));
        Self([
            _mm512_and_si512(low0, limb),
            low1,
            _mm512_and_si512(low2, last),
        ])
    }

    /// The sum of the lanes' limbs, added to others.
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn sum(self, others: [u128; 3]) -> [u128; 3] {
        let mut sums = others;
        for (sum, limb) in sums.iter_mut().zip(self.0) {
            *sum += u128::from(_mm512_reduce_add_epi64(limb) as u64);
        }
        sums
    }
}

/// Sums of the low 52 bits of three products, and of the bits above.
#[target_feature(enable = "avx512f,avx512ifma")]
fn products(pairs: [(__m512i, __m512i); 3]) -> (__m512i, __m512i) {
    let (mut low, mut high) = (_mm512_setzero_si512(), _mm512_setzero_si512());
    for (a, b) in pairs {
        low = _mm512_madd52lo_epu64(low, a, b);
        high = _mm512_madd52hi_epu64(high, a, b);
    }
    (low, high)
}

/// The message as a polynomial, at r.
#[target_feature(enable = "avx512f,avx512ifma")]
fn evaluate(r: Element, blocks: &Blocks<'_>) -> Element {
    let mut powers: Zeroizing<[Element; STEP]> = Zeroizing::new([r; STEP]);
    for at in 1..STEP {
        powers[at] = powers[at - 1].times(r);
    }
    let factor = Factor::new([powers[STEP - 1]; LANES]);
    let half = |elements: &[Element], from: usize| ORDER.map(|lane| elements[from + lane]);
    let mut sums = [
        Vector::new(half(&blocks.first, 0)),
        Vector::new(half(&blocks.first, LANES)),
    ];
    for step in blocks.whole.iter().chain([&blocks.last]) {
        let (halves, _) = step.as_chunks::<{ BYTES / 2 }>();
        for (sum, half) in sums.iter_mut().zip(halves) {
            *sum = sum.times(&factor).plus(half);
        }
    }
    // Block b of the last step is multiplied by r^(16 - b).
    powers.reverse();
    let factors = [
        Factor::new(half(&powers[..], 0)),
        Factor::new(half(&powers[..], LANES)),
    ];
    let mut limbs = [0; 3];
    for (sum, factor) in sums.into_iter().zip(&factors) {
        limbs = sum.times(factor).sum(limbs);
    }
    Element::carry(limbs)
}
