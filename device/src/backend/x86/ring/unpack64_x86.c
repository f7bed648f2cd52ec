/* Unpacking of residues modulo a 64-bit prime (ring/unpack.h) for x86-64, products with AVX-512
 * where the processor has it. Packed residues are public; c0 + c1*s is not. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(x86)

#include "../../../ring/unpack.h"

#include "../../../ring/montgomery.h"
#include "field64.h"
#include "fields64.h"

#define GROUP ISOPOD64_FIELDS
#define MOST_GROUP_BYTES (GROUP / 8u * 60u)

/* The group at position i of count; the last one from a copy, as bytes behind it are read. */
static inline uint64_t take_group(uint64_t *out, const uint8_t *packed, uint32_t i, uint32_t count,
                                  const isopod_prime64 *prime) {
    uint32_t bytes = GROUP / 8u * prime->bits;
    const uint8_t *group = packed + (size_t)(i / GROUP) * bytes;
    uint8_t last[MOST_GROUP_BYTES + ISOPOD64_FIELDS_BEHIND] = {0};
    if (i + GROUP < count) {
        return isopod64_fields(out, group, prime);
    }
    __builtin_memcpy(last, group, bytes);
    return isopod64_fields(out, last, prime);
}

uint32_t isopod_unpack(int64_t *x, const uint8_t *packed, uint32_t count,
                       const isopod_prime64 *prime) {
    uint64_t over = 0;
    for (uint32_t i = 0; i < count; i += GROUP) {
        over |= take_group((uint64_t *)x + i, packed, i, count, prime);
    }
    return (uint32_t)(over >> 32);
}

/* a*key - x with x in 0 .. q and the product in 0 .. 2q. A factor that is not below the prime gives
 * a meaningless word. */
static ISOPOD_AVX512 uint32_t unpack_multiply512(int64_t *x, const uint8_t *packed,
                                                 const uint64_t *key, uint32_t count,
                                                 const isopod_prime64 *prime) {
    const isopod_field512 field = isopod_field512_of(prime);
    uint64_t group[GROUP], over = 0;
    for (uint32_t i = 0; i < count; i += GROUP) {
        over |= take_group(group, packed, i, count, prime);
#pragma GCC unroll 16
        for (uint32_t k = 0; k < GROUP; k += 8) {
            __m512i product = isopod_montgomery512(_mm512_loadu_si512(group + k),
                                                   _mm512_loadu_si512(key + i + k), &field);
            __m512i difference = _mm512_sub_epi64(_mm512_add_epi64(product, field.modulus),
                                                  _mm512_loadu_si512(x + i + k));
            difference = isopod_lower512(difference, field.twice);
            _mm512_storeu_si512(x + i + k, isopod_lower512(difference, field.modulus));
        }
    }
    return (uint32_t)(over >> 32);
}

/* The product is within q/16 + q/2, since every unpacked word is below 2^60; so is the output, or
 * it is in 0 .. q. */
static uint32_t unpack_multiply(int64_t *x, const uint8_t *packed, const uint64_t *key,
                                uint32_t count, const isopod_prime64 *shared) {
    const isopod_prime64 prime = *shared;
    uint64_t group[GROUP], over = 0;
    for (uint32_t i = 0; i < count; i += GROUP) {
        over |= take_group(group, packed, i, count, &prime);
#pragma GCC unroll 16
        for (uint32_t k = 0; k < GROUP; k++) {
            int64_t product = isopod_montgomery((int64_t)group[k], (int64_t)key[i + k], &prime);
            x[i + k] = (int64_t)isopod_canonical(product - x[i + k], &prime);
        }
    }
    return (uint32_t)(over >> 32);
}

uint32_t isopod_unpack_multiply(int64_t *x, const uint8_t *packed, const uint64_t *key,
                                uint32_t count, const isopod_prime64 *prime) {
    return (isopod_has_avx512() ? unpack_multiply512 : unpack_multiply)(x, packed, key, count,
                                                                        prime);
}

#endif
