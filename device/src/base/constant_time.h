/* Masks and selections in constant time; no other file makes masks. Every mask passes the value
 * barrier, so that no compiler turns it back into a branch. Without inline assembly the barrier is
 * a volatile object. */
#ifndef ISOPOD_CONSTANT_TIME_H
#define ISOPOD_CONSTANT_TIME_H

#include <stdint.h>

/* Marks an object whose value is public although it was computed from secrets: the outcome of a
 * check, a rejection. Only builds of test/constant_time define it. They report every other branch
 * or index that depends on a secret. */
#ifndef ISOPOD_DECLASSIFY
#define ISOPOD_DECLASSIFY(object) ((void)0)
#endif

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
static inline uint32_t isopod_ct_negative(int32_t value) {
    return isopod_ct_barrier(0u - ((uint32_t)value >> 31));
}

/* All ones if value is not zero. */
static inline uint32_t isopod_ct_nonzero(uint32_t value) {
    return isopod_ct_barrier(0u - ((value | (0u - value)) >> 31));
}

//@ assigns \nothing;
static inline uint64_t isopod_ct_mask64(uint32_t mask) {
    return ((uint64_t)mask << 32) | mask;
}

/* value if mask is all ones, 0 if it is zero: the low `a` or the `b` of a pair without a branch. */
/*@ assigns \nothing;
    ensures mask == 0 ==> \result == b; */
static inline uint32_t isopod_ct_select(uint32_t mask, uint32_t a, uint32_t b) {
    return b ^ (mask & (a ^ b));
}

/* value << by and value >> by for a secret 0 <= by <= 63, written out because compilers for 32-bit
 * machines and their libraries branch on whether the amount crosses the word (RISC-V:
 * __ashldi3). */
/*@ requires by <= 63;
    assigns \nothing; */
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
    assigns \nothing; */
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
