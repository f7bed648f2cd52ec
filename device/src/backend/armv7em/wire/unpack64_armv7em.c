/* Unpacking of residues modulo a 64-bit prime (ring/unpack.h) by unaligned loads. The product of a
 * field that is not below the prime is still below 2q, since the field is below 2^60. */
#define ISOPOD_WORD_BITS 64
#include "../../backend.h"
#if ISOPOD_BACKEND_IS(armv7em)

#include "../../../ring/unpack.h"

#include "../../../base/memory.h"
#include "../../../ring/montgomery.h"
#include "../ring/words64.h"

/* Reads a field of more than 32 bits, from the byte with its first bit on. Only for the last field
 * does it read bytes behind the group. */
static inline uint64_t field_at(const uint8_t *group, uint32_t bit, uint32_t mask) {
    const uint8_t *at = group + bit / 8;
    uint32_t by = bit % 8, low = isopod_load32(at), high = isopod_load32(at + 4), top = at[8];
    low = low >> by | high << 1 << (31u - by);
    high = high >> by | top << 1 << (31u - by);
    return (uint64_t)(high & mask) << 32 | low;
}

/* Reads a field of at most 32 bits, or the last one, from bytes of the group alone. */
static uint64_t late_field_at(const uint8_t *group, uint32_t bit, uint32_t bits) {
    uint32_t byte = bit / 8, latest = ISOPOD_UNPACK_GROUP / 8u * bits - 8u;
    byte = byte < latest ? byte : latest;
    uint64_t mask = ((uint64_t)1 << bits) - 1u;
    return isopod_load64(group + byte) >> (bit - 8u * byte) & mask;
}

/* Unpacks one group; the top bit of the returned word is set if a field exceeds `last`. */
static uint64_t unpack_group(uint64_t *out, const uint8_t *group, uint32_t bits, uint64_t last) {
    uint32_t bit = 0, mask = (1u << bits % 32u) - 1u;
    uint64_t over = 0;
    if (bits > 32) {
        for (; bit < (ISOPOD_UNPACK_GROUP - 1u) * bits; bit += bits) {
            uint64_t field = field_at(group, bit, mask);
            over |= last - field;
            *out++ = field;
        }
    }
    for (; bit < ISOPOD_UNPACK_GROUP * bits; bit += bits) {
        uint64_t field = late_field_at(group, bit, bits);
        over |= last - field;
        *out++ = field;
    }
    return over;
}

uint32_t isopod_unpack(int64_t *x, const uint8_t *packed, uint32_t count,
                       const isopod_prime64 *prime) {
    uint64_t over = 0;
    for (const int64_t *end = x + count; x != end; x += ISOPOD_UNPACK_GROUP) {
        over |= unpack_group((uint64_t *)x, packed, prime->bits, prime->modulus - 1u);
        packed += ISOPOD_UNPACK_GROUP / 8u * prime->bits;
    }
    return (uint32_t)(over >> 32);
}

uint32_t isopod_unpack_multiply(int64_t *x, const uint8_t *packed, const uint64_t *key,
                                uint32_t count, const isopod_prime64 *prime) {
    uint64_t over = 0, group[ISOPOD_UNPACK_GROUP];
    isopod64_words with = {isopod_canonical(-isopod_montgomery_one(prime), prime),
                           prime->modulus,
                           0u - (uint32_t)prime->inverse,
                           NULL,
                           key,
                           0};
    for (const int64_t *end = x + count; x != end; x += ISOPOD_UNPACK_GROUP) {
        over |= unpack_group(group, packed, prime->bits, prime->modulus - 1u);
        with.end = x + ISOPOD_UNPACK_GROUP;
        isopod64_multiply_words(x, (const int64_t *)group, &with);
        with.key += ISOPOD_UNPACK_GROUP;
        packed += ISOPOD_UNPACK_GROUP / 8u * prime->bits;
    }
    return (uint32_t)(over >> 32);
}

#endif
