/* Poly1305 ([RFC8439], section 2.5) in portable C with 32-bit products, constant time. h =
 * accumulator, five 32-bit words with h[4] < 8; r = multiplier, words below 2^28, the low two bits
 * of r1..r3 clear, so that 2^128 * r_i = (r_i / 4) * 2^130 = 5 * (r_i / 4) mod 2^130 - 5. All sums
 * stay below 2^63. */
#include "poly1305.h"

#include "../base/constant_time.h"
#include "../base/memory.h"
#include "../backend/backend.h"

#if ISOPOD_PORTABLE(POLY1305)
/*@ requires \valid(accumulator + (0 .. 4)) && \valid(multiplier + (0 .. 3));
    requires \valid_read(r + (0 .. 3));
    requires \separated(accumulator + (0 .. 4), multiplier + (0 .. 3), r + (0 .. 3));
    assigns accumulator[0 .. 4], multiplier[0 .. 3];
    ensures \forall integer i; 0 <= i < 5 ==> accumulator[i] == 0; */
void isopod_poly1305_start(uint32_t accumulator[5], uint32_t multiplier[4], const uint32_t r[4]) {
    /*@ loop invariant 0 <= i <= 5 && \forall integer j; 0 <= j < i ==> accumulator[j] == 0;
        loop assigns i, accumulator[0 .. 4];
        loop variant 5 - i; */
    for (unsigned i = 0; i < 5; i++) {
        accumulator[i] = 0;
    }
    /*@ loop invariant 0 <= i <= 4;
        loop assigns i, multiplier[0 .. 3];
        loop variant 4 - i; */
    for (unsigned i = 0; i < 4; i++) {
        multiplier[i] = r[i] & (i == 0 ? 0x0fffffffu : 0x0ffffffcu);
    }
}

/* The accumulator stays in registers from block to block. */
void isopod_poly1305_blocks(uint32_t h[5], const uint32_t r[4], const uint8_t *bytes,
                            size_t count) {
    const uint32_t r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
    const uint32_t f0 = (r0 >> 2) * 5, f1 = (r1 >> 2) * 5, f2 = (r2 >> 2) * 5, f3 = (r3 >> 2) * 5;
    uint32_t h0 = h[0], h1 = h[1], h2 = h[2], h3 = h[3], h4 = h[4];
    for (; count > 0; count--, bytes += 16) {
        uint64_t carry = (uint64_t)h0 + isopod_load32(bytes);
        const uint64_t s0 = (uint32_t)carry;
        carry = (carry >> 32) + h1 + isopod_load32(bytes + 4);
        const uint64_t s1 = (uint32_t)carry;
        carry = (carry >> 32) + h2 + isopod_load32(bytes + 8);
        const uint64_t s2 = (uint32_t)carry;
        carry = (carry >> 32) + h3 + isopod_load32(bytes + 12);
        const uint64_t s3 = (uint32_t)carry;
        /* with the block's 2^128, at most 9: its products stay below 2^32 */
        const uint32_t s4 = (uint32_t)(carry >> 32) + h4 + 1u;

        const uint64_t x0 = s0 * r0 + s1 * f3 + s2 * f2 + s3 * f1 + s4 * f0;
        const uint64_t x1 = s0 * r1 + s1 * r0 + s2 * f3 + s3 * f2 + s4 * f1 + (x0 >> 32);
        const uint64_t x2 = s0 * r2 + s1 * r1 + s2 * r0 + s3 * f3 + s4 * f2 + (x1 >> 32);
        const uint64_t x3 = s0 * r3 + s1 * r2 + s2 * r1 + s3 * r0 + s4 * f3 + (x2 >> 32);
        const uint32_t x4 = s4 * (r0 & 3u) + (uint32_t)(x3 >> 32);
        /* bits from 2^130 on, five times, back to the bottom */
        uint64_t low = (uint64_t)(uint32_t)x0 + (x4 >> 2) * 5;
        h0 = (uint32_t)low;
        low = (low >> 32) + (uint32_t)x1;
        h1 = (uint32_t)low;
        low = (low >> 32) + (uint32_t)x2;
        h2 = (uint32_t)low;
        low = (low >> 32) + (uint32_t)x3;
        h3 = (uint32_t)low;
        h4 = (uint32_t)(low >> 32) + (x4 & 3u);
    }
    h[0] = h0, h[1] = h1, h[2] = h2, h[3] = h3, h[4] = h4;
}

/* Computes h mod 2^130 - 5. h + 5 reaches 2^130 exactly when h >= 2^130 - 5; then five is added per
 * 2^130 and the top is dropped. */
void isopod_poly1305_finish(uint8_t tag[16], uint32_t h[5], const uint32_t s[4]) {
    uint64_t carry = 5;
    for (unsigned i = 0; i < 5; i++) {
        carry = (carry >> (i == 0 ? 0 : 32)) + h[i];
    }
    uint64_t excess = (carry >> 2) * 5;
    uint64_t sum = excess;
    for (unsigned i = 0; i < 4; i++) {
        sum += (uint64_t)h[i] + s[i];
        isopod_store32(tag + 4 * i, (uint32_t)sum);
        sum >>= 32;
    }
}
#endif
