/* Masks and selections in constant time; no other file makes masks. Every mask passes the value
 * barrier, so that no compiler turns it back into a branch. Without inline assembly the barrier is
 * a volatile object. */
#ifndef ISOPOD_CONSTANT_TIME_H
#define ISOPOD_CONSTANT_TIME_H

#include <stdint.h>

/* Facts about bits, for proofs of contracts: for WP, words are integers. Bit vectors prove each
 * of them (proofs/functions/bits.py). */
/*@ axiomatic Bits {
    axiom low_8: \forall integer a; 0 <= a ==> (uint8_t)a == a % 0x100;
    axiom low_16: \forall integer a; 0 <= a ==> (uint16_t)a == a % 0x10000;
    axiom low_32: \forall integer a; 0 <= a ==> (uint32_t)a == a % 0x100000000;
    axiom below_32: \forall integer a; -0x100000000 <= a < 0 ==> (uint32_t)a == a + 0x100000000;
    axiom right_8: \forall integer a; 0 <= a ==> (a >> 8) == a / 0x100;
    axiom right_16: \forall integer a; 0 <= a ==> (a >> 16) == a / 0x10000;
    axiom right_24: \forall integer a; 0 <= a ==> (a >> 24) == a / 0x1000000;
    axiom right_31: \forall integer a; 0 <= a ==> (a >> 31) == a / 0x80000000;
    axiom right_32: \forall integer a;
        (a >> 32) * 0x100000000 <= a < (a >> 32) * 0x100000000 + 0x100000000;
    axiom left_8: \forall integer a; (a << 8) == a * 0x100;
    axiom left_16: \forall integer a; (a << 16) == a * 0x10000;
    axiom left_24: \forall integer a; (a << 24) == a * 0x1000000;
    axiom left_32: \forall integer a; (a << 32) == a * 0x100000000;
    axiom and_words: \forall integer a, b; 0 <= a && 0 <= b ==> 0 <= (a & b) <= a && (a & b) <= b;
    axiom and_ones_32: \forall integer a; 0 <= a <= 0xffffffff ==> (a & 0xffffffff) == a;
    axiom or_words: \forall integer a, b;
        0 <= a <= 0xffffffff && 0 <= b <= 0xffffffff ==> a <= (a | b) <= 0xffffffff;
    axiom or_zero: \forall integer a, b; 0 <= a && 0 <= b ==> ((a | b) == 0 <==> a == 0 && b == 0);
    axiom xor_words: \forall integer a, b;
        0 <= a <= 0xffffffff && 0 <= b <= 0xffffffff ==> 0 <= (a ^ b) <= 0xffffffff;
    axiom xor_zero: \forall integer a, b; (a ^ b) == 0 <==> a == b;
    axiom or_halves: \forall integer a, b; 0 <= a <= 0xffffffff && 0 <= b <= 0xffffffff ==>
        (a | (uint64_t)(b << 32)) == a + b * 0x100000000;
    axiom or_negative: \forall integer a;
        0 < a <= 0xffffffff ==> 0x80000000 <= (a | (uint32_t)(-a)) <= 0xffffffff;
    axiom or_top: \forall integer a, b; 0 <= a <= 0xffffffff && 0 <= b <= 0xffffffff ==>
        ((a | b) <= 0x7fffffff <==> a <= 0x7fffffff && b <= 0x7fffffff);
    axiom xor_ones: \forall integer a; 0 <= a <= 0xffffffff ==> (a ^ 0xffffffff) == 0xffffffff - a;
    axiom right_30: \forall integer a;
        (a >> 30) * 0x40000000 <= a < (a >> 30) * 0x40000000 + 0x40000000;
    axiom right_52: \forall integer a; 0 <= a ==> (a >> 52) == a / 0x10000000000000;
    axiom right: \forall integer a, b; 0 <= a && 0 <= b ==> 0 <= (a >> b) <= a;
    axiom right_61: \forall integer a; 0 <= a ==> (a >> 61) == a / 0x2000000000000000;
    axiom and_61: \forall integer a;
        0 <= a ==> (a & 0x1fffffffffffffff) == a % 0x2000000000000000;
    axiom or_bytes{L}: \forall uint8_t *in;
        0 <= in[0] <= 0xff && 0 <= in[1] <= 0xff && 0 <= in[2] <= 0xff && 0 <= in[3] <= 0xff ==>
        (in[0] | (uint32_t)(in[1] << 8) | (uint32_t)(in[2] << 16) | (uint32_t)(in[3] << 24)) ==
            in[0] + in[1] * 0x100 + in[2] * 0x10000 + in[3] * 0x1000000;
    axiom or_two{L}: \forall uint8_t *in; 0 <= in[0] <= 0xff && 0 <= in[1] <= 0xff ==>
        (in[0] | in[1] << 8) == in[0] + in[1] * 0x100;
    } */

