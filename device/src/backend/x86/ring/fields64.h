/* Groups of 32 packed residues modulo a 64-bit prime. */
#ifndef ISOPOD_X86_FIELDS64_H
#define ISOPOD_X86_FIELDS64_H

#include "../../../base/word.h"

#define ISOPOD64_FIELDS 32u
/* Bytes that may be read behind those of a group. */
#define ISOPOD64_FIELDS_BEHIND 8u

static inline uint64_t isopod64_field_word(const uint8_t *at) {
    uint64_t word;
    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static inline __attribute__((always_inline)) uint64_t
isopod64_fields_of(uint64_t *out, const uint8_t *packed, const isopod_prime64 *prime, int within) {
    const uint64_t keep = ((uint64_t)1 << prime->bits) - 1u, last = prime->modulus - 1u;
    uint64_t over = 0;
    for (uint32_t i = 0; i < ISOPOD64_FIELDS; i++) {
        uint32_t bit = i * prime->bits, shift = bit % 8u;
        uint64_t field = isopod64_field_word(packed + bit / 8u) >> shift;
        if (!within) {
            field |= (uint64_t)packed[bit / 8u + 8u] << 1 << (63u - shift);
        }
        out[i] = field & keep;
        over |= last - out[i];
    }
    return over;
}

/* Unpacks 32 fields. The result has the top bit set if one is not below the modulus. Fields of at
 * most 57 bits lie within the eight bytes from their first one on. */
static inline __attribute__((always_inline)) uint64_t
isopod64_fields(uint64_t *out, const uint8_t *packed, const isopod_prime64 *prime) {
    return prime->bits <= 57u ? isopod64_fields_of(out, packed, prime, 1)
                              : isopod64_fields_of(out, packed, prime, 0);
}

#endif
