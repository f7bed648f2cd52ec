/* 64-bit fixed-point words with 62 fraction bits and 128-bit products, for encode_template.h and
 * decode_template.h. If the machine lacks such products, 32-bit multiplications replace them. */
#ifndef ISOPOD_FIXED64_H
#define ISOPOD_FIXED64_H

#include <stdint.h>

#include "constant_time.h"

/* More facts about bits, as in constant_time.h. */
/*@ axiomatic Long_bits {
    axiom right_62: \forall integer a; 0 <= a ==> (a >> 62) == a / 0x4000000000000000;
    axiom right_63: \forall integer a; 0 <= a ==> (a >> 63) == a / 0x8000000000000000;
    axiom or_longs: \forall integer a, b;
        0 <= a <= 0xffffffffffffffff && 0 <= b <= 0xffffffffffffffff ==>
        0 <= (a | b) <= 0xffffffffffffffff;
    axiom below_64: \forall integer a;
        -0x10000000000000000 <= a < 0 ==> (uint64_t)a == a + 0x10000000000000000;
    axiom above_64: \forall integer a; 0x10000000000000000 <= a < 0x20000000000000000 ==>
        (uint64_t)a == a - 0x10000000000000000;
    axiom signed_64: \forall integer a; 0x8000000000000000 <= a < 0x18000000000000000 ==>
        (int64_t)a == a - 0x10000000000000000;
    axiom quarter_64: \forall integer a, b;
        -0x2000000000000000 <= a <= 0x1fffffffffffffff && 0 <= b <= 3 ==>
        (int64_t)((uint64_t)((uint64_t)a << 2) | b) == 4 * a + b; } */

typedef struct {
    int64_t high;
    uint64_t low;
} isopod_product64;

#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
__extension__ typedef __int128 isopod_int128;

static inline isopod_product64 isopod_multiply64(int64_t a, int64_t b) {
    isopod_int128 whole = (isopod_int128)a * b;
    isopod_product64 product = {(int64_t)(whole >> 64), (uint64_t)whole};
    return product;
}
#else
static inline isopod_product64 isopod_multiply64(int64_t a, int64_t b) {
    uint64_t a0 = (uint32_t)a, b0 = (uint32_t)b;
    int64_t a1 = a >> 32, b1 = b >> 32;
    uint64_t p00 = a0 * b0;
    int64_t p01 = (int64_t)a0 * b1, p10 = a1 * (int64_t)b0;
    uint64_t middle = (p00 >> 32) + (uint32_t)p01 + (uint32_t)p10;
    isopod_product64 product = {a1 * b1 + (p01 >> 32) + (p10 >> 32) + (int64_t)(middle >> 32),
                                middle << 32 | (uint32_t)p00};
    return product;
}
#endif

static inline int64_t isopod_high64(int64_t a, int64_t b) {
    return isopod_multiply64(a, b).high;
}

/*@ assigns \nothing;
    ensures INT64_MIN <= a.high + b.high < INT64_MAX ==>
            a.high + b.high <= \result.high <= a.high + b.high + 1; */
static inline isopod_product64 isopod_add64(isopod_product64 a, isopod_product64 b) {
    isopod_product64 sum;
    sum.low = a.low + b.low;
    /* the carry out of the low words, without a comparison that could become a branch */
    uint64_t carry = ((a.low & b.low) | ((a.low | b.low) & ~sum.low)) >> 63;
    sum.high = (int64_t)((uint64_t)a.high + (uint64_t)b.high + carry);
    return sum;
}

static inline int64_t isopod_quarter64(int64_t a, int64_t b) {
    isopod_product64 product = isopod_multiply64(a, b);
    return product.high + (int64_t)(product.low >> 63);
}

static inline isopod_product64 isopod_dot64(int64_t a, int64_t b, int64_t c, int64_t d) {
    return isopod_add64(isopod_multiply64(a, b), isopod_multiply64(c, d));
}

/* product / 2^62, rounded */
/*@ assigns \nothing;
    ensures -0x2000000000000000 <= product.high < 0x1fffffffffffffff ==>
            4 * product.high <= \result <= 4 * product.high + 7; */
static inline int64_t isopod_fraction64(isopod_product64 product) {
    isopod_product64 half = {0, (uint64_t)1 << 61};
    isopod_product64 sum = isopod_add64(product, half);
    return (int64_t)((uint64_t)sum.high << 2 | sum.low >> 62);
}

/* floor(product / 2^(64 + f) + offset / 2^32), 1 <= f <= 31: messages have more than 30 bits. */
static inline int64_t isopod_round64(isopod_product64 product, unsigned f, uint32_t offset) {
    isopod_product64 added = {(int64_t)(offset >> (32 - f)), (uint64_t)offset << (32 + f)};
    return isopod_add64(product, added).high >> f;
}

#endif
