/* Exact products modulo X^N + 1 and 2^32 or 2^64 by signed 16-bit digits, each multiplied by
 * isopod_ring_multiply (spec/tfhe.md, section 5). Constant time. */
#include "ring.h"

#define DIGIT_CARRIES 0x80008000u

/*@ assigns \nothing;
    ensures -0x8000 <= \result <= 0x7fff; */
static int32_t lower_digit(uint32_t word) {
    return (int16_t)(word & 0xffffu);
}

static int32_t upper_digit(uint32_t word) {
    return (int32_t)word >> 16;
}

/* Adding 2^15 to every digit propagates the carries of signed digits; flipping the top bits back
 * leaves the digits in two's complement. The upper digits are multiplied first, then the lower ones
 * in the same scratch memory. */
void isopod_ring_product32(uint32_t *words, const uint32_t *transformed, int32_t *scratch,
                           const isopod_ntt *ntt) {
    uint32_t n = ntt->length;
    for (uint32_t i = 0; i < n; i++) {
        words[i] = (words[i] + DIGIT_CARRIES) ^ DIGIT_CARRIES;
        scratch[i] = upper_digit(words[i]);
    }
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        words[i] = (words[i] & 0xffffu) | (uint32_t)scratch[i] << 16;
        scratch[i] = lower_digit(words[i]);
    }
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        words[i] = (words[i] & 0xffff0000u) + (uint32_t)scratch[i];
    }
}

/*@ requires \valid_read(words + (0 .. 1));
    assigns \nothing;
    ensures \result == ((uint64_t)(words[1] << 32) | words[0]); */
static uint64_t pair(const uint32_t *words) {
    return (uint64_t)words[1] << 32 | words[0];
}

/*@ requires \valid(words + (0 .. 1));
    assigns words[0 .. 1];
    ensures words[0] + words[1] * 0x100000000 == value; */
static void set_pair(uint32_t *words, uint64_t value) {
    words[0] = (uint32_t)value;
    words[1] = (uint32_t)(value >> 32);
}

/* Digits 3 and 2, in the upper halves, as in the 32-bit product. */
static void upper_digits(uint32_t *words, const uint32_t *transformed, int32_t *scratch,
                         const isopod_ntt *ntt) {
    uint32_t n = ntt->length;
    for (uint32_t i = 0; i < n; i++) {
        set_pair(words + (size_t)2 * i,
                 (pair(words + (size_t)2 * i) + 0x8000800080008000u) ^ 0x8000800080008000u);
        scratch[i] = upper_digit(words[2 * i + 1]);
    }
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *upper = words + 2 * i + 1;
        *upper = (*upper & 0xffffu) | (uint32_t)scratch[i] << 16;
        scratch[i] = lower_digit(*upper);
    }
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *upper = words + 2 * i + 1;
        *upper = (*upper & 0xffff0000u) + (uint32_t)scratch[i];
        scratch[i] = upper_digit(words[2 * i]);
    }
}

void isopod_ring_product64(uint32_t *words, const uint32_t *transformed, int32_t *scratch,
                           const isopod_ntt *ntt) {
    uint32_t n = ntt->length;
    upper_digits(words, transformed, scratch, ntt);
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = pair(words + (size_t)2 * i) & 0xffffffff0000ffffu;
        int32_t digit = lower_digit((uint32_t)value);
        set_pair(words + (size_t)2 * i,
                 (value & 0xffffffff00000000u) + ((uint64_t)(int64_t)scratch[i] << 16));
        scratch[i] = digit;
    }
    isopod_ring_multiply(scratch, transformed, ntt);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t value = pair(words + (size_t)2 * i);
        set_pair(words + (size_t)2 * i, value + (uint64_t)(int64_t)scratch[i]);
    }
}