/* Marks an object whose value is public although it was computed from secrets: the outcome of a
 * check, a rejection. Only builds of test/constant_time define it. They report every other branch
 * or index that depends on a secret. */
#ifndef ISOPOD_DECLASSIFY
#define ISOPOD_DECLASSIFY(object) ((void)0)
#endif

/*@ assigns \nothing;
    admit ensures \result == value; */
static inline uint32_t isopod_ct_barrier(uint32_t value) {
#if defined(__GNUC__) || defined(__clang__)
    __asm__("" : "+r"(value));
    return value;
#else
    volatile uint32_t hidden = value;
    return hidden;
#endif
}

/* All ones if value < 0, otherwise zero. */
/*@ assigns \nothing;
    ensures \result == (value < 0 ? 0xffffffff : 0); */
static inline uint32_t isopod_ct_negative(int32_t value) {
    return isopod_ct_barrier(0u - ((uint32_t)value >> 31));
}

/* All ones if value is not zero. */
/*@ assigns \nothing;
    ensures \result == (value != 0 ? 0xffffffff : 0); */
static inline uint32_t isopod_ct_nonzero(uint32_t value) {
    return isopod_ct_barrier(0u - ((value | (0u - value)) >> 31));
}

/*@ assigns \nothing;
    ensures \result == mask * 0x100000001; */
static inline uint64_t isopod_ct_mask64(uint32_t mask) {
    return ((uint64_t)mask << 32) | mask;
}

/* value if mask is all ones, 0 if it is zero: the low `a` or the `b` of a pair without a branch. */
/*@ requires mask == 0 || mask == 0xffffffff;
    assigns \nothing;
    ensures \result == (mask != 0 ? a : b); */
static inline uint32_t isopod_ct_select(uint32_t mask, uint32_t a, uint32_t b) {
    return b ^ (mask & (a ^ b));
}

/* value << by and value >> by for a secret 0 <= by <= 63, written out because compilers for 32-bit
 * machines and their libraries branch on whether the amount crosses the word (RISC-V:
 * __ashldi3). */
/*@ requires by <= 63;
    assigns \nothing;
    ensures \result == (uint64_t)(value << by); */
static inline uint64_t isopod_ct_shift_left(uint64_t value, uint32_t by) {
#if UINTPTR_MAX > UINT32_MAX
    return value << by;
#else
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32), within = by & 31u;
    uint32_t crosses = isopod_ct_nonzero(by & 32u);
    high = high << within | low >> 1 >> (31u - within);
    low <<= within;
    return (uint64_t)isopod_ct_select(crosses, low, high) << 32 | (low & ~crosses);
#endif
}

/*@ requires by <= 63;
    assigns \nothing;
    ensures \result == value >> by; */
static inline uint64_t isopod_ct_shift_right(uint64_t value, uint32_t by) {
#if UINTPTR_MAX > UINT32_MAX
    return value >> by;
#else
    uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32), within = by & 31u;
    uint32_t crosses = isopod_ct_nonzero(by & 32u);
    low = low >> within | high << 1 << (31u - within);
    high >>= within;
    return (uint64_t)(high & ~crosses) << 32 | isopod_ct_select(crosses, high, low);
#endif
}

#endif
